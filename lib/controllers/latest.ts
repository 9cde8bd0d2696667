// What is known of a collection, own writes included. A snapshot lags behind the server: who has just written an object
// reads there how it was before, decides the same once more, and is refused. So the answers to writes count until the
// snapshot has caught up. As the caches of pkg/controller/volume/persistentvolume, storeObjectUpdate.
import { isOlderVersion, objectKey } from '../core/index.js';
import type { ApiObject, Frozen, Snapshot } from '../core/index.js';

/** A snapshot, and what was written since. */
export interface Latest<T> {
  /** The newest that is known under that key. Undefined as soon as the snapshot tells that it is gone. */
  get(key: string): T | undefined;
  /** All that the snapshot knows, each in its newest version. */
  list(): readonly T[];
  /** Takes in what the server answered to a write. The object must be known: nobody waits here for what was created. */
  wrote(object: T): void;
}

/**
 * Keeps what is written. Nothing is kept of objects that the snapshot has caught up with, once somebody asks for them.
 */
export function latest<T extends Frozen<ApiObject>>(snapshot: Pick<Snapshot<T>, 'get' | 'list'>): Latest<T> {
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
