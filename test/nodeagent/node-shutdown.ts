// Nodes that are switched off: in order, and by a crash.
import t from 'tap';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Node, Pod } from '../../lib/core/types/index.js';
import { completeKubelet } from '../../lib/nodeagent/node/kubelet-settings.js';
import { shutdownEnding, shutdownGroups } from '../../lib/nodeagent/node/node-shutdown.js';
import { nodeCluster, podHistory, podOf } from '../support/node-cluster.js';

const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');
const readyOf = ({ status }: Frozen<Node>) => status?.conditions?.find(({ type }) => type === 'Ready');

t.test('pods are stopped in two groups, each within its time', (t) => {
  const settings = completeKubelet({ shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' });
  const pod = (name: string, priority: number): Pod => ({
    metadata: { name },
    spec: { containers: [], priority, terminationGracePeriodSeconds: 15 },
  });
  const groups = shutdownGroups([pod('critical', 2_000_000_000), pod('a', 0), pod('b', 1_000)], settings);
  t.strictSame(
    groups.map(({ pods, periodMs }) => [periodMs, ...pods.map(({ metadata }) => metadata?.name)]),
    [
      [20_000, 'a', 'b'],
      [10_000, 'critical'],
    ],
  );
  t.match(shutdownEnding(pod('a', 0), 20_000), { graceMs: 15_000, reason: 'Terminated' });
  t.match(shutdownEnding(pod('a', 0), 10_000), { graceMs: 10_000 });
  t.throws(() => completeKubelet({ shutdownGracePeriodCriticalPods: '10s' }), /must not be longer/);
  t.end();
});

t.test('a node that shuts down is not ready, refuses pods and stops the others, critical ones last', async (t) => {
  const cluster = await nodeCluster({
    heartbeat: {},
    kubelet: { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' },
  });
  const stop = { delay: '4s' };
  await podsOf(cluster).create(podOf('web', { stop }));
  await podsOf(cluster).create(podOf('stubborn', { stop: { delay: Infinity } }));
  await podsOf(cluster).create(podOf('critical', { stop }, { priorityClassName: 'system-node-critical' }));
  await cluster.settled();
  const history = podHistory(cluster);
  await cluster.settled();
  history.lines.length = 0;
  const off = cluster.nodes.shutDown('node-1');
  await cluster.advance('1s');
  t.match(readyOf(await cluster.client.kind('v1', 'Node').get('node-1')), {
    status: 'False',
    reason: 'KubeletNotReady',
    message: 'node is shutting down',
  });
  await podsOf(cluster).create(podOf('late', {}, { nodeName: 'node-1' }));
  await cluster.settled();
  t.match((await podsOf(cluster).get('late')).status, {
    phase: 'Failed',
    reason: 'NodeShutdown',
    message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
  });
  await cluster.advance('40s');
  await off;
  t.match((await podsOf(cluster).get('web')).status, {
    phase: 'Failed',
    reason: 'Terminated',
    message: 'Pod was terminated in response to imminent node shutdown.',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
  });
  const endOf = (name: string): string | undefined =>
    history.lines.find((line) => line.includes(` ${name}: Failed`))?.split(' ')[0];
  t.strictSame([endOf('web'), endOf('stubborn'), endOf('critical')], ['4s', '20s', '24s']);
  history.stop();
  const before = (await cluster.client.kind('coordination.k8s.io/v1', 'Lease').in('kube-node-lease').get('node-1'))
    .spec;
  await cluster.advance('1m');
  const after = (await cluster.client.kind('coordination.k8s.io/v1', 'Lease').in('kube-node-lease').get('node-1')).spec;
  t.strictSame(after, before, 'a node that is off has no heartbeat');
  await cluster.close();
  t.equal(cluster.clock.pending, 0);
});

t.test('the pods of a node that dies are replaced on another node', async (t) => {
  const cluster = await nodeCluster({ count: 2, heartbeat: {} }, { controllers: ['*'] });
  const labels = { app: 'web' };
  await cluster.client
    .kind('apps/v1', 'Deployment')
    .in('default')
    .create({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
      },
    });
  await cluster.advance('30s');
  const nodesOf = async (): Promise<readonly string[]> =>
    (await podsOf(cluster).list()).items
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running')
      .map(({ spec }) => spec?.nodeName ?? '')
      .sort();
  t.strictSame(await nodesOf(), ['node-1', 'node-2']);
  cluster.nodes.powerOff('node-1');
  const nodes = cluster.client.kind('v1', 'Node');
  await cluster.advance('30s');
  t.match(readyOf(await nodes.get('node-1')), { status: 'True' }, 'nothing happens for 50 s');
  await cluster.advance('30s');
  const lost = await nodes.get('node-1');
  t.match(readyOf(lost), {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  });
  t.strictSame(lost.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort(), [
    'node.kubernetes.io/unreachable:NoExecute',
    'node.kubernetes.io/unreachable:NoSchedule',
  ]);
  const stale = (await podsOf(cluster).list()).items.find(({ spec }) => spec?.nodeName === 'node-1');
  t.match(stale?.status, { phase: 'Running' });
  t.match(
    stale?.status?.conditions?.find(({ type }) => type === 'Ready'),
    { status: 'False' },
  );
  await cluster.advance('6m');
  t.strictSame(await nodesOf(), ['node-2', 'node-2'], 'after the 300 s of the default toleration');
  const terminating = (await podsOf(cluster).list()).items.find(({ spec }) => spec?.nodeName === 'node-1');
  t.ok(terminating?.metadata.deletionTimestamp, 'the old pod is Terminating until its node is gone');
  await nodes.delete('node-1');
  await cluster.advance('2m');
  t.equal((await podsOf(cluster).list()).items.length, 2, 'garbage collection removes it with its node');
  await cluster.close();
});
