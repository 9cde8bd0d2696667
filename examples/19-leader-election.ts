// Several schedulers for one cluster: the holder of a Lease schedules, the others stand by.
import { createCluster, random, virtualClock } from 'vivarium';
import { leaderElection, whileLeading } from 'vivarium/client';
import { createScheduler } from 'vivarium/scheduling';

const cluster = await createCluster({ clock: virtualClock(), nodes: 1, scheduler: false });
const { client, clock } = cluster;

// The scheduler runs while its candidate leads, and stops before another candidate can acquire the lease.
const candidate = (identity: string): { unsubscribe(): void } => {
  const scheduler = createScheduler({ client, clock, random: random(identity), instance: identity });
  const lease = { namespace: 'kube-system', name: 'kube-scheduler' };
  const election$ = leaderElection({
    client,
    clock,
    random: random(identity).stream('election'),
    lease,
    identity,
    releaseOnCancel: true,
  });
  return whileLeading(election$, () => scheduler.run()).subscribe((activity) => {
    if (activity.type === 'leader') console.log(`${identity}: ${activity.identity} leads`);
    else if (activity.type === 'leading') console.log(`${identity}: I schedule`);
    else if (activity.type === 'bound')
      console.log(`${identity}: ${activity.pod.metadata?.name} goes to ${activity.nodeName}`);
  });
};
const pods = client.kind('v1', 'Pod').in('default');
const addPod = async (name: string): Promise<void> => {
  await pods.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
  await cluster.settled();
};

const anna = candidate('anna');
await cluster.settled();
const bert = candidate('bert');
await cluster.settled();
await addPod('web');

// A candidate that stops releases the lease. After a crash the others wait until it has expired.
anna.unsubscribe();
await addPod('db');
await cluster.advance('5s');

bert.unsubscribe();
await cluster.settled();
await cluster.close();

// prints:
// anna: anna leads
// anna: I schedule
// bert: anna leads
// anna: web goes to node-1
// bert: bert leads
// bert: I schedule
// bert: db goes to node-1
