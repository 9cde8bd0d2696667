// The kinds that the scheduler watches: the informer of each, the scheduler's own cache of its objects, and the handler
// of its changes. The cache is separate from the informer's snapshot because it must not change during a cycle.
import type { Observable } from 'rxjs';
import { isApiError, isNoMatchError } from '../../core/index.js';
import type { ApiObject, Frozen, Informer, WatcherEvent } from '../../core/index.js';
import type { Informers } from '../../client/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { EventResources } from '../framework/queueing-hints.js';
import type { ClusterCache } from './cluster-cache.js';
import type { ClusterEventHandlers } from './cluster-event-handlers.js';
import type { KindCache } from './object-cache.js';
import type { CachedKind, CachedKinds } from './object-lister.js';
import { KindReflector } from './kind-reflector.js';
import type { ChangeHandler } from './kind-reflector.js';

/** The name of a watched kind. */
export type WatchedKindName = 'Pod' | 'Node' | CachedKind;

/** A watched kind. */
export interface KindInformer {
  readonly name: WatchedKindName;
  /** The events of its informer. */
  readonly events$: Observable<WatcherEvent<Frozen<ApiObject>>>;
  /** Applies an event to the cache. */
  apply(event: WatcherEvent<Frozen<ApiObject>>): void;
  /** Removes all objects, because the server does not serve the kind. */
  clear(): void;
}

/** Dependencies of the informers. */
export interface KindInformersOptions {
  readonly informers: Informers;
  readonly cache: ClusterCache;
  readonly handlers: ClusterEventHandlers;
  /** Called if a plugin throws while it handles a change. */
  onError(kind: WatchedKindName, error: unknown): void;
}

/** Returns all kinds. Their lists arrive in any order; scheduling starts when all are complete. */
export function kindInformers(options: KindInformersOptions): readonly KindInformer[] {
  const { informers, cache, handlers } = options;
  const kinds = Object.keys(cachedKinds) as CachedKind[]; // the table has exactly these keys
  const cached = kinds.map((kind) => cachedKindInformer(options, kind));
  const nodes = kindInformer<Node>(options, {
    name: 'Node',
    source: informers.kind('v1', 'Node'),
    objects: cache.nodeObjects,
    changed: handlers.node,
  });
  const pods = kindInformer<Pod>(options, {
    name: 'Pod',
    source: informers.kind('v1', 'Pod'),
    objects: cache.pods,
    changed: handlers.pod,
    selects: isUnfinished,
  });
  return [...cached, nodes, pods];
}

/** Whether a call failed because the server does not serve the kind. */
export function isNotServed(error: unknown): boolean {
  return isApiError(error, 'NotFound') || isNoMatchError(error);
}

/** kube-scheduler uses a field selector; here other parts share the watch of pods. */
function isUnfinished({ status }: Frozen<Pod>): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function cachedKindInformer(options: KindInformersOptions, kind: CachedKind): KindInformer {
  const { informers, cache, handlers } = options;
  const { apiVersion, resource } = cachedKinds[kind];
  const changed: ChangeHandler<AnyCached> = (old, current) => {
    if (resource !== undefined) handlers.object(resource, old, current);
  };
  return kindInformer<AnyCached>(options, {
    name: kind,
    source: informers.resource<AnyCached>({ apiVersion, kind }),
    objects: cache.objects.of(kind),
    changed,
  });
}

type AnyCached = CachedKinds[CachedKind];

interface InformerSource<T extends ApiObject> {
  readonly name: WatchedKindName;
  readonly source: Pick<Informer<Frozen<T>>, 'events$'>;
  readonly objects: KindCache<T>;
  readonly changed: ChangeHandler<T>;
  /** Objects for which this returns false are treated as deleted. Default: all objects are cached. */
  readonly selects?: (object: Frozen<T>) => boolean;
}

function kindInformer<T extends ApiObject>(
  options: KindInformersOptions,
  { name, source, objects, changed, selects }: InformerSource<T>,
): KindInformer {
  const collection = new KindReflector<T>(objects, (old, current) => {
    try {
      changed(old, current);
    } catch (error) {
      options.onError(name, error);
    }
  });
  return {
    name,
    events$: source.events$,
    apply(event: WatcherEvent<Frozen<T>>) {
      if (selects !== undefined && (event.type === 'applied' || event.type === 'listed') && !selects(event.object))
        collection.exclude(event.object);
      else collection.apply(event);
    },
    clear: () => collection.clear(),
  };
}

/**
 * The API version of a kind, and the resource name of its cluster events. Kinds without a resource are read by plugins,
 * but their changes requeue no pods.
 */
export interface CachedKindEntry {
  readonly apiVersion: string;
  readonly resource?: keyof EventResources;
}

/** The watched kinds other than pods and nodes. */
export const cachedKinds: Readonly<Record<CachedKind, CachedKindEntry>> = {
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
