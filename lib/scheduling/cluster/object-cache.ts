// Caches of the objects that the scheduler watches. Lists are built on demand and kept until the next change, because
// most kinds change more often than they are listed.
import { objectKey } from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { CachedKind, CachedKinds, ObjectLister } from './object-lister.js';

/** The cached objects of one kind, by key, in order of addition. */
export class KindCache<T extends ApiObject> {
  readonly #objects = new Map<string, Frozen<T>>();
  /** Index by namespace, built by the first list of a namespace. */
  #byNamespace: Map<string, NamespaceObjects<T>> | undefined;
  #list: readonly Frozen<T>[] | undefined;
  #version = 0;

  /** Changes with every write. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Returns an object by `namespace/name`, or by name if it is cluster-scoped. */
  get(key: string): Frozen<T> | undefined {
    return this.#objects.get(key);
  }

  /** Returns all objects, or those of a namespace. */
  list(namespace?: string): readonly Frozen<T>[] {
    if (namespace === undefined) return (this.#list ??= [...this.#objects.values()]);
    const found = this.#namespaces().get(namespace);
    return found === undefined ? none : (found.list ??= [...found.objects.values()]);
  }

  /** Returns the keys of all objects. */
  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Adds or replaces an object. Returns the replaced one. */
  set(object: Frozen<T>): Frozen<T> | undefined {
    const key = objectKey(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#changed(object);
    if (this.#byNamespace !== undefined) addToNamespace(this.#byNamespace, key, object);
    return old;
  }

  /** Removes an object by key and returns it. */
  delete(key: string): Frozen<T> | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#changed(old);
    const namespace = namespaceOf(old);
    const indexed = this.#byNamespace?.get(namespace);
    indexed?.objects.delete(key);
    if (indexed?.objects.size === 0) this.#byNamespace?.delete(namespace);
    return old;
  }

  #changed(object: Frozen<T>): void {
    this.#version += 1;
    this.#list = undefined;
    if (this.#byNamespace === undefined) return;
    const indexed = this.#byNamespace.get(namespaceOf(object));
    if (indexed !== undefined) indexed.list = undefined;
  }

  #namespaces(): Map<string, NamespaceObjects<T>> {
    if (this.#byNamespace !== undefined) return this.#byNamespace;
    this.#byNamespace = new Map<string, NamespaceObjects<T>>();
    for (const [key, object] of this.#objects) addToNamespace(this.#byNamespace, key, object);
    return this.#byNamespace;
  }
}

interface NamespaceObjects<T extends ApiObject> {
  readonly objects: Map<string, Frozen<T>>;
  list: readonly Frozen<T>[] | undefined;
}

function addToNamespace<T extends ApiObject>(
  namespaces: Map<string, NamespaceObjects<T>>,
  key: string,
  object: Frozen<T>,
): void {
  const namespace = namespaceOf(object);
  const indexed = namespaces.get(namespace);
  if (indexed === undefined) namespaces.set(namespace, { objects: new Map([[key, object]]), list: undefined });
  else indexed.objects.set(key, object);
}

function namespaceOf({ metadata }: Frozen<ApiObject>): string {
  return metadata?.namespace ?? '';
}

const none: readonly never[] = [];

/** The caches of all watched kinds other than pods and nodes. */
export class ObjectCache implements ObjectLister {
  readonly #kinds: { readonly [K in CachedKind]: KindCache<CachedKinds[K]> } = {
    Namespace: new KindCache(),
    Service: new KindCache(),
    ReplicationController: new KindCache(),
    ReplicaSet: new KindCache(),
    StatefulSet: new KindCache(),
    PodDisruptionBudget: new KindCache(),
    PersistentVolume: new KindCache(),
    PersistentVolumeClaim: new KindCache(),
    StorageClass: new KindCache(),
    CSINode: new KindCache(),
    CSIDriver: new KindCache(),
    CSIStorageCapacity: new KindCache(),
    VolumeAttachment: new KindCache(),
    ResourceClaim: new KindCache(),
    ResourceSlice: new KindCache(),
    DeviceClass: new KindCache(),
  };

  get<K extends CachedKind>(kind: K, key: string): Frozen<CachedKinds[K]> | undefined {
    return this.#kinds[kind].get(key);
  }

  list<K extends CachedKind>(kind: K, namespace?: string): readonly Frozen<CachedKinds[K]>[] {
    return this.#kinds[kind].list(namespace);
  }

  version(kind: CachedKind): number {
    return this.#kinds[kind].version;
  }

  /** Returns the cache of a kind, for writing. */
  of<K extends CachedKind>(kind: K): KindCache<CachedKinds[K]> {
    return this.#kinds[kind];
  }
}
