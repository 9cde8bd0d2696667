// Failures of the store as API errors. Reads and writes share the table, so that a client sees the same Status
// whichever call of the store failed. The texts of a backend stay in the process (`cause`), except those of etcd's own
// API (`etcdserver: …`), which Kubernetes passes to clients too. As apiserver/pkg/storage/etcd3 and
// apiserver/pkg/endpoints/handlers/finisher.
import { badRequest, requestEntityTooLarge, serviceUnavailable } from '../../core/index.js';
import { internalError, timeout, unclassifiedError } from '../../core/index.js';
import { isStoreError } from '../../storage/index.js';
import type { StoreError } from '../../storage/index.js';

/** Translates a StoreError to an ApiError whose cause it is; returns other errors unchanged. */
export function storeFailure(error: unknown): unknown {
  if (!isStoreError(error)) return error;
  switch (error.code) {
    case 'invalid':
      return badRequest(error.message); // such as a name that no key can hold
    case 'too-large':
      return requestEntityTooLarge(error.message);
    case 'unavailable':
    case 'unknown-outcome':
      return unreachable(error);
    case 'closed':
      return serviceUnavailable('the server is shutting down');
    case 'no-space':
      return unclassifiedError(error.message, { cause: error });
    default:
      return internalError(error);
  }
}

/** Whether the write may have been stored although it failed: what it reserved must not be given to another. */
export function isUnknownOutcome(error: unknown): boolean {
  return isStoreError(error, 'unknown-outcome') || (error instanceof Error && isUnknownOutcome(error.cause));
}

/**
 * The response while the store does not answer. Without a delay for the client: the store has been waited for already,
 * and a client that repeats the request by itself, as client-go does ten times, would seem to hang.
 */
function unreachable(error: StoreError): Error {
  const text = /\betcdserver: [^;]+/.exec(error.message)?.[0];
  if (text !== undefined) return unclassifiedError(text, { cause: error });
  return timeout('request did not complete within requested timeout - context deadline exceeded', { cause: error });
}
