// Pods are bound to nodes; a pod that fits no node reports why, and is tried again when a node is added that may help.
import { createCluster, random, virtualClock } from 'vivarium';
import type { SchedulerActivity } from 'vivarium/scheduling';

const cluster = await createCluster({ clock: virtualClock(), random: random('example'), controllers: [] });
const { client } = cluster;

cluster.activity$.subscribe(({ part, activity }) => {
  if (part !== 'scheduler') return;
  const attempt = activity as SchedulerActivity;
  if (attempt.type === 'started') console.log('the scheduler has listed the cluster');
  else if (attempt.type === 'scheduled')
    console.log(
      `${attempt.pod.metadata?.name} to ${attempt.nodeName}: attempt ${attempt.attempts}, ${attempt.feasible} of ${attempt.evaluated} nodes are feasible`,
    );
  else if (attempt.type === 'unschedulable') console.log(`${attempt.pod.metadata?.name}: ${attempt.message}`);
});

const addNode = async (name: string, cpu: string): Promise<void> => {
  await client
    .kind('v1', 'Node')
    .create({ metadata: { name }, status: { allocatable: { cpu, memory: '16Gi', pods: '110' } } });
  await cluster.settled();
};
const pods = client.kind('v1', 'Pod').in('default');
const addPod = async (name: string, cpu: string): Promise<void> => {
  await pods.create({
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu } } }] },
  });
  await cluster.settled();
};

await addNode('small', '2');
await addNode('medium', '4');
await addPod('web', '1');
await addPod('db', '6');
console.log('db waits:', (await pods.get('db')).status?.conditions?.[0]?.reason);

// A pod is tried again after an event that may help it; a node that is too small is no such event.
await addNode('tiny', '1');
await addNode('large', '8');

for (const { metadata, spec } of (await pods.list()).items) console.log(metadata.name, 'is bound to', spec?.nodeName);
await cluster.close();

// prints:
// the scheduler has listed the cluster
// web to medium: attempt 1, 2 of 2 nodes are feasible
// db: 0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.
// db waits: Unschedulable
// db to large: attempt 2, 1 of 4 nodes are feasible
// db is bound to large
// web is bound to medium
