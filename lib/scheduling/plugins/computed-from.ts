// Results that depend on known objects of some kinds only, kept until one of these changes. One result is kept for each
// cluster, and goes with it.
import type { KnownKind, KnownObjects } from '../cluster/known-objects.js';

/** The same function, computing again only when an object of these kinds came, changed or went. */
export function computedFrom<T>(
  kinds: readonly KnownKind[],
  compute: (objects: KnownObjects) => T,
): (objects: KnownObjects) => T {
  const kept = new WeakMap<KnownObjects, { readonly versions: readonly number[]; readonly value: T }>();
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
