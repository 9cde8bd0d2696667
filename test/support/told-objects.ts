// Objects that a test tells a part of the server about: an ObjectReader whose collections change when the test says so.
import { Observable, finalize } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { deepFreeze, objectKey } from '../../lib/core/index.js';
import type { ApiObject, Frozen, GroupResource, ObjectReader, WatcherEvent } from '../../lib/core/index.js';

/** A reader, and what tells it. */
export class ToldObjects implements ObjectReader {
  /** How many follow a collection now. */
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
    this.#tell(resource, { type: 'applied', object: frozen });
  }

  delete(resource: string, key: string): void {
    const object = this.#collection(resource).get(key);
    if (object === undefined) return;
    this.#collection(resource).delete(key);
    this.#tell(resource, { type: 'deleted', object, finalStateUnknown: false });
  }

  /** Changes a collection while nobody hears, then lists it anew. */
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
    const known = this.#objects.get(resource) ?? new Map<string, Frozen<ApiObject>>();
    this.#objects.set(resource, known);
    return known;
  }

  #list(resource: string, subscriber: Subscriber<WatcherEvent<Frozen<ApiObject>>>): void {
    subscriber.next({ type: 'init' });
    for (const object of this.#collection(resource).values()) subscriber.next({ type: 'listed', object });
    subscriber.next({ type: 'synced', resourceVersion: '1' });
  }

  #tell(resource: string, event: WatcherEvent<Frozen<ApiObject>>): void {
    for (const subscriber of this.#listeners.get(resource) ?? []) subscriber.next(event);
  }
}
