// The composition root: from options to a running cluster. The only place that knows every other folder.
import type { Observable } from 'rxjs';
import { firstValueFrom, merge } from 'rxjs';
import { administrator, allAuthenticated } from '../auth/index.js';
import { inProcessClient, informers } from '../client/index.js';
import type { Client, Informers } from '../client/index.js';
import { Outlet, createKinds, virtualClock } from '../core/index.js';
import type { Clock, Duration, Frozen, Part, Random, VirtualClock } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { createScheduler } from '../scheduling/index.js';
import { createServer } from '../server/index.js';
import type { ApiServer } from '../server/index.js';
import type { MemoryStore, Revision, Store } from '../storage/index.js';
import type { Cluster, ClusterActivity, ClusterListenOptions, ClusterListening } from './cluster.js';
import { completeOptions } from './cluster-options.js';
import type { ClusterOptions, ClusterSchedulerOptions, CompletedClusterOptions } from './cluster-options.js';
import { createController } from './controllers.js';
import { lazyCredentials } from './credentials.js';
import { electedScheduler } from './elected-scheduler.js';
import type { LazyCredentials } from './credentials.js';
import { runPart, runParts } from './run-parts.js';
import type { DrainingPart, RunningParts } from './run-parts.js';
import { registerNodes } from './simulated-nodes.js';

/**
 * Creates a cluster and starts it: API server, scheduler, controllers, and the nodes that were asked for. Resolves when
 * it serves requests. Throws RangeError where an option makes no sense; nothing is left running then.
 */
export async function createCluster<C extends Clock = Clock>(options: ClusterOptions<C> = {}): Promise<Cluster<C>> {
  const completed = completeOptions(options);
  const cluster = new RunningCluster(options, completed);
  try {
    await cluster.server.started();
    await registerNodes(cluster.client, completed.nodes, completed.clock.now());
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return cluster;
}

class RunningCluster<C extends Clock> implements Cluster<C> {
  readonly client: Client;
  readonly clock: C;
  readonly server: ApiServer;
  readonly informers: Informers;
  readonly parts: readonly Part[];
  readonly activity$: Observable<ClusterActivity>;
  readonly #options: ClusterOptions<C>;
  readonly #store: Store;
  readonly #ownsStore: boolean;
  readonly #random: Random;
  readonly #credentials: LazyCredentials;
  readonly #running: RunningParts;
  #listening: readonly ClusterListening[] = [];
  #closed: Promise<void> | undefined;

  constructor(options: ClusterOptions<C>, completed: CompletedClusterOptions<C>) {
    const { clock, random, store, credentials, usesOwnCredentials } = completed;
    this.#options = options;
    this.clock = clock;
    this.#random = random;
    this.#store = store;
    this.#ownsStore = completed.ownsStore;
    this.#credentials = lazyCredentials(credentials, clock);
    this.server = createServer({
      store,
      clock,
      random: random.stream('server'),
      ...(usesOwnCredentials && {
        authenticators: (tools) => [this.#credentials.authenticator(tools)],
        tokens: (tools) => this.#credentials.tokenIssuer(tools),
      }),
      ...completed.server,
    });
    this.client = this.as(administrator);
    this.informers = informers(this.client, { clock, random: random.stream('informers') });
    const stopping = new Outlet<void>();
    const parts = this.#createParts(completed, stopping.values$);
    this.parts = [this.server, ...parts];
    this.#running = runParts(parts, stopping);
    // The server serves without being run. So its commits cost nothing while activity$ has no subscriber.
    this.activity$ = merge(this.#running.activity$, runPart(this.server));
    // Parts start in turns that a virtual clock does not see by itself.
    if (isVirtual(clock)) void clock.holdWhile(this.#running.started);
  }

  as(user: string | Frozen<UserInfo>): Client {
    return this.#clientOf(user, 'vivarium');
  }

  async settled(): Promise<void> {
    await this.#running.started;
    if (isVirtual(this.clock)) return this.clock.settled();
    let revision = -1;
    for (let quietTurns = 0; quietTurns < quietTurnsMin; quietTurns += 1) {
      await firstValueFrom(this.clock.timer(0), { defaultValue: 0 });
      const newest = await this.#store.revision();
      if (newest !== revision) quietTurns = 0;
      revision = newest;
    }
  }

  async advance(duration: Duration): Promise<void> {
    await virtualOf(this.clock).advance(duration);
  }

  async advanceUntil(condition: () => boolean | Promise<boolean>, limit: Duration = '1h'): Promise<void> {
    if (!(await virtualOf(this.clock).advanceUntil(condition, limit)))
      throw new Error(`the condition does not hold after ${limit}`);
  }

  async fork(): Promise<Cluster<C>> {
    const revision = await this.#store.revision();
    const clock = this.#forkClock();
    return this.#forkOf(forkableOf(this.#store).fork({ clock }), revision, { ...this.#options, clock });
  }

  async at(revision: Revision): Promise<Cluster<C>> {
    const clock = this.#forkClock();
    const still = { ...this.#options, clock, scheduler: false as const, controllers: [], parts: [] };
    return this.#forkOf(forkableOf(this.#store).fork({ clock, revision }), revision, still);
  }

  async listen(options: ClusterListenOptions = {}): Promise<ClusterListening> {
    const credentials = await this.#credentials.load();
    const listening = await credentials.listen(this.server, options);
    this.#listening = [...this.#listening, listening];
    await this.server.publishAddress(`${listening.host}:${listening.port}`);
    return listening;
  }

  async kubeconfig(user: string | Frozen<UserInfo> = administrator): Promise<string> {
    const url = this.#listening.at(-1)?.url;
    if (url === undefined) throw new Error('the cluster does not listen yet: call listen() first');
    return (await this.#credentials.load()).kubeconfig(url, userOf(user));
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#running.stop();
    await Promise.all(this.#listening.map((listening) => listening.close()));
    await this.server.close();
    if (this.#ownsStore) await this.#store.close();
  }

  #clientOf(user: string | Frozen<UserInfo>, manager: string): Client {
    return inProcessClient(this.server.handler, { user: userOf(user), manager });
  }

  #createParts(completed: CompletedClusterOptions<C>, stopping$: Observable<void>): readonly (Part | DrainingPart)[] {
    const { clock } = this;
    const random = this.#random;
    const { client, informers } = this;
    const as = (user: string | UserInfo): Client => this.as(user);
    const controllers = {
      as: (user: UserInfo) => this.#clientOf(user, 'kube-controller-manager'),
      informers,
      clock,
      random: random.stream('controllers'),
      credentials: this.#credentials,
    };
    return [
      ...(completed.scheduler === undefined ? [] : [this.#createScheduler(completed.scheduler, stopping$)]),
      ...Array.from(completed.controllers, (name) => createController(name, controllers)),
      ...completed.parts.map((create, index) =>
        create({ client, informers, as, clock, random: random.stream(`parts/${index}`) }),
      ),
    ];
  }

  /** The scheduler has the rights of its role and no more. */
  #createScheduler(
    { leaderElection, ...options }: ClusterSchedulerOptions,
    stopping$: Observable<void>,
  ): Part | DrainingPart {
    const { clock, informers } = this;
    const random = this.#random.stream('scheduler');
    const client = this.#clientOf('system:kube-scheduler', 'kube-scheduler');
    const scheduler = createScheduler({ ...options, client, informers, clock, random });
    this.server.addMetrics(() => scheduler.metricFamilies());
    if (leaderElection === undefined) return scheduler;
    return electedScheduler(scheduler, { ...options, client, clock, random, leaderElection, stopping$ });
  }

  /** The same clock, or another virtual clock that shows the same time. */
  #forkClock(): C {
    // A virtual clock in, a virtual clock out: both are what the host gave as C.
    return isVirtual(this.clock) ? (virtualClock({ start: this.clock.now() }) as Clock as C) : this.clock;
  }

  async #forkOf(store: Store, revision: Revision, options: ClusterOptions<C>): Promise<Cluster<C>> {
    const random = this.#random.stream(`fork/${revision}`);
    // A fork serves the kinds of this moment; kinds that one of them adds or removes later are its own.
    const server = { ...options.server, kinds: createKinds(this.server.kinds.current) };
    const forked = { ...options, server, store, random, nodes: 0 };
    const fork = new RunningCluster(forked, { ...completeOptions(forked), ownsStore: true });
    await fork.server.started();
    return fork;
  }
}

/** How many turns of the event loop without a write count as quiet. */
const quietTurnsMin = 5;

function userOf(user: string | Frozen<UserInfo>): Frozen<UserInfo> {
  return typeof user === 'string' ? { username: user, groups: [allAuthenticated] } : user;
}

function isVirtual(clock: Clock): clock is VirtualClock {
  return 'advance' in clock;
}

function virtualOf(clock: Clock): VirtualClock {
  if (!isVirtual(clock)) throw new TypeError('time moves by itself: create the cluster with a virtualClock()');
  return clock;
}

function forkableOf(store: Store): MemoryStore {
  if (!('fork' in store)) throw new TypeError('only a cluster with a memory store can be forked');
  return store as MemoryStore;
}
