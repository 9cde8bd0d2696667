// Paths that are no resource: discovery, version, health, and documents that other parts add (metrics, schemas, keys).
import { methodNotAllowed, unknownResource } from '../../core/index.js';
import type { Kinds, ApiResponse } from '../../core/index.js';
import { servedGroups } from '../aggregation/merged-groups.js';
import type { ServedGroups } from '../aggregation/merged-groups.js';
import type { RemoteApis } from '../aggregation/remote-apis.js';
import type { Serve, Exchange } from '../pipeline.js';
import { discoveryOf } from './discovery.js';
import type { HealthCheck } from './health.js';
import { checksOf, health, isHealthPath } from './health.js';
import { pageNotFound } from './text-response.js';
import { version } from './version.js';

/** A document, or all documents below a path. */
export interface DocumentRoute {
  /** Such as `/metrics`; a path that ends in a slash also matches everything below it. */
  readonly path: string;
  answer(exchange: Exchange): Promise<ApiResponse>;
}

/** Options of the documents. */
export interface DocumentsOptions {
  readonly kinds: Kinds;
  /** The group-versions of other servers. */
  readonly remotes: Pick<RemoteApis, 'current'>;
  /** The `host:port` at which clients reach the server; empty where unknown. */
  readonly serverAddress: () => string;
  readonly healthChecks: readonly HealthCheck[];
  /** Documents of other parts. */
  readonly routes: () => readonly DocumentRoute[];
}

/** Returns the step that serves paths that are no resource. Documents are created with the first request. */
export function documentsOf(options: DocumentsOptions): Serve {
  let made: Serve | undefined;
  return (exchange) => (made ??= makeDocuments(options))(exchange);
}

function makeDocuments(options: DocumentsOptions): Serve {
  const { kinds, remotes, serverAddress, healthChecks, routes: makeRoutes } = options;
  const routes = makeRoutes();
  const discovery = discoveryOf(kinds, remotes, serverAddress);
  const groups = servedGroups(kinds, remotes);
  return async (exchange) => {
    const { path, verb } = exchange.request.info;
    const trimmed = path === '/' ? path : path.replace(/\/+$/, '');
    const [, root = '', group = ''] = trimmed.split('/');
    const isDiscovery = root === 'api' || root === 'apis';
    const route = routes.find((each) => (each.path.endsWith('/') ? path.startsWith(each.path) : path === each.path));
    if (route !== undefined) return route.answer(exchange);
    if (isDiscovery) {
      const document = discovery.documentAt(trimmed);
      // The aggregator serves groups and lists of groups, and ignores the method.
      if (document !== undefined)
        return verb === 'get' || (root === 'apis' && trimmed.split('/').length < 4)
          ? document(exchange)
          : refuseMethod();
      // A missing version of an existing group is a Status; any other path is a plain 404.
      if (kinds.current.group(root === 'api' ? '' : group) !== undefined && (root === 'api' || group !== ''))
        throw unknownResource();
      return pageNotFound();
    }
    if (root === 'version') {
      if (trimmed !== '/version') throw unknownResource();
      return verb === 'get' ? version() : refuseMethod();
    }
    if (isHealthPath(path) && path === trimmed) return health(healthChecks, path, exchange);
    if (path === '/' || path === '/index.html') return index(groups(), healthChecks, routes);
    return pageNotFound();
  };
}

function refuseMethod(): never {
  throw methodNotAllowed();
}

/** Responds with the list of all paths. */
function index(
  { groups }: ServedGroups,
  checks: readonly HealthCheck[],
  routes: readonly DocumentRoute[],
): ApiResponse {
  const discovery = groups.flatMap(({ name, versions }) => {
    const base = name === '' ? '/api' : `/apis/${name}`;
    return [base, ...versions.map((each) => `${base}/${each}`)];
  });
  const healthy = ['/healthz', '/livez', '/readyz'].flatMap((base) => [
    base,
    ...checksOf(base.slice(1), checks).map(({ name }) => `${base}/${name}`),
  ]);
  const paths = [
    ...discovery,
    '/apis',
    '/apis/',
    ...healthy,
    ...routes.map(({ path }) => path.replace(/(.)\/$/, '$1')),
    '/version',
  ];
  const content = JSON.stringify({ paths: [...new Set(paths)].sort() }, undefined, 2);
  return { type: 'raw', code: 200, contentType: 'application/json', content };
}
