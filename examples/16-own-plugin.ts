// A plugin of one's own is a plain object with functions where it has something to say. This one keeps pods off nodes
// that cost more than they would pay, and prefers cheap nodes.
import { random, virtualClock } from 'vivarium';
import { inProcessClient } from 'vivarium/client';
import {
  actions,
  createScheduler,
  normalizeShares,
  on,
  registryOf,
  reverseShareOfHighest,
  schedulerConfiguration,
  unresolvable,
} from 'vivarium/scheduling';
import type { NodeView, SchedulingPlugin } from 'vivarium/scheduling';
import { createServer } from 'vivarium/server';
import { memoryStore } from 'vivarium/storage';

const priceOf = ({ labels }: NodeView): number => Number(labels['example.com/price'] ?? 0);
const tooExpensive = unresolvable('node(s) were too expensive'); // that others leave would not make the node cheaper
const thrift: SchedulingPlugin = {
  name: 'Thrift',
  events: [on('Node', actions.add | actions.updateNodeLabel)], // what may help a pod that was refused here
  filter({ pod }, node) {
    const limit = Number(pod.object.metadata?.annotations?.['example.com/limit'] ?? Infinity);
    return priceOf(node) > limit ? tooExpensive : undefined;
  },
  score: (_, node) => priceOf(node),
  normalizeScores: (_, prices) => normalizeShares(prices, reverseShareOfHighest), // the cheaper, the closer to 100
};

// A profile enables it beside the default plugins, and says how much its score counts.
const plugins = [thrift];
const profile = { plugins: { multiPoint: { enabled: [{ name: 'Thrift', weight: 5 }] } } };
const configuration = schedulerConfiguration({ profiles: [profile] }, { plugins: registryOf(plugins) });

const clock = virtualClock();
const store = memoryStore({ clock });
const server = createServer({ store, clock });
const client = inProcessClient(server.handler);
const running = createScheduler({ client, clock, random: random('example'), configuration, plugins })
  .run()
  .subscribe((attempt) => {
    if (attempt.type === 'bound') console.log(`${attempt.pod.metadata?.name} goes to ${attempt.nodeName}`);
    if (attempt.type === 'unschedulable')
      console.log(`${attempt.pod.metadata?.name} waits for ${attempt.rejectors.join()}: ${attempt.message}`);
  });

const nodes = client.kind('v1', 'Node');
for (const [name, price] of [
  ['gold', '9'],
  ['silver', '3'],
] as const) {
  await nodes.create({
    metadata: { name, labels: { 'example.com/price': price } },
    status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } },
  });
}
const pods = client.kind('v1', 'Pod').in('default');
for (const [name, limit] of [
  ['rich', '100'],
  ['poor', '1'],
] as const) {
  await pods.create({
    metadata: { name, annotations: { 'example.com/limit': limit } },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  });
  await clock.settled();
}

console.log('a sale at gold');
await nodes.patch('gold', { merge: { metadata: { labels: { 'example.com/price': '1' } } } });
await clock.settled();

running.unsubscribe();
await server.close();
await store.close();

// prints:
// rich goes to silver
// poor waits for Thrift: 0/2 nodes are available: 2 node(s) were too expensive. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.
// a sale at gold
// poor goes to gold
