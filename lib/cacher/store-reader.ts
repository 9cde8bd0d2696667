// Reads from the store: revisions older than the window, and consistent reads while the cache lags. Cached objects are
// reused. Errors of the store are translated to those of the API.
import { listExpired, tooLargeResourceVersion } from '../core/index.js';
import type { Entry, Revision, Store } from '../storage/index.js';
import { isStoreError } from '../storage/index.js';
import type { CacheListing } from './cacher.js';
import type { PageOptions } from './list-page.js';
import type { CachedObject, View } from './view.js';

/** The store, and the conversion of its entries. */
export interface StoreReader<T extends object> {
  readonly source: { readonly store: Store };
  itemOf(entry: Entry): CachedObject<T>;
}

/** Selects a page and its revision; default: the newest. */
export interface ReaderPageOptions extends PageOptions {
  readonly revision?: Revision | undefined;
}

/** The number of entries read at a time where most may not match. */
const chunk = 500;

/** Returns a page of a view, read from the store. */
export async function listFromStore<T extends object>(
  reader: StoreReader<T>,
  view: View<T>,
  options: ReaderPageOptions,
): Promise<CacheListing<T>> {
  const { store } = reader.source;
  const { limit = Number.POSITIVE_INFINITY, after } = options;
  // A single key is read as a range of one.
  const atOnce = view.key !== undefined ? 1 : view.isWhole ? limit : Math.max(limit, chunk);
  const items: T[] = [];
  let { revision } = options;
  for (let from = after; ;) {
    const page = await withApiErrors(
      store.list(view.key ?? view.prefix, {
        ...(atOnce < Infinity && { limit: atOnce }),
        ...(from !== undefined && { after: from }),
        ...(revision !== undefined && { revision }),
      }),
      revision,
    );
    ({ revision } = page);
    for (const [index, entry] of page.entries.entries()) {
      from = entry.key;
      const item = reader.itemOf(entry);
      if (!view.sees(item)) continue;
      items.push(item.object);
      if (items.length < limit) continue;
      const remaining = view.key !== undefined ? 0 : page.entries.length - 1 - index + page.remaining;
      return remaining === 0
        ? { items, revision }
        : { items, revision, next: item.key, ...(view.isWhole && { remaining }) };
    }
    if (page.remaining === 0 || view.key !== undefined) return { items, revision };
  }
}

async function withApiErrors<R>(answer: Promise<R>, revision: Revision | undefined): Promise<R> {
  try {
    return await answer;
  } catch (error) {
    if (isStoreError(error, 'compacted')) throw listExpired();
    if (isStoreError(error, 'future-revision'))
      throw tooLargeResourceVersion(`${revision ?? 0}`, `${error.revision ?? 0}`);
    throw error;
  }
}
