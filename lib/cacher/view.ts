// The selection of a list or a watch, prepared once per call: how objects are found (by key, trigger value, name or
// namespace) and whether one matches.
//
// Inside the cacher keys are the full keys of the store, as the same string instances: a slice would be a string that
// points into another one, which V8 compares five times as slowly.
import type { Revision } from '../storage/index.js';
import type { CacherOptions, Scope } from './cacher.js';

/** A cached object. */
export interface CachedObject<T extends object> {
  /** The key in the store. */
  readonly key: string;
  readonly object: T;
  /** The revision of its last write. */
  readonly revision: Revision;
}

/** A selection of objects. */
export interface View<T extends object> {
  /** The common prefix of all keys. */
  readonly prefix: string;
  /** The only possible key, if there is one. */
  readonly key: string | undefined;
  /** The only namespace, if `key` is undefined. */
  readonly namespace: string | undefined;
  /** The only name, if `key` is undefined. */
  readonly name: string | undefined;
  readonly trigger: Scope<T>['trigger'];
  /** Whether all objects below the prefix match. */
  readonly isWhole: boolean;
  /** Returns whether an object of this key may match. */
  covers(key: string): boolean;
  /** Returns whether an object matches. */
  sees(item: CachedObject<T>): boolean;
}

/** Returns the view of a scope. Throws RangeError for an unknown trigger field. */
export function viewOf<T extends object>(scope: Scope<T>, resource: ViewedResource<T>): View<T> {
  const { name, trigger, matches } = scope;
  const namespace = resource.namespaced ? scope.namespace : undefined;
  const prefix = namespace === undefined ? resource.prefix : `${resource.prefix}${namespace}/`;
  const key = name !== undefined && (namespace !== undefined || !resource.namespaced) ? prefix + name : undefined;
  const covers = (its: string): boolean => {
    if (key !== undefined) return its === key;
    return name === undefined ? namespace === undefined || its.startsWith(prefix) : nameOf(its, resource) === name;
  };
  const valueOf = trigger && triggerOf(resource, trigger.field);
  return {
    prefix,
    key,
    namespace,
    name,
    trigger,
    isWhole: name === undefined && trigger === undefined && matches === undefined,
    covers,
    sees: ({ key: its, object }) =>
      covers(its) && valueOf?.(object) === trigger?.value && (matches === undefined || matches(object)),
  };
}

/** The resource of a view. */
export type ViewedResource<T extends object> = Pick<CacherOptions<T>, 'prefix' | 'namespaced' | 'triggers'>;

/** Returns the namespace of a key of a namespaced resource. */
export function namespaceOf(key: string, { prefix }: { readonly prefix: string }): string {
  return key.slice(prefix.length, key.indexOf('/', prefix.length));
}

/** Returns the name of a key of a namespaced resource. */
export function nameOf(key: string, { prefix }: { readonly prefix: string }): string {
  return key.slice(key.indexOf('/', prefix.length) + 1);
}

function triggerOf<T extends object>({ triggers = {} }: ViewedResource<T>, field: string): (object: T) => string {
  const valueOf = Object.hasOwn(triggers, field) ? triggers[field] : undefined;
  if (valueOf === undefined) throw new RangeError(`cacher: ${field} is no trigger field of this resource`);
  return valueOf;
}
