// A program that does not close what it opened; its last line is printed when it has done everything that it awaits.
import { join } from 'node:path';
import process from 'node:process';
import { createCluster } from '../../lib/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/index.js';

const { FOLDER = '', WORKER = '', MODE = '' } = process.env;
const store =
  MODE === 'sqlite' ? await sqliteStore({ path: join(FOLDER, 'open.db'), worker: new URL(WORKER) }) : undefined;
const cluster = await createCluster({ nodes: 1, ...(store !== undefined && { store }) });
const pods = cluster.client.kind('v1', 'Pod').in('default');
pods.watch().subscribe();
await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
if (MODE === 'listening') {
  const listening = await cluster.listen({ tls: false });
  await (await fetch(`${listening.url}/livez`)).text();
  await listening.close();
}
if (MODE === 'waiting') {
  // Waits for a timer of the clock of the cluster, which does not keep the process alive by itself.
  cluster.clock.timer(300).subscribe(() => void pods.delete('web', { gracePeriodSeconds: 0 }));
  await pods.waitFor('web', (pod) => pod === undefined);
}
if (MODE === 'iterating') {
  cluster.clock.timer(300).subscribe(() => void pods.delete('web', { gracePeriodSeconds: 0 }));
  for await (const { type } of pods.watch()) if (type === 'DELETED') break;
}
if (MODE === 'settling') await cluster.settled();
console.log('done');
