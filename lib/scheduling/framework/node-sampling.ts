// How many nodes are enough. By default all are looked at and the best one wins. A profile may say that fewer will do,
// a percentage of those that fit, or leave it to the size of the cluster as Kubernetes does: then the search begins
// where the last one ended and goes round. As pkg/scheduler/schedule_one.go, numFeasibleNodesToFind.

/** Where searches begin; shared by all profiles. */
export interface NodeRotation {
  start: number;
}

/** Beginning with the first node. */
export function nodeRotation(): NodeRotation {
  return { start: 0 };
}

/** How many nodes that fit are looked for among so many. A percentage of 0 leaves it to their number. */
export function nodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < enough) return nodeCount;
  const share = percentage === 0 ? Math.max(leastPercentage, 50 - Math.trunc(nodeCount / 125)) : percentage;
  return Math.max(enough, Math.trunc((nodeCount * share) / 100));
}

const enough = 100;
const leastPercentage = 5;
