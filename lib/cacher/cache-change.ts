// One change of one object, as kept in the window and seen by watchers. The event type depends on the watcher's
// selection: an object that enters it is ADDED and one that leaves it DELETED, whatever happened to the object.
//
//     before, after   no, yes: ADDED     yes, yes: MODIFIED     yes, no: DELETED, as it was, with the new revision
//
// Events are created on first use and shared, so that their encoded bytes can be shared. As
// apiserver/pkg/storage/cacher/cache_watcher.go, convertToWatchEvent.
import type { Revision } from '../storage/index.js';
import type { CacheEvent, CacherOptions } from './cacher.js';
import type { CachedObject, View } from './view.js';

/** The states of an object before and after a change; at least one is defined. */
export interface ChangeOfItem<T extends object> {
  readonly revision: Revision;
  readonly previous: CachedObject<T> | undefined;
  readonly now: CachedObject<T> | undefined;
}

/** A change and its events. */
export class CacheChange<T extends object> {
  readonly revision: Revision;
  readonly key: string;
  readonly previous: CachedObject<T> | undefined;
  readonly now: CachedObject<T> | undefined;
  readonly #withRevision: CacherOptions<T>['withRevision'];
  #added: CacheEvent<T> | undefined;
  #modified: CacheEvent<T> | undefined;
  #deleted: CacheEvent<T> | undefined;

  constructor({ revision, previous, now }: ChangeOfItem<T>, withRevision: CacherOptions<T>['withRevision']) {
    this.revision = revision;
    this.key = now?.key ?? previous?.key ?? '';
    this.previous = previous;
    this.now = now;
    this.#withRevision = withRevision;
  }

  /** Returns the event for a selection; undefined if neither state matches. */
  eventFor(view: View<T>): CacheEvent<T> | undefined {
    const { previous, now } = this;
    const wasThere = previous !== undefined && view.sees(previous);
    if (now !== undefined && view.sees(now)) {
      return wasThere
        ? (this.#modified ??= this.#event('MODIFIED', now.object))
        : (this.#added ??= this.#event('ADDED', now.object));
    }
    return wasThere
      ? (this.#deleted ??= this.#event('DELETED', this.#withRevision(previous.object, this.revision)))
      : undefined;
  }

  #event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): CacheEvent<T> {
    return Object.freeze({ type, object, revision: this.revision });
  }
}
