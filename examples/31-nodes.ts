// Simulated nodes: pods start, fail, restart and stop on the virtual clock as their behaviour says.
import { createCluster, random, virtualClock } from 'vivarium';
import { forImage } from 'vivarium/nodeagent';

const crash = forImage('crash:*', { exits: [{ after: '2s', code: 1 }] });
const slow = forImage('slow:*', { pull: { delay: '5s' }, logs: [{ text: 'ready' }], stop: { delay: '3s' } });
const cluster = await createCluster({
  clock: virtualClock(),
  random: random('example'),
  nodes: { count: 2, behaviour: [crash, slow] },
});
const pods = cluster.client.kind('v1', 'Pod').in('default');
const start = cluster.clock.now();
const print = async (name: string): Promise<void> => {
  const pod = await pods.find(name);
  const [status] = pod?.status?.containerStatuses ?? [];
  const state =
    status?.state?.waiting?.reason ?? (status?.state?.running ? 'running' : status?.state?.terminated?.reason);
  const text = pod ? `${pod.status?.phase} (${state}, ${status?.restartCount} restarts)` : 'deleted';
  console.log(`${(cluster.clock.now() - start) / 1000}s ${name}: ${text}`);
};

for (const image of ['slow:1', 'crash:1'])
  await pods.create({ metadata: { name: image.slice(0, -2) }, spec: { containers: [{ name: 'main', image }] } });
await cluster.advance('1s');
await print('slow');
await cluster.advance('5s');
await print('slow');
await print('crash');
await cluster.advance('10s');
await print('crash');
pods.log('slow').subscribe((line) => console.log('log:', line));

await pods.delete('slow');
await cluster.advance('2s');
await print('slow');
await cluster.advance('1s');
await print('slow');
await cluster.close();

// prints:
// 1s slow: Pending (ContainerCreating, 0 restarts)
// 6s slow: Running (running, 0 restarts)
// 6s crash: Running (CrashLoopBackOff, 1 restarts)
// 16s crash: Running (Error, 2 restarts)
// log: ready
// 18s slow: Running (running, 0 restarts)
// 19s slow: deleted
