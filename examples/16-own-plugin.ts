// A scheduling plugin is a plain object with a function per extension point. This one filters nodes that cost more than
// a pod would pay, and prefers cheap nodes.
import { createCluster, random, virtualClock } from 'vivarium';
import {
  actions,
  normalizeScores,
  on,
  registryOf,
  scaleToHighestReversed,
  schedulerConfiguration,
  unresolvable,
} from 'vivarium/scheduling';
import type { SchedulerActivity, NodeView, SchedulingPlugin } from 'vivarium/scheduling';

const priceOf = ({ labels }: NodeView): number => Number(labels['example.com/price'] ?? 0);
const tooExpensive = unresolvable('node(s) were too expensive'); // preemption does not help
const thrift: SchedulingPlugin = {
  name: 'Thrift',
  events: [on('Node', actions.add | actions.updateNodeLabel)], // events that may help a rejected pod
  filter({ pod }, node) {
    const limit = Number(pod.object.metadata?.annotations?.['example.com/limit'] ?? Infinity);
    return priceOf(node) > limit ? tooExpensive : undefined;
  },
  score: (_, node) => priceOf(node),
  normalizeScores: (_, prices) => normalizeScores(prices, scaleToHighestReversed), // the cheaper, the closer to 100
};

// A profile enables it beside the default plugins, with the weight of its score.
const plugins = [thrift];
const profile = { plugins: { multiPoint: { enabled: [{ name: 'Thrift', weight: 5 }] } } };
const configuration = schedulerConfiguration({ profiles: [profile] }, { plugins: registryOf(plugins) });

const scheduler = { configuration, plugins };
const cluster = await createCluster({ clock: virtualClock(), random: random('example'), scheduler, controllers: [] });
cluster.activity$.subscribe(({ part, activity }) => {
  if (part !== 'scheduler') return;
  const attempt = activity as SchedulerActivity;
  if (attempt.type === 'bound') console.log(`${attempt.pod.metadata?.name} goes to ${attempt.nodeName}`);
  if (attempt.type === 'unschedulable')
    console.log(`${attempt.pod.metadata?.name} waits for ${attempt.rejectors.join()}: ${attempt.message}`);
});

const nodes = cluster.client.kind('v1', 'Node');
for (const [name, price] of [
  ['gold', '9'],
  ['silver', '3'],
] as const) {
  await nodes.create({
    metadata: { name, labels: { 'example.com/price': price } },
    status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } },
  });
}
const pods = cluster.client.kind('v1', 'Pod').in('default');
for (const [name, limit] of [
  ['rich', '100'],
  ['poor', '1'],
] as const) {
  await pods.create({
    metadata: { name, annotations: { 'example.com/limit': limit } },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  });
  await cluster.settled();
}

console.log('a sale at gold');
await nodes.patch('gold', { merge: { metadata: { labels: { 'example.com/price': '1' } } } });
await cluster.settled();

await cluster.close();

// prints:
// rich goes to silver
// poor waits for Thrift: 0/2 nodes are available: 2 node(s) were too expensive. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.
// a sale at gold
// poor goes to gold
