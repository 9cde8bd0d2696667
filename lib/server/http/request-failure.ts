// Failures of the server itself: defects, and failures of the store. The host receives them with the error and the
// audit id of the request; the client receives generic words and the same id. The texts of such errors can contain
// paths of files, keys and addresses, which no client may read, least of all an anonymous one.
import { internalError, isApiError } from '../../core/index.js';
import { isStoreError } from '../../storage/index.js';

/** A request that failed because of the server, not of the client. */
export interface RequestFailure {
  readonly error: unknown;
  /** The value of the response's Audit-Id header; absent where the failure is of a connection. */
  readonly auditId?: string;
  readonly method?: string;
  /** The path without its query. */
  readonly path?: string;
}

/** The parts of a request that a failure names. */
export interface FailedRequest {
  readonly auditId: string;
  readonly method: string;
  readonly info: { readonly path: string };
}

/** Returns the failure to report to the host; undefined for a refusal, which only the client has to know. */
export function requestFailure(error: unknown, { auditId, method, info }: FailedRequest): RequestFailure | undefined {
  if (isApiError(error) && !isStoreError(error.cause)) return undefined;
  if (isApiError(error) && (error.status.code ?? 500) < 500) return undefined;
  return { error: isApiError(error) ? error.cause : error, auditId, method, path: info.path };
}

/**
 * Returns the error that the client receives. The text of a defect or of the store is replaced; an error that words the
 * failure in its own way is returned unchanged.
 */
export function publicError(error: unknown, { auditId }: FailedRequest): unknown {
  if (isApiError(error)) {
    const { cause, status } = error;
    if (!isStoreError(cause) || (status.code ?? 500) < 500 || !error.message.includes(cause.message)) return error;
  }
  return internalError(`the request failed; look in the logs for details, audit ID ${JSON.stringify(auditId)}`);
}
