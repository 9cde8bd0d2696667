// The kinds that the scheduler follows: the informer of each, the scheduler's own view of its objects, and the handler
// of its changes. The view is kept apart from the informer's snapshot because it stands still during a cycle.
import { isApiError, isNoMatchError } from '../../core/index.js';
import type { ApiObject, Frozen, Informer, WatcherEvent } from '../../core/index.js';
import type { Observable } from 'rxjs';
import type { Informers } from '../../client/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import type { ClusterCache } from './cluster-cache.js';
import type { ClusterFeed } from './cluster-feed.js';
import type { KnownCollection } from './known-collection.js';
import { knownKinds } from './known-kinds.js';
import type { KnownKind, KnownKinds } from './known-objects.js';
import { WatchedCollection } from './watched-collection.js';
import type { ChangeListener } from './watched-collection.js';

/** The name of a kind that is followed. */
export type FollowedName = 'Pod' | 'Node' | KnownKind;

/** A kind that is followed. */
export interface FollowedKind {
  readonly name: FollowedName;
  /** The events of its informer. */
  readonly events$: Observable<WatcherEvent<Frozen<ApiObject>>>;
  /** Applies an event to the view. */
  take(event: WatcherEvent<Frozen<ApiObject>>): void;
  /** Takes it that there are no objects, as the server does not have the kind. */
  clear(): void;
}

/** What following needs. */
export interface FollowedKindsOptions {
  readonly informers: Informers;
  readonly cache: ClusterCache;
  readonly feed: ClusterFeed;
  /** A plugin threw when it was asked about a change. */
  threw(kind: FollowedName, error: unknown): void;
}

/** Every kind. Their lists come in any order: nothing is scheduled before all are complete. */
export function followedKinds(options: FollowedKindsOptions): readonly FollowedKind[] {
  const { informers, cache, feed } = options;
  const others = (Object.keys(knownKinds) as KnownKind[]).map((kind) => knownKind(options, kind)); // its keys are these
  const nodes = followed<Node>(options, {
    name: 'Node',
    source: informers.kind('v1', 'Node'),
    objects: cache.nodeObjects,
    changed: feed.node,
  });
  const pods = followed<Pod>(options, {
    name: 'Pod',
    source: informers.kind('v1', 'Pod'),
    objects: cache.pods,
    changed: feed.pod,
    selects: isUnfinished,
  });
  return [...others, nodes, pods];
}

/** Whether a call failed because the server does not have the kind. */
export function isNotServed(error: unknown): boolean {
  return isApiError(error, 'NotFound') || isNoMatchError(error);
}

/** kube-scheduler selects these with a field selector; here the watch of pods is shared with other parts. */
function isUnfinished({ status }: Frozen<Pod>): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function knownKind(options: FollowedKindsOptions, kind: KnownKind): FollowedKind {
  const { informers, cache, feed } = options;
  const { apiVersion, resource } = knownKinds[kind];
  const changed: ChangeListener<AnyKnown> = (old, current) => {
    if (resource !== undefined) feed.object(resource, old, current);
  };
  return followed<AnyKnown>(options, {
    name: kind,
    source: informers.resource<AnyKnown>({ apiVersion, kind }),
    objects: cache.objects.of(kind),
    changed,
  });
}

type AnyKnown = KnownKinds[KnownKind];

interface Following<T extends ApiObject> {
  readonly name: FollowedName;
  readonly source: Pick<Informer<Frozen<T>>, 'events$'>;
  readonly objects: KnownCollection<T>;
  readonly changed: ChangeListener<T>;
  /** Objects that it returns false for count as gone. Default: all objects are of interest. */
  readonly selects?: (object: Frozen<T>) => boolean;
}

function followed<T extends ApiObject>(
  options: FollowedKindsOptions,
  { name, source, objects, changed, selects }: Following<T>,
): FollowedKind {
  const collection = new WatchedCollection<T>(objects, (old, current) => {
    try {
      changed(old, current);
    } catch (error) {
      options.threw(name, error);
    }
  });
  return {
    name,
    events$: source.events$,
    take(event: WatcherEvent<Frozen<T>>) {
      if (selects !== undefined && (event.type === 'applied' || event.type === 'listed') && !selects(event.object))
        collection.leaveOut(event.object);
      else collection.take(event);
    },
    clear: () => collection.clear(),
  };
}
