// The raw port to a collection of objects, as every API server offers it: a list in pages, and the changes since a
// revision. The in-process client, the HTTP client and the tests' sources implement it; `watcher` makes it dependable.
// Words and meanings as in the API: apimachinery/pkg/apis/meta/v1/types.go, ListOptions and WatchEvent.

import type { Observable } from 'rxjs';
import type { ApiObject, Frozen } from '../objects/meta.js';

/** A collection that can be listed and watched. T is what it holds, read-only. */
export interface ListWatch<T extends Frozen<ApiObject>> {
  /**
   * True where the server runs in this process, so that no connection can die unnoticed. `watcher` then requests
   * watches without a time limit and without bookmarks. Default false.
   */
  readonly isInProcess?: boolean;
  /** One page. Rejects with an ApiError when refused: reason Expired when the continue token's revision is gone. */
  list(options: ListOptions): Promise<Page<T>>;
  /**
   * The changes after `resourceVersion`, in order. Cold. Completes when `timeoutSeconds` are over or the connection was
   * closed normally; errors with an ApiError, of reason Expired when changes after `resourceVersion` are gone.
   */
  watch(options: WatchOptions): Observable<RawEvent<T>>;
}

/** Which objects. */
export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What to list. */
export interface ListOptions extends Selection {
  /** The most objects of one page. */
  readonly limit?: number;
  /** The token of the page before. */
  readonly continue?: string;
  /** Unset: the newest. `0`: whatever is at hand. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The revision all pages of the list were read at; a watch may start here. */
  readonly resourceVersion: string;
  /** Present when more pages follow. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** What to watch. */
export interface WatchOptions extends Selection {
  /** Unset or `0`: begin with an ADDED for each object there is. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  /** Begin with an ADDED for each object, then a bookmark that says `initialEventsEnd`. */
  readonly sendInitialEvents?: boolean;
  /** The duration after which the server ends the watch. In process it may be Infinity. Default: the server's. */
  readonly timeoutSeconds?: number;
}

/** One event of a watch. What the wire calls ERROR is the error of the stream. */
export type RawEvent<T> =
  /** The object came to be, or came into the selection. */
  | { readonly type: 'ADDED'; readonly object: T }
  /** It changed. */
  | { readonly type: 'MODIFIED'; readonly object: T }
  /** It is gone, or left the selection: its last content, with the revision of the deletion. */
  | { readonly type: 'DELETED'; readonly object: T }
  /** All changes up to this revision have been sent. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd?: boolean };
