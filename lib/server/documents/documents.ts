// Everything that is no resource, by path: discovery, version, health, and what a server adds (metrics, schemas, keys).
import type { ApiResponse } from '../../client/index.js';
import { methodNotAllowed, unknownResource } from '../../core/index.js';
import type { Kinds, Scheme } from '../../core/index.js';
import type { Serve } from '../pipeline.js';
import type { Exchange } from '../requests/exchange.js';
import { discoveryOf } from './discovery.js';
import type { HealthCheck } from './health.js';
import { health } from './health.js';
import { pageNotFound } from './text-response.js';
import { version } from './version.js';

/** A document, or all documents below a path. */
export interface DocumentRoute {
  /** `/metrics`; with a slash at the end all that begins with it. */
  readonly path: string;
  answer(exchange: Exchange): Promise<ApiResponse>;
}

/** What the documents are made from. */
export interface DocumentsOptions {
  readonly kinds: Kinds;
  /** Where clients reach the server; empty where that is unknown. */
  readonly serverAddress: () => string;
  readonly healthChecks: readonly HealthCheck[];
  /** Documents of other parts. */
  readonly routes: () => readonly DocumentRoute[];
}

/** Answers requests for paths that are no resource. Nothing is made before the first of them comes. */
export function documentsOf(options: DocumentsOptions): Serve {
  let made: Serve | undefined;
  return (exchange) => (made ??= makeDocuments(options))(exchange);
}

function makeDocuments({ kinds, serverAddress, healthChecks, routes: makeRoutes }: DocumentsOptions): Serve {
  const routes = makeRoutes();
  const discovery = discoveryOf(kinds, serverAddress);
  return async (exchange) => {
    const { path, verb } = exchange.request.info;
    const trimmed = path === '/' ? path : path.replace(/\/+$/, '');
    const [, root = '', group = ''] = trimmed.split('/');
    const isDiscovery = root === 'api' || root === 'apis';
    const route = routes.find((each) => (each.path.endsWith('/') ? path.startsWith(each.path) : path === each.path));
    if (route !== undefined) return route.answer(exchange);
    if (isDiscovery) {
      const document = discovery.documentAt(trimmed);
      // Lists of groups and groups are the aggregator's, which does not look at the method.
      if (document !== undefined)
        return verb === 'get' || (root === 'apis' && trimmed.split('/').length < 4)
          ? document(exchange)
          : refuseMethod();
      // A group that exists but not in that version is known to the API; any other path is not.
      if (kinds.current.group(root === 'api' ? '' : group) !== undefined && (root === 'api' || group !== ''))
        throw unknownResource();
      return pageNotFound();
    }
    if (root === 'version') {
      if (trimmed !== '/version') throw unknownResource();
      return verb === 'get' ? version() : refuseMethod();
    }
    if (healthRoots.has(root) && path === trimmed) return health(healthChecks, path, exchange);
    if (path === '/' || path === '/index.html') return index(kinds.current, healthChecks, routes);
    return pageNotFound();
  };
}

const healthRoots: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz']);

function refuseMethod(): never {
  throw methodNotAllowed();
}

/** All paths there are. */
function index(scheme: Scheme, checks: readonly HealthCheck[], routes: readonly DocumentRoute[]): ApiResponse {
  const discovery = scheme.groups.flatMap(({ name, versions }) => {
    const base = name === '' ? '/api' : `/apis/${name}`;
    return [base, ...versions.map((each) => `${base}/${each}`)];
  });
  const healthy = ['/healthz', '/livez', '/readyz'].flatMap((base) => [
    base,
    ...checks.map(({ name }) => `${base}/${name}`),
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
