// Who counts when pods are spread: which nodes take part for a constraint, and which pods on them. Terminating pods and
// those of other namespaces do not count, nor does any pod for a constraint that selects everything.
// As the plugin PodTopologySpread, common.go.
import { matchesLabels } from '../../../core/index.js';
import type { NodeView } from '../../cluster/node-view.js';
import { matchesRequired } from '../../pod/node-affinity.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import { untoleratedTaint } from '../../pod/tolerations.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';

/** Whether the inclusion policies of a constraint of `pod` let a node take part. */
export function takesPart(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { requiredNodes, tolerations }: PodFacts,
  node: NodeView,
): boolean {
  if (honorsAffinity && requiredNodes !== undefined && !matchesRequired(requiredNodes, node.labels, node.name))
    return false;
  return !honorsTaints || untoleratedTaint(node.taints, tolerations) === undefined;
}

/** Whether a pod on a node counts for a constraint of a pod in `namespace`. */
export function countsFor({ selector }: SpreadConstraint, namespace: string, pod: PodFacts): boolean {
  return (
    selector.requirements.length > 0 &&
    !pod.terminating &&
    pod.namespace === namespace &&
    matchesLabels(selector, pod.labels)
  );
}

/** How many pods on a node count for a constraint of a pod in `namespace`. */
export function countOn(node: NodeView, constraint: SpreadConstraint, namespace: string): number {
  if (constraint.selector.requirements.length === 0) return 0;
  let count = 0;
  for (const pod of node.pods) if (countsFor(constraint, namespace, pod)) count += 1;
  return count;
}
