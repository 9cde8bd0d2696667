// The server's objects as its own parts read them: consistently, from the caches. A stream of changes restarts when the
// kind of its resource is added, changed or removed.
import {
  EMPTY,
  catchError,
  concat,
  defer,
  filter,
  from,
  map,
  mergeMap,
  of,
  startWith,
  switchMap,
  takeUntil,
} from 'rxjs';
import type { Observable } from 'rxjs';
import type {
  ApiObject,
  Clock,
  Frozen,
  GroupResource,
  ObjectReader,
  SchemeChange,
  WatcherEvent,
} from '../../core/index.js';
import type { Registry } from './registry.js';
import type { StoredObject, StoredKind } from './stored-kind.js';

/** Creates a reader of the objects of a registry. */
export function objectReader(registry: Registry, clock: Clock): ObjectReader {
  const storedOf = ({ group, resource }: GroupResource): StoredKind | undefined => {
    const { scheme } = registry;
    const version = scheme
      .group(group)
      ?.versions.find((each) => scheme.resource({ group, version: each, resource }) !== undefined);
    return version === undefined ? undefined : registry.endpoint({ group, version, resource })?.stored;
  };
  return {
    async get<T extends ApiObject>(resource: GroupResource, name: string, namespace = '') {
      const stored = storedOf(resource);
      // A resource holds one kind, which the caller names.
      return (await stored?.cacher.get(stored.keyOf(namespace, name)))?.object as Frozen<T> | undefined;
    },
    changes<T extends ApiObject>(resource: GroupResource) {
      const changes$ = registry.kinds.changes$.pipe(
        filter((change) => concerns(change, resource)),
        startWith(undefined),
        switchMap(() => {
          const stored = storedOf(resource);
          return stored === undefined ? none : changesOf(stored);
        }),
        catchError((error: unknown, again$) =>
          concat(
            of<WatcherEvent<StoredObject>>({ type: 'failed', error, retryInMs: retryMs }),
            clock.timer(retryMs).pipe(switchMap(() => again$)),
          ),
        ),
        takeUntil(registry.closed$),
      );
      return changes$ as unknown as Observable<WatcherEvent<Frozen<T>>>;
    },
  };
}

function concerns({ before, after }: SchemeChange, { group, resource }: GroupResource): boolean {
  return [...before, ...after].some((kind) => kind.group === group && kind.resource?.plural === resource);
}

const retryMs = 1000;
const none: Observable<WatcherEvent<StoredObject>> = of<WatcherEvent<StoredObject>[]>(
  { type: 'init' },
  { type: 'synced', resourceVersion: '' },
);

function changesOf({ cacher }: StoredKind): Observable<WatcherEvent<StoredObject>> {
  return defer(() => from(cacher.list())).pipe(
    switchMap(({ items, revision }) =>
      concat(
        of<WatcherEvent<StoredObject>>({ type: 'init' }),
        from(items).pipe(map((object): WatcherEvent<StoredObject> => ({ type: 'listed', object }))),
        of<WatcherEvent<StoredObject>>({ type: 'synced', resourceVersion: `${revision}` }),
        cacher.watch({ after: revision }).pipe(
          mergeMap((event): Observable<WatcherEvent<StoredObject>> => {
            if (event.type === 'BOOKMARK') return EMPTY;
            return of(
              event.type === 'DELETED'
                ? { type: 'deleted', object: event.object, finalStateUnknown: false }
                : { type: 'applied', object: event.object },
            );
          }),
        ),
      ),
    ),
  );
}
