// A fake ObjectReader: its collections change only when the test changes them.
import { Observable, finalize } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { deepFreeze, objectKey } from '../../lib/core/index.js';
import type { ApiObject, Frozen, GroupResource, ObjectReader, WatcherEvent } from '../../lib/core/index.js';

/** An ObjectReader backed by maps, with methods to change them. */
export class FakeObjectReader implements ObjectReader {
  /** Number of current subscriptions. */
  followers = 0;
  readonly #objects = new Map<string, Map<string, Frozen<ApiObject>>>();
  readonly #listeners = new Map<string, Set<Subscriber<WatcherEvent<Frozen<ApiObject>>>>>();

  get<T extends ApiObject>({ resource }: GroupResource, name: string, namespace = ''): Promise<Frozen<T> | undefined> {
    return Promise.resolve(
      this.#collection(resource).get(namespace === '' ? name : `${namespace}/${name}`) as Frozen<T> | undefined,
    );
  }

  changes<T extends ApiObject>({ resource }: GroupResource): Observable<WatcherEvent<Frozen<T>>> {
    return new Observable<WatcherEvent<Frozen<ApiObject>>>((subscriber) => {
      this.followers += 1;
      const listeners = this.#listeners.get(resource) ?? new Set();
      this.#listeners.set(resource, listeners.add(subscriber));
      this.#list(resource, subscriber);
      return () => listeners.delete(subscriber);
    }).pipe(finalize(() => (this.followers -= 1))) as unknown as Observable<WatcherEvent<Frozen<T>>>;
  }

  set(resource: string, object: ApiObject): void {
    const frozen: Frozen<ApiObject> = deepFreeze(object);
    this.#collection(resource).set(objectKey(frozen), frozen);
    this.#emit(resource, { type: 'applied', object: frozen });
  }

  delete(resource: string, key: string): void {
    const object = this.#collection(resource).get(key);
    if (object === undefined) return;
    this.#collection(resource).delete(key);
    this.#emit(resource, { type: 'deleted', object, finalStateUnknown: false });
  }

  /** Replaces a collection without events, then emits a new list. */
  replace(resource: string, objects: readonly ApiObject[]): void {
    const frozen = objects.map((object): Frozen<ApiObject> => deepFreeze(object));
    this.#objects.set(resource, new Map(frozen.map((object) => [objectKey(object), object])));
    for (const subscriber of this.#listeners.get(resource) ?? []) this.#list(resource, subscriber);
  }

  keys(resource: string): readonly string[] {
    return [...this.#collection(resource).keys()];
  }

  values(resource: string): readonly Frozen<ApiObject>[] {
    return [...this.#collection(resource).values()];
  }

  #collection(resource: string): Map<string, Frozen<ApiObject>> {
    const collection = this.#objects.get(resource) ?? new Map<string, Frozen<ApiObject>>();
    this.#objects.set(resource, collection);
    return collection;
  }

  #list(resource: string, subscriber: Subscriber<WatcherEvent<Frozen<ApiObject>>>): void {
    subscriber.next({ type: 'init' });
    for (const object of this.#collection(resource).values()) subscriber.next({ type: 'listed', object });
    subscriber.next({ type: 'synced', resourceVersion: '1' });
  }

  #emit(resource: string, event: WatcherEvent<Frozen<ApiObject>>): void {
    for (const subscriber of this.#listeners.get(resource) ?? []) subscriber.next(event);
  }
}
