// The client of a cluster: typed verbs, frozen objects, refusals as values. In process no object ever becomes JSON.
import { createCluster, isApiError, virtualClock } from 'vivarium';

const cluster = await createCluster({ clock: virtualClock(), scheduler: false });
const pods = cluster.client.kind('v1', 'Pod').in('default');

const watching = pods.watch().subscribe((event) => {
  if (event.type !== 'BOOKMARK')
    console.log(`${event.type} ${event.object.metadata.name}: ${event.object.status?.phase}`);
});

const web = await pods.create({
  metadata: { name: 'web', labels: { app: 'shop' } },
  spec: { containers: [{ name: 'nginx', image: 'nginx' }] },
});
console.log('defaulted:', web.spec?.restartPolicy, '- frozen:', Object.isFrozen(web.spec));

await pods.create({ ...web, metadata: { name: 'web' } }).catch((error: unknown) => {
  if (!isApiError(error, 'AlreadyExists')) throw error;
  console.log(`${error.status.code}: ${error.message}`);
});
console.log('no such pod:', await pods.find('db')); // get would reject with NotFound

// modify reads, changes and writes, and starts again if another write came first.
await pods.modify('web', (pod) => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, tier: 'front' } },
}));
const running = pods.waitFor('web', (pod) => pod?.status?.phase === 'Running');
await pods.status.patch('web', { merge: { status: { phase: 'Running' } } });
console.log('labels:', (await running)?.metadata.labels);

const { items } = await cluster.client.kind('v1', 'Pod').list({ labelSelector: 'app=shop' });
console.log('in all namespaces:', items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join());

await pods.delete('web', { gracePeriodSeconds: 0 });
await cluster.settled();
watching.unsubscribe();
await cluster.close();

// prints:
// ADDED web: Pending
// defaulted: Always - frozen: true
// 409: pods "web" already exists
// no such pod: undefined
// MODIFIED web: Pending
// MODIFIED web: Running
// labels: { app: 'shop', tier: 'front' }
// in all namespaces: default/web
// MODIFIED web: Running
// DELETED web: Running
