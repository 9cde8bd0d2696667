// The one error of stores. Recognised by brand, so that two copies of the package agree; the code says what happened
// and whether trying again makes sense. Anything else that a store throws is a defect.
import type { Revision } from './store.js';

/**
 * - `compacted`: the revision is gone; `revision` is the oldest that is left.
 * - `future-revision`: it does not exist yet; `revision` is the newest.
 * - `overrun`: a watcher fell too far behind.
 * - `closed`: the store was closed.
 * - `invalid`: a key, value, transaction or number that no store takes.
 * - `too-large`: a value or transaction beyond the limits.
 * - `lease-not-found`: the lease ended or never was.
 * - `unavailable`: nothing happened; the backend could not be reached or is busy. Trying again is safe.
 * - `unknown-outcome`: the answer was lost; the commit may or may not have happened. Read before trying again.
 * - `locked`: another process has the store open.
 * - `no-space`: nothing was written; the disk or quota is full.
 * - `corrupt`: what is stored cannot be read.
 */
export type StoreErrorCode =
  | 'compacted'
  | 'future-revision'
  | 'overrun'
  | 'closed'
  | 'invalid'
  | 'too-large'
  | 'lease-not-found'
  | 'unavailable'
  | 'unknown-outcome'
  | 'locked'
  | 'no-space'
  | 'corrupt';

const brand = Symbol.for('vivarium.StoreError');

/** A refusal or failure of a store. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** The revision that the code speaks of. */
  readonly revision: Revision | undefined;

  constructor(code: StoreErrorCode, message: string, options: ErrorOptions & { readonly revision?: Revision } = {}) {
    super(message, options);
    this.code = code;
    this.revision = options.revision;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Returns whether an error is a StoreError and, if a code is given, one of that code. */
export function isStoreError(error: unknown, code?: StoreErrorCode): error is StoreError {
  return isBranded(error) && (code === undefined || error.code === code);
}

function isBranded(error: unknown): error is StoreError {
  return typeof error === 'object' && error !== null && brand in error;
}
