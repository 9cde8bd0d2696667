/**
 * Reading one state of a memory store. Synchronous: it is all in memory and never changes.
 */
import { checkKey, checkStoreListOptions, checkPrefix } from './check-input.js';
import type { KeyRange } from './key-index.js';
import type { Entry, StoreListOptions, Listing, Revision } from './store.js';

/** One revision of a store, to be read for as long as it is held, whatever is compacted, forked or closed meanwhile. */
export interface ReadView {
  readonly revision: Revision;
  /** One key. */
  get(key: string): Entry | undefined;
  /** The keys that begin with `prefix`. */
  list(prefix: string, options?: Omit<StoreListOptions, 'revision'>): Listing;
}

/** A state that can be read: a KeyIndex or a PastState. */
export interface State {
  get(key: string): Entry | undefined;
  list(range: KeyRange, limit?: number): Entry[];
  count(range: KeyRange): number;
}

/** A state and the revision that it is of. */
export interface StateAt {
  readonly revision: Revision;
  readonly state: State;
}

/** A view of a state that no longer changes. */
export function readView({ revision, state }: StateAt): ReadView {
  return Object.freeze({
    revision,
    get: (key: string) => {
      checkKey(key);
      return state.get(key);
    },
    list: (prefix: string, options: Omit<StoreListOptions, 'revision'> = {}) => {
      checkPrefix(prefix);
      checkStoreListOptions(options);
      return listPage(prefix, options, { revision, state });
    },
  });
}

/** A page of a state. The input is checked. */
export function listPage(prefix: string, { limit, after }: StoreListOptions, { revision, state }: StateAt): Listing {
  const entries = state.list({ prefix, after }, limit);
  // Counted only where something may remain, and then from the last entry on.
  const remaining = entries.length === limit ? state.count({ prefix, after: entries.at(-1)?.key }) : 0;
  return { entries, revision, remaining };
}
