// What a plugin wants to hear of: events that may help a pod it rejected, and a hint that looks closer. Without hint
// every such event counts. Who is told too much is asked for nothing; who is told too little waits until time brings it
// back.
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { KnownKinds } from '../cluster/known-objects.js';
import type { PodFacts } from '../pod/pod-facts.js';

/** The resources that events are about, by the names that metrics give them, and their types. */
export interface EventResources {
  readonly Node: Node;
  /** On a node, or the waiting pod itself. */
  readonly Pod: Pod;
  readonly PersistentVolume: KnownKinds['PersistentVolume'];
  readonly PersistentVolumeClaim: KnownKinds['PersistentVolumeClaim'];
  readonly 'storage.k8s.io/StorageClass': KnownKinds['StorageClass'];
  readonly 'storage.k8s.io/CSINode': KnownKinds['CSINode'];
  readonly 'storage.k8s.io/CSIDriver': KnownKinds['CSIDriver'];
  readonly 'storage.k8s.io/CSIStorageCapacity': KnownKinds['CSIStorageCapacity'];
  readonly 'storage.k8s.io/VolumeAttachment': KnownKinds['VolumeAttachment'];
  readonly 'resource.k8s.io/ResourceClaim': KnownKinds['ResourceClaim'];
  readonly 'resource.k8s.io/ResourceSlice': KnownKinds['ResourceSlice'];
  readonly 'resource.k8s.io/DeviceClass': KnownKinds['DeviceClass'];
}

/** Whether an event may help. */
export type HintAnswer = 'queue' | 'skip';

/**
 * Asked for a pod that the plugin rejected: does this help? `old` is absent for what is new, `current` for what is
 * gone.
 */
export type QueueingHint<T> = (pod: PodFacts, old: Frozen<T> | undefined, current: Frozen<T> | undefined) => HintAnswer;

/** Events of one resource that a plugin wants to hear of. Make one with `on`. */
export interface EventInterest {
  readonly resource: keyof EventResources;
  /** One or more of `actions`. */
  readonly action: number;
  /** Looks closer; without it every such event counts. */
  readonly hint?: (pod: PodFacts, old: unknown, current: unknown) => HintAnswer;
}

/** Interest in events of a resource: `on('Node', actions.add, (pod, _, node) => …)`. */
export function on<R extends keyof EventResources>(
  resource: R,
  action: number,
  hint?: QueueingHint<EventResources[R]>,
): EventInterest {
  if (hint === undefined) return { resource, action };
  type Changed = Frozen<EventResources[R]> | undefined; // the resource says what the hint is given
  return { resource, action, hint: (pod, old, current) => hint(pod, old as Changed, current as Changed) };
}
