// What a caller does with the objects of one kind. A resource client is a ListWatch of the core: `watcher` and
// `reflect` take it as it is. Building one asks nobody; each call is one request, in the words and with the answers of
// the API.
//
// Promises: objects that come out are frozen, and those that go in are never changed or kept; refusals are ApiErrors;
// a signal ends a call with its reason; a watch begins with its subscription and ends with it.
import type { Observable } from 'rxjs';
import type {
  ApiObject,
  Frozen,
  ListOptions,
  NamespacedName,
  Page,
  Persisted,
  RawEvent,
  Status,
  WatchOptions,
} from '../core/index.js';
import type { Scale } from '../core/types/index.js';
import type { ObjectChange } from './modify.js';
import type { Patch } from './patch.js';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ModifyOptions,
  WriteOptions,
} from './request-options.js';
import type { WaitOptions } from './wait-for.js';

/** An object as a server keeps it. */
export type Stored<T extends ApiObject = ApiObject> = Frozen<Persisted<T>>;

/** An object of a kind that no type describes: its fields are there, but nobody promises what they are. */
export type DynamicObject = ApiObject & Readonly<Record<string, unknown>>;

/** Which object: its name in the client's namespace, or both. `namespacedName` of the core reads them off an object. */
export type Name = string | NamespacedName;

/** The objects of one kind, in all namespaces or in one. */
export interface ResourceClient<T extends ApiObject = DynamicObject> {
  /** The same, in one namespace. */
  in(namespace: string): this;
  /** Rejects with NotFound. */
  get(name: Name, options?: GetOptions): Promise<Stored<T>>;
  /** The object, or undefined if there is none: `get` without NotFound. */
  find(name: Name, options?: GetOptions): Promise<Stored<T> | undefined>;
  /** One page, which is the whole list unless a `limit` was set. */
  list(options?: ListOptions): Promise<Page<Stored<T>>>;
  /**
   * What happens, from a revision on or beginning with what there is. Cold; see ListWatch of the core for how it ends.
   */
  watch(options?: WatchOptions): Observable<RawEvent<Stored<T>>>;
  /** Under the object's own name, or one made from its `generateName`. Rejects with AlreadyExists, Invalid, … */
  create(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Replaces the object of that name; with a resourceVersion only if nobody else was faster, or rejects with Conflict.
   */
  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Changes a part of an object. */
  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>>;
  /**
   * Reads, changes and updates an object, again with the newest object on Conflict. `change` returns the object to
   * write, or the same object to write nothing; it may be called several times.
   */
  modify(name: Name, change: ObjectChange<T>, options?: ModifyOptions): Promise<Stored<T>>;
  /**
   * Resolves with the first state of an object that meets the condition, beginning with the current one; `undefined`
   * stands for an object that does not exist.
   */
  waitFor<S extends Stored<T> | undefined>(
    name: Name,
    condition: (object: Stored<T> | undefined) => object is S,
    options?: WaitOptions,
  ): Promise<S>;
  /** The same, with a condition that does not narrow the type. */
  waitFor(
    name: Name,
    condition: (object: Stored<T> | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<Stored<T> | undefined>;
  /** Server-side apply: the object shall have these fields, and this manager owns them. */
  apply(object: Frozen<T>, options: ApplyOptions): Promise<Stored<T>>;
  /** Answers with the object, where it is still waiting or of a kind that says farewell, or with a Status. */
  delete(name: Name, options?: DeleteOptions): Promise<Stored<T> | Status>;
  /** Deletes what a selection finds, all without one, and answers with it. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<Page<Stored<T>>>;
  /** What the system says about objects: only their `status` is written. */
  readonly status: SubresourceClient<T>;
  /** How many of them there are, for whatever has replicas. */
  readonly scale: SubresourceClient<Scale>;
  /** Any other, such as one of a custom resource. Those of Kubernetes' own kinds are in kind-subresources.ts. */
  subresource<S extends ApiObject = DynamicObject>(name: string): SubresourceClient<S>;
}

/**
 * What stands below objects of one kind. Which of the verbs there are depends on the subresource; others are refused.
 */
export interface SubresourceClient<T extends ApiObject = DynamicObject> {
  /** The same, in one namespace. */
  in(namespace: string): SubresourceClient<T>;
  /** As it is. */
  get(name: Name, options?: GetOptions): Promise<Stored<T>>;
  /** For those that are acts rather than parts: binding, eviction, token. */
  create(name: Name, object: Frozen<T>, options?: WriteOptions): Promise<Frozen<T> | Status>;
  /** Reads, changes and updates it, again with the newest on Conflict. */
  modify(name: Name, change: ObjectChange<T>, options?: ModifyOptions): Promise<Stored<T>>;
  /** Replaces it, below the object of that name. */
  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Changes a part of it. */
  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Server-side apply. */
  apply(object: Frozen<T>, options: ApplyOptions): Promise<Stored<T>>;
}
