// The scores of groups of nodes. What their nodes score by themselves is there already; the rest needs the highest or
// the least over all groups that come into question. A plugin that would give all nodes the same is left out: only
// differences decide.
import type { Random } from '../../core/index.js';
import { normalizedAffinityScore } from '../plugins/inter-pod-affinity/affinity-arithmetic.js';
import type { LikingColumn } from './affinity-columns.js';
import { floatAt, intAt } from './column-element.js';
import { passingGroups } from './domain-check.js';
import type { DomainCheck } from './domain-check.js';
import { noDomain } from './domain-column.js';
import type { ShareColumn } from './node-class.js';
import type { NodeGroups } from './node-groups.js';

/** Groups to score, and what they have so far. */
export interface ScoredGroups {
  readonly groups: NodeGroups;
  /** The numbers of those that come into question. */
  readonly among: readonly number[];
  /** How many nodes of each group do. */
  readonly sizes: Int32Array;
  /** By group; lower than any score for those that do not. */
  readonly totals: Float64Array;
}

/** Groups with all their nodes, but a few. */
export interface WholeGroups extends ScoredGroups {
  /** The slots of nodes that do not come into question, though their group does. */
  readonly without: readonly number[];
}

/** The groups whose nodes fit by themselves and pass the checks, with all their nodes but those of some slots. */
export function groupsThatPass(
  groups: NodeGroups,
  checks: readonly DomainCheck[],
  without: readonly number[],
): WholeGroups {
  let among: readonly number[] = groups.occupied();
  for (const check of checks) among = passingGroups(groups, among, check);
  const totals = noTotals(groups);
  if (without.length === 0) return { groups, among, sizes: groups.sizes, totals, without };
  const sizes = groups.sizes.slice();
  for (const slot of without) {
    const group = intAt(groups.groupOf, slot);
    sizes[group] = intAt(sizes, group) - 1;
  }
  return { groups, among: among.filter((group) => intAt(sizes, group) > 0), sizes, totals, without };
}

/** The groups of some nodes, by slot. */
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
    totals: noTotals(groups),
  };
}

/** How many nodes come into question. */
export function nodesIn({ among, sizes }: Pick<ScoredGroups, 'among' | 'sizes'>): number {
  let count = 0;
  for (const group of among) count += intAt(sizes, group);
  return count;
}

/** The totals of some nodes, by slot. */
export function nodeTotals({ groups: { groupOf }, totals }: ScoredGroups, slots: Int32Array): Float64Array {
  const ofNodes = new Float64Array(slots.length);
  for (let index = 0; index < slots.length; index++)
    ofNodes[index] = floatAt(totals, intAt(groupOf, intAt(slots, index)));
  return ofNodes;
}

/** The slot of a node of the highest total; one of them by chance where several are equal, as `chooseBest` has it. */
export function chooseInOrder(
  { groups, among, sizes, totals, without }: WholeGroups,
  start: number,
  random: Random,
): number {
  let best = -Infinity;
  for (const group of among) best = Math.max(best, floatAt(totals, group));
  const equal = among.filter((group) => floatAt(totals, group) === best);
  const ties = nodesIn({ among: equal, sizes });
  return groups.nodeAfter(ties > 1 ? random.integer(ties) : 0, equal, { start, without });
}

/** The place of the highest total among nodes; by chance likewise. */
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

/** Begins with what nodes score by themselves. */
export function setRanks({ groups, among, totals }: ScoredGroups): void {
  for (const group of among) totals[group] = floatAt(groups.ranks, group);
}

/** Adds what becomes a score by its share of the highest. */
export function addShares({ groups, among, totals }: ScoredGroups, column: ShareColumn): void {
  const counts = groups.valuesOf(column);
  let highest = 0;
  for (const group of among) highest = Math.max(highest, floatAt(counts, group));
  if (highest === 0) return;
  for (const group of among)
    totals[group] = floatAt(totals, group) + column.weight * column.share(floatAt(counts, group), highest);
}

/** Adds what pods in the domains of nodes count for. */
export function addLikings(
  { groups, among, totals }: ScoredGroups,
  likings: readonly LikingColumn[],
  weight: number,
): void {
  if (likings.length === 0) return;
  const columns = likings.map(({ counted, weight: each }) => ({ sumOf: counted.sumsOf(groups), weight: each }));
  const rawOf = (group: number): number =>
    columns.reduce((raw, { sumOf, weight: each }) => raw + each * sumOrNone(sumOf(group)), 0);
  const raw = among.map(rawOf);
  const { least, most } = rangeOf(raw);
  if (most === least) return;
  for (const [index, group] of among.entries())
    totals[group] = floatAt(totals, group) + weight * normalizedAffinityScore(raw[index] ?? 0, least, most);
}

/** The least and the most of some numbers. */
export function rangeOf(numbers: readonly number[]): { readonly least: number; readonly most: number } {
  let least = Infinity;
  let most = -Infinity;
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > most) most = number;
  }
  return { least, most };
}

function noTotals({ end }: NodeGroups): Float64Array {
  return new Float64Array(end).fill(-Infinity);
}

function sumOrNone(sum: number): number {
  return sum === noDomain ? 0 : sum;
}
