// The figures of simulated nodes: `node --expose-gc scripts/run.mjs benchmark/nodes.ts [nodes]`. Kept in RESULTS.md.
// Times are of the process's own processor time, since other work uses the machine too.
import process from 'node:process';
import { createCluster, random, virtualClock } from '../lib/index.js';
import type { Cluster, VirtualClock } from '../lib/index.js';
import type { ClusterNodesOptions } from '../lib/cluster/index.js';
import { report } from './measure.js';
import type { Row } from './measure.js';

const count = Number(process.argv[2] ?? 5000);
const few = Math.max(1, Math.round(count / 10));
const rows = [
  ...(await measureIdle()),
  ...(await measureVirtualDay()),
  ...(await measurePods()),
  ...(await measureCostPerChange()),
];
console.log(report(`Nodes: ${count} simulated ones`, rows) ? '\nAll goals are met.' : '\nA goal was missed.');

function newCluster(nodes: ClusterNodesOptions, scheduler?: false): Promise<Cluster<VirtualClock>> {
  const controllers = ['serviceaccount-controller'];
  return createCluster({
    clock: virtualClock(),
    random: random(1),
    nodes,
    controllers,
    ...(scheduler === false && { scheduler }),
  });
}

async function measureIdle(): Promise<Row[]> {
  const empty = await newCluster({ count: 0 });
  await empty.settled();
  const before = heapUsed();
  const started = cpuMs();
  const cluster = await newCluster({ count });
  await cluster.advance('20s');
  const startMs = cpuMs() - started;
  const bytes = heapUsed() - before;
  const objects = JSON.stringify((await cluster.client.kind('v1', 'Node').list()).items).length;
  const idle = cpuMs();
  await cluster.advance('60s');
  const idleMs = cpuMs() - idle;
  await cluster.close();
  await empty.close();
  return [
    { name: 'processor time to register one node', value: (startMs / count) * 1000, unit: 'µs' },
    { name: 'an idle minute: share of one core', value: (idleMs / 60_000) * 100, unit: '%', goal: '≤ 5' },
    {
      name: 'heap of one node, with its Node and Lease objects',
      value: bytes / count / 1024,
      unit: 'KiB',
      goal: '≤ 20',
    },
    { name: '(a Node object as JSON)', value: objects / count / 1024, unit: 'KiB' },
  ];
}

/** A cluster with all controllers, whose nodes renew their Leases: what an hour of virtual time costs. */
async function measureVirtualDay(): Promise<Row[]> {
  const cluster = await createCluster({ clock: virtualClock(), random: random(1), nodes: 3 });
  await cluster.advance('1h');
  const start = cpuMs();
  await cluster.advance('6h');
  const dayMs = (cpuMs() - start) * 4;
  await cluster.close();
  return [
    { name: 'a virtual day of an idle cluster with 3 nodes and heartbeats', value: dayMs / 1000, unit: 's' },
    { name: '(for each renewal of a Lease)', value: (dayMs * 1000) / (3 * 8640), unit: 'µs' },
  ];
}

async function measurePods(): Promise<Row[]> {
  const pods = count * 2;
  const figures = async (
    nodes: ClusterNodesOptions,
  ): Promise<{ readonly perSecond: number; readonly perSecondByWall: number; readonly bytes: number }> => {
    const cluster = await newCluster({ ...nodes, heartbeat: false });
    await cluster.settled();
    const before = heapUsed();
    const [start, wallStart] = [cpuMs(), performance.now()];
    await createPods(cluster, pods);
    await cluster.settled();
    const [took, wallTook] = [cpuMs() - start, performance.now() - wallStart];
    const bytes = heapUsed() - before;
    await cluster.close();
    return { perSecond: (pods / took) * 1000, perSecondByWall: (pods / wallTook) * 1000, bytes };
  };
  const running = await figures({ count, recordsEvents: false });
  const withEvents = await figures({ count });
  const bound = await figures({ count, runtime: 'none' });
  return [
    {
      name: `${pods} pods from created to Ready, scheduler included`,
      value: running.perSecond,
      unit: 'pods/s',
      goal: '≥ 2000',
    },
    { name: '(the same by the clock on the wall)', value: running.perSecondByWall, unit: 'pods/s' },
    { name: 'the same with Events of the nodes', value: withEvents.perSecond, unit: 'pods/s' },
    { name: '(created and bound only)', value: bound.perSecond, unit: 'pods/s' },
    {
      name: 'heap of one running pod, beyond a bound one',
      value: (running.bytes - bound.bytes) / pods / 1024,
      unit: 'KiB',
      goal: '≤ 3',
    },
  ];
}

async function measureCostPerChange(): Promise<Row[]> {
  const cost = async (nodes: number): Promise<number> => {
    const cluster = await newCluster({ count: nodes, recordsEvents: false, heartbeat: false }, false);
    await cluster.settled();
    let best = Infinity;
    for (let round = 0; round < 5; round += 1) {
      const start = cpuMs();
      await createPods(cluster, 1000, `r${round}-`, few);
      await cluster.settled();
      best = Math.min(best, cpuMs() - start);
    }
    await cluster.close();
    return best;
  };
  const ratio = (await cost(count)) / (await cost(few));
  return [{ name: `cost of a pod on ${count} nodes against ${few}`, value: ratio, unit: '×', goal: '≤ 1.3' }];
}

/** Creates pods; with `nodes` bound to the nodes in turn, otherwise for the scheduler. */
async function createPods(cluster: Cluster<VirtualClock>, pods: number, prefix = 'pod-', nodes = 0): Promise<void> {
  const client = cluster.client.kind('v1', 'Pod').in('default');
  for (let index = 0; index < pods; index += 1) {
    const binding = nodes === 0 ? {} : { nodeName: `node-${(index % nodes) + 1}` };
    await client.create({
      metadata: { name: `${prefix}${index}` },
      spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '10m' } } }], ...binding },
    });
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function heapUsed(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
