// An operator: a controller of an own kind as a part of a cluster. A Website gets a pod for each replica and a record in
// a directory outside of the cluster, which a finalizer protects; a condition reports how far it is. The same function
// runs over HTTP against any cluster; here it runs in process, on virtual time.
import { builtinScheme, createCluster, createKinds, random, virtualClock } from 'vivarium';
import type { PartTools } from 'vivarium';
import { addFinalizer, awaitChange, controller, removeFinalizer, requeueAfter } from 'vivarium/client';
import { controllerOf, ownerReference } from 'vivarium/core';
import { defineKind } from 'vivarium/server';

interface Website {
  apiVersion: 'example.com/v1';
  kind: 'Website';
  metadata: { name: string; namespace?: string; finalizers?: string[] };
  spec: { host: string; replicas: number };
  status?: { conditions: { type: 'Ready'; status: string; reason: string; lastTransitionTime: string }[] };
}

const gvk = { group: 'example.com', version: 'v1', kind: 'Website' };
const website = { apiVersion: 'example.com/v1', kind: 'Website' };
const finalizer = 'example.com/directory';
const kind = await defineKind({
  ...gvk,
  subresources: ['status'],
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['host'],
        properties: { host: { type: 'string' }, replicas: { type: 'integer', minimum: 0, default: 1 } },
      },
      status: { type: 'object' },
    },
  },
});

const websites =
  (directory: Set<string>) =>
  ({ client, informers, clock }: PartTools) => {
    const sites = informers.resource<Website>(website);
    const pods = informers.kind('v1', 'Pod').indexedBy({ owner: (pod) => [controllerOf(pod)?.uid ?? ''] });
    return controller({
      name: 'websites',
      clock,
      for: sites, // an event of a Website adds its name to the work queue
      owns: [pods], // an event of a pod adds the name of its owner
      reconcile: async (item, { signal }) => {
        const { namespace, name } = item;
        const site = sites.get(`${namespace}/${name}`);
        if (site === undefined) return awaitChange;
        const written = client.resource<Website>(website);
        if (site.metadata.deletionTimestamp !== undefined) {
          directory.delete(site.spec.host); // before the finalizer: a crash in between repeats it
          await written.modify(item, (newest) => removeFinalizer(newest, finalizer), { signal });
          return awaitChange;
        }
        await written.modify(item, (newest) => addFinalizer(newest, finalizer), { signal });
        directory.add(site.spec.host);

        const desired = Array.from({ length: site.spec.replicas }, (_, index) => `${name}-${index}`);
        const owned = pods.by('owner', site.metadata.uid);
        const podsHere = client.kind('v1', 'Pod').in(namespace);
        for (const podName of desired.filter((each) => owned.every(({ metadata }) => metadata.name !== each))) {
          const ownerReferences = [ownerReference(site, { controller: true, blockOwnerDeletion: true, gvk })];
          const spec = { containers: [{ name: 'web', image: 'nginx' }] };
          await podsHere.create({ metadata: { name: podName, ownerReferences }, spec }, { signal });
        }
        for (const { metadata } of owned.filter((each) => !desired.includes(each.metadata.name)))
          await podsHere.delete(metadata.name, { signal, gracePeriodSeconds: 0 });

        const placed = owned.filter(({ spec }) => spec?.nodeName !== undefined).length;
        const status = placed === desired.length ? 'True' : 'False';
        const [before] = site.status?.conditions ?? [];
        if (before?.status === status) return awaitChange;
        const lastTransitionTime = new Date(clock.now()).toISOString();
        const condition = { type: 'Ready' as const, status, reason: 'PodsPlaced', lastTransitionTime };
        await written.status.patch(item, { merge: { status: { conditions: [condition] } } }, { signal });
        return requeueAfter(60_000); // the directory may be changed by others
      },
    });
  };

const directory = new Set<string>();
const cluster = await createCluster({
  clock: virtualClock(),
  random: random('example'),
  nodes: 2,
  server: { kinds: createKinds(builtinScheme({ kinds: [kind] })) },
  parts: [websites(directory)],
});
const sites = cluster.client.resource<Website>(website).in('default');
const pods = cluster.client.kind('v1', 'Pod').in('default');
const print = async (title: string): Promise<void> => {
  await cluster.settled();
  const names = (await pods.list()).items.map(({ metadata, spec }) => `${metadata.name} on ${spec?.nodeName}`);
  const [ready] = (await sites.find('shop'))?.status?.conditions ?? [];
  console.log(`${title}: ${names.join(', ')}; Ready ${ready?.status}; directory: ${[...directory].join()}`);
};

const metadata = { name: 'shop' };
await sites.create({ ...website, metadata, spec: { host: 'shop.example.com', replicas: 3 } } as Website);
await print('created');
await pods.delete('shop-1', { gracePeriodSeconds: 0 });
await print('after a pod was deleted');
await sites.patch('shop', { merge: { spec: { replicas: 1 } } });
await print('scaled');
await sites.delete('shop');
await cluster.advance('1h');
console.log(`deleted: ${(await sites.find('shop')) === undefined}; hosts in the directory: ${directory.size}`);
await cluster.close();

// prints:
// created: shop-0 on node-1, shop-1 on node-2, shop-2 on node-2; Ready True; directory: shop.example.com
// after a pod was deleted: shop-0 on node-1, shop-1 on node-1, shop-2 on node-2; Ready True; directory: shop.example.com
// scaled: shop-0 on node-1; Ready True; directory: shop.example.com
// deleted: true; hosts in the directory: 0
