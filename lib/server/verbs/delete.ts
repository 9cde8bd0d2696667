// delete: an object goes at once, after a grace period, or when its finalizers are gone. As
// apiserver/pkg/endpoints/handlers/delete.go, registry/rest/delete.go and registry/generic/registry/store.go, Delete.
import { conflict, deletePreconditionFailed, notFound, parseTime, printTime, successStatus } from '../../core/index.js';
import type { ApiObject, Frozen, GroupKind } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { checkDeleteOptions } from '../requests/check-options.js';
import type { Deletion } from '../requests/deletion.js';
import { deletionOf } from '../requests/deletion.js';
import type { Exchange } from '../requests/exchange.js';
import type { Endpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { Stored } from '../registry/stored-kind.js';
import type { Change } from '../writes/guaranteed-update.js';
import { guaranteedUpdate } from '../writes/guaranteed-update.js';
import { draftOf, metadataOf } from '../writes/metadata.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { collectionFinalizers } from '../writes/collection-finalizers.js';

/** Answers with the object, or with a Status that says it is gone. */
export async function deleteOne(endpoint: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ObjectResponse> {
  const { request } = exchange;
  const form = request.negotiate(endpoint.offer);
  const deletion = await deletionOf(endpoint, exchange);
  checkDeleteOptions(deletion);
  const { info } = request;
  const { object, gone } = await deleteObject(
    new Write(endpoint, exchange, deletion, tools),
    deletion,
    info.namespace,
    info.name,
  );
  const code = !gone && deletion.orphanDependents === false ? 202 : 200;
  return { type: 'object', code, object: gone ? goneAnswer(endpoint, object) : endpoint.fromHub(object), form };
}

/**
 * Deletes the object under that name, as far as it may go now. Without `admits` admission is not run: an eviction was
 * admitted as such.
 */
export async function deleteObject(
  write: Write,
  deletion: Deletion,
  namespace: string,
  name: string,
  admits = true,
): Promise<{ readonly object: Stored; readonly gone: boolean }> {
  const { endpoint, stored } = write;
  const key = stored.keyOf(namespace, name);
  const first = await guaranteedUpdate(write, key, (old) => ended(write, deletion, old, name, admits));
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

/** The answer for an object that is gone: itself, or its name. */
export function goneAnswer(endpoint: Endpoint, object: Stored): Frozen<ApiObject> {
  const { stored, gvr } = endpoint;
  if (stored.strategy.answersDeleted === true) return endpoint.fromHub(object);
  const { name = '', uid = '' } = object.metadata ?? {};
  return successStatus({ name, group: gvr.group, kind: gvr.resource, uid });
}

/** The graceful deletion of this object has nothing left to wait for. */
function isOver({ metadata }: Stored): boolean {
  return (
    metadata?.deletionTimestamp !== undefined &&
    metadata.deletionGracePeriodSeconds === 0 &&
    (metadata.finalizers ?? []).length === 0
  );
}

async function ended(
  write: Write,
  deletion: Deletion,
  old: Stored | undefined,
  name: string,
  admits: boolean,
): Promise<Change> {
  const { endpoint, stored, context } = write;
  if (old === undefined) throw notFound(refOf(endpoint, name));
  checkPreconditions(stored.definition, deletion, old, name);
  if (admits && write.tools.admission !== undefined) await write.admitDelete(old);
  const object = draftOf(old);
  if (stored.strategy.holdsDeletion?.(old) === true) return held(write, deletion, object, old);
  const grace = beginGrace(write, object, deletion.gracePeriodSeconds);
  if (grace === 'pending') return { keep: old };
  const finalizers = collectionFinalizers(stored.strategy, old, deletion);
  setFinalizers(object, finalizers);
  if (grace === 'none') {
    if (finalizers.length === 0) return { remove: true };
    markDeleting(object, context.now);
  }
  stored.strategy.prepareForDelete?.(object, context);
  return { put: object };
}

/** Nothing is taken from such an object but its future: whoever empties it lets it go. */
function held({ stored, context }: Write, deletion: Deletion, object: ApiObject, old: Stored): Change {
  if (old.metadata?.deletionTimestamp !== undefined) return { keep: old };
  const metadata = metadataOf(object);
  metadata.deletionTimestamp = printTime(context.now);
  setFinalizers(object, collectionFinalizers(stored.strategy, old, deletion));
  stored.strategy.prepareForDelete?.(object, context);
  return { put: object };
}

function setFinalizers(object: ApiObject, finalizers: readonly string[]): void {
  const metadata = metadataOf(object);
  if (finalizers.length > 0) metadata.finalizers = [...finalizers];
  else delete metadata.finalizers;
}

/** Throws ApiError 409 where the object is not the one that was meant. */
export function checkPreconditions(
  kind: GroupKind,
  { preconditions }: Pick<Deletion, 'preconditions'>,
  old: Stored,
  name: string,
): void {
  const { uid = '', resourceVersion = '' } = old.metadata ?? {};
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw deletePreconditionFailed(kind, name, { field: 'UID', expected: preconditions.uid, actual: uid });
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw deletePreconditionFailed(kind, name, {
      field: 'ResourceVersion',
      expected: preconditions.resourceVersion,
      actual: resourceVersion,
    });
  }
}

/** Sets the end of the grace period; says whether there is one, none, or one already running that stays as it is. */
function beginGrace(
  { stored, context }: Write,
  object: ApiObject,
  asked: number | undefined,
): 'begun' | 'none' | 'pending' {
  const metadata = metadataOf(object);
  const wanted = asked !== undefined && asked < 0 ? 1 : asked;
  if (stored.strategy.gracePeriodSeconds === undefined) return 'none';
  const current = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    if (current === undefined || current === 0) return 'none';
    if (wanted === undefined || wanted >= current) return 'pending';
    const end = parseTime(metadata.deletionTimestamp) + (wanted - current) * 1000;
    const isPast = end < context.now;
    metadata.deletionTimestamp = printTime(isPast ? context.now : end);
    // A period that is over already is still one: somebody else ends it.
    metadata.deletionGracePeriodSeconds = isPast && wanted !== 0 ? 1 : wanted;
    return 'begun';
  }
  const period = stored.strategy.gracePeriodSeconds(object, wanted);
  metadata.deletionTimestamp = printTime(context.now + period * 1000);
  metadata.deletionGracePeriodSeconds = period;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return 'begun';
}

function markDeleting(object: ApiObject, now: number): void {
  const metadata = metadataOf(object);
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0)
    metadata.generation = (metadata.generation ?? 0) + 1;
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now)
    metadata.deletionTimestamp = printTime(now);
  metadata.deletionGracePeriodSeconds = 0;
}
