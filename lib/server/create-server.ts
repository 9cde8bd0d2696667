// The API server: wires store, cachers, registry and pipeline. Building it is inert; kinds are taken into service as they
// are asked for, and the objects every cluster begins with are written before the first request is served.
import { ReplaySubject } from 'rxjs';
import type { Observable } from 'rxjs';
import { admissionChain } from '../admission/index.js';
import type { AdmissionPlugin } from '../admission/index.js';
import { alwaysAllow, mastersAllowed, rbacIndex, unionAuthenticator, unionAuthorizer } from '../auth/index.js';
import type { AuthTools, Authenticator, Authorizer, TokenIssuer } from '../auth/index.js';
import type { Handler } from '../client/index.js';
import { builtinScheme, systemClock, systemRandom } from '../core/index.js';
import type { Clock, Frozen, Random, Scheme } from '../core/index.js';
import type { Service } from '../core/types/index.js';
import type { Store } from '../storage/index.js';
import { ServiceAllocator } from './allocation/service-allocator.js';
import type { ServiceAllocatorOptions } from './allocation/service-allocator.js';
import { auditLog } from './audit/audit.js';
import type { AuditEvent } from './audit/audit-event.js';
import type { AuditPolicy } from './audit/audit-policy.js';
import type { AuthenticationInfo } from './bootstrap/authentication-info.js';
import { bootstrapObjects } from './bootstrap/bootstrap-objects.js';
import { ensureAuthenticationInfo } from './bootstrap/ensure-authentication-info.js';
import { ensurePolicy } from './bootstrap/policy/ensure-policy.js';
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
import { objectReader } from './registry/object-reader.js';
import { Registry } from './registry/registry.js';
import { withoutCredentials } from './requests/without-credentials.js';
import { serveRequests } from './serve.js';
import { attributesOf, authenticateStep, authorize, authorizeStep } from './steps.js';
import type { NodeConnector } from './subresources/node-connector.js';
import { specialResources, virtualResources } from './subresources/special-resources.js';
import { leasePool } from './writes/lease-pool.js';
import type { WriteTools } from './writes/write.js';
import { writeGuards } from './writes/write-guards.js';

/** What a server is made of. Only the store has no default. */
export interface ServerOptions {
  readonly store: Store;
  /** The kinds; those of Kubernetes v1.36 unless said otherwise. */
  readonly scheme?: Scheme;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Asked in order who is asking. Without any, every request runs as an administrator. Those that read objects are made by a function. */
  readonly authenticators?: readonly Authenticator[] | ((tools: AuthTools) => readonly Authenticator[]);
  /** Asked in order who may do what, after `system:masters` were let through. Without any, everything is allowed. Those that read objects are made by a function. */
  readonly authorizers?: readonly Authorizer[] | ((tools: AuthTools) => readonly Authorizer[]);
  /**
   * Whether the server begins with the roles and bindings of Kubernetes, and completes those it finds. Unless said
   * otherwise it does where a part was made with the `rbac` of its tools.
   */
  readonly bootstrapPolicy?: boolean;
  /** For whom tokens have to be, if they say for whom they are; those of the token issuer unless said otherwise. */
  readonly apiAudiences?: readonly string[];
  /** Whether requests from the wire share the server by FlowSchemas and PriorityLevelConfigurations, as they do unless said otherwise. */
  readonly fairness?: boolean;
  /** How many of those are served at once; 600 unless said otherwise, as --max-requests-inflight and --max-mutating-requests-inflight together. */
  readonly concurrency?: number;
  /** What is told of which requests by `audit$`. Without it, nothing is. */
  readonly audit?: AuditPolicy;
  /** In the order in which they run. */
  readonly admission?: readonly AdmissionPlugin[];
  /** A watch without a time limit of its own ends after this long, or up to twice as long; half an hour unless said otherwise. */
  readonly minWatchTimeoutMs?: number;
  /** Addresses for Services: one range, or one of each family; 10.96.0.0/16 unless said otherwise. */
  readonly serviceRanges?: ServiceAllocatorOptions['serviceRanges'];
  /** Ports on nodes for Services, first and last; 30000 to 32767 unless said otherwise. */
  readonly nodePorts?: readonly [first: number, last: number];
  /** Reaches containers: logs, exec, attach, port-forward and proxies. Without it the server answers as if no node were reachable. */
  readonly nodes?: NodeConnector;
  /** Makes tokens of ServiceAccounts, and publishes the keys that verify them. Without it nobody can ask for one. */
  readonly tokens?: TokenIssuer | ((tools: AuthTools) => TokenIssuer);
  /** Whom the authenticators trust, for extension servers to do likewise: published in kube-system/extension-apiserver-authentication. */
  readonly authenticationInfo?: AuthenticationInfo;
  /** `host:port` at which clients reach the server, where it is known; told by `/api`. */
  readonly serverAddress?: string;
}

/** An API server. */
export interface ApiServer {
  /** Answers requests, of this process or from the wire. */
  readonly handler: Handler;
  readonly scheme: Scheme;
  /** The audit log: what the policy asks for, about the requests that come while somebody subscribes. */
  readonly audit$: Observable<AuditEvent>;
  /** Ends watches and caches; the store is the host's to close. Idempotent. */
  close(): Promise<void>;
}

/** Makes a server. */
export function createServer(options: ServerOptions): ApiServer {
  const { store, scheme = builtinScheme(), clock = systemClock(), random = systemRandom() } = options;
  const { admission = [], minWatchTimeoutMs = 30 * 60_000, serverAddress = '' } = options;
  const { serviceRanges = ['10.96.0.0/16'], nodePorts = [30_000, 32_767] } = options;
  const healthChecks = healthChecksOf(store);
  const registry = new Registry({ scheme, store, clock });
  const reader = objectReader(registry, clock);
  const closing = new ReplaySubject<void>(1);
  const rbac = rbacIndex(reader, closing.asObservable());
  let isRbacUsed = false;
  const toolsOf = (stream: string, known: readonly string[]): AuthTools => ({
    reader,
    clock,
    random: random.stream(stream),
    audiences: known,
    closed$: closing.asObservable(),
    get rbac() {
      isRbacUsed = true;
      return rbac;
    },
  });
  const tokens = typeof options.tokens === 'function' ? options.tokens(toolsOf('tokens', options.apiAudiences ?? [])) : options.tokens;
  const audiences = options.apiAudiences ?? tokens?.defaultAudiences ?? [];
  const parts = <Part>(given: readonly Part[] | ((tools: AuthTools) => readonly Part[]) = [], stream: string): readonly Part[] =>
    typeof given === 'function' ? given(toolsOf(stream, audiences)) : given;
  const authenticators = parts(options.authenticators, 'authentication');
  const authorizers = parts(options.authorizers, 'authorization');
  const authenticator = authenticators.length === 0 ? undefined : unionAuthenticator(authenticators);
  const authorizer = authorizers.length === 0 ? undefined : unionAuthorizer([mastersAllowed, ...authorizers]);
  const allocator = new ServiceAllocator({ serviceRanges, nodePorts, random: random.stream('allocation') });
  const requests = new RequestMetrics(clock, scheme);
  const fairness = options.fairness === false ? undefined : fairnessOf({ registry, clock, concurrency: options.concurrency ?? 600, turnedAway: requests.turnedAway });
  const audit = auditLog({ policy: options.audit, clock, random: random.stream('audit') });
  const metrics = metricsRoute({ clock, requests, registry, audit, flowControl: fairness?.control });
  const tools: WriteTools = {
    store,
    clock,
    random: random.stream('objects'),
    leases: leasePool(store, clock),
    admission: admissionChain(admission),
    hookOf: (stored) => (stored.ref.resource === 'services' && stored.ref.group === '' ? allocator : undefined),
    guardOf: writeGuards({ rbac, authorizer: authorizer ?? alwaysAllow, reader, scheme }),
    authorizeCreate: async (_endpoint, exchange) => {
      if (authorizer !== undefined) await authorize(authorizer, { ...attributesOf(exchange), verb: 'create' });
    },
  };
  const served = pipelineHandler({
    clock,
    authenticate: audit.authenticating(authenticateStep(authenticator, audiences)),
    audit: audit.step,
    impersonate: impersonateStep(authorizer),
    fairness: fairness?.step,
    authorize: authorizeStep(authorizer),
    serve: requests.counting(serveRequests({
      registry,
      tools,
      clock,
      timing: { clock, random: random.stream('watches'), minTimeoutMs: minWatchTimeoutMs },
      special: specialResources(registry, tools, { connector: options.nodes, tokens, withoutCredentials: withoutCredentials(options.authenticationInfo?.requestHeader), authorizer: authorizer ?? alwaysAllow }),
      virtual: virtualResources(registry, tools, { authenticator: authenticator ?? unknown, authorizer: authorizer ?? alwaysAllow, audiences, healthChecks }),
      documents: documentsOf({ scheme, serverAddress, healthChecks, routes: [...openApiV3(scheme), openApiV2(scheme), ...(tokens?.discovery === undefined ? [] : openIdRoutes(tokens.discovery, serverAddress)), metrics] }),
    })),
  });
  const start = async (): Promise<void> => {
    const groupVersions = scheme.groups.flatMap(({ name, versions }) => versions.map((version) => ({ group: name, version })));
    const [, port = '6443'] = /:(\d+)$/.exec(serverAddress) ?? [];
    const objects = bootstrapObjects({ serviceCidrs: serviceRanges, port: Number(port), groupVersions, now: clock.now() });
    const writing = { registry, store, clock, random: random.stream('bootstrap') };
    await writeBootstrap(objects, writing);
    if (options.bootstrapPolicy ?? isRbacUsed) await ensurePolicy(writing);
    if (options.authenticationInfo !== undefined) await ensureAuthenticationInfo(options.authenticationInfo, writing);
    const services = registry.endpoint({ group: '', version: 'v1', resource: 'services' });
    if (services !== undefined) allocator.load((await services.stored.cacher.list()).items as readonly Frozen<Service>[]);
  };
  const close = async (): Promise<void> => {
    closing.next();
    closing.complete();
    fairness?.close();
    await registry.close();
    audit.close();
  };
  return { handler: whenStarted(start, served), scheme, audit$: audit.events$, close };
}

/** Serves when what has to come first is done; it is begun with the first request. A start that failed is tried again. */
function whenStarted(start: () => Promise<void>, handler: Handler): Handler {
  let started: Promise<void> | undefined;
  let isStarted = false;
  const waiting: Handler = async (request) => {
    started ??= start();
    try {
      await started;
      isStarted = true;
    } catch (error) {
      started = undefined;
      throw error;
    }
    return handler(request);
  };
  return (request) => (isStarted ? handler(request) : waiting(request));
}

const unknown: Authenticator = () => [undefined];

function healthChecksOf(store: Store): readonly HealthCheck[] {
  return [
    { name: 'ping', check: () => Promise.resolve() },
    { name: 'log', check: () => Promise.resolve() },
    { name: 'etcd', check: () => store.revision().then(() => undefined) },
  ];
}
