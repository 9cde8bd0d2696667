// Properties of the whole scheduler against a server, over random histories on virtual time: no feasible pod waits
// forever, no preemption is unnecessary, back-offs are respected, nominated room is kept, one seed gives one history,
// and nothing is left over after the end.
import { firstValueFrom } from 'rxjs';
import t from 'tap';
import type { Transport } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import {
  CycleState,
  actions,
  on,
  registryOf,
  schedulerConfiguration,
  unresolvable,
  unschedulable,
} from '../../lib/scheduling/public.js';
import { isPlaced } from '../../lib/scheduling/framework/placement.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type {
  SchedulerActivity,
  Cycle,
  NodeView,
  PodFacts,
  ProfileDocument,
  SchedulerConfiguration,
  SchedulingPlugin,
} from '../../lib/scheduling/public.js';
import { plainPlacer } from '../../lib/scheduling/framework/plain-placer.js';
import { anyDeed, anyNode, histories, plainNode, priorities, scheduledCluster } from '../support/scheduled-cluster.js';
import type { Deed, PodWish, ScheduledCluster, ScheduledClusterOptions } from '../support/scheduled-cluster.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

/** Longer than any back-off: ten seconds, rounded up. */
const pastBackoffMs = 12_000;

/** Runs a history. */
async function lived(history: readonly Deed[], options?: ScheduledClusterOptions): Promise<ScheduledCluster> {
  const cluster = await scheduledCluster(options);
  for (const deed of history) await cluster.perform(deed);
  return cluster;
}

/** Lets kubelets finish and back-offs end, until no pod is bound any more. */
async function calm(cluster: ScheduledCluster): Promise<void> {
  for (let before = -1; before !== moves(cluster).length;) {
    before = moves(cluster).length;
    await cluster.perform({ what: 'leave' });
    await cluster.perform({ what: 'wait', ms: pastBackoffMs });
  }
}

/** Which pods were bound, and which were preempted. */
function moves(cluster: ScheduledCluster): readonly string[] {
  return [...seenOf(cluster, 'scheduled'), ...seenOf(cluster, 'preempted')].map(
    ({ type, pod }) => `${pod.metadata?.name} ${type}`,
  );
}

function seenOf<T extends SchedulerActivity['type']>(
  { seen }: ScheduledCluster,
  type: T,
): readonly Extract<SchedulerActivity, { type: T }>[] {
  return seen
    .map(({ attempt }) => attempt)
    .filter((attempt): attempt is Extract<SchedulerActivity, { type: T }> => attempt.type === type);
}

/** Ends the run and checks that nothing is left over. */
async function ended(cluster: ScheduledCluster): Promise<void> {
  const left = await cluster.stop();
  equal(left, { watches: 0, timers: 0 }, 'what is left');
}

/** Throws if two values differ, for properties. */
function equal(found: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${what}: ${one} instead of ${other}`);
}

/** A configuration with test plugins in addition to the default ones. */
function configured(
  plugins: readonly SchedulingPlugin[],
  profile: ProfileDocument['plugins'] = {},
  rest: object = {},
): SchedulerConfiguration {
  const everywhere = { enabled: plugins.map(({ name }) => ({ name })) };
  return schedulerConfiguration(
    { profiles: [{ plugins: { multiPoint: everywhere, ...profile } }], ...rest },
    { plugins: registryOf(plugins) },
  );
}

const cpuOf = ({ spec }: Frozen<Pod>): number => Number(spec?.containers[0]?.resources?.requests?.cpu ?? 0);
const cpuOfAll = (pods: readonly PodFacts[]): number => pods.reduce((sum, { object }) => sum + cpuOf(object), 0);
const cpuOfNode = ({ object }: NodeView): number => Number(object.status?.allocatable?.cpu ?? 0);

t.test('no feasible pod waits forever', { timeout: 200_000 }, async (t) => {
  await fc.assert(
    fc.asyncProperty(histories(anyNode, anyDeed, 40), async (history) => {
      const cluster = await lived(history);
      await cluster.perform({ what: 'wait', ms: pastBackoffMs });
      equal(await overlooked(cluster), [], 'they fit while others are leaving, and wait');
      await calm(cluster);
      equal(await overlooked(cluster), [], 'they fit, and wait');
      const before = moves(cluster).length;
      await cluster.perform({ what: 'wait', ms: 360_000 });
      equal(moves(cluster).slice(before), [], 'time helped where something that happened should have');
      equal(
        /scheduler_pod_scheduled_after_flush_total (\d+)/.exec(cluster.scheduler.metrics())?.[1] ?? '0',
        '0',
        'scheduled after flush',
      );
      await ended(cluster);
    }),
    { numRuns: runs(200) },
  );
  t.pass('whatever happens');
});

/** Pods without a node that would be feasible in another attempt. */
async function overlooked(cluster: ScheduledCluster): Promise<readonly string[]> {
  const { parts } = cluster.scheduler;
  const profile = parts?.profiles.get('default-scheduler');
  if (parts === undefined || profile === undefined) throw new Error('the scheduler does not run');
  if (parts.cache.nodes.length === 0) return [];
  const placer = plainPlacer({
    plugins: profile.plugins,
    percentageOfNodesToScore: 100,
    rotation: { start: 0 },
    random: random('ties'),
  });
  const waiting = (await cluster.pods()).filter(
    ({ metadata, spec, status }) =>
      spec?.nodeName === undefined &&
      status?.phase === 'Pending' &&
      metadata.deletionTimestamp === undefined &&
      !spec?.schedulingGates?.length,
  );
  return waiting
    .filter((pod) => isPlaced(placer.place({ pod: podFacts(pod), cluster: parts.cache, state: new CycleState() })))
    .map(({ metadata }) => metadata.name);
}

t.test('a preemptor whose victims terminate one by one is scheduled', async (t) => {
  const plain = { cpu: 1, priority: 'low', app: 'x', graceSeconds: 0 } as const;
  // The first victim has the port, which is why the preemptor was rejected; the other only uses resources.
  const cluster = await lived([
    { what: 'node', name: 'n1', cpu: 2, zone: 'a' },
    { what: 'pod', ...plain, port: true },
    { what: 'pod', ...plain },
    { what: 'node', name: 'n1', cpu: 1, zone: 'a' },
    { what: 'pod', ...plain, priority: 'high', port: true },
    { what: 'wait', ms: pastBackoffMs },
  ]);
  t.strictSame(
    (await cluster.pods()).map(({ metadata, spec }) => `${metadata.name} ${spec?.nodeName}`),
    ['p003 n1'],
  );
  await ended(cluster);
});

t.test('a pod that waits for room of a nominated pod is requeued when that pod is bound elsewhere', async (t) => {
  const slow = { app: 'x', graceSeconds: 5 } as const;
  const cluster = await lived([
    { what: 'node', name: 'n1', cpu: 3, zone: 'a' },
    { what: 'node', name: 'n2', cpu: 3, zone: 'b', tainted: true },
    { what: 'pod', ...slow, priority: 'low', cpu: 2 },
    { what: 'pod', ...slow, priority: 'high', cpu: 3, zone: 'a', tolerant: true },
    { what: 'pod', ...slow, priority: 'low', cpu: 1 },
    // The other node has the right label now, which helps only the preemptor.
    { what: 'node', name: 'n2', cpu: 3, zone: 'a', tainted: true },
    { what: 'wait', ms: pastBackoffMs },
  ]);
  t.strictSame(
    (await cluster.pods()).map(({ metadata, spec }) => `${metadata.name} ${spec?.nodeName}`),
    ['p001 n1', 'p002 n2', 'p003 n1'],
  );
  await ended(cluster);
});

/** The inputs of preemption for one pod. */
interface Plight {
  readonly preemptor: PodFacts;
  readonly nodes: readonly CrowdedNode[];
  /** The apps whose budget allows no disruption. */
  readonly kept: ReadonlySet<string>;
  /** The state observed at that time. */
  readonly since: number;
}

interface CrowdedNode {
  readonly name: string;
  /** The amount that the pod needs beyond what is free and not reserved for nominated pods. */
  readonly lacking: number;
  /** Pods of lower priority. */
  readonly removable: readonly PodFacts[];
}

function plightOf({ pod, cluster }: Cycle, since: number): Plight {
  const nodes = cluster.nodes.map((node) => {
    const promised = cluster
      .nominatedTo(node.name)
      .filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
    const lacking = cpuOfAll(node.pods) + cpuOfAll(promised) + cpuOf(pod.object) - cpuOfNode(node);
    return { name: node.name, lacking, removable: node.pods.filter(({ priority }) => priority < pod.priority) };
  });
  const budgets = cluster.objects.list('PodDisruptionBudget').filter(({ status }) => status?.disruptionsAllowed === 0);
  return { preemptor: pod, nodes, kept: new Set(budgets.map(({ metadata }) => metadata?.name ?? '')), since };
}

const helps = ({ lacking }: CrowdedNode, leaving: readonly PodFacts[]): boolean => cpuOfAll(leaving) >= lacking;

/** The lowest possible highest priority of the victims on a node. */
function leastPriority(node: CrowdedNode): number {
  const enough = node.removable
    .map(({ priority }) => priority)
    .filter((highest) =>
      helps(
        node,
        node.removable.filter(({ priority }) => priority <= highest),
      ),
    );
  return Math.min(...enough);
}

/** Compares the victims with all possible ones. */
function judge({ preemptor, nodes, kept }: Plight, victims: readonly PodFacts[], nodeName: string | undefined): void {
  const helpful = nodes.filter((node) => helps(node, node.removable));
  equal(victims.length > 0, helpful.length > 0, `victims exist for ${preemptor.name}`);
  const node = helpful.find(({ name }) => name === nodeName);
  if (victims.length === 0 || node === undefined) return;
  const isKept = ({ labels }: PodFacts): boolean => kept.has(labels.app ?? '');
  equal(
    victims.filter(({ priority }) => priority >= preemptor.priority),
    [],
    'victims that are as important',
  );
  equal(
    victims.every(({ uid }) => node.removable.some((pod) => pod.uid === uid)),
    true,
    'victims are on the node',
  );
  equal(helps(node, victims), true, 'those who leave are enough');
  equal(
    victims
      .filter((victim) =>
        helps(
          node,
          victims.filter((other) => other !== victim),
        ),
      )
      .map(({ name }) => name),
    [],
    'victims who could have stayed',
  );
  if (
    helpful.some((other) =>
      helps(
        other,
        other.removable.filter((pod) => !isKept(pod)),
      ),
    )
  )
    equal(
      victims.filter(isKept).map(({ name }) => name),
      [],
      'victims that a budget protects',
    );
  if (kept.size === 0)
    equal(
      Math.max(...victims.map(({ priority }) => priority)),
      Math.min(...helpful.map(leastPriority)),
      'the most important victim',
    );
}

const crowding: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 12, arbitrary: plainPods('low', 'middle', 'high').map((pod) => ({ ...pod, graceSeconds: 0 })) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('budget' as const),
      app: fc.constantFrom('x' as const, 'y' as const),
      allowed: fc.constantFrom(0, 100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete' as const), pod: fc.nat(30) }) },
);

t.test('no pod is preempted unnecessarily', { timeout: 200_000 }, async (t) => {
  let preemptions = 0;
  await fc.assert(
    fc.asyncProperty(histories(plainNode, crowding, 40), async (history) => {
      const plights: Plight[] = [];
      const witness: SchedulingPlugin = {
        name: 'Witness',
        postFilter: (cycle) => {
          plights.push(plightOf(cycle, seen.length));
          return { rejection: unschedulable() };
        },
      };
      const postFilter = { disabled: [{ name: '*' }], enabled: [{ name: 'Witness' }, { name: 'DefaultPreemption' }] };
      const cluster = await scheduledCluster({
        plugins: [witness],
        configuration: configured([witness], { multiPoint: {}, postFilter }),
      });
      const { seen } = cluster;
      for (const deed of history) await cluster.perform(deed);
      for (const plight of plights) {
        const { uid } = plight.preemptor;
        const next = plights.find(({ preemptor, since }) => preemptor.uid === uid && since > plight.since);
        const then = seen.slice(plight.since, next?.since).map(({ attempt }) => attempt);
        const victims = then
          .filter((attempt) => attempt.type === 'preempted')
          .filter(({ by }) => by?.metadata?.uid === uid);
        const outcome = then
          .filter((attempt) => attempt.type === 'unschedulable')
          .find(({ pod }) => pod.metadata?.uid === uid);
        judge(
          plight,
          victims.map(({ pod }) => podFacts(pod)),
          outcome?.nominatedNodeName,
        );
        preemptions += victims.length > 0 ? 1 : 0;
      }
      await ended(cluster);
    }),
    { numRuns: runs(120) },
  );
  t.ok(preemptions >= seenAtLeast(100), `in ${preemptions} preemptions`);
});

/** Pods constrained only by resources. */
function plainPods(
  ...priorities: readonly PodWish['priority'][]
): fc.Arbitrary<Extract<Deed, { readonly what: 'pod' }>> {
  return fc.record({
    what: fc.constant('pod' as const),
    cpu: fc.integer({ min: 1, max: 3 }),
    priority: fc.constantFrom(...priorities),
    app: fc.constantFrom('x' as const, 'y' as const),
    graceSeconds: fc.constantFrom(0, 5),
  });
}

const competing: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 12, arbitrary: plainPods('low', 'low', 'high') },
  { weight: 2, arbitrary: fc.constant<Deed>({ what: 'leave' }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4000 }) }) },
);

t.test('room of a nominated pod is kept, and the nominated pod gets it', { timeout: 200_000 }, async (t) => {
  let landed = 0;
  await fc.assert(
    fc.asyncProperty(histories(plainNode, competing, 40), async (history) => {
      const stolen: string[] = [];
      const witness: SchedulingPlugin = {
        name: 'Witness',
        events: [],
        reserve: ({ pod, cluster }, nodeName) => {
          const node = cluster.node(nodeName);
          if (node === undefined) return;
          const promised = cluster
            .nominatedTo(nodeName)
            .filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
          if (cpuOfAll(node.pods) + cpuOfAll(promised) > cpuOfNode(node))
            stolen.push(`${pod.name} from ${promised.map(({ name }) => name).join(', ')}`);
        },
      };
      const cluster = await lived(history, { plugins: [witness], configuration: configured([witness]) });
      await calm(cluster);
      equal(stolen, [], 'room was stolen');
      const promised = new Set(
        seenOf(cluster, 'unschedulable')
          .filter(({ nominatedNodeName = '' }) => nominatedNodeName !== '')
          .map(({ pod }) => pod.metadata?.name),
      );
      const homeless = (await cluster.pods()).filter(
        ({ metadata, spec }) => promised.has(metadata.name) && spec?.nodeName === undefined,
      );
      equal(
        homeless.map(({ metadata }) => metadata.name),
        [],
        'promised a node, and without one',
      );
      landed += promised.size;
      await ended(cluster);
    }),
    { numRuns: runs(80) },
  );
  t.ok(landed >= seenAtLeast(40), `${landed} preemptors got their node`);
});

/** The outcome of an attempt: rejected or error. */
type Outcome = 'no' | 'error';

/** Makes the pods of high priority fail in the given ways, then succeed. */
function failing(outcomes: readonly Outcome[], events?: SchedulingPlugin['events']): SchedulingPlugin {
  const left = [...outcomes];
  return {
    name: 'Failing',
    ...(events && { events }),
    filter: ({ pod }) => {
      const outcome = pod.priority === priorities.high ? left.shift() : undefined;
      if (outcome === 'error') throw new Error('out of order');
      return outcome === 'no' ? unresolvable('not yet') : undefined;
    },
  };
}

/** The earliest time of each attempt after the given failures, for a scheduler that acts at the times of `turn`. */
function attemptTimes(outcomes: readonly Outcome[], firstAt: number, turn: (at: number) => number): readonly number[] {
  const times = [firstAt];
  let [rejections, errors, at] = [0, 0, firstAt];
  for (const outcome of outcomes) {
    if (outcome === 'no') [rejections, errors] = [rejections + 1, 0];
    else errors += 1;
    const seconds = Math.min(2 ** ((outcome === 'no' ? rejections : errors) - 1), 10);
    at = turn(Math.floor((at + seconds * 1000) / 1000) * 1000 + 1000);
    times.push(at);
  }
  return times;
}

/** Times of the attempts of high-priority pods. */
function attempts(cluster: ScheduledCluster): readonly number[] {
  const tried = cluster.seen.filter(
    ({ attempt: { type } }) => type === 'unschedulable' || type === 'failed' || type === 'scheduled',
  );
  return tried
    .filter(({ attempt }) => 'pod' in attempt && attempt.pod.spec?.priority === priorities.high)
    .map(({ at }) => at);
}

const stubborn: Deed = { what: 'pod', cpu: 1, priority: 'high', app: 'x', graceSeconds: 0 };
const large: Deed = { what: 'node', name: 'n1', cpu: 100, zone: 'a' };
const outcomes = (...of: readonly Outcome[]): fc.Arbitrary<readonly Outcome[]> =>
  fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 7, size: 'max' });

/** A clock that starts some milliseconds after a whole second; times count from that second. */
function clockAt(offsetMs: number): ReturnType<typeof virtualClock> {
  return virtualClock({ start: Date.UTC(2026, 0, 1) + offsetMs });
}

t.test(
  'while other pods are active, a pod backs off 1, 2, 4, 8, 10, 10 … seconds, regardless of events',
  { timeout: 100_000 },
  async (t) => {
    const tookMs = 250;
    await fc.assert(
      fc.asyncProperty(fc.nat(999), outcomes('no', 'no', 'error'), async (offset, outcomes) => {
        const clock = clockAt(offset);
        const plugin = failing(outcomes);
        // Every other pod keeps the scheduler busy for a while, and causes an event when it is bound.
        const slow: Transport = async () => {
          await firstValueFrom(clock.timer(tookMs), { defaultValue: 0 });
          return new Response(JSON.stringify({ NodeNames: ['n1'] }));
        };
        const extenders = [{ urlPrefix: 'http://extender', filterVerb: 'filter', nodeCacheCapable: true }];
        const cluster = await scheduledCluster({
          clock,
          plugins: [plugin],
          extenderTransport: () => slow,
          configuration: configured([plugin], {}, { extenders }),
        });
        await cluster.perform(large);
        const others = (turns(outcomes) * 1000) / tookMs;
        await Promise.all(
          Array.from({ length: others }, () => cluster.perform({ ...stubborn, cpu: 0, priority: 'low' })),
        );
        await cluster.perform(stubborn);
        await cluster.perform({ what: 'wait', ms: (turns(outcomes) + 1) * 1000 });
        const turn = (at: number): number => offset + Math.ceil((at - offset) / tookMs) * tookMs;
        const times = attemptTimes(outcomes, offset + tookMs, turn);
        // The last attempt succeeds, and is recorded when the extender has responded.
        equal(
          attempts(cluster).map((at) => at + offset),
          times.map((at, index) => (index < outcomes.length ? at : at + tookMs)),
          'attempts',
        );
        await ended(cluster);
      }),
      { numRuns: runs(8) },
    );
    t.pass('whenever it begins');
  },
);

/** Enough seconds for all attempts. */
const turns = (outcomes: readonly Outcome[]): number => outcomes.length * 12 + 2;

const relabelled = (value: number): Deed => ({ what: 'node', name: 'n1', cpu: 100, zone: `z${value}` });

t.test(
  'while no other pod is active, an event that helps causes an attempt at once',
  { timeout: 100_000 },
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(999),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 10 }),
        async (offset, pauses) => {
          const plugin = failing(
            pauses.map(() => 'no'),
            [on('Node', actions.updateNodeLabel, () => 'queue')],
          );
          const cluster = await scheduledCluster({
            clock: clockAt(offset),
            plugins: [plugin],
            configuration: configured([plugin]),
          });
          await cluster.perform(large);
          await cluster.perform(stubborn);
          const times = [0];
          for (const [index, ms] of pauses.entries()) {
            await cluster.perform({ what: 'wait', ms });
            await cluster.perform(relabelled(index));
            times.push(cluster.now());
          }
          equal(attempts(cluster), times, 'attempts');
          await ended(cluster);
        },
      ),
      { numRuns: runs(25) },
    );
    t.pass('without any backoff');
  },
);

t.test('errors are retried after their back-off and not earlier', { timeout: 100_000 }, async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(999), outcomes('error'), async (offset, outcomes) => {
      const plugin = failing(outcomes);
      const cluster = await scheduledCluster({
        clock: clockAt(offset),
        plugins: [plugin],
        configuration: configured([plugin]),
      });
      await cluster.perform(large);
      await cluster.perform(stubborn);
      for (let step = 0; step < turns(outcomes) * 2; step++) {
        await cluster.perform({ what: 'wait', ms: 500 });
        await cluster.perform(relabelled(step));
      }
      equal(
        attempts(cluster).map((at) => at + offset),
        attemptTimes(outcomes, offset, (at) => at),
        'attempts',
      );
      await ended(cluster);
    }),
    { numRuns: runs(10) },
  );
  t.pass('whatever happens meanwhile');
});

t.test('a pod without a helping event is retried after five minutes', async (t) => {
  const plugin = failing(['no'], []);
  const cluster = await lived([large, { what: 'wait', ms: 1234 }, stubborn, { what: 'wait', ms: 400_000 }], {
    plugins: [plugin],
    configuration: configured([plugin]),
  });
  // Overdue pods are flushed every half minute.
  t.strictSame(attempts(cluster), [1234, 330_000]);
  await ended(cluster);
});

t.test('one seed gives one history, with either placer', { timeout: 100_000 }, async (t) => {
  const transcript = async (history: readonly Deed[], options: ScheduledClusterOptions): Promise<string> => {
    const cluster = await lived(history, options);
    await calm(cluster);
    await ended(cluster);
    return cluster.seen.map((seen) => JSON.stringify(seen)).join('\n');
  };
  await fc.assert(
    fc.asyncProperty(histories(anyNode, anyDeed, 40), async (history) => {
      const first = await transcript(history, {});
      equal(await transcript(history, {}), first, 'the second time');
      equal(await transcript(history, { placing: 'plain' }), first, 'asking every plugin about every node');
    }),
    { numRuns: runs(40) },
  );
  t.pass('to the byte');
});
