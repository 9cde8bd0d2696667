// An aggregated API: a group-version that another server serves. Here that server runs in the same process; over HTTPS
// it is a Service of the cluster. Clients find and use its kinds as if the cluster served them itself.
import { createCluster, memoryStore } from 'vivarium';
import { createKinds, createServer, defineKind } from 'vivarium/server';

const fruit = await defineKind({
  group: 'fruits.example.com',
  version: 'v1',
  kind: 'Fruit',
  schema: { type: 'object', properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } } },
});
const kinds = createKinds();
kinds.add(fruit);
const orchard = createServer({ store: memoryStore(), kinds });

const cluster = await createCluster({
  server: { aggregation: { handlers: { 'default/orchard': orchard.handler } } },
});
const { client } = cluster;
const apiServices = client.kind('apiregistration.k8s.io/v1', 'APIService');
await apiServices.create({
  metadata: { name: 'v1.fruits.example.com' },
  spec: {
    group: 'fruits.example.com',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: 'default', name: 'orchard' },
  },
});
const registered = await apiServices.waitFor('v1.fruits.example.com', (found) =>
  (found?.status?.conditions ?? []).some(({ type, status }) => type === 'Available' && status === 'True'),
);
console.log(registered?.status?.conditions?.[0]?.message);

const fruits = client.resource({ apiVersion: 'fruits.example.com/v1', kind: 'Fruit' }).in('default');
await fruits.create({ metadata: { name: 'apple' }, spec: { color: 'red' } });
console.log((await fruits.list()).items.map(({ metadata }) => metadata.name).join());

await cluster.close();
await orchard.close();

// prints:
// all checks passed
// apple
