// The events of a dependable watch. Emitted by `watcher` and, with the replaced objects added, by informers and
// `reflect`. The order is: init, listed …, synced, then applied, deleted and bookmark in the order of revisions, until
// the next init. `failed` may occur anywhere and changes nothing by itself.
import { filter, map, type OperatorFunction } from 'rxjs';

/** An event of a collection that is watched without end. */
export type WatcherEvent<T> = Init | Listed<T> | Synced | Applied<T> | Deleted<T> | Bookmark | Failed;

/** A list begins, the first or a new one after a gap. The objects known so far stay valid, if old, until `synced`. */
export interface Init {
  readonly type: 'init';
}

/** An object of the current list. A list that breaks off begins again with `init`: discard what was listed. */
export interface Listed<T> {
  readonly type: 'listed';
  readonly object: T;
  /** The object of that key before this list. Set by `reflect` and informers only. */
  readonly old?: T;
}

/** The list is complete: it held every object that existed at this revision. All others are gone. */
export interface Synced {
  readonly type: 'synced';
  readonly resourceVersion: string;
}

/** An object was created or changed. */
export interface Applied<T> {
  readonly type: 'applied';
  readonly object: T;
  /**
   * The object of that key before; absent if it was created. Set by `reflect` and informers only. Its uid differs from
   * that of `object` if a deletion in between was missed.
   */
  readonly old?: T;
}

/** An object is gone, or left the selection. */
export interface Deleted<T> {
  readonly type: 'deleted';
  readonly object: T;
  /**
   * True when the deletion was inferred from a new list: the object is then the last one known, not the last one
   * stored. Set by `reflect` and informers only; as client-go's DeletedFinalStateUnknown.
   */
  readonly finalStateUnknown: boolean;
}

/** Every change up to this revision has been emitted. */
export interface Bookmark {
  readonly type: 'bookmark';
  readonly resourceVersion: string;
}

/** A call failed. It is repeated after `retryInMs`; if changes may have been missed, `init` follows. */
export interface Failed {
  readonly type: 'failed';
  readonly error: unknown;
  readonly retryInMs: number;
}

/** Emits the objects that were listed, created or changed. */
export function applied<T>(): OperatorFunction<WatcherEvent<T>, T> {
  return (events$) =>
    events$.pipe(
      filter((event): event is Applied<T> | Listed<T> => event.type === 'applied' || event.type === 'listed'),
      map(({ object }) => object),
    );
}

/** Emits the last known content of objects that are gone. */
export function deleted<T>(): OperatorFunction<WatcherEvent<T>, T> {
  return (events$) =>
    events$.pipe(
      filter((event): event is Deleted<T> => event.type === 'deleted'),
      map(({ object }) => object),
    );
}
