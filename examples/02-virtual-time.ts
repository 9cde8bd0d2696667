// A cluster on a virtual clock: time moves only when the program moves it, and an hour passes in milliseconds.
import { createCluster, random, virtualClock } from 'vivarium';

const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
const nodes = { count: 1, runtime: 'none', heartbeat: false } as const;
const cluster = await createCluster({ clock, random: random('example'), nodes });
const { client } = cluster;
const time = (): string => new Date(clock.now()).toISOString();

// What needs no time is done without moving the clock.
const spec = { containers: [{ name: 'web', image: 'nginx' }] };
await client
  .kind('v1', 'Pod')
  .in('default')
  .create({ metadata: { name: 'web' }, spec });
await cluster.settled();
console.log(`${time()} on`, (await client.kind('v1', 'Pod').in('default').get('web')).spec?.nodeName);

// The Events of the node and the pod expire after an hour: advance from timer to timer until they have.
const events = client.kind('events.k8s.io/v1', 'Event').in('default');
console.log((await events.list()).items.map(({ reason }) => reason));
await cluster.advanceUntil(async () => (await events.list()).items.length === 0, '2h');
console.log(`${time()} the Events have expired`);

await cluster.advance('1d');
console.log(`${time()} a day later`);
await cluster.close();
console.log(`${clock.pending} timers left`);

// prints:
// 2026-01-01T00:00:00.000Z on node-1
// [ 'RegisteredNode', 'Scheduled' ]
// 2026-01-01T01:01:00.000Z the Events have expired
// 2026-01-02T01:01:00.000Z a day later
// 0 timers left
