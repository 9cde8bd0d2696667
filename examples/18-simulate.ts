// How many nodes would be needed? `simulate` places pods one after the other on a copy of the cluster, as it is or with
// other nodes. Nothing is written.
import { createCluster, random } from 'vivarium';
import { createScheduler } from 'vivarium/scheduling';
import type { Node, Pod } from 'vivarium/types';

const cluster = await createCluster({ scheduler: false, controllers: [] });
const { client, clock } = cluster;
const scheduler = createScheduler({ client, clock, random: random('example') });

const nodeNamed = (name: string): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } },
});
for (const name of ['node-1', 'node-2']) await client.kind('v1', 'Node').create(nodeNamed(name));

const replica = (index: number): Pod => ({
  metadata: { name: `web-${index}`, namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '1500m' } } }] },
});
const replicas = Array.from({ length: 10 }, (_, index) => replica(index));

// The cluster as it is: the first four fit.
const now = await scheduler.simulate(replicas);
console.log('placed now:', now.filter((each) => 'nodeName' in each).length);
console.log('the others:', new Set(now.flatMap((each) => ('message' in each ? [each.message] : []))));

// One more node at a time, until all pods fit.
const more: Node[] = [];
while ((await scheduler.simulate(replicas, { nodes: more })).some((each) => 'message' in each))
  more.push(nodeNamed(`new-${more.length + 1}`));
console.log('nodes to add:', more.length);

// And if a node failed?
const after = await scheduler.simulate(replicas, { nodes: more, withoutNodes: ['node-1'] });
console.log('without node-1:', after.filter((each) => 'message' in each).length, 'would wait');

console.log('written:', (await client.kind('v1', 'Pod').list()).items.length, 'pods');
await cluster.close();

// prints:
// placed now: 4
// the others: Set(1) { '0/2 nodes are available: 2 Insufficient cpu.' }
// nodes to add: 3
// without node-1: 2 would wait
// written: 0 pods
