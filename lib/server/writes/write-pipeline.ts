// The write pipeline: the one list of steps that every write takes, whatever its verb and subresource.
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
// A create runs `own` to `check` once and the rest once for each generated name. An update runs everything after `open`
// inside of the read-change-write loop. A deletion has no object: it is admitted, marked and committed in that loop.
// As apiserver/pkg/endpoints/handlers and registry/generic/registry/store.go, where `reserve` also precedes `prepare`.
import {
  conflict,
  deepCopy,
  fieldInvalid,
  fieldPath,
  generateNameConflict,
  invalid,
  notFound,
  unclassifiedError,
} from '../../core/index.js';
import type { ApiObject, GroupVersion } from '../../core/index.js';
import type { Outcome } from '../../storage/index.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { revisionOf } from '../registry/stored-kind.js';
import type { Deletion } from '../requests/open-write.js';
import { foundObject, isOutcome, putObject, taken } from './commit.js';
import { checkPreconditions, deletionChange, isOver } from './deletion.js';
import type { UpdateDecision, Changed } from './guaranteed-update.js';
import { guaranteedUpdate } from './guaranteed-update.js';
import type { Reservation } from './kind-behaviour.js';
import { dedupeOwners, ensureNamespace, fillSystemFields, metadataOf, wipeSystemFields } from './prepare.js';
import { prepareCreate, prepareUpdate, refuseGuarded } from './prepare.js';
import type { Write } from './write.js';

/** What an update proposes. */
export interface Proposal {
  /**
   * The object to take the place of `old`, in the form of the request and owned by the pipeline. Called again when
   * another writer was faster.
   */
  readonly next: (old: StoredObject | undefined) => ApiObject | Promise<ApiObject>;
  /** For a subresource of another kind: the parent, in the endpoint's version, with what was proposed and admitted. */
  readonly into?: (object: ApiObject, old: StoredObject) => ApiObject;
  /** Only the object of this uid is changed; any where it is empty or undefined. */
  readonly uid?: string | undefined;
}

/** Creates a decoded object in the endpoint's version, which the pipeline owns. Rejects with ApiError. */
export async function createObject(write: Write, given: ApiObject): Promise<StoredObject> {
  const { endpoint, exchange, stored } = write;
  wipeSystemFields(given);
  ensureNamespace(given, exchange.request.info.namespace, stored);
  dedupeOwners(given, exchange);
  const object = await proposed(write, given, undefined);
  const { name = '', generateName = '' } = metadataOf(object);
  const generates = name === '' && generateName !== '';
  for (let attempt = 1; ; attempt++) {
    // Preparing changes the object: a name that is taken needs a fresh one.
    const draft = generates ? deepCopy(object) : object;
    fillSystemFields(draft, write.context);
    const result = await commitCreate(write, await completed(write, draft, undefined));
    if (!isOutcome(result)) return result;
    const ref = refOf(endpoint, metadataOf(draft).name ?? '');
    if (!generates) throw taken(ref, foundObject(write, result));
    if (attempt === generateAttemptsMax) throw generateNameConflict(ref);
  }
}

/** Replaces the object that the request names with what is proposed. Rejects with ApiError. */
export async function updateObject(write: Write, proposal: Proposal): Promise<Changed> {
  const { endpoint, exchange, stored, tools } = write;
  const { namespace, name, subresource } = exchange.request.info;
  const key = stored.keyOf(namespace, name);
  return guaranteedUpdate(write, key, async (old) => {
    if (old === undefined && (stored.strategy.createsOnUpdate !== true || subresource !== ''))
      throw notFound(refOf(endpoint, name));
    checkUid(write, key, proposal.uid, old);
    const next = proposal.next(old);
    const object = await proposed(write, next instanceof Promise ? await next : next, old, proposal.into);
    if (old === undefined) {
      fillSystemFields(object, write.context);
      return putOf(await completed(write, object, undefined, () => tools.authorizeCreate(exchange)));
    }
    checkResourceVersion(write, object, old);
    const complete = await completed(write, object, old);
    if (!isLastFinalizerGone(complete.object, old) || stored.strategy.holdsDeletion?.(complete.object) === true)
      return putOf(complete);
    complete.reservation?.rollback();
    return { remove: true, answer: complete.object };
  });
}

/**
 * Deletes an object, as far as it may go now. Without `admits` admission is not run: an eviction was admitted as such.
 * Rejects with ApiError.
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
    const change = deletionChange(write, deletion, old);
    return 'put' in change ? { put: write.ownFields(change.put, old, stored.definition) } : change;
  });
  if (first.fate === 'removed') return { object: first.object, gone: true };
  if (first.fate === 'unchanged' || !isOver(first.object)) return { object: first.object, gone: false };
  if (write.context.dryRun) return { object: first.object, gone: true };
  // A graceful deletion without grace takes two steps, as two revisions, so that watchers see its last state.
  const last = first.object;
  const second = await guaranteedUpdate(write, key, (old) => {
    if (old === undefined) return { keep: last };
    if (old.metadata?.uid !== last.metadata?.uid) throw conflict(refOf(endpoint, name));
    return { remove: true };
  });
  return { object: second.object, gone: true };
}

/**
 * Changes an object as its kind's own parts do, such as a binding: `change` returns the new object in the hub version,
 * sharing what it does not change, or `old` itself to leave it. There is no strategy and no admission of the object.
 */
export function changeObject(
  write: Write,
  key: string,
  change: (old: StoredObject | undefined) => StoredObject,
): Promise<Changed> {
  const version: GroupVersion = write.stored.definition;
  return guaranteedUpdate(write, key, (old) => {
    const next = change(old);
    if (next === old) return { keep: next };
    return { put: write.ownFields({ ...next, metadata: { ...next.metadata } } as ApiObject, old, version) };
  });
}

/** own → mutate → convert → check. */
async function proposed(
  write: Write,
  given: ApiObject,
  old: StoredObject | undefined,
  into?: Proposal['into'],
): Promise<ApiObject> {
  const { endpoint, exchange, behaviour, tools } = write;
  const owned = into === undefined ? write.ownFields(given, old && endpoint.fromHub(old)) : given;
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const mutated = tools.admission === undefined ? owned : await write.mutate(operation, owned, old);
  dedupeOwners(mutated, exchange, ' after mutating admission happens');
  const written =
    into === undefined || old === undefined ? mutated : write.ownFields(into(mutated, old), endpoint.fromHub(old));
  const object = endpoint.toHub(written) as ApiObject;
  if (behaviour.check !== undefined) await behaviour.check(object, old, exchange);
  return object;
}

/** An object that only has to be committed. */
interface Completed {
  readonly object: ApiObject;
  readonly reservation: Reservation | undefined;
}

/** reserve → prepare → validate → admit. `authorize` comes before admission. */
async function completed(
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
async function commitCreate(write: Write, { object, reservation }: Completed): Promise<StoredObject | Outcome> {
  const { endpoint, stored, context } = write;
  let isKept = false;
  try {
    const { resourceVersion = '', namespace = '', name = '' } = metadataOf(object);
    if (resourceVersion !== '') throw unclassifiedError('resourceVersion should not be set on objects to be created');
    const key = stored.keyOf(namespace, name);
    if (context.dryRun) {
      const existing = (await stored.cacher.get(key)).object;
      if (existing !== undefined) throw taken(refOf(endpoint, name), existing);
      return object;
    }
    const result = await putObject(write, key, object, undefined);
    if (isOutcome(result)) return result;
    isKept = true;
    reservation?.commit();
    return result;
  } finally {
    if (!isKept) reservation?.rollback();
  }
}

/** commit, of an update. */
function putOf({ object, reservation }: Completed): UpdateDecision {
  return reservation === undefined ? { put: object } : { put: object, reservation };
}

/** Kubernetes tries that many names before it gives up. */
const generateAttemptsMax = 8;

/** Throws ApiError 409 where the update is for another object of that name. */
function checkUid({ endpoint, exchange, stored }: Write, key: string, uid = '', old: StoredObject | undefined): void {
  const actual = old?.metadata?.uid ?? '';
  if (uid === '' || actual === uid) return;
  // As Kubernetes' storage words it, which its clients parse.
  throw conflict(
    refOf(endpoint, exchange.request.info.name),
    `StorageError: invalid object, Code: 4, Key: ${stored.prefix}${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
  );
}

/** Throws ApiError 409 where the update is based on another state, and 422 where it must be based on one. */
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

/** An object whose deletion waited for finalizers is removed with the last of them. */
function isLastFinalizerGone(object: ApiObject, old: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata ?? {};
  return (
    (object.metadata?.finalizers ?? []).length === 0 &&
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds === 0
  );
}
