// The conditions of a terminating namespace: five, each True where something is in the way and False otherwise. Pure:
// the outcome of a round goes in, conditions come out. As pkg/controller/namespace/deletion/status_condition_utils.go.
import { printTime } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { NamespaceCondition } from '../../core/types/index.js';

/** What one round of deletion found. */
export interface DeletionRound {
  /** Why not all resources are known; absent if they are. */
  readonly discoveryFailure?: string;
  /** The messages of resources whose objects could not be deleted. */
  readonly contentFailures: readonly string[];
  /** What is left after the round; absent while the round ended early because pods are left. */
  readonly remaining?: RemainingContent;
}

/** The objects that are left, counted. */
export interface RemainingContent {
  /** By resource, as `configmaps.` and `deployments.apps`. */
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

/** Returns the conditions after a round; the same array if none has changed. Conditions of other writers stay. */
export function deletionConditions(
  current: readonly Frozen<NamespaceCondition>[],
  round: DeletionRound,
  nowMs: number,
): readonly Frozen<NamespaceCondition>[] {
  const problems = problemsOf(round);
  let conditions = current;
  for (const [type, { reason: okReason, message: okMessage }] of Object.entries(withoutProblem)) {
    const problem = problems.get(type);
    const status = problem === undefined ? 'False' : 'True';
    const { reason, message } = problem ?? { reason: okReason, message: okMessage };
    const index = conditions.findIndex((each) => each.type === type);
    const old = conditions[index];
    if (old?.status === status && old.reason === reason && old.message === message) continue;
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : printTime(nowMs);
    const changed: Frozen<NamespaceCondition> = {
      type,
      status,
      ...(lastTransitionTime !== undefined && { lastTransitionTime }),
      reason,
      message,
    };
    conditions = old === undefined ? [...conditions, changed] : conditions.with(index, changed);
  }
  return conditions;
}

interface Explanation {
  readonly reason: string;
  readonly message: string;
}

/** In the order in which they are added. */
const withoutProblem: Readonly<Record<string, Explanation>> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  // Resources come parsed from discovery here, so that this one never fails.
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};

function problemsOf({ discoveryFailure, contentFailures, remaining }: DeletionRound): Map<string, Explanation> {
  const problems = new Map<string, Explanation>();
  if (discoveryFailure !== undefined)
    problems.set('NamespaceDeletionDiscoveryFailure', { reason: 'DiscoveryFailed', message: discoveryFailure });
  if (contentFailures.length > 0) {
    const message = `Failed to delete all resource types, ${contentFailures.length} remaining: ${contentFailures.toSorted().join(', ')}`;
    problems.set('NamespaceDeletionContentFailure', { reason: 'ContentDeletionFailed', message });
  }
  if (remaining !== undefined && remaining.resources.size > 0) {
    const texts = Array.from(remaining.resources, ([resource, count]) => `${resource} has ${count} resource instances`);
    const message = `Some resources are remaining: ${texts.toSorted().join(', ')}`;
    problems.set('NamespaceContentRemaining', { reason: 'SomeResourcesRemain', message });
  }
  if (remaining !== undefined && remaining.finalizers.size > 0) {
    const texts = Array.from(
      remaining.finalizers,
      ([finalizer, count]) => `${finalizer} in ${count} resource instances`,
    );
    const message = `Some content in the namespace has finalizers remaining: ${texts.toSorted().join(', ')}`;
    problems.set('NamespaceFinalizersRemaining', { reason: 'SomeFinalizersRemain', message });
  }
  return problems;
}
