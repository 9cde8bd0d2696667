// What plugins know of other objects: a cache that follows one resource from the first question on. A cache may lag
// behind, so an object that is missing there is read live before its absence counts.
import { filter } from 'rxjs';
import { onDemand } from '../core/index.js';
import type { ApiObject, Frozen, GroupResource, Informer, OnDemand } from '../core/index.js';
import type { ServerTools } from '../auth/index.js';

/** The objects of a resource. */
export interface FollowedResource<T extends ApiObject> {
  /** The cache. Empty until `whenReady` answers. */
  readonly cache: Pick<Informer<Frozen<T>>, 'get' | 'list' | 'events$'>;
  /** Answers when the cache is complete: at once, or as a promise. The first call starts to follow the resource. */
  readonly whenReady: OnDemand['whenReady'];
  /** Finds an object in the cache, or else live. */
  find(name: string, namespace?: string): Frozen<T> | Promise<Frozen<T> | undefined>;
  /** Reads an object live. */
  read(name: string, namespace?: string): Promise<Frozen<T> | undefined>;
}

/** Follows a resource until the server is closed. Inert until it is asked. */
export function followedResource<T extends ApiObject>(
  { reader, informers, closed$ }: Pick<ServerTools, 'reader' | 'informers' | 'closed$'>,
  resource: GroupResource,
): FollowedResource<T> {
  const cache = informers.of<T>(resource);
  const { whenReady } = onDemand(cache.events$.pipe(filter(({ type }) => type === 'synced')), closed$);
  const read = (name: string, namespace?: string): Promise<Frozen<T> | undefined> =>
    reader.get<T>(resource, name, namespace);
  return {
    cache,
    whenReady,
    read,
    find: (name, namespace) =>
      whenReady(() => cache.get(namespace === undefined ? name : `${namespace}/${name}`) ?? read(name, namespace)) as
        Frozen<T> | Promise<Frozen<T> | undefined>,
  };
}
