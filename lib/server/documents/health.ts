// Health: `/healthz`, `/livez` and `/readyz`, each a list of named checks that can be requested separately, excluded,
// or listed; and the resource `componentstatuses`. As apiserver/pkg/server/healthz/healthz.go and
// pkg/registry/core/componentstatus.
import type { RawResponse, ApiResponse, Clock } from '../../core/index.js';
import type { Store } from '../../storage/index.js';
import type { Exchange } from '../pipeline.js';
import { after } from '../http/deadlines.js';
import { pageNotFound, textResponse } from './text-response.js';
import { deepFreeze, errorText, notFound } from '../../core/index.js';
import { objectOffer } from '../registry/endpoint.js';
import type { VirtualResource } from '../routing/route.js';

/** A health check: rejects on failure. */
export interface HealthCheck {
  readonly name: string;
  /** The only endpoint that has this check. Default: all. */
  readonly endpoint?: 'readyz';
  check(): Promise<void>;
}

/**
 * The checks of a server. Those of the store fail after two seconds, as with --etcd-healthcheck-timeout and
 * --etcd-readycheck-timeout of a kube-apiserver, and share one call of the store.
 */
export function serverHealthChecks(
  store: Pick<Store, 'revision'>,
  clock: Clock,
  isShuttingDown: () => boolean,
): readonly HealthCheck[] {
  let underWay: Promise<void> | undefined;
  const check = (): Promise<void> =>
    (underWay ??= within(storeTimeoutMs, store.revision(), clock).finally(() => (underWay = undefined)));
  const healthy = (): Promise<void> => Promise.resolve();
  return [
    { name: 'ping', check: healthy },
    { name: 'log', check: healthy },
    { name: 'etcd', check },
    { name: 'etcd-readiness', endpoint: 'readyz', check },
    {
      name: 'shutdown',
      endpoint: 'readyz',
      check: () => (isShuttingDown() ? Promise.reject(new Error('process is shutting down')) : healthy()),
    },
  ];
}

const storeTimeoutMs = 2_000;

/** Resolves with the call, or rejects after the time limit. */
function within(timeoutMs: number, call: Promise<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = after(clock, timeoutMs, () => reject(new Error('context deadline exceeded')));
    call.then(() => resolve(), reject).finally(cancel);
  });
}

/** Whether the path is that of an endpoint or of one of its checks. */
export function isHealthPath(path: string): boolean {
  return /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}

/** The checks of `healthz`, `livez` or `readyz`. */
export function checksOf(endpoint: string, checks: readonly HealthCheck[]): readonly HealthCheck[] {
  return checks.filter((check) => check.endpoint === undefined || check.endpoint === endpoint);
}

/** Serves the path of an endpoint (`healthz`) or of one of its checks (`healthz/ping`). */
export async function health(all: readonly HealthCheck[], path: string, { request }: Exchange): Promise<RawResponse> {
  const [endpoint = '', ...rest] = path.split('/').filter((part) => part !== '');
  const name = rest.join('/');
  const checks = checksOf(endpoint, all);
  if (name !== '') {
    const check = checks.find((each) => each.name === name);
    if (check === undefined) return pageNotFound();
    return (await failureOf(check)) === undefined
      ? healthy
      : textResponse(500, 'internal server error: reason withheld\n');
  }
  const { parameters = {} } = request.options();
  const excluded = new Set(parameters.exclude ?? []);
  const included = checks.filter((check) => !excluded.has(check.name));
  const failures = new Map(
    await Promise.all(included.map(async (check) => [check.name, await failureOf(check)] as const)),
  );
  const lines = checks.map((check) => line(check.name, excluded, failures.get(check.name)));
  for (const unknownCheck of [...excluded].filter((each) => !checks.some((check) => check.name === each))) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${JSON.stringify(unknownCheck)}`);
  }
  const failed = included.some((check) => failures.get(check.name) !== undefined);
  if (failed) return textResponse(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  return textResponse(200, parameters.verbose === undefined ? 'ok' : `${lines.join('\n')}\n${endpoint} check passed\n`);
}

/** The response of a single check has no `nosniff` header, as in Kubernetes. */
const healthy: RawResponse = { type: 'raw', code: 200, contentType: 'text/plain; charset=utf-8', content: 'ok' };

function line(name: string, excluded: ReadonlySet<string>, failure: unknown): string {
  if (excluded.has(name)) return `[+]${name} excluded: ok`;
  return failure === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
}

async function failureOf(check: HealthCheck): Promise<unknown> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return error ?? new Error('failed');
  }
}

/**
 * Serves get and list of `componentstatuses`. The store is reported as `etcd-0` from its health check. Components that
 * do not run beside the server are reported as a kube-apiserver reports them that finds their port closed.
 */
export function componentStatuses(checks: readonly HealthCheck[], running: readonly string[]): VirtualResource {
  const components = [
    ...[...componentPorts].map(([name, port]): HealthCheck => ({
      name,
      check: () =>
        running.includes(name) ? Promise.resolve() : Promise.reject(new Error(closedPortText(`127.0.0.1:${port}`))),
    })),
    ...checks.filter(({ name }) => name === 'etcd').map((check) => ({ ...check, name: 'etcd-0' })),
  ];
  return async ({ request }: Exchange): Promise<ApiResponse> => {
    const form = request.negotiate(objectOffer);
    const { name } = request.info;
    if (name === '') {
      const items = await Promise.all(components.map((component) => statusOf(component)));
      const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items };
      return { type: 'object', code: 200, object: deepFreeze(list), form };
    }
    const component = components.find((each) => each.name === name);
    if (component === undefined) throw notFound({ group: '', resource: 'componentstatus', name });
    return { type: 'object', code: 200, object: deepFreeze(await statusOf(component)), form };
  };
}

/** The ports at which a kube-apiserver looks for other components of its machine. */
const componentPorts: ReadonlyMap<string, number> = new Map([
  ['scheduler', 10_259],
  ['controller-manager', 10_257],
]);

function closedPortText(address: string): string {
  return `Get "https://${address}/healthz": dial tcp ${address}: connect: connection refused`;
}

async function statusOf(component: HealthCheck): Promise<object> {
  const { name } = component;
  const problem = await component.check().then(
    () => undefined,
    (error: unknown) => errorText(error),
  );
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', status: problem === undefined ? 'True' : 'False', message: problem ?? 'ok' }],
  };
}
