// The order in which a Job deletes active pods that it does not need: first those that have done the least. As
// pkg/controller/controller_utils.go, ActivePods.
import { isPodReady, podCondition } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { ContainerStatus, Pod } from '../../core/types/index.js';

/**
 * Compares two active pods: unassigned before assigned, Pending before Unknown before Running, not ready before ready,
 * ready for a shorter time, more restarts, newer.
 */
export function byDeletionOrder(one: Frozen<Pod>, other: Frozen<Pod>): number {
  return (
    Number(isAssigned(one)) - Number(isAssigned(other)) ||
    phaseOrder(one) - phaseOrder(other) ||
    Number(isPodReady(one)) - Number(isPodReady(other)) ||
    laterFirst(readySince(one), readySince(other)) ||
    compareRestarts(one, other) ||
    laterFirst(one.metadata?.creationTimestamp, other.metadata?.creationTimestamp)
  );
}

function isAssigned({ spec }: Frozen<Pod>): boolean {
  return (spec?.nodeName ?? '') !== '';
}

function phaseOrder({ status }: Frozen<Pod>): number {
  if (status?.phase === 'Running') return 2;
  return status?.phase === 'Unknown' ? 1 : 0;
}

function readySince(pod: Frozen<Pod>): string | undefined {
  const ready = podCondition(pod, 'Ready');
  return ready?.status === 'True' ? ready.lastTransitionTime : undefined;
}

/** Times of the API in seconds sort as text. An unknown time comes first. */
function laterFirst(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  if (one === undefined) return -1;
  if (other === undefined) return 1;
  return one > other ? -1 : 1;
}

/** The pod whose containers restarted more often comes first; sidecars decide only between equals. */
function compareRestarts(one: Frozen<Pod>, other: Frozen<Pod>): number {
  return restartsMax(other, false) - restartsMax(one, false) || restartsMax(other, true) - restartsMax(one, true);
}

function restartsMax({ spec, status }: Frozen<Pod>, ofSidecars: boolean): number {
  const most = (statuses: readonly Frozen<ContainerStatus>[]): number =>
    statuses.reduce((max, { restartCount }) => Math.max(max, restartCount), 0);
  if (!ofSidecars) return most(status?.containerStatuses ?? []);
  const isSidecar = (name: string): boolean =>
    spec?.initContainers?.some((container) => container.name === name && container.restartPolicy === 'Always') === true;
  return most((status?.initContainerStatuses ?? []).filter(({ name }) => isSidecar(name)));
}
