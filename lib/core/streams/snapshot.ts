// A snapshot of a collection: one writer, any number of readers. Readers never see half a list: a new list is collected
// aside and replaces the old one in one step. Reads are synchronous and from memory, so they may lag behind the server.
// Objects are shared with all other readers: read-only. As kube-runtime/src/reflector/store.rs.
import type { ApiObject, Frozen } from '../objects/meta.js';
import { objectKey } from '../objects/meta.js';
import type { IndexFunction, Indexes } from './indexed-objects.js';
import { IndexedObjects } from './indexed-objects.js';
import type { WatcherEvent } from './watch-event.js';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { concatMap, defer, finalize } from 'rxjs';

/** The reading end. */
export interface Snapshot<T, Index extends string = never> {
  /** The object of that key, `namespace/name` or `name`. */
  get(key: string): T | undefined;
  /** All objects, in the order in which they became known. An immutable array: the same one until something changes. */
  list(): readonly T[];
  /** The objects that the index files under that value, in the order in which they were filed there. */
  by(index: Index, value: string): T[];
  /** The revision up to which every change is reflected; undefined before the first list is complete. */
  readonly resourceVersion: string | undefined;
  /** Resolves once the first list is complete. Stays pending if that never happens. */
  readonly ready: Promise<void>;
}

/** The writing end, for `reflect` and informers. */
export interface SnapshotWriter<T, Index extends string = never> {
  /** The reading end. */
  readonly snapshot: Snapshot<T, Index>;
  /** Returns another reading end of the same objects, with these indexes. Equal functions share one index. */
  view<Other extends string>(indexes: Indexes<T, Other>): Snapshot<T, Other>;
  /** Makes the caller the one writer until it calls the returned function. Throws while there is another writer. */
  claim(): () => void;
  /**
   * Writes an event and returns the events to pass on, all of which the snapshot now reflects. `applied` and `listed`
   * then carry the object they replaced as `old`.
   */
  write(event: WatcherEvent<T>): readonly WatcherEvent<T>[];
  /** Removes everything: reads are empty, and `ready` waits for the next list. */
  clear(): void;
}

/** An empty snapshot with these indexes. An index function that throws ends the stream that writes. */
export function snapshotWriter<T extends Frozen<ApiObject>, Index extends string = never>(
  indexes: Indexes<T, Index>,
): SnapshotWriter<T, Index> {
  let known = new IndexedObjects<T>();
  let arriving = new IndexedObjects<T>();
  let resourceVersion: string | undefined;
  let claimed = false;
  let ready = newLatch();

  const replaceKnown = (): readonly WatcherEvent<T>[] => {
    const former = known;
    const gone = former.list().filter((object) => !arriving.has(object));
    known = arriving;
    arriving = new IndexedObjects(known.indexes);
    return [
      ...gone.map((object) => ({ type: 'deleted', object, finalStateUnknown: true }) as const),
      ...known.list().map((object) => listedEvent(object, former)),
    ];
  };
  const view = <Other extends string>(named: Indexes<T, Other>): Snapshot<T, Other> => {
    const functions = new Map<string, IndexFunction<T>>(Object.entries(named));
    for (const valuesOf of functions.values()) {
      known.addIndex(valuesOf);
      arriving.addIndex(valuesOf);
    }
    return {
      get: (key) => known.get(key),
      list: () => known.list(),
      by: (index, value) => {
        const valuesOf = functions.get(index);
        if (valuesOf === undefined) throw new RangeError(`no index ${JSON.stringify(index)}`);
        return known.by(valuesOf, value);
      },
      get resourceVersion() {
        return resourceVersion;
      },
      get ready() {
        return ready.opened;
      },
    };
  };

  return {
    snapshot: view(indexes),
    view,
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
          arriving = new IndexedObjects(known.indexes);
          return [event];
        case 'listed':
          arriving.set(event.object);
          return [];
        case 'synced': {
          const replaced = replaceKnown();
          resourceVersion = event.resourceVersion;
          ready.open();
          return [...replaced, event];
        }
        case 'applied': {
          const { object } = event;
          const old = known.set(object);
          resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
          return [old === undefined ? event : { type: 'applied', object, old }];
        }
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
    clear: () => {
      known = new IndexedObjects(known.indexes);
      arriving = new IndexedObjects(known.indexes);
      if (resourceVersion !== undefined) ready = newLatch();
      resourceVersion = undefined;
    },
  };
}

function listedEvent<T extends Frozen<ApiObject>>(object: T, former: IndexedObjects<T>): WatcherEvent<T> {
  const old = former.get(objectKey(object));
  return old === undefined ? { type: 'listed', object } : { type: 'listed', object, old };
}

interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

function newLatch(): Latch {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/**
 * Writes a stream of events into the snapshot and passes each event on once the snapshot reflects it, so a subscriber
 * can read every object it receives. This changes the order in one place: objects of a list are passed on when the list
 * is complete, between `init` and `synced`, after one `deleted` with `finalStateUnknown` for each object that the list
 * showed to be gone. So subscribers see every deletion, including those that no watch reported. As
 * client-go/tools/cache/controller.go, processReplacedAllInfo. Errors while another subscription writes the snapshot.
 * To share one watch, use `informer`.
 */
export function reflect<T, Index extends string>(
  writer: SnapshotWriter<T, Index>,
): MonoTypeOperatorFunction<WatcherEvent<T>> {
  return (events$) =>
    defer(() => {
      const release = writer.claim();
      return events$.pipe(
        concatMap((event) => writer.write(event)),
        finalize(release),
      );
    });
}
