// A controller as a part of a cluster: a small one for StatefulSets. It creates the pods web-0, web-1, … that are
// missing, and deletes those that are too many.
import { createCluster, random, virtualClock } from 'vivarium';
import type { PartTools } from 'vivarium';
import { awaitChange, controller } from 'vivarium/client';
import { controllerOf, ownerReference } from 'vivarium/core';

const gvk = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
const statefulSets = ({ client, informers, clock }: PartTools) => {
  const sets = informers.kind('apps/v1', 'StatefulSet');
  const pods = informers.kind('v1', 'Pod').indexedBy({ owner: (pod) => [controllerOf(pod)?.uid ?? ''] });
  return controller({
    name: 'statefulsets',
    clock,
    for: sets, // an event of a StatefulSet adds its name to the work queue
    owns: [pods], // an event of a pod adds the name of its owner
    reconcile: async ({ namespace, name }, { signal }) => {
      const set = sets.get(`${namespace}/${name}`);
      if (set === undefined) return awaitChange;
      const { replicas = 1, template } = set.spec ?? {};
      const desired = Array.from({ length: replicas }, (_, ordinal) => `${name}-${ordinal}`);
      const owned = pods.by('owner', set.metadata.uid).map(({ metadata }) => metadata.name);
      const podsHere = client.kind('v1', 'Pod').in(namespace);
      for (const podName of desired.filter((each) => !owned.includes(each))) {
        const ownerReferences = [ownerReference(set, { controller: true, gvk })];
        const metadata = { ...template?.metadata, name: podName, ownerReferences };
        await podsHere.create({ metadata, ...(template?.spec && { spec: template.spec }) }, { signal });
      }
      for (const podName of owned.filter((each) => !desired.includes(each)))
        await podsHere.delete(podName, { signal, gracePeriodSeconds: 0 });
      return awaitChange; // or requeueAfter(60_000)
    },
  });
};

const clock = virtualClock();
const cluster = await createCluster({ clock, random: random('example'), nodes: 2, parts: [statefulSets] });
const sets = cluster.client.kind('apps/v1', 'StatefulSet').in('default');
const pods = cluster.client.kind('v1', 'Pod').in('default');
const print = async (title: string): Promise<void> => {
  await cluster.settled();
  const { items } = await pods.list();
  console.log(`${title}:`, items.map(({ metadata, spec }) => `${metadata.name} on ${spec?.nodeName}`).join(', '));
};

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
const spec = { replicas: 3, serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template };
await sets.create({ metadata: { name: 'web' }, spec });
await print('created');
await pods.delete('web-1', { gracePeriodSeconds: 0 });
await print('after a pod was deleted');
await sets.scale.patch('web', { merge: { spec: { replicas: 1 } } });
await print('scaled');
await cluster.close();

// prints:
// created: web-0 on node-1, web-1 on node-2, web-2 on node-2
// after a pod was deleted: web-0 on node-1, web-1 on node-1, web-2 on node-2
// scaled: web-0 on node-1
