// What a scheduler writes, one pod after the other: the pod itself, its binding, an Event about it, a condition of its
// status, and its end. Through the client in process, with a watcher of all pods, by the processor time of this
// process.
import { inProcessClient } from '../../lib/client/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Binding, eventsV1, Pod } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Row } from '../measure.js';
import { samplePod } from '../sample-pod.js';

/** The default pod of Kubernetes' scheduler_perf. */
const smallPod: Frozen<Pod> = {
  metadata: { generateName: 'pod-', labels: {} },
  spec: {
    containers: [
      {
        image: 'registry.k8s.io/pause:3.10.1',
        name: 'pause',
        ports: [{ containerPort: 80 }],
        resources: { requests: { cpu: '100m', memory: '500Mi' } },
      },
    ],
  },
};

/** Microseconds of each write, the best of several rounds. */
export async function measureWrites({ rounds = 8, calls = 2000 } = {}): Promise<Row[]> {
  const writes = await writeSteps(calls);
  const best = writes.steps.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { write }] of writes.steps.entries()) {
      const start = process.cpuUsage();
      for (let n = 0; n < calls; n += 1) await write(n);
      const { user, system } = process.cpuUsage(start);
      best[index] = Math.min(best[index] ?? 0, (user + system) / calls);
    }
  }
  await writes.close();
  return writes.steps.map(({ name, goal }, index) => ({ name, value: best[index] ?? Number.NaN, unit: 'µs', goal }));
}

interface Step {
  readonly name: string;
  readonly goal: string;
  readonly write: (n: number) => Promise<unknown>;
}

/** The writes in their order, each for the pods of the one before. */
export async function writeSteps(
  calls: number,
): Promise<{ readonly steps: readonly Step[]; readonly close: () => Promise<void> }> {
  const store = memoryStore();
  const server = createServer({ store });
  const client = inProcessClient(server.handler);
  const pods = client.kind('v1', 'Pod').in('default');
  const bindings = pods.subresource<Binding>('binding');
  const events = client.kind('events.k8s.io/v1', 'Event').in('default');
  const watching = client.kind('v1', 'Pod').watch().subscribe();
  const names: string[] = Array.from({ length: calls }, () => '');
  let written = 0;
  const big: Frozen<Pod> = { ...samplePod, metadata: { ...samplePod.metadata, namespace: 'default' } };
  await pods.list();
  const steps: readonly Step[] = [
    {
      name: 'create a pod of 2.7 KB',
      goal: '≤ 130',
      write: (n) => pods.create(big).then(({ metadata }) => (names[n] = metadata.name)),
    },
    { name: 'delete it at once', goal: '≤ 50', write: (n) => pods.delete(names[n] ?? '', { gracePeriodSeconds: 0 }) },
    {
      name: 'create a small pod',
      goal: '≤ 60',
      write: (n) => pods.create(smallPod).then(({ metadata }) => (names[n] = metadata.name)),
    },
    {
      name: 'bind it',
      goal: '≤ 50',
      write: (n) =>
        bindings.create(names[n] ?? '', {
          metadata: { name: names[n] ?? '' },
          target: { kind: 'Node', name: `node-${n % 100}` },
        }),
    },
    {
      name: 'create an Event about it',
      goal: '≤ 40',
      write: (n) => events.create(scheduled(names[n] ?? '', (written += 1))),
    },
    {
      name: 'patch a condition of its status, strategic',
      goal: '≤ 60',
      write: (n) => pods.status.patch(names[n] ?? '', { strategic: { status: { conditions: [condition] } } }),
    },
    {
      name: 'patch its status, merge',
      goal: '≤ 60',
      write: (n) =>
        pods.status.patch(names[n] ?? '', { merge: { status: { phase: 'Running', conditions: [condition] } } }),
    },
    { name: 'delete it at once', goal: '≤ 50', write: (n) => pods.delete(names[n] ?? '', { gracePeriodSeconds: 0 }) },
  ];
  const close = async (): Promise<void> => {
    watching.unsubscribe();
    await server.close();
    await store.close();
  };
  return { steps, close };
}

const condition = {
  type: 'Ready',
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Started',
  message: 'all is well',
} as const;

function scheduled(name: string, at: number): Frozen<eventsV1.Event> {
  return {
    metadata: { name: `${name}.${at.toString(16).padStart(16, '0')}` },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'default-scheduler',
    reportingInstance: 'default-scheduler-host',
    action: 'Binding',
    reason: 'Scheduled',
    regarding: {
      kind: 'Pod',
      namespace: 'default',
      name,
      uid: '6b1b6f0e-1d2c-4a7e-9c3f-0a1b2c3d4e5f',
      apiVersion: 'v1',
      resourceVersion: '1',
    },
    note: `Successfully assigned default/${name} to node-1`,
    type: 'Normal',
  };
}
