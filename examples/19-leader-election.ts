// Several schedulers for one cluster: whoever holds a Lease schedules, and the others are ready to.
import { random, virtualClock } from 'vivarium';
import { inProcessClient, leaderElection, whileLeading } from 'vivarium/client';
import { createScheduler } from 'vivarium/scheduling';
import { createServer } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock });
const client = inProcessClient(server.handler);

// The scheduler runs while its candidate leads. It is let go before the lease can be somebody else's.
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
  return whileLeading(election$, () => scheduler.run()).subscribe((told) => {
    if (told.type === 'leader') console.log(`${identity}: ${told.identity} leads`);
    else if (told.type === 'leading') console.log(`${identity}: I schedule`);
    else if (told.type === 'bound') console.log(`${identity}: ${told.pod.metadata?.name} goes to ${told.nodeName}`);
  });
};
const pods = client.kind('v1', 'Pod').in('default');
const addPod = async (name: string): Promise<void> => {
  await pods.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
  await clock.settled();
};
await client
  .kind('v1', 'Node')
  .create({ metadata: { name: 'node-1' }, status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } } });

const anna = candidate('anna');
await clock.settled();
const bert = candidate('bert');
await clock.settled();
await addPod('web');

// Who goes gives the lease back; who crashes is waited for until it has run out. Either way nobody has to be told.
anna.unsubscribe();
await addPod('db');
await clock.advance('5s');

bert.unsubscribe();
await clock.settled();
await server.close();
await store.close();

// prints:
// anna: anna leads
// anna: I schedule
// bert: anna leads
// anna: web goes to node-1
// bert: bert leads
// bert: I schedule
// bert: db goes to node-1
