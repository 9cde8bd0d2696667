/**
 * The end of a key's life: rewrites what is stored in an older way, so that the older key can be taken out of the
 * configuration. Works through the store like any other writer: each entry is put again as it is, unless another writer
 * has written it meanwhile, and watchers see it as a change that changes nothing, as after Kubernetes' storage
 * migration. Needs a store that marks stale entries, as `Entry` says; with any other it finds nothing to do.
 */
import { isStoreError } from '../store-error.js';
import type { Entry, Outcome, Put, Store } from '../store.js';

/** The methods of a store that `rewriteStale` uses. */
export type RewritableStore = Pick<Store, 'commit' | 'list'>;

/** The result of `rewriteStale`. */
export interface Rewriting {
  /** Entries looked at. */
  readonly examined: number;
  /** Entries rewritten. */
  readonly rewritten: number;
  /** Entries that another process wrote meanwhile in an older way again. Give it the new keys, then call once more. */
  readonly left: number;
}

/** Entries per page, all of whose commits are under way at once. */
const pageSize = 128;

/**
 * Rewrites the stale entries below a prefix. It may be interrupted and called again at any time. A value that cannot be
 * read ends it with `corrupt`.
 *
 * Pages are read at the newest revision, not at one: that could be compacted meanwhile, and nothing that is written
 * while it runs needs rewriting.
 */
export async function rewriteStale(store: RewritableStore, prefix: string): Promise<Rewriting> {
  let examined = 0;
  let rewritten = 0;
  let left = 0;
  for (let after: string | undefined; ;) {
    const { entries, remaining } = await store.list(prefix, {
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    });
    const outcomes = await Promise.all(entries.filter(isStale).map((entry) => rewrite(store, entry)));
    examined += entries.length;
    rewritten += outcomes.filter((outcome) => outcome?.committed === true).length;
    left += outcomes.filter((outcome) => outcome?.committed === false && outcome.found.some(isStale)).length;
    after = entries.at(-1)?.key;
    if (remaining === 0 || after === undefined) return { examined, rewritten, left };
  }
}

/** Nothing, when the lease of the entry ran out before the store looked, and the entry with it. */
async function rewrite(
  store: RewritableStore,
  { key, value, modRevision, lease }: Entry,
): Promise<Outcome | undefined> {
  const put: Put = lease === undefined ? { key, value } : { key, value, lease };
  try {
    return await store.commit({ compare: [{ key, modRevision }], put: [put] });
  } catch (error) {
    if (isStoreError(error, 'lease-not-found')) return undefined;
    throw error;
  }
}

function isStale(entry: Entry | undefined): boolean {
  return entry?.stale === true;
}
