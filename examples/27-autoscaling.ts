// A test of autoscaling: the metrics are numbers of the program, and five minutes take no time.
import { createCluster, random, virtualClock } from 'vivarium';
import type { MetricsSource } from 'vivarium/controllers';

let messages = 0;
const metrics: MetricsSource = {
  podUsage: async () => [],
  customMetric: async () => [],
  externalMetric: async () => [String(messages)],
};
const cluster = await createCluster({ clock: virtualClock(), random: random('example'), nodes: 2, metrics });
const deployments = cluster.client.kind('apps/v1', 'Deployment').in('default');
const template = {
  metadata: { labels: { app: 'worker' } },
  spec: { containers: [{ name: 'c', image: 'worker' }] },
};
await deployments.create({
  metadata: { name: 'worker' },
  spec: { replicas: 1, selector: { matchLabels: { app: 'worker' } }, template },
});
const target = { type: 'AverageValue' as const, averageValue: '10' };
await cluster.client
  .kind('autoscaling/v2', 'HorizontalPodAutoscaler')
  .in('default')
  .create({
    metadata: { name: 'worker' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
      maxReplicas: 10,
      metrics: [{ type: 'External', external: { metric: { name: 'messages' }, target } }],
    },
  });

for (const [load, wait] of [
  [35, '15s'],
  [90, '15s'],
  [90, '15s'],
  [5, '15s'],
  [5, '5m'],
] as const) {
  messages = load;
  await cluster.advance(wait);
  const { spec } = await deployments.get('worker');
  console.log(`${load} messages, ${wait} later: ${spec?.replicas} replicas`);
}
await cluster.close();

// prints:
// 35 messages, 15s later: 4 replicas
// 90 messages, 15s later: 8 replicas
// 90 messages, 15s later: 9 replicas
// 5 messages, 15s later: 9 replicas
// 5 messages, 5m later: 1 replicas
