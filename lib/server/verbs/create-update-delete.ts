// create, update, delete and deletecollection: each opens its request, passes the write pipeline, and responds. patch
// is in patch.ts. As apiserver/pkg/endpoints/handlers/{create,update,delete}.go.
import { badRequest, isApiError, nameMismatch, successStatus } from '../../core/index.js';
import type { ApiList, ApiObject, Frozen, ObjectResponse } from '../../core/index.js';
import { checkListOptions } from '../requests/read-options.js';
import type { Exchange } from '../pipeline.js';
import type { Deletion } from '../requests/open-write.js';
import { decodedOnce, openBody, openDeletion } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { dedupeOwners, ensureNamespace } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { createObject, deleteObject, updateObject } from '../writes/write-pipeline.js';
import { readStoredList } from './read.js';

/** Responds with the stored object. */
export async function create(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { form, options, decode } = await openBody(exchange, endpoint);
  const created = await createObject(new Write(endpoint, exchange, options, tools), await decode());
  return { type: 'object', code: 201, object: endpoint.fromHub(created), form };
}

/** Responds with the updated object. */
export async function update(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { namespace, name } = exchange.request.info;
  const { form, options, decode } = await openBody(exchange, endpoint);
  const checked = async (): Promise<ApiObject> => {
    const object = await decode();
    ensureNamespace(object, namespace, endpoint.stored);
    checkName(object, name);
    dedupeOwners(object, exchange);
    return object;
  };
  const first = await checked();
  const { object, fate } = await updateObject(new Write(endpoint, exchange, options, tools), {
    next: decodedOnce(first, checked),
    uid: first.metadata?.uid,
  });
  return { type: 'object', code: fate === 'created' ? 201 : 200, object: endpoint.fromHub(object), form };
}

/** Throws ApiError 400 where an object does not have the name of the request. */
export function checkName(object: ApiObject, name: string): void {
  const own = object.metadata?.name ?? '';
  if (own === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (own !== name) throw nameMismatch(own, name);
}

/** Responds with the object, or with a Status where it was removed. */
export async function deleteOne(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { form, deletion } = await openDeletion(exchange, endpoint);
  const write = new Write(endpoint, exchange, deletion, tools);
  const { object, gone } = await deleteObject(write, deletion, exchange.request.info);
  const code = !gone && deletion.orphanDependents === false ? 202 : 200;
  return { type: 'object', code, object: gone ? deletedObject(endpoint, object) : endpoint.fromHub(object), form };
}

/** The response for a removed object: the object itself, or a Status with its name and uid. */
function deletedObject(endpoint: ResourceEndpoint, object: StoredObject): Frozen<ApiObject> {
  const { stored, gvr } = endpoint;
  if (stored.strategy.answersDeleted === true) return endpoint.fromHub(object);
  const { name = '', uid = '' } = object.metadata ?? {};
  return successStatus({ name, group: gvr.group, kind: gvr.resource, uid });
}

/**
 * Deletes every object of a selection, one by one in the order of the list. Responds with the list: all of it, or the
 * requested page. As registry/generic/registry/store.go, DeleteCollection.
 */
export async function deleteCollection(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { request } = exchange;
  request.negotiate(endpoint.offer);
  const options = request.options();
  checkListOptions(options);
  const { form, deletion } = await openDeletion(exchange, endpoint);
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

/** The page size of lists without a limit; paging makes them lists of exactly the requested resourceVersion. */
const pageMax = 10_000;

async function deleteAll(write: Write, deletion: Deletion, items: Frozen<ApiList>['items']): Promise<void> {
  for (const { metadata } of items) {
    try {
      await deleteObject(write, deletion, { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error; // another client deleted it
    }
  }
}
