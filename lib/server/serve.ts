// From a request to the one function that answers it: by resource, subresource and verb. Paths that are no resource go
// to the documents. As apiserver/pkg/endpoints/installer.go, which makes the same choice with routes.
import { badRequest, methodNotAllowed, nameIsPathSegment, unclassifiedError, unknownResource } from '../core/index.js';
import type { Clock, KindTable } from '../core/index.js';
import type { ApiRequest, ApiResponse, RequestInfo } from '../client/index.js';
import { deprecationOf } from './deprecated-kinds.js';
import { pageNotFound } from './documents/text-response.js';
import { missingRoute } from './http/request-info.js';
import type { Answer, Serve } from './pipeline.js';
import { present } from './present.js';
import type { Endpoint } from './registry/endpoint.js';
import type { Registry } from './registry/registry.js';
import type { Exchange } from './requests/exchange.js';
import { create } from './verbs/create.js';
import { deleteCollection } from './verbs/delete-collection.js';
import { deleteOne } from './verbs/delete.js';
import { get } from './verbs/get.js';
import { list } from './verbs/list.js';
import { patch } from './verbs/patch.js';
import { update } from './verbs/update.js';
import type { WatchTiming } from './verbs/watch.js';
import { watch } from './verbs/watch.js';
import type { WriteTools } from './writes/write.js';

/** A subresource that is more than a part of its object, such as scale or eviction. */
export interface SpecialResource {
  /** How its answers are printed, where that differs from the parent. */
  readonly table?: KindTable;
  /** Answers, for the verbs that the scheme lists. The endpoint is the parent's. */
  answer(exchange: Exchange, endpoint: Endpoint): Answer;
}

/** A resource without storage: it answers a question. */
export type VirtualResource = (exchange: Exchange) => Promise<ApiResponse>;

/** What requests are served with. */
export interface Serving {
  readonly registry: Registry;
  readonly tools: WriteTools;
  readonly timing: WatchTiming;
  readonly clock: Clock;
  /** By `group/resource/subresource`; a subresource of any resource is `any/subresource`. */
  readonly special: ReadonlyMap<string, SpecialResource>;
  /** By `group/resource`. */
  readonly virtual: ReadonlyMap<string, VirtualResource>;
  /** Paths that are no resource. */
  readonly documents: Serve;
}

/** The innermost step. */
export function serveRequests(serving: Serving): Serve {
  /** By resource, of which each has few. */
  const routes = new Map<string, Route[]>();
  // The wire remembers what paths say, so that the same info comes again and again, and need not be looked at twice.
  const known = new WeakMap<RequestInfo, Route>();
  const find = (request: ApiRequest): Route | undefined => {
    const { info, uri } = request;
    const few = routes.get(info.resource);
    let route = few?.find(
      ({ at }) => at.subresource === info.subresource && at.version === info.version && at.group === info.group,
    );
    if (route === undefined) {
      route = routeOf(serving, info);
      if (route === undefined) return undefined;
      routes.set(info.resource, [...(few ?? []), route]);
    }
    if (!isOpen(info, route)) return undefined;
    if (uri !== undefined) known.set(info, route);
    return route;
  };
  return (exchange) => {
    const { request } = exchange;
    if (!request.info.isResource) return serving.documents(exchange);
    const route = known.get(request.info) ?? find(request);
    if (route === undefined) return pageNotFound();
    if (route.deprecation !== undefined) exchange.warn(route.deprecation);
    if ('virtual' in route) return route.virtual(exchange);
    const { endpoint, special } = route;
    checkNamespace(request.info, endpoint);
    const given = special === undefined ? answer(endpoint, exchange, serving) : special.answer(exchange, endpoint);
    return given instanceof Promise
      ? given.then((response) => inForm(response, route, exchange, serving))
      : inForm(given, route, exchange, serving);
  };
}

/** Whether a request may take the route. Throws ApiError where it may not and there is something to say about it. */
function isOpen(info: RequestInfo, route: Route): boolean {
  const missing = missingRoute(info);
  if (missing === 'page') return false;
  if (missing === 'status' || !isPlaced(info, route.namespaced) || !isRouted(info, route)) throw unknownResource();
  if (!isOffered(info, route.verbs) || !isWhole(info, route.namespaced)) throw methodNotAllowed();
  checkName(info);
  return true;
}

function inForm(
  response: ApiResponse,
  { endpoint, special }: StoredRoute,
  { request }: Exchange,
  { clock }: Serving,
): ApiResponse {
  if (response.type === 'raw' || response.form.transform === undefined) return response;
  return present(response, {
    endpoint,
    clock,
    options: () => request.options(),
    ...(special?.table && { table: special.table }),
  });
}

/** Names that could lead out of the resource. Proxies say more than a name. */
function checkName({ name, subresource }: RequestInfo): void {
  const [problem] = name === '' || subresource === 'proxy' ? [] : nameIsPathSegment(name, false);
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/**
 * Namespaces that would lead out of the resource: a real server finds out when it looks for the objects. What is
 * written has no place there anyway.
 */
function checkNamespace({ namespace, name, verb }: RequestInfo, { stored }: Endpoint): void {
  if (namespace !== '.' && namespace !== '..') return;
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch')
    throw unclassifiedError(
      `invalid key: ${JSON.stringify(`/${stored.ref.resource}/${namespace}${name === '' ? '' : `/${name}`}`)}`,
    );
}

/** What answers at a path. Only paths that exist are kept, so there are no more than the scheme has. */
type Route = VirtualRoute | StoredRoute;

interface AnyRoute {
  readonly at: Pick<RequestInfo, 'group' | 'version' | 'subresource'>;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly deprecation: string | undefined;
}

interface VirtualRoute extends AnyRoute {
  readonly virtual: VirtualResource;
}

interface StoredRoute extends AnyRoute {
  readonly endpoint: Endpoint;
  readonly special: SpecialResource | undefined;
}

/** Undefined where not even the group exists. Throws ApiError 404 where the rest does not. */
function routeOf(
  { registry, special, virtual }: Serving,
  { group, version, resource, subresource }: RequestInfo,
): Route | undefined {
  const served = registry.scheme.resource({ group, version, resource });
  if (served === undefined && !registry.scheme.groups.some(({ name }) => name === group)) return undefined;
  const offered =
    subresource === '' ? served?.resource : served?.resource.subresources.find(({ name }) => name === subresource);
  if (served === undefined || offered === undefined) throw unknownResource();
  const common = {
    at: { group, version, subresource },
    namespaced: served.resource.namespaced,
    verbs: new Set(offered.verbs),
    deprecation: subresource === '' ? deprecationOf(served) : undefined,
  };
  const own = subresource === '' ? virtual.get(`${group}/${resource}`) : undefined;
  if (own !== undefined) return { ...common, virtual: own };
  const endpoint = registry.endpoint({ group, version, resource });
  if (endpoint === undefined) throw unknownResource();
  return {
    ...common,
    endpoint,
    special:
      subresource === ''
        ? undefined
        : (special.get(`${group}/${resource}/${subresource}`) ?? special.get(`any/${subresource}`)),
  };
}

function answer(endpoint: Endpoint, exchange: Exchange, { tools, timing }: Serving): Answer {
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

/**
 * Whether any method leads anywhere at such a path: kinds that are only created have no objects with names, and no
 * collection across namespaces.
 */
function isRouted({ verb, name, namespace, subresource }: RequestInfo, { verbs, namespaced }: Route): boolean {
  if (subresource !== '') return true;
  // A list may have a name, from its selector.
  const isNamed = name !== '' && verb !== 'list' && verb !== 'watch';
  const answering = isNamed ? ofObjects : namespaced && namespace === '' ? ofAllNamespaces : ofCollections;
  return answering.some((each) => verbs.has(each));
}

const ofObjects: readonly string[] = ['get', 'update', 'patch', 'delete'];
const ofAllNamespaces: readonly string[] = ['list', 'watch'];
const ofCollections: readonly string[] = ['list', 'watch', 'create', 'deletecollection'];

/** Whether the verb is one of the resource's. Proxies pass everything on, also methods that are no verbs. */
function isOffered({ verb, subresource }: RequestInfo, verbs: ReadonlySet<string>): boolean {
  return verbs.has(verb) || (subresource === 'proxy' && verb === '');
}

/**
 * Objects without a namespace have no place in one; objects with one are not found by name alone. A Namespace is in
 * itself, so that rights in it count, and in no other: rights there would count instead.
 */
function isPlaced(info: RequestInfo, namespaced: boolean): boolean {
  if (!namespaced)
    return (
      info.namespace === '' || (info.resource === 'namespaces' && info.namespace === info.name && info.verb !== 'list')
    );
  return info.namespace !== '' || info.name === '' || info.verb === 'watch' || info.verb === 'list';
}

/** Whether the path has a name where the verb needs one, and none where it does not. */
function isWhole({ verb, name, namespace, subresource }: RequestInfo, namespaced: boolean): boolean {
  switch (verb) {
    case 'create':
      return subresource !== '' ? name !== '' : name === '' && (namespace !== '' || !namespaced);
    case 'deletecollection':
      return namespace !== '' || !namespaced;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return name !== '';
    default:
      return true;
  }
}
