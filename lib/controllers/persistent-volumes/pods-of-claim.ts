// The pods that use a claim. As findPodsByPVCKey in pv_controller.go and pkg/controller/volume/common.
import type { Stored } from '../../client/index.js';
import { claimKey, volumeClaims } from '../../core/index.js';
import type { FrozenClaim, Snapshot } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** The claims that a pod uses, for an index: `namespace/name`. */
export function claimsOfPod(pod: Stored<Pod>): readonly string[] {
  return volumeClaims(pod).map(({ claim }) => `${pod.metadata.namespace ?? ''}/${claim}`);
}

/** The names of the pods that use a claim and wait for a node. */
export function unscheduledPodsOf(claim: FrozenClaim, pods: Snapshot<Stored<Pod>, 'claim'>): readonly string[] {
  return pods
    .by('claim', claimKey(claim))
    .flatMap((pod) => (isOver(pod) || (pod.spec?.nodeName ?? '') !== '' ? [] : [pod.metadata.name]));
}

/** Whether nothing of a pod runs any more, or ever will. As pkg/volume/util, IsPodTerminated. */
function isOver({ metadata, status }: Stored<Pod>): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  return (
    metadata.deletionTimestamp !== undefined &&
    (status?.containerStatuses ?? []).every(
      ({ state }) => state?.terminated !== undefined || state?.waiting !== undefined,
    )
  );
}
