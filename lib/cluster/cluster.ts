// The interface of a running cluster.
import type { Observable } from 'rxjs';
import type { Client, Informers, PodLogLine, PodLogsOptions } from '../client/index.js';
import type { Activity, Clock, Duration, Part } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { NodeControl } from '../nodeagent/index.js';
import type { ApiServer } from '../server/index.js';
import type { Revision, StoreSnapshot } from '../storage/index.js';

/** An activity of a part of a cluster. */
export interface ClusterActivity {
  /** The name of the part. */
  readonly part: string;
  readonly activity: Activity | PartFailed;
}

/** A part failed and has stopped. The others continue. */
export interface PartFailed extends Activity {
  readonly type: 'part-failed';
  readonly error: unknown;
}

/** A cluster. `await using` closes it. */
export interface Cluster<C extends Clock = Clock> extends AsyncDisposable {
  /** The administrator's client: all requests are authorized. */
  readonly client: Client;
  /** Returns a client of another user, a name or a user with groups. The authorizers decide what it may do. */
  as(user: string | UserInfo): Client;
  readonly clock: C;
  readonly server: ApiServer;
  /** Informers that all parts share: one watch per resource and selection. */
  readonly informers: Informers;
  /** The parts: the API server first, then those that run beside it. */
  readonly parts: readonly Part[];
  /**
   * Emits the activity of the parts, including commits of the server, from the subscription on. Completes when the
   * cluster closes.
   */
  readonly activity$: Observable<ClusterActivity>;
  /**
   * Resolves when the cluster has nothing left to do at this time. Exact with a virtual clock. With the system's clock
   * it means that several turns of the event loop passed without a write.
   */
  settled(): Promise<void>;
  /** Advances the virtual clock, as `clock.advance`. Rejects with TypeError if the clock is not virtual. */
  advance(duration: Duration): Promise<void>;
  /**
   * Advances the virtual clock from timer to timer until the condition holds. Rejects if it does not hold within
   * `limit`, by default an hour, and with TypeError if the clock is not virtual.
   */
  advanceUntil(condition: () => boolean | Promise<boolean>, limit?: Duration): Promise<void>;
  /** Shuts nodes of `createCluster({ nodes })` down, or switches them off. */
  readonly nodes: NodeControl;
  /**
   * Emits the lines that the selected pods log, each with its pod and container; by default all pods, from the
   * beginning of their logs and as further lines are written. Cold; ends with the subscription.
   */
  logs(options?: PodLogsOptions): Observable<PodLogLine>;
  /**
   * Creates a second cluster with the same objects, history and time, in O(1). The two are independent from then on.
   * Forks of one moment that receive the same requests have the same history. Memory store only.
   */
  fork(): Promise<Cluster<C>>;
  /** Opens the cluster at an older revision: a fork in which no part runs. Memory store only. */
  at(revision: Revision): Promise<Cluster<C>>;
  /**
   * Returns the objects of the cluster as plain JSON, for `createCluster({ snapshot })`: a fixture to write to a file.
   * Events and history are not part of it. Works with every store.
   */
  snapshot(): Promise<ClusterSnapshot>;
  /** Serves the cluster on a port, by default with HTTPS. Rejects if the port cannot be opened. Node only. */
  listen(options?: ClusterListenOptions): Promise<ClusterListening>;
  /**
   * Returns a kubeconfig for the address that `listen` opened last, with a client certificate for the user. Default: an
   * administrator. Rejects if the cluster does not listen, or listens without TLS.
   */
  kubeconfig(user?: string | UserInfo): Promise<string>;
  /**
   * Stops the parts, closes ports, ends watches and closes the store if the cluster created it. Resolves when no timer,
   * socket or subscriber is left. Idempotent. Later calls reject with the ApiError ServiceUnavailable.
   */
  close(): Promise<void>;
}

/** The objects of a cluster at a revision, and its time. */
export interface ClusterSnapshot extends StoreSnapshot {
  /** The time of the cluster's clock, for example `2026-01-01T00:00:00.000Z`: where a virtual clock should start. */
  readonly time: string;
}

/** Options of `listen`: host, port and TLS. */
export interface ClusterListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** False serves plain HTTP. Default true. */
  readonly tls?: boolean;
  /**
   * How long `close` leaves connections without a pending request open, in milliseconds, so that a busy client is not
   * reset. Default 0.
   */
  readonly idleGraceMs?: number;
}

/** An open port of a cluster. */
export interface ClusterListening extends AsyncDisposable {
  /** For instance `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Ends connections after their next response (`Connection: close`). New ones are still accepted. */
  drain(): void;
  /** Closes the port and its connections. Idempotent. */
  close(): Promise<void>;
}
