// Commits of single objects, and what their failures mean to clients. A write that was answered is durable; one whose
// answer was lost says so.
import {
  alreadyExists,
  internalError,
  requestEntityTooLarge,
  serverTimeout,
  serviceUnavailable,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, ResourceRef } from '../../core/index.js';
import { isStoreError } from '../../storage/index.js';
import type { Outcome, Put, Transaction } from '../../storage/index.js';
import { refOf } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import { revisionOf } from '../registry/stored-kind.js';
import type { Write } from './write.js';

/**
 * Stores an object under a key that must be absent, or must still hold `old`. Undefined where it is not so any more.
 */
export async function putObject(
  write: Write,
  key: string,
  object: ApiObject,
  old: Stored | undefined,
): Promise<Stored | Outcome> {
  const { stored, tools, context } = write;
  const { timeToLiveMs } = stored.strategy;
  const others = write.hook?.companions?.(object, old, context);
  const pending = stored.write(key, object);
  const { key: fullKey, value } = pending;
  try {
    const granted = timeToLiveMs === undefined ? undefined : tools.leases.leaseFor(timeToLiveMs);
    const lease = granted instanceof Promise ? await granted : granted;
    const own: Put = lease === undefined ? { key: fullKey, value } : { key: fullKey, value, lease };
    const compare = [{ key: fullKey, modRevision: old === undefined ? 0 : revisionOf(old) }];
    const outcome = await commit(
      write,
      others === undefined ? { compare, put: [own] } : { ...others, compare, put: [own, ...others.put] },
    );
    if (!outcome.committed) return outcome;
    const cached = stored.cacher.peek(key);
    if (cached !== undefined && revisionOf(cached) === outcome.revision) return cached;
    return stored.read({ key: fullKey, value, modRevision: outcome.revision, createRevision: outcome.revision });
  } finally {
    pending.done();
  }
}

/** Runs a transaction. Throws ApiError. */
export async function commit(write: Write, transaction: Transaction): Promise<Outcome> {
  try {
    return await write.tools.store.commit(transaction);
  } catch (error) {
    throw storeFailure(
      error,
      refOf(write.endpoint, write.exchange.request.info.name),
      write.exchange.request.info.verb,
    );
  }
}

/** Whether a write found the key other than it expected. */
export function isOutcome(result: Stored | Outcome): result is Outcome {
  return 'committed' in result;
}

/** The refusal of a name that is taken. */
export function taken(ref: ResourceRef, existing: Stored | undefined): Error {
  return alreadyExists(ref, { beingDeleted: existing?.metadata?.deletionTimestamp !== undefined });
}

/** What a failure of the store means to a client. */
export function storeFailure(error: unknown, ref: ResourceRef, operation: string): unknown {
  if (!isStoreError(error)) return error;
  switch (error.code) {
    case 'too-large':
      return requestEntityTooLarge(error.message);
    case 'unavailable':
    case 'unknown-outcome':
      return serverTimeout(ref, operation);
    case 'closed':
      return serviceUnavailable('the server is shutting down');
    case 'no-space':
      return unclassifiedError(error.message, { cause: error });
    default:
      return internalError(error);
  }
}
