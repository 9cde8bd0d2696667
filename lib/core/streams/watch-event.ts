// What a dependable watch tells, and the promise each event makes. Made by `watcher`, kept by `reflect`, turned into
// keys by controllers. The order is: init, listed …, synced, then applied, deleted and bookmark in the order of
// revisions, until the next init. `failed` may stand anywhere and changes nothing by itself.

/** An event of a collection that is followed for good. */
export type WatchEvent<T> = Init | Listed<T> | Synced | Applied<T> | Deleted<T> | Bookmark | Failed;

/** A list begins, the first or a new one after a gap. What was known stays valid, if old, until `synced`. */
export interface Init {
  readonly type: 'init';
}

/** An object of the list under way. A list that breaks off begins again with `init`: forget what was listed. */
export interface Listed<T> {
  readonly type: 'listed';
  readonly object: T;
}

/** The list is complete: what was listed since `init` is all there was at this revision. All else is gone. */
export interface Synced {
  readonly type: 'synced';
  readonly resourceVersion: string;
}

/** An object was created or changed. Which of the two, only what was known before can tell. */
export interface Applied<T> {
  readonly type: 'applied';
  readonly object: T;
}

/** An object is gone, or left the selection. */
export interface Deleted<T> {
  readonly type: 'deleted';
  readonly object: T;
  /**
   * True when a new list showed that it is gone: the object is the last that was known, not the last there was.
   * Only `reflect` can tell; as client-go's DeletedFinalStateUnknown.
   */
  readonly finalStateUnknown: boolean;
}

/** Everything up to this revision has been told. */
export interface Bookmark {
  readonly type: 'bookmark';
  readonly resourceVersion: string;
}

/** A call failed. It is made again after `retryInMs`; if changes may have been missed, with `init` first. */
export interface Failed {
  readonly type: 'failed';
  readonly error: unknown;
  readonly retryInMs: number;
}
