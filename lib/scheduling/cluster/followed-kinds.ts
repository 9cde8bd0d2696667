// What is followed of a cluster, kind by kind: where its objects are watched, the collection that keeps them, and what
// is done about each change.
import { isApiError, isNoMatchError, watcher } from '../../core/index.js';
import type { ApiObject, Clock, Frozen, ListWatch, Random, Selection, WatcherEvent } from '../../core/index.js';
import type { Observable } from 'rxjs';
import type { Client } from '../../client/index.js';
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
  /** Watches it. */
  watch(clock: Clock, random: Random): Observable<WatcherEvent<Frozen<ApiObject>>>;
  /** Takes in what its watch told. */
  take(event: WatcherEvent<Frozen<ApiObject>>): void;
  /** Takes it that there are no objects, as the server does not have the kind. */
  clear(): void;
}

/** What following needs. */
export interface FollowedKindsOptions {
  readonly client: Client;
  readonly cache: ClusterCache;
  readonly feed: ClusterFeed;
  /** A plugin threw when it was asked about a change. */
  threw(kind: FollowedName, error: unknown): void;
}

/** Every kind. Their lists come in any order: nothing is scheduled before all are complete. */
export function followedKinds(options: FollowedKindsOptions): readonly FollowedKind[] {
  const { client, cache, feed } = options;
  const others = (Object.keys(knownKinds) as KnownKind[]).map((kind) => knownKind(options, kind)); // its keys are these
  const nodes = followed<Node>(options, {
    name: 'Node',
    source: client.kind('v1', 'Node'),
    objects: cache.nodeObjects,
    changed: feed.node,
  });
  const pods = followed<Pod>(options, {
    name: 'Pod',
    source: client.kind('v1', 'Pod'),
    objects: cache.pods,
    changed: feed.pod,
    selection: unfinished,
  });
  return [...others, nodes, pods];
}

/** Whether a call failed because the server does not have the kind. */
export function isNotServed(error: unknown): boolean {
  return isApiError(error, 'NotFound') || isNoMatchError(error);
}

const unfinished: Selection = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };

function knownKind(options: FollowedKindsOptions, kind: KnownKind): FollowedKind {
  const { client, cache, feed } = options;
  const { apiVersion, resource } = knownKinds[kind];
  const changed: ChangeListener<AnyKnown> = (old, current) => {
    if (resource !== undefined) feed.object(resource, old, current);
  };
  return followed<AnyKnown>(options, {
    name: kind,
    source: client.resource<AnyKnown>({ apiVersion, kind }),
    objects: cache.objects.of(kind),
    changed,
  });
}

type AnyKnown = KnownKinds[KnownKind];

interface Following<T extends ApiObject> {
  readonly name: FollowedName;
  readonly source: ListWatch<Frozen<T>>;
  readonly objects: KnownCollection<T>;
  readonly changed: ChangeListener<T>;
  readonly selection?: Selection;
}

function followed<T extends ApiObject>(
  options: FollowedKindsOptions,
  { name, source, objects, changed, selection = {} }: Following<T>,
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
    watch: (clock, random) => watcher(source, { clock, random, ...selection }),
    take(event: WatcherEvent<Frozen<T>>) {
      collection.take(event); // of the watch beside it
    },
    clear: () => collection.clear(),
  };
}
