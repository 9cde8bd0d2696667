// From a request to the one function that serves it: by resource, subresource and verb. Paths that are no resource go
// to the documents. As apiserver/pkg/endpoints/installer.go, which makes the same choice with routes.
import { methodNotAllowed, unclassifiedError } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { ApiResponse, RequestInfo } from '../../client/index.js';
import { pageNotFound } from '../documents/text-response.js';
import type { Answer, Serve } from '../pipeline.js';
import { present } from '../present.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import type { Exchange } from '../requests/exchange.js';
import { get } from '../verbs/get.js';
import { list } from '../verbs/list.js';
import { patch } from '../verbs/patch.js';
import type { WatchTiming } from '../verbs/watch.js';
import { watch } from '../verbs/watch.js';
import { create, deleteCollection, deleteOne, update } from '../verbs/write.js';
import type { WriteTools } from '../writes/write.js';
import type { StoredRoute } from './route.js';
import type { RouteTable } from './route-table.js';

/** What requests are served with. */
export interface Serving {
  readonly routes: RouteTable;
  readonly tools: WriteTools;
  readonly timing: WatchTiming;
  readonly clock: Clock;
  /** Serves paths that are no resource. */
  readonly documents: Serve;
}

/** The innermost step of the pipeline. */
export function serveRequests(serving: Serving): Serve {
  return (exchange) => {
    const { request } = exchange;
    if (!request.info.isResource) return serving.documents(exchange);
    const route = serving.routes.find(request);
    if (route === undefined) return pageNotFound();
    if (route.type === 'delegated') return route.serve(exchange);
    if (route.deprecation !== undefined) exchange.warn(route.deprecation);
    if (route.type === 'virtual') return route.virtual(exchange);
    const { endpoint, special } = route;
    checkNamespace(request.info, endpoint);
    const given = special === undefined ? answer(endpoint, exchange, serving) : special.answer(exchange, endpoint);
    return given instanceof Promise
      ? given.then((response) => inForm(response, route, exchange, serving))
      : inForm(given, route, exchange, serving);
  };
}

/**
 * Throws for namespaces that would lead out of the resource: a real server notices when it looks for the objects.
 * Writes are refused later, by validation.
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
  return present(response, {
    endpoint,
    clock,
    options: () => request.options(),
    ...(special?.table && { table: special.table }),
  });
}

function answer(endpoint: ResourceEndpoint, exchange: Exchange, { tools, timing }: Serving): Answer {
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
