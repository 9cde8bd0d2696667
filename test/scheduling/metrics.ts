// Metrics of the scheduler on virtual time: labels and numbers of observations. The random stream that samples cycles
// is replaced where a test needs exact counts.
import { firstValueFrom } from 'rxjs';
import t, { type Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { Clock, Random, VirtualClock } from '../../lib/core/index.js';
import type { PodSpec } from '../../lib/core/types/index.js';
import {
  actions,
  createScheduler,
  on,
  registryOf,
  schedulerConfiguration,
  unschedulable,
} from '../../lib/scheduling/public.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import type { PluginTools, Scheduler, SchedulerOptions, SchedulingPlugin } from '../../lib/scheduling/public.js';
import { exponential } from '../../lib/scheduling/scheduler/metric-families.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly scheduler: Scheduler;
  node(name: string, cpu?: string): Promise<void>;
  pod(name: string, spec?: Partial<PodSpec>): Promise<void>;
  remove(name: string): Promise<void>;
  nodeOf(name: string): Promise<string | undefined>;
  /** Returns the samples of a family by label values, joined by spaces: `_count` of histograms. */
  counts(family: string, ...labels: readonly string[]): Readonly<Record<string, number>>;
}

async function scene(t: Test, { plugins = [], ...options }: Partial<SchedulerOptions> = {}): Promise<Scene> {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const client = inProcessClient(server.handler);
  const points = registryOf(plugins.map(definitionOf));
  const everywhere = { multiPoint: { enabled: [...points.keys()].map((name) => ({ name })) } };
  const configuration = schedulerConfiguration({ profiles: [{ plugins: everywhere }] }, { plugins: points });
  const scheduler = createScheduler({ client, clock, random: random(2), configuration, plugins, ...options });
  const running = observe(scheduler.run());
  await clock.settled();
  t.teardown(async () => {
    running.unsubscribe();
    await server.close();
    await store.close();
  });
  const pods = client.kind('v1', 'Pod').in('default');
  return {
    clock,
    scheduler,
    node: async (name, cpu = '4') => {
      await client
        .kind('v1', 'Node')
        .create({ metadata: { name }, status: { allocatable: { cpu, memory: '16Gi', pods: '110' } } });
      await clock.settled();
    },
    pod: async (name, spec = {}) => {
      await pods.create({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }], ...spec },
      });
      await clock.settled();
    },
    remove: async (name) => {
      await pods.delete(name, { gracePeriodSeconds: 0 });
      await clock.settled();
    },
    nodeOf: async (name) => (await pods.get(name)).spec?.nodeName,
    counts: (family, ...labels) => countsIn(scheduler.metrics(), `scheduler_${family}`, labels),
  };
}

function countsIn(text: string, name: string, labels: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [, suffix, given = '', value] of text.matchAll(
    new RegExp(`^${name}(_count)?(?:\\{(.*)\\})? (\\S+)$`, 'gm'),
  )) {
    if (suffix === undefined && text.includes(`# TYPE ${name} histogram`)) continue;
    const valueOf = (label: string): string => new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(given)?.[1] ?? '';
    const key = labels.map(valueOf).join(' ');
    counts[key] = (counts[key] ?? 0) + Number(value);
  }
  return counts;
}

/** A random source whose stream for timings always draws the same number. */
function timing(drawn: number): Random {
  const all = random(2);
  return { ...all, stream: (name) => (name === 'timings' ? { ...all, next: () => drawn } : all.stream(name)) };
}

const everyCycle = timing(0);
const noCycle = timing(0.1);
const point = ['extension_point', 'status'] as const;

for (const placing of ['fast', 'plain'] as const) {
  t.test(`a pod that is placed passes every point once (${placing})`, async (t) => {
    const { node, pod, counts } = await scene(t, { placing, random: noCycle });
    await node('n1');
    await node('n2');
    await pod('web', { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] });
    t.strictSame(counts('framework_extension_point_duration_seconds', ...point, 'profile'), {
      'PreEnqueue Success default-scheduler': 1,
      'PreFilter Success default-scheduler': 1,
      'Filter Success default-scheduler': 1,
      'PreScore Success default-scheduler': 1,
      'Score Success default-scheduler': 1,
      'Reserve Success default-scheduler': 1,
      'Permit Success default-scheduler': 1,
      'PreBindPreFlight Skip default-scheduler': 1,
      'PreBind Success default-scheduler': 1,
      'Bind Success default-scheduler': 1,
      'PostBind Success default-scheduler': 1,
    });
    t.strictSame(
      counts('plugin_execution_duration_seconds', 'plugin'),
      {},
      'plugins are timed one by one only in cycles that were drawn',
    );
    t.strictSame(
      counts('plugin_evaluation_total', 'extension_point', 'plugin', 'profile'),
      {
        'PreFilter NodePorts default-scheduler': 1,
        'Filter NodeUnschedulable default-scheduler': 2,
        'Filter NodeName default-scheduler': 2,
        'Filter TaintToleration default-scheduler': 2,
        'Filter NodePorts default-scheduler': 2,
        'Filter NodeResourcesFit default-scheduler': 2,
        'Score TaintToleration default-scheduler': 2,
        'Score NodeResourcesFit default-scheduler': 2,
        'Score ImageLocality default-scheduler': 2,
        'Score DynamicResources default-scheduler': 2,
      },
      'pods are counted, then nodes; who has nothing to do with the pod did not judge',
    );
  });

  t.test(`an unschedulable pod ends at PostFilter, and one that preempts succeeds there (${placing})`, async (t) => {
    const { node, pod, counts } = await scene(t, { placing, random: everyCycle });
    await node('n1', '1');
    await pod('low');
    await pod('big', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '9' } } }] });
    const ofPoints = (): Readonly<Record<string, number>> =>
      counts('framework_extension_point_duration_seconds', ...point);
    t.match(ofPoints(), {
      'PreFilter Success': 2,
      'Filter Success': 2,
      'PostFilter Unschedulable': 1,
      'Reserve Success': 1,
      'Bind Success': 1,
    });
    t.notOk('Score Success' in ofPoints(), 'one node needs no score');
    await pod('high', { priority: 1000 });
    t.match(ofPoints(), { 'PostFilter Success': 1 });
    t.equal(counts('preemption_attempts_total')[''], 2);
    t.equal(counts('preemption_victims')[''], 1);
    t.match(counts('plugin_execution_duration_seconds', 'plugin', ...point), {
      'DefaultPreemption PostFilter Unschedulable': 1,
      'DefaultPreemption PostFilter Success': 1,
      'DefaultBinder Bind Success': 1,
      'SchedulingGates PreEnqueue Success': 3,
    });
  });
}

t.test('an attempt without nodes records no extension points, but its search', async (t) => {
  const { pod, counts } = await scene(t);
  await pod('web');
  t.strictSame(Object.keys(counts('framework_extension_point_duration_seconds', ...point)), ['PreEnqueue Success']);
  t.strictSame(counts('scheduling_algorithm_duration_seconds'), { '': 1 });
  t.strictSame(counts('schedule_attempts_total', 'result'), { unschedulable: 1 });
});

t.test('gates, waits and rejections are recorded with their status', async (t) => {
  let tools: PluginTools | undefined;
  const careful: SchedulingPlugin = {
    name: 'Careful',
    events: [],
    preEnqueue: ({ name }) => (name === 'gated' ? unschedulable('not yet') : undefined),
    preFilter: ({ pod: { name } }) => {
      if (name === 'broken') throw new Error('broken');
      return name === 'refused' ? unschedulable('never') : 'skip';
    },
    permit: ({ pod: { name } }) =>
      name === 'held' ? { waitMs: 60_000 } : name === 'unwanted' ? unschedulable('no') : undefined,
  };
  const definition = { ...definitionOf(careful), create: (given: PluginTools) => ((tools = given), careful) };
  const { clock, node, pod, counts } = await scene(t, { plugins: [definition], random: everyCycle });
  await node('n1', '9');
  for (const name of ['gated', 'broken', 'refused', 'held', 'unwanted']) await pod(name);
  await clock.advance(2000);
  for (const waiting of tools?.waitingPods.list() ?? []) waiting.allow('Careful');
  await clock.settled();
  t.match(counts('framework_extension_point_duration_seconds', ...point), {
    'PreEnqueue Unschedulable': 1,
    'PreFilter Unschedulable': 1,
    'Permit Wait': 1,
    'Permit Unschedulable': 1,
    'Unreserve Success': 1,
    'Bind Success': 1,
  });
  t.ok((counts('framework_extension_point_duration_seconds', ...point)['PreFilter Error'] ?? 0) >= 1);
  t.match(counts('plugin_execution_duration_seconds', 'plugin', ...point), {
    'Careful PreEnqueue Unschedulable': 1,
    'Careful Permit Wait': 1,
    'Careful Permit Unschedulable': 1,
  });
  t.ok((counts('plugin_execution_duration_seconds', 'plugin', ...point)['Careful PreFilter Error'] ?? 0) >= 1);
  t.strictSame(counts('permit_wait_duration_seconds', 'result'), { Success: 1 });
  t.equal(counts('permit_wait_duration_seconds_sum', 'result').Success, 2, 'seconds');
});

t.test('a custom plugin is timed in sampled cycles, by the clock', async (t) => {
  const slow = (clock: Clock): SchedulingPlugin => ({
    name: 'Slow',
    filter: (_, { name }) => (name === 'n1' ? unschedulable('not here') : undefined),
    score: () => 7,
    preBind: async () => {
      await firstValueFrom(clock.timer(3000), { defaultValue: 0 });
      return undefined;
    },
  });
  for (const [chance, isTimed] of [
    [everyCycle, true],
    [noCycle, false],
  ] as const) {
    const definition = { ...definitionOf(slow(virtualClock())), create: (tools: PluginTools) => slow(tools.clock) };
    const { clock, node, pod, counts, nodeOf } = await scene(t, { plugins: [definition], random: chance });
    for (const name of ['n1', 'n2', 'n3']) await node(name);
    await pod('web');
    await clock.advance(3000);
    t.match(await nodeOf('web'), /n[23]/);
    const ofPlugin = Object.entries(counts('plugin_execution_duration_seconds', 'plugin', ...point)).filter(([key]) =>
      key.startsWith('Slow'),
    );
    const timed = {
      'Slow Filter Unschedulable': 1,
      'Slow Filter Success': 2,
      'Slow Score Success': 2,
      'Slow PreBind Success': 1,
    };
    t.strictSame(Object.fromEntries(ofPlugin), isTimed ? timed : {});
    t.equal(
      counts('plugin_execution_duration_seconds_sum', 'plugin', 'extension_point')['Slow PreBind'],
      isTimed ? 3 : undefined,
    );
    t.equal(counts('framework_extension_point_duration_seconds_sum', 'extension_point').PreBind, 3);
    t.match(counts('plugin_evaluation_total', 'extension_point', 'plugin'), { 'Filter Slow': 3, 'Score Slow': 2 });
  }
});

t.test('about one cycle of ten is sampled, and sampling does not change placements', async (t) => {
  const placed: string[][] = [];
  for (const chance of [random(2), everyCycle, noCycle]) {
    const { node, pod, counts, nodeOf } = await scene(t, { random: chance });
    for (let index = 0; index < 12; index += 1) await node(`n${index}`, '32');
    const names = Array.from({ length: 100 }, (_, index) => `pod-${index}`);
    for (const name of names) await pod(name);
    placed.push(await Promise.all(names.map(async (name) => (await nodeOf(name)) ?? '')));
    const drawn = counts('plugin_execution_duration_seconds', 'plugin', 'extension_point')['DefaultBinder Bind'] ?? 0;
    if (placed.length === 1) t.ok(drawn > 2 && drawn < 25, `${drawn} of 100`);
    else t.equal(drawn, placed.length === 2 ? 100 : 0);
  }
  t.strictSame(placed[1], placed[0]);
  t.strictSame(placed[2], placed[0]);
});

t.test('queueing hints are recorded by event and result', async (t) => {
  const picky: SchedulingPlugin = {
    name: 'Picky',
    events: [
      on('Node', actions.add, (_, __, node) => {
        if (node?.metadata?.name === 'broken') throw new Error('broken');
        return node?.metadata?.name === 'good' ? 'queue' : 'skip';
      }),
      on('Pod', actions.delete),
    ],
    filter: (_, { name }) => (name === 'good' ? undefined : unschedulable('no')),
  };
  const { clock, node, pod, remove, counts } = await scene(t, { plugins: [picky] });
  await node('first');
  await pod('web');
  await node('bad');
  const hints = (): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.entries(counts('queueing_hint_execution_duration_seconds', 'plugin', 'event', 'hint')).filter(([key]) =>
        key.startsWith('Picky'),
      ),
    );
  t.strictSame(hints(), { 'Picky NodeAdd QueueSkip': 1 });
  await node('broken');
  t.strictSame(hints(), { 'Picky NodeAdd QueueSkip': 1, 'Picky NodeAdd Error': 1 });
  await clock.advance('10s');
  await node('good');
  t.strictSame(hints(), { 'Picky NodeAdd QueueSkip': 1, 'Picky NodeAdd Error': 1, 'Picky NodeAdd Queue': 1 });
  await clock.advance('20s');
  await pod('lost', { nodeSelector: { nowhere: 'x' } });
  await remove('web');
  t.match(counts('event_handling_duration_seconds', 'event'), {
    NodeAdd: 4,
    UnschedulablePodAdd: 2,
    UnschedulablePodDelete: 1,
    AssignedPodAdd: 1,
    AssignedPodDelete: 1,
  });
  t.ok((counts('event_handling_duration_seconds', 'event').UnschedulablePodUpdate ?? 0) > 0, 'conditions are written');
});

t.test('events are counted by name while pods are in flight', async (t) => {
  const patient: SchedulingPlugin = { name: 'Patient', permit: () => ({ waitMs: 60_000 }) };
  const { node, pod, remove, counts } = await scene(t, { plugins: [patient] });
  t.strictSame(counts('inflight_events', 'event'), { PodPopped: 0 });
  await node('n1');
  await pod('web');
  await node('n2');
  await node('n3');
  t.match(counts('inflight_events', 'event'), { PodPopped: 1, NodeAdd: 2 });
  await remove('web');
  t.strictSame(counts('inflight_events', 'event'), { PodPopped: 0 });
});

t.test('listing a cluster once records nothing', async (t) => {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock });
  const client = inProcessClient(server.handler);
  const scheduler = createScheduler({ client, clock });
  await client.kind('v1', 'Node').create({ metadata: { name: 'n1' } });
  await scheduler.explain({ metadata: { name: 'p', namespace: 'default' }, spec: { containers: [] } });
  t.notMatch(scheduler.metrics(), /event_handling|extension_point/);
  await server.close();
  await store.close();
});

t.test('bucket bounds are exactly those of kube-scheduler', (t) => {
  t.strictSame(exponential(0.0001, 2, 4), [0.0001, 0.0002, 0.0004, 0.0008]);
  // 1.5 times the previous bound, rounded each time as in Go.
  t.equal(exponential(0.00001, 1.5, 20).at(-1), 0.02216837820053101);
  t.end();
});
