// A cluster on a virtual clock: time moves only when the program moves it, and an hour passes in milliseconds.
import { createCluster, random, virtualClock } from 'vivarium';

const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
const cluster = await createCluster({ clock, random: random('example'), nodes: 1 });
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

// The Event that the scheduler recorded expires after an hour: advance from timer to timer until it has.
const events = client.kind('events.k8s.io/v1', 'Event').in('default');
console.log((await events.list()).items.map(({ reason }) => reason));
await cluster.advanceUntil(async () => (await events.list()).items.length === 0, '2h');
console.log(`${time()} the Event has expired`);

await cluster.advance('30d');
console.log(`${time()} thirty days later`);
await cluster.close();
console.log(`${clock.pending} timers left`);

// prints:
// 2026-01-01T00:00:00.000Z on node-1
// [ 'Scheduled' ]
// 2026-01-01T01:01:00.000Z the Event has expired
// 2026-01-31T01:01:00.000Z thirty days later
// 0 timers left
