// A kind as the server keeps it: one for all versions that share a hub. Knows the keys, turns entries of the store into
// objects and back, and holds the cache that everybody reads.
//
// Stored values are in the kind's storage version and have no resourceVersion: the store's revision is it. What is
// handed out is in the hub version, complete, frozen, and stamped with the revision.
import { createCacher } from '../../cacher/index.js';
import type { Cacher } from '../../cacher/index.js';
import { decodeValue, deepCopy, deepFreeze, nameIsDnsSubdomain, printGroupVersion } from '../../core/index.js';
import type {
  ApiObject,
  Converter,
  Frozen,
  FieldReader,
  GroupResource,
  GroupVersionResource,
  JsonObject,
  KindDefinition,
  KindStrategy,
  ResourceDefinition,
} from '../../core/index.js';
import type { Entry, Revision } from '../../storage/index.js';
import type { RegistryOptions } from './registry.js';
import { storagePrefix } from './storage-prefix.js';

/** An object as it is handed out. */
export type StoredObject = Frozen<ApiObject>;

/** A kind with its place in the store. */
export class StoredKind {
  /** The hub version. */
  readonly definition: KindDefinition;
  readonly strategy: KindStrategy;
  readonly ref: GroupResource;
  readonly namespaced: boolean;
  readonly subresources: ReadonlySet<string>;
  readonly prefix: string;
  readonly #options: RegistryOptions;
  /** Conversions are looked up once: a kind whose definition changes is replaced by another StoredKind. */
  readonly #storage: KindDefinition;
  readonly #toStorage: Converter;
  readonly #toHub: Converter;
  readonly #endpoints: GroupVersionResource[] = [];
  /** Values on their way into the store: they need no decoding when they come back. */
  readonly #underWay = new Set<JsonObject>();
  #cacher: Cacher<StoredObject> | undefined;
  #emptyStatus: unknown;
  #isClosed = false;

  constructor(definition: KindDefinition, resource: ResourceDefinition, options: RegistryOptions) {
    const scheme = options.kinds.current;
    this.definition = definition;
    this.strategy = definition.strategy?.forServer?.() ?? definition.strategy ?? plainStrategy;
    this.ref = { group: definition.group, resource: resource.plural };
    this.namespaced = resource.namespaced;
    this.subresources = new Set(resource.subresources.map(({ name }) => name));
    this.prefix = storagePrefix(this.ref);
    this.#options = options;
    this.#storage = scheme.storageOf(definition);
    this.#toStorage = scheme.converter(definition, this.#storage);
    this.#toHub = scheme.converter(this.#storage, definition);
  }

  /** Where its versions are served. */
  get endpoints(): readonly GroupVersionResource[] {
    return this.#endpoints;
  }

  /** Notes that one of its versions is served there. */
  servedAt(gvr: GroupVersionResource): void {
    this.#endpoints.push(gvr);
  }

  /** Ends all watches. Reads that still wait for the cache are rejected with StoreError `closed`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#cacher?.close();
  }

  /** What everybody reads. Made when first asked for: a kind that is only written, as at the start, needs none. */
  get cacher(): Cacher<StoredObject> {
    return (this.#cacher ??= this.#makeCacher());
  }

  /** The key relative to the prefix. */
  keyOf(namespace: string, name: string): string {
    return this.namespaced ? `${namespace}/${name}` : name;
  }

  /** What a selector sees of an object; undefined for fields that cannot be selected. */
  fieldOf(object: StoredObject, field: string): string | undefined {
    if (field === 'metadata.name') return object.metadata?.name ?? '';
    if (field === 'metadata.namespace') return object.metadata?.namespace ?? '';
    const { selectableFields } = this.strategy;
    const read: FieldReader | undefined =
      selectableFields !== undefined && Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
    return read?.(object);
  }

  /** The object of an entry. */
  read(entry: Entry): StoredObject {
    const known = this.#underWay.has(entry.value);
    return withRevision(known ? this.#fromStorage(entry.value) : this.#decode(entry.value), entry.modRevision);
  }

  /**
   * What to store of an object, which may be the object itself and is not to be changed any more, and its key. Until
   * `done` is called the store may hand it back undecoded.
   */
  write(
    key: string,
    object: ApiObject,
  ): { readonly key: string; readonly value: JsonObject; readonly done: () => void } {
    const full = this.prefix + key;
    const bare = deepFreeze(withoutRevision(object));
    const value = (this.#storage === this.definition ? bare : this.#toStorage(bare)) as JsonObject;
    deepFreeze(value);
    this.#underWay.add(value);
    return { key: full, value, done: () => void this.#underWay.delete(value) };
  }

  /** A fresh, empty status with what Kubernetes always prints in it; undefined where the kind has none. */
  emptyStatus(): unknown {
    return deepCopy((this.#emptyStatus ??= decodeValue(this.definition.type(), { status: {} }).object.status));
  }

  #makeCacher(): Cacher<StoredObject> {
    const { store, clock } = this.#options;
    const cacher = createCacher<StoredObject>({
      store,
      clock,
      prefix: this.prefix,
      namespaced: this.namespaced,
      read: (entry) => this.read(entry),
      withRevision,
      triggers: Object.fromEntries(
        (this.strategy.triggerFields ?? []).map((field) => [
          field,
          (object: StoredObject) => this.fieldOf(object, field) ?? '',
        ]),
      ),
    });
    if (this.#isClosed) void cacher.close();
    return cacher;
  }

  #decode(value: JsonObject): StoredObject {
    const { object } = decodeValue(this.#storage.type(), value);
    const decoded: ApiObject = object;
    decoded.kind = this.#storage.kind;
    decoded.apiVersion = printGroupVersion(this.#storage);
    this.#storage.setDefaults?.(decoded);
    return this.#fromStorage(decoded);
  }

  #fromStorage(object: StoredObject): StoredObject {
    return this.#toHub(object);
  }
}

/** The object itself where it has none. */
function withoutRevision(object: ApiObject): ApiObject {
  if (object.metadata?.resourceVersion === undefined) return object;
  // Copied without it: `delete` would leave an object that is slow to copy and to read ever after.
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object under another revision; frozen. */
export function withRevision(object: StoredObject, revision: Revision): StoredObject {
  deepFreeze(object); // which it is already, as a rule; what follows is faster than to look once more
  return Object.freeze({ ...object, metadata: Object.freeze({ ...object.metadata, resourceVersion: `${revision}` }) });
}

/** The revision an object is of; 0 for one that was never stored. */
export function revisionOf(object: Frozen<ApiObject>): Revision {
  return Number(object.metadata?.resourceVersion ?? 0);
}

const plainStrategy: KindStrategy = { nameRule: nameIsDnsSubdomain };
