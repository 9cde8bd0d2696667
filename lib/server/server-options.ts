// What a host says about its server, and what it gets.
import type { Observable } from 'rxjs';
import type { AdmissionPlugin } from '../admission/index.js';
import type { Authenticator, Authorizer, ServerTools, TokenIssuer } from '../auth/index.js';
import type { Handler } from '../client/index.js';
import type { Activity, Clock, MetricFamily, MutableKinds, Part, Random } from '../core/index.js';
import type { Store } from '../storage/index.js';
import type { ServiceAllocatorOptions } from './allocation/service-allocator.js';
import type { AuditEvent } from './audit/audit-event.js';
import type { AuditPolicy } from './audit/audit-policy.js';
import type { AuthenticationInfo } from './bootstrap/authentication-info.js';
import type { NodeConnectors } from './subresources/node-connectors.js';
import type { Commit } from './writes/commit.js';

/** What a server is made of. Only the store has no default. */
export interface ServerOptions {
  readonly store: Store;
  /** The kinds, which may change while the server runs. Default: those of Kubernetes v1.36. */
  readonly kinds?: MutableKinds;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Asked in order who is asking. Without any, every request runs as an administrator. Those that read objects are made
   * by a function.
   */
  readonly authenticators?: readonly Authenticator[] | ((tools: ServerTools) => readonly Authenticator[]);
  /**
   * Asked in order who may do what, after `system:masters` were let through. Without any, everything is allowed. Those
   * that read objects are made by a function.
   */
  readonly authorizers?: readonly Authorizer[] | ((tools: ServerTools) => readonly Authorizer[]);
  /**
   * Whether the server begins with the roles and bindings of Kubernetes, and completes those it finds. Unless said
   * otherwise it does where a part was made with the `rbac` of its tools.
   */
  readonly bootstrapPolicy?: boolean;
  /** For whom tokens have to be, if they say for whom they are; those of the token issuer unless said otherwise. */
  readonly apiAudiences?: readonly string[];
  /**
   * Whether requests from the wire share the server by FlowSchemas and PriorityLevelConfigurations, as they do unless
   * said otherwise.
   */
  readonly fairness?: boolean;
  /**
   * How many of those are served at once; 600 unless said otherwise, as --max-requests-inflight and
   * --max-mutating-requests-inflight together.
   */
  readonly concurrency?: number;
  /** What is told of which requests by `audit$`. Without it, nothing is. */
  readonly audit?: AuditPolicy;
  /** In the order in which they run. Those that read objects of the server are given as a function of its tools. */
  readonly admission?: readonly AdmissionPlugin[] | ((tools: ServerTools) => readonly AdmissionPlugin[]);
  /**
   * A watch without a time limit of its own ends after this long, or up to twice as long; half an hour unless said
   * otherwise.
   */
  readonly minWatchTimeoutMs?: number;
  /** Addresses for Services: one range, or one of each family; 10.96.0.0/16 unless said otherwise. */
  readonly serviceRanges?: ServiceAllocatorOptions['serviceRanges'];
  /** Ports on nodes for Services, first and last; 30000 to 32767 unless said otherwise. */
  readonly nodePorts?: readonly [first: number, last: number];
  /** Makes tokens of ServiceAccounts, and publishes the keys that verify them. Without it nobody can ask for one. */
  readonly tokens?: TokenIssuer | ((tools: ServerTools) => TokenIssuer);
  /**
   * Whom the authenticators trust, for extension servers to do likewise: published in
   * kube-system/extension-apiserver-authentication.
   */
  readonly authenticationInfo?: AuthenticationInfo;
  /**
   * `host:port` at which clients reach the server, where it is known beforehand: shown by `/api` and in the endpoints
   * of the Service `kubernetes`. A server that learns it later calls `publishAddress`.
   */
  readonly serverAddress?: string;
}

/** A change that a request made to the store, as an activity of the server. */
export interface ServerActivity extends Activity, Commit {
  readonly type: 'committed';
}

/** An API server. It serves requests from its creation on; as a part it only emits what it commits. */
export interface ApiServer extends Part<ServerActivity> {
  readonly name: 'apiserver';
  /** Answers requests, of this process or from the wire. */
  readonly handler: Handler;
  /** The kinds it serves. Kinds that are added here are served at once. */
  readonly kinds: MutableKinds;
  /**
   * Where connectors of nodes are registered: logs, exec, attach, port-forward and proxies. Without one the server
   * answers as if the node were unreachable.
   */
  readonly nodes: NodeConnectors;
  /** The audit log: what the policy asks for, about the requests that come while somebody subscribes. */
  readonly audit$: Observable<AuditEvent>;
  /** Every change that a request makes to the store, from subscription on. Completes with `close`. */
  readonly commits$: Observable<Commit>;
  /** Resolves when the objects that every cluster starts with are stored. The first request starts the server too. */
  started(): Promise<void>;
  /** Publishes the `host:port` at which clients reach the server, in `/api` and in the Service `kubernetes`. */
  publishAddress(address: string): Promise<void>;
  /**
   * Adds the metrics of another part of the process to `/metrics`, read at each scrape. Their names must not be the
   * server's own. Returns the function that removes them.
   */
  addMetrics(source: () => readonly MetricFamily[]): () => void;
  /** Ends watches and caches; the store is the host's to close. Idempotent. */
  close(): Promise<void>;
}
