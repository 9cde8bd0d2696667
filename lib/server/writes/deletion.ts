// Decides how an object is deleted: at once, after a grace period, or when its finalizers are removed. The pipeline
// commits. As registry/rest/delete.go and registry/generic/registry/store.go, Delete.
//
// The propagation policy is stored as a finalizer of the garbage collector: `orphan`, `foregroundDeletion`, or none for
// background deletion; as deletionFinalizersForGarbageCollection.
import { deletePreconditionFailed, parseTime, printTime } from '../../core/index.js';
import type { ApiObject, GroupKind, KindStrategy, RequestOptions } from '../../core/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import type { Deletion } from '../requests/open-write.js';
import type { UpdateDecision } from './guaranteed-update.js';
import { draftOf, metadataOf } from './prepare.js';
import type { Write } from './write.js';

/** Returns the change that a deletion makes. */
export function deletionChange(write: Write, deletion: Deletion, old: StoredObject): UpdateDecision {
  const { stored, context } = write;
  const object = draftOf(old);
  if (stored.strategy.holdsDeletion?.(old) === true) return heldChange(write, deletion, object, old);
  const grace = beginGrace(write, object, deletion.gracePeriodSeconds);
  if (grace === 'pending') return { keep: old };
  const finalizers = finalizersOf(stored.strategy, old, deletion);
  setFinalizers(object, finalizers);
  if (grace === 'none') {
    if (finalizers.length === 0) return { remove: true };
    markDeleting(object, context.now);
  }
  stored.strategy.prepareForDelete?.(object, context);
  return { put: object };
}

/** Throws ApiError 409 where uid or resourceVersion differ from the preconditions. */
export function checkPreconditions(
  kind: GroupKind,
  { preconditions }: Pick<Deletion, 'preconditions'>,
  old: StoredObject,
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

/** Whether the graceful deletion of an object is complete: no grace period left and no finalizers. */
export function isDeletionComplete({ metadata }: StoredObject): boolean {
  return (
    metadata?.deletionTimestamp !== undefined &&
    metadata.deletionGracePeriodSeconds === 0 &&
    (metadata.finalizers ?? []).length === 0
  );
}

/** Marks the object as terminating and keeps it; its controller (e.g. namespace) empties and deletes it later. */
function heldChange(
  { stored, context }: Write,
  deletion: Deletion,
  object: ApiObject,
  old: StoredObject,
): UpdateDecision {
  if (old.metadata?.deletionTimestamp !== undefined) return { keep: old };
  metadataOf(object).deletionTimestamp = printTime(context.now);
  setFinalizers(object, finalizersOf(stored.strategy, old, deletion));
  stored.strategy.prepareForDelete?.(object, context);
  return { put: object };
}

function setFinalizers(object: ApiObject, finalizers: readonly string[]): void {
  const metadata = metadataOf(object);
  if (finalizers.length > 0) metadata.finalizers = [...finalizers];
  else delete metadata.finalizers;
}

/** Sets the end of the grace period. Returns `begun`, `none`, or `pending` where one is running and stays. */
function beginGrace(
  { stored, context }: Write,
  object: ApiObject,
  requested: number | undefined,
): 'begun' | 'none' | 'pending' {
  const metadata = metadataOf(object);
  const wanted = requested !== undefined && requested < 0 ? 1 : requested;
  if (stored.strategy.gracePeriodSeconds === undefined) return 'none';
  const current = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    if (current === undefined || current === 0) return 'none';
    if (wanted === undefined || wanted >= current) return 'pending';
    const end = parseTime(metadata.deletionTimestamp) + (wanted - current) * 1000;
    const isPast = end < context.now;
    metadata.deletionTimestamp = printTime(isPast ? context.now : end);
    // A shorter period that ended in the past becomes 1 s: the node agent finishes it.
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

/** The finalizers of a deleted object, with that of the propagation policy. */
function finalizersOf(strategy: KindStrategy, old: StoredObject, options: RequestOptions): readonly string[] {
  const current = old.metadata?.finalizers ?? [];
  const others = current.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  const policy = policyOf(strategy, current, options);
  const wanted = policy === 'Orphan' ? [...others, orphan] : policy === 'Foreground' ? [...others, foreground] : others;
  const isSame = wanted.length === current.length && wanted.every((finalizer) => current.includes(finalizer));
  return isSame ? current : wanted;
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

function policyOf(
  strategy: KindStrategy,
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: RequestOptions,
): string {
  if (strategy.ignoresPropagation === true) return 'Background';
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background';
  if (propagationPolicy !== undefined) return propagationPolicy;
  const given = finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground);
  if (given !== undefined) return given === orphan ? 'Orphan' : 'Foreground';
  return strategy.propagation ?? 'Background';
}
