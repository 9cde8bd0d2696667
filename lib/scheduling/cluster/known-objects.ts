// The objects beside pods and nodes that decide where pods may go, as far as they are known here. Reading answers from
// memory, at once. What nobody watches is not there.
import type { Frozen } from '../../core/index.js';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  KindTypes,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceSlice,
  Service,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from '../../core/types/index.js';

/** The kinds that are known, and their types. */
export interface KnownKinds {
  readonly Namespace: Namespace;
  readonly Service: Service;
  readonly ReplicationController: ReplicationController;
  readonly ReplicaSet: ReplicaSet;
  readonly StatefulSet: StatefulSet;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly StorageClass: StorageClass;
  readonly CSINode: CSINode;
  readonly CSIDriver: CSIDriver;
  readonly CSIStorageCapacity: CSIStorageCapacity;
  readonly VolumeAttachment: VolumeAttachment;
  /** Under the plain name core/v1 has another type. */
  readonly ResourceClaim: KindTypes['resource.k8s.io/v1']['ResourceClaim'];
  readonly ResourceSlice: ResourceSlice;
  readonly DeviceClass: DeviceClass;
}

/** One of them. */
export type KnownKind = keyof KnownKinds;

/** What is known. */
export interface KnownObjects {
  /** `namespace/name`, or the name of what has no namespace. */
  get<K extends KnownKind>(kind: K, key: string): Frozen<KnownKinds[K]> | undefined;
  /** All of a kind, or those of a namespace, in the order in which they became known. */
  list<K extends KnownKind>(kind: K, namespace?: string): readonly Frozen<KnownKinds[K]>[];
  /**
   * Another number whenever an object of the kind came, changed or went: what was computed from them holds until then.
   */
  version(kind: KnownKind): number;
}
