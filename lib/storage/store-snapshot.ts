// Snapshots: the state of a store at one revision as plain JSON, to be written to a file and loaded into a memory store
// (`memoryStore({ snapshot })`). History is not part of it, and neither are keys under a lease (Events), since a store
// does not say how long their leases last.
import { isJsonObject } from '../core/index.js';
import type { JsonObject } from '../core/index.js';
import { checkKey } from './check-input.js';
import { orderOf } from './key-index.js';
import { StoreError } from './store-error.js';
import type { Revision, Store } from './store.js';

/** The state of a store at a revision. */
export interface StoreSnapshot {
  readonly revision: Revision;
  /** In byte order of their keys. */
  readonly entries: readonly SnapshotEntry[];
}

/** An entry of a snapshot. */
export interface SnapshotEntry {
  readonly key: string;
  readonly value: JsonObject;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
}

/** Reads the state of a store at its newest revision, page by page, so that writers are not held up. */
export async function takeSnapshot(store: Store): Promise<StoreSnapshot> {
  const entries: SnapshotEntry[] = [];
  let page = await store.list('', { limit: pageSize });
  const { revision } = page;
  for (;;) {
    for (const { key, value, createRevision, modRevision, lease } of page.entries)
      if (lease === undefined) entries.push({ key, value, createRevision, modRevision });
    const last = page.entries.at(-1);
    if (page.remaining === 0 || last === undefined) return { revision, entries };
    page = await store.list('', { limit: pageSize, after: last.key, revision });
  }
}

/** Throws StoreError `invalid` where a snapshot is not one that `takeSnapshot` returns. */
export function checkSnapshot({ revision, entries }: StoreSnapshot): void {
  if (!isRevision(revision, 1, Number.MAX_SAFE_INTEGER)) throw invalid(`revision ${revision}`);
  if (!isArray(entries)) throw invalid('no entries');
  let previous: string | undefined;
  for (const { key, value, createRevision, modRevision } of entries) {
    checkKey(key);
    if (previous !== undefined && orderOf(previous) >= orderOf(key))
      throw invalid(`${key} does not come after ${previous}`);
    if (!isRevision(modRevision, 1, revision) || !isRevision(createRevision, 1, modRevision))
      throw invalid(`the revisions of ${key}`);
    if (!isJsonObject(value)) throw invalid(`the value of ${key}`);
    previous = key;
  }
}

const pageSize = 500;

/** Does not narrow: a readonly array would become one of any. */
function isArray(value: unknown): boolean {
  return Array.isArray(value);
}

function isRevision(value: number, min: Revision, max: Revision): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

function invalid(what: string): StoreError {
  return new StoreError('invalid', `not a snapshot: ${what}`);
}
