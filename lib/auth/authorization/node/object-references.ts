// The objects that a pod or a volume refers to, which its node needs to run or mount it. As the Visit functions of
// pkg/api/v1/pod/util.go and pkg/api/v1/persistentvolume/util.go.
import type { Frozen } from '../../../core/index.js';
import type {
  Container,
  EphemeralContainer,
  PersistentVolume,
  Pod,
  SecretReference,
  Volume,
} from '../../../core/types/index.js';

/** Kinds of objects that are related to nodes. */
export type RelatedKind =
  'secret' | 'configMap' | 'claim' | 'volume' | 'serviceAccount' | 'resourceClaim' | 'pod' | 'attachment' | 'slice';

/** Returns the key of an object in the graph. */
export function reference(kind: RelatedKind, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

/**
 * Returns the references of a pod. A mirror pod has none: nodes create those themselves, and could otherwise gain
 * access to any secret.
 */
export function podReferences({ metadata, spec, status }: Frozen<Pod>): ReadonlySet<string> {
  const found = new Set<string>();
  if (Object.hasOwn(metadata?.annotations ?? {}, mirrorAnnotation)) return found;
  const add = (kind: RelatedKind, name: string | undefined): void => {
    if (name !== undefined && name !== '') found.add(reference(kind, metadata?.namespace ?? '', name));
  };
  add('serviceAccount', spec?.serviceAccountName);
  for (const { name } of spec?.imagePullSecrets ?? []) add('secret', name);
  for (const list of [spec?.initContainers, spec?.containers, spec?.ephemeralContainers]) {
    for (const container of list ?? []) addContainer(container, add);
  }
  for (const volume of spec?.volumes ?? []) addVolume(volume, metadata?.name ?? '', add);
  for (const { name, resourceClaimName } of spec?.resourceClaims ?? []) {
    add(
      'resourceClaim',
      resourceClaimName ?? status?.resourceClaimStatuses?.find((each) => each.name === name)?.resourceClaimName,
    );
  }
  add('resourceClaim', status?.extendedResourceClaimStatus?.resourceClaimName);
  return found;
}

/** Returns the secrets that a node reads to mount the volume. */
export function volumeSecrets({ spec = {} }: Frozen<PersistentVolume>): ReadonlySet<string> {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi, claimRef } = spec;
  const found = new Set<string>();
  const add = (namespace: string, name: string | undefined): void => {
    if (name !== undefined && name !== '') found.add(reference('secret', namespace, name));
  };
  const orOwn = (namespace = ''): string => (namespace === '' ? (claimRef?.namespace ?? '') : namespace);
  if (azureFile !== undefined) add(orOwn(azureFile.secretNamespace), azureFile.secretName);
  for (const source of [cephfs, flexVolume, rbd, scaleIO, iscsi]) {
    if (source?.secretRef !== undefined) add(orOwn(source.secretRef.namespace), source.secretRef.name);
  }
  const named: readonly (Frozen<SecretReference> | undefined)[] = [
    cinder?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  for (const secret of named) if (secret !== undefined) add(secret.namespace ?? '', secret.name);
  return found;
}

const mirrorAnnotation = 'kubernetes.io/config.mirror';

type Add = (kind: RelatedKind, name: string | undefined) => void;

function addContainer({ envFrom = [], env = [] }: Frozen<Container> | Frozen<EphemeralContainer>, add: Add): void {
  for (const { secretRef, configMapRef } of envFrom) {
    add('secret', secretRef?.name);
    add('configMap', configMapRef?.name);
  }
  for (const { valueFrom } of env) {
    add('secret', valueFrom?.secretKeyRef?.name);
    add('configMap', valueFrom?.configMapKeyRef?.name);
  }
}

function addVolume(volume: Frozen<Volume>, pod: string, add: Add): void {
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = volume;
  add('secret', volume.secret?.secretName);
  add('secret', azureFile?.secretName);
  for (const source of [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos])
    add('secret', source?.secretRef?.name);
  add('secret', csi?.nodePublishSecretRef?.name);
  add('configMap', volume.configMap?.name);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add('secret', secret?.name);
    add('configMap', configMap?.name);
  }
  // The claim of an ephemeral volume is named after the pod.
  add('claim', volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && `${pod}-${volume.name}`));
}
