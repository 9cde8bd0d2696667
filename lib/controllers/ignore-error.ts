// Errors that mean that the object was deleted or changed meanwhile. The watch delivers that change, so they are not
// failures.
import { isApiError } from '../core/index.js';

/** Returns the result of a call; undefined if it was rejected for that reason. */
export async function ignoreError<T>(reason: 'NotFound' | 'Conflict', call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isApiError(error, reason)) return undefined;
    throw error;
  }
}
