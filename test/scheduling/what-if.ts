// `explain` and `simulate`, on a scheduler that runs or not, against a server; nothing is written.
import t, { type Test } from 'tap';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Node, Pod } from '../../lib/core/types/index.js';
import { createScheduler, registryOf, schedulerConfiguration, unschedulable } from '../../lib/scheduling/public.js';
import type { Explanation, Scheduler, SchedulingPlugin, SimulatedPlacement } from '../../lib/scheduling/public.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { nodeOf, podOf } from '../support/scheduling.js';
import type { NodeShape, PodShape } from '../support/scheduling.js';
import { fc, runs } from '../support/properties.js';

interface Scene {
  readonly client: Client;
  readonly scheduler: Scheduler;
}

async function sceneOf(test: Test, nodes: readonly Frozen<Node>[], pods: readonly Frozen<Pod>[] = []): Promise<Scene> {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  const client = inProcessClient(server.handler, { user: administrator });
  for (const { metadata, status, ...node } of nodes) {
    const { uid: _, ...own } = metadata ?? {};
    await client.kind('v1', 'Node').create({ ...node, metadata: own });
    await client.kind('v1', 'Node').status.patch(own.name ?? '', { merge: { status: status ?? {} } });
  }
  for (const pod of pods) await client.kind('v1', 'Pod').create(pod);
  return { client, scheduler: createScheduler({ client, clock, random: random(1) }) };
}

const small: NodeShape = { allocatable: { cpu: '2', memory: '2Gi' } };

function pod(name: string, shape: PodShape = {}): Frozen<Pod> {
  const { metadata, ...rest } = podOf(name, { namespace: 'default', ...shape });
  const { uid: _, ...own } = metadata ?? {};
  return {
    ...rest,
    metadata: own,
    spec: {
      ...rest.spec,
      containers: [{ name: 'c', image: 'image', ...(shape.requests && { resources: { requests: shape.requests } }) }],
    },
  };
}

/** Returns the explanation without its functions. */
function remedies({
  remedies: all,
}: Explanation): readonly (readonly [changes: readonly string[], nodes: readonly string[]])[] {
  return all.map(({ changes, nodeNames }) => [changes.map(({ text }) => text), nodeNames]);
}

void t.test('every plugin is evaluated on every node', async (test) => {
  const { scheduler } = await sceneOf(test, [
    nodeOf('plain', small),
    nodeOf('tainted', {
      ...small,
      taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
      labels: { disk: 'ssd' },
    }),
    nodeOf('both', {
      allocatable: { cpu: '1', memory: '1Gi' },
      taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
    }),
  ]);
  const fits = await scheduler.explain(pod('p', { requests: { cpu: '1' } }));
  test.same(fits.best, ['plain']);
  test.notOk(fits.message);
  test.same(fits.remedies, []);
  const [plain, tainted] = ['plain', 'tainted'].map((name) => fits.nodes.find((each) => each.name === name));
  test.same(plain?.rejections, []);
  test.same(
    tainted?.rejections.map(({ plugin }) => plugin),
    ['TaintToleration'],
  );
  test.ok(plain?.scores.some(({ plugin }) => plugin === 'NodeResourcesFit'));
  test.equal(
    plain?.total,
    plain?.scores.reduce((sum, { score, weight }) => sum + score * weight, 0),
  );

  const waits = await scheduler.explain(pod('p', { requests: { cpu: '3' } }));
  test.same(waits.best, []);
  test.same(
    waits.nodes.find(({ name }) => name === 'both')?.rejections.map(({ plugin }) => plugin),
    ['TaintToleration', 'NodeResourcesFit'],
    'not only the first',
  );
  test.equal(waits.message, '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).');
});

void t.test('an unschedulable pod gets the smallest remedies', async (test) => {
  const { scheduler } = await sceneOf(test, [
    nodeOf('a', { ...small, taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }),
    nodeOf('b', { ...small, unschedulable: true, labels: { disk: 'ssd' } }),
  ]);
  test.same(remedies(await scheduler.explain(pod('p', { requests: { cpu: '1' } }))), [
    [['tolerate the taint dedicated=gpu:NoSchedule'], ['a']],
    [['tolerate the taint node.kubernetes.io/unschedulable:NoSchedule'], ['b']],
  ]);
  test.same(
    remedies(
      await scheduler.explain(pod('p', { requests: { cpu: '2500m' }, spec: { nodeSelector: { disk: 'ssd' } } })),
    ),
    [
      [['tolerate the taint node.kubernetes.io/unschedulable:NoSchedule', 'ask for 500m less cpu'], ['b']],
      [
        ['tolerate the taint dedicated=gpu:NoSchedule', 'not ask for the label disk=ssd', 'ask for 500m less cpu'],
        ['a'],
      ],
    ],
    'fewer changes first',
  );
  const full = await sceneOf(test, [nodeOf('n', { allocatable: { cpu: '2', pods: '0' } })]);
  test.same(remedies(await full.scheduler.explain(pod('p'))), [], 'no pod fits on a node that takes none');
});

void t.test('every remedy works', async (test) => {
  const labels = fc.constantFrom({}, { disk: 'ssd' }, { disk: 'hdd', zone: 'z' });
  const node = fc.record({
    cpu: fc.integer({ min: 1, max: 3 }),
    labels,
    taint: fc.boolean(),
    unschedulable: fc.boolean(),
  });
  const wanted = fc.record({ cpu: fc.integer({ min: 1, max: 5 }), nodeSelector: labels, affinity: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(node, { minLength: 1, maxLength: 3 }),
      wanted,
      async (nodes, { cpu, nodeSelector, affinity }) => {
        const world = nodes.map((each, index) =>
          nodeOf(`n${index}`, {
            allocatable: { cpu: `${each.cpu}` },
            labels: each.labels,
            unschedulable: each.unschedulable,
            ...(each.taint && { taints: [{ key: 'k', effect: 'NoSchedule' }] }),
          }),
        );
        const { scheduler } = await sceneOf(test, world);
        const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' as const }] }] };
        const asking = pod('p', {
          requests: { cpu: `${cpu}` },
          spec: {
            nodeSelector,
            ...(affinity && {
              affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
            }),
          },
        });
        const { best, remedies } = await scheduler.explain(asking);
        if (best.length > 0) return;
        if (remedies.length === 0) throw new Error('there is always something that helps here');
        for (const { changes, nodeNames } of remedies) {
          const changed = changes.reduce((object, change) => change.apply(object), asking);
          const then = await scheduler.explain({ ...changed, spec: { containers: [], ...changed.spec } });
          if (!nodeNames.every((name) => then.nodes.find((each) => each.name === name)?.rejections.length === 0))
            throw new Error(changes.map(({ text }) => text).join());
        }
      },
    ),
    { numRuns: runs(30) },
  );
});

void t.test('pods are placed in a simulation, each seeing those before it', async (test) => {
  const { client, scheduler } = await sceneOf(
    test,
    [nodeOf('n', small)],
    [pod('here', { nodeName: 'n', requests: { cpu: '1' }, spec: { nodeName: 'n' } })],
  );
  const pods = ['a', 'b', 'c'].map((name) => pod(name, { requests: { cpu: '1' } }));
  const where = (all: readonly SimulatedPlacement[]): readonly string[] =>
    all.map((each) => ('nodeName' in each ? each.nodeName : each.message));
  const full = '0/1 nodes are available: 1 Insufficient cpu.';
  test.same(where(await scheduler.simulate(pods)), ['n', full, full]);
  test.same(
    where(await scheduler.simulate(pods, { nodes: [nodeOf('new', small)] })).toSorted(),
    ['0/2 nodes are available: 2 Insufficient cpu.', 'n', 'new', 'new'].slice(1).toSorted(),
  );
  test.same(where(await scheduler.simulate(pods, { withoutPods: ({ metadata }) => metadata?.name === 'here' })), [
    'n',
    'n',
    full,
  ]);
  test.same(
    where(await scheduler.simulate(pods, { withoutNodes: ['n'] })),
    Array.from(pods, () => 'no nodes available to schedule pods'),
  );
  test.same(where(await scheduler.simulate([pod('other', { spec: { schedulerName: 'other' } })])), [
    'no profile is called other',
  ]);

  const { items } = await client.kind('v1', 'Pod').list();
  test.same(
    items.map(({ metadata }) => metadata.name),
    ['here'],
    'nothing was written',
  );
});

void t.test('a pod on a node is evaluated without itself', async (test) => {
  const alone = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'one' } } },
      ],
    },
  };
  const shape: PodShape = { labels: { app: 'one' }, requests: { cpu: '2' } };
  const here = pod('here', { ...shape, spec: { nodeName: 'a', affinity: alone } });
  const { client, scheduler } = await sceneOf(
    test,
    [
      nodeOf('a', { ...small, labels: { zone: 'z' } }),
      nodeOf('b', { ...small, labels: { zone: 'z' } }),
      nodeOf('c', small),
    ],
    [here],
  );
  const placed = await client.kind('v1', 'Pod').in('default').get('here');
  test.equal(placed.spec?.nodeName, 'a');

  const { nodes, pod: asked } = await scheduler.explain(placed);
  test.equal(asked, placed);
  test.same(
    nodes.map(({ rejections }) => rejections),
    [[], [], []],
    'it could be on each, for it is on none',
  );
  test.match(await scheduler.simulate([placed], { withoutNodes: ['b', 'c'] }), [{ nodeName: 'a' }]);
  test.match(
    await scheduler.simulate([placed], { withoutNodes: ['a', 'c'] }),
    [{ nodeName: 'b' }],
    'where it goes when its node is gone',
  );
  test.match(
    await scheduler.simulate([pod('new', { requests: { cpu: '2' } }), placed], { withoutNodes: ['b', 'c'] }),
    [{ nodeName: 'a' }, { message: '0/1 nodes are available: 1 Insufficient cpu.' }],
    'others may be there first',
  );

  const twin = await scheduler.explain(pod('twin', { ...shape, spec: { affinity: alone } }));
  test.same(twin.best, ['c'], 'to others it is in the way still');
  const named = await scheduler.explain(pod('named', { spec: { nodeName: 'c' } }));
  test.same(named.best, ['c'], 'a pod that is nowhere yet may name its node');
});

void t.test('a gated pod reports its gates, and where it would be placed', async (test) => {
  const { scheduler } = await sceneOf(test, [nodeOf('n', small)]);
  const { gates, best } = await scheduler.explain(
    pod('p', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } }),
  );
  test.match(gates, [{ plugin: 'SchedulingGates', reasons: ['waiting for scheduling gates: [example.com/wait]'] }]);
  test.same(best, ['n']);
  test.same((await scheduler.explain(pod('p'))).gates, []);
});

void t.test('rejections keep the order of the filters of the profile', async (test) => {
  const early = (name: string): SchedulingPlugin => ({ name, preFilter: () => unschedulable(`${name} is against it`) });
  const plugins: readonly SchedulingPlugin[] = [{ ...early('Late'), filter: () => undefined }, early('Before')];
  const { client } = await sceneOf(test, [nodeOf('n', { ...small, unschedulable: true })]);
  const enabled = plugins.map(({ name }) => ({ name }));
  const configuration = schedulerConfiguration(
    { profiles: [{ plugins: { multiPoint: { enabled } } }] },
    { plugins: registryOf(plugins) },
  );
  const scheduler = createScheduler({ client, clock: virtualClock(), random: random(1), plugins, configuration });
  const { nodes } = await scheduler.explain(pod('p', { requests: { cpu: '3' } }));
  test.same(
    nodes[0]?.rejections.map(({ plugin }) => plugin),
    ['Before', 'NodeUnschedulable', 'NodeResourcesFit', 'Late'],
  );
});

void t.test('a running scheduler answers from its cache', async (test) => {
  const { scheduler, client } = await sceneOf(test, [nodeOf('n', small)]);
  await new Promise<void>((resolve) => {
    const running = scheduler.run().subscribe(({ type }) => {
      if (type === 'started') resolve();
    });
    test.teardown(() => running.unsubscribe());
  });
  test.same((await scheduler.explain(pod('p', { requests: { cpu: '1' } }))).best, ['n']);
  test.match(await scheduler.simulate([pod('p', { requests: { cpu: '1' } })]), [{ nodeName: 'n' }]);
  await test.rejects(
    scheduler.explain(pod('p', { spec: { schedulerName: 'other' } })),
    /no profile of this scheduler is called other/,
  );
  test.same((await client.kind('v1', 'Pod').list()).items, []);
});
