// Applies watch events to the cache of one kind and calls a handler for each change. Listed objects are applied page by
// page, so that a long list does not block other work; objects missing from a complete list are deleted. An object with
// a known resourceVersion is ignored.
import { objectKey } from '../../core/index.js';
import type { ApiObject, Frozen, WatcherEvent } from '../../core/index.js';
import type { KindCache } from './object-cache.js';

/**
 * Called after the cache has changed. `old` is absent for an added object, `current` for a deleted one; `old` is then
 * its last known state. An object replaced by another of the same name is first deleted, then added.
 */
export type ChangeHandler<T extends ApiObject> = (old: Frozen<T> | undefined, current: Frozen<T> | undefined) => void;

/** Writes the cache of one kind. */
export class KindReflector<T extends ApiObject> {
  readonly #objects: KindCache<T>;
  readonly #changed: ChangeHandler<T>;
  /** During a list: keys of cached objects that the list has not contained so far. */
  #unlisted = new Set<string>();

  constructor(objects: KindCache<T>, changed: ChangeHandler<T>) {
    this.#objects = objects;
    this.#changed = changed;
  }

  /** Applies a watch event. */
  apply(event: WatcherEvent<Frozen<T>>): void {
    switch (event.type) {
      case 'applied':
        this.#set(event.object);
        break;
      case 'deleted':
        this.#delete(event.object);
        break;
      case 'init':
        this.#unlisted = new Set(this.#objects.keys());
        break;
      case 'listed':
        this.#unlisted.delete(objectKey(event.object));
        this.#set(event.object);
        break;
      case 'synced':
        this.#deleteUnlisted();
        break;
      case 'bookmark':
      case 'failed':
        break;
    }
  }

  /** Removes an object that exists but is filtered out. */
  exclude(object: Frozen<T>): void {
    this.#delete(object);
  }

  /** Removes all objects. */
  clear(): void {
    this.#unlisted = new Set(this.#objects.keys());
    this.#deleteUnlisted();
  }

  #set(object: Frozen<T>): void {
    const cached = this.#objects.get(objectKey(object));
    if (cached === undefined) {
      this.#objects.set(object);
      this.#changed(undefined, object);
    } else if (cached.metadata?.uid !== object.metadata?.uid) {
      this.#delete(cached);
      this.#set(object);
    } else if (isNewer(cached, object)) {
      this.#objects.set(object);
      this.#changed(cached, object);
    }
  }

  #delete(last: Frozen<T>): void {
    const cached = this.#objects.delete(objectKey(last));
    if (cached === undefined) return;
    // If the deleted object has another uid, the deletion of the cached one was missed.
    this.#changed(cached.metadata?.uid === last.metadata?.uid ? last : cached, undefined);
  }

  #deleteUnlisted(): void {
    const unlisted = this.#unlisted;
    this.#unlisted = new Set();
    for (const key of unlisted) {
      const cached = this.#objects.get(key);
      if (cached !== undefined) this.#delete(cached);
    }
  }
}

function isNewer(cached: Frozen<ApiObject>, object: Frozen<ApiObject>): boolean {
  return (
    cached !== object &&
    (object.metadata?.resourceVersion === undefined ||
      cached.metadata?.resourceVersion !== object.metadata.resourceVersion)
  );
}
