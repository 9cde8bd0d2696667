// A page of a snapshot: the objects of a view, in the order of keys, from a key on. As
// apiserver/pkg/storage/cacher/cacher.go, GetList: a limit counts what belongs, and there is a next page when any key
// follows, whether or not it belongs.
import type { CacheListing } from './cacher.js';
import type { Item, View } from './view.js';
import type { Snapshot } from './watch-window.js';

/** Which page; its keys are those of the store. */
export interface PageOptions {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page without the revision it is of; its `next` is a key of the store. */
export type Page<T extends object> = Omit<CacheListing<T>, 'revision'>;

/** How many objects are looked at in one go where most may not belong. */
const chunk = 512;

/** A page of what a view has in a snapshot. */
export function listPage<T extends object>(snapshot: Snapshot<T>, view: View<T>, { after, limit }: PageOptions): Page<T> {
  if (limit === undefined || view.key !== undefined) return { items: listItems(snapshot, view, after).map(({ object }) => object) };
  const { prefix } = view;
  const atOnce = view.isWhole ? limit : Math.max(limit, chunk);
  const items: T[] = [];
  for (let from = after; ; ) {
    const found = snapshot.list({ prefix, after: from }, atOnce);
    for (const item of found) {
      from = item.key;
      if (!view.sees(item)) continue;
      items.push(item.object);
      if (items.length < limit) continue;
      const remaining = snapshot.count({ prefix, after: from });
      return remaining === 0 ? { items } : { items, next: from, ...(view.isWhole && { remaining }) };
    }
    if (found.length < atOnce) return { items };
  }
}

/** All that a view has in a snapshot, in the order of keys, or what comes after one. */
export function listItems<T extends object>(snapshot: Snapshot<T>, view: View<T>, after?: string): readonly Item<T>[] {
  if (view.isWhole) return snapshot.list({ prefix: view.prefix, after });
  // One key is a range, too, of which it is the first: whether it comes after another is for the index to say.
  const found = view.key === undefined ? snapshot.list({ prefix: view.prefix, after }) : snapshot.list({ prefix: view.key, after }, 1);
  return found.filter((item) => view.sees(item));
}
