// Who is told of a change: watchers found by key, trigger value, name or namespace, so that those it cannot concern
// cost nothing: 10,000 watchers, each of a node of its own, cost a write what ten do. A watcher stands in one place
// only, the narrowest that its view allows.
//
// Watchers may come and go while they are told: one that comes begins after the change that is under way.
import type { Revision } from '../storage/index.js';
import type { CacheChange } from './cache-change.js';
import { nameOf, namespaceOf } from './view.js';
import type { View, ViewedResource } from './view.js';

/** One that is told. */
export interface Watcher<T extends object> {
  readonly view: View<T>;
  /** It wants nothing up to this revision. */
  readonly after: Revision;
  /** Must not throw. */
  take(change: CacheChange<T>): void;
}

/** The watchers of a cache. */
export class WatcherIndex<T extends object> {
  readonly #resource: ViewedResource<T>;
  readonly #triggers: ReadonlyMap<string, { readonly valueOf: (object: T) => string; readonly watchers: Places<T> }>;
  readonly #byKey: Places<T> = new Map();
  readonly #byName: Places<T> = new Map();
  readonly #byNamespace: Places<T> = new Map();
  readonly #everything: Places<T> = new Map();

  constructor(resource: ViewedResource<T>) {
    this.#resource = resource;
    this.#triggers = new Map(
      Object.entries(resource.triggers ?? {}).map(([field, valueOf]) => [field, { valueOf, watchers: new Map() }]),
    );
  }

  /** Takes one in. */
  add(watcher: Watcher<T>): void {
    const { places, at } = this.#placeOf(watcher.view);
    const others = places.get(at);
    if (others === undefined) places.set(at, new Set([watcher]));
    else others.add(watcher);
  }

  /** Lets one go. */
  remove(watcher: Watcher<T>): void {
    const { places, at } = this.#placeOf(watcher.view);
    const others = places.get(at);
    others?.delete(watcher);
    if (others?.size === 0) places.delete(at);
  }

  /** Tells those whom a change may concern. */
  tell(change: CacheChange<T>): void {
    const { key, previous, now } = change;
    tellAll(this.#everything.get(''), change);
    if (this.#byNamespace.size > 0) tellAll(this.#byNamespace.get(namespaceOf(key, this.#resource)), change);
    if (this.#byName.size > 0) tellAll(this.#byName.get(nameOf(key, this.#resource)), change);
    if (this.#byKey.size > 0) tellAll(this.#byKey.get(key), change);
    for (const { valueOf, watchers } of this.#triggers.values()) {
      if (watchers.size === 0) continue;
      const before = previous && valueOf(previous.object);
      const after = now && valueOf(now.object);
      if (before !== undefined) tellAll(watchers.get(before), change);
      if (after !== undefined && after !== before) tellAll(watchers.get(after), change);
    }
  }

  #placeOf({ key, trigger, name, namespace }: View<T>): { readonly places: Places<T>; readonly at: string } {
    if (key !== undefined) return { places: this.#byKey, at: key };
    const byTrigger = trigger && this.#triggers.get(trigger.field);
    if (trigger !== undefined && byTrigger !== undefined) return { places: byTrigger.watchers, at: trigger.value };
    if (name !== undefined) return { places: this.#byName, at: name };
    return namespace === undefined
      ? { places: this.#everything, at: '' }
      : { places: this.#byNamespace, at: namespace };
  }
}

type Places<T extends object> = Map<string, Set<Watcher<T>>>;

function tellAll<T extends object>(watchers: ReadonlySet<Watcher<T>> | undefined, change: CacheChange<T>): void {
  if (watchers === undefined) return;
  for (const watcher of watchers) if (watcher.after < change.revision) watcher.take(change);
}
