// Indexes watchers by key, trigger value, name or namespace, so that a change is dispatched only to watchers that may
// match: 10,000 watchers of different nodes cost a write as much as ten. A watcher is in exactly one set, the narrowest
// that its view allows.
//
// Watchers may be added and removed during a dispatch; an added one starts after the current change.
import type { Revision } from '../storage/index.js';
import type { CacheChange } from './cache-change.js';
import { nameOf, namespaceOf } from './view.js';
import type { View, ViewedResource } from './view.js';

/** A receiver of changes. */
export interface Watcher<T extends object> {
  readonly view: View<T>;
  /** Changes up to this revision are not delivered. */
  readonly after: Revision;
  /** Receives a change. Must not throw. */
  take(change: CacheChange<T>): void;
}

/** The watchers of a cache. */
export class WatcherIndex<T extends object> {
  readonly #resource: ViewedResource<T>;
  readonly #triggers: ReadonlyMap<
    string,
    { readonly valueOf: (object: T) => string; readonly watchers: WatcherSets<T> }
  >;
  readonly #byKey: WatcherSets<T> = new Map();
  readonly #byName: WatcherSets<T> = new Map();
  readonly #byNamespace: WatcherSets<T> = new Map();
  readonly #everything: WatcherSets<T> = new Map();

  constructor(resource: ViewedResource<T>) {
    this.#resource = resource;
    this.#triggers = new Map(
      Object.entries(resource.triggers ?? {}).map(([field, valueOf]) => [field, { valueOf, watchers: new Map() }]),
    );
  }

  /** Adds a watcher. */
  add(watcher: Watcher<T>): void {
    const { sets, at } = this.#setsOf(watcher.view);
    const others = sets.get(at);
    if (others === undefined) sets.set(at, new Set([watcher]));
    else others.add(watcher);
  }

  /** Removes a watcher. */
  remove(watcher: Watcher<T>): void {
    const { sets, at } = this.#setsOf(watcher.view);
    const others = sets.get(at);
    others?.delete(watcher);
    if (others?.size === 0) sets.delete(at);
  }

  /** Dispatches a change to the watchers that may match. */
  dispatch(change: CacheChange<T>): void {
    const { key, previous, now } = change;
    dispatchTo(this.#everything.get(''), change);
    if (this.#byNamespace.size > 0) dispatchTo(this.#byNamespace.get(namespaceOf(key, this.#resource)), change);
    if (this.#byName.size > 0) dispatchTo(this.#byName.get(nameOf(key, this.#resource)), change);
    if (this.#byKey.size > 0) dispatchTo(this.#byKey.get(key), change);
    for (const { valueOf, watchers } of this.#triggers.values()) {
      if (watchers.size === 0) continue;
      const before = previous && valueOf(previous.object);
      const after = now && valueOf(now.object);
      if (before !== undefined) dispatchTo(watchers.get(before), change);
      if (after !== undefined && after !== before) dispatchTo(watchers.get(after), change);
    }
  }

  #setsOf({ key, trigger, name, namespace }: View<T>): { readonly sets: WatcherSets<T>; readonly at: string } {
    if (key !== undefined) return { sets: this.#byKey, at: key };
    const byTrigger = trigger && this.#triggers.get(trigger.field);
    if (trigger !== undefined && byTrigger !== undefined) return { sets: byTrigger.watchers, at: trigger.value };
    if (name !== undefined) return { sets: this.#byName, at: name };
    return namespace === undefined ? { sets: this.#everything, at: '' } : { sets: this.#byNamespace, at: namespace };
  }
}

type WatcherSets<T extends object> = Map<string, Set<Watcher<T>>>;

function dispatchTo<T extends object>(watchers: ReadonlySet<Watcher<T>> | undefined, change: CacheChange<T>): void {
  if (watchers === undefined) return;
  for (const watcher of watchers) if (watcher.after < change.revision) watcher.take(change);
}
