// Scores groups of nodes. Node-local scores are cached; the others are normalised by the highest or lowest value among
// the feasible groups. A plugin that would score all groups equally is skipped, since only differences decide.
import type { Random } from '../../core/index.js';
import { normalizedAffinityScore } from '../plugins/inter-pod-affinity/affinity-score.js';
import type { PreferenceColumn } from './affinity-columns.js';
import { floatAt, intAt } from './column-arrays.js';
import { passingGroups } from './topology-pair-counts.js';
import type { DomainCheck } from './topology-pair-counts.js';
import { noDomain } from './domain-column.js';
import type { RawScoreColumn } from './pod-class-columns.js';
import type { NodeGroups } from './node-groups.js';

/** Groups to score, and their totals so far. */
export interface ScoredGroups {
  readonly groups: NodeGroups;
  /** The feasible groups. */
  readonly among: readonly number[];
  /** Number of feasible nodes per group. */
  readonly sizes: Int32Array;
  /** Total per group; -Infinity for infeasible groups. */
  readonly totals: Float64Array;
}

/** Groups of which all nodes are feasible except `excluded`. */
export interface FeasibleGroups extends ScoredGroups {
  /** Slots of infeasible nodes in feasible groups. */
  readonly excluded: readonly number[];
}

/** Returns the groups that pass the cached filters and the checks, without the nodes in `excluded`. */
export function feasibleGroups(
  groups: NodeGroups,
  checks: readonly DomainCheck[],
  excluded: readonly number[],
): FeasibleGroups {
  let among: readonly number[] = groups.occupied();
  for (const check of checks) among = passingGroups(groups, among, check);
  const totals = infeasibleTotals(groups);
  if (excluded.length === 0) return { groups, among, sizes: groups.sizes, totals, excluded };
  const sizes = groups.sizes.slice();
  for (const slot of excluded) {
    const group = intAt(groups.groupOf, slot);
    sizes[group] = intAt(sizes, group) - 1;
  }
  return { groups, among: among.filter((group) => intAt(sizes, group) > 0), sizes, totals, excluded };
}

/** Returns the groups that contain the given slots. */
export function groupsWithNodes(groups: NodeGroups, slots: Int32Array): ScoredGroups {
  const sizes = new Int32Array(groups.end);
  for (const slot of slots) {
    const group = intAt(groups.groupOf, slot);
    sizes[group] = intAt(sizes, group) + 1;
  }
  return {
    groups,
    among: groups.occupied().filter((group) => intAt(sizes, group) > 0),
    sizes,
    totals: infeasibleTotals(groups),
  };
}

/** Returns the number of feasible nodes. */
export function nodeCountOf({ among, sizes }: Pick<ScoredGroups, 'among' | 'sizes'>): number {
  let count = 0;
  for (const group of among) count += intAt(sizes, group);
  return count;
}

/** Returns the total of each slot. */
export function nodeTotals({ groups: { groupOf }, totals }: ScoredGroups, slots: Int32Array): Float64Array {
  const slotTotals = new Float64Array(slots.length);
  for (let index = 0; index < slots.length; index++)
    slotTotals[index] = floatAt(totals, intAt(groupOf, intAt(slots, index)));
  return slotTotals;
}

/** Returns the slot of a node with the highest total. Ties are broken at random, as in `chooseBest`. */
export function chooseFromGroups(
  { groups, among, sizes, totals, excluded }: FeasibleGroups,
  start: number,
  random: Random,
): number {
  let best = -Infinity;
  for (const group of among) best = Math.max(best, floatAt(totals, group));
  const equal = among.filter((group) => floatAt(totals, group) === best);
  const ties = nodeCountOf({ among: equal, sizes });
  return groups.nodeAfter(ties > 1 ? random.integer(ties) : 0, equal, { start, excluded });
}

/** Returns the index of the highest total. Ties are broken at random. */
export function chooseHighest(totals: Float64Array, random: Random): number {
  let best = -Infinity;
  let ties = 0;
  for (let index = 0; index < totals.length; index++) {
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

/** Sets the totals to the node-local scores. */
export function addNodeLocalScores({ groups, among, totals }: ScoredGroups): void {
  for (const group of among) totals[group] = floatAt(groups.ranks, group);
}

/** Adds scores that are scaled by the highest raw score. */
export function addNormalizedScores({ groups, among, totals }: ScoredGroups, column: RawScoreColumn): void {
  const counts = groups.valuesOf(column);
  let highest = 0;
  for (const group of among) highest = Math.max(highest, floatAt(counts, group));
  if (highest === 0) return;
  for (const group of among)
    totals[group] = floatAt(totals, group) + column.weight * column.normalize(floatAt(counts, group), highest);
}

/** Adds the scores of affinity preferences. */
export function addPreferenceScores(
  { groups, among, totals }: ScoredGroups,
  preferences: readonly PreferenceColumn[],
  weight: number,
): void {
  if (preferences.length === 0) return;
  const columns = preferences.map(({ counts, weight: each }) => ({ sumOf: counts.sumsOf(groups), weight: each }));
  const rawOf = (group: number): number =>
    columns.reduce((raw, { sumOf, weight: each }) => raw + each * sumOrZero(sumOf(group)), 0);
  const raw = among.map(rawOf);
  const { least, most } = rangeOf(raw);
  if (most === least) return;
  for (const [index, group] of among.entries())
    totals[group] = floatAt(totals, group) + weight * normalizedAffinityScore(raw[index] ?? 0, least, most);
}

/** Returns the smallest and the largest number. */
export function rangeOf(numbers: readonly number[]): { readonly least: number; readonly most: number } {
  let least = Infinity;
  let most = -Infinity;
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > most) most = number;
  }
  return { least, most };
}

function infeasibleTotals({ end }: NodeGroups): Float64Array {
  return new Float64Array(end).fill(-Infinity);
}

function sumOrZero(sum: number): number {
  return sum === noDomain ? 0 : sum;
}
