// A collection in step with a watch, and the changes that follow: what came, what changed, what went. Objects of a list
// are taken in as they come, page by page, so that a long list never stops everything else for long; what a complete
// list did not show is gone. An object whose revision is known already is no news.
import { objectKey } from '../../core/index.js';
import type { ApiObject, Frozen, WatcherEvent } from '../../core/index.js';
import type { KnownCollection } from './known-collection.js';

/**
 * Told of a change when the collection shows it. `old` is absent for what is new, `current` for what is gone; `old` is
 * then the last that is known of it. One that was replaced by another of the same name first went, then came.
 */
export type ChangeListener<T extends ApiObject> = (old: Frozen<T> | undefined, current: Frozen<T> | undefined) => void;

/** Writes a collection. */
export class WatchedCollection<T extends ApiObject> {
  readonly #objects: KnownCollection<T>;
  readonly #changed: ChangeListener<T>;
  /** While a list is under way: what is known and was not in it so far. */
  #unlisted = new Set<string>();

  constructor(objects: KnownCollection<T>, changed: ChangeListener<T>) {
    this.#objects = objects;
    this.#changed = changed;
  }

  /** Takes in what a watch told. */
  take(event: WatcherEvent<Frozen<T>>): void {
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

  /** Removes an object that exists but is of no interest. */
  leaveOut(object: Frozen<T>): void {
    this.#delete(object);
  }

  /** There is no such collection, so there is nothing in it. */
  clear(): void {
    this.#unlisted = new Set(this.#objects.keys());
    this.#deleteUnlisted();
  }

  #set(object: Frozen<T>): void {
    const known = this.#objects.get(objectKey(object));
    if (known === undefined) {
      this.#objects.set(object);
      this.#changed(undefined, object);
    } else if (known.metadata?.uid !== object.metadata?.uid) {
      this.#delete(known);
      this.#set(object);
    } else if (isNewer(known, object)) {
      this.#objects.set(object);
      this.#changed(known, object);
    }
  }

  #delete(last: Frozen<T>): void {
    const known = this.#objects.delete(objectKey(last));
    if (known === undefined) return;
    // Told of the deletion of another of that name, we have missed that of the one we know.
    this.#changed(known.metadata?.uid === last.metadata?.uid ? last : known, undefined);
  }

  #deleteUnlisted(): void {
    const gone = this.#unlisted;
    this.#unlisted = new Set();
    for (const key of gone) {
      const known = this.#objects.get(key);
      if (known !== undefined) this.#delete(known);
    }
  }
}

function isNewer(known: Frozen<ApiObject>, object: Frozen<ApiObject>): boolean {
  return (
    known !== object &&
    (object.metadata?.resourceVersion === undefined ||
      known.metadata?.resourceVersion !== object.metadata.resourceVersion)
  );
}
