// deletecollection: every object of a selection, one by one, as they were listed. As
// apiserver/pkg/endpoints/handlers/delete.go and registry/generic/registry/store.go, DeleteCollection.
import { isApiError } from '../../core/index.js';
import type { ApiList, Frozen } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { checkDeleteOptions, checkListOptions } from '../requests/check-options.js';
import type { Deletion } from '../requests/deletion.js';
import { deletionOf } from '../requests/deletion.js';
import type { Exchange } from '../requests/exchange.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { deleteObject } from './delete.js';
import { readStoredList } from './list.js';

/** Answers with what was listed: all of it, or the one page that was asked for. */
export async function deleteCollection(
  endpoint: Endpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { request } = exchange;
  const form = request.negotiate(endpoint.offer);
  const options = request.options();
  checkListOptions(options);
  const deletion = await deletionOf(endpoint, exchange);
  checkDeleteOptions(deletion);
  const write = new Write(endpoint, exchange, deletion, tools);
  const { limit = 0 } = options;
  let page = await readStoredList(endpoint, request.info, { ...options, limit: limit === 0 ? pageMax : limit });
  await deleteAll(write, deletion, page.items);
  const list = { ...page, items: [...page.items] };
  while (limit === 0 && page.metadata?.continue !== undefined) {
    const { resourceVersion: _, resourceVersionMatch: _match, ...rest } = options;
    page = await readStoredList(endpoint, request.info, { ...rest, limit: pageMax, continue: page.metadata.continue });
    await deleteAll(write, deletion, page.items);
    list.items.push(...page.items);
  }
  return { type: 'object', code: 200, object: list, form };
}

/**
 * Lists that nobody limited are read in such pages, which also makes them lists of exactly the resourceVersion asked
 * for.
 */
const pageMax = 10_000;

async function deleteAll(write: Write, deletion: Deletion, items: Frozen<ApiList>['items']): Promise<void> {
  for (const { metadata } of items) {
    try {
      await deleteObject(write, deletion, metadata?.namespace ?? '', metadata?.name ?? '');
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error; // somebody else was faster
    }
  }
}
