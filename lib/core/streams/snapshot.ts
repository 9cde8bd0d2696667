// What is known of a collection: one writer, any number of readers. Readers never see half a list, for a new list
// gathers aside and takes the place of the old in one go. Reading is synchronous and answers from memory, so it may lag
// behind the server. Objects are shared with everyone else: read-only. As kube-runtime/src/reflector/store.rs.

import type { ApiObject, Frozen } from '../objects/meta.js';
import { IndexedObjects, type Indexes } from './indexed-objects.js';
import type { WatchEvent } from './watch-event.js';

/** What readers see. */
export interface Snapshot<T, Index extends string = never> {
  /** The object of that key, `namespace/name` or `name`. */
  get(key: string): T | undefined;
  /** All objects, in the order in which they became known. */
  list(): T[];
  /** The objects that the index files under that value, in the order in which they came there. */
  by(index: Index, value: string): T[];
  /** The revision up to which everything is known; undefined before the first list is complete. */
  readonly resourceVersion: string | undefined;
  /** Resolves once the first list is complete. If that never happens it stays open: race it with your own end. */
  readonly ready: Promise<void>;
}

/** The writing end, for `reflect`. */
export interface SnapshotWriter<T, Index extends string = never> {
  /** The reading end, for everyone. */
  readonly snapshot: Snapshot<T, Index>;
  /** Makes the caller the one writer until it calls what is answered. Throws while somebody else is. */
  claim(): () => void;
  /** Takes an event in and answers what to pass on: events that are by now true of the snapshot. */
  write(event: WatchEvent<T>): readonly WatchEvent<T>[];
}

/** An empty snapshot with these indexes. An index function that throws ends the stream that writes. */
export function snapshotWriter<T extends Frozen<ApiObject>, Index extends string = never>(
  indexes: Indexes<T, Index>,
): SnapshotWriter<T, Index> {
  let known = new IndexedObjects(indexes);
  let arriving = new IndexedObjects(indexes);
  let resourceVersion: string | undefined;
  let claimed = false;
  let setReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
  });

  const replaceKnown = (): readonly WatchEvent<T>[] => {
    const gone = known.list().filter((object) => !arriving.has(object));
    const listed = arriving.list();
    known = arriving;
    arriving = new IndexedObjects(indexes);
    return [
      ...gone.map((object) => ({ type: 'deleted', object, finalStateUnknown: true }) as const),
      ...listed.map((object) => ({ type: 'listed', object }) as const),
    ];
  };

  return {
    snapshot: {
      get: (key) => known.get(key),
      list: () => known.list(),
      by: (index, value) => known.by(index, value),
      get resourceVersion() {
        return resourceVersion;
      },
      ready,
    },
    claim: () => {
      if (claimed) throw new Error('this snapshot already has a writer');
      claimed = true;
      return () => {
        claimed = false;
      };
    },
    write: (event) => {
      switch (event.type) {
        case 'init':
          arriving = new IndexedObjects(indexes);
          return [event];
        case 'listed':
          arriving.set(event.object);
          return [];
        case 'synced': {
          const replaced = replaceKnown();
          resourceVersion = event.resourceVersion;
          setReady();
          return [...replaced, event];
        }
        case 'applied':
          known.set(event.object);
          resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
          return [event];
        case 'deleted':
          known.delete(event.object);
          resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
          return [event];
        case 'bookmark':
          resourceVersion = event.resourceVersion;
          return [event];
        case 'failed':
          return [event];
      }
    },
  };
}
