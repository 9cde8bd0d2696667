// Dispatches a request to the function that serves it, by resource, subresource and verb. Paths that are no resource go
// to the documents. As apiserver/pkg/endpoints/installer.go, which dispatches by registered routes.
import { methodNotAllowed, unclassifiedError } from '../../core/index.js';
import type { Clock, ApiResponse, RequestInfo } from '../../core/index.js';
import { pageNotFound } from '../documents/text-response.js';
import type { Answer, Serve, Exchange } from '../pipeline.js';
import { transformResponse } from './transform-response.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { get, list } from '../verbs/read.js';
import { patch } from '../verbs/patch.js';
import type { WatchTiming } from '../verbs/watch.js';
import { watch } from '../verbs/watch.js';
import { create, deleteCollection, deleteOne, update } from '../verbs/create-update-delete.js';
import { storeFailure } from '../writes/store-failure.js';
import type { WriteTools } from '../writes/write.js';
import type { StoredRoute } from './route.js';
import type { RouteTable } from './route-table.js';

/** What the router dispatches to. */
export interface Serving {
  readonly routes: RouteTable;
  readonly tools: WriteTools;
  readonly timing: WatchTiming;
  readonly clock: Clock;
  /** Serves paths that are no resource. */
  readonly documents: Serve;
  /** Returns the handler of a path that is no resource and that another server serves. */
  readonly delegateDocument: (info: RequestInfo) => Serve | undefined;
}

/** Returns the innermost step of the pipeline. */
export function serveRequests(serving: Serving): Serve {
  return (exchange) => {
    const { request } = exchange;
    if (!request.info.isResource) return (serving.delegateDocument(request.info) ?? serving.documents)(exchange);
    const route = serving.routes.find(request);
    if (route === undefined) return pageNotFound();
    if (route.type === 'delegated') return route.serve(exchange);
    if (route.deprecation !== undefined) exchange.warn(route.deprecation);
    if (route.type === 'virtual') {
      const answer = route.virtual(exchange);
      return answer instanceof Promise ? answer.catch(failWith) : answer;
    }
    const { endpoint, special } = route;
    checkNamespace(request.info, endpoint);
    const answered =
      special === undefined ? dispatchVerb(endpoint, exchange, serving) : special.answer(exchange, endpoint);
    return answered instanceof Promise
      ? answered.then((response) => inForm(response, route, exchange, serving), failWith)
      : inForm(answered, route, exchange, serving);
  };
}

/** Rethrows a failure of the store as the API error of a read. Those of writes are API errors already. */
function failWith(error: unknown): never {
  throw storeFailure(error);
}

/**
 * Throws for the namespaces `.` and `..`, as the storage of Kubernetes does when it reads. Writes are refused later, by
 * validation.
 */
function checkNamespace({ namespace, name, verb }: RequestInfo, { stored }: ResourceEndpoint): void {
  if (namespace !== '.' && namespace !== '..') return;
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch')
    throw unclassifiedError(
      `invalid key: ${JSON.stringify(`/${stored.ref.resource}/${namespace}${name === '' ? '' : `/${name}`}`)}`,
    );
}

function inForm(
  response: ApiResponse,
  { endpoint, special }: StoredRoute,
  { request }: Exchange,
  { clock }: Serving,
): ApiResponse {
  if (response.type === 'raw' || response.type === 'stream' || response.form.transform === undefined) return response;
  return transformResponse(response, {
    endpoint,
    clock,
    options: () => request.options(),
    ...(special?.table && { table: special.table }),
  });
}

function dispatchVerb(endpoint: ResourceEndpoint, exchange: Exchange, { tools, timing }: Serving): Answer {
  switch (exchange.request.info.verb) {
    case 'get':
      return get(endpoint, exchange);
    case 'list':
      return list(endpoint, exchange);
    case 'watch':
      return watch(endpoint, exchange, timing);
    case 'create':
      return create(endpoint, exchange, tools);
    case 'update':
      return update(endpoint, exchange, tools);
    case 'patch':
      return patch(endpoint, exchange, tools);
    case 'delete':
      return deleteOne(endpoint, exchange, tools);
    case 'deletecollection':
      return deleteCollection(endpoint, exchange, tools);
    default:
      throw methodNotAllowed();
  }
}
