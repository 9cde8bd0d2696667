// The API server: wires store, cachers, registry and pipeline. Building it is inert; kinds are taken into service as
// they are asked for, and the objects every cluster begins with are written before the first request that could see
// them.
import { admissionChain } from '../admission/index.js';
import type { AdmissionPlugin } from '../admission/index.js';
import { alwaysAllow } from '../auth/index.js';
import type { Authenticator, ServerTools } from '../auth/index.js';
import { createKinds, objectInformers, systemClock, systemRandom } from '../core/index.js';
import type { Frozen, MetricFamily } from '../core/index.js';
import type { Service } from '../core/types/index.js';
import type { Store } from '../storage/index.js';
import { accessOf } from './access.js';
import { loadedAllocator } from './allocation/loaded-allocator.js';
import { ServiceAllocator } from './allocation/service-allocator.js';
import { withCompanions } from './allocation/service-companions.js';
import { auditLog } from './audit/audit.js';
import { bootstrapObjects } from './bootstrap/bootstrap-objects.js';
import { addressObjects, readServerAddress } from './bootstrap/server-address.js';
import { writeBootstrap } from './bootstrap/write-bootstrap.js';
import { documentsOf } from './documents/documents.js';
import type { HealthCheck } from './documents/health.js';
import { openApiV2 } from './documents/openapi/openapi-v2.js';
import { openApiV3 } from './documents/openapi/openapi-v3.js';
import { openIdRoutes } from './documents/openid.js';
import { fairnessOf } from './fairness/fairness.js';
import { impersonateStep } from './impersonate.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { metricsRoute } from './metrics/server-metrics.js';
import { pipelineHandler } from './pipeline.js';
import { followKinds } from './registry/follow-kinds.js';
import { objectReader } from './registry/object-reader.js';
import { Registry } from './registry/registry.js';
import { withoutCredentials } from './requests/without-credentials.js';
import { RouteTable } from './routing/route-table.js';
import { serveRequests } from './routing/router.js';
import type { ApiServer, ServerOptions } from './server-options.js';
import { attributesOf, authenticateStep, authorize, authorizeStep } from './steps.js';
import { ConnectorRegistry } from './subresources/node-connectors.js';
import { specialResources, virtualResources } from './subresources/special-resources.js';
import { whenStarted } from './when-started.js';
import { leasePool } from './writes/lease-pool.js';
import type { WriteTools } from './writes/write.js';
import { writeGuards } from './writes/write-guards.js';

/** Makes a server. */
export function createServer(options: ServerOptions): ApiServer {
  const { store, kinds = createKinds(), clock = systemClock(), random = systemRandom() } = options;
  const { minWatchTimeoutMs = 30 * 60_000 } = options;
  let { serverAddress = '' } = options;
  const { serviceRanges = ['10.96.0.0/16'], nodePorts = [30_000, 32_767] } = options;
  const healthChecks = healthChecksOf(store);
  const nodes = new ConnectorRegistry();
  const registry = new Registry({ kinds, store, clock });
  // Before all others that follow the kinds: these find the new endpoints.
  const following = followKinds(kinds, { registry, memories: () => [routes, requests] }).subscribe();
  const reader = objectReader(registry, clock);
  const informers = objectInformers(reader);
  const access = accessOf(options, { reader, informers, clock, random, kinds });
  const { authenticator, tokens, audiences, rbac } = access;
  const authorizer = access.authorizer ?? alwaysAllow;
  const allocatorOf = (): ServiceAllocator =>
    new ServiceAllocator({ serviceRanges, nodePorts, random: random.stream('allocation') });
  // throws now where they make no sense, not when a Service comes
  if (options.serviceRanges !== undefined || options.nodePorts !== undefined) allocatorOf();
  const services = async (): Promise<readonly Frozen<Service>[]> => {
    const stored = registry.endpoint({ group: '', version: 'v1', resource: 'services' })?.stored;
    return ((await stored?.cacher.list())?.items ?? []) as readonly Frozen<Service>[];
  };
  const serviceHook = withCompanions(loadedAllocator(allocatorOf, services), registry);
  const requests = new RequestMetrics(clock, kinds);
  const fairness =
    options.fairness === false
      ? undefined
      : fairnessOf({
          registry,
          informers,
          clock,
          concurrency: options.concurrency ?? 600,
          turnedAway: requests.turnedAway,
        });
  const audit = auditLog({ policy: options.audit, clock, random: random.stream('audit') });
  const metricSources = new Set<() => readonly MetricFamily[]>();
  const metrics = metricsRoute({
    clock,
    requests,
    registry,
    audit,
    flowControl: fairness?.control,
    others: () => [...metricSources].flatMap((source) => source()),
  });
  const tools: WriteTools = {
    store,
    clock,
    random: random.stream('objects'),
    leases: leasePool(store, clock),
    admission: admissionChain(admissionOf(options, access.toolsFor('admission'))),
    hookOf: (stored) => (stored.ref.resource === 'services' && stored.ref.group === '' ? serviceHook : undefined),
    guardOf: writeGuards({ rbac, authorizer, reader, kinds }),
    authorizeCreate: (_endpoint, exchange) => authorize(authorizer, { ...attributesOf(exchange), verb: 'create' }),
  };
  const routes = new RouteTable({
    registry,
    special: specialResources(registry, tools, {
      connectors: nodes,
      tokens,
      withoutCredentials: withoutCredentials(options.authenticationInfo?.requestHeader),
      authorizer,
      closed$: access.toolsFor('streams').closed$,
    }),
    virtual: virtualResources(registry, tools, {
      authenticator: authenticator ?? unknown,
      authorizer,
      audiences,
      healthChecks,
    }),
  });
  const served = pipelineHandler({
    clock,
    authenticate: audit.authenticating(authenticateStep(authenticator, audiences)),
    audit: audit.step,
    impersonate: impersonateStep(access.authorizer),
    fairness: fairness?.step,
    authorize: authorizeStep(access.authorizer),
    serve: requests.counting(
      serveRequests({
        routes,
        tools,
        clock,
        timing: { clock, random: random.stream('watches'), minTimeoutMs: minWatchTimeoutMs },
        documents: documentsOf({
          kinds,
          serverAddress: () => serverAddress,
          healthChecks,
          routes: () => [
            ...openApiV3(kinds),
            openApiV2(kinds),
            ...(tokens?.discovery === undefined ? [] : openIdRoutes(tokens.discovery, () => serverAddress)),
            metrics,
          ],
        }),
      }),
    ),
  });
  const writing = { registry, store, clock, random: random.stream('bootstrap') };
  const { started, handler } = whenStarted(() => {
    const groupVersions = kinds.current.groups.flatMap(({ name, versions }) =>
      versions.map((version) => ({ group: name, version })),
    );
    const objects = bootstrapObjects({
      serviceCidrs: serviceRanges,
      serverAddress: readServerAddress(serverAddress),
      groupVersions,
      now: clock.now(),
      policy: options.bootstrapPolicy ?? access.usesRbac,
      authenticationInfo: options.authenticationInfo,
    });
    return writeBootstrap(objects, writing);
  }, served);
  const publishAddress = async (address: string): Promise<void> => {
    serverAddress = address;
    await started();
    await writeBootstrap(addressObjects(readServerAddress(address), serviceRanges[0]), writing);
  };
  const close = async (): Promise<void> => {
    following.unsubscribe();
    access.close();
    fairness?.close();
    await registry.close();
    audit.close();
  };
  const addMetrics = (source: () => readonly MetricFamily[]): (() => void) => {
    metricSources.add(source);
    return () => void metricSources.delete(source);
  };
  return { handler, kinds, nodes, audit$: audit.events$, started, publishAddress, addMetrics, close };
}

function admissionOf({ admission = [] }: ServerOptions, tools: ServerTools): readonly AdmissionPlugin[] {
  return typeof admission === 'function' ? admission(tools) : admission;
}

const unknown: Authenticator = () => [undefined];

function healthChecksOf(store: Store): readonly HealthCheck[] {
  return [
    { name: 'ping', check: () => Promise.resolve() },
    { name: 'log', check: () => Promise.resolve() },
    { name: 'etcd', check: () => store.revision().then(() => undefined) },
  ];
}
