// Read-your-writes over an informer. A snapshot lags behind the server: a controller that has just written an object
// would read the previous state, repeat its decision and get a conflict. So responses to writes take precedence until
// the snapshot has caught up. As pkg/controller/volume/persistentvolume, storeObjectUpdate.
import { isOlderVersion, objectKey } from '../../core/index.js';
import type { ApiObject, Frozen, Snapshot } from '../../core/index.js';

/** A snapshot overlaid with the objects that its reader wrote. */
export interface OwnWrites<T> {
  /** Returns the newest known object of a key; undefined once the snapshot shows that it is deleted. */
  get(key: string): T | undefined;
  /** Returns all objects of the snapshot, each in its newest known version. */
  list(): readonly T[];
  /** Records the response to a write. Objects that the snapshot does not know are ignored. */
  wrote(object: T): void;
}

/** Overlays a snapshot with own writes. An entry is dropped when it is read after the snapshot has caught up. */
export function withOwnWrites<T extends Frozen<ApiObject>>(snapshot: Pick<Snapshot<T>, 'get' | 'list'>): OwnWrites<T> {
  const written = new Map<string, T>();
  const newest = (key: string, known: T | undefined): T | undefined => {
    const own = written.get(key);
    if (own === undefined) return known;
    if (known !== undefined && isOlderVersion(known, own)) return own;
    written.delete(key);
    return known;
  };
  return {
    get: (key) => newest(key, snapshot.get(key)),
    list: () => snapshot.list().map((known) => newest(objectKey(known), known) ?? known),
    wrote: (object) => {
      const key = objectKey(object);
      if (snapshot.get(key) !== undefined) written.set(key, object);
    },
  };
}
