// Forks of a cluster: what-if branches in constant time, and the cluster as it was at a revision.
import type { Cluster } from 'vivarium';
import { createCluster, random, virtualClock } from 'vivarium';

const cluster = await createCluster({ clock: virtualClock(), random: random('example'), nodes: 2 });
const podsOf = ({ client }: Cluster) => client.kind('v1', 'Pod').in('default');
const addPod = async (to: Cluster, name: string): Promise<void> => {
  await podsOf(to).create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
  await to.settled();
};
const print = async (title: string, of: Cluster): Promise<void> => {
  const { items } = await podsOf(of).list();
  console.log(
    `${title}:`,
    items.map(({ metadata, spec }) => `${metadata.name} on ${spec?.nodeName}`).join(', ') || 'no pods',
  );
};

await addPod(cluster, 'web');
await print('before', cluster);

// What if node-1 were drained? Its scheduler and controllers run in the fork; the origin is not touched.
const drained = await cluster.fork();
await drained.client.kind('v1', 'Node').patch('node-1', { merge: { spec: { unschedulable: true } } });
for (const name of ['a', 'b', 'c']) await addPod(drained, name);
await print('in the fork', drained);
await print('in the origin', cluster);

// Every write has a revision. `at` opens the cluster as it was then; no part runs in it.
const { resourceVersion } = (await podsOf(cluster).get('web')).metadata;
await podsOf(cluster).delete('web', { gracePeriodSeconds: 0 });
await print('after the delete', cluster);
const past = await cluster.at(Number(resourceVersion));
await print(`at revision ${resourceVersion}`, past);

for (const each of [past, drained, cluster]) await each.close();

// prints:
// before: web on node-1
// in the fork: a on node-2, b on node-2, c on node-2, web on node-1
// in the origin: web on node-1
// after the delete: no pods
// at revision …: web on node-1
