// The life of pods on simulated nodes, on the virtual clock: what the API shows, when, and which Events are recorded.
import t from 'tap';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { nodeCluster, podEvents, podHistory, podOf } from '../support/node-cluster.js';

const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');
const podNamed = (cluster: Cluster<VirtualClock>, name: string): Promise<Frozen<Pod>> => podsOf(cluster).get(name);

t.test('an ordinary pod goes through the steps of the status timeline', async (t) => {
  const cluster = await nodeCluster();
  const history = podHistory(cluster);
  const behaviour = { pull: { delay: '2s', sizeBytes: 1234 }, startDelay: '1s', health: [{ from: '3s' }] };
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 5 };
  await podsOf(cluster).create(podOf('web', behaviour, { main: { readinessProbe } }));
  await cluster.advance('20s');
  t.strictSame(history.lines, [
    '0s web: Pending []',
    '0s web: Pending bound [S]',
    '0s web: Pending bound [I S] main=ContainerCreating',
    '0s web: Pending bound ip [N I S] main=ContainerCreating',
    '3s web: Running bound ip [N I S] main=running',
    '8s web: Running bound ip [N I R C S] main=running+',
  ]);
  t.strictSame(await podEvents(cluster), [
    'Pulling: Pulling image "app:1"',
    'Pulled: Successfully pulled image "app:1" in 2s (2s including waiting). Image size: 1234 bytes.',
    'Created: Container created',
    'Started: Container started',
    'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503',
  ]);
  const { status } = await podNamed(cluster, 'web');
  t.match(status, {
    observedGeneration: 1,
    hostIP: '172.18.0.2',
    hostIPs: [{ ip: '172.18.0.2' }],
    podIP: '10.244.0.1',
    podIPs: [{ ip: '10.244.0.1' }],
    startTime: '2026-01-01T00:00:00Z',
    qosClass: 'BestEffort',
    containerStatuses: [
      { started: true, ready: true, restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:03Z' } } },
    ],
  });
  t.strictSame(
    status?.conditions?.map(({ type }) => type),
    ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'],
  );
  history.stop();
  await cluster.close();
  t.equal(cluster.clock.pending, 0);
});

t.test('deletion runs preStop, the stop signal and SIGKILL within the grace period', async (t) => {
  const cluster = await nodeCluster();
  const preStop = { sleep: { seconds: 5 } };
  await podsOf(cluster).create(podOf('polite', { stop: { delay: '3s' } }, { main: { lifecycle: { preStop } } }));
  await podsOf(cluster).create(podOf('stubborn', { stop: { delay: Infinity } }, { main: { lifecycle: { preStop } } }));
  await podsOf(cluster).create(podOf('forced', { stop: { delay: Infinity } }));
  await cluster.settled();
  const history = podHistory(cluster);
  await cluster.settled();
  await podsOf(cluster).delete('polite');
  await podsOf(cluster).delete('stubborn');
  await podsOf(cluster).delete('forced', { gracePeriodSeconds: 0 });
  await cluster.advance('60s');
  const linesOf = (name: string): readonly string[] =>
    history.lines.filter((line) => line.includes(` ${name}:`)).slice(1);
  t.strictSame(linesOf('polite'), [
    '0s polite: Running bound ip terminating [N I R C S] main=running+',
    '8s polite: Succeeded bound ip terminating [I S] main=Completed(0)',
    '8s polite: deleted',
  ]);
  t.strictSame(linesOf('stubborn'), [
    '0s stubborn: Running bound ip terminating [N I R C S] main=running+',
    '30s stubborn: Failed bound ip terminating [I S] main=Error(137)',
    '30s stubborn: deleted',
  ]);
  t.strictSame(linesOf('forced').slice(1), ['0s forced: deleted'], 'a forced delete removes the object at once');
  t.equal((await podEvents(cluster)).filter((line) => line === 'Killing: Stopping container main').length, 3);
  history.stop();
  await cluster.close();
});

t.test('a second delete shortens the grace period', async (t) => {
  const cluster = await nodeCluster();
  await podsOf(cluster).create(podOf('web', { stop: { delay: Infinity } }));
  await cluster.settled();
  const history = podHistory(cluster);
  await podsOf(cluster).delete('web');
  await cluster.advance('4s');
  await podsOf(cluster).delete('web', { gracePeriodSeconds: 6 });
  await cluster.advance('30s');
  t.equal(history.lines.at(-1), '10s web: deleted');
  history.stop();
  await cluster.close();
});

t.test('a crash loop restarts at once, then after 10, 20, 40, 80, 160, 300 and 300 s', async (t) => {
  const cluster = await nodeCluster();
  await podsOf(cluster).create(podOf('crash', { exits: [{ after: '1s', code: 1 }] }));
  await cluster.settled();
  const start = cluster.clock.now();
  const starts: number[] = [];
  let restarts = -1;
  await cluster.advanceUntil(async () => {
    const [status] = (await podNamed(cluster, 'crash')).status?.containerStatuses ?? [];
    if (status?.state?.running !== undefined && status.restartCount > restarts) {
      restarts = status.restartCount;
      starts.push((cluster.clock.now() - start) / 1000);
    }
    return restarts === 8;
  }, '2h');
  const delays = starts.slice(1).map((at, index) => at - (starts[index] ?? 0) - 1);
  t.strictSame(delays, [0, 10, 20, 40, 80, 160, 300, 300]);
  await cluster.advance('3s');
  const pod = await podNamed(cluster, 'crash');
  t.match(pod.status, {
    phase: 'Running',
    containerStatuses: [
      {
        ready: false,
        restartCount: 8,
        state: {
          waiting: {
            reason: 'CrashLoopBackOff',
            message: `back-off 5m0s restarting failed container=main pod=crash_default(${pod.metadata?.uid ?? ''})`,
          },
        },
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      },
    ],
  });
  const text = `BackOff: Back-off restarting failed container main in pod crash_default(${pod.metadata?.uid ?? ''})`;
  t.ok((await podEvents(cluster)).some((line) => line.startsWith(text)));
  await cluster.close();
});

t.test('a container that ran for more than ten minutes restarts without a delay', async (t) => {
  const cluster = await nodeCluster();
  const exits = [{ after: '1s', code: 1 }, { after: '1s', code: 1 }, { after: '11m', code: 1 }, { after: Infinity }];
  await podsOf(cluster).create(podOf('web', { exits }));
  const restarted = async (count: number): Promise<number> => {
    await cluster.advanceUntil(async () => {
      const [status] = (await podNamed(cluster, 'web')).status?.containerStatuses ?? [];
      return status?.restartCount === count && status.state?.running !== undefined;
    });
    return cluster.clock.now();
  };
  const second = await restarted(2);
  t.equal(await restarted(3), second + 11 * 60_000);
  await cluster.close();
});

t.test('restart policies decide between restart, Succeeded and Failed', async (t) => {
  const cluster = await nodeCluster();
  const history = podHistory(cluster);
  const exit = (code: number) => ({ exits: [{ after: '1s', code }, { after: '1s' }] });
  await podsOf(cluster).create(podOf('never-0', exit(0), { restartPolicy: 'Never' }));
  await podsOf(cluster).create(podOf('never-1', exit(1), { restartPolicy: 'Never' }));
  await podsOf(cluster).create(podOf('on-failure', exit(1), { restartPolicy: 'OnFailure' }));
  await podsOf(cluster).create(
    podOf('oom', { exits: [{ after: '1s', reason: 'OOMKilled' }] }, { restartPolicy: 'Never' }),
  );
  await cluster.advance('5s');
  const lastOf = (name: string): string | undefined =>
    history.lines.filter((line) => line.includes(` ${name}:`)).at(-1);
  t.equal(lastOf('never-0'), '1s never-0: Succeeded bound ip [I S] main=Completed(0)');
  t.equal(lastOf('never-1'), '1s never-1: Failed bound ip [I S] main=Error(1)');
  t.equal(lastOf('on-failure'), '2s on-failure: Succeeded bound ip [I S] main=Completed(0)#1');
  t.equal(lastOf('oom'), '1s oom: Failed bound ip [I S] main=OOMKilled(137)');
  const { status } = await podNamed(cluster, 'never-0');
  t.match(
    status?.conditions?.filter(({ type }) => type === 'Ready' || type === 'ContainersReady' || type === 'Initialized'),
    [
      { reason: 'PodCompleted', status: 'True' },
      { reason: 'PodCompleted', status: 'False' },
      { reason: 'PodCompleted' },
    ],
  );
  history.stop();
  await cluster.close();
});

t.test('rules of a container restart it in a pod that does not restart', async (t) => {
  const cluster = await nodeCluster();
  const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
  const main = { restartPolicy: 'Never', restartPolicyRules };
  const exits = [
    { after: '1s', code: 42 },
    { after: '1s', code: 7 },
  ];
  await podsOf(cluster).create(podOf('web', { exits }, { restartPolicy: 'Never', main }));
  await cluster.advance('10s');
  const { status } = await podNamed(cluster, 'web');
  t.match(status, {
    phase: 'Failed',
    containerStatuses: [{ restartCount: 1, state: { terminated: { exitCode: 7 } } }],
  });
  await cluster.close();
});

t.test('init containers run in order, sidecars start before and stop after the others', async (t) => {
  const cluster = await nodeCluster({
    behaviour: [
      ({ name }) =>
        name === 'first' || name === 'second'
          ? { exits: [{ after: '2s' }] }
          : name === 'side'
            ? { stop: { delay: '1s' } }
            : { stop: { delay: '2s' } },
    ],
  });
  const history = podHistory(cluster);
  await podsOf(cluster).create({
    metadata: { name: 'web' },
    spec: {
      initContainers: [
        { name: 'first', image: 'init:1' },
        { name: 'side', image: 'side:1', restartPolicy: 'Always' },
        { name: 'second', image: 'init:1' },
      ],
      containers: [{ name: 'main', image: 'app:1' }],
    },
  });
  await cluster.advance('10s');
  await podsOf(cluster).delete('web');
  await cluster.advance('10s');
  t.strictSame(history.lines.slice(2), [
    '0s web: Pending bound [S] first=PodInitializing side=PodInitializing second=PodInitializing main=PodInitializing',
    '0s web: Pending bound ip [N S] first=PodInitializing side=PodInitializing second=PodInitializing main=PodInitializing',
    '0s web: Pending bound ip [N S] first=running side=PodInitializing second=PodInitializing main=PodInitializing',
    '2s web: Pending bound ip [N S] first=Completed(0)+ side=PodInitializing second=PodInitializing main=PodInitializing',
    '2s web: Pending bound ip [N S] first=Completed(0)+ side=running+ second=PodInitializing main=PodInitializing',
    '2s web: Pending bound ip [N S] first=Completed(0)+ side=running+ second=running main=PodInitializing',
    '4s web: Pending bound ip [N I S] first=Completed(0)+ side=running+ second=Completed(0)+ main=PodInitializing',
    '4s web: Running bound ip [N I R C S] first=Completed(0)+ side=running+ second=Completed(0)+ main=running+',
    '10s web: Running bound ip terminating [N I R C S] first=Completed(0)+ side=running+ second=Completed(0)+ main=running+',
    '13s web: Succeeded bound ip terminating [I S] first=Completed(0)+ side=Completed(0) second=Completed(0)+ main=Completed(0)',
    '13s web: deleted',
  ]);
  history.stop();
  await cluster.close();
});

t.test('a failing init container is restarted, or fails the pod', async (t) => {
  const cluster = await nodeCluster({
    behaviour: [({ name }) => (name === 'setup' ? { exits: [{ after: '1s', code: 3 }] } : undefined)],
  });
  const spec = { initContainers: [{ name: 'setup', image: 'init:1' }], containers: [{ name: 'main', image: 'app:1' }] };
  await podsOf(cluster).create({ metadata: { name: 'again' }, spec });
  await podsOf(cluster).create({ metadata: { name: 'never' }, spec: { ...spec, restartPolicy: 'Never' } });
  await cluster.advance('4s');
  t.match((await podNamed(cluster, 'again')).status, {
    phase: 'Pending',
    initContainerStatuses: [
      { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 3 } } },
    ],
    containerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }],
  });
  t.match((await podNamed(cluster, 'never')).status, {
    phase: 'Failed',
    initContainerStatuses: [{ state: { terminated: { exitCode: 3 } } }],
  });
  await cluster.close();
});

t.test('the same seed gives the same history twice', async (t) => {
  const run = async (): Promise<string> => {
    const cluster = await nodeCluster({ count: 3, heartbeat: {} });
    const history = podHistory(cluster);
    for (const name of ['a', 'b', 'c'])
      await podsOf(cluster).create(podOf(name, { exits: [{ after: '5s', code: 1 }] }));
    await cluster.advance('2m');
    const nodes = (await cluster.client.kind('v1', 'Node').list()).items;
    const leases = (await cluster.client.kind('coordination.k8s.io/v1', 'Lease').list()).items;
    const text = JSON.stringify([history.lines, await podEvents(cluster), nodes, leases]);
    history.stop();
    await cluster.close();
    return text;
  };
  t.equal(await run(), await run());
});
