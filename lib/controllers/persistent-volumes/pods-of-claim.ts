// The pods that use a claim. As findPodsByPVCKey in pv_controller.go and pkg/controller/volume/common.
import type { Stored } from '../../client/index.js';
import { claimKey, volumeClaims } from '../../core/index.js';
import type { FrozenClaim, Snapshot } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/** Returns the claims that a pod uses as `namespace/name`, for an index. */
export function claimsOfPod(pod: Stored<Pod>): readonly string[] {
  return volumeClaims(pod).map(({ claim }) => `${pod.metadata.namespace ?? ''}/${claim}`);
}

/** Returns the names of unscheduled pods that use a claim. */
export function unscheduledPodsOf(claim: FrozenClaim, pods: Snapshot<Stored<Pod>, 'claim'>): readonly string[] {
  return pods
    .by('claim', claimKey(claim))
    .flatMap((pod) => (isTerminated(pod) || (pod.spec?.nodeName ?? '') !== '' ? [] : [pod.metadata.name]));
}

/** Returns whether a pod has terminated. As pkg/volume/util, IsPodTerminated. */
function isTerminated({ metadata, status }: Stored<Pod>): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  return (
    metadata.deletionTimestamp !== undefined &&
    (status?.containerStatuses ?? []).every(
      ({ state }) => state?.terminated !== undefined || state?.waiting !== undefined,
    )
  );
}
