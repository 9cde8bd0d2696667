// Writes the objects that every cluster starts with. Objects that are missing are created, in as few commits as the
// limits of a transaction allow; objects that exist are kept, or reconciled where their definition says how. A server
// that shares its store with others, or finds the store as it left it, writes nothing.
import { groupVersionKindOf, printTime } from '../../core/index.js';
import type { ApiObject, Clock, Frozen, Random } from '../../core/index.js';
import { storeLimits } from '../../storage/index.js';
import type { Comparison, Entry, Put, Store } from '../../storage/index.js';
import type { Registry } from '../registry/registry.js';
import { ownFields } from '../writes/field-ownership.js';
import type { StoredObject, StoredKind } from '../registry/stored-kind.js';

/** An object that a cluster starts with. */
export interface BootstrapObject {
  /** The complete object, without uid and creationTimestamp. */
  readonly object: Frozen<ApiObject>;
  /**
   * Returns what an existing object should become: the same reference where nothing changes, undefined to delete it
   * and create it anew. Without it an existing object is kept as it is.
   */
  readonly reconcile?: (existing: StoredObject) => Frozen<ApiObject> | undefined;
  /**
   * The interval in which the object is created again after it was deleted, in milliseconds since the start of the
   * server; 0 for at once. Without it a deleted object comes back with the next start.
   */
  readonly restoreEveryMs?: number;
}

/** Dependencies of writing bootstrap objects. */
export interface BootstrapTools {
  readonly registry: Registry;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** Resolves when all of the objects exist and are reconciled. Objects of kinds that the scheme lacks are left out. */
export async function writeBootstrap(objects: readonly BootstrapObject[], tools: BootstrapTools): Promise<void> {
  for (const { draft, entry } of await createMissing(objects, tools)) await reconcile(draft, entry, tools);
}

/** An object ready to be stored. */
interface Draft extends BootstrapObject {
  readonly stored: StoredKind;
  readonly put: Put;
  /** Releases what was kept for the write; called where the object is not written after all. */
  readonly done: () => void;
}

/** An object that the store has already. */
interface Existing {
  readonly draft: Draft;
  readonly entry: Entry;
}

/** Creates what is missing; resolves with the objects that exist. */
async function createMissing(objects: readonly BootstrapObject[], tools: BootstrapTools): Promise<readonly Existing[]> {
  const time = tools.clock.now();
  const creating = { ...tools, kinds: new Map<string, StoredKind | undefined>(), time, timeText: printTime(time) };
  const drafts = objects.map((each) => draftOf(each, creating)).filter((draft) => draft !== undefined);
  const existing: Existing[] = [];
  for (let from = 0; from < drafts.length; from += storeLimits.changesMax) {
    let missing = drafts.slice(from, from + storeLimits.changesMax);
    while (missing.length > 0) {
      const compare: readonly Comparison[] = missing.map(({ put }) => ({ key: put.key, modRevision: 0 }));
      const outcome = await tools.store.commit({ compare, put: missing.map(({ put }) => put) });
      if (outcome.committed) break;
      missing = missing.filter((draft, index) => {
        const entry = outcome.found[index];
        if (entry === undefined) return true;
        draft.done();
        existing.push({ draft, entry });
        return false;
      });
    }
  }
  return existing;
}

/** Dependencies of one call. */
interface CreateTools extends BootstrapTools {
  /** By apiVersion and kind: there are many objects of few kinds. */
  readonly kinds: Map<string, StoredKind | undefined>;
  /** When they are created, in milliseconds since 1970. */
  readonly time: number;
  /** The same time as text. */
  readonly timeText: string;
}

function draftOf(given: BootstrapObject, tools: CreateTools): Draft | undefined {
  const { object } = given;
  const stored = storedKindOf(object, tools);
  if (stored === undefined) return undefined;
  const { random, time, timeText } = tools;
  const metadata = { ...object.metadata, uid: random.uuid(), creationTimestamp: timeText };
  const owned = ownedByServer(stored, { ...object, metadata }, undefined, time);
  const { key, value, done } = stored.write(stored.keyOf(metadata.namespace ?? '', metadata.name ?? ''), owned);
  // `done` is not called for what is written: the value stays known as complete, so that it need not be decoded when a
  // cache first reads it and a server that has just started answers without having compiled a schema.
  return { ...given, stored, put: { key, value }, done };
}

/** Undefined for kinds that the scheme lacks. */
function storedKindOf(object: Frozen<ApiObject>, { registry, kinds }: CreateTools): StoredKind | undefined {
  const name = `${object.apiVersion ?? ''}/${object.kind ?? ''}`;
  if (kinds.has(name)) return kinds.get(name);
  const gvk = groupVersionKindOf(object);
  const plural = registry.scheme.kind(gvk)?.resource?.plural;
  const stored = plural === undefined ? undefined : registry.endpoint({ ...gvk, resource: plural })?.stored;
  kinds.set(name, stored);
  return stored;
}

/** Brings one existing object to what its definition wants; retries when another writer is faster. */
async function reconcile(draft: Draft, first: Entry, tools: BootstrapTools): Promise<void> {
  if (draft.reconcile === undefined) return;
  for (let entry = first; ;) {
    const existing = draft.stored.read(entry);
    const next = draft.reconcile(existing);
    if (next === existing) return;
    const outcome = await tools.store.commit({
      compare: [{ key: entry.key, modRevision: entry.modRevision }],
      ...(next === undefined ? { delete: [entry.key] } : { put: [replacement(draft.stored, next, existing, tools)] }),
    });
    if (outcome.committed && next !== undefined) return;
    const faster = outcome.committed ? undefined : outcome.found[0];
    if (faster !== undefined) {
      entry = faster;
      continue;
    }
    // Deleted, by this server or by another writer: create it.
    const [again] = await createMissing([draft], tools);
    if (again === undefined) return;
    ({ entry } = again);
  }
}

function replacement(
  stored: StoredKind,
  object: Frozen<ApiObject>,
  old: Frozen<ApiObject>,
  { clock }: BootstrapTools,
): Put {
  const { namespace = '', name = '' } = object.metadata ?? {};
  const { key, value, done } = stored.write(
    stored.keyOf(namespace, name),
    ownedByServer(stored, object, old, clock.now()),
  );
  done();
  return { key, value };
}

/** The object with the server as its field manager, as for what a kube-apiserver writes through its loopback client. */
function ownedByServer(
  stored: StoredKind,
  object: Frozen<ApiObject>,
  old: Frozen<ApiObject> | undefined,
  time: number,
): ApiObject {
  return ownFields(stored, {
    old,
    // The value is frozen when it is stored, so the cast away from Frozen is safe.
    new: object as ApiObject,
    manager: 'kube-apiserver',
    subresource: '',
    version: stored.definition,
    time,
  });
}
