// A scheduler in this process: pods get nodes, and one that fits nowhere says why and goes on when a node comes.
import { random, virtualClock } from 'vivarium';
import { inProcessClient } from 'vivarium/client';
import { createScheduler } from 'vivarium/scheduling';
import type { Attempt } from 'vivarium/scheduling';
import { createServer } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock });
const client = inProcessClient(server.handler);

const tell = (attempt: Attempt): void => {
  if (attempt.type === 'started') console.log('the cluster is known');
  else if (attempt.type === 'scheduled')
    console.log(
      `${attempt.pod.metadata?.name} to ${attempt.nodeName}: attempt ${attempt.attempts}, ${attempt.feasible} of ${attempt.evaluated} nodes would do`,
    );
  else if (attempt.type === 'unschedulable') console.log(`${attempt.pod.metadata?.name}: ${attempt.message}`);
};
const scheduler = createScheduler({ client, clock, random: random('example') });
const running = scheduler.run().subscribe(tell);

const addNode = async (name: string, cpu: string): Promise<void> => {
  await client
    .kind('v1', 'Node')
    .create({ metadata: { name }, status: { allocatable: { cpu, memory: '16Gi', pods: '110' } } });
  await clock.settled();
};
const pods = client.kind('v1', 'Pod').in('default');
const addPod = async (name: string, cpu: string): Promise<void> => {
  await pods.create({
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu } } }] },
  });
  await clock.settled();
};

await addNode('small', '2');
await addNode('medium', '4');
await addPod('web', '1');
await addPod('db', '6');
console.log('db waits:', (await pods.get('db')).status?.conditions?.[0]?.reason);

// A pod is tried again when something happens that may help it: a node that would still be too small does not.
await addNode('tiny', '1');
await addNode('large', '8');

running.unsubscribe();
for (const { metadata, spec } of (await pods.list()).items) console.log(metadata.name, 'is bound to', spec?.nodeName);
await server.close();
await store.close();

// prints:
// the cluster is known
// web to medium: attempt 1, 2 of 2 nodes would do
// db: 0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.
// db waits: Unschedulable
// db to large: attempt 2, 1 of 4 nodes would do
// db is bound to large
// web is bound to medium
