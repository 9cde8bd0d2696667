// One Deployment from the request to a ready pod: which part writes what, in which order.
import t from 'tap';
import { nodeCluster } from '../support/node-cluster.js';

t.test('a Deployment becomes a ready pod, each step written by the part that owns it', async (t) => {
  const cluster = await nodeCluster({ heartbeat: {} }, { controllers: ['*'] });
  const commits: string[] = [];
  const subscription = cluster.server.commits$.subscribe(({ key, verb, user, manager }) => {
    const [, , resource] = key.split('/');
    if (!['deployments', 'replicasets', 'pods', 'endpointslices'].includes(resource ?? '')) return;
    if (key.includes('/default/kubernetes')) return;
    commits.push(`${user.username?.split(':').at(-1)} (${manager}) ${verb} ${resource}`);
  });
  const labels = { app: 'web' };
  const apps = cluster.client.kind('apps/v1', 'Deployment').in('default');
  await apps.create({
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
  });
  await cluster.settled();
  const firsts = [...new Set(commits)];
  const at = (pattern: RegExp): number => firsts.findIndex((line) => pattern.test(line));
  const steps = [
    /create deployments/,
    /deployment-controller .* create replicasets/,
    /replicaset-controller .* create pods/,
    /kube-scheduler .* pods/,
    /node-1 \(kubelet\) .* pods/,
  ].map(at);
  t.strictSame(
    steps,
    [...steps].sort((one, other) => one - other),
    firsts.join('\n'),
  );
  t.notOk(steps.includes(-1), firsts.join('\n'));
  const last = (pattern: RegExp): number => commits.findLastIndex((line) => pattern.test(line));
  const ends = [
    /node-1 \(kubelet\) .* pods/,
    /replicaset-controller .* replicasets/,
    /deployment-controller .* deployments/,
  ];
  const order = ends.map(last);
  t.strictSame(
    order,
    [...order].sort((one, other) => one - other),
    'the status travels back: pod, ReplicaSet, Deployment',
  );
  t.match((await apps.get('web')).status, { readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 });
  const settledAt = commits.length;
  await cluster.advance('1m');
  t.equal(commits.length, settledAt, 'then nothing is left to write');
  subscription.unsubscribe();
  await cluster.close();
});
