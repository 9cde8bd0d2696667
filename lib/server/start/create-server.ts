// Creates the API server: wires store, caches, registry, access control and pipeline. Creating is inert: caches of
// kinds are created when they are first read, and bootstrap objects are written before the first request is served.
import { admissionExpressionCheck } from '../../cel/admission/index.js';
import { baseEnvironment, deviceExpressionCheck, ruleCompiler, schemaExpressionCheck } from '../../cel/index.js';
import { map, merge } from 'rxjs';
import { admissionChain } from '../../admission/index.js';
import type { AdmissionPlugin } from '../../admission/index.js';
import { alwaysAllow, systemMasters } from '../../auth/index.js';
import type { Authenticator, ServerTools } from '../../auth/index.js';
import { inProcessClient } from '../../client/index.js';
import {
  Outlet,
  createKinds,
  objectInformers,
  serviceUnavailable,
  systemClock,
  systemRandom,
} from '../../core/index.js';
import type { Handler, KindDefinition, MetricFamily } from '../../core/index.js';
import { isStoreError } from '../../storage/index.js';
import { accessOf } from '../access/access-control.js';
import { aggregationOf, groupVersionOf } from '../aggregation/aggregation.js';
import { RemoteOpenApi } from '../aggregation/remote-openapi.js';
import { ServiceAllocator } from '../allocation/service-allocator.js';
import { StoredAllocation } from '../allocation/stored-allocation.js';
import { auditLog } from '../audit/audit.js';
import { bootstrapObjects, defaultIdentity } from '../bootstrap/bootstrap-objects.js';
import { addressObjects, readServerAddress } from '../bootstrap/server-address.js';
import { SystemObjects } from '../bootstrap/system-objects.js';
import { writeBootstrap } from '../bootstrap/write-bootstrap.js';
import type { BootstrapObject } from '../bootstrap/write-bootstrap.js';
import { customResources } from '../custom-resources/custom-resources.js';
import { documentsOf } from '../documents/documents.js';
import { serverHealthChecks } from '../documents/health.js';
import { openApiV2 } from '../documents/openapi/openapi-v2.js';
import { openApiV3 } from '../documents/openapi/openapi-v3.js';
import { openIdRoutes } from '../documents/openid.js';
import { fairnessOf } from '../fairness/fairness.js';
import { impersonateStep } from '../access/impersonate.js';
import { kindBehaviours } from '../kind-behaviours.js';
import { RequestMetrics } from '../metrics/request-metrics.js';
import { metricsRoute } from '../metrics/server-metrics.js';
import { pipelineHandler, whenStarted } from '../pipeline.js';
import { followKinds, Registry } from '../registry/registry.js';
import { objectReader } from '../registry/object-reader.js';
import type { StoredKind } from '../registry/stored-kind.js';
import { withoutCredentials } from '../access/without-credentials.js';
import { RouteTable } from '../routing/route-table.js';
import { serveRequests } from '../routing/router.js';
import { checkServerOptions } from './server-options.js';
import type { ApiServer, RequestFailed, ServerActivity, ServerOptions } from './server-options.js';
import { attributesOf, authenticateStep, authorize, authorizeStep } from '../access/access-steps.js';
import { ConnectorRegistry } from '../subresources/node-connectors.js';
import type { Commit } from '../writes/commit.js';
import type { KindBehaviour } from '../writes/kind-behaviour.js';
import { leasePool } from '../writes/lease-pool.js';
import type { WriteTools } from '../writes/write.js';

/**
 * Creates an API server. Throws TypeError for options that are missing, unknown or of the wrong type, RangeError for
 * those that are out of range.
 */
export function createServer(options: ServerOptions): ApiServer {
  checkServerOptions(options);
  const { store, kinds = createKinds(), clock = systemClock(), random = systemRandom() } = options;
  const { minWatchTimeoutMs = 30 * 60_000 } = options;
  let { serverAddress = '' } = options;
  const { serviceRanges = ['10.96.0.0/16'], nodePorts = [30_000, 32_767] } = options;
  let isShuttingDown = false;
  const healthChecks = serverHealthChecks(store, clock, () => isShuttingDown);
  const nodes = new ConnectorRegistry();
  const registry = new Registry({ kinds, store, clock });
  // Subscribed before other consumers of `kinds.changes$`, which then find the new endpoints.
  const kindsSubscription = followKinds(kinds, { registry, caches: () => [routes, requests] }).subscribe();
  const reader = objectReader(registry, clock);
  const informers = objectInformers(reader);
  const client = inProcessClient((request) => handler(request), { user: loopbackUser, manager: 'kube-apiserver' });
  const access = accessOf(options, { reader, informers, client, clock, random, kinds });
  const { authenticator, tokens, audiences, rbac } = access;
  const authorizer = access.authorizer ?? alwaysAllow;
  const allocatorOf = (): ServiceAllocator =>
    new ServiceAllocator({ serviceRanges, nodePorts, random: random.stream('allocation') });
  // Throws for invalid ranges now rather than with the first Service.
  if (options.serviceRanges !== undefined || options.nodePorts !== undefined) allocatorOf();
  const services = new StoredAllocation({
    registry,
    store,
    nodePorts,
    serviceRanges,
    createAllocator: allocatorOf,
    onDoubt: () => undefined,
  });
  const requests = new RequestMetrics(clock, kinds);
  const fairness =
    options.fairness === false
      ? undefined
      : fairnessOf({
          registry,
          informers,
          clock,
          concurrency: options.concurrency ?? 600,
          onRejected: requests.onRejected,
        });
  const admission = admissionChain(admissionOf(options, access.toolsFor('admission')), clock);
  const audit = auditLog({ policy: options.audit, clock, random: random.stream('audit') });
  const metricSources = new Set<() => readonly MetricFamily[]>();
  const metrics = metricsRoute({
    clock,
    requests,
    registry,
    audit,
    flowControl: fairness?.control,
    others: () => [...(admission?.families() ?? []), ...[...metricSources].flatMap((source) => source())],
  });
  const commits = new Outlet<Commit>();
  const failures = new Outlet<RequestFailed>();
  const behaviourCache = new WeakMap<StoredKind, KindBehaviour>();
  const tools: WriteTools = {
    checkExpression: schemaExpressionCheck(deviceExpressionCheck(admissionExpressionCheck())),
    store,
    clock,
    random: random.stream('objects'),
    leases: leasePool(store, clock),
    admission,
    commits,
    behaviourOf(stored) {
      let behaviour = behaviourCache.get(stored);
      if (behaviour === undefined) {
        const isCustom = stored.definition.versionStorage !== undefined;
        behaviour = isCustom
          ? custom.behaviourOf(stored.ref)
          : (behaviours.byResource.get(`${stored.ref.group}/${stored.ref.resource}`) ?? noBehaviour);
        behaviourCache.set(stored, behaviour);
      }
      return behaviour;
    },
    onCommitted: (ref, object, isRemoved) => systemObjects.committed(ref, object, isRemoved),
    authorizeCreate: (exchange) => authorize(authorizer, { ...attributesOf(exchange), verb: 'create' }),
  };
  const hideCredentials = withoutCredentials(options.authenticationInfo?.requestHeader);
  const behaviours = kindBehaviours({
    registry,
    tools,
    reader,
    kinds,
    authenticator: authenticator ?? rejectAll,
    authorizer,
    rbac,
    audiences,
    tokens,
    connectors: nodes,
    closed$: access.toolsFor('streams').closed$,
    withoutCredentials: hideCredentials,
    healthChecks,
    components: options.components ?? [],
    services,
  });
  const custom = customResources({
    tools: access.toolsFor('custom-resources'),
    kinds,
    store,
    webhooks: options.conversionWebhooks ?? {},
    compileRules: ruleCompiler(baseEnvironment()),
    onCommitted: (key, revision) =>
      commits.emit({
        revision,
        key,
        verb: 'deletecollection',
        user: loopbackUser,
        manager: 'kube-apiserver',
        cause: undefined,
      }),
  });
  const aggregation = aggregationOf({
    options: options.aggregation ?? {},
    tools: access.toolsFor('aggregation'),
    withoutCredentials: hideCredentials,
  });
  const { remotes, delegate } = aggregation;
  const schemas = new RemoteOpenApi(remotes, clock);
  const routes = new RouteTable({ registry, behaviours, delegate });
  const pipeline = pipelineHandler({
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
        delegateDocument: (info) => {
          const version = groupVersionOf(info);
          return version && delegate(version);
        },
        documents: documentsOf({
          kinds,
          remotes,
          serverAddress: () => serverAddress,
          healthChecks,
          routes: () => [
            ...openApiV3(kinds, { schemas, delegate }),
            openApiV2(kinds, schemas),
            ...(tokens?.discovery === undefined ? [] : openIdRoutes(tokens.discovery, () => serverAddress)),
            metrics,
          ],
        }),
      }),
    ),
  });
  const bootstrapTools = { registry, store, clock, random: random.stream('bootstrap') };
  const runId = bootstrapTools.random.uuid();
  const systemObjectsNow = (): readonly BootstrapObject[] =>
    bootstrapObjects({
      serviceCidrs: serviceRanges,
      serverAddress: readServerAddress(serverAddress),
      groupVersions: kinds.current.groups.flatMap(({ name, versions }) =>
        versions
          .filter((version) => kinds.current.resourcesOf({ group: name, version }).some(isOfServer))
          .map((version) => ({ group: name, version })),
      ),
      now: clock.now(),
      policy: options.bootstrapPolicy ?? access.usesRbac,
      authenticationInfo: options.authenticationInfo,
      identity: options.identity ?? defaultIdentity,
      runId,
    });
  const systemObjects = new SystemObjects({ ...bootstrapTools, client, objects: systemObjectsNow });
  let isClosed = false;
  const start = async (): Promise<void> => {
    await bootstrap(systemObjectsNow());
    await Promise.all([custom.start(), aggregation.start()]);
  };
  const { started, handler: startedHandler } = whenStarted(start, pipeline);
  const handler: Handler = (request) => {
    if (isClosed) throw serviceUnavailable('the server is closed');
    return startedHandler(request);
  };
  /** Without space in the store the server starts with the objects that are there, so that they can be read. */
  const bootstrap = (objects: readonly BootstrapObject[]): Promise<void> =>
    writeBootstrap(objects, bootstrapTools).catch((error: unknown) => {
      if (!isStoreError(error, 'no-space')) throw error;
    });
  const publishAddress = async (address: string): Promise<void> => {
    serverAddress = address;
    await started();
    await bootstrap(addressObjects(readServerAddress(address), serviceRanges[0]));
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    kindsSubscription.unsubscribe();
    access.close();
    systemObjects.close();
    fairness?.close();
    await registry.close();
    audit.close();
    commits.complete();
    failures.complete();
  };
  const addMetrics = (source: () => readonly MetricFamily[]): (() => void) => {
    metricSources.add(source);
    return () => void metricSources.delete(source);
  };
  return {
    name: 'apiserver',
    run: () =>
      merge(
        commits.values$.pipe(map((commit): ServerActivity => ({ type: 'committed', ...commit }))),
        failures.values$,
      ),
    reportFailure: (failure) => failures.emit({ type: 'request-failed', ...failure }),
    handler,
    kinds,
    nodes,
    audit$: audit.events$,
    commits$: commits.values$,
    started,
    publishAddress,
    addMetrics,
    compacted: (revision) => registry.compact(revision),
    beginShutdown: () => void (isShuttingDown = true),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function admissionOf({ admission = [] }: ServerOptions, tools: ServerTools): readonly AdmissionPlugin[] {
  return typeof admission === 'function' ? admission(tools) : admission;
}

/** The user of the server's own requests. As apiserver/pkg/authentication/user, APIServerUser. */
const loopbackUser = Object.freeze({ username: 'system:apiserver', groups: Object.freeze([systemMasters]) });

/** Whether the server has the kind by itself: the controller of definitions publishes the others. */
function isOfServer({ versionStorage }: KindDefinition): boolean {
  return versionStorage === undefined;
}

const rejectAll: Authenticator = () => [undefined];
const noBehaviour: KindBehaviour = {};
