// How many feasible nodes a search stops at. Default: every node is evaluated. A profile may configure a percentage, or
// 0 for Kubernetes' formula by cluster size; each search then starts at the node where the previous one ended. As
// pkg/scheduler/schedule_one.go, numFeasibleNodesToFind.

/** The node at which the next search starts. Shared by all profiles. */
export interface NodeRotation {
  start: number;
}

/** Creates a rotation that starts at the first node. */
export function nodeRotation(): NodeRotation {
  return { start: 0 };
}

/** Returns how many feasible nodes to find among `nodeCount`. A percentage of 0 uses the formula by cluster size. */
export function nodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < minFeasibleNodes) return nodeCount;
  const share = percentage === 0 ? Math.max(minPercentage, 50 - Math.trunc(nodeCount / 125)) : percentage;
  return Math.max(minFeasibleNodes, Math.trunc((nodeCount * share) / 100));
}

const minFeasibleNodes = 100;
const minPercentage = 5;
