// The optimistic update loop: read, change, commit if the object is unchanged, or else retry. The first attempt starts
// from the cache, which is nearly always current and saves a read. A refusal or a no-op that results from a cached
// object counts only after a consistent read has confirmed it. As apiserver/pkg/storage/etcd3/store.go,
// GuaranteedUpdate.
import type { ApiObject } from '../../core/index.js';
import type { Outcome } from '../../storage/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { withRevision } from '../registry/stored-kind.js';
import { foundObject, isOutcome, putObject, removeObject } from './commit.js';
import { isUnchanged } from './field-ownership.js';
import type { Reservation } from './kind-behaviour.js';
import { metadataOf } from './prepare.js';
import { isUnknownOutcome } from './store-failure.js';
import type { Write } from './write.js';

/** What an update does with an object. */
export type UpdateDecision =
  /** It is replaced, or created where it was absent. */
  | { readonly put: ApiObject; readonly reservation?: Reservation }
  /** It is removed; `answer` is its last state, for the response. */
  | { readonly remove: true; readonly answer?: ApiObject }
  /** It stays as it is. */
  | { readonly keep: StoredObject };

/** Decides about the current object. Throws or rejects to refuse. */
export type ChangeObject = (old: StoredObject | undefined) => UpdateDecision | Promise<UpdateDecision>;

/** The result of an update. */
export interface Changed {
  readonly object: StoredObject;
  readonly fate: 'created' | 'updated' | 'unchanged' | 'removed';
}

/** Changes the object under a key. `change` may be called several times. */
export async function guaranteedUpdate(write: Write, key: string, change: ChangeObject): Promise<Changed> {
  const { cacher } = write.stored;
  let old = cacher.peek(key);
  let fresh = false;
  if (old === undefined) {
    old = (await cacher.get(key)).object;
    fresh = true;
  }
  for (;;) {
    const attempt = await attemptChange(write, key, old, fresh, change);
    if ('changed' in attempt) return attempt.changed;
    const before = old;
    old = 'found' in attempt ? attempt.found : (await cacher.get(key)).object;
    fresh = true;
    // The cached object was current: what was decided by it stands.
    if ('stale' in attempt && attempt.unchanged !== undefined && isSameRevision(before, old))
      return { object: attempt.unchanged, fate: 'unchanged' };
  }
}

/**
 * The outcome of one attempt: done, a conflict with the object that was found, or stale input; of a no-op, the object
 * that stays if the input was current after all.
 */
type Attempt =
  | { readonly changed: Changed }
  | { readonly found: StoredObject | undefined }
  | { readonly stale: true; readonly unchanged?: StoredObject };

function isSameRevision(before: StoredObject | undefined, now: StoredObject | undefined): boolean {
  return before !== undefined && before.metadata?.resourceVersion === now?.metadata?.resourceVersion;
}

async function attemptChange(
  write: Write,
  key: string,
  old: StoredObject | undefined,
  fresh: boolean,
  change: ChangeObject,
): Promise<Attempt> {
  let next: UpdateDecision;
  try {
    const changing = change(old);
    next = changing instanceof Promise ? await changing : changing;
  } catch (error) {
    if (fresh) throw error;
    return { stale: true };
  }
  if ('keep' in next)
    return fresh ? { changed: { object: next.keep, fate: 'unchanged' } } : { stale: true, unchanged: next.keep };
  if ('remove' in next) return await commitDelete(write, key, old, next.answer);
  return await commitPut(write, key, old, fresh, next.put, next.reservation);
}

async function commitPut(
  write: Write,
  key: string,
  old: StoredObject | undefined,
  fresh: boolean,
  object: ApiObject,
  reservation?: Reservation,
): Promise<Attempt> {
  const metadata = metadataOf(object);
  const revision = old?.metadata?.resourceVersion;
  if (revision === undefined) delete metadata.resourceVersion;
  else if (metadata.resourceVersion !== revision) metadata.resourceVersion = revision;
  try {
    if (old !== undefined && isUnchanged(object, old)) {
      if (!fresh) return reservation === undefined ? { stale: true, unchanged: old } : { stale: true };
      reservation?.commit();
      return { changed: { object: old, fate: 'unchanged' } };
    }
    const fate = old === undefined ? 'created' : 'updated';
    if (write.context.dryRun) return { changed: { object, fate } };
    const result = await putObject(write, key, object, old);
    if (result === 'lost') return { found: old };
    if (isOutcome(result)) return foundAttempt(write, result);
    reservation?.commit();
    return { changed: { object: result, fate } };
  } catch (error) {
    if (isUnknownOutcome(error)) reservation?.keep();
    throw error;
  } finally {
    reservation?.rollback(); // no effect after the others
  }
}

/** What a refused transaction found is the next input, unless it would have to be converted first. */
function foundAttempt(write: Write, outcome: Outcome): Attempt {
  return write.stored.isConverted ? { stale: true } : { found: foundObject(write, outcome) };
}

async function commitDelete(
  write: Write,
  key: string,
  old: StoredObject | undefined,
  answer?: ApiObject,
): Promise<Attempt> {
  if (old === undefined) return { stale: true };
  if (write.context.dryRun) return { changed: { object: answer ?? old, fate: 'removed' } };
  const outcome = await removeObject(write, key, old);
  if (outcome === 'lost') return { found: old };
  if (!outcome.committed) return foundAttempt(write, outcome);
  return { changed: { object: withRevision(answer ?? old, outcome.revision), fate: 'removed' } };
}
