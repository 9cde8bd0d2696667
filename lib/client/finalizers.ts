// Finalizers and conditions as pure changes of objects, for `modify`.
import type { ApiObject, Frozen } from '../core/index.js';

/** Returns the object with the finalizer; the same object if it has it already. */
export function addFinalizer<T extends Frozen<ApiObject>>(object: T, finalizer: string): T {
  const finalizers = object.metadata?.finalizers ?? [];
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** Returns the object without the finalizer; the same object if it does not have it. */
export function removeFinalizer<T extends Frozen<ApiObject>>(object: T, finalizer: string): T {
  const finalizers = object.metadata?.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: finalizers.filter((each) => each !== finalizer) } };
}
