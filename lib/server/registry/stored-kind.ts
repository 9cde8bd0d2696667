// A kind in the store, one for all versions that share a hub: its keys, the conversion between entries of the store and
// objects, and the cache that all reads use.
//
// Stored values are in the kind's storage version and have no resourceVersion: it is the revision of the store. Objects
// that are handed out are in the hub version, complete, frozen, and stamped with the revision.
import { createCacher } from '../../cacher/index.js';
import type { Cacher } from '../../cacher/index.js';
import {
  FieldOwnership,
  decodeValue,
  deepCopy,
  deepFreeze,
  nameIsDnsSubdomain,
  printGroupVersion,
  withMembers,
} from '../../core/index.js';
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
import { convertedStore } from './converted-store.js';
import { ownedKind } from './owned-kind.js';
import type { RegistryOptions, SharedTypes } from './registry.js';

/** A stored object in the hub version: frozen, with its resourceVersion. */
export type StoredObject = Frozen<ApiObject>;

/** A kind in the store. */
export class StoredKind {
  /** The hub version. */
  readonly definition: KindDefinition;
  readonly strategy: KindStrategy;
  readonly ref: GroupResource;
  readonly namespaced: boolean;
  readonly subresources: ReadonlySet<string>;
  readonly prefix: string;
  readonly #options: RegistryOptions & SharedTypes;
  /** Converters are looked up once: a kind whose definition changes is replaced by another StoredKind. */
  readonly #storage: KindDefinition;
  readonly #toStorage: Converter;
  readonly #toHub: Converter;
  readonly #endpoints: GroupVersionResource[] = [];
  /** Values of pending writes: complete, so they need no decoding when the store returns them. */
  readonly #pendingValues = new Set<JsonObject>();
  #cacher: Cacher<StoredObject> | undefined;
  #emptyStatus: unknown;
  #ownership: FieldOwnership | undefined;
  #isClosed = false;

  constructor(definition: KindDefinition, resource: ResourceDefinition, options: RegistryOptions & SharedTypes) {
    const scheme = options.kinds.current;
    this.definition = definition;
    this.strategy = definition.strategy?.forServer?.() ?? definition.strategy ?? plainStrategy;
    this.ref = { group: definition.group, resource: resource.plural };
    this.namespaced = resource.namespaced;
    this.subresources = new Set(resource.subresources.map(({ name }) => name));
    this.prefix = definition.versionStorage === undefined ? storagePrefix(this.ref) : customPrefix(this.ref);
    this.#options = options;
    this.#storage = scheme.storageOf(definition);
    this.#toStorage = scheme.converter(definition, this.#storage);
    this.#toHub = scheme.converter(this.#storage, definition);
  }

  /** The resources at which its versions are served. */
  get endpoints(): readonly GroupVersionResource[] {
    return this.#endpoints;
  }

  /** Records that one of its versions is served there. */
  servedAt(gvr: GroupVersionResource): void {
    this.#endpoints.push(gvr);
  }

  /** Keeps the managed fields of its objects. */
  get ownership(): FieldOwnership {
    const { kinds, applyTypeOf } = this.#options;
    return (this.#ownership ??= new FieldOwnership(ownedKind(this.definition, () => kinds.current, applyTypeOf)));
  }

  /** Ends all watches. Reads that still wait for the cache are rejected with StoreError `closed`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#cacher?.close();
  }

  /** Drops data of the cache that only earlier revisions need, after the store was compacted. */
  compact(revision: Revision): void {
    this.#cacher?.compact(revision);
  }

  /** The cache that all reads use. Created on first access: a kind that is only written at the start needs none. */
  get cacher(): Cacher<StoredObject> {
    return (this.#cacher ??= this.#makeCacher());
  }

  /** Whether stored values are converted by calls, so that entries of the store cannot be read as they are. */
  get isConverted(): boolean {
    return this.definition.versionStorage?.convert !== undefined;
  }

  /** The key relative to the prefix. */
  keyOf(namespace: string, name: string): string {
    return this.namespaced ? `${namespace}/${name}` : name;
  }

  /** The value of a selectable field; undefined for fields that cannot be selected. */
  fieldOf(object: StoredObject, field: string): string | undefined {
    if (field === 'metadata.name') return object.metadata?.name ?? '';
    if (field === 'metadata.namespace') return object.metadata?.namespace ?? '';
    const { selectableFields } = this.strategy;
    const read: FieldReader | undefined =
      selectableFields !== undefined && Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
    return read?.(object);
  }

  /** Decodes an entry of the store. */
  read(entry: Entry): StoredObject {
    const isComplete = this.#pendingValues.has(entry.value);
    return withRevision(isComplete ? this.#fromStorage(entry.value) : this.#decode(entry.value), entry.modRevision);
  }

  /**
   * Returns the key and value to store for an object. The value may be the object itself, which must not be changed any
   * more. Until `done` is called the value is known as complete and is not decoded again.
   */
  write(
    key: string,
    object: ApiObject,
  ): { readonly key: string; readonly value: JsonObject; readonly done: () => void } {
    const full = this.prefix + key;
    const bare = deepFreeze(withoutRevision(object));
    const { versionStorage } = this.definition;
    if (versionStorage !== undefined && this.#storage !== this.definition) {
      // Not complete: fields that the storage version does not know are gone.
      const value = deepFreeze(versionStorage.write(bare, printGroupVersion(this.#storage)));
      return { key: full, value, done: () => undefined };
    }
    const value = (this.#storage === this.definition ? bare : this.#toStorage(bare)) as JsonObject;
    deepFreeze(value);
    this.#pendingValues.add(value);
    return { key: full, value, done: () => void this.#pendingValues.delete(value) };
  }

  /** Returns the key and value of an object of a kind that is converted by calls. Rejects with ApiError 500. */
  async writeConverted(key: string, object: ApiObject): Promise<ReturnType<StoredKind['write']>> {
    const { versionStorage } = this.definition;
    if (versionStorage?.convert === undefined || this.#storage === this.definition) return this.write(key, object);
    const bare = deepFreeze(withoutRevision(object)) as JsonObject;
    const [value = bare] = await versionStorage.convert([bare], printGroupVersion(this.#storage));
    return { key: this.prefix + key, value: deepFreeze(value), done: () => undefined };
  }

  /** Returns a new empty status with the fields that Kubernetes always prints; undefined where the kind has none. */
  emptyStatus(): unknown {
    return deepCopy((this.#emptyStatus ??= decodeValue(this.definition.type(), { status: {} }).object.status));
  }

  #makeCacher(): Cacher<StoredObject> {
    const { store, clock } = this.#options;
    const { versionStorage } = this.definition;
    const cacher = createCacher<StoredObject>({
      store:
        versionStorage?.convert === undefined
          ? store
          : convertedStore(store, versionStorage.convert, printGroupVersion(this.definition)),
      clock,
      prefix: this.prefix,
      namespaced: this.namespaced,
      forgetsHistory: versionStorage !== undefined,
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
    const { versionStorage } = this.definition;
    if (versionStorage !== undefined) return versionStorage.read(value);
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

/** Returns the object without resourceVersion; the object itself where it has none. */
function withoutRevision(object: ApiObject): ApiObject {
  if (object.metadata?.resourceVersion === undefined) return object;
  // Copied rather than deleted from: `delete` leaves an object that is slow to copy and read.
  const { resourceVersion: _revision, ...metadata } = object.metadata;
  return withMembers(object, { metadata });
}

/** Returns a frozen copy with another resourceVersion. */
export function withRevision(object: StoredObject, revision: Revision): StoredObject {
  deepFreeze(object); // usually frozen already, which costs one check
  return Object.freeze({ ...object, metadata: Object.freeze({ ...object.metadata, resourceVersion: `${revision}` }) });
}

/** The revision of an object; 0 for one that was never stored. */
export function revisionOf(object: Frozen<ApiObject>): Revision {
  return Number(object.metadata?.resourceVersion ?? 0);
}

const plainStrategy: KindStrategy = { nameRule: nameIsDnsSubdomain };

/**
 * The prefix of a resource's keys (`namespace/name` or `name` follows): that of a kube-apiserver, so that tools for
 * etcd work. As pkg/kubeapiserver/default_storage_factory_builder.go; the two extension servers put their group first.
 */
function storagePrefix({ group, resource }: GroupResource): string {
  const special = specialPaths[`${group}/${resource}`];
  if (special !== undefined) return `/registry/${special}/`;
  // Names of custom groups contain a dot; those of built-in groups have none or end in one of these suffixes.
  const isBuiltin = group === '' || !group.includes('.') || builtinSuffixes.some((suffix) => group.endsWith(suffix));
  return isBuiltin && !extensionGroups.has(group) ? `/registry/${resource}/` : `/registry/${group}/${resource}/`;
}

/** That of custom resources, which always has the group: names of groups and of resources may be any. */
export function customPrefix({ group, resource }: GroupResource): string {
  return `/registry/${group}/${resource}/`;
}

const specialPaths: Readonly<Record<string, string>> = {
  '/replicationcontrollers': 'controllers',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
};
const builtinSuffixes: readonly string[] = ['.k8s.io'];
const extensionGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
