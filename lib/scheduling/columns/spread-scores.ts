// The scores of soft spread constraints, over columns. Nodes that lack a label which they need are left out: while the
// others are scored, their raw score is no number. The sums and their order are those of the plugin PodTopologySpread.
import { domainWeight, normalizedSpreadScore, rawSpreadScore, spreadScore } from '../plugins/pod-topology-spread/spread-arithmetic.js';
import { hostnameKey } from '../plugins/pod-topology-spread/spread-score.js';
import { floatAt, intAt } from './column-element.js';
import { addByRaw } from './column-scores.js';
import type { ScoredNodes } from './column-scores.js';
import { emptyDomain, noDomain } from './domain-column.js';
import type { SoftColumn } from './spread-columns.js';

/** Adds how evenly pods would lie. */
export function addSpread(nodes: ScoredNodes, soft: readonly SoftColumn[], needsAllLabels: boolean, weight: number): void {
  if (soft.length === 0) return;
  const { count, raw } = nodes;
  raw.fill(0, 0, count);
  const someLack = needsAllLabels && soft.some(({ counted }) => counted.domains.isPartial);
  const left = someLack ? leaveOut(nodes, soft) : count;
  for (const column of soft) {
    if (column.constraint.topologyKey === hostnameKey) addByHost(nodes, column, domainWeight(left));
    else addByDomain(nodes, column, domainWeight(domainsAmong(nodes, column, someLack)));
  }
  let least = Infinity;
  let most = 0;
  for (let index = 0; index < count; index++) {
    const value = rawSpreadScore(floatAt(raw, index));
    raw[index] = value;
    // Neither is true of no number.
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (left > 0) addByRaw(nodes, least, most, (value) => weight * normalizedSpreadScore(value, least, most));
}

/** Leaves out the nodes without the label of a constraint. Answers how many are left. */
function leaveOut({ slots, count, raw }: ScoredNodes, soft: readonly SoftColumn[]): number {
  for (const { counted: { domains: { bySlot } } } of soft) {
    for (let index = 0; index < count; index++) if (intAt(bySlot, intAt(slots, index)) === noDomain) raw[index] = NaN;
  }
  let left = 0;
  for (let index = 0; index < count; index++) if (!Number.isNaN(floatAt(raw, index))) left += 1;
  return left;
}

/** Every node is a domain of its own. */
function addByHost({ slots, count, raw }: ScoredNodes, { constraint, counted: { bySlot: counts, domains: { bySlot } } }: SoftColumn, podWeight: number): void {
  for (let index = 0; index < count; index++) {
    const slot = intAt(slots, index);
    if (intAt(bySlot, slot) !== noDomain) raw[index] = floatAt(raw, index) + spreadScore(intAt(counts, slot), podWeight, constraint);
  }
}

function addByDomain({ slots, count, raw }: ScoredNodes, { constraint, counted: { sums, domains: { bySlot, size } } }: SoftColumn, podWeight: number): void {
  const scores = new Float64Array(size);
  for (let domain = 0; domain < size; domain++) scores[domain] = spreadScore(intAt(sums, domain), podWeight, constraint);
  for (let index = 0; index < count; index++) {
    const domain = intAt(bySlot, intAt(slots, index));
    if (domain !== noDomain) raw[index] = floatAt(raw, index) + floatAt(scores, domain);
  }
}

/** How many domains the nodes lie in. One without the label, where it needs none, lies in the domain of the empty value. */
function domainsAmong({ slots, count, raw }: ScoredNodes, { counted: { domains: { bySlot, size, inUse, isPartial } } }: SoftColumn, someLack: boolean): number {
  const seen = new Uint8Array(size);
  const most = isPartial ? inUse + 1 : inUse;
  let domains = 0;
  for (let index = 0; index < count && domains < most; index++) {
    if (someLack && Number.isNaN(floatAt(raw, index))) continue;
    const domain = intAt(bySlot, intAt(slots, index));
    const number = domain === noDomain ? emptyDomain : domain;
    if (seen[number] === 1) continue;
    seen[number] = 1;
    domains += 1;
  }
  return domains;
}
