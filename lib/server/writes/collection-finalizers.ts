// What shall become of the dependents of a deleted object is kept as a finalizer of the garbage collector: `orphan`,
// `foregroundDeletion`, or none for the background. As registry/generic/registry/store.go,
// deletionFinalizersForGarbageCollection.
import type { KindStrategy } from '../../core/index.js';
import type { RequestOptions } from '../../client/index.js';
import type { Stored } from '../registry/stored-kind.js';

/** The finalizers that an object about to be deleted has to have. */
export function collectionFinalizers(strategy: KindStrategy, old: Stored, options: RequestOptions): readonly string[] {
  const current = old.metadata?.finalizers ?? [];
  const others = current.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  const policy = policyOf(strategy, current, options);
  const wanted = policy === 'Orphan' ? [...others, orphan] : policy === 'Foreground' ? [...others, foreground] : others;
  const isSame = wanted.length === current.length && wanted.every((finalizer) => current.includes(finalizer));
  return isSame ? current : wanted;
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

function policyOf(
  strategy: KindStrategy,
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: RequestOptions,
): string {
  if (strategy.ignoresPropagation === true) return 'Background';
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background';
  if (propagationPolicy !== undefined) return propagationPolicy;
  const said = finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground);
  if (said !== undefined) return said === orphan ? 'Orphan' : 'Foreground';
  return strategy.propagation ?? 'Background';
}
