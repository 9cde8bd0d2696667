// The default plugins that evaluate a node by itself: filters, scores, results, and the events that requeue a pod.
// Expected values are the reference's, or computed by hand from its formulas.
import t, { type Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import { isApiError, virtualClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type {
  Container,
  DeviceClass,
  Node,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Taint,
  Toleration,
  resourceV1,
} from '../../lib/core/types/index.js';
import { actions, builtinPlugins, schedulerConfiguration } from '../../lib/scheduling/public.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type { ArgumentDocuments, PluginArguments, QueuedPod } from '../../lib/scheduling/public.js';
import type { ConfigurablePlugin } from '../../lib/scheduling/configuration/plugin-arguments.js';
import type { EventResources } from '../../lib/scheduling/framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import type { PluginTools } from '../../lib/scheduling/framework/plugin-tools.js';
import { builtinPluginFactories } from '../../lib/scheduling/plugins/default-plugins.js';
import { deviceClassBehind } from '../../lib/scheduling/plugins/device-classes.js';
import { imageScore, scaledImageSize } from '../../lib/scheduling/plugins/image-locality.js';
import {
  balance,
  balanceScore,
} from '../../lib/scheduling/plugins/node-resources/node-resources-balanced-allocation.js';
import {
  normalizeScores,
  scaleToHighestReversed,
  scaleToHighest,
} from '../../lib/scheduling/plugins/normalize-scores.js';
import {
  percentOf,
  resourceScorer,
  scoreAlong,
} from '../../lib/scheduling/plugins/node-resources/scoring-strategies.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { TestCluster, cycleOf, nodeOf, podOf, toolsOf } from '../support/scheduling.js';
import type { NodeShape } from '../support/scheduling.js';
import { fc, runs } from '../support/properties.js';

/** Returns a built-in plugin, created with these arguments of a profile. */
function made(
  name: string,
  args: ArgumentDocuments[ConfigurablePlugin] = {},
  cluster = new TestCluster(),
  tools: Partial<PluginTools> = {},
): SchedulingPlugin {
  const configuration = schedulerConfiguration(
    Object.keys(args).length === 0 ? {} : { profiles: [{ pluginConfig: [{ name, args }] }] },
  );
  const profile = configuration.profiles.get('default-scheduler');
  const maker = builtinPluginFactories.get(name);
  if (profile === undefined || maker === undefined) throw new Error(`no factory of ${name}`);
  return maker(toolsOf(cluster, { profile, ...tools }), profile.args[name as keyof PluginArguments]);
}

/** Returns the code and reasons of a plugin's rejection, or undefined. */
function verdict(
  plugin: SchedulingPlugin,
  pod: Frozen<Pod>,
  node: Frozen<Node>,
  others: readonly Frozen<Pod>[] = [],
  cluster = new TestCluster(),
): readonly string[] | undefined {
  const view = cluster.addNode(node);
  for (const other of others) cluster.addPod(other);
  const rejection = plugin.filter?.(cycleOf(cluster, pod), view);
  return rejection && [rejection.code, ...rejection.reasons];
}

/** Returns the normalized scores of all nodes; undefined if the plugin skips. */
function scoresOf(plugin: SchedulingPlugin, pod: Frozen<Pod>, cluster: TestCluster): readonly number[] | undefined {
  const cycle = cycleOf(cluster, pod);
  if (plugin.preScore?.(cycle, cluster.nodes) === 'skip') return undefined;
  const scores = cluster.nodes.map((node) => plugin.score?.(cycle, node) ?? NaN);
  plugin.normalizeScores?.(cycle, scores, cluster.nodes);
  return scores;
}

/**
 * Nodes with four units of a resource, with four devices of which two are allocated, with two devices, and with one.
 */
function withDevices(expression: string): TestCluster {
  const device = (name: string, model: string, rest: Partial<resourceV1.Device> = {}): resourceV1.Device => ({
    name,
    attributes: { model: { string: model } },
    ...rest,
  });
  const slice = (name: string, spec: Partial<resourceV1.ResourceSliceSpec>): resourceV1.ResourceSlice => ({
    metadata: { name },
    spec: { driver: 'example.com', pool: { name, generation: 1, resourceSliceCount: 2 }, ...spec },
  });
  const held = (name: string, result: Partial<resourceV1.DeviceRequestAllocationResult>): resourceV1.ResourceClaim => ({
    metadata: { name, namespace: 'ns' },
    spec: {},
    status: {
      allocation: {
        devices: { results: [{ request: 'r', driver: 'example.com', pool: 'four', device: 'd1', ...result }] },
      },
    },
  });
  return new TestCluster({
    nodes: [
      nodeOf('own', { allocatable: { cpu: '4', 'example.com/gpu': '4' } }),
      nodeOf('four'),
      nodeOf('two', { labels: { rack: 'one' } }),
      nodeOf('one'),
    ],
    objects: {
      DeviceClass: [
        {
          metadata: { name: 'gpu' },
          spec: { extendedResourceName: 'example.com/gpu', selectors: [{ cel: { expression } }] },
        },
      ],
      ResourceSlice: [
        slice('four', {
          nodeName: 'four',
          devices: [device('d1', 'a'), device('d2', 'a'), device('d3', 'a'), device('d4', 'a'), device('d5', 'b')],
        }),
        slice('two', {
          nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'Exists' }] }] },
          devices: [device('d1', 'a'), device('d2', 'a')],
        }),
        slice('one', {
          perDeviceNodeSelection: true,
          devices: [device('d1', 'a', { nodeName: 'one' }), device('d2', 'a', { nodeName: 'elsewhere' })],
        }),
      ],
      ResourceClaim: [
        held('whole', {}),
        held('shared', { device: 'd2', shareID: 's', consumedCapacity: { memory: '1' } }),
        held('other', { device: 'd5' }),
      ],
    },
  });
}

/** Returns whether an event requeues a pod that the plugin rejected. */
function hint<R extends keyof EventResources>(
  plugin: SchedulingPlugin,
  resource: R,
  action: number,
  pod: Frozen<Pod>,
  old?: Frozen<EventResources[R]>,
  current?: Frozen<EventResources[R]>,
): string {
  const interests =
    plugin.events?.filter((each) => each.resource === resource && (each.action & action) === action) ?? [];
  if (interests.length === 0) return 'not asked';
  return interests.some((each) => each.hint === undefined || each.hint(podFacts(pod), old, current) === 'queue')
    ? 'queue'
    : 'skip';
}

/** Checks a property; `numRuns` is the number of samples of a long run. */
function holds<T>(t: Pick<Test, 'doesNotThrow'>, property: fc.IProperty<T>, numRuns: number): void {
  t.doesNotThrow(() => {
    fc.assert(property, { numRuns: runs(numRuns) });
  });
}

const UU = 'UnschedulableAndUnresolvable';
const U = 'Unschedulable';
const mebibyte = 1024 * 1024;
const isScore = (score: number): boolean => Number.isInteger(score) && score >= 0 && score <= 100;
const container = (requests: Record<string, string>, rest: Partial<Container> = {}): Container => ({
  name: 'c',
  resources: { requests },
  ...rest,
});

t.test('every built-in plugin has a factory, and functions only at its registered extension points', async (t) => {
  t.strictSame([...builtinPluginFactories.keys()], [...builtinPlugins.keys()]);
  for (const name of builtinPluginFactories.keys()) {
    const { name: own, points } = definitionOf(made(name));
    t.equal(own, name);
    t.strictSame(
      points.filter((point) => builtinPlugins.get(name)?.includes(point) !== true),
      [],
      name,
    );
  }
});

t.test('SchedulingGates rejects pods with scheduling gates', async (t) => {
  const plugin = made('SchedulingGates');
  const gated = podOf('p', { spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] } });
  t.strictSame(plugin.preEnqueue?.(podFacts(gated)), { code: UU, reasons: ['waiting for scheduling gates: [a b]'] });
  t.equal(plugin.preEnqueue?.(podFacts(podOf('p'))), undefined);
  t.equal(hint(plugin, 'Pod', actions.updatePodSchedulingGatesEliminated, gated, gated, podOf('p')), 'queue');
  t.equal(hint(plugin, 'Pod', actions.updatePodSchedulingGatesEliminated, gated, gated, podOf('other')), 'skip');
});

t.test('PrioritySort orders by priority, then by waiting time', async (t) => {
  const { compare } = made('PrioritySort');
  const queued = (priority: number | undefined, queuedAt: number): QueuedPod =>
    ({ pod: podOf('p', { spec: priority === undefined ? {} : { priority } }), queuedAt }) as QueuedPod;
  t.ok((compare?.(queued(2, 9), queued(1, 0)) ?? 0) < 0);
  t.ok((compare?.(queued(undefined, 1), queued(0, 2)) ?? 0) < 0);
  t.ok((compare?.(queued(-1, 1), queued(undefined, 2)) ?? 0) > 0);
});

t.test('NodeUnschedulable rejects cordoned nodes unless the pod tolerates the taint', async (t) => {
  const plugin = made('NodeUnschedulable');
  const cordoned = nodeOf('n', { unschedulable: true });
  const tolerant = podOf('p', {
    spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] },
  });
  t.strictSame(verdict(plugin, podOf('p'), cordoned), [UU, 'node(s) were unschedulable']);
  t.equal(verdict(plugin, podOf('p'), nodeOf('n', { unschedulable: false })), undefined);
  t.equal(verdict(plugin, tolerant, cordoned), undefined);

  t.equal(hint(plugin, 'Node', actions.add, podOf('p'), undefined, nodeOf('n')), 'queue');
  t.equal(hint(plugin, 'Node', actions.add, podOf('p'), undefined, cordoned), 'skip');
  t.equal(hint(plugin, 'Node', actions.updateNodeTaint, podOf('p'), cordoned, nodeOf('n')), 'queue');
  t.equal(
    hint(plugin, 'Node', actions.updateNodeTaint, podOf('p'), nodeOf('n'), nodeOf('n')),
    'skip',
    'it was never cordoned',
  );
  t.equal(hint(plugin, 'Pod', actions.updatePodToleration, podOf('p'), podOf('p'), tolerant), 'queue');
  t.equal(hint(plugin, 'Pod', actions.updatePodToleration, podOf('p'), podOf('p'), podOf('p')), 'skip');
  t.equal(
    hint(plugin, 'Pod', actions.updatePodToleration, podOf('other'), podOf('p'), tolerant),
    'skip',
    'the toleration is another pod’s',
  );
});

t.test('NodeName rejects all nodes but the one that the pod names', async (t) => {
  const plugin = made('NodeName');
  t.equal(verdict(plugin, podOf('p'), nodeOf('n')), undefined);
  t.equal(verdict(plugin, podOf('p', { nodeName: 'n' }), nodeOf('n')), undefined);
  t.strictSame(verdict(plugin, podOf('p', { nodeName: 'm' }), nodeOf('n')), [
    UU,
    "node(s) didn't match the requested node name",
  ]);
  t.equal(hint(plugin, 'Node', actions.add, podOf('p'), undefined, nodeOf('n')), 'queue');
});

t.test('TaintToleration', async (t) => {
  const plugin = made('TaintToleration');
  const taint = (effect: Taint['effect'], value?: string): Taint => ({
    key: 'k',
    effect,
    ...(value !== undefined && { value }),
  });
  const tolerating = (...tolerations: Toleration[]): Frozen<Pod> => podOf('p', { spec: { tolerations } });
  const untolerated = [UU, 'node(s) had untolerated taint(s)'];

  t.test('rejects nodes with untolerated taints', async (t) => {
    t.strictSame(verdict(plugin, podOf('p'), nodeOf('n', { taints: [taint('NoSchedule')] })), untolerated);
    t.strictSame(verdict(plugin, podOf('p'), nodeOf('n', { taints: [taint('NoExecute')] })), untolerated);
    t.equal(verdict(plugin, podOf('p'), nodeOf('n', { taints: [taint('PreferNoSchedule')] })), undefined);
    t.equal(
      verdict(
        plugin,
        tolerating({ operator: 'Exists' }),
        nodeOf('n', { taints: [taint('NoSchedule'), taint('NoExecute')] }),
      ),
      undefined,
    );
    t.strictSame(
      verdict(
        plugin,
        tolerating({ key: 'k', value: 'v', effect: 'NoSchedule' }),
        nodeOf('n', { taints: [taint('NoSchedule', 'v'), taint('NoExecute', 'v')] }),
      ),
      untolerated,
    );
  });

  t.test('scores nodes by their untolerated PreferNoSchedule taints, the fewest highest', async (t) => {
    const cluster = new TestCluster({
      nodes: [0, 1, 2, 4].map((count) =>
        nodeOf(`n${count}`, {
          taints: Array.from({ length: count }, (_, index) => ({
            key: `k${index}`,
            effect: 'PreferNoSchedule' as const,
          })),
        }),
      ),
    });
    t.strictSame(scoresOf(plugin, podOf('p'), cluster), [100, 75, 50, 0]);
    t.strictSame(
      scoresOf(plugin, tolerating({ key: 'k0', operator: 'Exists', effect: 'PreferNoSchedule' }), cluster),
      [100, 100, 67, 0],
    );
    t.strictSame(
      scoresOf(plugin, tolerating({ operator: 'Exists', effect: 'NoSchedule' }), cluster),
      [100, 75, 50, 0],
      'a toleration of another effect is none',
    );
    t.strictSame(scoresOf(plugin, tolerating({ operator: 'Exists' }), cluster), [100, 100, 100, 100]);
  });

  t.test('requeues for nodes that lose a taint, and for new tolerations', async (t) => {
    const tainted = nodeOf('n', { taints: [taint('NoSchedule')] });
    t.equal(hint(plugin, 'Node', actions.add, podOf('p'), undefined, nodeOf('n')), 'queue');
    t.equal(hint(plugin, 'Node', actions.add, podOf('p'), undefined, tainted), 'skip');
    t.equal(hint(plugin, 'Node', actions.updateNodeTaint, podOf('p'), tainted, nodeOf('n')), 'queue');
    t.equal(hint(plugin, 'Node', actions.updateNodeTaint, podOf('p'), nodeOf('n'), nodeOf('n')), 'skip');
    t.equal(hint(plugin, 'Node', actions.updateNodeTaint, podOf('p'), nodeOf('n'), tainted), 'skip');
    t.equal(
      hint(plugin, 'Pod', actions.updatePodToleration, podOf('p'), podOf('p'), tolerating({ operator: 'Exists' })),
      'queue',
    );
    t.equal(hint(plugin, 'Pod', actions.updatePodToleration, podOf('p'), podOf('q'), podOf('q')), 'skip');
  });
});

t.test('NodeAffinity', async (t) => {
  const named = (...values: string[]): NodeSelectorTerm => ({
    matchFields: values.map((value) => ({ key: 'metadata.name', operator: 'In', values: [value] })),
  });
  const zone = (...values: string[]): NodeSelectorTerm => ({
    matchExpressions: [{ key: 'zone', operator: 'In', values }],
  });
  const requiring = (...nodeSelectorTerms: NodeSelectorTerm[]): Frozen<Pod> =>
    podOf('p', {
      spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
    });
  const preferring = (...terms: (readonly [number, NodeSelectorTerm])[]): Frozen<Pod> =>
    podOf('p', {
      spec: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, preference]) => ({
              weight,
              preference,
            })),
          },
        },
      },
    });
  const selecting = podOf('p', { spec: { nodeSelector: { zone: 'a' } } });
  const plugin = made('NodeAffinity');
  const enforcing = made('NodeAffinity', {
    addedAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zone('a', 'b')] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference: zone('b') }],
    },
  });
  const [a, b, c] = ['a', 'b', 'c'].map((value) => nodeOf(`n${value}`, { labels: { zone: value } })) as [
    Frozen<Node>,
    Frozen<Node>,
    Frozen<Node>,
  ];
  const notWanted = [UU, "node(s) didn't match Pod's node affinity/selector"];

  t.test('restricts the search if every term names nodes', async (t) => {
    const answer = (pod: Frozen<Pod>, from = plugin): unknown => from.preFilter?.(cycleOf(new TestCluster(), pod));
    t.equal(answer(podOf('p')), 'skip');
    t.equal(answer(podOf('p'), enforcing), undefined, 'what the profile adds holds for all');
    t.equal(answer(selecting), undefined);
    t.equal(answer(requiring(zone('a'), named('n'))), undefined);
    t.strictSame(answer(requiring(named('n'), named('m'))), { nodeNames: new Set(['n', 'm']) });
    t.strictSame(answer(requiring(named('n', 'm'))), { code: UU, reasons: ['pod affinity terms conflict'] });
    t.equal(answer(requiring()), undefined);
  });

  t.test('accepts nodes that selector, affinity and profile allow', async (t) => {
    t.equal(verdict(plugin, selecting, a), undefined);
    t.strictSame(verdict(plugin, selecting, b), notWanted);
    t.equal(verdict(plugin, requiring(zone('b'), named('na')), a), undefined);
    t.strictSame(verdict(plugin, requiring(), a), notWanted, 'no term allows no node');
    t.strictSame(verdict(enforcing, requiring(zone('c')), c), [
      UU,
      "node(s) didn't match scheduler-enforced node affinity",
    ]);
    t.strictSame(verdict(enforcing, requiring(zone('c')), a), notWanted);
    t.equal(verdict(enforcing, podOf('p'), a), undefined);
  });

  t.test('scores by the weights of preferred terms of pod and profile', async (t) => {
    const cluster = new TestCluster({ nodes: [a, b, c] });
    t.equal(scoresOf(plugin, podOf('p'), cluster), undefined);
    t.strictSame(scoresOf(plugin, preferring([2, zone('a')], [1, zone('a', 'b')]), cluster), [100, 33, 0]);
    t.strictSame(scoresOf(plugin, preferring([2, zone('d')]), cluster), [0, 0, 0]);
    t.strictSame(scoresOf(enforcing, podOf('p'), cluster), [0, 100, 0]);
    t.strictSame(scoresOf(enforcing, preferring([5, zone('a', 'b')]), cluster), [50, 100, 0]);
    t.throws(
      () => scoresOf(plugin, preferring([1, { matchExpressions: [{ key: 'zone', operator: 'In' }] }]), cluster),
      { message: /^preferredDuringSchedulingIgnoredDuringExecution\[0\]/ },
    );
  });

  t.test('requeues for nodes that start to match', async (t) => {
    t.equal(hint(plugin, 'Node', actions.add, selecting, undefined, a), 'queue');
    t.equal(hint(plugin, 'Node', actions.add, selecting, undefined, b), 'skip');
    t.equal(hint(plugin, 'Node', actions.updateNodeLabel, selecting, b, a), 'queue');
    t.equal(hint(plugin, 'Node', actions.updateNodeLabel, selecting, a, a), 'skip');
    t.equal(hint(enforcing, 'Node', actions.add, requiring(zone('c')), undefined, c), 'skip');
    t.equal(
      hint(enforcing, 'Node', actions.updateNodeLabel, podOf('p'), c, a),
      'queue',
      'also to what only the profile demands',
    );
    t.equal(hint(plugin, 'Node', actions.updateNodeTaint, selecting, b, a), 'not asked');
  });
});

t.test('NodePorts', async (t) => {
  const plugin = made('NodePorts');
  const wanting = (name: string, ...ports: (readonly [number, string?, ('TCP' | 'UDP')?])[]): Frozen<Pod> =>
    podOf(name, {
      nodeName: 'n',
      spec: {
        containers: [
          {
            name: 'c',
            ports: ports.map(([hostPort, hostIP = '', protocol = 'TCP']) => ({
              containerPort: 80,
              hostPort,
              hostIP,
              protocol,
            })),
          },
        ],
      },
    });
  const taken = [U, "node(s) didn't have free ports for the requested pod ports"];
  const on = (pod: Frozen<Pod>, other: Frozen<Pod>): readonly string[] | undefined =>
    verdict(plugin, pod, nodeOf('n'), [other]);
  t.equal(plugin.preFilter?.(cycleOf(new TestCluster(), podOf('p'))), 'skip');
  t.equal(plugin.preFilter?.(cycleOf(new TestCluster(), wanting('p', [80]))), undefined);
  t.strictSame(on(wanting('p', [80]), wanting('q', [80])), taken);
  t.equal(on(wanting('p', [80]), wanting('q', [81])), undefined);
  t.equal(on(wanting('p', [80, '', 'UDP']), wanting('q', [80, '', 'TCP'])), undefined);
  t.equal(on(wanting('p', [80, '10.0.0.1']), wanting('q', [80, '10.0.0.2'])), undefined);
  t.strictSame(on(wanting('p', [80, '10.0.0.1']), wanting('q', [80, '0.0.0.0'])), taken);
  t.strictSame(on(wanting('p', [1], [80]), wanting('q', [80, '10.0.0.1'])), taken);

  t.equal(hint(plugin, 'Pod', actions.delete, wanting('p', [80]), wanting('q', [80])), 'queue');
  t.equal(hint(plugin, 'Pod', actions.delete, wanting('p', [80]), wanting('q', [81])), 'skip');
  t.equal(
    hint(
      plugin,
      'Pod',
      actions.delete,
      wanting('p', [80]),
      podOf('q', { spec: { ...wanting('q', [80]).spec, nodeName: '' } as PodSpec }),
    ),
    'skip',
    'it was on no node',
  );
  t.equal(hint(plugin, 'Node', actions.add, wanting('p', [80]), undefined, nodeOf('n')), 'queue');
});

t.test('NodeResourcesFit', async (t) => {
  const plugin = made('NodeResourcesFit');
  const small: NodeShape = {
    allocatable: { cpu: '2', memory: '2Gi', 'ephemeral-storage': '1Gi', 'example.com/gpu': '2', pods: '2' },
  };
  const used = (requests: Record<string, string>): Frozen<Pod>[] => [podOf('q', { nodeName: 'n', requests })];
  const fit = (
    requests: Record<string, string>,
    others: readonly Frozen<Pod>[] = [],
    from = plugin,
    cluster?: TestCluster,
  ): readonly string[] | undefined => verdict(from, podOf('p', { requests }), nodeOf('n', small), others, cluster);

  t.test('reports all missing resources; a request beyond the total is unresolvable', async (t) => {
    t.equal(fit({ cpu: '2', memory: '2Gi', 'ephemeral-storage': '1Gi', 'example.com/gpu': '2' }), undefined);
    t.equal(fit({ cpu: '1' }, used({ cpu: '1' })), undefined);
    t.strictSame(fit({ cpu: '1001m' }, used({ cpu: '1' })), [U, 'Insufficient cpu']);
    t.strictSame(fit({ cpu: '2001m' }), [UU, 'Insufficient cpu']);
    t.strictSame(
      fit(
        { memory: '2Gi', cpu: '2', 'ephemeral-storage': '1Gi', 'example.com/gpu': '1' },
        used({ cpu: '1', memory: '1', 'ephemeral-storage': '1', 'example.com/gpu': '2' }),
      ),
      [U, 'Insufficient cpu', 'Insufficient memory', 'Insufficient ephemeral-storage', 'Insufficient example.com/gpu'],
    );
    t.strictSame(
      fit({ cpu: '2', memory: '3Gi' }, used({ cpu: '1' })),
      [UU, 'Insufficient cpu', 'Insufficient memory'],
      'one that stands is enough',
    );
    t.strictSame(fit({ 'example.com/other': '1' }), [UU, 'Insufficient example.com/other']);
    t.equal(
      fit({ 'example.com/other': '0', cpu: '0' }, used({ cpu: '3' })),
      undefined,
      'who asks for nothing is not refused where there is less than nothing',
    );
    t.strictSame(
      verdict(
        plugin,
        podOf('p', { spec: { containers: [container({ 'hugepages-2Mi': '2Mi' })] } }),
        nodeOf('n', small),
      ),
      [UU, 'Insufficient hugepages-2Mi'],
    );
  });

  t.test('a node has a maximum number of pods', async (t) => {
    const two = [podOf('q', { nodeName: 'n' }), podOf('r', { nodeName: 'n' })];
    t.strictSame(verdict(plugin, podOf('p'), nodeOf('n', small), two), [U, 'Too many pods']);
    t.strictSame(fit({ cpu: '3' }, two), [UU, 'Too many pods', 'Insufficient cpu']);
  });

  t.test('returns the same rejection object for the same shortage, from a bounded cache', async (t) => {
    const cluster = new TestCluster({ nodes: [nodeOf('n', small)] });
    const answer = (name: string): unknown =>
      plugin.filter?.(cycleOf(cluster, podOf('p', { requests: { cpu: '3', [name]: '1' } })), cluster.at('n'));
    t.equal(answer('example.com/a'), answer('example.com/a'));
    const first = answer('example.com/a');
    for (let index = 0; index < 5000; index++) answer(`example.com/r${index}`);
    t.strictSame(answer('example.com/a'), first);
    t.not(answer('example.com/a'), first, 'the memory is bounded');
  });

  t.test('ignores resources that the profile ignores, and those backed by devices', async (t) => {
    const ignoring = made('NodeResourcesFit', {
      ignoredResources: ['example.com/gpu'],
      ignoredResourceGroups: ['example.org'],
    });
    t.equal(fit({ 'example.com/gpu': '9', 'example.org/any': '1' }, [], ignoring), undefined);
    t.strictSame(fit({ 'example.com/gpu2': '1' }, [], ignoring), [UU, 'Insufficient example.com/gpu2']);
    const classes = {
      DeviceClass: [
        { metadata: { name: 'gpus' }, spec: { extendedResourceName: 'example.com/dev' } },
        { metadata: { name: 'more' }, spec: { extendedResourceName: 'example.com/gpu' } },
      ],
    };
    const cluster = new TestCluster({ objects: classes });
    const withDevices = made('NodeResourcesFit', {}, cluster);
    t.equal(
      fit({ 'example.com/dev': '9', 'deviceclass.resource.kubernetes.io/gpus': '1' }, [], withDevices, cluster),
      undefined,
    );
    t.strictSame(
      fit({ 'example.com/gpu': '9' }, [], withDevices, cluster),
      [UU, 'Insufficient example.com/gpu'],
      'a node that has it answers for it',
    );
  });

  t.test('agrees with a naive evaluation', async (t) => {
    const amount = fc.integer({ min: 0, max: 4 });
    const amounts = fc.record({
      cpu: amount,
      memory: amount,
      'ephemeral-storage': amount,
      'example.com/a': amount,
      'example.com/b': amount,
    });
    const texts = (of: Record<string, number>): Record<string, string> =>
      Object.fromEntries(Object.entries(of).map(([name, value]) => [name, `${value}`]));
    holds(
      t,
      fc.property(amounts, amounts, amounts, fc.integer({ min: 0, max: 2 }), (wants, has, uses, pods) => {
        const names = Object.keys(wants) as (keyof typeof wants)[];
        const missing = names.filter((name) => wants[name] > 0 && uses[name] + wants[name] > has[name]);
        const reasons = [...(pods < 2 ? ['Too many pods'] : []), ...missing.map((name) => `Insufficient ${name}`)];
        const stands = missing.some((name) => wants[name] > has[name]);
        const node = nodeOf('n', { allocatable: { ...texts(has), pods: `${pods}` } });
        const found = verdict(plugin, podOf('p', { requests: texts(wants) }), node, [
          podOf('q', { nodeName: 'n', requests: texts(uses) }),
        ]);
        return found?.join() === (reasons.length === 0 ? undefined : [stands ? UU : U, ...reasons].join());
      }),
      500,
    );
  });

  t.test('scores by the strategy of the profile', async (t) => {
    const strategy = (type: string, rest: object = {}): SchedulingPlugin =>
      made('NodeResourcesFit', { scoringStrategy: { type, ...rest } });
    const cluster = new TestCluster({
      nodes: [nodeOf('empty'), nodeOf('half'), nodeOf('full', { allocatable: { cpu: '1', memory: '32Gi' } })],
      pods: [
        podOf('q', { nodeName: 'half', requests: { cpu: '2', memory: '8Gi' } }),
        podOf('r', { nodeName: 'full', requests: { cpu: '1', memory: '1Gi' } }),
      ],
    });
    const pod = podOf('p', { requests: { cpu: '100m', memory: '500Mi' } });
    t.strictSame(scoresOf(plugin, pod, cluster), [97, 60, 47], 'cpu 97, 47, 0 and memory 98, 73, 95');
    t.strictSame(scoresOf(strategy('MostAllocated'), pod, cluster), [1, 39, 52], 'cpu 2, 52, 100 and memory 1, 26, 4');
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ];
    t.strictSame(
      scoresOf(strategy('RequestedToCapacityRatio', { requestedToCapacityRatio: { shape } }), pod, cluster),
      [2, 39, 52],
      'rounded',
    );
    t.strictSame(
      scoresOf(
        strategy('LeastAllocated', {
          resources: [
            { name: 'cpu', weight: 3 },
            { name: 'memory', weight: 1 },
          ],
        }),
        pod,
        cluster,
      ),
      [97, 53, 23],
    );
    t.strictSame(
      scoresOf(plugin, pod, new TestCluster({ nodes: [nodeOf('n')], pods: [podOf('q', { nodeName: 'n' })] })),
      [96],
      'so do those that are there: 95 and 97',
    );
    t.strictSame(
      scoresOf(plugin, podOf('p'), new TestCluster({ nodes: [nodeOf('n')] })),
      [98],
      'a pod without requests counts as 100m and 200Mi: 97 and 99',
    );
    const resources = [
      { name: 'example.com/gpu', weight: 1 },
      { name: 'cpu', weight: 1 },
    ];
    const gpus = new TestCluster({
      nodes: [nodeOf('n', { allocatable: { cpu: '4', 'example.com/gpu': '4' } }), nodeOf('m')],
    });
    t.strictSame(
      scoresOf(
        strategy('LeastAllocated', { resources }),
        podOf('p', { requests: { cpu: '1', 'example.com/gpu': '1' } }),
        gpus,
      ),
      [75, 75],
    );
    t.strictSame(
      scoresOf(strategy('LeastAllocated', { resources }), podOf('p', { requests: { cpu: '2' } }), gpus),
      [50, 50],
      'a scalar resource counts only where the pod wants it',
    );
    const podLevel = podOf('p', {
      spec: {
        containers: [container({ cpu: '1' })],
        resources: { requests: { cpu: '3', memory: '16Gi', 'hugepages-2Mi': '2Gi' } },
      },
    });
    t.strictSame(
      scoresOf(plugin, podLevel, new TestCluster({ nodes: [nodeOf('n')] })),
      [87],
      'containers count, not what the pod asks for as a whole: 75 and 99',
    );
    const pages = new TestCluster({ nodes: [nodeOf('n', { allocatable: { 'hugepages-2Mi': '4Gi' } })] });
    t.strictSame(
      scoresOf(strategy('LeastAllocated', { resources: [{ name: 'hugepages-2Mi' }] }), podLevel, pages),
      [0],
    );
  });

  t.test('scores resources backed by devices', async (t) => {
    const cluster = withDevices(`device.attributes["example.com"].model == "a"`);
    const pod = podOf('p', { requests: { cpu: '2', 'example.com/gpu': '1' } });
    const least = (name: string): SchedulingPlugin =>
      made('NodeResourcesFit', { scoringStrategy: { type: 'LeastAllocated', resources: [{ name }] } }, cluster);
    t.strictSame(
      scoresOf(least('example.com/gpu'), pod, cluster),
      [75, 25, 50, 0],
      'its own, else those of the class within reach that are free',
    );
    t.strictSame(
      scoresOf(least('example.com/other'), podOf('p', { requests: { 'example.com/other': '1' } }), cluster),
      [0, 0, 0, 0],
      'no class is behind it',
    );
    const broken = withDevices(`device.attributes["example.com"].size > 1`);
    t.strictSame(
      scoresOf(
        made(
          'NodeResourcesFit',
          { scoringStrategy: { type: 'LeastAllocated', resources: [{ name: 'example.com/gpu' }] } },
          broken,
        ),
        pod,
        broken,
      ),
      [75, 0, 0, 0],
      'what cannot be said counts for nothing',
    );
    const balanced = made(
      'NodeResourcesBalancedAllocation',
      { resources: [{ name: 'cpu' }, { name: 'example.com/gpu' }] },
      cluster,
    );
    t.strictSame(
      scoresOf(balanced, pod, cluster),
      [68, 81, 75, 62],
      'of cpu a half more; of devices a quarter, a quarter beside a half, a half and all',
    );
  });

  t.test('requeues for freed resources', async (t) => {
    const pod = podOf('p', { requests: { cpu: '2', 'example.com/dev': '1' } });
    const plain = podOf('p', { requests: { cpu: '2' } });
    const q = (requests: Record<string, string>, nodeName = 'n'): Frozen<Pod> => podOf('q', { nodeName, requests });
    t.equal(hint(plugin, 'Pod', actions.delete, plain, q({})), 'queue', 'the deletion of any pod');
    t.equal(hint(plugin, 'Pod', actions.delete, plain, q({}, '')), 'skip');
    t.equal(hint(plugin, 'Pod', actions.delete, plain, podOf('q', { status: { nominatedNodeName: 'n' } })), 'queue');
    t.equal(hint(plugin, 'Pod', actions.updatePodScaleDown, plain, q({ cpu: '2' }), q({ cpu: '1' })), 'queue');
    t.equal(
      hint(plugin, 'Pod', actions.updatePodScaleDown, plain, q({ memory: '2' }), q({ memory: '1' })),
      'skip',
      'the pod wants no memory',
    );
    t.equal(hint(plugin, 'Pod', actions.updatePodScaleDown, plain, q({ cpu: '2' }, ''), q({ cpu: '1' }, '')), 'skip');
    t.equal(
      hint(plugin, 'Pod', actions.updatePodScaleDown, plain, plain, podOf('p', { requests: { cpu: '1' } })),
      'queue',
      'its own',
    );

    const node = (cpu: string, pods = '10', more: Record<string, string> = {}): Frozen<Node> =>
      nodeOf('n', { allocatable: { cpu, pods, ...more } });
    t.equal(hint(plugin, 'Node', actions.add, plain, undefined, node('2')), 'queue');
    t.equal(hint(plugin, 'Node', actions.add, plain, undefined, node('1')), 'skip');
    t.equal(hint(plugin, 'Node', actions.updateNodeAllocatable, plain, node('3'), node('4')), 'queue');
    t.equal(hint(plugin, 'Node', actions.updateNodeAllocatable, plain, node('4'), node('3')), 'skip');
    t.equal(hint(plugin, 'Node', actions.updateNodeAllocatable, plain, node('4'), node('4', '11')), 'queue');
    t.equal(
      hint(plugin, 'Node', actions.updateNodeAllocatable, plain, node('4'), node('4', '10', { memory: '1Gi' })),
      'skip',
    );
    t.equal(
      hint(
        plugin,
        'Node',
        actions.updateNodeAllocatable,
        pod,
        node('4', '10', { 'example.com/dev': '1' }),
        node('4', '10', { 'example.com/dev': '2' }),
      ),
      'queue',
    );
    t.equal(hint(plugin, 'Node', actions.updateNodeLabel, plain, node('4'), node('4')), 'not asked');
    const ignoring = made('NodeResourcesFit', { ignoredResources: ['example.com/dev'] });
    t.equal(
      hint(ignoring, 'Node', actions.add, pod, undefined, node('2')),
      'queue',
      'what is ignored does not matter here either',
    );

    const deviceClass = (name: string, extendedResourceName?: string): Frozen<DeviceClass> => ({
      metadata: { name },
      spec: { ...(extendedResourceName !== undefined && { extendedResourceName }) },
    });
    const cluster = new TestCluster({ objects: { DeviceClass: [deviceClass('c', 'example.com/dev')] } });
    const withDevices = made('NodeResourcesFit', {}, cluster);
    t.equal(
      hint(withDevices, 'Node', actions.updateNodeAllocatable, pod, node('4'), node('4')),
      'queue',
      'devices are looked for by others',
    );
    t.equal(hint(plugin, 'Node', actions.updateNodeAllocatable, pod, node('4'), node('4')), 'skip');
    const hear = (old: Frozen<DeviceClass> | undefined, current: Frozen<DeviceClass>, of = pod): string =>
      hint(plugin, 'resource.k8s.io/DeviceClass', old === undefined ? actions.add : actions.update, of, old, current);
    t.equal(hear(undefined, deviceClass('c', 'example.com/dev')), 'queue');
    t.equal(hear(undefined, deviceClass('c', 'example.com/other')), 'skip');
    t.equal(hear(deviceClass('c'), deviceClass('c', 'example.com/dev')), 'queue');
    t.equal(hear(deviceClass('c', 'example.com/dev'), deviceClass('c', 'example.com/dev')), 'skip');
    t.equal(hear(deviceClass('c', 'example.com/dev'), deviceClass('c')), 'skip');
    t.equal(
      hear(undefined, deviceClass('c'), podOf('p', { requests: { 'deviceclass.resource.kubernetes.io/c': '1' } })),
      'queue',
    );
  });

  t.test('of several classes of one resource the newest applies, then the lower name', async (t) => {
    const cluster = new TestCluster();
    const add = (name: string, creationTimestamp: string): void =>
      cluster.objects.set('DeviceClass', {
        metadata: { name, creationTimestamp },
        spec: { extendedResourceName: 'example.com/dev' },
      });
    const behind = (): string | undefined => deviceClassBehind(cluster.objects, 'example.com/dev')?.metadata?.name;
    t.equal(behind(), undefined);
    add('b', '2026-01-02T00:00:00Z');
    add('a', '2026-01-01T00:00:00Z');
    t.equal(behind(), 'b');
    add('aa', '2026-01-02T00:00:00Z');
    t.equal(behind(), 'aa');
    cluster.objects.delete('DeviceClass', 'aa');
    t.equal(behind(), 'b');
    t.equal(deviceClassBehind(cluster.objects, 'deviceclass.resource.kubernetes.io/a')?.metadata?.name, 'a');
  });
});

t.test('scores of strategies', async (t) => {
  const large = fc.oneof(
    fc.integer({ min: 1, max: 200 }),
    fc
      .maxSafeInteger()
      .map((value) => Math.abs(value) + 1)
      .filter(Number.isSafeInteger),
  );

  t.test('percentages are exact for large numbers', async (t) => {
    holds(
      t,
      fc.property(large, large, (one, other) => {
        const [part, whole] = one < other ? [one, other] : [other, one];
        return percentOf(part, whole) === Number((BigInt(part) * 100n) / BigInt(whole));
      }),
      2000,
    );
  });

  t.test('a shape interpolates between its points in integers, and is constant outside', async (t) => {
    const shape = [
      { utilization: 10, score: 2 },
      { utilization: 40, score: 10 },
      { utilization: 80, score: 0 },
    ];
    t.strictSame(
      [0, 10, 11, 25, 39, 40, 41, 60, 79, 80, 100].map((each) => scoreAlong(shape, each)),
      [20, 20, 22, 60, 97, 100, 98, 50, 3, 0, 0],
    );
    t.equal(scoreAlong([{ utilization: 50, score: 5 }], 100), 50);
  });

  t.test('are integers from 0 to 100, as integer arithmetic computes them', async (t) => {
    const types = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];
    const points = fc
      .uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 5 })
      .chain((utilizations) =>
        fc.tuple(
          ...utilizations
            .sort((one, other) => one - other)
            .map((utilization) => fc.integer({ min: 0, max: 10 }).map((score) => ({ utilization, score }))),
        ),
      );
    const resource = fc.record({
      weight: fc.integer({ min: 1, max: 100 }),
      capacity: fc.oneof(fc.constant(0), large),
      requested: fc.oneof(fc.constant(0), large),
    });
    holds(
      t,
      fc.property(
        fc.constantFrom(...types),
        fc.array(resource, { minLength: 1, maxLength: 4 }),
        points,
        (type, resources, shape) => {
          const scorer = resourceScorer({
            type,
            resources: resources.map(({ weight }, index) => ({ name: `r${index}`, weight })),
            requestedToCapacityRatio: { shape },
          });
          const score = scorer(
            resources.map(({ requested }) => requested),
            resources.map(({ capacity }) => capacity),
          );
          const counted = resources
            .filter(({ capacity }) => capacity > 0)
            .map(({ weight, requested, capacity }) => {
              const inUse = requested > capacity ? capacity : requested;
              const percent = (part: number): number => Number((BigInt(part) * 100n) / BigInt(capacity));
              if (type === 'LeastAllocated') return { weight, score: percent(capacity - inUse) };
              return { weight, score: type === 'MostAllocated' ? percent(inUse) : scoreAlong(shape, percent(inUse)) };
            })
            .filter((each) => type !== 'RequestedToCapacityRatio' || each.score > 0);
          const weights = counted.reduce((sum, { weight }) => sum + weight, 0);
          const mean = counted.reduce((sum, each) => sum + each.weight * each.score, 0) / (weights || 1);
          return (
            isScore(score) && score === (type === 'RequestedToCapacityRatio' ? Math.round(mean) : Math.floor(mean))
          );
        },
      ),
      1000,
    );
  });
});

t.test('NodeResourcesBalancedAllocation', async (t) => {
  const plugin = made('NodeResourcesBalancedAllocation');

  t.test('scores the change in balance', async (t) => {
    const pod = podOf('p', { requests: { cpu: '100m', memory: '500Mi' } });
    t.strictSame(scoresOf(plugin, pod, new TestCluster({ nodes: [nodeOf('n')] })), [74], 'from 100 to 99');
    const lopsided = new TestCluster({
      nodes: [nodeOf('n')],
      pods: [podOf('q', { nodeName: 'n', requests: { cpu: '2' } })],
    });
    t.strictSame(scoresOf(plugin, podOf('p', { requests: { memory: '16Gi' } }), lopsided), [87], 'from 75 to 100');
    t.strictSame(scoresOf(plugin, podOf('p', { requests: { cpu: '2' } }), lopsided), [62], 'from 75 to 50');
    t.equal(scoresOf(plugin, podOf('p'), lopsided), undefined, 'nothing assumed counts here');
    t.equal(scoresOf(plugin, podOf('p', { requests: { 'ephemeral-storage': '1Gi' } }), lopsided), undefined);
    const podLevel = podOf('p', { spec: { containers: [container({})], resources: { requests: { memory: '16Gi' } } } });
    t.strictSame(scoresOf(plugin, podLevel, lopsided), [87], 'what the pod asks for as a whole counts');
    t.strictSame(
      scoresOf(plugin, pod, new TestCluster({ nodes: [nodeOf('n', { allocatable: { cpu: '4' } })] })),
      [75],
      'one resource is always in balance',
    );
    const three = made('NodeResourcesBalancedAllocation', {
      resources: [{ name: 'cpu' }, { name: 'memory' }, { name: 'example.com/gpu' }],
    });
    const gpus = new TestCluster({
      nodes: [nodeOf('n', { allocatable: { cpu: '4', memory: '32Gi', 'example.com/gpu': '4' } })],
    });
    t.strictSame(
      scoresOf(three, podOf('p', { requests: { cpu: '4', 'example.com/gpu': '2' } }), gpus),
      [54],
      'shares 1, 0 and 0.5: from 100 to 59',
    );
  });

  t.test('is from 50 to 100, and 75 where nothing changes', async (t) => {
    const resource = fc.record({
      capacity: fc.nat({ max: 1000 }),
      withoutPod: fc.nat({ max: 1000 }),
      request: fc.nat({ max: 1000 }),
    });
    holds(
      t,
      fc.property(fc.array(resource, { maxLength: 5 }), (resources) => {
        const capacity = resources.map((each) => each.capacity);
        const withoutPod = resources.map((each) => each.withoutPod);
        const withPod = resources.map((each) => each.withoutPod + each.request);
        const score = balanceScore(withPod, withoutPod, capacity);
        return (
          isScore(score) &&
          score >= 50 &&
          balance(withPod, capacity) >= 50 &&
          balanceScore(withoutPod, withoutPod, capacity) === 75
        );
      }),
      1000,
    );
  });
});

t.test('ImageLocality scores images on a node by size and by the share of nodes that have them', async (t) => {
  const plugin = made('ImageLocality');
  const image = (name: string, mebibytes: number): { names: string[]; sizeBytes: number } => ({
    names: [name],
    sizeBytes: mebibytes * mebibyte,
  });
  const running = (...images: string[]): Frozen<Pod> =>
    podOf('p', { spec: { containers: images.map((each, index) => ({ name: `c${index}`, image: each })) } });
  const cluster = new TestCluster({
    nodes: [
      nodeOf('large', { images: [image('a:latest', 800), image('b:1', 40)] }),
      nodeOf('small', { images: [image('b:1', 9999)] }),
      nodeOf('none'),
    ],
  });
  t.strictSame(scoresOf(plugin, running('a'), cluster), [24, 0, 0], '266 of at most 1000');
  t.strictSame(
    scoresOf(plugin, running('b:1'), cluster),
    [0, 0, 0],
    '26 is little more than nothing, and the first node says how large it is',
  );
  t.strictSame(scoresOf(plugin, running('a', 'b:1'), cluster), [13, 0, 0], 'of at most 2000');
  t.strictSame(scoresOf(plugin, running('a:2', 'missing'), cluster), [0, 0, 0]);
  const volume = podOf('p', {
    spec: { containers: [{ name: 'c', image: 'x' }], volumes: [{ name: 'v', image: { reference: 'a' } }] },
  });
  t.strictSame(scoresOf(plugin, volume, cluster), [24, 0, 0], 'volumes count, but not as containers');

  t.equal(imageScore(scaledImageSize(500 * mebibyte, 10, 100), 1), 2);
  holds(
    t,
    fc.property(
      fc.array(fc.nat({ max: 2 ** 40 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 5000 }),
      (sizes, containers, nodes) => {
        const score = imageScore(
          sizes.reduce((sum, size) => sum + scaledImageSize(size, Math.ceil(nodes / 2), nodes), 0),
          containers,
        );
        return isScore(score);
      },
    ),
    500,
  );
});

t.test('NodeDeclaredFeatures rejects nodes without a required feature', async (t) => {
  const plugin = made('NodeDeclaredFeatures');
  const restarting = podOf('p', {
    spec: {
      containers: [
        {
          name: 'c',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
        },
      ],
    },
  });
  const mapped = podOf('p', { spec: { hostNetwork: true, hostUsers: false } });
  const both = podOf('p', {
    spec: { initContainers: restarting.spec?.containers as Container[], hostNetwork: true, hostUsers: false },
  });
  const able = nodeOf('n', {
    declaredFeatures: ['RestartAllContainersOnContainerExits', 'UserNamespacesHostNetworkSupport'],
  });
  const missing = [UU, "node(s) didn't match Pod's required features"];
  for (const [pod, answer] of [
    [podOf('p'), 'skip'],
    [podOf('p', { spec: { hostNetwork: true } }), 'skip'],
    [restarting, undefined],
    [mapped, undefined],
  ] as const) {
    t.equal(plugin.preFilter?.(cycleOf(new TestCluster(), pod)), answer);
  }
  t.strictSame(verdict(plugin, restarting, nodeOf('n')), missing);
  t.strictSame(verdict(plugin, both, nodeOf('n', { declaredFeatures: ['UserNamespacesHostNetworkSupport'] })), missing);
  for (const pod of [restarting, mapped, both]) t.equal(verdict(plugin, pod, able), undefined);

  t.equal(hint(plugin, 'Node', actions.add, restarting, undefined, nodeOf('n')), 'queue');
  t.equal(hint(plugin, 'Node', actions.updateNodeDeclaredFeature, restarting, nodeOf('n'), able), 'queue');
  t.equal(hint(plugin, 'Node', actions.updateNodeDeclaredFeature, restarting, able, able), 'skip');
  t.equal(hint(plugin, 'Pod', actions.updatePodLabel, both, both, restarting), 'queue');
  t.equal(
    hint(
      plugin,
      'Pod',
      actions.updatePodLabel,
      both,
      both,
      podOf('p', { labels: { a: 'b' }, spec: both.spec as PodSpec }),
    ),
    'skip',
  );
  t.equal(
    hint(plugin, 'Pod', actions.updatePodLabel, both, podOf('q'), podOf('q', { spec: both.spec as PodSpec })),
    'skip',
  );
});

t.test('scores are normalized to the highest', async (t) => {
  const shares = (scores: number[], share: typeof scaleToHighest): number[] => {
    normalizeScores(scores, share);
    return scores;
  };
  t.strictSame(shares([1, 2, 3, 4], scaleToHighest), [25, 50, 75, 100]);
  t.strictSame(shares([1000, 10, 20, 1], scaleToHighestReversed), [0, 99, 98, 100]);
  t.strictSame(shares([0, 0], scaleToHighest), [0, 0]);
  t.strictSame(shares([0, 0], scaleToHighestReversed), [100, 100]);
  holds(
    t,
    fc.property(fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1 }), (scores) => {
      const highest = Math.max(...scores);
      const [normal, reverse] = [shares([...scores], scaleToHighest), shares([...scores], scaleToHighestReversed)];
      return scores.every((score, index) => {
        const share = highest === 0 ? 0 : Number((BigInt(score) * 100n) / BigInt(highest));
        return normal[index] === share && reverse[index] === 100 - share;
      });
    }),
    300,
  );
});

t.test('DefaultBinder binds the pod by uid, and no other of the same name', async (t) => {
  const clock = virtualClock();
  const server = createServer({ store: memoryStore({ clock }), clock });
  t.teardown(() => server.close());
  const client = inProcessClient(server.handler);
  const pods = client.kind('v1', 'Pod').in('default');
  const pod = await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  const cluster = new TestCluster();
  const binder = made('DefaultBinder', {}, cluster, { client });
  const bind = async (to: Frozen<Pod>, nodeName: string, { signal } = new AbortController()): Promise<void> => {
    t.equal(await binder.bind?.(cycleOf(cluster, to), nodeName, signal), undefined);
  };
  await t.rejects(bind({ ...pod, metadata: { ...pod.metadata, uid: 'another' } }, 'n'), { message: /uid/i });
  t.equal((await pods.get('p')).spec?.nodeName, undefined);
  await bind(pod, 'n');
  t.equal((await pods.get('p')).spec?.nodeName, 'n');
  await t.rejects(bind(pod, 'm'), { message: /already assigned/ }, 'a pod is bound once');
  t.ok(isApiError(await bind(podOf('gone'), 'n').catch((error: unknown) => error), 'NotFound'));
  const stopped = new AbortController();
  stopped.abort(new Error('enough'));
  await t.rejects(bind(pod, 'n', stopped), { message: 'enough' });
});
