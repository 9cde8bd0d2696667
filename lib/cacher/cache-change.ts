// One change of one object, as the window keeps it and watchers see it. Which event it is depends on who looks: an
// object that enters a view is ADDED there and one that leaves it DELETED, whatever happened to the object itself.
//
//     before, after   no, yes: ADDED     yes, yes: MODIFIED     yes, no: DELETED, as it was, under the new revision
//
// Events are made when first asked for and shared by everyone, so that their bytes can be. As
// apiserver/pkg/storage/cacher/cache_watcher.go, convertToWatchEvent.
import type { Revision } from '../storage/index.js';
import type { CacheEvent, CacherOptions } from './cacher.js';
import type { CachedObject, View } from './view.js';

/** What happened to an object. One of the two is there. */
export interface ChangeOfItem<T extends object> {
  readonly revision: Revision;
  readonly previous: CachedObject<T> | undefined;
  readonly now: CachedObject<T> | undefined;
}

/** A change and the events it gives. */
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

  /** What it is to those who look at this view; undefined when they do not see it. */
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
