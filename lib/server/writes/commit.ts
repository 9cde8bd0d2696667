// Commits of single objects: the transaction, the translation of store failures to API errors, and the stream of
// commits. A write is durable before its response; a write with an unknown outcome responds with a timeout.
import { alreadyExists } from '../../core/index.js';
import type { ApiObject, Frozen, ResourceRef, ApiRequest } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { Comparison, Outcome, Put, Revision, Transaction } from '../../storage/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { revisionOf, withRevision } from '../registry/stored-kind.js';
import type { Reserving } from './kind-behaviour.js';
import { storeFailure } from './store-failure.js';
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
  /** The cause that the client named for the request, if any. */
  readonly cause: ApiRequest['cause'];
}

/**
 * Stores an object under a key that must be absent, or must still hold `old`. Resolves to the outcome of the
 * transaction where it does not, and to `lost` where another write allocated what this one reserved.
 */
export async function putObject(
  write: Write,
  key: string,
  object: ApiObject,
  old: StoredObject | undefined,
): Promise<StoredObject | Outcome | 'lost'> {
  const { stored, tools, behaviour } = write;
  const { timeToLiveMs } = stored.strategy;
  const pending = stored.isConverted ? await stored.writeConverted(key, object) : stored.write(key, object);
  const { key: fullKey, value } = pending;
  try {
    const lease = timeToLiveMs === undefined ? undefined : await tools.leases.leaseFor(timeToLiveMs);
    const own: Put = lease === undefined ? { key: fullKey, value } : { key: fullKey, value, lease };
    const change = { compare: { key: fullKey, modRevision: old === undefined ? 0 : revisionOf(old) }, put: [own] };
    const outcome = await (behaviour.companions === undefined
      ? commit(write, fullKey, { compare: [change.compare], put: change.put })
      : commitTogether(write, behaviour.companions, { change, object, old }));
    if (outcome === 'lost' || !outcome.committed) return outcome;
    tools.onCommitted(stored.ref, object, false);
    const cached = stored.cacher.peek(key);
    if (cached !== undefined && revisionOf(cached) === outcome.revision) return cached;
    if (stored.isConverted) return withRevision(object, outcome.revision);
    return stored.read({ key: fullKey, value, modRevision: outcome.revision, createRevision: outcome.revision });
  } finally {
    pending.done();
  }
}

/** Removes the object under a key that must still hold `old`, with its companions. */
export async function removeObject(write: Write, key: string, old: StoredObject): Promise<Outcome | 'lost'> {
  const { stored, behaviour, tools } = write;
  const fullKey = stored.prefix + key;
  const change = { compare: { key: fullKey, modRevision: revisionOf(old) }, delete: [fullKey] };
  const outcome = await (behaviour.companions === undefined
    ? commit(write, fullKey, { compare: [change.compare], delete: change.delete })
    : commitTogether(write, behaviour.companions, { change, object: undefined, old }));
  if (outcome !== 'lost' && outcome.committed) {
    behaviour.release?.(old);
    tools.onCommitted(stored.ref, old, true);
  }
  return outcome;
}

/** The change of one object: what it replaces, and with what. */
interface OwnChange {
  readonly change: { readonly compare: Comparison; readonly put?: readonly Put[]; readonly delete?: readonly string[] };
  readonly object: ApiObject | undefined;
  readonly old: StoredObject | undefined;
}

/** Runs the transaction of an object and its companions, again while only the companions were changed by others. */
async function commitTogether(
  write: Write,
  companions: Reserving['companions'],
  { change, object, old }: OwnChange,
): Promise<Outcome | 'lost'> {
  const { key, modRevision } = change.compare;
  for (;;) {
    const others = await companions(object, old, write.context);
    if (others === 'lost') return others;
    const transaction = {
      compare: [change.compare, ...others.compare],
      put: [...(change.put ?? []), ...others.put],
      delete: [...(change.delete ?? []), ...others.delete],
    };
    let outcome: Outcome;
    try {
      outcome = await commit(write, key, transaction);
    } catch (error) {
      others.settled();
      throw error;
    }
    const found = outcome.committed ? [] : outcome.found;
    const next = others.settled(outcome, found.slice(1));
    if (outcome.committed || (found[0]?.modRevision ?? 0) !== modRevision) return outcome;
    if (next === 'lost') return next;
  }
}

/** Runs a transaction and emits the commit. Rejects with ApiError. */
function commit(write: Write, key: string, transaction: Transaction): Promise<Outcome> {
  const { tools, exchange, context } = write;
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
      throw storeFailure(error);
    },
  );
}

/** Whether the result is the outcome of a refused transaction. */
export function isOutcome(result: StoredObject | Outcome): result is Outcome {
  return 'committed' in result;
}

/** The object that a refused transaction found under the key. */
export function foundObject(write: Write, outcome: StoredObject | Outcome): StoredObject | undefined {
  const entry = 'found' in outcome ? outcome.found[0] : undefined;
  return entry && write.stored.read(entry);
}

/** Returns ApiError 409: an object of that name exists. */
export function nameTaken(ref: ResourceRef, existing: StoredObject | undefined): Error {
  return alreadyExists(ref, { beingDeleted: existing?.metadata?.deletionTimestamp !== undefined });
}
