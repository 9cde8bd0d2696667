// The composition root: creates a running cluster from options. The only folder that imports every other.
import type { Observable } from 'rxjs';
import { filter, firstValueFrom, lastValueFrom, map, merge, mergeMap, take, tap } from 'rxjs';
import { administrator, allAuthenticated } from '../auth/index.js';
import { inProcessClient, informers, podLogs } from '../client/index.js';
import type { Client, Informers, PodLogLine, PodLogsOptions } from '../client/index.js';
import { Outlet, createKinds, serviceUnavailable, virtualClock } from '../core/index.js';
import type {
  Activity,
  BackgroundClock,
  Clock,
  Duration,
  Frozen,
  Handler,
  Part,
  Random,
  VirtualClock,
} from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { NodeAgents, NodeControl } from '../nodeagent/index.js';
import { createScheduler } from '../scheduling/index.js';
import { createServer } from '../server/index.js';
import type { ApiServer } from '../server/index.js';
import { compactor, takeSnapshot } from '../storage/index.js';
import type { CompactionFailed, MemoryStore, Revision, Store, StoreCompacted } from '../storage/index.js';
import type { Cluster, ClusterActivity, ClusterListenOptions, ClusterListening, ClusterSnapshot } from './cluster.js';
import { completeOptions } from './cluster-options.js';
import type {
  ClusterCompactionOptions,
  ClusterOptions,
  ClusterSchedulerOptions,
  CompletedClusterOptions,
} from './cluster-options.js';
import { createController } from './controllers.js';
import { lazyCredentials } from './credentials.js';
import { electedComponent } from './elected-component.js';
import type { LazyCredentials } from './credentials.js';
import { runPart, runParts } from './run-parts.js';
import type { DrainingPart, RunningParts } from './run-parts.js';
import { clusterNodes, removeStartupTaint } from './simulated-nodes.js';
import { withTime } from './with-time.js';

/**
 * Creates and starts a cluster: API server, scheduler, controllers and nodes. Resolves when it serves requests. Rejects
 * with RangeError for an invalid option; nothing is left running then.
 */
export async function createCluster<C extends Clock = Clock>(options: ClusterOptions<C> = {}): Promise<Cluster<C>> {
  const completed = completeOptions(options);
  const cluster = new RunningCluster(options, completed);
  try {
    await cluster.server.started();
    await cluster.nodesRegistered;
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
  readonly nodes: NodeControl;
  readonly activity$: Observable<ClusterActivity>;
  /** Resolves when the agents have registered their nodes. */
  readonly nodesRegistered: Promise<unknown>;
  readonly #handler: Handler;
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
    this.server = withTime(createServer, {
      store,
      ...(usesOwnCredentials && {
        authenticators: (tools) => [this.#credentials.authenticator(tools)],
        tokens: (tools) => this.#credentials.tokenIssuer(tools),
      }),
      components: [
        ...(completed.scheduler === undefined ? [] : (['scheduler'] as const)),
        ...(completed.controllers.size === 0 ? [] : (['controller-manager'] as const)),
      ],
      ...completed.server,
      clock,
      random: random.stream('server'),
    });
    this.#handler = isVirtual(clock) ? heldDocuments(this.server.handler, clock) : this.server.handler;
    this.client = this.as(administrator);
    this.informers = informers(this.client, { clock, random: random.stream('informers') });
    const stopping = new Outlet<void>();
    const nodes = completed.nodes.count === 0 ? undefined : this.#createNodes(completed);
    this.nodes = {
      shutDown: async (name) => nodes?.shutDown(name),
      powerOff: (name) => nodes?.powerOff(name),
    };
    const parts = this.#createParts(completed, nodes, stopping.values$);
    this.parts = [this.server, ...parts];
    this.#running = runParts(parts, stopping);
    const registered$ = this.#running.activity$.pipe(
      map(({ activity }) => registeredNode(activity)),
      filter((node) => node !== undefined),
      take(completed.nodes.count),
      mergeMap((node) => removeStartupTaint(this.client, node), startupRequestsMax),
    );
    this.nodesRegistered = lastValueFrom(registered$, { defaultValue: undefined });
    // Reported by createCluster, unless the cluster is closed before.
    this.nodesRegistered.catch(() => undefined);
    // The server works without `run`, so commits cost nothing while activity$ has no subscriber.
    this.activity$ = merge(this.#running.activity$, runPart(this.server));
    // Parts start in turns of the event loop, which a virtual clock does not see by itself.
    if (isVirtual(clock)) void clock.holdWhile(this.#running.started);
  }

  as(user: string | Frozen<UserInfo>): Client {
    return this.#clientOf(user, 'vivarium');
  }

  settled(): Promise<void> {
    return isVirtual(this.clock) ? this.#settledVirtually(this.clock) : this.#awaited(this.#quiet());
  }

  async #settledVirtually(clock: VirtualClock): Promise<void> {
    await this.#running.started;
    return clock.settled();
  }

  /** Keeps the process alive until a call of the host has ended. */
  #awaited<T>(call: Promise<T>): Promise<T> {
    const { clock } = this;
    return isBackground(clock) ? clock.keepAliveWhile(call) : call;
  }

  async #quiet(): Promise<void> {
    await this.#running.started;
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

  logs(options: PodLogsOptions = {}): Observable<PodLogLine> {
    const { client, clock } = this;
    return podLogs(client, { ...options, clock, random: this.#random.stream('logs') });
  }

  async fork(): Promise<Cluster<C>> {
    this.#refuseWhenClosed();
    const revision = await this.#store.revision();
    const clock = this.#forkClock();
    const options = { ...this.#options, clock };
    return this.#forkOf(forkableOf(this.#store).fork({ clock }), revision, options);
  }

  async at(revision: Revision): Promise<Cluster<C>> {
    this.#refuseWhenClosed();
    const clock = this.#forkClock();
    const still = { ...this.#options, clock, scheduler: false as const, controllers: [], parts: [], nodes: 0 };
    return this.#forkOf(forkableOf(this.#store).fork({ clock, revision }), revision, still);
  }

  async snapshot(): Promise<ClusterSnapshot> {
    this.#refuseWhenClosed();
    const time = new Date(this.clock.now()).toISOString();
    return { time, ...(await takeSnapshot(this.#store)) };
  }

  async listen(options: ClusterListenOptions = {}): Promise<ClusterListening> {
    this.#refuseWhenClosed();
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
    return (this.#closed ??= this.#awaited(this.#close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== undefined) throw serviceUnavailable('the cluster is closed');
  }

  async #close(): Promise<void> {
    await this.#running.stop();
    await Promise.all(this.#listening.map((listening) => listening.close()));
    await this.server.close();
    if (this.#ownsStore) await this.#store.close();
  }

  #clientOf(user: string | Frozen<UserInfo>, manager: string): Client {
    const { clock } = this;
    return inProcessClient(this.#handler, {
      user: userOf(user),
      manager,
      ...(isBackground(clock) && { keepAliveWhile: (promise) => clock.keepAliveWhile(promise) }),
    });
  }

  #createParts(
    completed: CompletedClusterOptions<C>,
    nodes: NodeAgents | undefined,
    stopping$: Observable<void>,
  ): readonly (Part | DrainingPart)[] {
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
      settings: completed.controllerSettings,
      ...(completed.metrics !== undefined && { metrics: completed.metrics }),
      resourceChanges$: this.server.kinds.changes$,
    };
    return [
      ...(nodes === undefined ? [] : [nodes]),
      ...(completed.compaction === undefined ? [] : [this.#createCompactor(completed.compaction)]),
      ...(completed.scheduler === undefined ? [] : [this.#createScheduler(completed.scheduler, stopping$)]),
      ...Array.from(completed.controllers, (name) => createController(name, controllers)),
      ...completed.parts.map((create, index) =>
        create({ client, informers, as, clock, random: random.stream(`parts/${index}`) }),
      ),
    ];
  }

  /** Creates the agents of the nodes, each with the rights of its node only. */
  #createNodes({ nodes }: CompletedClusterOptions<C>): NodeAgents {
    const { clock, informers, server } = this;
    const clientOf = (user: Frozen<UserInfo>): Client => this.#clientOf(user, 'kubelet');
    return clusterNodes(nodes, { clientOf, informers, clock, random: this.#random.stream('nodes'), server });
  }

  /** Creates the part that compacts the store and then the caches of the server. */
  #createCompactor(options: ClusterCompactionOptions): Part {
    const part = compactor({ ...options, store: this.#store, clock: this.clock });
    const dropFromCaches = (activity: StoreCompacted | CompactionFailed): void => {
      if (activity.type === 'compacted') this.server.compacted(activity.revision);
    };
    return { name: part.name, run: () => part.run().pipe(tap(dropFromCaches)) };
  }

  /** Creates the scheduler, with the rights of its role only. */
  #createScheduler(
    { leaderElection, ...options }: ClusterSchedulerOptions,
    stopping$: Observable<void>,
  ): Part | DrainingPart {
    const { clock, informers } = this;
    const random = this.#random.stream('scheduler');
    const client = this.#clientOf('system:kube-scheduler', 'kube-scheduler');
    const scheduler = withTime(createScheduler, { ...options, client, informers, clock, random });
    this.server.addMetrics(() => scheduler.metricFamilies());
    if (leaderElection === undefined) return scheduler;
    return electedComponent(scheduler, { ...options, client, clock, random, leaderElection, stopping$ });
  }

  /** Returns the same clock, or another virtual clock at the same time. */
  #forkClock(): C {
    // The clock of a fork has the type of the original.
    return isVirtual(this.clock) ? (virtualClock({ start: this.clock.now() }) as Clock as C) : this.clock;
  }

  async #forkOf(store: Store, revision: Revision, options: ClusterOptions<C>): Promise<Cluster<C>> {
    const random = this.#random.stream(`fork/${revision}`);
    // A fork serves the kinds of this moment; later changes of kinds are its own.
    const server = { ...options.server, kinds: createKinds(this.server.kinds.current) };
    // The forked store has the objects of the snapshot already.
    const { snapshot: _snapshot, ...others } = options;
    const forked = { ...others, server, store, random };
    const fork = new RunningCluster(forked, { ...completeOptions(forked), ownsStore: true });
    await fork.server.started();
    return fork;
  }
}

/** The most requests at a time for the nodes of a new cluster. */
const startupRequestsMax = 16;

/** The name of a node that was registered; undefined for other activities. */
function registeredNode(activity: Activity): string | undefined {
  return activity.type === 'node-registered' && 'node' in activity ? String(activity.node) : undefined;
}

/** The number of turns without a write that count as settled. */
const quietTurnsMin = 5;

function userOf(user: string | Frozen<UserInfo>): Frozen<UserInfo> {
  return typeof user === 'string' ? { username: user, groups: [allAuthenticated] } : user;
}

function isBackground(clock: Clock): clock is BackgroundClock {
  return 'keepAliveWhile' in clock;
}

function isVirtual(clock: Clock): clock is VirtualClock {
  return 'advance' in clock;
}

/** Documents such as discovery are hashed outside of microtasks: virtual time waits for them. */
function heldDocuments(handler: Handler, clock: VirtualClock): Handler {
  return (request) => {
    const response = handler(request);
    return request.info.isResource ? response : clock.holdWhile(Promise.resolve(response));
  };
}

function virtualOf(clock: Clock): VirtualClock {
  if (!isVirtual(clock)) throw new TypeError('time moves by itself: create the cluster with a virtualClock()');
  return clock;
}

function forkableOf(store: Store): MemoryStore {
  if (!('fork' in store)) throw new TypeError('only a cluster with a memory store can be forked');
  return store as MemoryStore;
}
