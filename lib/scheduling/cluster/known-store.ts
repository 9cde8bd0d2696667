// The objects beside pods and nodes, one collection per kind: what plugins read and what the watches write.
import type { Frozen } from '../../core/index.js';
import { KnownCollection } from './known-collection.js';
import type { KnownKind, KnownKinds, KnownObjects } from './known-objects.js';

/** Known objects that can be written. */
export class KnownStore implements KnownObjects {
  readonly #kinds: { readonly [K in KnownKind]: KnownCollection<KnownKinds[K]> } = {
    Namespace: new KnownCollection(),
    Service: new KnownCollection(),
    ReplicationController: new KnownCollection(),
    ReplicaSet: new KnownCollection(),
    StatefulSet: new KnownCollection(),
    PodDisruptionBudget: new KnownCollection(),
    PersistentVolume: new KnownCollection(),
    PersistentVolumeClaim: new KnownCollection(),
    StorageClass: new KnownCollection(),
    CSINode: new KnownCollection(),
    CSIDriver: new KnownCollection(),
    CSIStorageCapacity: new KnownCollection(),
    VolumeAttachment: new KnownCollection(),
    ResourceClaim: new KnownCollection(),
    ResourceSlice: new KnownCollection(),
    DeviceClass: new KnownCollection(),
  };

  get<K extends KnownKind>(kind: K, key: string): Frozen<KnownKinds[K]> | undefined {
    return this.#kinds[kind].get(key);
  }

  list<K extends KnownKind>(kind: K, namespace?: string): readonly Frozen<KnownKinds[K]>[] {
    return this.#kinds[kind].list(namespace);
  }

  version(kind: KnownKind): number {
    return this.#kinds[kind].version;
  }

  /** The writing end of a kind. */
  of<K extends KnownKind>(kind: K): KnownCollection<KnownKinds[K]> {
    return this.#kinds[kind];
  }
}
