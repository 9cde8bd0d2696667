// The nodes on which room could be made, and the best of them. Not all are tried: beginning anywhere, until there are
// enough candidates and one of them respects all budgets. As pkg/scheduler/framework/preemption, DryRunPreemption and
// pickOneNodeForPreemption.
import { errorText } from '../../core/index.js';
import type { NodeView } from '../cluster/node-view.js';
import type { Rejection } from '../framework/rejection.js';
import { startedAt } from './importance.js';
import type { Victims } from './victims.js';

/** A node, and who would have to leave it. Made by `candidateOf`. */
export interface Candidate {
  readonly node: NodeView;
  readonly victims: Victims;
  readonly harm: Harm;
}

/** What a choice is judged by, in this order: less is better, but for the last, where more is. */
export interface Harm {
  readonly violations: number;
  readonly highestPriority: number;
  readonly priorities: number;
  readonly count: number;
  /** When the first of the most important ones started. */
  readonly earliestStart: number;
}

/** What trying came to. */
export interface CandidateSearch {
  /** The slots of those that help; those that respect all budgets first. */
  readonly slots: Int32Array;
  /** Why no node helps, where none does. */
  readonly rejections: readonly Rejection[];
}

/** Who would have to leave each node, found out when it is asked for. */
export interface PossibleCandidates {
  /** 1 for slots that are known not to help: most of them, where many have been promised room before. */
  readonly ruledOut: Uint8Array;
  at(slot: number): Candidate | Rejection;
  /**
   * The harm of the candidate at a slot, most often the same object for all that do the same; undefined where there is
   * none.
   */
  harmAt(slot: number): Harm | undefined;
}

/** How many nodes are tried. */
export interface CandidateLimits {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

/** Tries nodes, by slot, from an offset on. What goes wrong on one node is told unless another helps. */
export function findCandidates(
  slots: Int32Array,
  offset: number,
  limits: CandidateLimits,
  possible: PossibleCandidates,
): CandidateSearch {
  const wanted = candidatesWanted(slots.length, limits);
  const respectful = new Int32Array(wanted);
  const violating: number[] = [];
  let count = 0;
  const { ruledOut } = possible;
  const errors: unknown[] = [];
  for (let step = 0, at = offset; step < slots.length; step++, at = at + 1 === slots.length ? 0 : at + 1) {
    const slot = slots[at] ?? 0;
    if (ruledOut[slot] === 1) continue;
    if (count > 0 && count + violating.length >= wanted) break;
    try {
      const harm = possible.harmAt(slot);
      if (harm?.violations === 0) respectful[count++] = slot;
      else if (harm !== undefined && violating.length < wanted) violating.push(slot);
    } catch (error) {
      errors.push(error);
    }
  }
  const found = respectful.subarray(0, count);
  const all = violating.length === 0 ? found : Int32Array.from([...found, ...violating]);
  if (all.length === 0 && errors.length > 0) throw together(errors);
  return { slots: all, rejections: all.length > 0 ? [] : rejectionsAt(slots, possible) };
}

/** One error for all: the same words are said once. */
function together(errors: readonly unknown[]): unknown {
  const texts = [...new Set(errors.map(errorText))];
  return texts.length === 1 ? errors[0] : new Error(`[${texts.join(', ')}]`, { cause: errors[0] });
}

function rejectionsAt(slots: Int32Array, possible: PossibleCandidates): readonly Rejection[] {
  return Array.from(slots).flatMap((slot) => {
    const found = possible.at(slot);
    return isCandidate(found) ? [] : [found];
  });
}

/** How many candidates are enough among so many nodes. */
export function candidatesWanted(
  nodeCount: number,
  { minCandidateNodesPercentage, minCandidateNodesAbsolute }: CandidateLimits,
): number {
  return Math.min(
    nodeCount,
    Math.max(Math.trunc((nodeCount * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute),
  );
}

/** The one that hurts least, of whatever does harm; the first of equals. */
export function leastHarm<T>(harmful: Iterable<T>, harmOf: (each: T) => Harm | undefined): T | undefined {
  let best: T | undefined;
  let least: Harm | undefined;
  for (const each of harmful) {
    const harm = harmOf(each);
    if (harm === undefined || harm === least || (least !== undefined && compareHarm(harm, least) >= 0)) continue;
    best = each;
    least = harm;
  }
  return best;
}

/** A node with its victims, weighed once: many preemptors compare the same ones. */
export function candidateOf(node: NodeView, victims: Victims): Candidate {
  return { node, victims, harm: harmOf(victims) };
}

/** Whether there is somebody to leave. */
export function isCandidate(found: Candidate | Rejection): found is Candidate {
  return 'victims' in found;
}

function compareHarm(one: Harm, other: Harm): number {
  return (
    one.violations - other.violations ||
    one.highestPriority - other.highestPriority ||
    one.priorities - other.priorities ||
    one.count - other.count ||
    (one.earliestStart === other.earliestStart ? 0 : other.earliestStart - one.earliestStart)
  );
}

function harmOf({ pods, violations }: Victims): Harm {
  const highestPriority = pods[0]?.priority ?? 0;
  const mostImportant = pods.filter(({ priority }) => priority === highestPriority);
  return {
    violations,
    highestPriority,
    // Every pod counts for something, also one of negative priority.
    priorities: pods.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    count: pods.length,
    earliestStart: Math.min(...mostImportant.map(startedAt)),
  };
}
