// deletecollection: every object of a selection, one by one, as they were listed. As
// apiserver/pkg/endpoints/handlers/delete.go and registry/generic/registry/store.go, DeleteCollection.
import { isApiError } from '../../core/index.js';
import type { ObjectResponse } from '../../client/index.js';
import { checkDeleteOptions, checkListOptions } from '../requests/check-options.js';
import type { Exchange } from '../requests/exchange.js';
import { objectOffer } from '../requests/form.js';
import type { Endpoint } from '../registry/endpoint.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { deleteObject, deletionOf } from './delete.js';
import { listOf } from './list.js';

/** Answers with what was listed. */
export async function deleteCollection(endpoint: Endpoint, exchange: Exchange, tools: WriteTools): Promise<ObjectResponse> {
  const { request } = exchange;
  const form = request.negotiate(objectOffer);
  const options = request.options();
  checkListOptions(options);
  const deletion = await deletionOf(endpoint, exchange, () => options);
  checkDeleteOptions(deletion);
  const list = await listOf(endpoint, request.info, options);
  const write = new Write(endpoint, exchange, deletion, tools);
  for (const { metadata } of list.items) {
    try {
      await deleteObject(write, deletion, metadata?.namespace ?? '', metadata?.name ?? '');
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error; // somebody else was faster
    }
  }
  return { type: 'object', code: 200, object: list, form };
}
