// Questions that several plugins ask of what happened to pods, when they judge whether it helps a pod they rejected.
import type { Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** Whether something happened to the pod itself. */
export function isItself(pod: PodFacts, changed: Frozen<Pod> | undefined): boolean {
  return changed?.metadata?.uid === pod.uid;
}

/** Whether a pod took room: on its node, or on the one that it was to come to. */
export function tookRoom(pod: Frozen<Pod> | undefined): boolean {
  return isNamed(pod?.spec?.nodeName) || isNamed(pod?.status?.nominatedNodeName);
}

function isNamed(nodeName: string | undefined): boolean {
  return nodeName !== undefined && nodeName !== '';
}
