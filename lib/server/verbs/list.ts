// list: a page of objects, all of one revision. The table of reference §3.4 (resourceVersion, its match, limit,
// continue) is read here and nowhere else. As apiserver/pkg/storage/cacher/delegator and etcd3/store.go, GetList.
import { badRequest, continueExpired, isApiError, printGroupVersion } from '../../core/index.js';
import type { ApiList, Frozen, ListMeta } from '../../core/index.js';
import type { ObjectResponse, RequestInfo, RequestOptions } from '../../client/index.js';
import type { CacheListing, CacheListOptions } from '../../cacher/index.js';
import { checkListOptions } from '../requests/check-options.js';
import type { Exchange } from '../requests/exchange.js';
import { listRevision } from '../requests/resource-version.js';
import { parseContinueToken, printContinueToken } from '../registry/continue-token.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { selectionOf } from '../registry/selection.js';
import type { StoredObject } from '../registry/stored-kind.js';

/** Answers with the list. */
export async function list(endpoint: ResourceEndpoint, { request }: Exchange): Promise<ObjectResponse> {
  const form = request.negotiate(endpoint.offer);
  const options = request.options();
  checkListOptions(options);
  return { type: 'object', code: 200, object: await readStoredList(endpoint, request.info, options), form };
}

/** The list itself, for whoever needs one. */
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
    kind: `${endpoint.gvk.kind}List`,
    apiVersion: printGroupVersion(endpoint.gvk),
    metadata: listMeta(page, keyScope),
    // The objects themselves; that they name their kind costs nothing here, and the wire leaves it out.
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
    // Whoever pages through a list that is gone may go on with a newer one: the token says so.
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
  // What is at hand is given whole: a limit has no meaning for it.
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
