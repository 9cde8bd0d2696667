// A cluster in this process: a store, a server and a client. Objects are typed and frozen, and none ever becomes JSON.
import { isApiError, virtualClock } from 'vivarium';
import { inProcessClient } from 'vivarium/client';
import { createServer } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock });
const client = inProcessClient(server.handler);
const pods = client.kind('v1', 'Pod').in('default');

const watching = pods.watch().subscribe((event) => {
  if (event.type !== 'BOOKMARK')
    console.log(`${event.type} ${event.object.metadata.name}: ${event.object.status?.phase}`);
});

const web = await pods.create({
  metadata: { name: 'web', labels: { app: 'shop' } },
  spec: { containers: [{ name: 'nginx', image: 'nginx' }] },
});
console.log(
  'by default it restarts:',
  web.spec?.restartPolicy,
  '- and nobody can change it:',
  Object.isFrozen(web.spec),
);

await pods.status.patch('web', { merge: { status: { phase: 'Running' } } });
await pods.create({ ...web, metadata: { name: 'web' } }).catch((error: unknown) => {
  if (isApiError(error)) console.log(`${error.status.code}: ${error.message}`);
});
const { items } = await client.kind('v1', 'Pod').list({ labelSelector: 'app=shop' });
console.log(
  'in all namespaces:',
  items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
);

await pods.delete('web', { gracePeriodSeconds: 0 });
watching.unsubscribe();
await server.close();
await store.close();

// prints:
// ADDED web: Pending
// by default it restarts: Always - and nobody can change it: true
// MODIFIED web: Running
// 409: pods "web" already exists
// in all namespaces: [ 'default/web' ]
// MODIFIED web: Running
// DELETED web: Running
