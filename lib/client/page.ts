// A list as the API answers it, as the page that callers read.
import type { ApiObject, Frozen, ListMeta, Page } from '../core/index.js';
import { ConnectionError } from './connection-error.js';

/** The page of a list. */
export function pageOf<T>(list: Frozen<ApiObject>): Page<T> {
  // Go says null for an empty list where nobody takes care.
  const items: unknown = 'items' in list ? (list.items ?? []) : undefined;
  if (!Array.isArray(items))
    throw new ConnectionError(`the server answered with ${list.kind ?? 'something'} instead of a list`);
  const { resourceVersion = '', continue: next = '', remainingItemCount } = (list.metadata ?? {}) as Frozen<ListMeta>;
  return {
    items: items as readonly T[],
    resourceVersion,
    ...(next !== '' && { continue: next }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
