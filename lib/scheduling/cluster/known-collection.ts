// The objects of one kind, as told by a watch. Lists are made when asked for and kept until something changes, so
// reading costs nothing while writing stays cheap: most kinds change more often than anybody lists them.
import { objectKey } from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';

/** Objects by key, in the order in which they became known. */
export class KnownCollection<T extends ApiObject> {
  readonly #objects = new Map<string, Frozen<T>>();
  /** Made with the first question about a namespace. */
  #byNamespace: Map<string, NamespaceObjects<T>> | undefined;
  #list: readonly Frozen<T>[] | undefined;
  #version = 0;

  /** Another number after every change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** By `namespace/name`, or the name of what has no namespace. */
  get(key: string): Frozen<T> | undefined {
    return this.#objects.get(key);
  }

  /** All, or those of a namespace. */
  list(namespace?: string): readonly Frozen<T>[] {
    if (namespace === undefined) return (this.#list ??= [...this.#objects.values()]);
    const found = this.#namespaces().get(namespace);
    return found === undefined ? none : (found.list ??= [...found.objects.values()]);
  }

  /** The keys of all, as of now. */
  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Adds an object, or puts it in the place of the one with its key, which it answers. */
  set(object: Frozen<T>): Frozen<T> | undefined {
    const key = objectKey(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#changed(object);
    if (this.#byNamespace !== undefined) fileIn(this.#byNamespace, key, object);
    return old;
  }

  /** Removes the object of that key, and answers it. */
  delete(key: string): Frozen<T> | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#changed(old);
    const namespace = namespaceOf(old);
    const filed = this.#byNamespace?.get(namespace);
    filed?.objects.delete(key);
    if (filed?.objects.size === 0) this.#byNamespace?.delete(namespace);
    return old;
  }

  #changed(object: Frozen<T>): void {
    this.#version += 1;
    this.#list = undefined;
    if (this.#byNamespace === undefined) return;
    const filed = this.#byNamespace.get(namespaceOf(object));
    if (filed !== undefined) filed.list = undefined;
  }

  #namespaces(): Map<string, NamespaceObjects<T>> {
    if (this.#byNamespace !== undefined) return this.#byNamespace;
    this.#byNamespace = new Map<string, NamespaceObjects<T>>();
    for (const [key, object] of this.#objects) fileIn(this.#byNamespace, key, object);
    return this.#byNamespace;
  }
}

interface NamespaceObjects<T extends ApiObject> {
  readonly objects: Map<string, Frozen<T>>;
  list: readonly Frozen<T>[] | undefined;
}

function fileIn<T extends ApiObject>(
  namespaces: Map<string, NamespaceObjects<T>>,
  key: string,
  object: Frozen<T>,
): void {
  const namespace = namespaceOf(object);
  const filed = namespaces.get(namespace);
  if (filed === undefined) namespaces.set(namespace, { objects: new Map([[key, object]]), list: undefined });
  else filed.objects.set(key, object);
}

function namespaceOf({ metadata }: Frozen<ApiObject>): string {
  return metadata?.namespace ?? '';
}

const none: readonly never[] = [];
