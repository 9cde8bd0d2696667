// The options of a server, and the server that `createServer` returns.
import type { Observable } from 'rxjs';
import type { AdmissionPlugin, AdmissionWebhookOptions } from '../../admission/index.js';
import type { Authenticator, Authorizer, ServerTools, TokenIssuer } from '../../auth/index.js';
import { checkOptions } from '../../core/index.js';
import type {
  Activity,
  Clock,
  Handler,
  MetricFamily,
  MutableKinds,
  OptionTable,
  Part,
  Random,
} from '../../core/index.js';
import type { Revision, Store } from '../../storage/index.js';
import type { AggregationOptions } from '../aggregation/backend.js';
import type { ServiceAllocatorOptions } from '../allocation/service-allocator.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { AuditPolicy } from '../audit/audit-policy.js';
import type { ServerIdentity } from '../bootstrap/bootstrap-objects.js';
import type { AuthenticationInfo } from '../bootstrap/authentication-info.js';
import type { RequestFailure } from '../http/request-failure.js';
import type { NodeConnectors } from '../subresources/node-connectors.js';
import type { Commit } from '../writes/commit.js';

/** Options of a server. Only `store` is required. */
export interface ServerOptions {
  readonly store: Store;
  /** The kinds that are served, which may change while the server runs. Default: those of Kubernetes v1.36. */
  readonly kinds?: MutableKinds;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Authenticators, tried in order. Default: none, and every request runs as an administrator. A function receives the
   * tools of the server, for authenticators that read objects.
   */
  readonly authenticators?: readonly Authenticator[] | ((tools: ServerTools) => readonly Authenticator[]);
  /**
   * Authorizers, tried in order after members of `system:masters` were allowed. Default: none, and everything is
   * allowed. A function receives the tools of the server, for authorizers that read objects.
   */
  readonly authorizers?: readonly Authorizer[] | ((tools: ServerTools) => readonly Authorizer[]);
  /**
   * Whether the default roles and bindings of RBAC are created and completed at the start. Default: true where an
   * authenticator, authorizer or plugin uses `rbac` of its tools.
   */
  readonly bootstrapPolicy?: boolean;
  /** Accepted audiences of tokens that name audiences. Default: those of the token issuer. */
  readonly apiAudiences?: readonly string[];
  /**
   * Whether requests over the wire are subject to API priority and fairness (FlowSchemas and
   * PriorityLevelConfigurations). Default: true.
   */
  readonly fairness?: boolean;
  /**
   * How many requests over the wire are served at a time. Default: 600, the sum of --max-requests-inflight and
   * --max-mutating-requests-inflight.
   */
  readonly concurrency?: number;
  /** Which requests `audit$` emits events for, and how detailed. Default: none. */
  readonly audit?: AuditPolicy;
  /**
   * Admission plugins in the order in which they run. Default: none. A function receives the tools of the server, for
   * plugins that read objects.
   */
  readonly admission?: readonly AdmissionPlugin[] | ((tools: ServerTools) => readonly AdmissionPlugin[]);
  /**
   * The minimum duration of a watch that requests no timeout, in milliseconds; it ends between this and twice this.
   * Default: half an hour.
   */
  readonly minWatchTimeoutMs?: number;
  /** How conversion webhooks of CustomResourceDefinitions are reached. Default: they are not. */
  readonly conversionWebhooks?: Pick<AdmissionWebhookOptions, 'functions' | 'transport' | 'services'>;
  /** How the servers behind APIServices are reached: handlers of this process, or over HTTPS. Default: they are not. */
  readonly aggregation?: AggregationOptions;
  /** Ranges of Service addresses: one, or one of each family with the primary first. Default: 10.96.0.0/16. */
  readonly serviceRanges?: ServiceAllocatorOptions['serviceRanges'];
  /** First and last node port of Services. Default: 30000 to 32767. */
  readonly nodePorts?: readonly [first: number, last: number];
  /**
   * Issues tokens of ServiceAccounts and publishes the keys that verify them. Default: none, and
   * `serviceaccounts/token` responds 404.
   */
  readonly tokens?: TokenIssuer | ((tools: ServerTools) => TokenIssuer);
  /**
   * The authorities that the authenticators trust, published for extension servers in the ConfigMap
   * kube-system/extension-apiserver-authentication.
   */
  readonly authenticationInfo?: AuthenticationInfo;
  /** The name of the server's Lease in kube-system, and of its machine. Default: one for the machine `vivarium`. */
  readonly identity?: ServerIdentity;
  /** Components that run beside the server, which `componentstatuses` reports as healthy. Default: none. */
  readonly components?: readonly ('controller-manager' | 'scheduler')[];
  /**
   * The `host:port` at which clients reach the server, if known at creation: published by `/api` and by the endpoints
   * of the Service `kubernetes`. Otherwise call `publishAddress` later.
   */
  readonly serverAddress?: string;
}

/** Throws TypeError, naming the option, for options that are missing, unknown or of the wrong type. */
export function checkServerOptions(options: ServerOptions): void {
  checkOptions('createServer', options, optionTable);
}

const optionTable: OptionTable<keyof ServerOptions> = {
  store: { types: ['object'], required: true, methods: ['get', 'list', 'commit', 'watch', 'close'] },
  kinds: { types: ['object'], methods: ['add', 'remove'] },
  clock: { types: ['object'], methods: ['now', 'timer', 'interval'] },
  random: { types: ['object'], methods: ['stream', 'uuid'] },
  authenticators: { types: ['array', 'function'] },
  authorizers: { types: ['array', 'function'] },
  bootstrapPolicy: { types: ['boolean'] },
  apiAudiences: { types: ['array'] },
  fairness: { types: ['boolean'] },
  concurrency: { types: ['number'] },
  audit: { types: ['object'] },
  admission: { types: ['array', 'function'] },
  minWatchTimeoutMs: { types: ['number'] },
  conversionWebhooks: { types: ['object'] },
  aggregation: { types: ['object'] },
  serviceRanges: { types: ['array'] },
  nodePorts: { types: ['array'] },
  tokens: { types: ['object', 'function'] },
  authenticationInfo: { types: ['object'] },
  identity: { types: ['object'] },
  components: { types: ['array'] },
  serverAddress: { types: ['string'] },
};

/** An activity of the server. */
export type ServerActivity = ObjectCommitted | RequestFailed;

/** A change that a request made to the store. */
export interface ObjectCommitted extends Activity, Commit {
  readonly type: 'committed';
}

/** A request over the wire that failed because of a defect of the server or a failure of its store. */
export interface RequestFailed extends Activity, RequestFailure {
  readonly type: 'request-failed';
}

/** An API server. It serves requests from its creation on; as a part it emits what it commits and what fails. */
export interface ApiServer extends Part<ServerActivity>, AsyncDisposable {
  readonly name: 'apiserver';
  /** Serves requests, in process or from the wire. */
  readonly handler: Handler;
  /** The kinds that are served. Added kinds are served at once. */
  readonly kinds: MutableKinds;
  /**
   * The registry of node connectors: logs, exec, attach, port-forward and proxies. A node without one is treated as
   * unreachable.
   */
  readonly nodes: NodeConnectors;
  /** Emits the audit events that the policy selects, of requests that arrive while subscribed. */
  readonly audit$: Observable<AuditEvent>;
  /** Emits every change that a request makes to the store, from subscription on. Completes with `close`. */
  readonly commits$: Observable<Commit>;
  /** Resolves when the bootstrap objects are stored. The first request starts the server, too. */
  started(): Promise<void>;
  /** Publishes the `host:port` at which clients reach the server, in `/api` and in the Service `kubernetes`. */
  publishAddress(address: string): Promise<void>;
  /**
   * Adds the metrics of another part of the process to `/metrics`, read at each scrape. Their names must not be the
   * server's own. Returns the function that removes them.
   */
  addMetrics(source: () => readonly MetricFamily[]): () => void;
  /**
   * Drops from the caches what only revisions before this one need. Call it when the store was compacted: lists at such
   * a revision are then refused with Expired, as by the store.
   */
  compacted(revision: Revision): void;
  /** Emits a failure as an activity. Called by the adapters of the wire. */
  readonly reportFailure: (failure: RequestFailure) => void;
  /** Makes `/readyz` fail, so that load balancers send requests elsewhere. Requests are still served. */
  beginShutdown(): void;
  /**
   * Ends watches and caches; the store is the host's to close. Idempotent. Later requests are refused with
   * ServiceUnavailable.
   */
  close(): Promise<void>;
}
