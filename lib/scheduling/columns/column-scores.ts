// The scores of the nodes that fit, over columns. Sums that depend on no other node are there already; the rest needs the
// highest or the least over the nodes that fit, so it is done in passes over them. A plugin that would give all nodes the
// same is left out: only differences decide.
import type { Random } from '../../core/index.js';
import { normalizedAffinityScore } from '../plugins/inter-pod-affinity/affinity-arithmetic.js';
import { domainWeight, normalizedSpreadScore, rawSpreadScore, spreadScore } from '../plugins/pod-topology-spread/spread-arithmetic.js';
import { hostnameKey } from '../plugins/pod-topology-spread/spread-score.js';
import type { LikingColumn } from './affinity-columns.js';
import { emptyDomain, noDomain } from './domain-column.js';
import type { NodeClass, ShareColumn } from './node-class.js';
import type { SoftColumn } from './spread-columns.js';

/** Nodes to score, by slot, and what they have so far. Only the first `count` are meant. */
export interface ScoredNodes {
  readonly slots: Int32Array;
  readonly count: number;
  readonly totals: Float64Array;
  /** For numbers in between; as long as the others. */
  readonly raw: Float64Array;
}

/** The place of the highest total; one of them by chance where several are equal, as `chooseBest` has it. */
export function chooseHighest({ count, totals }: ScoredNodes, random: Random): number {
  let best = -Infinity;
  let ties = 0;
  let first = 0;
  for (let index = 0; index < count; index++) {
    const total = of(totals, index);
    if (total < best) continue;
    if (total > best) [best, ties, first] = [total, 0, index];
    ties += 1;
  }
  let chosen = ties > 1 ? random.integer(ties) : 0;
  for (let index = first; index < count; index++) if (of(totals, index) === best && chosen-- === 0) return index;
  return first;
}

/** Begins with what nodes score by themselves. */
export function addLocalScores({ slots, count, totals }: ScoredNodes, nodeClass: NodeClass): void {
  const local = nodeClass.totals;
  for (let index = 0; index < count; index++) totals[index] = of(local, at(slots, index));
  for (const column of nodeClass.shares) if (column.counted > 0) addShares({ slots, count, totals }, column);
}

/** Adds what pods in the domains of nodes count for. */
export function addLikings({ slots, count, totals, raw }: ScoredNodes, likings: readonly LikingColumn[], weight: number): void {
  if (likings.length === 0) return;
  raw.fill(0, 0, count);
  for (const { counted: { domains: { bySlot }, sums }, weight: each } of likings) {
    for (let index = 0; index < count; index++) {
      const domain = at(bySlot, at(slots, index));
      if (domain !== noDomain) raw[index] = of(raw, index) + each * at(sums, domain);
    }
  }
  let least = Infinity;
  let most = -Infinity;
  for (let index = 0; index < count; index++) {
    const value = of(raw, index);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (most === least) return;
  for (let index = 0; index < count; index++) totals[index] = of(totals, index) + weight * normalizedAffinityScore(of(raw, index), least, most);
}

/** Adds how evenly pods would lie. */
export function addSpread(nodes: ScoredNodes, soft: readonly SoftColumn[], needsAllLabels: boolean, weight: number): void {
  const { slots, count, totals, raw } = nodes;
  if (soft.length === 0) return;
  const leftOut = markMissing(nodes, needsAllLabels ? soft : []);
  for (const { constraint, counted: { domains: { bySlot, size }, sums, bySlot: counts } } of soft) {
    const byHost = constraint.topologyKey === hostnameKey;
    const podWeight = domainWeight(byHost ? count - leftOut : domainsAmong(nodes, bySlot, size));
    for (let index = 0; index < count; index++) {
      const slot = at(slots, index);
      const domain = at(bySlot, slot);
      if (domain !== noDomain) raw[index] = of(raw, index) + spreadScore(byHost ? at(counts, slot) : at(sums, domain), podWeight, constraint);
    }
  }
  let least = Infinity;
  let most = 0;
  for (let index = 0; index < count; index++) {
    const value = rawSpreadScore(of(raw, index));
    raw[index] = value;
    if (value < least) least = value; // what is left out is no number
    if (value > most) most = value;
  }
  for (let index = 0; index < count; index++) {
    const value = of(raw, index);
    if (!Number.isNaN(value)) totals[index] = of(totals, index) + weight * normalizedSpreadScore(value, least, most);
  }
}

function addShares({ slots, count, totals }: Omit<ScoredNodes, 'raw'>, { counts, share, weight }: ShareColumn): void {
  let highest = 0;
  for (let index = 0; index < count; index++) {
    const value = at(counts, at(slots, index));
    if (value > highest) highest = value;
  }
  if (highest === 0) return;
  for (let index = 0; index < count; index++) totals[index] = of(totals, index) + weight * share(at(counts, at(slots, index)), highest);
}

/** Makes the raw scores of nodes that lack a label no numbers, and those of all others 0. Answers how many lack one. */
function markMissing({ slots, count, raw }: ScoredNodes, soft: readonly SoftColumn[]): number {
  let missing = 0;
  for (let index = 0; index < count; index++) {
    const slot = at(slots, index);
    const lacks = soft.some(({ counted }) => at(counted.domains.bySlot, slot) === noDomain);
    raw[index] = lacks ? NaN : 0;
    if (lacks) missing += 1;
  }
  return missing;
}

/** How many domains the nodes lie in. One without the label, where it needs none, lies in the domain of the empty value. */
function domainsAmong({ slots, count, raw }: ScoredNodes, bySlot: Int32Array, size: number): number {
  const seen = new Uint8Array(size);
  let domains = 0;
  for (let index = 0; index < count; index++) {
    if (Number.isNaN(of(raw, index))) continue;
    const domain = at(bySlot, at(slots, index));
    const number = domain === noDomain ? emptyDomain : domain;
    if (seen[number] === 1) continue;
    seen[number] = 1;
    domains += 1;
  }
  return domains;
}

/** An element that is there: indexes come from the columns themselves. */
function at(column: Int32Array, index: number): number {
  return column[index] as number; // as said
}

/** The same; apart, since an engine is fastest where a function sees one kind of array. */
function of(column: Float64Array, index: number): number {
  return column[index] as number; // as said
}
