// The fast placer must give the same results as the plain placer: the same node, counts and reasons. Random clusters
// change in random ways between pods of a few kinds, so that caches have to be updated.
import t from 'tap';
import { deepFreeze, random } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../lib/core/types/index.js';
import { BoundedLog } from '../../lib/scheduling/bounded-log.js';
import { ChangedNodes } from '../../lib/scheduling/cluster/change-log.js';
import { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import { clusterColumns, NodeColumns } from '../../lib/scheduling/fast-path/cluster-columns.js';
import { fastPlacer } from '../../lib/scheduling/fast-path/fast-placer.js';
import type { ClusterView } from '../../lib/scheduling/cluster/cluster-view.js';
import type { Placer } from '../../lib/scheduling/framework/placement.js';
import { ExistingPodTerms } from '../../lib/scheduling/fast-path/existing-pod-terms.js';
import { RecentlyUsed } from '../../lib/scheduling/framework/recently-used.js';
import { CycleState } from '../../lib/scheduling/framework/cycle-state.js';
import type { Framework } from '../../lib/scheduling/framework/framework.js';
import { nodeRotation } from '../../lib/scheduling/framework/node-sampling.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import { profilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import { unschedulable } from '../../lib/scheduling/framework/rejection.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import { controllerOf, namespaceOf, serviceOf } from '../support/random-objects.js';
import { anyStep, firstNodes, nodeAspects } from '../support/random-clusters.js';
import { peerWorld } from '../support/random-peers.js';
import { hostKey, nodeKind, plainNode, podKinds, rarely, zoneKey } from '../support/random-pods.js';
import type { NodeKind, PodKind } from '../support/random-pods.js';
import { anyProfiles, definitions, profileOf } from '../support/random-profiles.js';
import { TestCluster, nodeOf, podOf, toolsOf } from '../support/scheduling.js';
import { ScheduledTwice } from '../support/placer-comparison.js';
import { watchedPlugins } from '../support/observed-plugins.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

const defaultProfile = profileOf({});
const step = anyStep({ objects: 2, budgets: 0, nominations: 1, pods: 3, places: 14 });

t.test('in random clusters with churn the fast placer and the plain placer give the same results', async (t) => {
  const counts = { placed: 0, refused: 0 };
  const { watched, refusing, deciding } = watchedPlugins(definitions);
  const world = fc.record({
    profiles: anyProfiles,
    kinds: podKinds,
    nodes: firstNodes,
    steps: fc.array(step, { minLength: 8, maxLength: 32, size: 'max' }),
    changesMax: fc.constantFrom(16_384, 16_384, 4, 1),
    start: fc.nat(9),
  });
  fc.assert(
    fc.property(world, ({ nodes, steps, ...options }) => {
      const made = new ScheduledTwice({ ...options, definitions, watched });
      for (const [index, shape] of nodes.entries()) made.do({ do: 'node', at: index, shape });
      for (const each of steps) made.do(each);
      counts.placed += made.placed;
      counts.refused += made.refused;
    }),
    { numRuns: runs(5000) },
  );
  t.ok(Math.min(counts.placed, counts.refused) >= seenAtLeast(5000), 'many pods find a node and many do not');
  // Otherwise the random clusters are too simple.
  t.ok(defaultProfile.plugins.filter.every(({ name }) => refusing.has(name)));
  for (const [name, nodes] of refusing) t.ok(nodes >= seenAtLeast(50), `${name} refuses nodes`);
  for (const [name, pods] of deciding) t.ok(pods >= seenAtLeast(50), `${name} decides between nodes`);
});

t.test('pods constrained only by other pods are placed the same by both placers', async (t) => {
  const counts = { placed: 0, refused: 0 };
  fc.assert(
    fc.property(peerWorld, ({ nodes, steps, ...options }) => {
      const made = new ScheduledTwice({ ...options, definitions });
      for (const [at, shape] of nodes.entries()) made.do({ do: 'node', at, shape });
      for (const each of steps) made.do(each);
      counts.placed += made.placed;
      counts.refused += made.refused;
    }),
    { numRuns: runs(300) },
  );
  t.ok(Math.min(counts.placed, counts.refused) >= seenAtLeast(500), JSON.stringify(counts));
});

t.test('nodes that differ in one field are distinguished', async (t) => {
  // Every log is too short, so each pod class is rebuilt and one node per state is evaluated. Scoring assumes default
  // requests unless a request is zero.
  const requests = fc.constantFrom<Record<string, string>[]>(
    {},
    { cpu: '0' },
    { memory: '0' },
    { cpu: '0', memory: '0' },
    { cpu: '100m', memory: '0' },
    { cpu: '100m', memory: '200Mi' },
    { memory: '200Mi' },
    { 'ephemeral-storage': '1Gi' },
    { 'example.com/gpu': '1' },
  );
  const kinds = fc.array(
    fc.tuple(requests, rarely(fc.constant({ nodeName: 'n1' }), 12)).map(([asked, named]): PodKind => ({
      namespace: 'one',
      labels: {},
      metadata: {},
      spec: { containers: [{ name: 'c', image: 'app:1', resources: { requests: asked } }], ...named },
    })),
    { minLength: 4, maxLength: 6, size: 'max' },
  );
  const nodes = fc.array(
    fc
      .tuple(nodeKind, fc.constantFrom(...nodeAspects))
      .map(([node, what]) => ({ ...plainNode, pods: '3', gpus: '2', [what]: node[what] })),
    { minLength: 2, maxLength: 4, size: 'max' },
  );
  const few = anyStep({ objects: 0, budgets: 0, nominations: 0, pods: 20, places: 20 });
  const world = fc.record({
    kinds,
    nodes,
    steps: fc.array(few, { minLength: 20, maxLength: 50, size: 'max' }),
    profiles: anyProfiles,
  });
  let placed = 0;
  fc.assert(
    fc.property(world, ({ nodes: alike, steps, ...options }) => {
      const made = new ScheduledTwice({ ...options, definitions, changesMax: 1 });
      for (let at = 0; at < 6; at++) made.do({ do: 'node', at, shape: alike[at % alike.length] ?? plainNode });
      for (const each of steps) made.do(each);
      placed += made.placed;
    }),
    { numRuns: runs(500) },
  );
  t.ok(placed >= seenAtLeast(2000));
});

t.test('pods that differ in one field are distinguished', async (t) => {
  const kind = (spec: PodKind['spec'], metadata: PodKind['metadata'] = {}): PodKind => ({
    namespace: 'one',
    labels: { app: 'a' },
    metadata,
    spec: { containers: [{ name: 'c' }], ...spec },
  });
  const asking = (cpu: string | undefined, memory: string | undefined, podLevel?: Record<string, string>): PodKind =>
    kind({
      containers: [{ name: 'c', resources: { requests: { ...(cpu && { cpu }), ...(memory && { memory }) } } }],
      ...(podLevel && { resources: { requests: podLevel } }),
    });
  const spread = (topologyKey: string, spec: PodKind['spec'] = {}): PodKind =>
    kind({
      ...spec,
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'a' } } },
      ],
    });
  const appA = { labelSelector: { matchLabels: { app: 'a' } } };
  const wary = (podAffinityTerm: PodAffinityTerm, weight = 100): PodKind =>
    kind({
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
    });
  const term: PodAffinityTerm = { topologyKey: hostKey, ...appA };
  const terms: readonly PodAffinityTerm[] = [
    term,
    { topologyKey: hostKey },
    { ...term, topologyKey: zoneKey },
    { ...term, labelSelector: {} },
    { ...term, labelSelector: { matchLabels: { app: 'b' } } },
    { ...term, namespaces: ['one', 'two'] },
    { ...term, namespaces: ['one'], namespaceSelector: {} },
    { ...term, namespaces: ['one'], namespaceSelector: { matchLabels: { team: 'x' } } },
    { ...term, namespaces: ['one'], namespaceSelector: { matchLabels: { team: 'y' } } },
  ];
  const even = (constraints: readonly Partial<TopologySpreadConstraint>[], spec: PodKind['spec'] = {}): PodKind =>
    kind({
      ...spec,
      topologySpreadConstraints: constraints.map((each) => ({
        maxSkew: 1,
        topologyKey: zoneKey,
        whenUnsatisfiable: 'DoNotSchedule',
        ...each,
      })),
    });
  const tolerant: PodKind['spec'] = { tolerations: [{ operator: 'Exists' }] };
  const choosy: PodKind['spec'] = { nodeSelector: { disk: 'ssd' } };
  const honest = { ...appA, nodeTaintsPolicy: 'Honor' } as const;
  const careless = { ...honest, nodeAffinityPolicy: 'Ignore' } as const;
  const uneven = [
    even([appA]),
    { ...even([appA]), namespace: 'two' },
    even([{}]),
    even([{ labelSelector: {} }]),
    even([appA, { ...appA, topologyKey: hostKey }]),
    even([appA], choosy),
    even([honest]),
    even([honest], tolerant),
    even([honest], choosy),
    even([careless]),
    even([careless], tolerant),
    even([careless], choosy),
  ];
  const owner = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: 'owner', controller: true }],
  };
  const families: readonly {
    readonly kinds: PodKind[];
    readonly beside?: readonly PodKind[];
    readonly aspects: readonly (keyof NodeKind)[];
  }[] = [
    {
      kinds: [
        asking('0', '0'),
        asking('0', undefined),
        asking(undefined, '0'),
        asking('1', '200Mi'),
        asking('1', '200Mi', { cpu: '1' }),
        asking(undefined, '200Mi', { cpu: '1' }),
        asking('100m', '200Mi', { cpu: '1' }),
        asking('500m', '200Mi', { cpu: '1' }),
      ],
      aspects: ['cpu', 'memory'],
    },
    {
      kinds: [
        spread(zoneKey),
        spread(zoneKey, { nodeSelector: { disk: 'ssd' } }),
        spread(hostKey),
        spread(hostKey, { nodeSelector: { disk: 'ssd' } }),
      ],
      aspects: ['zone', 'disk'],
    },
    { kinds: [kind({}), kind({}, owner), kind({ nodeSelector: { disk: 'ssd' } })], aspects: ['zone', 'disk'] },
    {
      kinds: [...terms.map((each) => wary(each)), wary(term, 1)],
      beside: [
        { ...kind({}), namespace: 'two' },
        { ...kind({}), labels: { app: 'b' } },
      ],
      aspects: ['zone', 'cpu'],
    },
    { kinds: uneven, beside: [{ ...kind({}), labels: { app: 'b' } }], aspects: ['zone', 'host', 'disk', 'taint'] },
    {
      kinds: ['app:1', 'app:2'].map((image) => kind({ containers: [{ name: 'c', image }] })),
      aspects: ['images', 'cpu'],
    },
  ];
  const few = anyStep({ objects: 1, budgets: 0, nominations: 0, pods: 3, places: 20 });
  for (const { kinds, beside = [], aspects } of families) {
    // Steps use at most six.
    const some = fc
      .shuffledSubarray(kinds, { minLength: 2, maxLength: Math.min(kinds.length, 6 - beside.length) })
      .map((chosen) => [...chosen, ...beside]);
    const nodes = fc.array(
      nodeKind.map((node) =>
        aspects.reduce((made, what) => ({ ...made, [what]: node[what] }), { ...plainNode, disk: 'ssd' }),
      ),
      { minLength: 4, maxLength: 7, size: 'max' },
    );
    const alter = fc.record({
      do: fc.constant('alter-node' as const),
      at: fc.nat(6),
      shape: nodeKind,
      what: fc.constantFrom(...aspects),
    });
    const world = fc.record({
      kinds: some,
      nodes,
      steps: fc.array(fc.oneof({ weight: 3, arbitrary: few }, { weight: 1, arbitrary: alter }), {
        minLength: 20,
        maxLength: 40,
        size: 'max',
      }),
      profiles: anyProfiles,
    });
    fc.assert(
      fc.property(world, ({ nodes: first, steps, ...options }) => {
        const made = new ScheduledTwice({ ...options, definitions });
        made.do({ do: 'set-object', set: controllerOf('ReplicaSet', 'a') });
        for (const [at, shape] of first.entries()) made.do({ do: 'node', at, shape });
        for (const each of steps) made.do(each);
      }),
      { numRuns: runs(beside.length === 0 ? 200 : 100) },
    );
    t.pass(aspects.join(' and '));
  }
});

t.test('nodes whose room is taken by nominated pods are skipped, at any position among equal nodes', async (t) => {
  const asking = (cpu: string, priority: number): PodKind => ({
    namespace: 'one',
    labels: {},
    metadata: {},
    spec: { priority, containers: [{ name: 'c', resources: { requests: { cpu, memory: '10Mi' } } }] },
  });
  // Some nominated pods leave enough room, and some do not count because their priority is lower.
  const kinds = [asking('1', 0), asking('1', 10), asking('4', 5), asking('2', 5)];
  const at = fc.nat(11);
  const promise = fc.record({ do: fc.constant('nominate' as const), kind: fc.integer({ min: 2, max: 3 }), at });
  const place = fc.record({
    do: fc.constant('place' as const),
    kind: fc.nat(1),
    hint: fc.constantFrom(40, 40, 40, 0, 7),
  });
  const take = fc.record({ do: fc.constant('bind' as const), kind: fc.constant(0), at });
  const forget = fc.record({ do: fc.constant('forget-nominations' as const) });
  const world = fc.record({
    promised: fc.array(promise, { minLength: 3, maxLength: 9, size: 'max' }),
    steps: fc.array(
      fc.oneof(
        { weight: 12, arbitrary: place },
        { weight: 3, arbitrary: promise },
        { weight: 2, arbitrary: take },
        { weight: 1, arbitrary: forget },
      ),
      { minLength: 8, maxLength: 24, size: 'max' },
    ),
    start: at,
  });
  let placed = 0;
  fc.assert(
    fc.property(world, ({ promised, steps, start }) => {
      const made = new ScheduledTwice({ profiles: [defaultProfile], definitions, kinds, start });
      for (let index = 0; index < 12; index++) made.do({ do: 'node', at: index, shape: plainNode });
      for (const each of [...promised, ...steps]) made.do(each);
      placed += made.placed;
    }),
    { numRuns: runs(300) },
  );
  t.ok(placed >= seenAtLeast(2000), `${placed} pods were placed`);
});

t.test('with sampling both placers stop at the same node and continue from there', async (t) => {
  let placed = 0;
  const world = fc.record({
    kinds: podKinds,
    nodes: fc.array(nodeKind, { minLength: 3, maxLength: 6 }),
    percentage: fc.constantFrom(0, 5, 60),
    steps: fc.array(step, { minLength: 10, maxLength: 20 }),
  });
  fc.assert(
    fc.property(world, ({ kinds, nodes, percentage, steps }) => {
      const made = new ScheduledTwice({ profiles: [defaultProfile], definitions, kinds, percentage });
      for (let index = 0; index < 260; index++)
        made.do({ do: 'node', at: index, shape: nodes[index % nodes.length] ?? plainNode });
      for (const each of steps) made.do(each);
      placed += made.placed;
    }),
    { numRuns: runs(40) },
  );
  t.ok(placed >= seenAtLeast(40));
});

t.test('with default spread constraints, nodes without a zone count as one more zone', async (t) => {
  let placed = 0;
  const kind: PodKind = { namespace: 'one', labels: { app: 'a' }, metadata: {}, spec: {} };
  const place = fc.record({
    zone: fc.constantFrom(undefined, 'z1', 'z2', 'z3', ''),
    host: fc.nat(4).map((roll) => roll > 0),
    pods: fc.nat(4),
  });
  fc.assert(
    fc.property(fc.array(place, { minLength: 3, maxLength: 12 }), (places) => {
      const made = new ScheduledTwice({ profiles: [defaultProfile], definitions, kinds: [kind] });
      made.do({ do: 'set-object', set: serviceOf('one', 'a') });
      for (const [index, { zone, host, pods }] of places.entries()) {
        made.do({ do: 'node', at: index, shape: { ...plainNode, zone, host } });
        for (let count = 0; count < pods; count++) made.do({ do: 'bind', kind: 0, at: index });
      }
      for (let count = 0; count < 6; count++) made.do({ do: 'place', kind: 0, hint: 40 });
      placed += made.placed;
    }),
    { numRuns: runs(1000) },
  );
  t.ok(placed >= seenAtLeast(5000));
});

t.test('changed namespace labels change the matching pods on every node', async (t) => {
  const term: PodAffinityTerm = {
    labelSelector: {},
    topologyKey: hostKey,
    namespaceSelector: { matchLabels: { team: 'x' } },
  };
  const wary: PodKind = {
    namespace: 'one',
    labels: { app: 'a' },
    metadata: {},
    spec: {
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
      },
    },
  };
  const plain = (namespace: string): PodKind => ({ namespace, labels: { app: 'b' }, metadata: {}, spec: {} });
  const made = new ScheduledTwice({
    profiles: [defaultProfile],
    definitions,
    kinds: [wary, plain('three'), plain('two'), plain('four')],
  });
  for (let at = 0; at < 8; at++) made.do({ do: 'node', at, shape: plainNode });
  made.do({ do: 'set-object', set: namespaceOf('three', 'x') });
  made.do({ do: 'bind', kind: 1, at: 0 });
  for (const at of [1, 2]) made.do({ do: 'bind', kind: 2, at });
  for (const at of [3, 4, 5, 6, 7, 3, 4, 5, 6, 7]) made.do({ do: 'bind', kind: 3, at });
  for (const [index, team] of ['y', 'x', 'y', 'x'].entries()) {
    made.do({ do: 'bind', kind: 1, at: 7 - index });
    made.do({ do: 'set-object', set: namespaceOf('two', team) });
    for (let count = 0; count < 3; count++) made.do({ do: 'place', kind: 0, hint: 40 });
  }
  t.equal(made.placed, 12);
});

t.test('a recount after a namespace change counts no pod twice', async (t) => {
  const term: PodAffinityTerm = {
    labelSelector: {},
    topologyKey: hostKey,
    namespaceSelector: { matchLabels: { team: 'x' } },
  };
  const wary: PodKind = {
    namespace: 'one',
    labels: {},
    metadata: {},
    spec: {
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
      },
    },
  };
  const unwanted: PodKind = { namespace: 'two', labels: {}, metadata: {}, spec: {} };
  const made = new ScheduledTwice({ profiles: [defaultProfile], definitions, kinds: [wary, unwanted] });
  made.do({ do: 'set-object', set: namespaceOf('two', 'x') });
  for (let at = 0; at < 8; at++) made.do({ do: 'node', at, shape: plainNode });
  // One node has the fewest matching pods, also after it gets one more.
  for (let at = 0; at < 8; at++)
    for (let count = 0; count < (at === 0 ? 1 : 3); count++) made.do({ do: 'bind', kind: 1, at });
  for (let count = 0; count < 2; count++) made.do({ do: 'place', kind: 0, hint: 40 });
  made.do({ do: 'bind', kind: 1, at: 0 });
  made.do({ do: 'set-object', set: namespaceOf('three', 'y') });
  for (let count = 0; count < 3; count++) made.do({ do: 'place', kind: 0, hint: 40 });
  t.equal(made.placed, 5);
});

t.test('allocated devices change the scores of nodes that did not change', async (t) => {
  const scoringStrategy = { type: 'LeastAllocated', resources: [{ name: 'example.com/gpu' }] } as const;
  const profile = profileOf({
    plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit' }] } },
    pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy } }],
  });
  const kind: PodKind = {
    namespace: 'one',
    labels: {},
    metadata: {},
    spec: { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1' } } }] },
  };
  const made = new ScheduledTwice({ profiles: [profile], kinds: [kind], definitions });
  const named = (count: number): { name: string }[] =>
    Array.from({ length: count }, (_, index) => ({ name: `d${index}` }));
  const driver = 'gpu.example.com';
  made.do({
    do: 'set-object',
    set: {
      kind: 'DeviceClass',
      object: deepFreeze({ metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } }),
    },
  });
  for (const [at, count] of [5, 4].entries()) {
    made.do({ do: 'node', at, shape: plainNode });
    made.do({
      do: 'set-object',
      set: {
        kind: 'ResourceSlice',
        object: deepFreeze({
          metadata: { name: `slice-n${at}` },
          spec: {
            driver,
            nodeName: `n${at}`,
            pool: { name: `n${at}`, generation: 1, resourceSliceCount: 1 },
            devices: named(count),
          },
        }),
      },
    });
  }
  for (const taken of [0, 3]) {
    const results = [
      ...named(taken).map(({ name }) => ({ request: 'r', driver, pool: 'n1', device: name })),
      ...named(taken === 0 ? 0 : 2).map(({ name }) => ({ request: 'r', driver, pool: 'n0', device: name })),
    ];
    made.do({
      do: 'set-object',
      set: {
        kind: 'ResourceClaim',
        object: deepFreeze({
          metadata: { name: 'taken', namespace: 'one', uid: 'taken' },
          spec: {},
          status: { allocation: { devices: { results } } },
        }),
      },
    });
    made.do({ do: 'place', kind: 0, hint: 30 });
  }
  t.equal(made.placed, 2);
});

/** The fast placer with a user plugin in the place of NodeName. */
function placerWith(plugin: SchedulingPlugin, cluster: ClusterView): Placer {
  const profile = profileOf({});
  const framework: Framework = {
    profile,
    plugins: profilePlugins(profile, new Map([...definitions, ['NodeName', definitionOf(plugin)]]), () => ({
      ...toolsOf(cluster),
      profile,
      filters: profileFilters,
    })),
  };
  return fastPlacer({
    framework,
    search: { percentageOfNodesToScore: 100, rotation: nodeRotation(), random: random('ties') },
    columns: clusterColumns(cluster),
    foreign: new Set(['NodeName']),
  });
}

t.test('a user plugin with the name of a built-in one runs', async (t) => {
  const cluster = new ClusterCache({});
  for (const index of [1, 2, 3]) cluster.setNode(nodeOf(`n${index}`));
  const onlySecond: SchedulingPlugin = {
    name: 'NodeName',
    filter: (_, { name }) => (name === 'n2' ? undefined : unschedulable('node(s) were not the second')),
  };
  const placer = placerWith(onlySecond, cluster);
  const outcome = placer.place({ pod: podFacts(podOf('pod')), cluster, state: new CycleState() });
  t.match(outcome, { node: { name: 'n2' }, evaluated: 3, feasible: 1 });
});

t.test('a plugin that rejects no node runs only on nodes with nominated pods, for each pod again', async (t) => {
  const cluster = new TestCluster({ nodes: ['n1', 'n2', 'n3'].map((name) => nodeOf(name)) });
  cluster.nominate(podOf('late'), 'n2');
  const asked: string[] = [];
  const lonely: SchedulingPlugin = {
    name: 'NodeName',
    fitsEverywhere: () => true,
    filter: ({ pod }, node) => {
      asked.push(`${pod.name} ${node.name}`);
      return pod.name === 'shy' && node.pods.length > 0 ? unschedulable('node(s) were not empty') : undefined;
    },
  };
  const placer = placerWith(lonely, cluster);
  const place = (name: string): unknown =>
    placer.place({ pod: podFacts(podOf(name)), cluster, state: new CycleState() });
  t.match(place('shy'), { evaluated: 3, feasible: 2 });
  t.match(place('bold'), { evaluated: 3, feasible: 3 }, 'a user plugin may distinguish pods of one equivalence class');
  t.strictSame([...new Set(asked)], ['shy n2', 'bold n2']);
});

t.test('huge pages at pod level do not affect the score', async (t) => {
  const cluster = new ClusterCache({});
  for (const [name, pages] of [
    ['n1', '4Mi'],
    ['n2', '8Mi'],
  ] as const)
    cluster.setNode(nodeOf(name, { allocatable: { cpu: '4', memory: '4Gi', 'hugepages-2Mi': pages } }));
  const halfFull = {
    type: 'RequestedToCapacityRatio',
    resources: [{ name: 'hugepages-2Mi', weight: 1 }],
    requestedToCapacityRatio: {
      shape: [
        { utilization: 0, score: 0 },
        { utilization: 50, score: 10 },
        { utilization: 100, score: 0 },
      ],
    },
  };
  const profile = profileOf({
    plugins: { score: { disabled: [{ name: 'NodeResourcesBalancedAllocation' }] } },
    pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy: halfFull } }],
  });
  const framework: Framework = {
    profile,
    plugins: profilePlugins(profile, definitions, () => ({ ...toolsOf(cluster), profile, filters: profileFilters })),
  };
  const placer = fastPlacer({
    framework,
    search: { percentageOfNodesToScore: 100, rotation: nodeRotation(), random: random('ties') },
    columns: clusterColumns(cluster),
  });
  for (const [pages, best] of [
    ['2Mi', 'n1'],
    ['4Mi', 'n2'],
  ] as const) {
    const pod = podOf(pages, {
      spec: {
        containers: [{ name: 'c', resources: { requests: { 'hugepages-2Mi': pages } } }],
        resources: { requests: { 'hugepages-2Mi': '4Mi' } },
      },
    });
    t.match(placer.place({ pod: podFacts(pod), cluster, state: new CycleState() }), { node: { name: best } }, pages);
  }
});

t.test('columns drop removed nodes and pods', async (t) => {
  const cluster = new ClusterCache({ changesMax: 1 });
  const columns = new NodeColumns(cluster);
  const domains = columns.domains(zoneKey);
  const [first, last] = ['first', 'last'].map((name) => cluster.setNode(nodeOf(name)));
  for (let zone = 0; zone < 9; zone++) {
    cluster.setNode(nodeOf('first', { labels: { [zoneKey]: `z${zone}` } }));
    columns.sync();
    domains.sync();
  }
  t.equal(
    domains.size,
    2,
    'domains that come and go take no more numbers than there are at once, beside the empty one',
  );
  t.equal(columns.at(last?.slot ?? -1), last);
  cluster.removeNode('last');
  cluster.setNode(nodeOf('first'));
  columns.sync();
  t.strictSame(
    [columns.at(first?.slot ?? -1), columns.at(last?.slot ?? -1)],
    [first, undefined],
    'a node removed between two reads is gone',
  );
});

t.test('terms without pods are dropped', async (t) => {
  const cluster = new ClusterCache({});
  const columns = clusterColumns(cluster);
  const others = new ExistingPodTerms(columns, podFacts(podOf('asked')), 1);
  const carrier = (index: number): Frozen<Pod> =>
    podOf(`p${index}`, {
      nodeName: `n${index % 2}`,
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: `key-${index}`, labelSelector: {} }],
          },
        },
      },
    });
  const carried = (): number => {
    columns.nodes.sync();
    others.sync();
    return [...columns.affinityTerms.sync()].length;
  };
  for (const name of ['n0', 'n1']) cluster.setNode(nodeOf(name));
  t.equal(carried(), 0);
  for (let index = 0; index < 60; index++) {
    cluster.setPod(carrier(index));
    t.equal(carried(), 1);
    cluster.removePod(carrier(index));
    t.equal(carried(), 0);
  }
  t.ok([...others.antiAffinity].length < 20, 'so are their topology keys, after a while');
  cluster.setPod(carrier(1));
  t.equal(carried(), 1);
  cluster.removeNode('n1');
  t.equal(carried(), 0, 'with their node too');
});

t.test('terms that match no pod and terms that match all pods are distinguished', async (t) => {
  const labelSelector = { matchLabels: { app: 'a' } };
  const pairs: readonly (readonly [PodAffinityTerm, PodAffinityTerm])[] = [
    [
      { topologyKey: hostKey, labelSelector, namespaces: ['one'] },
      { topologyKey: hostKey, labelSelector, namespaces: ['one'], namespaceSelector: {} },
    ],
    [
      { topologyKey: hostKey, namespaces: ['two'] },
      { topologyKey: hostKey, labelSelector: {}, namespaces: ['two'] },
    ],
  ];
  const wary = (podAffinityTerm: PodAffinityTerm): PodKind => ({
    namespace: 'one',
    labels: {},
    metadata: {},
    spec: {
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] },
      },
    },
  });
  const unwanted: PodKind = { namespace: 'two', labels: { app: 'a' }, metadata: {}, spec: {} };
  const profiles = [
    profileOf({
      plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'InterPodAffinity', weight: 1 }] } },
    }),
  ];
  for (const [noPod, allPods] of pairs) {
    const made = new ScheduledTwice({ profiles, definitions, kinds: [wary(noPod), wary(allPods), unwanted] });
    for (let at = 0; at < 4; at++) made.do({ do: 'node', at, shape: plainNode });
    for (const at of [0, 0, 1, 2]) made.do({ do: 'bind', kind: 2, at });
    for (const kind of [0, 1, 2, 0, 1, 2, 0, 1, 2]) made.do({ do: 'place', kind, hint: 40 });
    t.equal(made.placed, 9);
  }
});

t.test('terms are added and removed with nodes', async (t) => {
  const wary = (topologyKey: string): PodKind => ({
    namespace: 'one',
    labels: {},
    metadata: {},
    spec: {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 100, podAffinityTerm: { topologyKey, labelSelector: {} } },
          ],
        },
      },
    },
  });
  const plain = (app: string): PodKind => ({ namespace: 'one', labels: { app }, metadata: {}, spec: {} });
  const made = new ScheduledTwice({
    profiles: [
      profileOf({
        plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'InterPodAffinity', weight: 1 }] } },
      }),
    ],
    definitions,
    kinds: [wary(hostKey), plain('a'), plain('b'), plain('c'), wary(zoneKey)],
  });
  const place = (kind: number): void => made.do({ do: 'place', kind, hint: 40 });
  for (const [at, zone] of ['z1', 'z2', 'z3'].entries()) made.do({ do: 'node', at, shape: { ...plainNode, zone } });
  for (const kind of [0, 4]) for (const at of [0, 0, 1, 5, 5, 5]) made.do({ do: 'bind', kind, at });
  place(1);
  // A node replaces one whose pods had terms, and a node is added whose pods already have some.
  made.do({ do: 'remove-node', at: 0 });
  made.do({ do: 'node', at: 6, shape: { ...plainNode, zone: 'z4' } });
  made.do({ do: 'node', at: 5, shape: { ...plainNode, zone: 'z5' } });
  // Counters that existed before, and new ones.
  for (let count = 0; count < 3; count++) for (const kind of [1, 2, 3]) place(kind);
  made.do({ do: 'remove-node', at: 6 });
  for (const kind of [1, 2, 3]) place(kind);
  t.equal(made.placed, 13);
});

t.test('the first pod of a group with self-affinity starts on any node, also after the others are gone', async (t) => {
  const kind: PodKind = {
    namespace: 'one',
    labels: { app: 'a' },
    metadata: {},
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: hostKey, labelSelector: { matchLabels: { app: 'a' } } },
          ],
        },
      },
    },
  };
  for (const changesMax of [1, 16_384]) {
    const made = new ScheduledTwice({ profiles: [defaultProfile], definitions, kinds: [kind], changesMax });
    for (const at of [0, 1, 2]) made.do({ do: 'node', at, shape: plainNode });
    for (let count = 0; count < 3; count++) {
      made.do({ do: 'place', kind: 0, hint: 40 });
      made.do({ do: 'remove-node', at: count });
      made.do({ do: 'place', kind: 0, hint: 40 });
      made.do({ do: 'node', at: count, shape: plainNode });
      made.do({ do: 'place', kind: 0, hint: 40 });
      for (let gone = 0; gone < 3; gone++) made.do({ do: 'change-pod', pod: 0, change: { to: 'leave' } });
    }
    t.equal(made.placed, 9);
  }
});

t.test('a reader that falls behind the log rebuilds from all nodes', async (t) => {
  const nominationChanges = new BoundedLog<string>(2);
  const cluster = Object.assign(new TestCluster({ nodes: [nodeOf('n1'), nodeOf('n2')] }), { nominationChanges });
  const changed = new ChangedNodes(cluster);
  t.equal(changed.read(), undefined, 'the first time');
  t.strictSame(changed.read(), new Set());
  for (const name of ['n2', 'elsewhere']) nominationChanges.add(name);
  t.strictSame(changed.read(), new Set([cluster.at('n2').slot]));
  for (const name of ['n1', 'n1', 'n2']) nominationChanges.add(name);
  t.equal(changed.read(), undefined);
});

t.test('the least recently used entry is evicted', async (t) => {
  const recent = new RecentlyUsed<string>(2);
  const make = (key: string): string => recent.get(key, () => `made ${key}`);
  make('a');
  make('b');
  make('a');
  make('c');
  t.equal(recent.size, 2);
  t.equal(
    recent.get('a', () => 'made again'),
    'made a',
  );
  t.equal(
    recent.get('b', () => 'made again'),
    'made again',
  );
});
