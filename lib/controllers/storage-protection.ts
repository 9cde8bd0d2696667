// Lets go of claims, volumes and VolumeAttributesClasses that are being deleted, once they are no longer in use, by
// removing the finalizer that admission gave them. A claim is in use by pods that have a node, a volume by its claim,
// a class by claims and volumes. Caches may lag, so pods are listed live before a claim goes. As
// pkg/controller/volume/{pvcprotection,pvprotection,vacprotection}.
import { awaitChange, controller, watching } from '../client/index.js';
import type { ControllerActivity, Stored } from '../client/index.js';
import { ephemeralClaimName, namespacedName, notMadeFor, printNamespacedName, volumeClaims } from '../core/index.js';
import type { ApiObject, Frozen, NamespacedName, Part } from '../core/index.js';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../core/types/index.js';
import { informersOf } from './controller-environment.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { ignoreError } from './ignore-error.js';

/** An object is no longer protected. */
export interface ProtectionRemoved {
  readonly type: 'released';
  readonly object: NamespacedName;
}

/** A controller of this file. */
export type StorageProtection = Part<ControllerActivity<NamespacedName, ProtectionRemoved>>;

/** Creates the controller of claims. */
export function claimProtection(environment: ControllerEnvironment): StorageProtection {
  const { client, clock } = environment;
  const shared = informersOf(environment);
  const pods = shared.kind('v1', 'Pod').indexedBy({ claim: claimsOf });
  const claims = shared.kind('v1', 'PersistentVolumeClaim');
  return controller<NamespacedName, ProtectionRemoved>({
    name: 'persistentvolumeclaim-protection-controller',
    clock,
    steps$: environment.steps$,
    watches: [
      watching(claims, ({ type, object }) => candidates(type, object, claimFinalizer)),
      // A pod without a node uses nothing, and one that is neither deleted nor over keeps what it uses.
      watching(pods, ({ type, object }) =>
        type === 'deleted' || object.metadata.deletionTimestamp !== undefined || isOver(object)
          ? claimsOf(object).map(nameOfKey)
          : [],
      ),
    ],
    reconcile: async (name, { emit, signal, cause }) => {
      const claim = claims.get(printNamespacedName(name));
      if (claim === undefined || !isCandidate(claim, claimFinalizer)) return awaitChange;
      const cached = pods.by('claim', printNamespacedName(name));
      if (cached.some((pod) => usesClaim(pod, claim))) return awaitChange;
      const live = await client.kind('v1', 'Pod').in(name.namespace).list({ signal });
      if (live.items.some((pod) => usesClaim(pod, claim))) return awaitChange;
      const next = withoutFinalizer(claim, claimFinalizer);
      const inNamespace = client.kind('v1', 'PersistentVolumeClaim').in(name.namespace);
      await ignoreError('NotFound', ignoreError('Conflict', inNamespace.update(next, { signal, cause })));
      emit({ type: 'released', object: name });
      return awaitChange;
    },
  });
}

/** Creates the controller of volumes. */
export function volumeProtection(environment: ControllerEnvironment): StorageProtection {
  const { client, clock } = environment;
  const volumes = informersOf(environment).kind('v1', 'PersistentVolume');
  return controller<NamespacedName, ProtectionRemoved>({
    name: 'persistentvolume-protection-controller',
    clock,
    steps$: environment.steps$,
    watches: [watching(volumes, ({ type, object }) => candidates(type, object, volumeFinalizer))],
    reconcile: async (name, { emit, signal, cause }) => {
      const volume = volumes.get(name.name);
      if (volume === undefined || !isCandidate(volume, volumeFinalizer) || volume.status?.phase === 'Bound')
        return awaitChange;
      const next = withoutFinalizer(volume, volumeFinalizer);
      await ignoreError(
        'NotFound',
        ignoreError('Conflict', client.kind('v1', 'PersistentVolume').update(next, { signal, cause })),
      );
      emit({ type: 'released', object: name });
      return awaitChange;
    },
  });
}

/** Creates the controller of VolumeAttributesClasses. */
export function attributesClassProtection(environment: ControllerEnvironment): StorageProtection {
  const { client, clock } = environment;
  const shared = informersOf(environment);
  const classes = shared.kind('storage.k8s.io/v1', 'VolumeAttributesClass');
  const claims = shared.kind('v1', 'PersistentVolumeClaim').indexedBy({ attributesClass: classesOfClaim });
  const volumes = shared.kind('v1', 'PersistentVolume').indexedBy({ attributesClass: classesOfVolume });
  const named = (names: readonly string[]): readonly NamespacedName[] => names.map((name) => ({ namespace: '', name }));
  return controller<NamespacedName, ProtectionRemoved>({
    name: 'volumeattributesclass-protection-controller',
    clock,
    steps$: environment.steps$,
    watches: [
      watching(classes, ({ type, object }) => candidates(type, object, classFinalizer)),
      watching(claims, (event) => named('old' in event ? classesOfClaim(event.old) : classesOfClaim(event.object))),
      watching(volumes, (event) => named('old' in event ? classesOfVolume(event.old) : classesOfVolume(event.object))),
    ],
    reconcile: async (name, { emit, signal, cause }) => {
      const found = classes.get(name.name);
      if (found === undefined || !isCandidate(found, classFinalizer)) return awaitChange;
      if (claims.by('attributesClass', name.name).length > 0 || volumes.by('attributesClass', name.name).length > 0)
        return awaitChange;
      const next = withoutFinalizer(found, classFinalizer);
      const writable = client.kind('storage.k8s.io/v1', 'VolumeAttributesClass');
      await ignoreError('NotFound', ignoreError('Conflict', writable.update(next, { signal, cause })));
      emit({ type: 'released', object: name });
      return awaitChange;
    },
  });
}

const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';
const classFinalizer = 'kubernetes.io/vac-protection';

function candidates(type: string, object: Frozen<ApiObject>, finalizer: string): readonly NamespacedName[] {
  return type !== 'deleted' && isCandidate(object, finalizer) ? [namespacedName(object)] : [];
}

function isCandidate({ metadata }: Frozen<ApiObject>, finalizer: string): boolean {
  return metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

function withoutFinalizer<T extends Stored>(object: T, finalizer: string): T {
  const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** `namespace/name` of the claims of a pod. */
function claimsOf(pod: Frozen<Pod>): readonly string[] {
  return volumeClaims(pod).map(({ claim }) => `${pod.metadata?.namespace ?? ''}/${claim}`);
}

function nameOfKey(key: string): NamespacedName {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

function isOver({ status }: Frozen<Pod>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** The kubelet starts no pod with a claim that is being deleted: only pods that have a node count. */
function usesClaim(pod: Frozen<Pod>, claim: Frozen<PersistentVolumeClaim>): boolean {
  const { metadata, spec } = pod;
  if ((spec?.nodeName ?? '') === '') return false;
  const isShutDown = metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  const name = claim.metadata?.name ?? '';
  return (spec?.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (!isShutDown &&
        volume.ephemeral !== undefined &&
        ephemeralClaimName(pod, volume.name) === name &&
        notMadeFor(pod, claim) === undefined),
  );
}

function classesOfClaim({ spec, status }: Frozen<PersistentVolumeClaim>): readonly string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status ?? {};
  const names = [spec?.volumeAttributesClassName, current, modifyVolumeStatus?.targetVolumeAttributesClassName];
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as readonly string[];
}

function classesOfVolume({ spec }: Frozen<PersistentVolume>): readonly string[] {
  const { volumeAttributesClassName = '' } = spec ?? {};
  return volumeAttributesClassName === '' ? [] : [volumeAttributesClassName];
}
