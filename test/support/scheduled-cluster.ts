// A server and a scheduler on one virtual clock, and the deeds of people and machines around them: nodes come, change
// and go, pods are wanted, finished and deleted, kubelets let go of pods that shall leave. A history is a list of
// deeds; the same history with the same seed gives the same cluster.
import { finalize, tap } from 'rxjs';
import { priorityAdmission } from '../../lib/admission/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client, Stored } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock, Handler } from '../../lib/core/index.js';
import type { Node, Pod, PodSpec } from '../../lib/core/types/index.js';
import { createScheduler } from '../../lib/scheduling/public.js';
import type { SchedulerActivity, Scheduler, SchedulerOptions } from '../../lib/scheduling/public.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from './observe.js';
import { fc } from './properties.js';

/** An activity of the scheduler with its time in milliseconds since the start. */
export interface Seen {
  readonly at: number;
  readonly attempt: SchedulerActivity;
}

/** A cluster that schedules. */
export interface ScheduledCluster {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly scheduler: Scheduler;
  readonly seen: readonly Seen[];
  /** Milliseconds since the start. */
  now(): number;
  /** Performs a step, and waits until all that follows from it at this instant has happened. */
  perform(deed: Deed): Promise<void>;
  /** Every pod, by name. */
  pods(): Promise<readonly Stored<Pod>[]>;
  /** Stops the scheduler only, then all; returns what is left over: watches and timers. */
  stop(): Promise<{ readonly watches: number; readonly timers: number }>;
}

/** Options of the scheduler. The clock stands at the beginning of a year by default. */
export type ScheduledClusterOptions = Partial<Omit<SchedulerOptions, 'client' | 'clock'>> & {
  readonly clock?: VirtualClock;
};

/** The priorities that pods may ask for; `patient` pods never preempt. */
export const priorities = { low: 0, middle: 100, high: 1000, patient: 1000 } as const;

/** Starts one, with priority classes and a namespace, and no nodes. */
export async function scheduledCluster({
  clock = virtualClock(),
  ...options
}: ScheduledClusterOptions = {}): Promise<ScheduledCluster> {
  const start = clock.now();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1), admission: (tools) => [priorityAdmission(tools)] });
  const client = inProcessClient(server.handler);
  const classes = client.kind('scheduling.k8s.io/v1', 'PriorityClass');
  for (const [name, value] of Object.entries(priorities))
    await classes.create({ metadata: { name }, value, ...(name === 'patient' && { preemptionPolicy: 'Never' }) });
  const watches = new OpenWatches();
  const scheduler = createScheduler({
    client: inProcessClient(watches.counted(server.handler)),
    clock,
    random: random(2),
    ...options,
  });
  const seen: Seen[] = [];
  const running = observe(scheduler.run(), (attempt) => seen.push({ at: clock.now() - start, attempt }));
  await clock.settled();
  const deeds = new Deeds(client);
  return {
    clock,
    client,
    scheduler,
    seen,
    now: () => clock.now() - start,
    perform: async (deed) => {
      if (deed.what === 'wait') await clock.advance(deed.ms);
      else await deeds.perform(deed);
      await clock.settled();
    },
    pods: async () => podsByName(client),
    stop: async () => {
      running.unsubscribe();
      await clock.settled();
      const left = watches.open;
      await server.close();
      await store.close();
      await clock.settled();
      return { watches: left, timers: clock.pending };
    },
  };
}

/** Counts the watches that pass and have not ended. */
class OpenWatches {
  open = 0;

  counted(handler: Handler): Handler {
    return async (request) => {
      const response = await handler(request);
      if (response.type !== 'watch') return response;
      const events = response.events.pipe(
        tap({ subscribe: () => (this.open += 1) }),
        finalize(() => (this.open -= 1)),
      );
      return { ...response, events };
    };
  }
}

/** What a pod wants. */
export interface PodWish {
  readonly cpu: number;
  readonly priority: keyof typeof priorities;
  readonly app: 'x' | 'y';
  /** Seconds that it takes to leave, once it runs: until its kubelet lets it go, unless 0. */
  readonly graceSeconds: number;
  readonly zone?: string | undefined;
  readonly tolerant?: boolean | undefined;
  /** No two of its app on a node; only where its app is in the zone; evenly over the zones. */
  readonly company?: 'apart' | 'together' | 'spread' | undefined;
  readonly port?: boolean | undefined;
  readonly claim?: boolean | undefined;
  readonly gated?: boolean | undefined;
}

/** Something that happens to a cluster. Pods are meant by their place among those that are there, counted around. */
export type Deed =
  | {
      readonly what: 'node';
      readonly name: string;
      readonly cpu: number;
      readonly zone: string;
      readonly tainted?: boolean | undefined;
      readonly cordoned?: boolean | undefined;
    }
  | { readonly what: 'no-node'; readonly name: string }
  | ({ readonly what: 'pod' } & PodWish)
  | { readonly what: 'delete' | 'finish' | 'ungate' | 'tolerate' | 'relabel'; readonly pod: number }
  | { readonly what: 'claim' | 'no-claim'; readonly zone: string }
  | { readonly what: 'budget'; readonly app: 'x' | 'y'; readonly allowed: number }
  | { readonly what: 'leave' }
  | { readonly what: 'wait'; readonly ms: number };

const zone = fc.constantFrom('a', 'b');
const nodeName = fc.constantFrom('n1', 'n2', 'n3', 'n4');
const app = fc.constantFrom('x' as const, 'y' as const);

/** Any pod. Most ask for little besides room, so that there is something to compete for. */
export const podWish: fc.Arbitrary<PodWish> = fc.record({
  cpu: fc.integer({ min: 1, max: 3 }),
  priority: fc.constantFrom(...(Object.keys(priorities) as (keyof typeof priorities)[])), // its keys are these
  app,
  graceSeconds: fc.constantFrom(0, 5),
  zone: rarely(zone),
  tolerant: rarely(fc.constant(true)),
  company: rarely(fc.constantFrom('apart', 'together', 'spread')),
  port: rarely(fc.constant(true)),
  claim: rarely(fc.constant(true)),
  gated: rarely(fc.constant(true)),
});

function rarely<T>(what: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: what });
}

/** A node that takes every pod, as far as there is room. */
export const plainNode: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('node' as const),
  name: nodeName,
  cpu: fc.integer({ min: 1, max: 5 }),
  zone,
});
/** A node that may be tainted or cordoned. */
export const anyNode: fc.Arbitrary<Deed> = fc
  .tuple(plainNode, rarely(fc.constant(true)), rarely(fc.constant(true)))
  .map(([node, tainted, cordoned]) => ({ ...node, tainted, cordoned }));
const pod: fc.Arbitrary<Deed> = podWish.map((wish) => ({ what: 'pod', ...wish }));
const toPod: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(
    'delete' as const,
    'delete' as const,
    'finish' as const,
    'ungate' as const,
    'tolerate' as const,
    'relabel' as const,
  ),
  pod: fc.nat(30),
});
const wait: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('wait' as const),
  ms: fc.integer({ min: 1, max: 4000 }),
});

/** Anything that can happen. */
export const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: anyNode },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('no-node' as const), name: nodeName }) },
  { weight: 16, arbitrary: pod },
  { weight: 6, arbitrary: toPod },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom('claim' as const, 'claim' as const, 'no-claim' as const), zone }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('budget' as const), app, allowed: fc.constantFrom(0, 1, 100) }),
  },
  { weight: 2, arbitrary: fc.constant<Deed>({ what: 'leave' }) },
  { weight: 3, arbitrary: wait },
);

/** Histories: three nodes, two of which may turn out to be one, and what happens then. */
export function histories(
  node: fc.Arbitrary<Deed>,
  deed: fc.Arbitrary<Deed>,
  lengthMax: number,
): fc.Arbitrary<readonly Deed[]> {
  return fc
    .tuple(fc.tuple(node, node, node), fc.array(deed, { maxLength: lengthMax, size: 'max' }))
    .map((parts) => parts.flat());
}

/** Does deeds through the API. Those that make no sense now, a finished pod that shall finish, are left undone. */
class Deeds {
  readonly #client: Client;
  #podCount = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async perform(deed: Exclude<Deed, { readonly what: 'wait' }>): Promise<void> {
    switch (deed.what) {
      case 'node':
        return this.#setNode(deed);
      case 'no-node':
        return this.#removeNode(deed.name);
      case 'pod':
        this.#podCount += 1;
        await this.#client
          .kind('v1', 'Pod')
          .in('default')
          .create(podNamed(`p${String(this.#podCount).padStart(3, '0')}`, deed));
        return undefined;
      case 'claim':
        return this.#setClaim(deed.zone);
      case 'no-claim':
        return this.#removeClaim();
      case 'budget':
        return this.#setBudget(deed.app, deed.allowed);
      case 'leave':
        for (const pod of await podsByName(this.#client))
          if (pod.metadata.deletionTimestamp !== undefined) await this.#force(pod);
        return undefined;
      default:
        return this.#toPod(deed);
    }
  }

  async #setNode({
    name,
    cpu,
    zone,
    tainted = false,
    cordoned = false,
  }: Extract<Deed, { readonly what: 'node' }>): Promise<void> {
    const nodes = this.#client.kind('v1', 'Node');
    const labels = { 'kubernetes.io/hostname': name, zone };
    const spec: Node['spec'] = {
      unschedulable: cordoned,
      taints: tainted ? [{ key: 'taken', effect: 'NoSchedule' }] : [],
    };
    const status = { allocatable: { cpu: String(cpu), memory: '64Gi', pods: '1000' } };
    if (!(await nodes.list()).items.some(({ metadata }) => metadata.name === name)) {
      await nodes.create({ metadata: { name, labels }, spec, status });
      return;
    }
    await nodes.patch(name, { merge: { metadata: { labels }, spec } });
    await nodes.status.patch(name, { merge: { status } });
  }

  /** With its pods, as those would go that watch over nodes. */
  async #removeNode(name: string): Promise<void> {
    const nodes = this.#client.kind('v1', 'Node');
    if (!(await nodes.list()).items.some(({ metadata }) => metadata.name === name)) return;
    await nodes.delete(name);
    for (const pod of await podsByName(this.#client)) if (pod.spec?.nodeName === name) await this.#force(pod);
  }

  /** The claim that pods want, bound to a volume in a zone. */
  async #setClaim(zone: string): Promise<void> {
    await this.#removeClaim();
    const size = { storage: '1Gi' };
    const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: [zone] }] }];
    const claims = this.#client.kind('v1', 'PersistentVolumeClaim').in('default');
    await this.#client.kind('v1', 'PersistentVolume').create({
      metadata: { name: 'volume' },
      spec: {
        capacity: size,
        accessModes: ['ReadWriteMany'],
        storageClassName: '',
        csi: { driver: 'example.com', volumeHandle: 'v' },
        claimRef: { namespace: 'default', name: 'data' },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    });
    await claims.create({
      metadata: { name: 'data', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: '',
        volumeName: 'volume',
        resources: { requests: size },
      },
    });
    await claims.status.patch('data', { merge: { status: { phase: 'Bound' } } });
  }

  async #removeClaim(): Promise<void> {
    const claims = this.#client.kind('v1', 'PersistentVolumeClaim').in('default');
    const volumes = this.#client.kind('v1', 'PersistentVolume');
    for (const { metadata } of (await claims.list()).items)
      await claims.delete(metadata.name, { gracePeriodSeconds: 0 });
    for (const { metadata } of (await volumes.list()).items)
      await volumes.delete(metadata.name, { gracePeriodSeconds: 0 });
  }

  async #setBudget(app: string, allowed: number): Promise<void> {
    const budgets = this.#client.kind('policy/v1', 'PodDisruptionBudget').in('default');
    if (!(await budgets.list()).items.some(({ metadata }) => metadata.name === app)) {
      await budgets.create({ metadata: { name: app }, spec: { minAvailable: 1, selector: { matchLabels: { app } } } });
    }
    await budgets.status.patch(app, {
      merge: { status: { disruptionsAllowed: allowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 } },
    });
  }

  async #toPod({ what, pod: place }: Extract<Deed, { readonly pod: number }>): Promise<void> {
    const all = await podsByName(this.#client);
    const pod = all[place % Math.max(all.length, 1)];
    if (pod === undefined) return;
    const pods = this.#client.kind('v1', 'Pod').in('default');
    const { name } = pod.metadata;
    if (what === 'delete') await pods.delete(name);
    else if (what === 'finish') await pods.status.patch(name, { merge: { status: { phase: 'Succeeded' } } });
    else if (what === 'ungate') await pods.patch(name, { merge: { spec: { schedulingGates: null } } });
    else if (what === 'relabel')
      await pods.patch(name, {
        merge: { metadata: { labels: { app: pod.metadata.labels?.app === 'x' ? 'y' : 'x' } } },
      });
    else
      await pods.patch(name, {
        merge: { spec: { tolerations: [...(pod.spec?.tolerations ?? []), { key: 'taken', operator: 'Exists' }] } },
      });
  }

  async #force({ metadata: { name } }: Stored<Pod>): Promise<void> {
    await this.#client.kind('v1', 'Pod').in('default').delete(name, { gracePeriodSeconds: 0 });
  }
}

async function podsByName(client: Client): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.kind('v1', 'Pod').in('default').list();
  return [...items].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
}

function podNamed(name: string, wish: PodWish): Pod {
  const labels = { app: wish.app };
  const container = {
    name: 'c',
    image: 'i',
    resources: { requests: { cpu: String(wish.cpu) } },
    ...(wish.port && { ports: [{ containerPort: 80, hostPort: 80 }] }),
  };
  const spec: PodSpec = {
    containers: [container],
    priorityClassName: wish.priority,
    terminationGracePeriodSeconds: wish.graceSeconds,
    ...(wish.zone !== undefined && { nodeSelector: { zone: wish.zone } }),
    ...(wish.tolerant && { tolerations: [{ key: 'taken', operator: 'Exists' }] }),
    ...(wish.claim && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }),
    ...(wish.gated && { schedulingGates: [{ name: 'example.com/gate' }] }),
    ...company(wish),
  };
  return { metadata: { name, labels }, spec };
}

function company({ company, app }: PodWish): Partial<PodSpec> {
  const labelSelector = { matchLabels: { app } };
  switch (company) {
    case 'apart':
      return {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', labelSelector }],
          },
        },
      };
    case 'together':
      return {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector }] },
        },
      };
    case 'spread':
      return {
        topologySpreadConstraints: [
          { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
        ],
      };
    case undefined:
      return {};
  }
}
