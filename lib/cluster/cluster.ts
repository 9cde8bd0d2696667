// A running cluster as its host sees it.
import type { Observable } from 'rxjs';
import type { Client, Informers } from '../client/index.js';
import type { Activity, Clock, Duration, Part } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { ApiServer } from '../server/index.js';
import type { Revision } from '../storage/index.js';

/** Something that a part of a cluster did. */
export interface ClusterActivity {
  /** The name of the part. */
  readonly part: string;
  readonly activity: Activity | PartFailed;
}

/** A part could not go on. It has stopped; the others run on. */
export interface PartFailed extends Activity {
  readonly type: 'part-failed';
  readonly error: unknown;
}

/** A cluster. `await using` closes it. */
export interface Cluster<C extends Clock = Clock> extends AsyncDisposable {
  /** The administrator's client: may do everything. */
  readonly client: Client;
  /** A client of another user, a name or a user with groups; what it may do is up to the authorizers. */
  as(user: string | UserInfo): Client;
  readonly clock: C;
  readonly server: ApiServer;
  /** Watches that all parts share: one per resource and selection, however many subscribe. */
  readonly informers: Informers;
  /** The parts: the API server first, then those that run beside it. */
  readonly parts: readonly Part[];
  /** What the parts do, commits of the server included, from the subscription on. Completes when the cluster closes. */
  readonly activity$: Observable<ClusterActivity>;
  /**
   * Resolves when the cluster has nothing left to do at this time. With a virtual clock that is exact. With the
   * system's clock it means that several turns of the event loop have passed without a write.
   */
  settled(): Promise<void>;
  /** Moves the virtual clock, as `clock.advance`. Rejects with TypeError where the clock is not virtual. */
  advance(duration: Duration): Promise<void>;
  /**
   * Moves the virtual clock from timer to timer until the condition holds. Rejects where it does not within `limit`,
   * by default an hour, and with TypeError where the clock is not virtual.
   */
  advanceUntil(condition: () => boolean | Promise<boolean>, limit?: Duration): Promise<void>;
  /**
   * A second cluster with the same objects and history, at the same time, in O(1). From here on neither sees what the
   * other does. Forks of one moment that get the same requests have the same history. The memory store only.
   */
  fork(): Promise<Cluster<C>>;
  /** The cluster as it was at a revision: a fork in which no part runs. The memory store only. */
  at(revision: Revision): Promise<Cluster<C>>;
  /** Serves the cluster on a port, with HTTPS by default. Rejects where the port cannot be opened. Node only. */
  listen(options?: ClusterListenOptions): Promise<ClusterListening>;
  /**
   * A kubeconfig for the address that `listen` opened last, with a client certificate for the user. Default: an
   * administrator. Rejects where the cluster does not listen, or listens without TLS.
   */
  kubeconfig(user?: string | UserInfo): Promise<string>;
  /**
   * Stops the parts, closes ports, ends watches and closes the store if the cluster created it. Resolves when no timer,
   * socket or subscriber is left. Idempotent.
   */
  close(): Promise<void>;
}

/** Where a cluster listens. */
export interface ClusterListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** False for plain HTTP. Default true. */
  readonly tls?: boolean;
}

/** A port that a cluster listens on. */
export interface ClusterListening extends AsyncDisposable {
  /** For instance `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Closes the port and its connections. Idempotent. */
  close(): Promise<void>;
}
