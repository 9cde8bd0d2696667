// Which objects a list or a watch is about, made ready for asking: how to find them (by key, trigger value, name or
// namespace) and how to tell, of one that was found, whether it belongs. Made once for each call.
//
// Inside the cacher keys are those of the store, in full and the very same strings: a part cut out of one would be a
// string that points into another, and comparing those takes V8 five times as long.
import type { Revision } from '../storage/index.js';
import type { CacherOptions, Scope } from './cacher.js';

/** An object as the cache keeps it. */
export interface CachedObject<T extends object> {
  /** The key in the store. */
  readonly key: string;
  readonly object: T;
  /** The revision that wrote it. */
  readonly revision: Revision;
}

/** A part of the resource. */
export interface View<T extends object> {
  /** What all its keys begin with. */
  readonly prefix: string;
  /** The one key that it can have. */
  readonly key: string | undefined;
  /** The one namespace, where it is not one key. */
  readonly namespace: string | undefined;
  /** The one name, where it is not one key. */
  readonly name: string | undefined;
  readonly trigger: Scope<T>['trigger'];
  /** Whether it is all there is below its prefix. */
  readonly isWhole: boolean;
  /** Whether an object under this key may belong. */
  covers(key: string): boolean;
  /** Whether an object belongs. */
  sees(item: CachedObject<T>): boolean;
}

/** The view of a scope. Throws RangeError for a trigger field that the resource does not have. */
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

/** What a view must know of its resource. */
export type ViewedResource<T extends object> = Pick<CacherOptions<T>, 'prefix' | 'namespaced' | 'triggers'>;

/** The namespace of a key of a namespaced resource. */
export function namespaceOf(key: string, { prefix }: { readonly prefix: string }): string {
  return key.slice(prefix.length, key.indexOf('/', prefix.length));
}

/** The name of a key of a namespaced resource. */
export function nameOf(key: string, { prefix }: { readonly prefix: string }): string {
  return key.slice(key.indexOf('/', prefix.length) + 1);
}

function triggerOf<T extends object>({ triggers = {} }: ViewedResource<T>, field: string): (object: T) => string {
  const valueOf = Object.hasOwn(triggers, field) ? triggers[field] : undefined;
  if (valueOf === undefined) throw new RangeError(`cacher: ${field} is no trigger field of this resource`);
  return valueOf;
}
