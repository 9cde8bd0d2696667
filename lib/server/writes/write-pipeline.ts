// The write pipeline: the list of steps that every write takes, whatever its verb and subresource.
//
//   open      form of the response, body, options, decode    requests/open-write.ts
//   own       field ownership                                field-ownership.ts
//   mutate    mutating admission                             review.ts and the plugins
//   convert   to the hub version, or into the parent         the scheme, or `into` of a subresource
//   check     what the user may grant                        behaviour of the kind
//   reserve   addresses and ports                            behaviour of the kind
//   prepare   what the server and the kind decide            prepare.ts and the strategy of the kind
//   validate  what is wrong with the object                  prepare.ts and the strategy of the kind
//   admit     validating admission                           review.ts and the plugins
//   commit    compare and put, or begin again                guaranteed-update.ts, commit.ts
//
// A create runs `own` to `check` once and the rest once per generated name. An update runs everything after `open`
// inside the read-change-write loop. A deletion has no body object: it is admitted, marked and committed in that loop.
// As apiserver/pkg/endpoints/handlers and registry/generic/registry/store.go, where `reserve` also precedes `prepare`.
import {
  conflict,
  deepCopy,
  fieldInvalid,
  fieldPath,
  generateNameConflict,
  invalid,
  notFound,
  serverTimeout,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject } from '../../core/index.js';
import type { Outcome } from '../../storage/index.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { revisionOf } from '../registry/stored-kind.js';
import type { Deletion } from '../requests/open-write.js';
import { foundObject, isOutcome, putObject, nameTaken } from './commit.js';
import { checkPreconditions, deletionChange, isDeletionComplete } from './deletion.js';
import type { UpdateDecision, Changed } from './guaranteed-update.js';
import { guaranteedUpdate } from './guaranteed-update.js';
import type { Reservation } from './kind-behaviour.js';
import { dedupeOwners, ensureNamespace, fillSystemFields, metadataOf, wipeSystemFields } from './prepare.js';
import { prepareCreate, prepareUpdate, refuseGuarded } from './prepare.js';
import { isUnknownOutcome } from './store-failure.js';
import type { Write } from './write.js';

/** The change that an update proposes. */
export interface Proposal {
  /**
   * Returns the object that replaces `old`, in the form of the request and owned by the pipeline. Called again after a
   * conflict.
   */
  readonly next: (old: StoredObject | undefined) => ApiObject | Promise<ApiObject>;
  /**
   * For a subresource of another kind: returns the parent in the endpoint's version, with the admitted body applied and
   * with its managed fields.
   */
  readonly into?: (object: ApiObject, old: StoredObject) => ApiObject;
  /** Precondition: the uid of the object. Empty or undefined for any. */
  readonly uid?: string | undefined;
  /** Server-side apply: a missing object is created, and `next` returns objects with their managed fields. */
  readonly isApply?: boolean;
}

/** Creates a decoded object in the endpoint's version, which the pipeline owns. Rejects with ApiError. */
export async function createObject(write: Write, given: ApiObject): Promise<StoredObject> {
  const { endpoint, exchange, stored } = write;
  wipeSystemFields(given);
  ensureNamespace(given, exchange.request.info.namespace, stored);
  dedupeOwners(given, exchange);
  const object = await admitProposal(write, given, undefined);
  const { name = '', generateName = '' } = metadataOf(object);
  const generates = name === '' && generateName !== '';
  const reserves = write.behaviour.reserve !== undefined;
  for (let attempt = 1, losses = 0; ;) {
    // Preparing changes the object in place: the next generated name, or the next reservation, needs a copy.
    const draft = generates || reserves ? deepCopy(object) : object;
    fillSystemFields(draft, write.context);
    const result = await commitCreate(write, await completeObject(write, draft, undefined));
    const ref = refOf(endpoint, metadataOf(draft).name ?? '');
    if (result === 'lost') {
      if (++losses === reserveAttemptsMax) throw serverTimeout(ref, 'create');
      continue;
    }
    if (!isOutcome(result)) return result;
    if (!generates) throw nameTaken(ref, foundObject(write, result));
    if (attempt++ === generateAttemptsMax) throw generateNameConflict(ref);
  }
}

/** Replaces the object that the request names with the proposed one. Rejects with ApiError. */
export async function updateObject(write: Write, proposal: Proposal): Promise<Changed> {
  const { endpoint, exchange, stored, tools } = write;
  const { namespace, name, subresource } = exchange.request.info;
  const key = stored.keyOf(namespace, name);
  return guaranteedUpdate(write, key, async (old) => {
    const creates = proposal.isApply === true || stored.strategy.createsOnUpdate === true;
    if (old === undefined && (!creates || subresource !== '')) throw notFound(refOf(endpoint, name));
    checkUid(write, key, proposal.uid, old);
    const next = proposal.next(old);
    const object = await admitProposal(write, next instanceof Promise ? await next : next, old, proposal);
    if (old === undefined) {
      fillSystemFields(object, write.context);
      return putOf(await completeObject(write, object, undefined, () => tools.authorizeCreate(exchange)));
    }
    checkResourceVersion(write, object, old);
    const complete = await completeObject(write, object, old);
    if (!isLastFinalizerGone(complete.object, old) || stored.strategy.holdsDeletion?.(complete.object) === true)
      return putOf(complete);
    complete.reservation?.rollback();
    return { remove: true, answer: complete.object };
  });
}

/**
 * Deletes an object, or marks it as terminating. With `admits` false admission is not run: an eviction was admitted
 * already. Rejects with ApiError.
 */
export async function deleteObject(
  write: Write,
  deletion: Deletion,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  admits = true,
): Promise<{ readonly object: StoredObject; readonly gone: boolean }> {
  const { endpoint, stored } = write;
  const key = stored.keyOf(namespace, name);
  const first = await guaranteedUpdate(write, key, async (old) => {
    if (old === undefined) throw notFound(refOf(endpoint, name));
    checkPreconditions(stored.definition, deletion, old, name);
    if (admits && write.tools.admission !== undefined) await write.admitDelete(old);
    return deletionChange(write, deletion, old);
  });
  if (first.fate === 'removed') return { object: first.object, gone: true };
  if (first.fate === 'unchanged' || !isDeletionComplete(first.object)) return { object: first.object, gone: false };
  if (write.context.dryRun) return { object: first.object, gone: true };
  // A graceful deletion with a grace period of zero is two commits, so that watchers see the last state.
  const last = first.object;
  const second = await guaranteedUpdate(write, key, (old) => {
    if (old === undefined) return { keep: last };
    if (old.metadata?.uid !== last.metadata?.uid) throw conflict(refOf(endpoint, name));
    return { remove: true };
  });
  return { object: second.object, gone: true };
}

/**
 * Changes an object without strategy, admission and field manager, as a binding does. `change` returns the new object
 * in the hub version, sharing what it does not change, or `old` itself to leave it.
 */
export function changeObject(
  write: Write,
  key: string,
  change: (old: StoredObject | undefined) => StoredObject,
): Promise<Changed> {
  return guaranteedUpdate(write, key, (old) => {
    const next = change(old);
    return next === old ? { keep: next } : { put: { ...next, metadata: { ...next.metadata } } as ApiObject };
  });
}

/** own → mutate → convert → check. */
async function admitProposal(
  write: Write,
  given: ApiObject,
  old: StoredObject | undefined,
  { into, isApply = false }: Pick<Proposal, 'into' | 'isApply'> = {},
): Promise<ApiObject> {
  const { endpoint, exchange, behaviour, tools } = write;
  const owned = into === undefined && !isApply ? write.ownFields(given, old && endpoint.fromHub(old)) : given;
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const mutated = tools.admission === undefined ? owned : await write.mutate(operation, owned, old);
  dedupeOwners(mutated, exchange, ' after mutating admission happens');
  const written = into === undefined || old === undefined ? mutated : into(mutated, old);
  const object = endpoint.toHub(written) as ApiObject;
  if (behaviour.check !== undefined) await behaviour.check(object, old, exchange);
  return object;
}

/** An object that is ready to be committed. */
interface Completed {
  readonly object: ApiObject;
  readonly reservation: Reservation | undefined;
}

/** reserve → prepare → validate → admit. `authorize` comes before admission. */
async function completeObject(
  write: Write,
  given: ApiObject,
  old: StoredObject | undefined,
  authorize?: () => Promise<void>,
): Promise<Completed> {
  const { exchange, behaviour, context, tools } = write;
  const { subresource } = exchange.request.info;
  const reservation =
    subresource === '' && behaviour.reserve !== undefined ? await behaviour.reserve(given, old, context) : undefined;
  try {
    const object = old === undefined ? prepareCreate(write, given) : prepareUpdate(write, given, old, subresource);
    if (behaviour.errors !== undefined) await refuseGuarded(write, object, old);
    if (authorize !== undefined) await authorize();
    if (tools.admission !== undefined) await write.admit(old === undefined ? 'CREATE' : 'UPDATE', object, old);
    return { object, reservation };
  } catch (error) {
    reservation?.rollback();
    throw error;
  }
}

/** commit, of a new object. */
async function commitCreate(
  write: Write,
  { object, reservation }: Completed,
): Promise<StoredObject | Outcome | 'lost'> {
  const { endpoint, stored, context } = write;
  try {
    const { resourceVersion = '', namespace = '', name = '' } = metadataOf(object);
    const key = stored.keyOf(namespace, name);
    if (context.dryRun) {
      const existing = (await stored.cacher.get(key)).object;
      if (existing !== undefined) throw nameTaken(refOf(endpoint, name), existing);
      return object;
    }
    // Only what the storage can read as a revision is refused, and only by the storage: not in a dry run.
    if (/^[0-9]*[1-9][0-9]*$/.test(resourceVersion))
      throw unclassifiedError('resourceVersion should not be set on objects to be created');
    if (resourceVersion !== '') delete metadataOf(object).resourceVersion;
    const result = await putObject(write, key, object, undefined);
    if (result !== 'lost' && !isOutcome(result)) reservation?.commit();
    return result;
  } catch (error) {
    if (isUnknownOutcome(error)) reservation?.keep();
    throw error;
  } finally {
    reservation?.rollback(); // no effect after the others
  }
}

/** commit, of an update. */
function putOf({ object, reservation }: Completed): UpdateDecision {
  return reservation === undefined ? { put: object } : { put: object, reservation };
}

/** The number of times that a create may lose what it reserved to other servers before it fails. */
const reserveAttemptsMax = 16;

/** The number of names that Kubernetes generates before it fails. */
const generateAttemptsMax = 8;

/** Throws ApiError 409 where the update names the uid of another object. */
function checkUid({ endpoint, exchange, stored }: Write, key: string, uid = '', old: StoredObject | undefined): void {
  const actual = old?.metadata?.uid ?? '';
  if (uid === '' || actual === uid) return;
  // In the words of Kubernetes' storage, which clients parse.
  throw conflict(
    refOf(endpoint, exchange.request.info.name),
    `StorageError: invalid object, Code: 4, Key: ${stored.prefix}${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
  );
}

/** Throws ApiError 409 where the update is based on another revision, and 422 where it must name one. */
function checkResourceVersion({ endpoint, exchange, stored }: Write, object: ApiObject, old: StoredObject): void {
  const { name } = exchange.request.info;
  const metadata = metadataOf(object);
  const { resourceVersion = '' } = metadata;
  if (resourceVersion === '' || resourceVersion === '0') {
    if (stored.strategy.requiresResourceVersion === true) {
      // Kubernetes names the resource here where it otherwise names the kind.
      const { group, resource } = endpoint.gvr;
      throw invalid({ group, kind: resource }, name, [
        fieldInvalid(fieldPath('metadata').child('resourceVersion'), 0, 'must be specified for an update'),
      ]);
    }
  } else if (resourceVersion !== old.metadata?.resourceVersion && Number(resourceVersion) !== revisionOf(old)) {
    throw conflict(refOf(endpoint, name));
  }
  metadata.resourceVersion = old.metadata?.resourceVersion ?? '';
}

/** Whether the update removes the last finalizer of a terminating object, which removes the object. */
function isLastFinalizerGone(object: ApiObject, old: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata ?? {};
  return (
    (object.metadata?.finalizers ?? []).length === 0 &&
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0
  );
}
