// Lists a page of a snapshot: the objects of a view in key order, after a key. As
// apiserver/pkg/storage/cacher/cacher.go, GetList: the limit counts matching objects, and there is a next page if any
// key follows, matching or not.
import type { CacheListing } from './cacher.js';
import type { CachedObject, View } from './view.js';
import type { CacheSnapshot } from './watch-window.js';

/** Selects a page; keys are those of the store. */
export interface PageOptions {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page without its revision; `next` is a key of the store. */
export type CachePage<T extends object> = Omit<CacheListing<T>, 'revision'>;

/** The number of objects read at a time where most may not match. */
const chunk = 512;

/** Returns a page of a view. */
export function cachePage<T extends object>(
  snapshot: CacheSnapshot<T>,
  view: View<T>,
  { after, limit }: PageOptions,
): CachePage<T> {
  if (limit === undefined || view.key !== undefined)
    return { items: listItems(snapshot, view, after).map(({ object }) => object) };
  const { prefix } = view;
  const found = view.isWhole ? snapshot.list({ prefix, after }, limit) : findSome(snapshot, view, { after, limit });
  const items = found.map(({ object }) => object);
  const next = found.length < limit ? undefined : found.at(-1)?.key;
  if (next === undefined) return { items };
  const remaining = snapshot.count({ prefix, after: next });
  return remaining === 0 ? { items } : { items, next, ...(view.isWhole && { remaining }) };
}

function findSome<T extends object>(
  snapshot: CacheSnapshot<T>,
  view: View<T>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): readonly CachedObject<T>[] {
  const found: CachedObject<T>[] = [];
  let from = after;
  let some: readonly CachedObject<T>[];
  do {
    some = snapshot.list({ prefix: view.prefix, after: from }, chunk);
    for (const item of some) if (found.length < limit && view.sees(item)) found.push(item);
    from = some.at(-1)?.key;
  } while (some.length === chunk && found.length < limit);
  return found;
}

/** Returns all objects of a view in key order, or those after a key. */
export function listItems<T extends object>(
  snapshot: CacheSnapshot<T>,
  view: View<T>,
  after?: string,
): readonly CachedObject<T>[] {
  if (view.isWhole) return snapshot.list({ prefix: view.prefix, after });
  // A single key is read as a range of one, so that `after` is handled by the index.
  const found =
    view.key === undefined
      ? snapshot.list({ prefix: view.prefix, after })
      : snapshot.list({ prefix: view.key, after }, 1);
  return found.filter((item) => view.sees(item));
}
