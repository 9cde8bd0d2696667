// Fields behind feature gates that are off in v1.36: as if nobody had written them. Storage never has them, so that it
// does not matter what was there before. As pkg/api/pod/util.go, DropDisabledPodFields and DropDisabledTemplateFields.
import type { PodSpec, PodStatus } from '../../types/core-v1.generated.js';

/** Removes them from the specification of a pod or a template. In place. */
export function dropDisabledSpecFields(spec: PodSpec): void {
  if (spec.schedulingGroup !== undefined) delete spec.schedulingGroup;
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      if (source.clusterTrustBundle !== undefined) delete source.clusterTrustBundle;
      if (source.podCertificate !== undefined) delete source.podCertificate;
    }
  }
  const loose: Partial<PodSpec> = spec;
  for (const containers of [spec.initContainers, loose.containers, spec.ephemeralContainers]) {
    for (const container of containers ?? []) {
      if (container.lifecycle?.stopSignal === undefined) continue;
      delete container.lifecycle.stopSignal;
      if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
    }
  }
}

/** Removes them from the status of a pod. In place. */
export function dropDisabledStatusFields(status: PodStatus): void {
  if (status.nodeAllocatableResourceClaimStatuses !== undefined) delete status.nodeAllocatableResourceClaimStatuses;
  for (const list of [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses]) {
    for (const { volumeMounts } of list ?? []) {
      for (const mount of volumeMounts ?? []) {
        if (mount.volumeStatus !== undefined) delete mount.volumeStatus;
      }
    }
  }
}
