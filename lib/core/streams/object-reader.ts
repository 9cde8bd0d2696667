// How parts of a server read its objects: authorizers their roles, authenticators their secrets, admission its
// namespaces and quotas. The server implements it on its caches and hands it to them; they never see a client or a
// store. Objects are in the hub version of their kind, complete, frozen, and shared with everyone else.
import type { Observable } from 'rxjs';
import type { GroupResource } from '../objects/gvk.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { WatchEvent } from './watch-event.js';

/** Reads objects. Kinds that the server does not have are collections without objects. */
export interface ObjectReader {
  /** One object as it is at the time of the call; undefined where there is none. */
  get<T extends ApiObject>(resource: GroupResource, name: string, namespace?: string): Promise<Frozen<T> | undefined>;
  /**
   * All objects of a resource and their changes, in order. Cold; never errors: what cannot be read is tried again.
   * Completes when the server is closed. `reflect` keeps a snapshot of it.
   */
  changes<T extends ApiObject>(resource: GroupResource): Observable<WatchEvent<Frozen<T>>>;
}
