// Options of a cluster. All are optional and plain data; `completeOptions` validates them and fills in defaults, so
// that the rest of the folder works with complete options only.
import { nodeAuthorizer, rbacAuthorizer } from '../auth/index.js';
import { admissionPlugins } from '../admission/index.js';
import type { AdmissionOptions } from '../admission/index.js';
import { backgroundClock, checkOptions, systemRandom } from '../core/index.js';
import type { Clock, OptionTable, Part, Random } from '../core/index.js';
import type { Client, Informers } from '../client/index.js';
import type { MetricsSource } from '../controllers/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { LeaderElectionSettings, SchedulerOptions } from '../scheduling/index.js';
import type { ServerOptions } from '../server/index.js';
import { isStoreError, memoryStore } from '../storage/index.js';
import type { Store, StoreSnapshot } from '../storage/index.js';
import type { ProxyTransport, WebhookTransport } from '../webhook/index.js';
import { completeControllerSettings } from './controller-settings.js';
import type { ControllerSettings } from './controller-settings.js';
import { selectControllers } from './controllers.js';
import type { ControllerName } from './controllers.js';
import type { ClusterCredentials } from './credentials.js';
import { completeNodes } from './simulated-nodes.js';
import type { ClusterNodesOptions } from './simulated-nodes.js';
import { withTime } from './with-time.js';

/** Options of `createCluster`. Everything has a default. */
export interface ClusterOptions<C extends Clock = Clock> {
  /**
   * The only source of time. Default: the system's, with timers that do not keep the process alive. With
   * `virtualClock()` a test moves time by `advance`.
   */
  readonly clock?: C;
  /** The only source of randomness. Default: the system's. With `random(seed)` a cluster is reproducible. */
  readonly random?: Random;
  /** The store. Default: a new memory store. A given store is not closed by the cluster. */
  readonly store?: Store;
  /** The objects to begin with, from `snapshot` of another cluster. Only without `store`. Default: none. */
  readonly snapshot?: StoreSnapshot;
  /**
   * Periodic compaction of the store: history older than one to two intervals is dropped, and lists and watches from
   * there are refused with Expired. Default: every five minutes, as kube-apiserver; but a memory store that the cluster
   * creates itself keeps its history, which is bounded, for `at`. False: never.
   */
  readonly compaction?: ClusterCompactionOptions | false;
  /** The API server: access control, admission, audit, limits. Default: Node and RBAC authorization. */
  readonly server?: Omit<ServerOptions, 'store' | 'clock' | 'random'>;
  /**
   * Which admission plugins of Kubernetes run, and their configuration. Default: the default set of v1.36, but
   * ServiceAccount and TaintNodesByCondition only with the controllers that they wait for. Without effect where
   * `server.admission` lists the plugins itself.
   */
  readonly admission?: AdmissionOptions;
  /** False: pods are not scheduled. */
  readonly scheduler?: ClusterSchedulerOptions | false;
  /**
   * Which controllers run, as `--controllers` of kube-controller-manager: names, `*` for all that are on by default,
   * `-name` for all but that one. Default `['*']`; `[]` runs none.
   */
  readonly controllers?: readonly string[];
  /** Concurrency and periods of controllers, by the names of kube-controller-manager's flags in camel case. */
  readonly controllerSettings?: Partial<ControllerSettings>;
  /** Where the horizontal pod autoscaler reads metrics. Default: the APIs of metrics that the server serves. */
  readonly metrics?: MetricsSource;
  /**
   * How many simulated nodes `node-1`, `node-2`, … run, or what the nodes are like. Default 0. Pods on them become
   * Running and Ready; `{ count: 3, runtime: 'none' }` registers nodes that run nothing.
   */
  readonly nodes?: number | ClusterNodesOptions;
  /** Further parts, which run beside the cluster's own. */
  readonly parts?: readonly ((tools: PartTools) => Part)[];
  /** Certificates and keys. Default: created on first use; see `listen`. */
  readonly credentials?: ClusterCredentials;
}

/** Periodic compaction of the store. */
export interface ClusterCompactionOptions {
  /** Time between two compactions. Default: five minutes. */
  readonly intervalMs?: number;
  /** Whether servers of other processes use the same store, as with etcd: one of them compacts. Default false. */
  readonly isShared?: boolean;
}

/** The scheduler of a cluster. */
export interface ClusterSchedulerOptions extends Omit<SchedulerOptions, 'client' | 'informers' | 'clock' | 'random'> {
  /** Leader election, for several schedulers of one cluster. Default: none. */
  readonly leaderElection?: LeaderElectionSettings;
}

/** The dependencies that a cluster passes to the parts of a host. */
export interface PartTools {
  /** The administrator's client. */
  readonly client: Client;
  /** Returns a client of another user: a name, or a user with groups. */
  as(user: string | UserInfo): Client;
  /** Informers that all parts of the cluster share. */
  readonly informers: Informers;
  readonly clock: Clock;
  /** A stream of the part's own. */
  readonly random: Random;
}

/** Options with all defaults filled in. */
export interface CompletedClusterOptions<C extends Clock> {
  readonly clock: C;
  readonly random: Random;
  readonly store: Store;
  /** Whether the cluster closes the store. */
  readonly ownsStore: boolean;
  readonly compaction: ClusterCompactionOptions | undefined;
  readonly server: Omit<ServerOptions, 'store' | 'clock' | 'random'>;
  /** Whether the cluster authenticates requests from the wire with its own credentials. */
  readonly usesOwnCredentials: boolean;
  readonly scheduler: ClusterSchedulerOptions | undefined;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly controllerSettings: ControllerSettings;
  readonly metrics: MetricsSource | undefined;
  readonly nodes: ClusterNodesOptions & { readonly count: number };
  readonly parts: readonly ((tools: PartTools) => Part)[];
  readonly credentials: ClusterCredentials | undefined;
}

const optionTable: OptionTable<keyof ClusterOptions> = {
  clock: { types: ['object'], methods: ['now', 'timer', 'interval'] },
  random: { types: ['object'], methods: ['stream', 'uuid'] },
  store: { types: ['object'], methods: ['get', 'list', 'commit', 'watch', 'close'] },
  snapshot: { types: ['object'] },
  compaction: { types: ['object', 'boolean'] },
  server: { types: ['object'] },
  admission: { types: ['object'] },
  scheduler: { types: ['object', 'boolean'] },
  controllers: { types: ['array'] },
  controllerSettings: { types: ['object'] },
  metrics: { types: ['object'], methods: ['podUsage', 'customMetric', 'externalMetric'] },
  nodes: { types: ['number', 'object'] },
  parts: { types: ['array'] },
  credentials: { types: ['object'], methods: ['listen', 'kubeconfig'] },
};

/** Validates options and fills in defaults. Throws RangeError for an invalid option. */
export function completeOptions<C extends Clock>(options: ClusterOptions<C>): CompletedClusterOptions<C> {
  checkOptions('createCluster', options, optionTable);
  if (options.snapshot !== undefined && options.store !== undefined)
    throw new RangeError('createCluster: option snapshot: the store that is given has objects of its own');
  // The type parameter is only ever narrower than Clock where a clock is given.
  const { clock = backgroundClock() as Clock as C, random = systemRandom(), server = {}, nodes = 0 } = options;
  const controllers = selectControllers(options.controllers ?? ['*']);
  const webhooks = { transport: lazyTransport(), ...options.admission?.webhooks };
  return {
    clock,
    random,
    store: options.store ?? newStore(clock, options.snapshot),
    ownsStore: options.store === undefined,
    compaction: compactionOf(options),
    server: {
      ...server,
      authorizers: server.authorizers ?? ((tools) => [nodeAuthorizer(tools), rbacAuthorizer(tools.rbac())]),
      admission:
        server.admission ?? admissionPlugins(completeAdmission({ ...options.admission, webhooks }, controllers)),
      conversionWebhooks: server.conversionWebhooks ?? conversionWebhooksOf(webhooks),
      aggregation: { transport: lazyProxyTransport(), ...server.aggregation },
    },
    usesOwnCredentials: server.authenticators === undefined,
    scheduler: options.scheduler === false ? undefined : (options.scheduler ?? {}),
    controllers,
    controllerSettings: completeControllerSettings(options.controllerSettings),
    metrics: options.metrics,
    nodes: completeNodes(nodes),
    parts: options.parts ?? [],
    credentials: options.credentials,
  };
}

function newStore(clock: Clock, snapshot: StoreSnapshot | undefined): Store {
  try {
    return withTime(memoryStore, { clock, ...(snapshot !== undefined && { snapshot }) });
  } catch (error) {
    if (!isStoreError(error, 'invalid')) throw error;
    throw new RangeError(`createCluster: option snapshot: ${error.message}`, { cause: error });
  }
}

function compactionOf({ compaction, store }: ClusterOptions): ClusterCompactionOptions | undefined {
  if (compaction === false) return undefined;
  return compaction ?? (store === undefined ? undefined : {});
}

/**
 * Leaves plugins out that wait for a controller which does not run, as envtest does: without the account `default` no
 * pod could be created, and new nodes would keep their taint. A plugin that is enabled by name runs all the same.
 */
function completeAdmission(options: AdmissionOptions, controllers: ReadonlySet<ControllerName>): AdmissionOptions {
  const { enable = [], disable = [] } = options;
  const waiting = neededControllers
    .filter(({ plugin, controller }) => !controllers.has(controller) && ![...enable, ...disable].includes(plugin))
    .map(({ plugin }) => plugin);
  return { ...options, disable: [...disable, ...waiting] };
}

/** Webhooks that convert custom resources are reached as those of admission. */
function conversionWebhooksOf({
  functions,
  transport,
  services,
}: NonNullable<AdmissionOptions['webhooks']>): NonNullable<ServerOptions['conversionWebhooks']> {
  return { ...(functions && { functions }), ...(transport && { transport }), ...(services && { services }) };
}

/** Sends requests to webhooks over HTTPS. Loaded with the first one; a browser build has an empty module instead. */
function lazyTransport(): WebhookTransport {
  let loading: Promise<WebhookTransport> | undefined;
  const load = async (): Promise<WebhookTransport> => {
    const adapter = await import('../webhook/node/index.js');
    if (!('nodeWebhookTransport' in adapter))
      throw new Error('webhooks of the network need Node, or `admission.webhooks.transport`');
    // Idle connections close by themselves and do not keep the process alive.
    return adapter.nodeWebhookTransport().transport;
  };
  return async (request) => (await (loading ??= load()))(request);
}

/** Sends requests to the servers behind APIServices. Loaded as `lazyTransport`. Presents no client certificate. */
function lazyProxyTransport(): ProxyTransport {
  let loading: Promise<ProxyTransport> | undefined;
  const load = async (): Promise<ProxyTransport> => {
    const adapter = await import('../webhook/node/index.js');
    if (!('nodeProxyTransport' in adapter))
      throw new Error('aggregated APIs of the network need Node, or `server.aggregation.transport`');
    return adapter.nodeProxyTransport().transport;
  };
  return async (request) => (await (loading ??= load()))(request);
}

const neededControllers: readonly { readonly plugin: string; readonly controller: ControllerName }[] = [
  { plugin: 'ServiceAccount', controller: 'serviceaccount-controller' },
  { plugin: 'TaintNodesByCondition', controller: 'node-lifecycle-controller' },
];
