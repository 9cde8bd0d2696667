// The kinds that are followed beside pods and nodes: where the API has them, and by which name events tell of them.
// Kinds without such a name help nobody when they change; they are only read.
import type { EventResources } from '../framework/event-interest.js';
import type { KnownKind } from './known-objects.js';

/** Where a kind is, and how its events are called. */
export interface KnownKindEntry {
  readonly apiVersion: string;
  readonly resource?: keyof EventResources;
}

/** Entries by kind. */
export const knownKinds: Readonly<Record<KnownKind, KnownKindEntry>> = {
  Namespace: { apiVersion: 'v1' },
  Service: { apiVersion: 'v1' },
  ReplicationController: { apiVersion: 'v1' },
  ReplicaSet: { apiVersion: 'apps/v1' },
  StatefulSet: { apiVersion: 'apps/v1' },
  PodDisruptionBudget: { apiVersion: 'policy/v1' },
  PersistentVolume: { apiVersion: 'v1', resource: 'PersistentVolume' },
  PersistentVolumeClaim: { apiVersion: 'v1', resource: 'PersistentVolumeClaim' },
  StorageClass: { apiVersion: 'storage.k8s.io/v1', resource: 'storage.k8s.io/StorageClass' },
  CSINode: { apiVersion: 'storage.k8s.io/v1', resource: 'storage.k8s.io/CSINode' },
  CSIDriver: { apiVersion: 'storage.k8s.io/v1', resource: 'storage.k8s.io/CSIDriver' },
  CSIStorageCapacity: { apiVersion: 'storage.k8s.io/v1', resource: 'storage.k8s.io/CSIStorageCapacity' },
  VolumeAttachment: { apiVersion: 'storage.k8s.io/v1', resource: 'storage.k8s.io/VolumeAttachment' },
  ResourceClaim: { apiVersion: 'resource.k8s.io/v1', resource: 'resource.k8s.io/ResourceClaim' },
  ResourceSlice: { apiVersion: 'resource.k8s.io/v1', resource: 'resource.k8s.io/ResourceSlice' },
  DeviceClass: { apiVersion: 'resource.k8s.io/v1', resource: 'resource.k8s.io/DeviceClass' },
};
