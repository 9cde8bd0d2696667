// Calls that may come too late: what they were about is gone, or was changed meanwhile. News of that are on their way,
// so it is no failure.
import { isApiError } from '../core/index.js';

/** What the call answers; undefined where it was refused for that reason. */
export async function unless<T>(reason: 'NotFound' | 'Conflict', call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isApiError(error, reason)) return undefined;
    throw error;
  }
}
