// The events that may make a rejected pod schedulable, as a plugin registers them, each with an optional queueing hint
// that inspects the event. Without a hint every event of the registration requeues the pod. Registering too many events
// costs attempts; registering too few leaves pods waiting for the periodic flush.
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { CachedKinds } from '../cluster/object-lister.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** The resources of cluster events and their types, by the names that metrics use. */
export interface EventResources {
  readonly Node: Node;
  /** A pod on a node, or the pending pod itself. */
  readonly Pod: Pod;
  readonly PersistentVolume: CachedKinds['PersistentVolume'];
  readonly PersistentVolumeClaim: CachedKinds['PersistentVolumeClaim'];
  readonly 'storage.k8s.io/StorageClass': CachedKinds['StorageClass'];
  readonly 'storage.k8s.io/CSINode': CachedKinds['CSINode'];
  readonly 'storage.k8s.io/CSIDriver': CachedKinds['CSIDriver'];
  readonly 'storage.k8s.io/CSIStorageCapacity': CachedKinds['CSIStorageCapacity'];
  readonly 'storage.k8s.io/VolumeAttachment': CachedKinds['VolumeAttachment'];
  readonly 'resource.k8s.io/ResourceClaim': CachedKinds['ResourceClaim'];
  readonly 'resource.k8s.io/ResourceSlice': CachedKinds['ResourceSlice'];
  readonly 'resource.k8s.io/DeviceClass': CachedKinds['DeviceClass'];
}

/** The result of a queueing hint: requeue the pod, or leave it unschedulable. */
export type QueueingHint = 'queue' | 'skip';

/**
 * Decides whether an event may make a pod schedulable that the plugin rejected. `old` is absent for an added object,
 * `current` for a deleted one.
 */
export type QueueingHintFn<T> = (
  pod: PodFacts,
  old: Frozen<T> | undefined,
  current: Frozen<T> | undefined,
) => QueueingHint;

/** Events of one resource that requeue a rejected pod. Create one with `on`. */
export interface ClusterEventWithHint {
  readonly resource: keyof EventResources;
  /** A bit set of `actions`. */
  readonly action: number;
  /** Inspects the event. Default: every such event requeues the pod. */
  readonly hint?: (pod: PodFacts, old: unknown, current: unknown) => QueueingHint;
}

/** Registers events of a resource: `on('Node', actions.add, (pod, _, node) => …)`. */
export function on<R extends keyof EventResources>(
  resource: R,
  action: number,
  hint?: QueueingHintFn<EventResources[R]>,
): ClusterEventWithHint {
  if (hint === undefined) return { resource, action };
  type Changed = Frozen<EventResources[R]> | undefined; // the resource determines the type of the objects
  return { resource, action, hint: (pod, old, current) => hint(pod, old as Changed, current as Changed) };
}
