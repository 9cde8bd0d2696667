// Read, change, write if nobody was faster, or else begin again: how every existing object is changed. Begins with what
// the cache holds, which is right nearly always and saves a read; whatever a stale beginning leads to (a refusal,
// nothing to do) counts only after a fresh one led to it too. As apiserver/pkg/storage/etcd3/store.go,
// GuaranteedUpdate.
import type { ApiObject } from '../../core/index.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { withRevision } from '../registry/stored-kind.js';
import { foundObject, isOutcome, putObject, removeObject } from './commit.js';
import { isUnchanged } from './field-ownership.js';
import type { Reservation } from './kind-behaviour.js';
import { metadataOf } from './prepare.js';
import type { Write } from './write.js';

/** What shall become of an object. */
export type UpdateDecision =
  /** It is replaced, or created where it was absent. */
  | { readonly put: ApiObject; readonly reservation?: Reservation }
  /** It is removed; the answer is what it would have become. */
  | { readonly remove: true; readonly answer?: ApiObject }
  /** It stays as it is. */
  | { readonly keep: StoredObject };

/** Decides it; throws, or rejects, to refuse. */
export type ChangeObject = (old: StoredObject | undefined) => UpdateDecision | Promise<UpdateDecision>;

/** What became of it. */
export interface Changed {
  readonly object: StoredObject;
  readonly fate: 'created' | 'updated' | 'unchanged' | 'removed';
}

/** Changes the object under a key. `change` may be asked several times and throws to refuse. */
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
    old = 'found' in attempt ? attempt.found : (await cacher.get(key)).object;
    fresh = true;
  }
}

/** The outcome of one round: done, beaten by another writer whose object was found, or in need of a fresh look. */
type Attempt = { readonly changed: Changed } | { readonly found: StoredObject | undefined } | { readonly stale: true };

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
  if ('keep' in next) return fresh ? { changed: { object: next.keep, fate: 'unchanged' } } : { stale: true };
  if ('remove' in next) return await removed(write, key, old, next.answer);
  return await put(write, key, old, fresh, next.put, next.reservation);
}

async function put(
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
  let kept = false;
  try {
    if (old !== undefined && isUnchanged(object, old)) {
      if (!fresh) return { stale: true };
      kept = true;
      reservation?.commit();
      return { changed: { object: old, fate: 'unchanged' } };
    }
    const fate = old === undefined ? 'created' : 'updated';
    if (write.context.dryRun) return { changed: { object, fate } };
    const result = await putObject(write, key, object, old);
    if (isOutcome(result)) return { found: foundObject(write, result) };
    kept = true;
    reservation?.commit();
    return { changed: { object: result, fate } };
  } finally {
    if (!kept) reservation?.rollback();
  }
}

async function removed(write: Write, key: string, old: StoredObject | undefined, answer?: ApiObject): Promise<Attempt> {
  if (old === undefined) return { stale: true };
  if (write.context.dryRun) return { changed: { object: answer ?? old, fate: 'removed' } };
  const outcome = await removeObject(write, key, old);
  if (!outcome.committed) return { found: foundObject(write, outcome) };
  return { changed: { object: withRevision(answer ?? old, outcome.revision), fate: 'removed' } };
}
