// The table of routes: group, version, resource and subresource to what serves them. A route is made when it is first
// requested and kept until its kind changes, so the table has at most as many entries as the scheme. Paths that lead
// nowhere are never kept.
//
// The wire passes the same RequestInfo for the same path again, so routes are also kept by it, with all checks done.
// Both ways lead to one cell per route, which `forget` empties: a stale RequestInfo then finds nothing.
import { unknownResource } from '../../core/index.js';
import type { GroupResource, GroupVersion } from '../../core/index.js';
import type { ApiRequest, RequestInfo } from '../../client/index.js';
import { deprecationOf } from '../deprecated-kinds.js';
import type { Serve } from '../pipeline.js';
import type { Registry } from '../registry/registry.js';
import type { KindBehaviours } from '../writes/kind-behaviour.js';
import type { Route } from './route.js';
import { isOpen } from './route-checks.js';

/** What routes lead to. */
export interface RouteSources {
  readonly registry: Registry;
  readonly behaviours: KindBehaviours;
  /** The handler of a group-version that is served elsewhere. Comes before the server's own kinds. */
  readonly delegate?: (version: GroupVersion) => Serve | undefined;
}

/** Finds and keeps routes. */
export class RouteTable {
  readonly #sources: RouteSources;
  /** By resource; each has few. */
  readonly #cells = new Map<string, readonly Cell[]>();
  readonly #byInfo = new WeakMap<RequestInfo, Cell>();

  constructor(sources: RouteSources) {
    this.#sources = sources;
  }

  /** The route of a request; undefined where not even its group exists. Throws ApiError 400, 404 and 405. */
  find(request: ApiRequest): Route | undefined {
    return this.#byInfo.get(request.info)?.route ?? this.#look(request);
  }

  /** Drops the routes of a resource in all its versions: its kind changed or is gone. */
  forget({ group, resource }: GroupResource): void {
    const cells = this.#cells.get(resource);
    if (cells === undefined) return;
    for (const cell of cells) if (cell.group === group) cell.route = undefined;
    const rest = cells.filter(({ route }) => route !== undefined);
    if (rest.length === 0) this.#cells.delete(resource);
    else this.#cells.set(resource, rest);
  }

  /** How many routes are kept. */
  get size(): number {
    let size = 0;
    for (const cells of this.#cells.values()) size += cells.length;
    return size;
  }

  #look({ info, uri }: ApiRequest): Route | undefined {
    const delegate = this.#sources.delegate?.(info);
    if (delegate !== undefined) return { type: 'delegated', serve: delegate };
    const cell = this.#cellOf(info);
    if (cell?.route === undefined || !isOpen(info, cell.route)) return undefined;
    // Only requests from the wire share their info.
    if (uri !== undefined) this.#byInfo.set(info, cell);
    return cell.route;
  }

  #cellOf(info: RequestInfo): Cell | undefined {
    const { group, version, resource, subresource } = info;
    const few = this.#cells.get(resource) ?? none;
    const known = few.find(
      (cell) => cell.subresource === subresource && cell.version === version && cell.group === group,
    );
    if (known !== undefined) return known;
    const route = routeOf(this.#sources, info);
    if (route === undefined) return undefined;
    const cell: Cell = { group, version, subresource, route };
    this.#cells.set(resource, [...few, cell]);
    return cell;
  }
}

/** A place in the table. Mutable, so that `forget` reaches those that hold it. */
interface Cell extends Pick<RequestInfo, 'group' | 'version' | 'subresource'> {
  route: Exclude<Route, { type: 'delegated' }> | undefined;
}

const none: readonly Cell[] = [];

/** Undefined where not even the group exists. Throws ApiError 404 where the rest does not. */
function routeOf(
  { registry, behaviours: { byResource, shared } }: RouteSources,
  { group, version, resource, subresource }: RequestInfo,
): Cell['route'] {
  const served = registry.scheme.resource({ group, version, resource });
  if (served === undefined && registry.scheme.group(group) === undefined) return undefined;
  const offered =
    subresource === '' ? served?.resource : served?.resource.subresources.find(({ name }) => name === subresource);
  if (served === undefined || offered === undefined) throw unknownResource();
  const common = {
    namespaced: served.resource.namespaced,
    verbs: new Set(offered.verbs),
    deprecation: subresource === '' ? deprecationOf(served) : undefined,
  };
  const { serve, subresources = {} } = byResource.get(`${group}/${resource}`) ?? {};
  if (subresource === '' && serve !== undefined) return { type: 'virtual', ...common, virtual: serve };
  const endpoint = registry.endpoint({ group, version, resource });
  if (endpoint === undefined) throw unknownResource();
  return { type: 'stored', ...common, endpoint, special: subresources[subresource] ?? shared[subresource] };
}
