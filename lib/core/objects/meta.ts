// The part every API object has in common: type and object metadata, lists, and a few functions for any object.
// The interfaces are mutable with optional fields because callers write them as literals; what storage, caches and
// watches return is Frozen<Persisted<T>>. Readers take Frozen views, which mutable values also satisfy.
// Field names and meanings as apimachinery/pkg/apis/meta/v1/types.go; the metadata types themselves are generated.
import type { JsonValue } from './json.js';
import type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../types/meta-v1.generated.js';

export type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference };

/** Group, version and kind of an object as written on the wire. */
export interface TypeMeta {
  apiVersion?: string;
  kind?: string;
}

/** The part that all objects of the API share; kinds add their own fields. */
export interface ApiObject extends TypeMeta {
  metadata?: ObjectMeta;
}

/** A list of objects as the API returns it. */
export interface ApiList<T extends ApiObject = ApiObject> extends TypeMeta {
  metadata?: ListMeta;
  items: T[];
}

/** An object that storage has accepted: the server-set metadata is present. */
export type Persisted<T extends ApiObject = ApiObject> = T & {
  metadata: ObjectMeta & Required<Pick<ObjectMeta, 'name' | 'uid' | 'resourceVersion' | 'creationTimestamp'>>;
};

/** T with every property and element read-only, all the way down. Made by `deepFreeze`; any T may be read as one. */
export type Frozen<T> = [JsonValue] extends [T] // unknown shapes: JsonValue is read-only as it is
  ? T
  : T extends string | number | bigint | boolean | symbol | null | undefined | ((...args: never) => unknown)
    ? T
    : { readonly [K in keyof T]: Frozen<T[K]> };

/** The namespace and name of an object; `namespace` is empty for cluster-scoped objects. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Reads namespace and name, each empty when absent. */
export function namespacedName(object: Frozen<ApiObject>): NamespacedName {
  const { namespace = '', name = '' } = object.metadata ?? {};
  return { namespace, name };
}

/** `namespace/name`, or `name` alone without a namespace. As client-go/tools/cache/store.go, MetaNamespaceKeyFunc. */
export function objectKey(object: Frozen<ApiObject>): string {
  return printNamespacedName(namespacedName(object));
}

/** Returns the same key for an object by its namespace and name. */
export function printNamespacedName({ namespace, name }: NamespacedName): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The inverse of `objectKey`; undefined when the key has more than one slash, as no object's key has. */
export function parseObjectKey(key: string): NamespacedName | undefined {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: '', name: key };
  const name = key.slice(slash + 1);
  return name.includes('/') ? undefined : { namespace: key.slice(0, slash), name };
}

/** Returns whether the object is being deleted: it waits for finalizers or its grace period. */
export function isTerminating(object: Frozen<ApiObject>): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/**
 * Returns whether an object is as it was before the other: an earlier version of the same, or of another of its name.
 * Revisions are whole numbers, written without leading zeros.
 */
export function isOlderVersion(object: Frozen<ApiObject>, other: Frozen<ApiObject>): boolean {
  const [revision, otherRevision] = [object.metadata?.resourceVersion ?? '', other.metadata?.resourceVersion ?? ''];
  return revision.length === otherRevision.length ? revision < otherRevision : revision.length < otherRevision.length;
}
