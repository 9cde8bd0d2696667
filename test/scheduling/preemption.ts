// Preemption: the selection of victims and candidates, rule by rule, and properties over random clusters.
import t from 'tap';
import { deepFreeze, random } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod, PodDisruptionBudget } from '../../lib/core/types/index.js';
import type { NodeView } from '../../lib/scheduling/cluster/node-view.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import { createFrameworks } from '../../lib/scheduling/framework/framework.js';
import type { Framework } from '../../lib/scheduling/framework/framework.js';
import { isPlaced } from '../../lib/scheduling/framework/placement.js';
import type { Diagnosis } from '../../lib/scheduling/framework/placement.js';
import { plainPlacer } from '../../lib/scheduling/framework/plain-placer.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import type { PostFilterResult, SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import { unschedulable } from '../../lib/scheduling/framework/rejection.js';
import { builtinPlugins, schedulerConfiguration } from '../../lib/scheduling/public.js';
import { builtinPluginFactories } from '../../lib/scheduling/plugins/default-plugins.js';
import {
  candidateOf,
  candidatesWanted,
  findCandidates,
  lowestCost,
} from '../../lib/scheduling/preemption/candidates.js';
import type { Candidate, PreemptionCost } from '../../lib/scheduling/preemption/candidates.js';
import { disruptionBudgets } from '../../lib/scheduling/preemption/disruption-budgets.js';
import { isVictims, selectVictims } from '../../lib/scheduling/preemption/victims.js';
import type { Victims } from '../../lib/scheduling/preemption/victims.js';
import { anyStep, firstPods, rankedKinds, smallNodes } from '../support/random-clusters.js';
import { plainNode, zoneKey } from '../support/random-pods.js';
import type { PodKind } from '../support/random-pods.js';
import { anyProfiles, definitions, profileOf } from '../support/random-profiles.js';
import { ScheduledTwice } from '../support/placer-comparison.js';
import { TestCluster, cycleOf, nodeOf, podOf, toolsOf } from '../support/scheduling.js';
import type { PodShape } from '../support/scheduling.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

/** A pod with a priority and a cpu request. */
function ranked(name: string, priority: number, cpu: string, { spec, ...shape }: PodShape = {}): Frozen<Pod> {
  return podOf(name, { requests: { cpu }, ...shape, spec: { priority, ...spec } });
}

function budget(
  name: string,
  labels: Record<string, string>,
  disruptionsAllowed: number,
  disrupted: readonly string[] = [],
): Frozen<PodDisruptionBudget> {
  const disruptedPods = Object.fromEntries(disrupted.map((pod) => [pod, '2026-01-01T00:00:00Z']));
  return deepFreeze<PodDisruptionBudget>({
    metadata: { name, namespace: 'ns' },
    spec: { selector: { matchLabels: labels } },
    status: { disruptionsAllowed, disruptedPods, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  });
}

/** A profile of the relevant plugins, and the preemptions it started. */
interface Scene {
  readonly framework: Framework;
  readonly begun: Promise<void>[];
}

function sceneOf(cluster: TestCluster, foreign: readonly SchedulingPlugin[] = []): Scene {
  const enabled = [
    'PrioritySort',
    'NodeName',
    'NodePorts',
    'NodeResourcesFit',
    'DefaultPreemption',
    'DefaultBinder',
  ].map((name) => ({ name }));
  const { profiles } = schedulerConfiguration({
    profiles: [{ plugins: { multiPoint: { disabled: [{ name: '*' }], enabled } } }],
  });
  const needed = enabled.map(({ name }): PluginDefinition => {
    const create = builtinPluginFactories.get(name);
    if (create === undefined) throw new Error(`no factory of ${name}`);
    return { name, points: builtinPlugins.get(name) ?? [], create };
  });
  const begun: Promise<void>[] = [];
  const tools = toolsOf(cluster, {
    runInBackground: () => void begun.push(Promise.resolve()),
    customPlugins: new Set(foreign.map(({ name }) => name)),
  });
  const framework = createFrameworks(profiles, [...needed, ...foreign.map(definitionOf)], tools).get(
    'default-scheduler',
  );
  if (framework === undefined) throw new Error('no framework');
  return { framework, begun };
}

/** Places a pod for which no node is feasible. */
function refusalOf(cycle: Cycle, { plugins }: Framework): Diagnosis {
  const outcome = plainPlacer({
    plugins,
    percentageOfNodesToScore: 100,
    rotation: { start: 0 },
    random: random('ties'),
  }).place(cycle);
  if (isPlaced(outcome)) throw new Error(`placed on ${outcome.node.name}`);
  return outcome.diagnosis;
}

/** Returns the result of preemption for a pod without a feasible node. */
function preempt(
  cluster: TestCluster,
  pod: Frozen<Pod>,
  { framework, begun }: Scene = sceneOf(cluster),
): PostFilterResult & { readonly begun: number } {
  const cycle = cycleOf(cluster, pod);
  const diagnosis = refusalOf(cycle, framework);
  const [plugin] = framework.plugins.postFilter;
  if (plugin === undefined) throw new Error('no preemption plugin');
  return { ...atOnce(plugin.postFilter(cycle, diagnosis, neverStopped)), begun: begun.length };
}

const neverStopped = new AbortController().signal;

/** Without extenders the result is synchronous. */
function atOnce<T>(answer: T | Promise<T>): T {
  if (answer instanceof Promise) throw new Error('an answer that takes time');
  return answer;
}

function victimsOn(
  cluster: TestCluster,
  nodeName: string,
  pod: Frozen<Pod>,
  budgets: readonly Frozen<PodDisruptionBudget>[] = [],
): Victims | string {
  const cycle = cycleOf(cluster, pod);
  refusalOf(cycle, sceneOf(cluster).framework);
  const found = selectVictims(cycle, cluster.at(nodeName), profileFilters, disruptionBudgets(budgets));
  return isVictims(found) ? found : found.reasons.join(', ');
}

function names(found: Victims | string): readonly string[] | string {
  return typeof found === 'string' ? found : found.pods.map(({ name }) => name);
}

void t.test('victims are as few and as unimportant as possible', (test) => {
  const node = nodeOf('n', { allocatable: { cpu: '4' } });
  const cluster = new TestCluster({
    nodes: [node],
    pods: [
      ranked('low', 1, '1', { nodeName: 'n' }),
      ranked('older', 2, '1', { nodeName: 'n', status: { startTime: '2026-01-01T00:00:00Z' } }),
      ranked('younger', 2, '1', { nodeName: 'n', status: { startTime: '2026-01-02T00:00:00Z' } }),
      ranked('equal', 10, '1', { nodeName: 'n' }),
    ],
  });
  test.same(names(victimsOn(cluster, 'n', ranked('p', 10, '1'))), ['low']);
  test.same(
    names(victimsOn(cluster, 'n', ranked('p', 10, '2'))),
    ['younger', 'low'],
    'who has run longer stays longer',
  );
  test.same(names(victimsOn(cluster, 'n', ranked('p', 10, '3'))), ['older', 'younger', 'low']);
  test.equal(names(victimsOn(cluster, 'n', ranked('p', 10, '4'))), 'Insufficient cpu', 'equals stay');
  test.equal(names(victimsOn(cluster, 'n', ranked('p', 1, '1'))), 'No preemption victims found for incoming pod');
  test.same(cluster.at('n').podCount, 4, 'all of it was only thought');
  test.end();
});

void t.test('budgets protect pods if others can be preempted instead', (test) => {
  const pods = ['a', 'b'].map((name) => ranked(name, 1, '1', { nodeName: 'n', labels: { app: 'kept' } }));
  const cluster = new TestCluster({
    nodes: [nodeOf('n', { allocatable: { cpu: '4' } })],
    pods: [...pods, ranked('c', 5, '2', { nodeName: 'n' })],
  });
  const none = budget('none', { app: 'kept' }, 0);
  const one = budget('one', { app: 'kept' }, 1);
  const found = (budgets: readonly Frozen<PodDisruptionBudget>[], cpu: string): unknown => {
    const victims = victimsOn(cluster, 'n', ranked('p', 10, cpu), budgets);
    return typeof victims === 'string' ? victims : [names(victims), victims.violations];
  };
  test.same(found([], '2'), [['a', 'b'], 0], 'the more important one stays');
  test.same(found([none], '2'), [['c'], 0], 'unless a budget wants the others');
  test.same(found([none], '3'), [['c', 'b'], 1]);
  test.same(found([one], '3'), [['c', 'a'], 0], 'the budget allows for one of them');
  test.same(
    found([budget('none', { app: 'kept' }, 0, ['a', 'b'])], '3'),
    [['c', 'b'], 0],
    'who is being disturbed already has been counted',
  );
  test.same(found([budget('empty', {}, 0)], '3'), [['c', 'b'], 0], 'an empty selector matches no pod');
  test.same(found([budget('other', { app: 'other' }, 0)], '3'), [['c', 'b'], 0]);
  test.end();
});

void t.test('the candidate with the lowest cost is chosen', (test) => {
  const cluster = new TestCluster({ nodes: [nodeOf('n')] });
  const at = (name: string): NodeView => ({ ...cluster.at('n'), name });
  const candidate = (
    name: string,
    violations: number,
    ...victims: readonly (readonly [priority: number, startTime?: string])[]
  ): Candidate => {
    const pods = victims.map(
      ([priority, startTime], index) =>
        cycleOf(
          cluster,
          ranked(`${name}${index}`, priority, '1', startTime === undefined ? {} : { status: { startTime } }),
        ).pod,
    );
    return candidateOf(at(name), { pods, violations });
  };
  const rules: readonly (readonly [string, readonly Candidate[], string])[] = [
    ['fewest violated budgets', [candidate('a', 1, [1]), candidate('b', 0, [9], [9])], 'b'],
    ['lowest highest priority', [candidate('a', 0, [5]), candidate('b', 0, [4], [4], [4])], 'b'],
    ['smallest sum of priorities', [candidate('a', 0, [5], [5]), candidate('b', 0, [5], [3])], 'b'],
    ['fewer pods, where priorities are negative', [candidate('a', 0, [-5], [-6]), candidate('b', 0, [-5])], 'b'],
    [
      'the latest start',
      [candidate('a', 0, [5, '2026-01-01T00:00:00Z']), candidate('b', 0, [5, '2026-01-02T00:00:00Z'])],
      'b',
    ],
    [
      'who has not started is the latest',
      [candidate('a', 0, [5, '2026-01-01T00:00:00Z']), candidate('b', 0, [5])],
      'b',
    ],
    [
      'only the most important count for it',
      [
        candidate('a', 0, [5, '2026-01-01T00:00:00Z'], [1, '2026-01-09T00:00:00Z']),
        candidate('b', 0, [5, '2026-01-02T00:00:00Z'], [1, '2025-01-01T00:00:00Z']),
      ],
      'b',
    ],
    ['the first of equals', [candidate('a', 0, [5]), candidate('b', 0, [5])], 'a'],
  ];
  for (const [rule, candidates, winner] of rules)
    test.equal(lowestCost(candidates, ({ cost }) => cost)?.node.name, winner, rule);
  test.equal(
    lowestCost<Candidate>([], ({ cost }) => cost),
    undefined,
  );
  test.end();
});

void t.test('an error on one node is thrown unless another node is a candidate', (test) => {
  const limits = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };
  const harm = { violations: 0, highestPriority: 1, priorities: 1, count: 1, earliestStart: 0 };
  const find = (...slots: readonly number[]): readonly number[] => {
    const broken = (what = 'out of order'): never => {
      throw new Error(what);
    };
    const costAt = (slot: number): typeof harm =>
      slot === 0 ? broken() : slot > 7 ? broken(`${slot} is too many`) : harm;
    return [
      ...findCandidates(Int32Array.from(slots), 0, limits, { ruledOut: new Uint8Array(0), at: () => broken(), costAt })
        .slots,
    ];
  };
  test.same(find(0, 1, 2), [1, 2]);
  test.throws(() => find(0), new Error('out of order'));
  test.throws(() => find(0, 0), new Error('out of order'), 'equal messages occur once');
  test.throws(() => find(9, 0, 8, 9), new Error('[9 is too many, out of order, 8 is too many]'));
  test.end();
});

void t.test('nodes are tried until there are enough candidates, one of them without a budget violation', (test) => {
  const limits = { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 2 };
  const find = (...violations: readonly number[]): readonly number[] => {
    const costAt = (slot: number): PreemptionCost => ({
      violations: violations[slot] ?? 0,
      highestPriority: 1,
      priorities: 1,
      count: 1,
      earliestStart: 0,
    });
    const untouched = (): never => {
      throw new Error('only its harm is asked for');
    };
    return [
      ...findCandidates(Int32Array.from(violations.keys()), 0, limits, {
        ruledOut: new Uint8Array(0),
        at: untouched,
        costAt,
      }).slots,
    ];
  };
  test.same(find(0, 0, 0, 0), [0, 1]);
  test.same(find(1, 0, 0, 0), [1, 0], 'budgets are respected first');
  test.same(find(1, 2, 3, 0, 0), [3, 0, 1], 'of those that break one no more than enough are kept');
  test.same(find(1, 2, 3), [0, 1]);
  test.end();
});

void t.test('the number of candidates follows the limits', (test) => {
  const limits = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };
  for (const [nodes, wanted] of [
    [5, 5],
    [100, 100],
    [999, 100],
    [5000, 500],
  ] as const)
    test.equal(candidatesWanted(nodes, limits), wanted, `of ${nodes} nodes`);
  test.end();
});

void t.test('the plugin returns the nominated node, or the reason', (test) => {
  const full = [ranked('low', 1, '4', { nodeName: 'a' }), ranked('high', 20, '4', { nodeName: 'b' })];
  const nodes = ['a', 'b'].map((name) => nodeOf(name, { allocatable: { cpu: '4' } }));
  const cluster = new TestCluster({ nodes, pods: full });
  test.match(preempt(cluster, ranked('p', 10, '2')), { done: true, nominatedNodeName: 'a', begun: 1 });
  test.match(preempt(cluster, ranked('p', 10, '2', { spec: { preemptionPolicy: 'Never' } })), {
    rejection: { code: 'Unschedulable', reasons: ['preemption: not eligible due to preemptionPolicy=Never.'] },
    nominatedNodeName: undefined,
    begun: 0,
  });
  test.match(preempt(cluster, ranked('p', 1, '2')), {
    rejection: { reasons: ['preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.'] },
    nominatedNodeName: '',
  });
  test.match(
    preempt(cluster, ranked('p', 10, '8')),
    {
      rejection: { reasons: ['preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.'] },
      nominatedNodeName: '',
    },
    'what is larger than the node fits on it never',
  );

  const leaving = ranked('low', 1, '4', {
    nodeName: 'a',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
  });
  const waiting = ranked('p', 10, '2', { status: { nominatedNodeName: 'a' } });
  const making = new TestCluster({ nodes, pods: [leaving, ...full.slice(1)] });
  test.match(preempt(making, waiting), {
    rejection: { reasons: ['preemption: not eligible due to a terminating pod on the nominated node.'] },
    begun: 0,
  });
  test.match(
    preempt(making, ranked('q', 10, '2')),
    { done: true, nominatedNodeName: 'a', begun: 0 },
    'another pod may use the same room; no victim is deleted twice',
  );
  test.end();
});

void t.test('a user plugin with the name of a built-in one runs for every preemptor', (test) => {
  const shy: SchedulingPlugin = {
    name: 'NodeName',
    filter: ({ pod }) => (pod.labels.shy === undefined ? undefined : unschedulable('node(s) were too loud')),
  };
  const cluster = new TestCluster({
    nodes: [nodeOf('n', { allocatable: { cpu: '4' } })],
    pods: [ranked('low', 1, '4', { nodeName: 'n' })],
  });
  const scene = sceneOf(cluster, [shy]);
  test.match(preempt(cluster, ranked('p', 10, '2'), scene), { done: true, nominatedNodeName: 'n' });
  test.match(preempt(cluster, ranked('q', 10, '2', { labels: { shy: '' } }), scene), {
    rejection: { reasons: ['preemption: 0/1 nodes are available: 1 node(s) were too loud.'] },
  });
  test.end();
});

void t.test('an error of the dry run is reported as an error of preemption', (test) => {
  const fragile: SchedulingPlugin = {
    name: 'NodeName',
    filter: (_, node) => {
      if (node.podCount === 0) throw new Error('the node is empty');
      return undefined;
    },
  };
  const cluster = new TestCluster({
    nodes: [nodeOf('n', { allocatable: { cpu: '4' } })],
    pods: [ranked('low', 1, '4', { nodeName: 'n' })],
  });
  test.throws(
    () => preempt(cluster, ranked('p', 10, '2'), sceneOf(cluster, [fragile])),
    new Error('preemption: running "NodeName" filter plugin: the node is empty'),
  );
  test.end();
});

const priorities = fc.integer({ min: -1, max: 3 });
const podArbitrary = fc.record({
  node: fc.nat(3),
  priority: priorities,
  cpu: fc.integer({ min: 1, max: 4 }),
  app: fc.constantFrom('a', 'b'),
  started: fc.option(fc.nat(3)),
});
const clusterArbitrary = fc.record({
  sizes: fc.array(fc.integer({ min: 2, max: 8 }), { minLength: 4, maxLength: 4 }),
  pods: fc.array(podArbitrary, { maxLength: 16 }),
  budgets: fc.array(fc.record({ app: fc.constantFrom('a', 'b'), allowed: fc.nat(2) }), { maxLength: 2 }),
  incoming: fc.record({ priority: priorities, cpu: fc.integer({ min: 1, max: 8 }) }),
});
type RandomCluster = typeof clusterArbitrary extends fc.Arbitrary<infer T> ? T : never;

function drawn({ sizes, pods, budgets }: RandomCluster): TestCluster {
  const cluster = new TestCluster({
    nodes: sizes.map((cpu, index) => nodeOf(`n${index}`, { allocatable: { cpu: `${cpu}` } })),
    objects: { PodDisruptionBudget: budgets.map(({ app, allowed }, index) => budget(`b${index}`, { app }, allowed)) },
  });
  for (const [index, { node, priority, cpu, app, started }] of pods.entries()) {
    const status = started === null ? {} : { status: { startTime: `2026-01-0${started + 1}T00:00:00Z` } };
    cluster.addPod(ranked(`pod${index}`, priority, `${cpu}`, { nodeName: `n${node}`, labels: { app }, ...status }));
  }
  return cluster;
}

void t.test(
  'in any cluster victims have lower priority, suffice, and are not more important than necessary',
  (test) => {
    fc.assert(
      fc.property(clusterArbitrary, (world) => {
        const cluster = drawn(world);
        const { framework } = sceneOf(cluster);
        const pod = ranked('incoming', world.incoming.priority, `${world.incoming.cpu}`);
        const cycle = cycleOf(cluster, pod);
        const outcome = plainPlacer({
          plugins: framework.plugins,
          percentageOfNodesToScore: 100,
          rotation: { start: 0 },
          random: random(1),
        }).place(cycle);
        if (isPlaced(outcome)) return;
        const budgets = disruptionBudgets(cluster.objects.list('PodDisruptionBudget'));
        for (const node of cluster.nodes) {
          const found = selectVictims(cycle, node, profileFilters, budgets);
          if (!isVictims(found)) continue;
          const draft = node.copy();
          for (const victim of found.pods) {
            if (victim.priority >= world.incoming.priority) throw new Error(`${victim.name} is no less important`);
            draft.remove(victim);
          }
          if (profileFilters.filter(cycle, draft) !== undefined) throw new Error('in vain');
          for (const victim of found.pods) {
            draft.add(victim);
            if (profileFilters.filter(cycle, draft) === undefined) throw new Error(`${victim.name} could have stayed`);
            draft.remove(victim);
          }
        }
        const [plugin] = framework.plugins.postFilter;
        const answer = plugin && atOnce(plugin.postFilter(cycle, outcome.diagnosis, neverStopped));
        if (answer?.done !== true) return;
        const all = cluster.nodes.map((node) => selectVictims(cycle, node, profileFilters, budgets)).filter(isVictims);
        const chosen = selectVictims(cycle, cluster.at(answer.nominatedNodeName ?? ''), profileFilters, budgets);
        if (isVictims(chosen) && chosen.violations > Math.min(...all.map(({ violations }) => violations)))
          throw new Error('a budget was violated without need');
      }),
      { numRuns: runs(2000) },
    );
    test.end();
  },
);

void t.test('if a filter depends on other nodes, changes there invalidate the result', (test) => {
  const labelSelector = { matchLabels: { app: 'a' } };
  const kind = (priority: number, app: string, spec: PodKind['spec'] = {}): PodKind => ({
    namespace: 'one',
    labels: { app },
    metadata: {},
    spec: { priority, containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }], ...spec },
  });
  const repelling: PodKind['spec'] = {
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: zoneKey }] },
    },
  };
  const spread: PodKind['spec'] = {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
    ],
  };
  const [low, comes] = [kind(0, 'b'), kind(10, 'a')];
  // By plugin: the pod beside the victim, the pod on the other node and its replacement, and the preemptor.
  const scenes: Readonly<Record<string, { readonly zone: string; readonly kinds: readonly PodKind[] }>> = {
    InterPodAffinity: { zone: 'z1', kinds: [low, kind(20, 'b'), kind(20, 'b', repelling), kind(20, 'b'), comes] },
    PodTopologySpread: { zone: 'z2', kinds: [low, kind(20, 'a'), kind(20, 'b'), kind(20, 'a'), kind(10, 'a', spread)] },
  };
  for (const [plugin, { zone, kinds }] of Object.entries(scenes)) {
    const made = new ScheduledTwice({ profiles: [profileOf({})], definitions, kinds, preempts: true });
    made.do({ do: 'node', at: 0, shape: { ...plainNode, cpu: '4' } });
    made.do({ do: 'node', at: 1, shape: { ...plainNode, zone, cpu: '2' } });
    for (const [each, at] of [
      [0, 0],
      [1, 0],
      [2, 1],
    ] as const)
      made.do({ do: 'bind', kind: each, at });
    made.do({ do: 'place', kind: 4, hint: 30 });
    test.equal(made.preempted, 0, `${plugin} refuses`);
    made.do({ do: 'change-pod', pod: 2, change: { to: 'leave' } });
    made.do({ do: 'bind', kind: 3, at: 1 });
    made.do({ do: 'place', kind: 4, hint: 30 });
    test.equal(made.preempted, 1, `${plugin} does not refuse any longer`);
  }
  test.end();
});

void t.test('in random clusters with churn cached victims equal those of the naive implementation', (test) => {
  const step = anyStep({ objects: 1, budgets: 2, nominations: 1, pods: 4, places: 20 });
  const world = fc.record({
    profiles: anyProfiles,
    kinds: rankedKinds,
    nodes: smallNodes,
    pods: firstPods,
    steps: fc.array(step, { minLength: 8, maxLength: 32, size: 'max' }),
    changesMax: fc.constantFrom(16_384, 16_384, 4, 1),
  });
  const counts = { refused: 0, preempted: 0 };
  fc.assert(
    fc.property(world, ({ nodes, pods, steps, ...options }) => {
      const made = new ScheduledTwice({ ...options, definitions, preempts: true });
      for (const [at, shape] of nodes.entries()) made.do({ do: 'node', at, shape });
      for (const each of [...pods, ...steps]) made.do(each);
      counts.refused += made.refused;
      counts.preempted += made.preempted;
    }),
    { numRuns: runs(1000) },
  );
  test.ok(
    Math.min(counts.preempted, counts.refused - counts.preempted) >= seenAtLeast(1000),
    'for many pods others have to leave, and for many that does not help',
  );
  test.end();
});
