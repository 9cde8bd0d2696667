// Memoization for plugins: by the versions of known objects, and by the last argument.
import type { CachedKind, ObjectLister } from '../cluster/object-lister.js';

/**
 * Returns a function that recomputes only after an object of these kinds was added, changed or deleted. One result is
 * kept per cluster, and is collected with it.
 */
export function memoizeByKinds<T>(
  kinds: readonly CachedKind[],
  compute: (objects: ObjectLister) => T,
): (objects: ObjectLister) => T {
  const kept = new WeakMap<ObjectLister, { readonly versions: readonly number[]; readonly value: T }>();
  return (objects) => {
    const known = kept.get(objects);
    if (known !== undefined && kinds.every((kind, index) => objects.version(kind) === known.versions[index]))
      return known.value;
    const versions = kinds.map((kind) => objects.version(kind));
    const value = compute(objects);
    kept.set(objects, { versions, value });
    return value;
  };
}

/**
 * Returns a function that recomputes only for another argument than the last. Plugins are called for one pod and many
 * nodes, then for the next pod.
 */
export function memoizeLast<A extends object, T>(compute: (argument: A) => T): (argument: A) => T {
  let last: { readonly argument: A; readonly value: T } | undefined;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, value: compute(argument) };
    return last.value;
  };
}
