// Which nodes and pods count for a spread constraint. Terminating pods and pods of other namespaces do not count, nor
// does any pod for a constraint that selects everything. As the plugin PodTopologySpread, common.go.
import { matchesLabels, matchesRequired, untoleratedTaint } from '../../../core/index.js';
import type { NodeView } from '../../cluster/node-view.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';

/** Returns whether the inclusion policies of a constraint of `pod` include a node. */
export function isNodeIncluded(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { requiredNodes, tolerations }: PodFacts,
  node: NodeView,
): boolean {
  if (honorsAffinity && requiredNodes !== undefined && !matchesRequired(requiredNodes, node.labels, node.name))
    return false;
  return !honorsTaints || untoleratedTaint(node.taints, tolerations) === undefined;
}

/** Returns whether a pod on a node counts for a constraint of a pod in `namespace`. */
export function isPodCounted({ selector }: SpreadConstraint, namespace: string, pod: PodFacts): boolean {
  return (
    selector.requirements.length > 0 &&
    !pod.terminating &&
    pod.namespace === namespace &&
    matchesLabels(selector, pod.labels)
  );
}

/** Returns the number of pods on a node that count for a constraint of a pod in `namespace`. */
export function countPodsOn(node: NodeView, constraint: SpreadConstraint, namespace: string): number {
  if (constraint.selector.requirements.length === 0) return 0;
  let count = 0;
  for (const pod of node.pods) if (isPodCounted(constraint, namespace, pod)) count += 1;
  return count;
}
