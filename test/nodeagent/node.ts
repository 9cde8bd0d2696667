// Nodes and what they do besides running containers: registration, heartbeats, admission, probes, images, volumes,
// environment, streams, and what survives a restart.
import { lastValueFrom, toArray } from 'rxjs';
import t from 'tap';
import { createCluster, random, virtualClock } from '../../lib/index.js';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import { exitCodeOf } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { nodeAgents, nodeUser, simulatedRuntime, stageRules } from '../../lib/nodeagent/public.js';
import { nodeCluster, podEvents, podHistory, podOf } from '../support/node-cluster.js';

const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');
const podNamed = (cluster: Cluster<VirtualClock>, name: string): Promise<Frozen<Pod>> => podsOf(cluster).get(name);
const leasesOf = ({ client }: Cluster<VirtualClock>) =>
  client.kind('coordination.k8s.io/v1', 'Lease').in('kube-node-lease');

t.test('a node is registered with labels, capacity and conditions, and renews its Lease', async (t) => {
  const cluster = await nodeCluster({
    heartbeat: {},
    template: () => ({ labels: { disk: 'ssd' }, capacity: { cpu: '4', memory: '8Gi', pods: '10' } }),
  });
  const nodes = cluster.client.kind('v1', 'Node');
  const node = await nodes.get('node-1');
  t.match(node, {
    metadata: {
      labels: {
        disk: 'ssd',
        'kubernetes.io/hostname': 'node-1',
        'kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '10' },
      allocatable: { cpu: '4', memory: '8092Mi', pods: '10' },
      addresses: [
        { type: 'InternalIP', address: '172.18.0.2' },
        { type: 'Hostname', address: 'node-1' },
      ],
      conditions: [
        { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
        { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure' },
        { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID' },
        { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
      ],
    },
  });
  t.notOk(node.spec?.taints, 'the taint of new nodes is gone');
  const lease = await leasesOf(cluster).get('node-1');
  t.match(lease, {
    metadata: { ownerReferences: [{ kind: 'Node', name: 'node-1', uid: node.metadata.uid }] },
    spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40 },
  });
  const renewals = new Set<string | undefined>();
  for (let second = 0; second < 60; second += 1) {
    await cluster.advance('1s');
    renewals.add((await leasesOf(cluster).get('node-1')).spec?.renewTime);
  }
  t.ok(renewals.size >= 6 && renewals.size <= 8, 'every 10 s, with a little jitter');
  const before = (await nodes.get('node-1')).metadata.resourceVersion;
  await cluster.advance('8m');
  t.not((await nodes.get('node-1')).metadata.resourceVersion, before, 'an unchanged status is published every 5 min');
  await cluster.close();
});

t.test('an agent has the rights of its node only', async (t) => {
  const cluster = await nodeCluster({ count: 2 });
  const asNode = cluster.as(nodeUser('node-1'));
  await t.rejects(asNode.kind('v1', 'Secret').list(), { message: / is forbidden: / });
  await t.rejects(asNode.kind('v1', 'Node').delete('node-2'), { message: / is forbidden: / });
  const commits: string[] = [];
  const subscription = cluster.server.commits$.subscribe(({ user, key, manager }) => {
    if (manager === 'kubelet') commits.push(`${user.username} ${key.replace(/\/[^/]*$/, '')}`);
  });
  await podsOf(cluster).create(podOf('web', {}, { nodeName: 'node-2' }));
  await cluster.settled();
  t.strictSame(
    [...new Set(commits)],
    ['system:node:node-2 /registry/pods/default', 'system:node:node-2 /registry/events/default'],
  );
  subscription.unsubscribe();
  await cluster.close();
});

t.test('a node refuses pods that do not fit, with the reasons of a kubelet', async (t) => {
  const cluster = await nodeCluster(
    { template: () => ({ capacity: { cpu: '2', memory: '1Gi', pods: '3' } }) },
    { scheduler: false },
  );
  const requesting = (cpu: string) => ({ main: { resources: { requests: { cpu } } }, nodeName: 'node-1' });
  await podsOf(cluster).create(podOf('fits', {}, requesting('1500m')));
  await podsOf(cluster).create(podOf('large', {}, requesting('1')));
  await podsOf(cluster).create(podOf('picky', {}, { nodeName: 'node-1', nodeSelector: { disk: 'ssd' } }));
  await cluster.settled();
  t.equal((await podNamed(cluster, 'fits')).status?.phase, 'Running');
  t.match((await podNamed(cluster, 'large')).status, {
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
  });
  t.match((await podNamed(cluster, 'picky')).status, { phase: 'Failed', reason: 'NodeAffinity' });
  t.ok(
    (await podEvents(cluster)).includes(
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
    ),
  );
  for (const name of ['b', 'c', 'd']) await podsOf(cluster).create(podOf(name, {}, { nodeName: 'node-1' }));
  await cluster.settled();
  t.equal((await podNamed(cluster, 'd')).status?.reason, 'OutOfpods');
  await podsOf(cluster).delete('fits');
  await cluster.settled();
  await podsOf(cluster).create(podOf('again', {}, requesting('2')));
  await cluster.settled();
  t.equal((await podNamed(cluster, 'again')).status?.phase, 'Running', 'the resources of a pod that ended are free');
  await cluster.close();
});

t.test('liveness and startup probes restart a container, at the ticks of their period', async (t) => {
  const cluster = await nodeCluster();
  const history = podHistory(cluster);
  const livenessProbe = { httpGet: { port: 80, path: '/live' }, periodSeconds: 5, failureThreshold: 2 };
  await podsOf(cluster).create(
    podOf('sick', { health: [{ path: '/live', until: '12s' }] }, { main: { livenessProbe } }),
  );
  const startupProbe = { tcpSocket: { port: 80 }, periodSeconds: 2, failureThreshold: 10 };
  await podsOf(cluster).create(podOf('slow', { health: [{ from: '5s' }] }, { main: { startupProbe } }));
  await cluster.advance('21s');
  const linesOf = (name: string): readonly string[] =>
    history.lines.filter((line) => line.includes(` ${name}:`)).slice(4);
  t.strictSame(linesOf('sick'), [
    '0s sick: Running bound ip [N I R C S] main=running+',
    '20s sick: Running bound ip [N I S] main=Completed(0)',
    '20s sick: Running bound ip [N I R C S] main=running+#1',
  ]);
  t.strictSame(linesOf('slow'), [
    '0s slow: Running bound ip [N I S] main=running',
    '6s slow: Running bound ip [N I R C S] main=running+',
  ]);
  const events = await podEvents(cluster);
  t.ok(events.includes('Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 503 (x2)'));
  t.ok(events.includes('Killing: Container main failed liveness probe, will be restarted'));
  t.ok(events.some((line) => /^Unhealthy: Startup probe failed: dial tcp .*connection refused \(x2\)$/.test(line)));
  history.stop();
  await cluster.close();
});

t.test('readiness gates hold the pod back until their conditions are True', async (t) => {
  const cluster = await nodeCluster();
  await podsOf(cluster).create(podOf('web', {}, { readinessGates: [{ conditionType: 'example.com/gate' }] }));
  await cluster.settled();
  const readyOf = async (): Promise<unknown> =>
    (await podNamed(cluster, 'web')).status?.conditions?.find(({ type }) => type === 'Ready');
  t.match(await readyOf(), {
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
  });
  const conditions = [{ type: 'example.com/gate', status: 'True' as const }];
  await podsOf(cluster).status.patch('web', { strategic: { status: { conditions } } });
  await cluster.settled();
  t.match(await readyOf(), { status: 'True' });
  t.ok((await podNamed(cluster, 'web')).status?.conditions?.some(({ type }) => type === 'example.com/gate'));
  await cluster.close();
});

t.test('a pull that fails shows ErrImagePull, then ImagePullBackOff, and is tried after 10 and 20 s', async (t) => {
  const cluster = await nodeCluster();
  const history = podHistory(cluster);
  await podsOf(cluster).create(podOf('web', { pull: { error: 'not found', failures: 2 } }));
  await podsOf(cluster).create(podOf('absent', {}, { main: { image: 'other:1', imagePullPolicy: 'Never' } }));
  await cluster.advance('40s');
  t.strictSame(history.lines.filter((line) => line.includes(' web:')).slice(3), [
    '0s web: Pending bound ip [N I S] main=ContainerCreating',
    '0s web: Pending bound ip [N I S] main=ErrImagePull',
    '1s web: Pending bound ip [N I S] main=ImagePullBackOff',
    '10s web: Pending bound ip [N I S] main=ErrImagePull',
    '11s web: Pending bound ip [N I S] main=ImagePullBackOff',
    '30s web: Running bound ip [N I R C S] main=running+',
  ]);
  const events = await podEvents(cluster);
  for (const line of [
    'Failed: Failed to pull image "app:1": not found (x2)',
    'Failed: Error: ErrImagePull (x2)',
    'Failed: Error: ImagePullBackOff (x2)',
    'BackOff: Back-off pulling image "app:1" (x2)',
  ])
    t.ok(events.includes(line), line);
  t.match((await podNamed(cluster, 'absent')).status?.containerStatuses, [
    {
      state: {
        waiting: {
          reason: 'ErrImageNeverPull',
          message: 'Container image "other:1" is not present with pull policy of Never',
        },
      },
    },
  ]);
  history.stop();
  await cluster.close();
});

t.test('missing ConfigMaps hold a pod back until they exist', async (t) => {
  const cluster = await nodeCluster();
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const env = [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } }];
  await podsOf(cluster).create(podOf('by-env', {}, { main: { env } }));
  const volumes = [{ name: 'files', configMap: { name: 'settings' } }];
  const volumeMounts = [{ name: 'files', mountPath: '/etc/app' }];
  await podsOf(cluster).create(podOf('by-volume', {}, { volumes, main: { volumeMounts } }));
  await cluster.settled();
  t.match((await podNamed(cluster, 'by-env')).status?.containerStatuses, [
    { state: { waiting: { reason: 'CreateContainerConfigError', message: 'configmap "settings" not found' } } },
  ]);
  t.match((await podNamed(cluster, 'by-volume')).status?.containerStatuses, [
    { state: { waiting: { reason: 'ContainerCreating' } } },
  ]);
  const events = await podEvents(cluster);
  t.ok(events.includes('Failed: Error: configmap "settings" not found'));
  t.ok(events.includes('FailedMount: MountVolume.SetUp failed for volume "files" : configmap "settings" not found'));
  await maps.create({ metadata: { name: 'settings' }, data: { mode: 'fast' } });
  await cluster.advance('15s');
  for (const name of ['by-env', 'by-volume']) t.equal((await podNamed(cluster, name)).status?.phase, 'Running', name);
  await cluster.close();
});

t.test('a pod past its active deadline fails', async (t) => {
  const cluster = await nodeCluster();
  await podsOf(cluster).create(podOf('web', {}, { activeDeadlineSeconds: 30 }));
  await cluster.advance('29s');
  t.equal((await podNamed(cluster, 'web')).status?.phase, 'Running');
  await cluster.advance('1s');
  t.match((await podNamed(cluster, 'web')).status, {
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
  await cluster.close();
});

t.test('postStart holds back the running state; its failure restarts the container', async (t) => {
  const cluster = await nodeCluster();
  const history = podHistory(cluster);
  const sleeping = { lifecycle: { postStart: { sleep: { seconds: 4 } } } };
  await podsOf(cluster).create(podOf('web', {}, { main: sleeping }));
  const failing = { lifecycle: { postStart: { exec: { command: ['check'] } } } };
  await podsOf(cluster).create(podOf('bad', { commands: { check: { exitCode: 2, stderr: 'no' } } }, { main: failing }));
  await cluster.advance('5s');
  t.equal(
    history.lines.filter((line) => line.includes(' web:')).at(-1),
    '4s web: Running bound ip [N I R C S] main=running+',
  );
  t.match((await podNamed(cluster, 'bad')).status?.containerStatuses, [
    { state: { waiting: { reason: /PostStartHookError|CrashLoopBackOff/ } } },
  ]);
  t.ok(
    (await podEvents(cluster)).some((line) => line.startsWith('FailedPostStartHook: PostStartHook failed: command')),
  );
  history.stop();
  await cluster.close();
});

t.test('ephemeral containers and resizes reach a running pod', async (t) => {
  const cluster = await nodeCluster();
  const resources = { requests: { cpu: '100m' }, limits: { cpu: '200m' } };
  await podsOf(cluster).create(podOf('web', {}, { main: { resources } }));
  await cluster.settled();
  const ephemeralContainers = [{ name: 'debug', image: 'tools:1' }];
  await podsOf(cluster)
    .subresource('ephemeralcontainers')
    .patch('web', { strategic: { spec: { ephemeralContainers } } });
  await cluster.settled();
  t.match((await podNamed(cluster, 'web')).status?.ephemeralContainerStatuses, [
    { name: 'debug', state: { running: {} } },
  ]);
  const containers = [{ name: 'main', resources: { requests: { cpu: '150m' }, limits: { cpu: '300m' } } }];
  await podsOf(cluster)
    .subresource('resize')
    .patch('web', { strategic: { spec: { containers } } });
  await cluster.settled();
  t.match((await podNamed(cluster, 'web')).status?.containerStatuses, [
    { restartCount: 0, allocatedResources: { cpu: '150m' }, resources: { limits: { cpu: '300m' } } },
  ]);
  await cluster.close();
});

t.test('logs and exec work in process', async (t) => {
  const cluster = await nodeCluster();
  const behaviour = {
    logs: [{ text: 'started' }, { text: 'tick', after: '1s', every: '1s' }],
    commands: { 'cat /etc/os-release': { stdout: 'vivarium\n' }, false: { exitCode: 1 } },
  };
  await podsOf(cluster).create(podOf('web', behaviour));
  await cluster.advance('3s');
  const lines = await lastValueFrom(podsOf(cluster).log('web').pipe(toArray()), { defaultValue: [] });
  t.strictSame(lines, ['started', 'tick', 'tick', 'tick']);
  const stamped = await lastValueFrom(podsOf(cluster).log('web', { timestamps: true, tailLines: 1 }).pipe(toArray()), {
    defaultValue: [],
  });
  t.strictSame(stamped, ['2026-01-01T00:00:03.000000000Z tick']);
  const run = async (command: readonly string[]): Promise<readonly [string, number | undefined]> => {
    const channels = await podsOf(cluster).exec('web', { command });
    let [text, code]: [string, number | undefined] = ['', undefined];
    for (const message of await lastValueFrom(channels.input$.pipe(toArray()), { defaultValue: [] })) {
      if (message.type === 'data') text += new TextDecoder().decode(message.bytes);
      if (message.type === 'close') code = exitCodeOf(message.status);
    }
    return [text, code];
  };
  t.strictSame(await run(['cat', '/etc/os-release']), ['vivarium\n', 0]);
  t.strictSame(await run(['false']), ['', 1]);
  await cluster.close();
});

t.test('a fork continues the pods of its origin without a restart', async (t) => {
  const cluster = await nodeCluster();
  await podsOf(cluster).create(podOf('web', { exits: [{ after: '60s', code: 1 }, { after: Infinity }] }));
  await podsOf(cluster).create(podOf('steady'));
  await cluster.advance('20s');
  const fork = await cluster.fork();
  await fork.advance('39s');
  t.match((await podNamed(fork, 'web')).status?.containerStatuses, [{ restartCount: 0, state: { running: {} } }]);
  await fork.advance('2s');
  t.match((await podNamed(fork, 'web')).status?.containerStatuses, [{ restartCount: 1, state: { running: {} } }]);
  const [before, after] = await Promise.all([podNamed(cluster, 'steady'), podNamed(fork, 'steady')]);
  t.equal(after.metadata?.resourceVersion, before.metadata?.resourceVersion, 'nothing of the other pod was written');
  await fork.close();
  await cluster.close();
});

t.test('a single agent runs with its own client; without events it lists the runtime every second', async (t) => {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    controllers: ['serviceaccount-controller'],
  });
  const { clock } = cluster;
  const { events$: _events, ...silent } = simulatedRuntime({ clock, random: random(2) });
  const agents = nodeAgents({
    clientOf: (user) => cluster.as(user),
    informers: cluster.informers,
    podSelector: 'spec.nodeName=alone',
    clock,
    random: random(3),
    nodes: [{ name: 'alone' }],
    runtime: () => silent,
  });
  const subscription = agents.run().subscribe();
  await cluster.settled();
  const history = podHistory(cluster);
  await podsOf(cluster).create(
    podOf('web', { exits: [{ after: 2_500 }] }, { restartPolicy: 'Never', nodeName: 'alone' }),
  );
  await cluster.advance('10s');
  t.equal(history.lines.at(-1), '3s web: Succeeded bound ip [I S] main=Completed(0)', 'noticed by the next list');
  history.stop();
  subscription.unsubscribe();
  await cluster.close();
  t.equal(clock.pending, 0);
});

t.test('a container that the runtime loses is started again', async (t) => {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    controllers: ['serviceaccount-controller'],
  });
  const { clock } = cluster;
  const runtime = simulatedRuntime({ clock, random: random(2) });
  const agents = nodeAgents({
    clientOf: (user) => cluster.as(user),
    informers: cluster.informers,
    clock,
    random: random(3),
    nodes: [{ name: 'alone' }],
    runtime: () => runtime,
    heartbeat: false,
  });
  const subscription = agents.run().subscribe();
  await podsOf(cluster).create(podOf('web', {}, { nodeName: 'alone' }));
  await cluster.settled();
  const [sandbox] = await runtime.listPodSandboxes();
  await runtime.stopPodSandbox(sandbox?.id ?? '');
  await cluster.advance('15s');
  t.match((await podNamed(cluster, 'web')).status, { phase: 'Running', containerStatuses: [{ restartCount: 1 }] });
  t.ok((await podEvents(cluster)).includes('SandboxChanged: Pod sandbox changed, it will be killed and re-created.'));
  subscription.unsubscribe();
  await cluster.close();
});

t.test('Stages of KWOK say when pods start and end', async (t) => {
  const stages = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: pod-ready }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector:
    matchExpressions:
    - { key: '.metadata.deletionTimestamp', operator: DoesNotExist }
    - { key: '.metadata.labels["app"]', operator: In, values: [batch, web] }
  delay: { durationMilliseconds: 2000 }
  next: { statusTemplate: "phase: Running" }
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: pod-failed }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector: { matchLabels: { app: batch } }
  delay: { durationMilliseconds: 5000 }
  next:
    statusTemplate: |
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: OOMKilled } } }]
      phase: Failed
`;
  const cluster = await nodeCluster({ behaviour: await stageRules(stages) });
  const history = podHistory(cluster);
  for (const app of ['batch', 'web', 'other'])
    await podsOf(cluster).create({
      metadata: { name: app, labels: { app } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] },
    });
  await cluster.advance('10s');
  const lastOf = (name: string): string | undefined =>
    history.lines.filter((line) => line.includes(` ${name}:`)).at(-1);
  t.equal(lastOf('batch'), '7s batch: Failed bound ip [I S] main=OOMKilled(137)');
  t.equal(lastOf('web'), '2s web: Running bound ip [N I R C S] main=running+');
  t.equal(lastOf('other'), '0s other: Running bound ip [N I R C S] main=running+');
  history.stop();
  await cluster.close();
  await t.rejects(stageRules('kind: Stage'), { message: 'a Stage needs a name' });
});
