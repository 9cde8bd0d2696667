// The scores of the nodes that fit, over columns. Sums that depend on no other node are there already; the rest needs the
// highest or the least over the nodes that fit, so it is done in passes over them. A plugin that would give all nodes the
// same is left out: only differences decide. These loops are what a search costs, so they are kept plain.
import type { Random } from '../../core/index.js';
import { normalizedAffinityScore } from '../plugins/inter-pod-affinity/affinity-arithmetic.js';
import type { LikingColumn } from './affinity-columns.js';
import { floatAt, intAt } from './column-element.js';
import { noDomain } from './domain-column.js';
import type { DomainColumn } from './domain-column.js';
import type { NodeClass, ShareColumn } from './node-class.js';

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
  for (let index = 0; index < count; index++) {
    const total = floatAt(totals, index);
    if (total === best) ties += 1;
    else if (total > best) {
      best = total;
      ties = 1;
    }
  }
  let chosen = ties > 1 ? random.integer(ties) : 0;
  let place = 0;
  while (floatAt(totals, place) !== best || chosen-- > 0) place += 1;
  return place;
}

/** The same straight from the ranks of nodes, where nothing else counts and some node fits. Answers the slot. */
export function chooseByRank(order: Int32Array, start: number, ranks: Float64Array, random: Random): number {
  let best = 0;
  let ties = 0;
  for (let index = 0; index < order.length; index++) {
    const rank = floatAt(ranks, intAt(order, index));
    if (rank === best) ties += 1;
    else if (rank > best) {
      best = rank;
      ties = 1;
    }
  }
  let chosen = ties > 1 ? random.integer(ties) : 0;
  for (let step = 0; ; step++) {
    const index = start + step;
    const slot = intAt(order, index < order.length ? index : index - order.length);
    if (floatAt(ranks, slot) === best && chosen-- === 0) return slot;
  }
}

/** Begins with what nodes score by themselves. */
export function setLocalScores({ slots, count, totals }: ScoredNodes, { ranks }: NodeClass): void {
  for (let index = 0; index < count; index++) totals[index] = floatAt(ranks, intAt(slots, index));
}

/** Adds what becomes a score by its share of the highest. */
export function addShares({ slots, count, totals }: ScoredNodes, { counts, counted, share, weight }: ShareColumn): void {
  if (counted === 0) return;
  let highest = 0;
  for (let index = 0; index < count; index++) {
    const value = intAt(counts, intAt(slots, index));
    if (value > highest) highest = value;
  }
  if (highest === 0) return;
  // Nodes beside each other often have the same count.
  let last = 0;
  let score = weight * share(last, highest);
  for (let index = 0; index < count; index++) {
    const value = intAt(counts, intAt(slots, index));
    if (value !== last) {
      last = value;
      score = weight * share(value, highest);
    }
    totals[index] = floatAt(totals, index) + score;
  }
}

/** Adds what pods in the domains of nodes count for. */
export function addLikings({ slots, count, totals, raw }: ScoredNodes, likings: readonly LikingColumn[], weight: number): void {
  if (likings.length === 0) return;
  raw.fill(0, 0, count);
  for (const [{ bySlot }, sums] of sumsByKey(likings)) {
    for (let index = 0; index < count; index++) {
      const domain = intAt(bySlot, intAt(slots, index));
      if (domain !== noDomain) raw[index] = floatAt(raw, index) + floatAt(sums, domain);
    }
  }
  let least = Infinity;
  let most = -Infinity;
  for (let index = 0; index < count; index++) {
    const value = floatAt(raw, index);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (most > least) addByRaw({ count, totals, raw }, least, most, (value) => weight * normalizedAffinityScore(value, least, most));
}

/** Adds what `score` makes of raw scores, which are whole numbers from `least` to `most`; nothing to those that are none. */
export function addByRaw({ count, totals, raw }: Omit<ScoredNodes, 'slots'>, least: number, most: number, score: (value: number) => number): void {
  const range = most - least + 1;
  if (range > tableMax) {
    for (let index = 0; index < count; index++) {
      const value = floatAt(raw, index);
      if (!Number.isNaN(value)) totals[index] = floatAt(totals, index) + score(value);
    }
    return;
  }
  const table = new Float64Array(range);
  for (let offset = 0; offset < range; offset++) table[offset] = score(least + offset);
  for (let index = 0; index < count; index++) {
    const offset = floatAt(raw, index) - least;
    if (!Number.isNaN(offset)) totals[index] = floatAt(totals, index) + floatAt(table, offset);
  }
}

/** Scores of this many different numbers are computed beforehand: most often there are more nodes than that. */
const tableMax = 1024;

/** What likings of the same topology key come to together, by domain. */
function sumsByKey(likings: readonly LikingColumn[]): ReadonlyMap<DomainColumn, Float64Array> {
  const byKey = new Map<DomainColumn, Float64Array>();
  for (const { counted: { domains, sums }, weight } of likings) {
    const known = byKey.get(domains) ?? new Float64Array(domains.size);
    for (let domain = 0; domain < domains.size; domain++) known[domain] = floatAt(known, domain) + weight * intAt(sums, domain);
    byKey.set(domains, known);
  }
  return byKey;
}
