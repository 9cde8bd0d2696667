// How parts of a server read its objects: authorizers their roles, authenticators their secrets, admission its
// namespaces and quotas. The server implements it on its caches; its parts use neither a client nor a store. Objects
// are in the hub version of their kind, complete, frozen and shared.
import type { Observable } from 'rxjs';
import type { GroupResource } from '../objects/gvk.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { InformerPool, type Informer } from './informer.js';
import type { WatcherEvent } from './watch-event.js';

/** Reads objects. A kind that the server does not have is a collection without objects. */
export interface ObjectReader {
  /** The object as it is at the time of the call; undefined if there is none. */
  get<T extends ApiObject>(resource: GroupResource, name: string, namespace?: string): Promise<Frozen<T> | undefined>;
  /**
   * All objects of a resource and their changes, in order. Cold; never errors: failed reads are repeated. Completes
   * when the server is closed. Each subscription is a watch of its own; `objectInformers` shares one.
   */
  changes<T extends ApiObject>(resource: GroupResource): Observable<WatcherEvent<Frozen<T>>>;
}

/** Informers over the caches of a server: one shared watch per resource. */
export interface ObjectInformers {
  /** The informer of all objects of a resource. Inert until its events are subscribed to. */
  of<T extends ApiObject>(resource: GroupResource): Informer<Frozen<T>>;
}

/** Shares the watches of a reader. */
export function objectInformers(reader: Pick<ObjectReader, 'changes'>): ObjectInformers {
  const pool = new InformerPool();
  return {
    of: <T extends ApiObject>(resource: GroupResource) =>
      pool.get(`${resource.group}/${resource.resource}`, () => reader.changes<T>(resource)),
  };
}
