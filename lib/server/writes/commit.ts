// Commits of single objects: the transaction, what a failure of the store means to a client, and the stream of commits.
// A write that was responded to is durable; one whose outcome is unknown is a timeout.
import {
  alreadyExists,
  badRequest,
  internalError,
  requestEntityTooLarge,
  serverTimeout,
  serviceUnavailable,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, Frozen, ResourceRef } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { ApiRequest } from '../../client/index.js';
import { isStoreError } from '../../storage/index.js';
import type { Outcome, Put, Revision, Transaction } from '../../storage/index.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { revisionOf } from '../registry/stored-kind.js';
import type { Write } from './write.js';

/** A change that a request made to the store. */
export interface Commit {
  readonly revision: Revision;
  /** The key of the object in the store. Objects that are written along with it have the same revision. */
  readonly key: string;
  /** The verb of the request. */
  readonly verb: string;
  readonly user: Frozen<UserInfo>;
  /** The field manager. */
  readonly manager: string;
  /** Why the request was made, where its sender says so. */
  readonly cause: ApiRequest['cause'];
}

/** Stores an object under a key that must be absent, or must still hold `old`. Resolves to the outcome if not. */
export async function putObject(
  write: Write,
  key: string,
  object: ApiObject,
  old: StoredObject | undefined,
): Promise<StoredObject | Outcome> {
  const { stored, tools, context, behaviour } = write;
  const { timeToLiveMs } = stored.strategy;
  const others = behaviour.companions?.(object, old, context);
  const pending = stored.write(key, object);
  const { key: fullKey, value } = pending;
  try {
    const lease = timeToLiveMs === undefined ? undefined : await tools.leases.leaseFor(timeToLiveMs);
    const own: Put = lease === undefined ? { key: fullKey, value } : { key: fullKey, value, lease };
    const compare = [{ key: fullKey, modRevision: old === undefined ? 0 : revisionOf(old) }];
    const outcome = await commit(
      write,
      fullKey,
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

/** Removes the object under a key that must still hold `old`, with what goes with it. */
export async function removeObject(write: Write, key: string, old: StoredObject): Promise<Outcome> {
  const { stored, context, behaviour } = write;
  const fullKey = stored.prefix + key;
  const others = behaviour.companions?.(undefined, old, context);
  const outcome = await commit(write, fullKey, {
    ...others,
    compare: [{ key: fullKey, modRevision: revisionOf(old) }],
    delete: [fullKey, ...(others?.delete ?? [])],
  });
  if (outcome.committed) behaviour.release?.(old);
  return outcome;
}

/** Runs a transaction and emits it. Rejects with ApiError. */
function commit(write: Write, key: string, transaction: Transaction): Promise<Outcome> {
  const { tools, endpoint, exchange, context } = write;
  return tools.store.commit(transaction).then(
    (outcome) => {
      if (outcome.committed && tools.commits.subscribers > 0) {
        const { user, manager } = context;
        const { info, cause } = exchange.request;
        tools.commits.emit({ revision: outcome.revision, key, verb: info.verb, user, manager, cause });
      }
      return outcome;
    },
    (error: unknown) => {
      const { name, verb } = exchange.request.info;
      throw storeFailure(error, refOf(endpoint, name), verb);
    },
  );
}

/** Whether a write found the key other than it expected. */
export function isOutcome(result: StoredObject | Outcome): result is Outcome {
  return 'committed' in result;
}

/** The object that a refused transaction found in the place of its own. */
export function foundObject(write: Write, outcome: StoredObject | Outcome): StoredObject | undefined {
  const entry = 'found' in outcome ? outcome.found[0] : undefined;
  return entry && write.stored.read(entry);
}

/** The refusal of a name that is taken. */
export function taken(ref: ResourceRef, existing: StoredObject | undefined): Error {
  return alreadyExists(ref, { beingDeleted: existing?.metadata?.deletionTimestamp !== undefined });
}

/** What a failure of the store means to a client. */
function storeFailure(error: unknown, ref: ResourceRef, operation: string): unknown {
  if (!isStoreError(error)) return error;
  switch (error.code) {
    case 'invalid':
      return badRequest(error.message); // such as a name that no key can hold
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
