// The message of a pod that fits no node, as shown in its condition and Event: the number of nodes, the number per
// reason, and the result of preemption. As pkg/scheduler/framework/types.go, FitError.

/** The result of a failed attempt to place a pod. */
export interface FitFailure {
  /** The number of nodes; 1 where a plugin rejected the chosen node at Reserve or Permit. */
  readonly nodeCount: number;
  /** The message of a PreFilter rejection, which replaces the reasons of nodes. */
  readonly preFilterMessage?: string;
  /** The number of nodes by reason; a node counts once per reason. */
  readonly reasons?: ReadonlyMap<string, number>;
  /** Nodes that were not evaluated, and why. */
  readonly others?: { readonly count: number; readonly reasons: readonly string[] };
  /** The messages of PostFilter plugins, joined by `, `. */
  readonly postFilterMessage?: string;
}

/** Returns the message. Reasons are sorted as strings with their counts, so `10 …` precedes `2 …`. */
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
