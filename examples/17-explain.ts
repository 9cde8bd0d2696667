// Why is a pod pending, and what would help? `explain` runs every plugin on every node, tries the smallest changes of
// the pod, and returns those that work. The scheduler need not run for it, and nothing is written.
import { createCluster } from 'vivarium';
import { createScheduler } from 'vivarium/scheduling';

const cluster = await createCluster({ scheduler: false, controllers: [] });
const { client, clock } = cluster;
const scheduler = createScheduler({ client, clock });

const nodes = client.kind('v1', 'Node');
const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };
await nodes.create({ metadata: { name: 'plain', labels: { disk: 'hdd' } }, status: { allocatable } });
await nodes.create({
  metadata: { name: 'fast', labels: { disk: 'ssd' } },
  spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] },
  status: { allocatable },
});

const pending = await client
  .kind('v1', 'Pod')
  .in('default')
  .create({
    metadata: { name: 'web' },
    spec: {
      nodeSelector: { disk: 'ssd' },
      containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '5' } } }],
    },
  });

const why = await scheduler.explain(pending);
console.log(why.message);
for (const { name, rejections } of why.nodes) {
  console.log(`${name}:`, rejections.map(({ plugin, reasons }) => `${plugin} (${reasons.join(', ')})`).join('; '));
}
for (const { changes, nodeNames } of why.remedies) {
  console.log(`on ${nodeNames.join()}:`, changes.map(({ text }) => text).join(' and '));
}

// A remedy is also a function that returns the changed pod. Scores explain why a node is the best.
const [remedy] = why.remedies;
const changed = remedy?.changes.reduce((pod, change) => change.apply(pod), why.pod) ?? pending;
const { best, nodes: judged } = await scheduler.explain(changed);
console.log('then best:', best);
for (const { name, scores, total } of judged.filter(({ rejections }) => rejections.length === 0)) {
  console.log(
    `${name}: ${total} =`,
    scores
      .filter(({ score }) => score > 0)
      .map(({ plugin, score, weight }) => `${weight} × ${score} ${plugin}`)
      .join(' + '),
  );
}

await cluster.close();

// prints:
// 0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s).
// fast: TaintToleration (node(s) had untolerated taint(s)); NodeResourcesFit (Insufficient cpu)
// plain: NodeAffinity (node(s) didn't match Pod's node affinity/selector); NodeResourcesFit (Insufficient cpu)
// on fast: tolerate the taint dedicated=db:NoSchedule and ask for 1000m less cpu
// on plain: not ask for the label disk=ssd and ask for 1000m less cpu
// then best: [ 'fast' ]
// fast: 399 = 3 × 100 TaintToleration + 1 × 49 NodeResourcesFit + 1 × 50 NodeResourcesBalancedAllocation
