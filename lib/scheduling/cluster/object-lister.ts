// Read access to the cached objects other than pods and nodes that affect scheduling. Reads are synchronous and from
// memory.
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

/** The cached kinds and their types. */
export interface CachedKinds {
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
  /** Indexed by API version: core/v1 has another type of this name. */
  readonly ResourceClaim: KindTypes['resource.k8s.io/v1']['ResourceClaim'];
  readonly ResourceSlice: ResourceSlice;
  readonly DeviceClass: DeviceClass;
}

/** The name of a cached kind. */
export type CachedKind = keyof CachedKinds;

/** Lists cached objects. */
export interface ObjectLister {
  /** Returns an object by `namespace/name`, or by name if it is cluster-scoped. */
  get<K extends CachedKind>(kind: K, key: string): Frozen<CachedKinds[K]> | undefined;
  /** Returns all objects of a kind, or those of a namespace, in order of addition. */
  list<K extends CachedKind>(kind: K, namespace?: string): readonly Frozen<CachedKinds[K]>[];
  /**
   * Returns a number that changes whenever an object of the kind is added, updated or deleted. Results computed from
   * the objects are valid until then.
   */
  version(kind: CachedKind): number;
}
