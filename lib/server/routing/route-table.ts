// The table of routes: group, version, resource and subresource to what serves them. A route is created with its first
// request and kept until its kind changes, so the table has at most as many entries as the scheme. Paths without a
// route are not kept.
//
// The wire passes the same RequestInfo for the same path again, so routes are also cached by RequestInfo, with all
// checks done. Both look-ups lead to one cell per route, which `forget` empties: a stale RequestInfo then finds
// nothing.
import { notFound, unknownResource } from '../../core/index.js';
import type {
  GroupResource,
  GroupVersion,
  ApiRequest,
  RequestInfo,
  GroupVersionKind,
  Scheme,
} from '../../core/index.js';
import type { Serve } from '../pipeline.js';
import type { Registry } from '../registry/registry.js';
import type { KindBehaviours } from '../writes/kind-behaviour.js';
import type { Route } from './route.js';
import { mayTakeRoute } from './route-checks.js';

/** The sources of routes. */
export interface RouteSources {
  readonly registry: Registry;
  readonly behaviours: KindBehaviours;
  /**
   * Returns the handler of a group-version that another server serves. Takes precedence over the server's own kinds.
   */
  readonly delegate?: (version: GroupVersion) => Serve | undefined;
}

/** Finds and caches routes. */
export class RouteTable {
  readonly #sources: RouteSources;
  /** By resource name; each has few cells. */
  readonly #cells = new Map<string, readonly Cell[]>();
  readonly #byInfo = new WeakMap<RequestInfo, Cell>();

  constructor(sources: RouteSources) {
    this.#sources = sources;
  }

  /** Returns the route of a request; undefined where its group does not exist. Throws ApiError 400, 404 and 405. */
  find(request: ApiRequest): Route | undefined {
    const delegate = this.#sources.delegate?.(request.info);
    if (delegate !== undefined) return { type: 'delegated', serve: delegate };
    return this.#byInfo.get(request.info)?.route ?? this.#lookUp(request);
  }

  /** Drops the routes of a resource in all versions, when its kind changed or was removed. */
  forget({ group, resource }: GroupResource): void {
    const cells = this.#cells.get(resource);
    if (cells === undefined) return;
    for (const cell of cells) if (cell.group === group) cell.route = undefined;
    const rest = cells.filter(({ route }) => route !== undefined);
    if (rest.length === 0) this.#cells.delete(resource);
    else this.#cells.set(resource, rest);
  }

  /** The number of cached routes. */
  get size(): number {
    let size = 0;
    for (const cells of this.#cells.values()) size += cells.length;
    return size;
  }

  #lookUp({ info, uri }: ApiRequest): Route | undefined {
    const cell = this.#cellOf(info);
    if (cell?.route === undefined || !mayTakeRoute(info, cell.route)) return undefined;
    // Only requests from the wire share a RequestInfo.
    if (uri !== undefined) this.#byInfo.set(info, cell);
    return cell.route;
  }

  #cellOf(info: RequestInfo): Cell | undefined {
    const { group, version, resource, subresource } = info;
    const cells = this.#cells.get(resource) ?? none;
    const known = cells.find(
      (cell) => cell.subresource === subresource && cell.version === version && cell.group === group,
    );
    if (known !== undefined) return known;
    const route = routeOf(this.#sources, info);
    if (route === undefined) return undefined;
    const cell: Cell = { group, version, subresource, route };
    this.#cells.set(resource, [...cells, cell]);
    return cell;
  }
}

/** An entry of the table. Mutable, so that `forget` also reaches holders of the cell. */
interface Cell extends Pick<RequestInfo, 'group' | 'version' | 'subresource'> {
  route: Exclude<Route, { type: 'delegated' }> | undefined;
}

const none: readonly Cell[] = [];

/**
 * Returns undefined where the group does not exist. Throws ApiError 404 where version, resource or subresource do not.
 */
function routeOf(
  { registry, behaviours: { byResource, shared } }: RouteSources,
  { group, version, resource, subresource, name }: RequestInfo,
): Cell['route'] {
  const served = registry.scheme.resource({ group, version, resource });
  if (served === undefined && isForeign(registry.scheme, group)) return undefined;
  const offered =
    subresource === '' ? served?.resource : served?.resource.subresources.find(({ name }) => name === subresource);
  const isCustom = served?.versionStorage !== undefined;
  if (isCustom && offered === undefined) throw notFound({ group, resource, name });
  if (served === undefined || offered === undefined) throw unknownResource();
  const common = {
    namespaced: served.resource.namespaced,
    verbs: new Set(offered.verbs),
    isCustom,
    deprecation: served.resource.deprecation ?? (subresource === '' ? deprecationOf(served) : undefined),
  };
  const { serve, subresources = {} } = byResource.get(`${group}/${resource}`) ?? {};
  if (subresource === '' && serve !== undefined) return { type: 'virtual', ...common, virtual: serve };
  const endpoint = registry.endpoint({ group, version, resource });
  if (endpoint === undefined) throw unknownResource();
  return { type: 'stored', ...common, endpoint, special: subresources[subresource] ?? shared[subresource] };
}

/** Whether a group does not exist, or has nothing but custom resources. */
function isForeign(scheme: Scheme, group: string): boolean {
  const versions = scheme.group(group)?.versions ?? [];
  return versions.every((version) =>
    scheme.resourcesOf({ group, version }).every(({ versionStorage }) => versionStorage !== undefined),
  );
}

/**
 * Returns the warning of a deprecated kind; undefined for others. As apiserver/pkg/endpoints/deprecation, which derives
 * it from the types (APILifecycleDeprecated); v1.36 serves two deprecated kinds.
 */
function deprecationOf({ group, version, kind }: GroupVersionKind): string | undefined {
  const since = deprecated.get(`${group}/${version}/${kind}`);
  return since === undefined
    ? undefined
    : `${group === '' ? version : `${group}/${version}`} ${kind} is deprecated in ${since}`;
}

const deprecated: ReadonlyMap<string, string> = new Map([
  ['/v1/ComponentStatus', 'v1.19+'],
  ['/v1/Endpoints', 'v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
]);
