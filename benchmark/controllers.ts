// The figures of controllers in process, in one run: `node scripts/run.mjs benchmark/controllers.ts`. Kept in
// RESULTS.md. Times are processor time of this process, because others use the machine too; the virtual clock never
// waits, so processor time is also the time that a quiet machine takes.
import { informers, inProcessClient } from '../lib/client/index.js';
import type { Client } from '../lib/client/index.js';
import { createCluster, memoryStore, random, virtualClock } from '../lib/index.js';
import type { Cluster, ClusterOptions } from '../lib/index.js';
import type { Handler, VirtualClock } from '../lib/core/index.js';
import { administrator } from '../lib/auth/index.js';
import { createServer } from '../lib/server/index.js';
import { NEVER, defer } from 'rxjs';
import { completeControllerSettings, electedControllers, selectControllers } from '../lib/cluster/index.js';
import { createCredentials } from '../lib/cluster/node/index.js';
import { heapOf, report } from './measure.js';
import type { Row } from './measure.js';
import { samplePod } from './sample-pod.js';

const only = process.argv[2] ?? '';
const measurements: Readonly<Record<string, () => Promise<Row[]>>> = {
  deployment: measureDeployment,
  namespace: measureNamespace,
  garbage: measureGarbage,
  rollouts: measureRollouts,
  endpoints: measureEndpoints,
  informer: measureInformer,
  watches: measureWatches,
};
function newCluster(
  controllers: readonly string[],
  options: ClusterOptions<VirtualClock> = {},
): Promise<Cluster<VirtualClock>> {
  return createCluster({
    clock: virtualClock({ start: Date.UTC(2026, 0, 1) }),
    random: random(1),
    scheduler: false,
    controllers: [...controllers],
    ...options,
  });
}

/** Returns the seconds of processor time that a call takes. */
async function cpuSeconds(call: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const start = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } };

/** A Deployment from its creation to the last of its pods. The second of two runs counts: the first compiles. */
async function measureDeployment(): Promise<Row[]> {
  const replicas = 10_000;
  const once = async (): Promise<number> => {
    await using cluster = await newCluster(['deployment-controller', 'replicaset-controller']);
    await cluster.settled();
    const seconds = await cpuSeconds(async () => {
      await cluster.client
        .kind('apps/v1', 'Deployment')
        .in('default')
        .create({ metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: labels }, template } });
      await cluster.settled();
    });
    const { items } = await cluster.client.kind('v1', 'Pod').in('default').list();
    if (items.length !== replicas) throw new Error(`${items.length} pods`);
    return seconds;
  };
  await once();
  return [
    {
      name: 'Deployment of 10,000 replicas: pods created',
      value: replicas / (await once()),
      unit: 'pods/s',
      goal: '≥ 5000',
    },
  ];
}

async function measureNamespace(): Promise<Row[]> {
  const count = 10_000;
  const once = async (): Promise<number> => {
    await using cluster = await newCluster(['namespace-controller']);
    const { client } = cluster;
    await client.kind('v1', 'Namespace').create({ metadata: { name: 'full' } });
    for (let number = 0; number < count / 2; number += 1) {
      await client
        .kind('v1', 'ConfigMap')
        .in('full')
        .create({ metadata: { name: `c${number}` }, data: { a: 'b' } });
      await client
        .kind('v1', 'Secret')
        .in('full')
        .create({ metadata: { name: `s${number}` } });
    }
    const seconds = await cpuSeconds(async () => {
      await client.kind('v1', 'Namespace').delete('full');
      await cluster.advance('1m');
    });
    if ((await client.kind('v1', 'Namespace').find('full')) !== undefined) throw new Error('the namespace is left');
    return seconds;
  };
  await once();
  return [{ name: 'deletion of a namespace with 10,000 objects', value: await once(), unit: 's', goal: '≤ 2' }];
}

/** A graph of three levels: one root, 200 branches, 249 leaves each. */
async function measureGarbage(): Promise<Row[]> {
  await using cluster = await newCluster(['garbage-collector-controller']);
  const { client } = cluster;
  const maps = client.kind('v1', 'ConfigMap').in('default');
  const create = async (name: string, owner?: { readonly name: string; readonly uid: string }) => {
    const ownerReferences = owner && [{ apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true }];
    const { metadata } = await maps.create({ metadata: { name, ...(ownerReferences && { ownerReferences }) } });
    return { name, uid: metadata.uid };
  };
  const built = await cpuSeconds(async () => {
    const root = await create('root');
    for (let branch = 0; branch < 200; branch += 1) {
      const owner = await create(`b${branch}`, root);
      for (let leaf = 0; leaf < 249; leaf += 1) await create(`b${branch}-${leaf}`, owner);
    }
    await cluster.settled();
  });
  const collected = await cpuSeconds(async () => {
    await maps.delete('root', { propagationPolicy: 'Background' });
    await cluster.advance('10m');
  });
  const left = (await maps.list({ limit: 5 })).items.filter(({ metadata }) => /^(b|root)/.test(metadata.name));
  if (left.length > 0) throw new Error('objects are left');
  return [
    { name: 'graph of 50,000 objects: creation and observation', value: 50_000 / built, unit: 'objects/s' },
    { name: 'graph of 50,000 objects: collection', value: 50_000 / collected, unit: 'objects/s' },
  ];
}

async function measureRollouts(): Promise<Row[]> {
  const count = 1_000;
  await using cluster = await newCluster(['deployment-controller', 'replicaset-controller']);
  const deployments = cluster.client.kind('apps/v1', 'Deployment').in('default');
  const spec = (app: string) => ({
    replicas: 2,
    selector: { matchLabels: { app } },
    strategy: { type: 'Recreate' as const },
    template: { ...template, metadata: { labels: { app } } },
  });
  for (let number = 0; number < count; number += 1)
    await deployments.create({ metadata: { name: `d${number}` }, spec: spec(`d${number}`) });
  await cluster.settled();
  const image = { merge: { spec: { template: { spec: { containers: [{ name: 'c', image: 'nginx:2' }] } } } } };
  const seconds = await cpuSeconds(async () => {
    for (let number = 0; number < count; number += 1) await deployments.patch(`d${number}`, image);
    await cluster.settled();
    await cluster.advance('1m');
  });
  return [{ name: '1,000 Deployments of two pods recreated at once', value: seconds, unit: 's' }];
}

/** One pod of 5,000 becomes unready. */
async function measureEndpoints(): Promise<Row[]> {
  const count = 5_000;
  const clock = virtualClock({ start: Date.UTC(2026, 0, 1) });
  const store = memoryStore({ clock });
  await using cluster = await newCluster(['endpointslice-controller'], { clock, store, compaction: false });
  const { client } = cluster;
  const pods = client.kind('v1', 'Pod').in('default');
  const ready = (status: 'True' | 'False', number: number) =>
    ({
      merge: {
        status: {
          phase: 'Running',
          podIP: address(number),
          podIPs: [{ ip: address(number) }],
          conditions: [{ type: 'Ready', status }],
        },
      },
    }) as const;
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' } });
  await client
    .kind('v1', 'Service')
    .in('default')
    .create({ metadata: { name: 's' }, spec: { selector: labels, ports: [{ port: 80 }] } });
  for (let number = 0; number < count; number += 1) {
    await pods.create({ metadata: { name: `p${number}`, labels }, spec: { ...template.spec, nodeName: 'n' } });
    await pods.status.patch(`p${number}`, ready('True', number));
  }
  await cluster.advance('1m');
  const before = await store.revision();
  const changes = 200;
  const seconds = await cpuSeconds(async () => {
    for (let number = 0; number < changes; number += 1) {
      await pods.status.patch(`p${number * 7}`, ready('False', number * 7));
      await cluster.advance('1s');
    }
  });
  // Each change is a write of the pod and one of a slice.
  const writes = (await store.revision()) - before - changes;
  const slices = await client.kind('discovery.k8s.io/v1', 'EndpointSlice').in('default').list();
  const unready = slices.items.flatMap(({ endpoints }) =>
    (endpoints ?? []).filter((each) => each.conditions?.ready === false),
  );
  if (unready.length !== changes) throw new Error(`${unready.length} endpoints are not ready, ${writes} writes`);
  return [
    { name: '5,000 pods of a Service, one changes: slices written', value: writes / changes, unit: '', goal: '≤ 1' },
    { name: '5,000 pods of a Service, one changes', value: (seconds / changes) * 1000, unit: 'ms' },
  ];
}

function address(number: number): string {
  return `10.1.${Math.floor(number / 250)}.${number % 250}`;
}

/** The heap of an informer beside the store, per pod. */
async function measureInformer(): Promise<Row[]> {
  const count = 10_000;
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const client: Client = inProcessClient(server.handler, { user: administrator });
  for (let number = 0; number < count; number += 1) await client.kind('v1', 'Pod').in('default').create(samplePod);
  await clock.settled();
  const pods = informers(client, { clock, random: random(1) }).kind('v1', 'Pod');
  // The first informer starts the cache of the server, which the second one shares.
  const first = informers(client, { clock, random: random(2) })
    .kind('v1', 'Pod')
    .events$.subscribe();
  await clock.settled();
  const [bytes = Number.NaN] = await heapOf(async () => {
    const subscription = pods.events$.subscribe();
    await clock.settled();
    if (pods.list().length !== count) throw new Error('the informer has not listed');
    return subscription;
  });
  first.unsubscribe();
  return [
    { name: 'heap of an informer in process, per pod of 2.5 KB', value: bytes / count, unit: 'bytes', goal: '≤ 200' },
  ];
}

/** Watches that are open with all controllers on, by resource: informers share one for each selection. */
async function measureWatches(): Promise<Row[]> {
  const open = new Map<string, number>();
  await using cluster = await newCluster([]);
  const { clock } = cluster;
  const counted: Handler = async (request) => {
    const response = await clock.holdWhile(Promise.resolve(cluster.server.handler(request)));
    if (response.type !== 'watch') return response;
    const { group, resource } = request.info;
    const key = `${resource}.${group}`;
    return {
      ...response,
      events: defer(() => {
        open.set(key, (open.get(key) ?? 0) + 1);
        return response.events;
      }),
    };
  };
  const client = inProcessClient(counted, { user: administrator });
  const credentials = createCredentials({ clock });
  const part = electedControllers({
    controllers: selectControllers(['*']),
    client,
    as: () => client,
    clock,
    random: random(1),
    credentials: { load: () => Promise.resolve(credentials), loaded: Promise.resolve(credentials) },
    settings: completeControllerSettings(),
    leaderElection: undefined,
    stopping$: NEVER,
  });
  const running = part.run().subscribe();
  await cluster.settled();
  running.unsubscribe();
  const several = [...open].filter(([, count]) => count > 1).map(([resource, count]) => `${resource} ${count}`);
  const total = [...open.values()].reduce((sum, count) => sum + count, 0);
  console.log(`watches of more than one selection: ${several.join(', ') || 'none'}`);
  return [
    { name: `watches with all controllers on, ${open.size} resources`, value: total, unit: '', goal: `≤ ${open.size}` },
  ];
}

const rows: Row[] = [];
for (const [name, measure] of Object.entries(measurements))
  if (only === '' || only === name) rows.push(...(await measure()));
console.log(report('Controllers', rows) ? '\nAll goals are met.' : '\nA goal was missed: is the machine busy?');
