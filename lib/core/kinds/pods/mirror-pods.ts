// Mirror pods: the pods that a kubelet creates for its static pods, so that they show in the API. They may name no
// other objects. As podutil.VisitPodSecretNames and VisitPodConfigmapNames of pkg/api/pod/util.go.
import type { Frozen } from '../../objects/meta.js';
import type { Container, EphemeralContainer, Pod } from '../../types/core-v1.generated.js';

/** The annotation that marks them. */
export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';

/** Whether a pod is one. */
export function isMirrorPod({ metadata }: Frozen<Pod>): boolean {
  return Object.hasOwn(metadata?.annotations ?? {}, mirrorPodAnnotation);
}

/** Whether a pod names a Secret anywhere. */
export function namesSecrets({ spec }: Frozen<Pod>): boolean {
  if ((spec?.imagePullSecrets ?? []).length > 0) return true;
  const inVolumes = (spec?.volumes ?? []).some(
    (volume) =>
      volume.azureFile !== undefined ||
      volume.secret !== undefined ||
      volume.cephfs?.secretRef !== undefined ||
      volume.cinder?.secretRef !== undefined ||
      volume.flexVolume?.secretRef !== undefined ||
      volume.rbd?.secretRef !== undefined ||
      volume.scaleIO?.secretRef !== undefined ||
      volume.iscsi?.secretRef !== undefined ||
      volume.storageos?.secretRef !== undefined ||
      volume.csi?.nodePublishSecretRef !== undefined ||
      (volume.projected?.sources ?? []).some(({ secret }) => secret !== undefined),
  );
  return inVolumes || namedInContainers(spec, 'secretRef', 'secretKeyRef');
}

/** Whether a pod names a ConfigMap anywhere. */
export function namesConfigMaps({ spec }: Frozen<Pod>): boolean {
  const inVolumes = (spec?.volumes ?? []).some(
    ({ configMap, projected }) =>
      configMap !== undefined || (projected?.sources ?? []).some((source) => source.configMap !== undefined),
  );
  return inVolumes || namedInContainers(spec, 'configMapRef', 'configMapKeyRef');
}

function namedInContainers(
  spec: Frozen<Pod>['spec'],
  reference: 'secretRef' | 'configMapRef',
  keyReference: 'secretKeyRef' | 'configMapKeyRef',
): boolean {
  const containers: readonly (Frozen<Container> | Frozen<EphemeralContainer>)[] = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  return containers.some(
    ({ env = [], envFrom = [] }) =>
      envFrom.some((source) => source[reference] !== undefined) ||
      env.some(({ valueFrom }) => valueFrom?.[keyReference] !== undefined),
  );
}

/** The sort of objects that a pod refers to first, in the words of a refusal; undefined for none. */
export function apiObjectReference(pod: Frozen<Pod>): string | undefined {
  const { serviceAccountName = '', resourceClaims = [], volumes = [] } = pod.spec ?? {};
  if (serviceAccountName !== '') return 'serviceaccounts';
  if (namesSecrets(pod)) return 'secrets';
  if (namesConfigMaps(pod)) return 'configmaps';
  if (resourceClaims.length > 0) return 'resourceclaims';
  for (const { csi, glusterfs, persistentVolumeClaim, ephemeral, projected } of volumes) {
    if (csi !== undefined) return 'csidrivers (via CSI volumes)';
    if (glusterfs !== undefined) return 'endpoints (via glusterFS volumes)';
    if (persistentVolumeClaim !== undefined) return 'persistentvolumeclaims';
    if (ephemeral !== undefined) return 'persistentvolumeclaims (via ephemeral volumes)';
    for (const { serviceAccountToken, clusterTrustBundle, podCertificate } of projected?.sources ?? []) {
      if (serviceAccountToken !== undefined) return 'serviceaccounts (via projected volumes)';
      if (clusterTrustBundle !== undefined) return 'clustertrustbundles';
      if (podCertificate !== undefined) return 'podcertificates';
    }
  }
  return undefined;
}
