// The client of one kind. It is a ListWatch, so `watcher` and `reflect` accept it. Creating one sends no request; each
// call is one request.
//
// Returned objects are frozen, and objects passed in are neither changed nor kept. Errors of the server are ApiErrors.
// A signal makes a call reject with its reason. A watch begins with its subscription and ends with it.
import type {
  ApiObject,
  Frozen,
  ListOptions,
  NamespacedName,
  Page,
  Persisted,
  Status,
  WatchOptions,
} from '../../core/index.js';
import type { Scale } from '../../core/types/index.js';
import type { ObjectChange } from './modify.js';
import type { AppliedObject, Patch } from './patch.js';
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ModifyOptions,
  WriteOptions,
} from './request-options.js';
import type { WaitOptions } from './wait-for.js';
import type { WatchEvents } from './watch-events.js';

/** An object as the server stores it, with uid and resourceVersion. */
export type Stored<T extends ApiObject = ApiObject> = Frozen<Persisted<T>>;

/** An object of a kind without a TypeScript type. */
export type DynamicObject = ApiObject & Readonly<Record<string, unknown>>;

/**
 * The name of an object in the client's namespace, or a name with its namespace. `namespacedName` of the core returns
 * the latter.
 */
export type Name = string | NamespacedName;

/** The client of one kind, for all namespaces or for one. */
export interface ResourceClient<T extends ApiObject = DynamicObject> {
  /** True where the server runs in this process; see ListWatch. */
  readonly isInProcess?: boolean;
  /** Returns the client for one namespace. */
  in(namespace: string): this;
  /** Reads an object. Rejects with NotFound. */
  get(name: Name, options?: GetOptions): Promise<Stored<T>>;
  /** Reads an object; undefined if there is none. */
  find(name: Name, options?: GetOptions): Promise<Stored<T> | undefined>;
  /** Lists objects: one page, which is the whole list unless `limit` is set. */
  list(options?: ListOptions): Promise<Page<Stored<T>>>;
  /**
   * Emits changes after a revision, or the current objects first. Cold; see ListWatch for how it ends. Also an async
   * iterable: `for await (const event of pods.watch())`.
   */
  watch(options?: WatchOptions): WatchEvents<Stored<T>>;
  /** Creates an object, under its name or one generated from `generateName`. Rejects with AlreadyExists, Invalid, … */
  create(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces an object. With a resourceVersion it rejects with Conflict if the object has changed since. */
  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Patches an object. */
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
  /**
   * Server-side apply: sets these fields and makes the field manager their owner. Fields that it applied before and
   * that are not among them are removed, unless others own them. Creates the object where it does not exist. Rejects
   * with Conflict where another manager owns a field that would change, unless `force` is set.
   */
  apply(object: AppliedObject<T>, options: ApplyOptions): Promise<Stored<T>>;
  /**
   * Deletes an object. Resolves with the object if it is terminating or if its kind returns it, otherwise with a
   * Status.
   */
  delete(name: Name, options?: DeleteOptions): Promise<Stored<T> | Status>;
  /** Deletes the selected objects, by default all, and resolves with them. */
  deleteCollection(options?: DeleteCollectionOptions): Promise<Page<Stored<T>>>;
  /** The `status` subresource: writes change only the status. */
  readonly status: SubresourceClient<T>;
  /** The `scale` subresource of kinds with replicas. */
  readonly scale: SubresourceClient<Scale>;
  /**
   * Returns another subresource, such as one of a custom resource. Those of built-in kinds are in kind-subresources.ts.
   */
  subresource<S extends ApiObject = DynamicObject>(name: string): SubresourceClient<S>;
}

/** The client of a subresource. Which verbs exist depends on the subresource; the server refuses others. */
export interface SubresourceClient<T extends ApiObject = DynamicObject> {
  /** Returns the client for one namespace. */
  in(namespace: string): SubresourceClient<T>;
  /** Reads the subresource. */
  get(name: Name, options?: GetOptions): Promise<Stored<T>>;
  /** Creates, for subresources that are actions: binding, eviction, token. */
  create(name: Name, object: Frozen<T>, options?: WriteOptions): Promise<Frozen<T> | Status>;
  /** Reads, changes and updates the subresource, again with the newest state on Conflict. */
  modify(name: Name, change: ObjectChange<T>, options?: ModifyOptions): Promise<Stored<T>>;
  /** Replaces the subresource of the object of that name. */
  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Patches the subresource. */
  patch(name: Name, patch: Patch<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Server-side apply. */
  apply(object: AppliedObject<T>, options: ApplyOptions): Promise<Stored<T>>;
}
