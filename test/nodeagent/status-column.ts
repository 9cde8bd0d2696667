// What `kubectl get pods` prints for pods of simulated nodes: the STATUS column of the server's table, and how it
// changes with time. One row per scenario.
import t from 'tap';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { fetchHandler } from '../../lib/server/index.js';
import { nodeCluster, podOf } from '../support/node-cluster.js';

const administrator = { username: 'admin', groups: ['system:masters'] };

/** Reads READY, STATUS and RESTARTS of a pod as kubectl does. */
async function rowOf({ server }: Cluster<VirtualClock>, name: string): Promise<string> {
  const response = await fetchHandler(server)(
    new Request(`http://server/api/v1/namespaces/default/pods/${name}`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    }),
  );
  const { rows = [] } = (await response.json()) as { rows?: { cells: unknown[] }[] };
  const [, ready, status, restarts] = rows[0]?.cells ?? [];
  return `${String(ready)} ${String(status)} ${String(restarts)}`;
}

interface Scenario {
  readonly title: string;
  readonly pod: Pod;
  /** What is printed, by the time since the creation in seconds. */
  readonly rows: readonly (readonly [number, string])[];
  readonly phase: string;
}

const exit = (code: number, reason?: string) => ({
  exits: [{ after: '2s', code, ...(reason !== undefined && { reason }) }],
});
const missing = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'absent', key: 'a' } } }];
const failingInit = (restartPolicy: 'Always' | 'Never'): Pod => {
  const pod = podOf('pod', exit(1), { restartPolicy });
  return { ...pod, spec: { containers: [], ...pod.spec, initContainers: [{ name: 'init', image: 'init:1' }] } };
};

const scenarios: readonly Scenario[] = [
  {
    title: 'an ordinary pod',
    pod: podOf('pod', { pull: { delay: '2s' } }),
    rows: [
      [1, '0/1 ContainerCreating 0'],
      [3, '1/1 Running 0'],
    ],
    phase: 'Running',
  },
  {
    title: 'a pod that no node fits',
    pod: podOf('pod', {}, { nodeSelector: { disk: 'ssd' } }),
    rows: [[5, '0/1 Pending 0']],
    phase: 'Pending',
  },
  {
    title: 'a missing image',
    pod: podOf('pod', { pull: { error: 'not found' } }),
    rows: [
      [0.5, '0/1 ErrImagePull 0'],
      [2, '0/1 ImagePullBackOff 0'],
      [10.5, '0/1 ErrImagePull 0'],
    ],
    phase: 'Pending',
  },
  {
    title: 'a missing ConfigMap for the environment',
    pod: podOf('pod', {}, { main: { env: missing } }),
    rows: [[1, '0/1 CreateContainerConfigError 0']],
    phase: 'Pending',
  },
  {
    title: 'a missing ConfigMap for a volume',
    pod: podOf('pod', {}, { volumes: [{ name: 'v', configMap: { name: 'absent' } }] }),
    rows: [[1, '0/1 ContainerCreating 0']],
    phase: 'Pending',
  },
  {
    title: 'exit 1 with restart policy Always',
    pod: podOf('pod', exit(1)),
    rows: [
      [1, '1/1 Running 0'],
      [4.5, '0/1 Error 1 (2s ago)'],
      [6, '0/1 CrashLoopBackOff 1 (2s ago)'],
    ],
    phase: 'Running',
  },
  {
    title: 'exit 1 with restart policy Never',
    pod: podOf('pod', exit(1), { restartPolicy: 'Never' }),
    rows: [[3, '0/1 Error 0']],
    phase: 'Failed',
  },
  {
    title: 'exit 0 with restart policy OnFailure',
    pod: podOf('pod', exit(0), { restartPolicy: 'OnFailure' }),
    rows: [[3, '0/1 Completed 0']],
    phase: 'Succeeded',
  },
  {
    title: 'memory limit exceeded with restart policy Always',
    pod: podOf('pod', exit(137, 'OOMKilled')),
    rows: [
      [4.5, '0/1 OOMKilled 1 (2s ago)'],
      [6, '0/1 CrashLoopBackOff 1 (2s ago)'],
    ],
    phase: 'Running',
  },
  {
    title: 'a failing init container with restart policy Always',
    pod: failingInit('Always'),
    rows: [
      [1, '0/1 Init:0/1 0'],
      [4.5, '0/1 Init:Error 1 (2s ago)'],
      [6, '0/1 Init:CrashLoopBackOff 1 (2s ago)'],
    ],
    phase: 'Pending',
  },
  {
    title: 'a failing init container with restart policy Never',
    pod: failingInit('Never'),
    rows: [[3, '0/1 Init:Error 0']],
    phase: 'Failed',
  },
  {
    title: 'a pod whose deadline passed',
    pod: podOf('pod', {}, { activeDeadlineSeconds: 3, terminationGracePeriodSeconds: 0 }),
    rows: [[4, '0/1 Completed 0']],
    phase: 'Failed',
  },
];

t.test('the STATUS column shows what happens to a pod', async (t) => {
  for (const { title, pod, rows, phase } of scenarios) {
    const cluster = await nodeCluster({}, { server: { authenticators: [() => [{ user: administrator }]] } });
    const pods = cluster.client.kind('v1', 'Pod').in('default');
    await pods.create(pod);
    await cluster.settled();
    const seen: [number, string][] = [];
    let elapsed = 0;
    for (const [second] of rows) {
      await cluster.advance(`${(second - elapsed) * 1000}ms`);
      elapsed = second;
      seen.push([second, await rowOf(cluster, 'pod')]);
    }
    t.strictSame(seen, rows, title);
    t.equal((await pods.get('pod')).status?.phase, phase, `${title}: phase`);
    await cluster.close();
  }
});
