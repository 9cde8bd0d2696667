// Which objects a list or a watch is about, made ready for asking: how to find them (by key, trigger value, name or
// namespace) and how to tell, of one that was found, whether it belongs. Made once for each call.
import type { Revision } from '../storage/index.js';
import type { CacherOptions, Scope } from './cacher.js';

/** An object as the cache keeps it. */
export interface Item<T extends object> {
  /** Relative to the prefix of the resource. */
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
  sees(item: Item<T>): boolean;
}

/** The view of a scope. Throws RangeError for a trigger field that the resource does not have. */
export function viewOf<T extends object>(scope: Scope<T>, resource: Pick<CacherOptions<T>, 'namespaced' | 'triggers'>): View<T> {
  const { name, trigger, matches } = scope;
  const namespace = resource.namespaced ? scope.namespace : undefined;
  const prefix = namespace === undefined ? '' : `${namespace}/`;
  const key = name !== undefined && (namespace !== undefined || !resource.namespaced) ? prefix + name : undefined;
  const covers = coversOf({ prefix, key, name });
  const valueOf = trigger && triggerOf(resource, trigger.field);
  return {
    prefix,
    key,
    namespace,
    name,
    trigger,
    isWhole: name === undefined && trigger === undefined && matches === undefined,
    covers,
    sees: ({ key: its, object }) => covers(its) && valueOf?.(object) === trigger?.value && (matches === undefined || matches(object)),
  };
}

/** The namespace of a key; empty where it has none. */
export function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('/')));
}

/** The name of a key. */
export function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

function coversOf({ prefix, key, name }: { readonly prefix: string; readonly key: string | undefined; readonly name: string | undefined }): (key: string) => boolean {
  if (key !== undefined) return (its) => its === key;
  if (name !== undefined) return (its) => nameOf(its) === name;
  return prefix === '' ? () => true : (its) => its.startsWith(prefix);
}

function triggerOf<T extends object>({ triggers = {} }: Pick<CacherOptions<T>, 'triggers'>, field: string): (object: T) => string {
  const valueOf = Object.hasOwn(triggers, field) ? triggers[field] : undefined;
  if (valueOf === undefined) throw new RangeError(`cacher: ${field} is no trigger field of this resource`);
  return valueOf;
}
