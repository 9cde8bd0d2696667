// The nodes on which room could be made, and the best of them. Not all are tried: beginning anywhere, until there are enough
// candidates and one of them respects all budgets. As pkg/scheduler/framework/preemption, DryRunPreemption and
// pickOneNodeForPreemption.
import type { NodeView } from '../cluster/node-view.js';
import type { Rejection } from '../framework/rejection.js';
import { startedAt } from './importance.js';
import { areVictims } from './victims.js';
import type { Victims } from './victims.js';

/** A node, and who would have to leave it. */
export interface Candidate {
  readonly node: NodeView;
  readonly victims: Victims;
}

/** What trying came to. */
export interface CandidateSearch {
  /** Those that respect all budgets first. */
  readonly candidates: readonly Candidate[];
  /** Why the other nodes that were tried do not help. */
  readonly rejections: readonly Rejection[];
}

/** How many nodes are tried. */
export interface CandidateLimits {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

/** Tries nodes from an offset on. What goes wrong on one node is told unless another helps. */
export function findCandidates(nodes: readonly NodeView[], offset: number, limits: CandidateLimits, victimsOn: (node: NodeView) => Victims | Rejection): CandidateSearch {
  const wanted = candidatesWanted(nodes.length, limits);
  const respectful: Candidate[] = [];
  const violating: Candidate[] = [];
  const rejections: Rejection[] = [];
  const errors: unknown[] = [];
  for (let step = 0; step < nodes.length && !(respectful.length > 0 && respectful.length + violating.length >= wanted); step++) {
    const node = nodes[(offset + step) % nodes.length];
    if (node === undefined) break;
    try {
      const found = victimsOn(node);
      if (!areVictims(found)) rejections.push(found);
      else if (found.violations === 0) respectful.push({ node, victims: found });
      else if (violating.length < wanted) violating.push({ node, victims: found });
    } catch (error) {
      errors.push(error);
    }
  }
  const candidates = [...respectful, ...violating];
  if (candidates.length === 0 && errors.length > 0) throw errors[0];
  return { candidates, rejections };
}

/** How many candidates are enough among so many nodes. */
export function candidatesWanted(nodeCount: number, { minCandidateNodesPercentage, minCandidateNodesAbsolute }: CandidateLimits): number {
  return Math.min(nodeCount, Math.max(Math.trunc((nodeCount * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute));
}

/** The candidate that hurts least; the first of equals. */
export function leastHarm(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  let least: Harm | undefined;
  for (const candidate of candidates) {
    const harm = harmOf(candidate.victims);
    if (least === undefined || compareHarm(harm, least) < 0) [best, least] = [candidate, harm];
  }
  return best;
}

/** What a choice is judged by, in this order: less is better, but for the last, where more is. */
interface Harm {
  readonly violations: number;
  readonly highestPriority: number;
  readonly priorities: number;
  readonly count: number;
  /** When the first of the most important ones started. */
  readonly earliestStart: number;
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

/** Kept per victims: many preemptors compare the same ones. */
function harmOf(victims: Victims): Harm {
  const known = harms.get(victims);
  if (known !== undefined) return known;
  const { pods, violations } = victims;
  const highestPriority = pods[0]?.priority ?? 0;
  const mostImportant = pods.filter(({ priority }) => priority === highestPriority);
  const harm = {
    violations,
    highestPriority,
    // Every pod counts for something, also one of negative priority.
    priorities: pods.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    count: pods.length,
    earliestStart: Math.min(...mostImportant.map(startedAt)),
  };
  harms.set(victims, harm);
  return harm;
}

const harms = new WeakMap<Victims, Harm>();
