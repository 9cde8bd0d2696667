// Why a pod fits no node, as the user reads it in the condition and the event: how many nodes there are, how many of
// them each reason kept away, and what preemption found. As pkg/scheduler/framework/types.go, FitError.

/** What one attempt to place a pod found. */
export interface FitFailure {
  /** Nodes of the cluster; 1 where a node had been chosen and was refused later. */
  readonly nodeCount: number;
  /** Why the pod was refused before any node was looked at. The reasons of nodes are left out then. */
  readonly preFilterMessage?: string;
  /** How many nodes each reason kept away; a node with several reasons counts for each. */
  readonly reasons?: ReadonlyMap<string, number>;
  /** Why the other nodes were not looked at, and how many they are. */
  readonly others?: { readonly count: number; readonly reasons: readonly string[] };
  /** What those who could make room said, joined by `, `. */
  readonly postFilterMessage?: string;
}

/** The text of a failure. Reasons are sorted with their counts as texts, so ten of one stand before two of another. */
export function fitErrorText({
  nodeCount,
  preFilterMessage = '',
  reasons = noReasons,
  others,
  postFilterMessage = '',
}: FitFailure): string {
  const found = preFilterMessage === '' ? countedReasons(reasons, others) : preFilterMessage;
  const after = postFilterMessage === '' ? '' : ` ${postFilterMessage}`;
  return `0/${nodeCount} nodes are available:${found === '' ? '' : ` ${found}.`}${after}`;
}

function countedReasons(reasons: ReadonlyMap<string, number>, others: FitFailure['others']): string {
  const counts = new Map(reasons);
  if (others !== undefined && others.count > 0) {
    for (const reason of others.reasons) counts.set(reason, (counts.get(reason) ?? 0) + others.count);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

const noReasons: ReadonlyMap<string, number> = new Map();
