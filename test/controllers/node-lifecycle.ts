// The node lifecycle controller and taint eviction, on a virtual clock: when a silent node is Unknown, when its pods
// are evicted, and that everything is clean when it returns; the rates of zones; random histories of taints. Node IPAM:
// which ranges of addresses nodes get.
import { concat, concatMap, ignoreElements } from 'rxjs';
import t from 'tap';
import { assessZones, zoneStateOf } from '../../lib/controllers/node-lifecycle/zones.js';
import type { ZoneState } from '../../lib/controllers/node-lifecycle/zones.js';
import { nodeIpam, taintEviction } from '../../lib/controllers/index.js';
import { isApiError, printMicroTime, printTime, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Taint, Toleration } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import type { Client } from '../../lib/client/index.js';
import { FaultyControllers } from '../support/faulty-controllers.js';
import { fc, runs } from '../support/properties.js';

const startMs = 1_893_456_000_000;

/** A cluster whose nodes renew their Leases at 3 s, 13 s, 23 s … while they are in `alive`. */
interface World extends AsyncDisposable {
  readonly cluster: Cluster<VirtualClock>;
  readonly client: Client;
  readonly alive: Set<string>;
  /** Seconds since the start. */
  seconds(): number;
}

async function start(): Promise<World> {
  const alive = new Set<string>();
  const cluster = await createCluster({
    clock: virtualClock({ start: startMs }),
    random: random(1),
    scheduler: false,
    controllers: ['node-lifecycle-controller', 'taint-eviction-controller'],
    admission: { enable: ['DefaultTolerationSeconds'] },
    parts: [
      ({ client, clock }) => ({
        name: 'heartbeats',
        run: () =>
          concat(clock.timer(3_000), clock.interval(10_000)).pipe(
            concatMap(async () => {
              for (const name of alive) await renew(client, name, clock.now());
            }),
            ignoreElements(),
          ),
      }),
    ],
  });
  const { client } = cluster;
  return {
    cluster,
    client,
    alive,
    seconds: () => (cluster.clock.now() - startMs) / 1000,
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

async function renew(client: Client, name: string, nowMs: number): Promise<void> {
  const leases = client.kind('coordination.k8s.io/v1', 'Lease').in('kube-node-lease');
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: printMicroTime(nowMs) };
  try {
    await leases.patch(name, { merge: { spec } });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    await leases.create({ metadata: { name }, spec });
  }
}

async function addNode(
  { client, alive, cluster }: World,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  const now = printTime(cluster.clock.now());
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ok', ...times } as const;
  await client.kind('v1', 'Node').create({ metadata: { name, labels }, status: { conditions: [ready] } });
  alive.add(name);
}

async function addPod({ client, cluster }: World, name: string, nodeName: string): Promise<void> {
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create({ metadata: { name }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }] } });
  const lastTransitionTime = printTime(cluster.clock.now());
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }] as const;
  await pods.status.patch(name, { strategic: { status: { phase: 'Running', conditions: [...conditions] } } });
}

/** `NoExecute unreachable`: the taints of a node, without their prefix. */
async function taintsOf({ client }: World, name: string): Promise<readonly string[]> {
  const { spec } = await client.kind('v1', 'Node').get(name);
  return (spec?.taints ?? []).map(({ key, effect }) => `${effect} ${key.replace('node.kubernetes.io/', '')}`).sort();
}

async function readyOf({ client }: World, name: string): Promise<string> {
  const { status } = await client.kind('v1', 'Node').get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${ready?.status ?? '-'} ${ready?.reason ?? ''}`;
}

async function eventsOf({ client }: World, name: string): Promise<readonly string[]> {
  const { items } = await client.kind('v1', 'Event').list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    .map(({ type, reason, message }) => `${type ?? ''} ${reason ?? ''}: ${message ?? ''}`);
}

t.test(
  'a node whose Lease stops is Unknown after 50 s, its pods go after 300 s more, and it returns clean',
  async (t) => {
    await using world = await start();
    for (const name of ['a', 'b', 'c']) await addNode(world, name);
    await addPod(world, 'web', 'a');
    await world.cluster.advance('100s');
    t.equal(await readyOf(world, 'a'), 'True KubeletReady');
    // The last renewal was at 93 s, and was seen at 95 s.
    world.alive.delete('a');
    await world.cluster.advance('44s');
    t.equal(await readyOf(world, 'a'), 'True KubeletReady');
    t.same(await taintsOf(world, 'a'), []);
    await world.cluster.advance('1s');
    t.equal(await readyOf(world, 'a'), 'Unknown NodeStatusUnknown');
    t.same(await taintsOf(world, 'a'), ['NoExecute unreachable', 'NoSchedule unreachable']);
    const pods = world.client.kind('v1', 'Pod').in('default');
    const [ready] = (await pods.get('web')).status?.conditions ?? [];
    t.match(ready, { type: 'Ready', status: 'False', lastTransitionTime: printTime(startMs + 145_000) });
    const { conditions = [] } = (await world.client.kind('v1', 'Node').get('a')).status ?? {};
    t.same(
      conditions.map(({ type, status, message }) => `${type} ${status} ${message ?? ''}`),
      [
        'Ready Unknown Kubelet stopped posting node status.',
        'MemoryPressure Unknown Kubelet never posted node status.',
        'DiskPressure Unknown Kubelet never posted node status.',
        'PIDPressure Unknown Kubelet never posted node status.',
      ],
    );
    await world.cluster.advance('299s');
    t.equal((await pods.get('web')).metadata.deletionTimestamp, undefined);
    await world.cluster.advance('1s');
    const evicted = await pods.get('web');
    t.equal(evicted.metadata.deletionTimestamp, printTime(world.cluster.clock.now() + 30_000));
    t.match(
      evicted.status?.conditions?.find(({ type }) => type === 'DisruptionTarget'),
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
      },
    );

    world.alive.add('a');
    const now = printTime(world.cluster.clock.now());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const status = {
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ok', ...times }],
    } as const;
    await world.client.kind('v1', 'Node').status.patch('a', { strategic: { status } });
    await world.cluster.advance('5s');
    t.same(await taintsOf(world, 'a'), []);
    await world.cluster.advance('30m');
    t.equal(await readyOf(world, 'a'), 'True KubeletReady');
    t.same(await eventsOf(world, 'a'), [
      'Normal RegisteredNode: Node a event: Registered Node a in Controller',
      'Normal NodeNotReady: Node a status is now: NodeNotReady',
    ]);
    t.same(await eventsOf(world, 'web'), [
      'Warning NodeNotReady: Node is not ready',
      'Normal TaintManagerEviction: Marking for deletion Pod default/web',
    ]);
  },
);

t.test('a node that returns in time keeps its pods, and the eviction is cancelled', async (t) => {
  await using world = await start();
  for (const name of ['a', 'b', 'c']) await addNode(world, name);
  await addPod(world, 'web', 'a');
  await world.cluster.advance('10s');
  world.alive.delete('a');
  await world.cluster.advance('100s');
  t.same(await taintsOf(world, 'a'), ['NoExecute unreachable', 'NoSchedule unreachable']);
  const now = printTime(world.cluster.clock.now());
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now } as const;
  await world.client.kind('v1', 'Node').status.patch('a', { strategic: { status: { conditions: [ready] } } });
  world.alive.add('a');
  await world.cluster.advance('30m');
  t.equal((await world.client.kind('v1', 'Pod').in('default').get('web')).metadata.deletionTimestamp, undefined);
  t.match(await eventsOf(world, 'web'), [
    /NodeNotReady/,
    'Normal TaintManagerEviction: Cancelling deletion of Pod default/web',
  ]);
});

t.test(
  'a node that never reports is Unknown after 60 s; one that reports not ready gets the other taint',
  async (t) => {
    await using world = await start();
    for (const name of ['a', 'b', 'c']) await addNode(world, name);
    await world.client.kind('v1', 'Node').create({ metadata: { name: 'new' } });
    await world.cluster.advance('59s');
    t.equal(await readyOf(world, 'new'), '- ');
    await world.cluster.advance('1s');
    t.equal(await readyOf(world, 'new'), 'Unknown NodeStatusNeverUpdated');
    t.same(await taintsOf(world, 'new'), ['NoExecute unreachable', 'NoSchedule unreachable']);
    const now = printTime(world.cluster.clock.now());
    const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', lastHeartbeatTime: now } as const;
    await world.client.kind('v1', 'Node').status.patch('new', { strategic: { status: { conditions: [ready] } } });
    await world.cluster.advance('5s');
    t.same(await taintsOf(world, 'new'), ['NoExecute not-ready', 'NoSchedule not-ready']);
    await world.client.kind('v1', 'Node').delete('new');
    await world.cluster.advance('5s');
    t.equal(
      (await eventsOf(world, 'new')).at(-1),
      'Normal RemovingNode: Node new event: Removing Node new from Controller',
    );
  },
);

t.test(
  'a zone taints one node in 10 s, none when it is partially disrupted, and none when all zones are down',
  async (t) => {
    await using world = await start();
    const zone = (name: string): Record<string, string> => ({ 'topology.kubernetes.io/zone': name });
    for (let number = 0; number < 10; number += 1) await addNode(world, `x${number}`, zone('x'));
    for (let number = 0; number < 3; number += 1) await addNode(world, `y${number}`, zone('y'));
    await world.cluster.advance('20s');
    const evicting = async (): Promise<number> => {
      const { items } = await world.client.kind('v1', 'Node').list();
      return items.filter(({ spec }) => (spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute')).length;
    };
    for (let number = 0; number < 4; number += 1) world.alive.delete(`x${number}`);
    await world.cluster.advance('50s');
    const counts: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      counts.push(await evicting());
      await world.cluster.advance('10s');
    }
    t.same(counts, [1, 2, 3, 4, 4], 'four of ten nodes: the primary rate');
    for (let number = 4; number < 8; number += 1) world.alive.delete(`x${number}`);
    await world.cluster.advance('10m');
    t.equal(await evicting(), 4, 'eight of ten nodes, in a small zone: the rate is 0');
    world.alive.clear();
    await world.cluster.advance('10m');
    t.equal(await evicting(), 0, 'no node is ready: the fault is assumed to be here');
    world.alive.add('y0');
    const now = printTime(world.cluster.clock.now());
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now } as const;
    await world.client.kind('v1', 'Node').status.patch('y0', { strategic: { status: { conditions: [ready] } } });
    await world.cluster.advance('25s');
    t.ok((await evicting()) > 0, 'evictions begin again');
  },
);

t.test('the state of a zone', (t) => {
  const ready = (count: number, of: number): boolean[] => Array.from({ length: of }, (_, index) => index < count);
  t.equal(zoneStateOf(ready(0, 1), 0.55), 'FullDisruption');
  t.equal(zoneStateOf(ready(1, 3), 0.55), 'Normal', 'two nodes are too few');
  t.equal(zoneStateOf(ready(2, 5), 0.55), 'PartialDisruption');
  t.equal(zoneStateOf(ready(3, 6), 0.55), 'Normal');
  const before = new Map<string, ZoneState>([['a', 'FullDisruption']]);
  t.match(assessZones(before, new Map([['a', [false]]]), 0.55), { areAllDisrupted: true, wereAllDisrupted: true });
  t.match(assessZones(new Map(), new Map([['a', [false]]]), 0.55), { areAllDisrupted: true, wereAllDisrupted: false });
  t.end();
});

t.test('the beta labels follow the stable ones', async (t) => {
  await using world = await start();
  await addNode(world, 'a', {
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'arm64',
    'beta.kubernetes.io/os': 'x',
  });
  await world.cluster.settled();
  const { labels } = (await world.client.kind('v1', 'Node').get('a')).metadata;
  t.match(labels, { 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'arm64' });
});

t.test('the nodes of a cluster, and of its forks, stay ready', async (t) => {
  const cluster = await createCluster({ clock: virtualClock({ start: startMs }), random: random(1), nodes: 3 });
  await cluster.advance('1h');
  const fork = await cluster.fork();
  await fork.advance('1h');
  for (const { client } of [cluster, fork])
    for (const { spec, status } of (await client.kind('v1', 'Node').list()).items) {
      t.equal(spec?.taints, undefined);
      t.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    }
  await fork.close();
  await cluster.close();
});

interface TaintStep {
  readonly taints: readonly string[];
  readonly forMs: number;
}

const steps = fc.array(
  fc.record({
    taints: fc.subarray(['short', 'long', 'ever', 'never']),
    forMs: fc.integer({ min: 0, max: 20_000 }),
  }),
  { minLength: 1, maxLength: 8 },
);

const tolerations: Toleration[] = [
  { key: 'short', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
  { key: 'long', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
  { key: 'ever', operator: 'Exists', effect: 'NoExecute' },
];

/**
 * When a pod is evicted by a history of taints, by the rules of the documentation; undefined if it is not. An eviction
 * that takes `slackMs` is cancelled by a change within that time.
 */
function evictionAt(history: readonly TaintStep[], slackMs = 0): number | undefined {
  let atMs = 0;
  let dueMs: number | undefined;
  for (const { taints, forMs } of history) {
    const limits = taints.map((key) => ({ short: 5_000, long: 30_000, ever: Infinity })[key] ?? 0);
    const shortest = Math.min(Infinity, ...limits);
    if (shortest === Infinity) dueMs = undefined;
    else if (limits.includes(0)) dueMs = atMs;
    else dueMs ??= atMs + shortest;
    atMs += forMs;
    if (dueMs !== undefined && dueMs + slackMs < atMs) return dueMs;
  }
  return dueMs;
}

t.test(
  'random histories of taints evict pods when the documentation says, also with an unreliable connection',
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 1e9 }), fc.boolean(), async (history, seed, isFaulty) => {
        const rates = { conflict: 20, crash: 0, watch: 0 };
        await using world = await FaultyControllers.start([{ account: 'node-controller', create: taintEviction }], {
          seed,
          rates,
        });
        const { client, cluster } = world;
        const nodes = client.kind('v1', 'Node');
        await nodes.create({ metadata: { name: 'n' } });
        const pods = client.kind('v1', 'Pod').in('default');
        await pods.create({
          metadata: { name: 'p' },
          spec: { nodeName: 'n', tolerations, containers: [{ name: 'c', image: 'i' }] },
        });
        await cluster.settled();
        world.isFaulty = isFaulty;
        const beginMs = cluster.clock.now();
        // Steps that last no time are one change for the controller.
        const lasting = history.map((step) => ({ ...step, forMs: step.forMs + 1 }));
        const expected = evictionAt(lasting);
        // Retries after conflicts take up to two seconds, in which a change may rightly cancel the eviction.
        fc.pre(!isFaulty || evictionAt(lasting, 2_000) === expected);
        for (const { taints, forMs } of lasting) {
          const next = taints.map((key): Taint => ({ key, effect: 'NoExecute' }));
          await nodes.patch('n', { merge: { spec: { taints: next } } });
          await cluster.advance(forMs);
        }
        await cluster.advance('1m');
        const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = (await pods.get('p')).metadata;
        if (expected === undefined) return deletionTimestamp === undefined;
        if (deletionTimestamp === undefined) return false;
        const atMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
        const dueMs = beginMs + expected;
        // The API has whole seconds; retries after conflicts take a moment.
        return atMs >= dueMs - 1000 && atMs <= dueMs + (isFaulty ? 2_000 : 0);
      }),
      { numRuns: runs(200) },
    );
  },
);

/** A cluster with node IPAM, whose ranges are two of 10.0.0.0/23 unless others are given. */
function startIpam(clusterCidrs = ['10.0.0.0/23'], serviceCidrs: string[] = []): Promise<FaultyControllers> {
  const create: Parameters<typeof FaultyControllers.start>[0][0]['create'] = (environment) =>
    nodeIpam({ ...environment, clusterCidrs, serviceCidrs });
  return FaultyControllers.start([{ account: 'node-controller', create }]);
}

async function rangesOf({ client, cluster }: FaultyControllers): Promise<Readonly<Record<string, string>>> {
  await cluster.settled();
  const { items } = await client.kind('v1', 'Node').list();
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [metadata.name, `${spec?.podCIDR ?? ''} of ${(spec?.podCIDRs ?? []).join()}`]),
  );
}

t.test('nodes get the ranges of addresses in order, and wait when there are no more', async (t) => {
  await using world = await startIpam();
  const nodes = world.client.kind('v1', 'Node');
  for (const name of ['a', 'b', 'c']) {
    await nodes.create({ metadata: { name } });
    await world.cluster.settled();
  }
  t.same(await rangesOf(world), { a: '10.0.0.0/24 of 10.0.0.0/24', b: '10.0.1.0/24 of 10.0.1.0/24', c: ' of ' });
  t.ok((await world.events('c')).includes('Normal CIDRNotAvailable: Node c status is now: CIDRNotAvailable'));
  await nodes.delete('a');
  await world.cluster.advance('30m');
  t.match(await rangesOf(world), { c: '10.0.0.0/24 of 10.0.0.0/24' });
  world.restart();
  await nodes.delete('b');
  await nodes.create({ metadata: { name: 'd' } });
  t.match(await rangesOf(world), { c: '10.0.0.0/24 of 10.0.0.0/24', d: '10.0.1.0/24 of 10.0.1.0/24' });
});

t.test('both families, and ranges of Services that are left out', async (t) => {
  await using world = await startIpam(['10.0.0.0/22', 'fd00::/62'], ['10.0.0.0/23']);
  for (const name of ['a', 'b']) {
    await world.client.kind('v1', 'Node').create({ metadata: { name } });
    await world.cluster.settled();
  }
  t.same(await rangesOf(world), {
    a: '10.0.2.0/24 of 10.0.2.0/24,fd00::/64',
    b: '10.0.3.0/24 of 10.0.3.0/24,fd00:0:0:1::/64',
  });
  const environment = { client: world.client, clock: world.cluster.clock, random: random(1) };
  for (const clusterCidrs of [[], ['x'], ['10.0.0.0/25'], ['fd00::/40'], ['10.0.0.0/16', '10.1.0.0/16']])
    t.throws(() => nodeIpam({ ...environment, clusterCidrs }), RangeError, clusterCidrs.join());
});
