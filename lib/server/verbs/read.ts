// get and list: an object at the requested freshness, and a page of objects of one revision. The table of list
// semantics (resourceVersion, its match, limit, continue) is implemented only here. As
// apiserver/pkg/endpoints/handlers/get.go, apiserver/pkg/storage/cacher/delegator and etcd3/store.go, GetList.
import type { CacheReading, CacheListing, CacheListOptions } from '../../cacher/index.js';
import { notFound, badRequest, continueExpired, isApiError, printGroupVersion } from '../../core/index.js';
import type { ObjectResponse, ApiList, Frozen, ListMeta, RequestInfo, RequestOptions } from '../../core/index.js';
import { freshnessOf, checkListOptions, listRevision } from '../requests/read-options.js';
import type { Exchange } from '../pipeline.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { parseContinueToken, printContinueToken } from '../registry/continue-token.js';
import { selectionOf } from '../registry/selection.js';

/** Responds with the object. Throws or rejects with ApiError 404. */
export function get(endpoint: ResourceEndpoint, { request }: Exchange): ObjectResponse | Promise<ObjectResponse> {
  const { info } = request;
  const form = request.negotiate(endpoint.offer);
  const { resourceVersion } = request.options();
  const { cacher } = endpoint.stored;
  const key = endpoint.stored.keyOf(info.namespace, info.name);
  const answer = ({ object }: CacheReading<StoredObject>): ObjectResponse => {
    if (object === undefined) throw notFound(refOf(endpoint, info.name));
    return { type: 'object', code: 200, object: endpoint.fromHub(object), form };
  };
  const freshness = freshnessOf(resourceVersion);
  const now = freshness === undefined ? cacher.getNow(key) : undefined;
  return now === undefined ? cacher.get(key, freshness).then(answer) : answer(now);
}

/** Responds with the list. */
export async function list(endpoint: ResourceEndpoint, { request }: Exchange): Promise<ObjectResponse> {
  const form = request.negotiate(endpoint.offer);
  const options = request.options();
  checkListOptions(options);
  const page = await readStoredList(endpoint, request.info, options);
  const isCustom = endpoint.served.versionStorage !== undefined;
  return { type: 'object', code: 200, object: isCustom ? unstructuredList(page) : page, form };
}

/** Lists of custom resources always print `continue`. As unstructured lists of Kubernetes do. */
function unstructuredList(list: Frozen<ApiList>): Frozen<ApiList> {
  return list.metadata?.continue === undefined ? { ...list, metadata: { continue: '', ...list.metadata } } : list;
}

/** Reads the list that the options select. Rejects with ApiError. */
export async function readStoredList(
  endpoint: ResourceEndpoint,
  info: RequestInfo,
  options: RequestOptions,
): Promise<Frozen<ApiList>> {
  const { stored } = endpoint;
  const scope = selectionOf(endpoint, info, options);
  const keyScope = scope.namespace === undefined ? '' : `${scope.namespace}/`;
  const page = await pageOf(endpoint, { ...scope, ...position(options, keyScope) }, keyScope);
  const identity = endpoint.served === stored.definition;
  return {
    kind: endpoint.served.resource.listKind,
    apiVersion: printGroupVersion(endpoint.gvk),
    metadata: listMeta(page, keyScope),
    // Items are shared as they are; the wire omits their kind and apiVersion.
    items: identity ? page.items : page.items.map((item) => endpoint.fromHub(item)),
  };
}

async function pageOf(
  { stored }: ResourceEndpoint,
  options: CacheListOptions<StoredObject>,
  keyScope: string,
): Promise<CacheListing<StoredObject>> {
  try {
    return await stored.cacher.list(options);
  } catch (error) {
    // The revision of the list is compacted: the token lets the client continue at the newest revision.
    if (options.after === undefined || !isApiError(error, 'Expired')) throw error;
    throw continueExpired(printContinueToken({ revision: -1, after: options.after }, keyScope));
  }
}

type Position = Pick<CacheListOptions<StoredObject>, 'notOlderThan' | 'revision' | 'after' | 'limit'>;

function position(
  { limit = 0, continue: token = '', resourceVersion = '', resourceVersionMatch = '' }: RequestOptions,
  keyScope: string,
): Position {
  const paged = limit > 0 ? { limit } : {};
  if (token !== '') {
    const { revision, after } = parseContinueToken(token, keyScope);
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return { ...paged, after, ...(revision > 0 && { revision }) };
  }
  if (resourceVersion === '') return paged;
  const revision = listRevision(resourceVersion);
  // A read of any cached state ignores the limit.
  if (revision === 0) return { notOlderThan: 0 };
  const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0);
  return exact ? { ...paged, revision } : { ...paged, notOlderThan: revision };
}

function listMeta({ revision, next, remaining }: CacheListing<StoredObject>, keyScope: string): ListMeta {
  return {
    resourceVersion: `${revision}`,
    ...(next !== undefined && { continue: printContinueToken({ revision, after: next }, keyScope) }),
    ...(next !== undefined && remaining !== undefined && { remainingItemCount: remaining }),
  };
}
