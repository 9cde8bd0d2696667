// The API server: wires store, cachers, registry and pipeline. Building it is inert; kinds are taken into service as
// they are asked for, and the objects every cluster begins with are written before the first request that could see
// them.
import { map } from 'rxjs';
import { admissionChain } from '../admission/index.js';
import type { AdmissionPlugin } from '../admission/index.js';
import { alwaysAllow, systemMasters } from '../auth/index.js';
import type { Authenticator, ServerTools } from '../auth/index.js';
import { inProcessClient } from '../client/index.js';
import { Outlet, createKinds, objectInformers, systemClock, systemRandom } from '../core/index.js';
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
import { kindBehaviours } from './kind-behaviours.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { metricsRoute } from './metrics/server-metrics.js';
import { pipelineHandler, whenStarted } from './pipeline.js';
import { followKinds } from './registry/follow-kinds.js';
import { objectReader } from './registry/object-reader.js';
import { Registry } from './registry/registry.js';
import type { StoredKind } from './registry/stored-kind.js';
import { withoutCredentials } from './requests/without-credentials.js';
import { RouteTable } from './routing/route-table.js';
import { serveRequests } from './routing/router.js';
import type { ApiServer, ServerActivity, ServerOptions } from './server-options.js';
import { attributesOf, authenticateStep, authorize, authorizeStep } from './steps.js';
import { ConnectorRegistry } from './subresources/node-connectors.js';
import type { Commit } from './writes/commit.js';
import type { KindBehaviour } from './writes/kind-behaviour.js';
import { leasePool } from './writes/lease-pool.js';
import type { WriteTools } from './writes/write.js';

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
  const client = inProcessClient((request) => handler(request), { user: loopbackUser, manager: 'kube-apiserver' });
  const access = accessOf(options, { reader, informers, client, clock, random, kinds });
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
  const commits = new Outlet<Commit>();
  const known = new WeakMap<StoredKind, KindBehaviour>();
  const tools: WriteTools = {
    store,
    clock,
    random: random.stream('objects'),
    leases: leasePool(store, clock),
    admission: admissionChain(admissionOf(options, access.toolsFor('admission'))),
    commits,
    behaviourOf(stored) {
      let behaviour = known.get(stored);
      if (behaviour === undefined) {
        behaviour = behaviours.byResource.get(`${stored.ref.group}/${stored.ref.resource}`) ?? plain;
        known.set(stored, behaviour);
      }
      return behaviour;
    },
    authorizeCreate: (exchange) => authorize(authorizer, { ...attributesOf(exchange), verb: 'create' }),
  };
  const behaviours = kindBehaviours({
    registry,
    tools,
    reader,
    kinds,
    authenticator: authenticator ?? unknown,
    authorizer,
    rbac,
    audiences,
    tokens,
    connectors: nodes,
    closed$: access.toolsFor('streams').closed$,
    withoutCredentials: withoutCredentials(options.authenticationInfo?.requestHeader),
    healthChecks,
    services: withCompanions(loadedAllocator(allocatorOf, services), registry),
  });
  const routes = new RouteTable({ registry, behaviours });
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
    commits.complete();
  };
  const addMetrics = (source: () => readonly MetricFamily[]): (() => void) => {
    metricSources.add(source);
    return () => void metricSources.delete(source);
  };
  return {
    name: 'apiserver',
    run: () => commits.values$.pipe(map((commit): ServerActivity => ({ type: 'committed', ...commit }))),
    handler,
    kinds,
    nodes,
    audit$: audit.events$,
    commits$: commits.values$,
    started,
    publishAddress,
    addMetrics,
    close,
  };
}

function admissionOf({ admission = [] }: ServerOptions, tools: ServerTools): readonly AdmissionPlugin[] {
  return typeof admission === 'function' ? admission(tools) : admission;
}

/** As what the server acts on its own objects. As apiserver/pkg/authentication/user, APIServerUser. */
const loopbackUser = Object.freeze({ username: 'system:apiserver', groups: Object.freeze([systemMasters]) });

const unknown: Authenticator = () => [undefined];
const plain: KindBehaviour = {};

function healthChecksOf(store: Store): readonly HealthCheck[] {
  return [
    { name: 'ping', check: () => Promise.resolve() },
    { name: 'log', check: () => Promise.resolve() },
    { name: 'etcd', check: () => store.revision().then(() => undefined) },
  ];
}
