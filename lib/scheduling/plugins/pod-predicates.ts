// Predicates about pods of events, shared by the queueing hints of several plugins.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** Returns whether the pod of an event is the pending pod itself. */
export function isSamePod(pod: PodFacts, changed: Frozen<Pod> | undefined): boolean {
  return changed?.metadata?.uid === pod.uid;
}

/** Returns whether a pod is assigned or nominated to a node. */
export function isAssignedOrNominated(pod: Frozen<Pod> | undefined): boolean {
  return isNamed(pod?.spec?.nodeName) || isNamed(pod?.status?.nominatedNodeName);
}

function isNamed(nodeName: string | undefined): boolean {
  return nodeName !== undefined && nodeName !== '';
}
