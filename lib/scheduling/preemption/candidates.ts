// Finds candidate nodes for preemption and picks the best one. Nodes are tried from a random offset until there are
// enough candidates and one of them violates no disruption budget. As pkg/scheduler/framework/preemption,
// DryRunPreemption and pickOneNodeForPreemption.
import { errorText } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Rejection } from '../framework/rejection.js';
import { startedAt } from './victims.js';
import type { Victims } from './victims.js';

/** A node and its victims. Created by `candidateOf`. */
export interface Candidate {
  readonly node: NodeView;
  readonly victims: Victims;
  readonly cost: PreemptionCost;
}

/** Criteria for picking a candidate, in this order. Lower is better, except for `earliestStart`. */
export interface PreemptionCost {
  readonly violations: number;
  readonly highestPriority: number;
  readonly priorities: number;
  readonly count: number;
  /** The earliest start time among the victims of the highest priority. */
  readonly earliestStart: number;
}

/** The result of trying nodes. */
export interface CandidateSearch {
  /** Slots of candidates; those that violate no budget first. */
  readonly slots: Int32Array;
  /** Why preemption does not help on any node; empty if there are candidates. */
  readonly rejections: readonly Rejection[];
}

/** Candidates by slot, computed on demand. */
export interface PossibleCandidates {
  /** 1 for slots where preemption is known not to help. With many nominated pods, that is most slots. */
  readonly ruledOut: Uint8Array;
  at(slot: number): Candidate | Rejection;
  /** The cost of the candidate at a slot; undefined if there is none. Equal costs are usually the same object. */
  costAt(slot: number): PreemptionCost | undefined;
}

/** How many candidates are searched for. */
export interface CandidateLimits {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

/** Tries nodes from an offset. Errors on single nodes are thrown only if there is no candidate. */
export function findCandidates(
  slots: Int32Array,
  offset: number,
  limits: CandidateLimits,
  possible: PossibleCandidates,
): CandidateSearch {
  const enough = candidatesWanted(slots.length, limits);
  const withoutViolations = new Int32Array(enough);
  const violating: number[] = [];
  let count = 0;
  const { ruledOut } = possible;
  const errors: unknown[] = [];
  for (let step = 0, at = offset; step < slots.length; step++, at = at + 1 === slots.length ? 0 : at + 1) {
    const slot = slots[at] ?? 0;
    if (ruledOut[slot] === 1) continue;
    if (count > 0 && count + violating.length >= enough) break;
    try {
      const cost = possible.costAt(slot);
      if (cost?.violations === 0) withoutViolations[count++] = slot;
      else if (cost !== undefined && violating.length < enough) violating.push(slot);
    } catch (error) {
      errors.push(error);
    }
  }
  const found = withoutViolations.subarray(0, count);
  const all = violating.length === 0 ? found : Int32Array.from([...found, ...violating]);
  if (all.length === 0 && errors.length > 0) throw combineErrors(errors);
  return { slots: all, rejections: all.length > 0 ? [] : rejectionsAt(slots, possible) };
}

/** Combines errors into one; equal messages occur once. */
function combineErrors(errors: readonly unknown[]): unknown {
  const texts = [...new Set(errors.map(errorText))];
  return texts.length === 1 ? errors[0] : new Error(`[${texts.join(', ')}]`, { cause: errors[0] });
}

function rejectionsAt(slots: Int32Array, possible: PossibleCandidates): readonly Rejection[] {
  return Array.from(slots).flatMap((slot) => {
    const found = possible.at(slot);
    return isCandidate(found) ? [] : [found];
  });
}

/** Returns how many candidates are enough for a number of nodes. */
export function candidatesWanted(
  nodeCount: number,
  { minCandidateNodesPercentage, minCandidateNodesAbsolute }: CandidateLimits,
): number {
  return Math.min(
    nodeCount,
    Math.max(Math.trunc((nodeCount * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute),
  );
}

/** Returns the item with the lowest cost; the first of equals. */
export function lowestCost<T>(items: Iterable<T>, costFor: (each: T) => PreemptionCost | undefined): T | undefined {
  let best: T | undefined;
  let lowest: PreemptionCost | undefined;
  for (const each of items) {
    const cost = costFor(each);
    if (cost === undefined || cost === lowest || (lowest !== undefined && compareCosts(cost, lowest) >= 0)) continue;
    best = each;
    lowest = cost;
  }
  return best;
}

/** Creates a candidate and computes its cost, which many preemptors compare. */
export function candidateOf(node: NodeView, victims: Victims): Candidate {
  return { node, victims, cost: costOf(victims) };
}

/** Whether there are victims. */
export function isCandidate(found: Candidate | Rejection): found is Candidate {
  return 'victims' in found;
}

function compareCosts(one: PreemptionCost, other: PreemptionCost): number {
  return (
    one.violations - other.violations ||
    one.highestPriority - other.highestPriority ||
    one.priorities - other.priorities ||
    one.count - other.count ||
    (one.earliestStart === other.earliestStart ? 0 : other.earliestStart - one.earliestStart)
  );
}

function costOf({ pods, violations }: Victims): PreemptionCost {
  const highestPriority = pods[0]?.priority ?? 0;
  const mostImportant = pods.filter(({ priority }) => priority === highestPriority);
  return {
    violations,
    highestPriority,
    // The offset makes every pod count, also with a negative priority.
    priorities: pods.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    count: pods.length,
    earliestStart: Math.min(...mostImportant.map(startedAt)),
  };
}
