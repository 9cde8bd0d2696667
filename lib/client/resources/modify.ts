// Read, change, write, again with the newest object on Conflict; and changes of finalizers for it. As
// client-go/util/retry, RetryOnConflict, but without pauses: every conflict means that another write succeeded, so a
// retry makes progress.
import { isApiError } from '../../core/index.js';
import type { ApiObject, Frozen } from '../../core/index.js';
import type { GetOptions, ModifyOptions, WriteOptions } from './request-options.js';
import type { Name, Stored } from './resource-client.js';

/**
 * Returns the object to write, or the same object if nothing is to be changed. May be called several times, each time
 * with a newer object.
 */
export type ObjectChange<T extends ApiObject> = (object: Stored<T>) => Frozen<T> | Promise<Frozen<T>>;

/** Reads and writes objects. */
interface Modifiable<T extends ApiObject> {
  get(name: Name, options?: GetOptions): Promise<Stored<T>>;
  update(object: Frozen<T>, options?: WriteOptions): Promise<Stored<T>>;
}

/** Changes an object; rejects with the last Conflict after `triesMax` of them (default 5, as client-go). */
export async function modifyObject<T extends ApiObject>(
  objects: Modifiable<T>,
  name: Name,
  change: ObjectChange<T>,
  { triesMax = 5, ...options }: ModifyOptions = {},
): Promise<Stored<T>> {
  for (let tries = 1; ; tries += 1) {
    const current = await objects.get(name, { ...(options.signal && { signal: options.signal }) });
    const changed: Frozen<ApiObject> = await change(current);
    if (changed === current) return current;
    try {
      return await objects.update(changed as Frozen<T>, options);
    } catch (error) {
      if (tries >= triesMax || !isApiError(error, 'Conflict')) throw error;
    }
  }
}

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
