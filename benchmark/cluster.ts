// The figures of whole clusters in process, in one run: `node scripts/run.mjs benchmark/cluster.ts`. Kept in
// RESULTS.md.
import { createCluster, random, virtualClock } from '../lib/index.js';
import type { Cluster } from '../lib/index.js';
import { report } from './measure.js';
import type { Row } from './measure.js';

/** Nodes without heartbeats that run nothing, as the figures before there were agents. */
const bareNodes = { count: 1, runtime: 'none', heartbeat: false } as const;

const rows = [...(await measureIdleTime()), ...(await measureManyClusters())];
console.log(report('Clusters', rows) ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');

async function measureIdleTime(): Promise<Row[]> {
  const cluster = await createCluster({ clock: virtualClock(), random: random(1), nodes: { ...bareNodes, count: 3 } });
  await cluster.settled();
  const start = performance.now();
  await cluster.advance('30d');
  const ms = performance.now() - start;
  await cluster.close();
  return [{ name: "advance('30d') of an idle cluster with 3 nodes", value: ms, unit: 'ms', goal: '≤ 2000' }];
}

/** Complete clusters, with scheduler and controllers, that all run at the same time. */
async function measureManyClusters(): Promise<Row[]> {
  const count = 1000;
  const handles = process.getActiveResourcesInfo().length;
  const heap = heapUsed();
  const start = performance.now();
  const clusters: Cluster[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const cluster = await createCluster({ clock: virtualClock(), random: random(seed), nodes: bareNodes });
    await cluster.client
      .kind('v1', 'Pod')
      .in('default')
      .create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    await cluster.settled();
    clusters.push(cluster);
  }
  const createMs = performance.now() - start;
  const bytes = heapUsed() - heap;
  const closing = performance.now();
  for (const cluster of clusters.splice(0)) await cluster.close();
  const closeMs = performance.now() - closing;
  const left = process.getActiveResourcesInfo().length - handles;
  return [
    { name: `${count} clusters: time to create one and to schedule a pod`, value: createMs / count, unit: 'ms' },
    { name: `${count} clusters that run at once: heap of each`, value: bytes / count / 1024, unit: 'KiB' },
    { name: `${count} clusters: time to close one`, value: closeMs / count, unit: 'ms' },
    { name: `${count} clusters: handles left after closing`, value: Math.max(0, left), unit: '', goal: '≤ 0' },
    { name: `${count} clusters: heap left after closing`, value: (heapUsed() - heap) / 1024 ** 2, unit: 'MiB' },
  ];
}

function heapUsed(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
