// PodTopologySpread and InterPodAffinity: examples of the Kubernetes documentation, and random clusters in which a
// naive evaluation of the rules must give the same results, including simulated additions and removals of pods.
import t from 'tap';
import { deepFreeze, matchesLabels } from '../../lib/core/index.js';
import type { Frozen, Labels } from '../../lib/core/index.js';
import type {
  LabelSelector,
  Node,
  Pod,
  PodAffinityTerm,
  Service,
  TopologySpreadConstraint,
} from '../../lib/core/types/index.js';
import type { NodeView } from '../../lib/scheduling/cluster/node-view.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import { actions } from '../../lib/scheduling/public.js';
import { matchesAffinityTerm } from '../../lib/scheduling/pod/pod-affinity.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type { AffinityTerm } from '../../lib/scheduling/pod/pod-affinity.js';
import type { PluginArguments, PodFacts } from '../../lib/scheduling/public.js';
import { normalizedAffinityScore } from '../../lib/scheduling/plugins/inter-pod-affinity/affinity-score.js';
import { interPodAffinity } from '../../lib/scheduling/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { podTopologySpread } from '../../lib/scheduling/plugins/pod-topology-spread/pod-topology-spread.js';
import {
  domainWeight,
  normalizedSpreadScore,
  rawSpreadScore,
} from '../../lib/scheduling/plugins/pod-topology-spread/spread-arithmetic.js';
import { TestCluster, cycleOf, nodeOf, podOf, toolsOf } from '../support/scheduling.js';
import type { PodShape } from '../support/scheduling.js';
import { fc, runs } from '../support/properties.js';

const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';
const missing = "node(s) didn't match pod topology spread constraints (missing required label)";
const uneven = "node(s) didn't match pod topology spread constraints";
const noFriend = "node(s) didn't match pod affinity rules";
const foe = "node(s) didn't match pod anti-affinity rules";
const unwelcome = "node(s) didn't satisfy existing pods anti-affinity rules";

const tools = toolsOf(new TestCluster()); // parsing a configuration takes longer than the tests of a cluster
const spread = (cluster: TestCluster, args: Partial<PluginArguments['PodTopologySpread']> = {}): SchedulingPlugin =>
  podTopologySpread({ ...tools, cluster }, { defaultingType: 'System', defaultConstraints: [], ...args });
const affinity = (cluster: TestCluster, args: Partial<PluginArguments['InterPodAffinity']> = {}): SchedulingPlugin =>
  interPodAffinity(
    { ...tools, cluster },
    { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false, ...args },
  );

/** Nodes `a1`, `a2`, `b1` …: the letter is the zone. */
const zoned = (name: string): Frozen<Node> =>
  nodeOf(name, { labels: { [zoneKey]: name.slice(0, 1), [hostKey]: name } });
const web: LabelSelector = { matchLabels: { app: 'web' } };
const hard = (rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: zoneKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: web,
  ...rest,
});
const soft = (rest: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint =>
  hard({ whenUnsatisfiable: 'ScheduleAnyway', ...rest });

let made = 0;
/** Pods labelled app=web, one on each of the nodes. */
const webOn = (...nodeNames: string[]): Frozen<Pod>[] =>
  nodeNames.map((nodeName) => podOf(`web-${made++}`, { labels: { app: 'web' }, nodeName }));
const webPod = (constraints: TopologySpreadConstraint[], shape: PodShape = {}): Frozen<Pod> =>
  podOf('new', { labels: { app: 'web' }, ...shape, spec: { topologySpreadConstraints: constraints, ...shape.spec } });

/** The filter result of each node after PreFilter; `ok` if no filter rejects. */
function verdicts(plugin: SchedulingPlugin, cycle: Cycle): Record<string, string> {
  const skipped = plugin.preFilter?.(cycle) === 'skip';
  return answers(plugin, cycle, skipped);
}

function answers(plugin: SchedulingPlugin, cycle: Cycle, skipped = false): Record<string, string> {
  return Object.fromEntries(
    cycle.cluster.nodes.map((node) => [
      node.name,
      (skipped ? undefined : plugin.filter?.(cycle, node))?.reasons[0] ?? 'ok',
    ]),
  );
}

/** The final scores by node, or `skip`. */
function scoresOf(
  plugin: SchedulingPlugin,
  cycle: Cycle,
  nodes: readonly NodeView[] = cycle.cluster.nodes,
): Record<string, number> | 'skip' {
  if (plugin.preScore?.(cycle, nodes) === 'skip') return 'skip';
  const scores = nodes.map((node) => plugin.score?.(cycle, node) ?? NaN);
  plugin.normalizeScores?.(cycle, scores, nodes);
  return Object.fromEntries(nodes.map(({ name }, index) => [name, scores[index] ?? NaN]));
}

/** The hint of a plugin for an event; `deaf` if it did not register for it. */
function hint(
  plugin: SchedulingPlugin,
  event: { resource: 'Pod' | 'Node'; action: number },
  pod: Frozen<Pod>,
  old: unknown,
  current: unknown,
): string {
  const interest = plugin.events?.find(
    ({ resource, action }) => resource === event.resource && (action & event.action) !== 0,
  );
  return interest === undefined ? 'deaf' : (interest.hint?.(podFacts(pod), old, current) ?? 'queue');
}

t.test('PodTopologySpread', async (t) => {
  t.test('a node whose domain would exceed maxSkew is rejected', async (t) => {
    const nodes = ['a1', 'a2', 'b1', 'c1'].map(zoned);
    const cluster = new TestCluster({ nodes, pods: webOn('a1', 'a2', 'b1') });
    const ask = (...constraints: TopologySpreadConstraint[]): Record<string, string> =>
      verdicts(spread(cluster), cycleOf(cluster, webPod(constraints)));
    t.strictSame(ask(hard()), { a1: uneven, a2: uneven, b1: uneven, c1: 'ok' });
    t.strictSame(ask(hard({ maxSkew: 2 })), { a1: uneven, a2: uneven, b1: 'ok', c1: 'ok' });
    t.strictSame(ask(hard({ maxSkew: 3 })), { a1: 'ok', a2: 'ok', b1: 'ok', c1: 'ok' });
    t.strictSame(
      ask(hard({ maxSkew: 3 }), hard({ topologyKey: hostKey })),
      { a1: uneven, a2: uneven, b1: uneven, c1: 'ok' },
      'every constraint must hold',
    );
    const other = webPod([hard({ maxSkew: 2 })], { labels: { app: 'db' } });
    t.strictSame(
      verdicts(spread(cluster), cycleOf(cluster, other)),
      { a1: 'ok', a2: 'ok', b1: 'ok', c1: 'ok' },
      'a pod that does not count itself may be one more',
    );
  });

  t.test('a node without the topology label is rejected as unresolvable, and its pods do not count', async (t) => {
    const cluster = new TestCluster({
      nodes: [zoned('a1'), nodeOf('bare', { labels: { [hostKey]: 'bare' } }), zoned('b1')],
      pods: webOn('a1', 'bare'),
    });
    const plugin = spread(cluster);
    const cycle = cycleOf(cluster, webPod([hard()]));
    t.strictSame(verdicts(plugin, cycle), { a1: uneven, bare: missing, b1: 'ok' });
    t.equal(plugin.filter?.(cycle, cluster.at('bare'))?.code, 'UnschedulableAndUnresolvable');
    t.equal(plugin.filter?.(cycle, cluster.at('a1'))?.code, 'Unschedulable');
    const both = cycleOf(cluster, webPod([hard({ topologyKey: hostKey }), hard()]));
    t.strictSame(
      verdicts(plugin, both),
      { a1: uneven, bare: missing, b1: 'ok' },
      'host "bare" is no domain, so there is none with fewer pods than b1',
    );
    t.strictSame(verdicts(plugin, cycleOf(cluster, webPod([hard({ topologyKey: 'constructor' })]))), {
      a1: missing,
      bare: missing,
      b1: missing,
    });
  });

  t.test('only running pods of the namespace count, and none if the selector is empty', async (t) => {
    const nodes = ['a1', 'b1'].map(zoned);
    const leaving = podOf('leaving', {
      labels: { app: 'web' },
      nodeName: 'a1',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    const foreign = podOf('foreign', { namespace: 'other', labels: { app: 'web' }, nodeName: 'a1' });
    const cluster = new TestCluster({ nodes, pods: [leaving, foreign] });
    const plugin = spread(cluster);
    t.strictSame(verdicts(plugin, cycleOf(cluster, webPod([hard()]))), { a1: 'ok', b1: 'ok' });
    for (const pod of webOn('a1', 'a1', 'a1')) cluster.addPod(pod);
    t.strictSame(verdicts(plugin, cycleOf(cluster, webPod([hard({ labelSelector: {} })]))), { a1: 'ok', b1: 'ok' });
    const withoutSelector: TopologySpreadConstraint = {
      maxSkew: 1,
      topologyKey: zoneKey,
      whenUnsatisfiable: 'DoNotSchedule',
    };
    t.strictSame(verdicts(plugin, cycleOf(cluster, webPod([withoutSelector]))), { a1: 'ok', b1: 'ok' });

    const cycle = cycleOf(cluster, webPod([hard()]));
    t.strictSame(verdicts(plugin, cycle), { a1: uneven, b1: 'ok' });
    plugin.removePod?.(cycle, podFacts(leaving), cluster.at('a1'));
    plugin.removePod?.(cycle, podFacts(foreign), cluster.at('a1'));
    t.strictSame(answers(plugin, cycle), { a1: uneven, b1: 'ok' }, 'nor does it matter if they go');
  });

  t.test('fewer domains than minDomains count as a minimum of 0', async (t) => {
    const cluster = new TestCluster({ nodes: ['a1', 'b1'].map(zoned), pods: webOn('a1', 'b1') });
    const ask = (minDomains: number): Record<string, string> =>
      verdicts(spread(cluster), cycleOf(cluster, webPod([hard({ minDomains })])));
    t.strictSame(ask(2), { a1: 'ok', b1: 'ok' });
    t.strictSame(ask(3), { a1: uneven, b1: uneven });
    cluster.addNode(zoned('c1'));
    t.strictSame(ask(3), { a1: uneven, b1: uneven, c1: 'ok' });
  });

  t.test('inclusion policies select the nodes that count', async (t) => {
    const tainted = nodeOf('c1', {
      labels: { [zoneKey]: 'c', [hostKey]: 'c1' },
      taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
    });
    const cluster = new TestCluster({ nodes: [zoned('a1'), zoned('b1'), tainted], pods: webOn('a1') });
    const ask = (constraint: Partial<TopologySpreadConstraint>, spec: PodShape['spec'] = {}): Record<string, string> =>
      verdicts(spread(cluster), cycleOf(cluster, webPod([hard(constraint)], { spec })));
    const onlyA = { nodeSelector: { [zoneKey]: 'a' } };
    t.strictSame(
      ask({}, onlyA),
      { a1: 'ok', b1: 'ok', c1: 'ok' },
      'nodes that the pod excludes are no domains, and their pods do not count',
    );
    t.strictSame(ask({ nodeAffinityPolicy: 'Ignore' }, onlyA), { a1: uneven, b1: 'ok', c1: 'ok' });
    for (const pod of webOn('b1')) cluster.addPod(pod);
    t.strictSame(ask({}), { a1: uneven, b1: uneven, c1: 'ok' }, 'a tainted node is a domain');
    t.strictSame(
      ask({ nodeTaintsPolicy: 'Honor' }),
      { a1: 'ok', b1: 'ok', c1: 'ok' },
      'unless taints are to be honored',
    );
    const tolerations = [{ key: 'k', operator: 'Exists' as const }];
    t.strictSame(ask({ nodeTaintsPolicy: 'Honor' }, { tolerations }), { a1: uneven, b1: uneven, c1: 'ok' });
  });

  t.test('matchLabelKeys count only pods of the same revision', async (t) => {
    const old = podOf('old', { labels: { app: 'web', revision: '1' }, nodeName: 'a1' });
    const cluster = new TestCluster({ nodes: ['a1', 'b1'].map(zoned), pods: [old] });
    const ask = (revision: string): Record<string, string> =>
      verdicts(
        spread(cluster),
        cycleOf(
          cluster,
          webPod([hard({ matchLabelKeys: ['revision', 'absent'] })], { labels: { app: 'web', revision } }),
        ),
      );
    t.strictSame(ask('2'), { a1: 'ok', b1: 'ok' });
    t.strictSame(ask('1'), { a1: uneven, b1: 'ok' });
  });

  t.test(
    'a pod without constraints gets the defaults of its profile, for the pods that its Service or controller selects',
    async (t) => {
      const service = deepFreeze<Service>({
        metadata: { name: 's', namespace: 'ns' },
        spec: { selector: { app: 'web' } },
      });
      const cluster = new TestCluster({
        nodes: ['a1', 'b1'].map(zoned),
        pods: webOn('a1'),
        objects: { Service: [service] },
      });
      const { labelSelector: _, ...unselected } = hard();
      const list = { defaultingType: 'List', defaultConstraints: [unselected] };
      const ask = (
        pod: Frozen<Pod>,
        args: Partial<PluginArguments['PodTopologySpread']> = list,
      ): Record<string, string> => verdicts(spread(cluster, args), cycleOf(cluster, pod));
      t.strictSame(ask(podOf('new', { labels: { app: 'web' } })), { a1: uneven, b1: 'ok' });
      t.equal(
        spread(cluster).preFilter?.(cycleOf(cluster, podOf('new', { labels: { app: 'web' } }))),
        'skip',
        'those of the system are soft',
      );
      t.equal(
        spread(cluster, list).preFilter?.(cycleOf(cluster, podOf('new', { labels: { app: 'db' } }))),
        'skip',
        'no selector matches the pods',
      );
      t.equal(
        spread(cluster, list).preFilter?.(cycleOf(cluster, webPod([soft()]))),
        'skip',
        'one constraint of its own, and no defaults apply',
      );
      t.strictSame(
        ask(podOf('new', { namespace: 'other', labels: { app: 'web' } })),
        { a1: 'ok', b1: 'ok' },
        'Services of other namespaces are none of its own',
      );

      const owned = (name: string): Frozen<Pod> =>
        podOf('new', {
          labels: { app: 'db' },
          metadata: {
            ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: 'u', controller: true }],
          },
        });
      cluster.objects.set('ReplicaSet', {
        metadata: { name: 'rs', namespace: 'ns' },
        spec: { selector: { matchLabels: { app: 'db' } } },
      });
      cluster.addPod(podOf('db-1', { labels: { app: 'db' }, nodeName: 'b1' }));
      t.strictSame(ask(owned('rs')), { a1: 'ok', b1: uneven });
      t.strictSame(ask(owned('gone')), { a1: 'ok', b1: 'ok' });
    },
  );

  t.test('a node scores higher the fewer pods its domains have', async (t) => {
    const nodes = ['a1', 'b1', 'c1'].map(zoned);
    const cluster = new TestCluster({ nodes, pods: webOn('a1', 'a1', 'a1', 'a1', 'b1', 'b1') });
    const plugin = spread(cluster);
    t.strictSame(scoresOf(plugin, cycleOf(cluster, webPod([soft()]))), { a1: 0, b1: 50, c1: 100 });
    t.strictSame(
      cluster.nodes.map((node) => {
        const cycle = cycleOf(cluster, webPod([soft()]));
        plugin.preScore?.(cycle, cluster.nodes);
        return plugin.score?.(cycle, node);
      }),
      [6, 3, 0],
      'weighed by the logarithm of the number of domains',
    );
    t.equal(scoresOf(plugin, cycleOf(cluster, webPod([hard()]))), 'skip');
    t.strictSame(
      scoresOf(plugin, cycleOf(cluster, webPod([soft({ labelSelector: { matchLabels: { app: 'none' } } })]))),
      { a1: 100, b1: 100, c1: 100 },
    );
    t.strictSame(
      scoresOf(plugin, cycleOf(cluster, webPod([soft({ maxSkew: 5 })]))),
      { a1: 40, b1: 70, c1: 100 },
      'a larger skew levels the differences',
    );
  });

  t.test('domains are counted over all eligible nodes, hosts on the node alone', async (t) => {
    const nodes = ['a1', 'a2', 'b1'].map(zoned);
    const cluster = new TestCluster({ nodes, pods: webOn('a2', 'a2', 'b1') });
    const plugin = spread(cluster);
    const some = [cluster.at('a1'), cluster.at('b1')];
    t.strictSame(scoresOf(plugin, cycleOf(cluster, webPod([soft()])), some), { a1: 33, b1: 100 });
    t.strictSame(
      scoresOf(plugin, cycleOf(cluster, webPod([soft()], { spec: { nodeSelector: { [hostKey]: 'b1' } } })), some),
      { a1: 100, b1: 0 },
      'pods on nodes that take no part do not count',
    );
    t.strictSame(
      scoresOf(
        plugin,
        cycleOf(cluster, webPod([soft({ topologyKey: hostKey })], { spec: { nodeSelector: { [hostKey]: 'x' } } })),
      ),
      { a1: 100, a2: 0, b1: 33 },
      'but no policy holds for hosts',
    );
  });

  t.test('a node without a label is not scored, unless the constraints are system defaults', async (t) => {
    const bare = nodeOf('bare', { labels: { [hostKey]: 'bare' } });
    const service = deepFreeze<Service>({
      metadata: { name: 's', namespace: 'ns' },
      spec: { selector: { app: 'web' } },
    });
    const cluster = new TestCluster({
      nodes: [zoned('a1'), zoned('b1'), bare],
      pods: webOn('a1', 'bare'),
      objects: { Service: [service] },
    });
    t.strictSame(scoresOf(spread(cluster), cycleOf(cluster, webPod([soft()]))), { a1: 0, b1: 100, bare: 0 });
    // Weights ln 5 of three hosts and of three zones; the node without labels is in the zone of the empty value.
    t.strictSame(scoresOf(spread(cluster), cycleOf(cluster, podOf('new', { labels: { app: 'web' } }))), {
      a1: 44,
      b1: 77,
      bare: 100,
    });
    const { labelSelector: _, ...chosen } = soft();
    t.strictSame(
      scoresOf(
        spread(cluster, { defaultingType: 'List', defaultConstraints: [chosen] }),
        cycleOf(cluster, podOf('new', { labels: { app: 'web' } })),
      ),
      { a1: 0, b1: 100, bare: 0 },
    );
    t.strictSame(scoresOf(spread(cluster), cycleOf(cluster, webPod([soft(), soft({ topologyKey: 'rack' })]))), {
      a1: 0,
      b1: 0,
      bare: 0,
    });
    for (const zone of ['a', 'b']) cluster.addNode(nodeOf(`rack-${zone}`, { labels: { [zoneKey]: zone, rack: '1' } }));
    t.strictSame(
      scoresOf(spread(cluster), cycleOf(cluster, webPod([soft(), soft({ topologyKey: 'rack' })]))),
      { a1: 0, b1: 0, bare: 0, 'rack-a': 100, 'rack-b': 100 },
      'and its pods do not count',
    );
    t.strictSame(
      scoresOf(spread(cluster, { defaultingType: 'List' }), cycleOf(cluster, podOf('new', { labels: { app: 'web' } }))),
      'skip',
    );
  });

  t.test('the score arithmetic', async (t) => {
    t.equal(domainWeight(0), Math.log(2));
    t.equal(rawSpreadScore(2.5), 3);
    t.equal(rawSpreadScore(0.49999999999999994), 0);
    t.strictSame(
      [4, 2, 0].map((raw) => normalizedSpreadScore(raw, 0, 4)),
      [0, 50, 100],
    );
    t.equal(normalizedSpreadScore(0, 0, 0), 100);
    t.equal(normalizedSpreadScore(7, 5, 7), 71, 'cut, not rounded');
  });
});

t.test('queueing hints of PodTopologySpread', async (t) => {
  const cluster = new TestCluster();
  const plugin = spread(cluster);
  const pod = webPod([hard(), hard({ topologyKey: hostKey, labelSelector: { matchLabels: { tier: 'front' } } })]);
  const other = (labels: Record<string, string>, shape: PodShape = {}): Frozen<Pod> =>
    podOf('other', { labels, nodeName: 'a1', ...shape });
  const pods = (action: number, old?: Frozen<Pod>, current?: Frozen<Pod>): string =>
    hint(plugin, { resource: 'Pod', action }, pod, old, current);

  t.test('pods that start or stop matching', async (t) => {
    t.equal(pods(actions.add, undefined, other({ app: 'web' })), 'queue');
    t.equal(pods(actions.add, undefined, other({ tier: 'front' })), 'queue');
    t.equal(pods(actions.add, undefined, other({ app: 'db' })), 'skip');
    t.equal(pods(actions.add, undefined, other({ app: 'web' }, { namespace: 'elsewhere' })), 'skip');
    t.equal(
      pods(actions.add, undefined, podOf('waiting', { labels: { app: 'web' } })),
      'skip',
      'not those without node',
    );
    t.equal(
      pods(actions.add, undefined, podOf('nominated', { labels: { app: 'web' }, status: { nominatedNodeName: 'a1' } })),
      'queue',
    );
    t.equal(pods(actions.delete, other({ app: 'web' })), 'queue');
    t.equal(pods(actions.delete, other({ app: 'db' })), 'skip');
    t.equal(pods(actions.updatePodLabel, other({ app: 'db' }), other({ app: 'web' })), 'queue');
    t.equal(pods(actions.updatePodLabel, other({ app: 'web' }), other({ app: 'db' })), 'queue');
    t.equal(pods(actions.updatePodLabel, other({ app: 'web', x: '1' }), other({ app: 'web', x: '2' })), 'skip');
  });

  t.test('the pod itself', async (t) => {
    const tolerant = webPod([hard({ nodeTaintsPolicy: 'Honor' })], {
      spec: { tolerations: [{ operator: 'Exists' }], topologySpreadConstraints: [hard({ nodeTaintsPolicy: 'Honor' })] },
    });
    const event = { resource: 'Pod' as const, action: actions.updatePodToleration };
    t.equal(hint(plugin, event, tolerant, webPod([hard({ nodeTaintsPolicy: 'Honor' })]), tolerant), 'queue');
    t.equal(
      pods(actions.updatePodToleration, pod, webPod([hard()], { spec: { tolerations: [{ operator: 'Exists' }] } })),
      'skip',
      'taints are not considered',
    );
    t.equal(pods(actions.updatePodLabel, pod, webPod([hard()], { labels: { app: 'db' } })), 'queue');
  });

  t.test('nodes that join or leave its domains', async (t) => {
    const bare = nodeOf('bare', { labels: { [hostKey]: 'bare' } });
    const nodes = (action: number, old?: Frozen<Node>, current?: Frozen<Node>): string =>
      hint(plugin, { resource: 'Node', action }, pod, old, current);
    t.equal(nodes(actions.add, undefined, zoned('a1')), 'queue');
    t.equal(nodes(actions.add, undefined, bare), 'skip');
    t.equal(nodes(actions.delete, zoned('a1')), 'queue');
    t.equal(nodes(actions.delete, bare), 'skip');
    t.equal(nodes(actions.updateNodeLabel, bare, zoned('a1')), 'queue');
    t.equal(nodes(actions.updateNodeTaint, zoned('a1'), bare), 'queue');
    t.equal(nodes(actions.updateNodeTaint, bare, bare), 'skip');
    t.equal(nodes(actions.updateNodeAllocatable, zoned('a1'), zoned('a1')), 'deaf');
  });
});

const term = (labels: Record<string, string>, rest: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: zoneKey,
  labelSelector: { matchLabels: labels },
  ...rest,
});
const wants = (...terms: PodAffinityTerm[]): PodShape => ({
  spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
});
const avoids = (...terms: PodAffinityTerm[]): PodShape => ({
  spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
});
const prefers = (weight: number, podAffinityTerm: PodAffinityTerm): PodShape => ({
  spec: {
    affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
  },
});
const disprefers = (weight: number, podAffinityTerm: PodAffinityTerm): PodShape => ({
  spec: {
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] } },
  },
});

t.test('InterPodAffinity', async (t) => {
  const nodes = [zoned('a1'), zoned('a2'), zoned('b1'), nodeOf('bare')];

  t.test('affinity requires a pod that matches all terms in each domain', async (t) => {
    const cluster = new TestCluster({
      nodes,
      pods: [
        podOf('x', { labels: { app: 'web', tier: 'front' }, nodeName: 'a1' }),
        podOf('y', { labels: { app: 'web' }, nodeName: 'b1' }),
      ],
    });
    const plugin = affinity(cluster);
    const ask = (shape: PodShape): Record<string, string> => verdicts(plugin, cycleOf(cluster, podOf('new', shape)));
    t.strictSame(ask(wants(term({ app: 'web' }))), { a1: 'ok', a2: 'ok', b1: 'ok', bare: noFriend });
    t.strictSame(ask(wants(term({ app: 'web' }), term({ tier: 'front' }))), {
      a1: 'ok',
      a2: 'ok',
      b1: noFriend,
      bare: noFriend,
    });
    t.strictSame(ask(wants(term({ app: 'web' }), term({ tier: 'front' }, { topologyKey: hostKey }))), {
      a1: 'ok',
      a2: noFriend,
      b1: noFriend,
      bare: noFriend,
    });
    t.strictSame(ask(wants(term({ app: 'none' }))), { a1: noFriend, a2: noFriend, b1: noFriend, bare: noFriend });
    const cycle = cycleOf(cluster, podOf('new', wants(term({ app: 'none' }))));
    plugin.preFilter?.(cycle);
    t.equal(plugin.filter?.(cycle, cluster.at('a1'))?.code, 'UnschedulableAndUnresolvable');
  });

  t.test('the first pod of a group with self-affinity may start on any node with the labels', async (t) => {
    const cluster = new TestCluster({ nodes });
    const series = { labels: { app: 'web' }, ...wants(term({ app: 'web' })) };
    const plugin = affinity(cluster);
    t.strictSame(verdicts(plugin, cycleOf(cluster, podOf('new', series))), {
      a1: 'ok',
      a2: 'ok',
      b1: 'ok',
      bare: noFriend,
    });
    t.strictSame(
      verdicts(
        plugin,
        cycleOf(cluster, podOf('new', { ...series, ...wants(term({ app: 'web' }, { namespaces: ['other'] })) })),
      ),
      { a1: noFriend, a2: noFriend, b1: noFriend, bare: noFriend },
      'its own namespace is not meant',
    );
    const [lost] = webOn('bare');
    if (lost !== undefined) cluster.addPod(lost);
    t.strictSame(
      verdicts(plugin, cycleOf(cluster, podOf('new', series))),
      { a1: 'ok', a2: 'ok', b1: 'ok', bare: noFriend },
      'one that is in no domain is not seen',
    );
    for (const pod of webOn('b1')) cluster.addPod(pod);
    t.strictSame(verdicts(plugin, cycleOf(cluster, podOf('new', series))), {
      a1: noFriend,
      a2: noFriend,
      b1: 'ok',
      bare: noFriend,
    });
  });

  t.test('anti-affinity checks each term separately, in both directions, terminating pods included', async (t) => {
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const cluster = new TestCluster({
      nodes,
      pods: [
        podOf('x', { labels: { app: 'web' }, nodeName: 'a1', metadata: leaving }),
        podOf('y', { labels: { tier: 'front' }, nodeName: 'b1' }),
      ],
    });
    const plugin = affinity(cluster);
    const ask = (shape: PodShape): Record<string, string> => verdicts(plugin, cycleOf(cluster, podOf('new', shape)));
    t.strictSame(ask(avoids(term({ app: 'web' }))), { a1: foe, a2: foe, b1: 'ok', bare: 'ok' });
    t.strictSame(ask(avoids(term({ app: 'web' }, { topologyKey: hostKey }), term({ tier: 'front' }))), {
      a1: foe,
      a2: 'ok',
      b1: foe,
      bare: 'ok',
    });
    t.equal(plugin.preFilter?.(cycleOf(cluster, podOf('new', { labels: { app: 'db' } }))), 'skip');

    cluster.addPod(
      podOf('hostile', {
        nodeName: 'a2',
        ...avoids(term({ app: 'db' }), term({ app: 'none' }, { topologyKey: hostKey })),
      }),
    );
    t.strictSame(ask({ labels: { app: 'db' } }), { a1: unwelcome, a2: unwelcome, b1: 'ok', bare: 'ok' });
    t.strictSame(
      ask({ labels: { app: 'db' }, ...avoids(term({ app: 'web' }, { topologyKey: hostKey })) }),
      { a1: foe, a2: unwelcome, b1: 'ok', bare: 'ok' },
      'the terms of the pod are reported first',
    );
    const cycle = cycleOf(cluster, podOf('new', { labels: { app: 'db' } }));
    plugin.preFilter?.(cycle);
    t.equal(plugin.filter?.(cycle, cluster.at('a1'))?.code, 'Unschedulable');
  });

  t.test('terms select namespaces by name, by label, or all', async (t) => {
    const cluster = new TestCluster({
      nodes,
      pods: [
        podOf('x', { namespace: 'blue', labels: { app: 'web' }, nodeName: 'a1' }),
        podOf('y', { namespace: 'green', labels: { app: 'web' }, nodeName: 'b1' }),
      ],
      objects: {
        Namespace: [
          { metadata: { name: 'blue', labels: { color: 'blue' } } },
          { metadata: { name: 'green', labels: { color: 'green' } } },
          { metadata: { name: 'ns' } },
        ],
      },
    });
    const ask = (rest: Partial<PodAffinityTerm>): Record<string, string> =>
      verdicts(
        affinity(cluster),
        cycleOf(cluster, podOf('new', avoids(term({ app: 'web' }, { topologyKey: hostKey, ...rest })))),
      );
    t.strictSame(ask({}), { a1: 'ok', a2: 'ok', b1: 'ok', bare: 'ok' }, 'the own one where none is chosen');
    t.strictSame(ask({ namespaces: ['blue'] }), { a1: foe, a2: 'ok', b1: 'ok', bare: 'ok' });
    t.strictSame(ask({ namespaceSelector: { matchLabels: { color: 'green' } } }), {
      a1: 'ok',
      a2: 'ok',
      b1: foe,
      bare: 'ok',
    });
    t.strictSame(ask({ namespaces: ['blue'], namespaceSelector: { matchLabels: { color: 'green' } } }), {
      a1: foe,
      a2: 'ok',
      b1: foe,
      bare: 'ok',
    });
    t.strictSame(ask({ namespaceSelector: {} }), { a1: foe, a2: 'ok', b1: foe, bare: 'ok' });
    t.strictSame(
      ask({ namespaceSelector: { matchExpressions: [{ key: 'color', operator: 'NotIn', values: ['blue'] }] } }),
      { a1: 'ok', a2: 'ok', b1: foe, bare: 'ok' },
      'what labels are not holds of the labels there are',
    );

    cluster.addPod(
      podOf('hostile', {
        namespace: 'blue',
        nodeName: 'a2',
        ...avoids(
          term(
            { app: 'db' },
            {
              topologyKey: hostKey,
              namespaceSelector: { matchExpressions: [{ key: 'color', operator: 'DoesNotExist' }] },
            },
          ),
        ),
      }),
    );
    t.strictSame(verdicts(affinity(cluster), cycleOf(cluster, podOf('new', { labels: { app: 'db' } }))), {
      a1: 'ok',
      a2: unwelcome,
      b1: 'ok',
      bare: 'ok',
    });
    t.equal(
      affinity(cluster).preFilter?.(cycleOf(cluster, podOf('new', { namespace: 'green', labels: { app: 'db' } }))),
      'skip',
    );
  });

  t.test('preferences of the pod and of existing pods are summed', async (t) => {
    t.strictSame(
      [-5, 0, 10].map((raw) => normalizedAffinityScore(raw, -5, 10)),
      [0, 33, 100],
    );
    t.equal(normalizedAffinityScore(7, 7, 7), 0);
    const cluster = new TestCluster({ nodes, pods: webOn('a1', 'a2', 'b1') });
    const ask = (
      shape: PodShape,
      args: Partial<PluginArguments['InterPodAffinity']> = {},
    ): Record<string, number> | 'skip' => scoresOf(affinity(cluster, args), cycleOf(cluster, podOf('new', shape)));
    t.equal(ask({}), 'skip');
    t.strictSame(ask(prefers(3, term({ app: 'web' }))), { a1: 100, a2: 100, b1: 50, bare: 0 });
    t.strictSame(ask(disprefers(3, term({ app: 'web' }))), { a1: 0, a2: 0, b1: 50, bare: 100 });
    t.equal(ask(prefers(3, term({ app: 'none' }))), 'skip');

    cluster.addPod(podOf('friend', { nodeName: 'b1', ...wants(term({ app: 'db' })) }));
    t.strictSame(
      ask({ labels: { app: 'db' } }),
      { a1: 0, a2: 0, b1: 100, bare: 0 },
      'the required affinity of others counts',
    );
    t.equal(ask({ labels: { app: 'db' } }, { hardPodAffinityWeight: 0 }), 'skip');
    t.equal(ask({ labels: { app: 'db' } }, { ignorePreferredTermsOfExistingPods: true }), 'skip');
    cluster.addPod(podOf('fan', { nodeName: 'a1', ...prefers(4, term({ app: 'db' }, { topologyKey: hostKey })) }));
    cluster.addPod(
      podOf('critic', { nodeName: 'a2', ...disprefers(1, term({ app: 'db' }, { topologyKey: hostKey })) }),
    );
    t.strictSame(ask({ labels: { app: 'db' } }, { hardPodAffinityWeight: 2 }), { a1: 100, a2: 0, b1: 60, bare: 20 });
    t.strictSame(
      ask({ labels: { app: 'db' }, ...prefers(1, term({ app: 'web' })) }, { ignorePreferredTermsOfExistingPods: true }),
      { a1: 100, a2: 16, b1: 33, bare: 0 },
      'a pod with preferences hears all: 6, 1, 2 and 0',
    );
  });
});

t.test('queueing hints of InterPodAffinity', async (t) => {
  const plugin = affinity(
    new TestCluster({ objects: { Namespace: [{ metadata: { name: 'blue', labels: { color: 'blue' } } }] } }),
  );
  const friendly = podOf('new', {
    labels: { app: 'db' },
    ...wants(term({ app: 'web' }), term({ tier: 'front' }, { topologyKey: hostKey })),
  });
  const wary = podOf('new', {
    labels: { app: 'db' },
    ...avoids(term({ app: 'web' }), term({ tier: 'front' }, { topologyKey: hostKey })),
  });
  const plain = podOf('new', { labels: { app: 'db' } });
  const other = (labels: Record<string, string>, shape: PodShape = {}): Frozen<Pod> =>
    podOf('other', { labels, nodeName: 'a1', ...shape });
  const both = { app: 'web', tier: 'front' };

  t.test('matching pods for affinity are added, those for anti-affinity are deleted', async (t) => {
    const add = (pod: Frozen<Pod>, current: Frozen<Pod>): string =>
      hint(plugin, { resource: 'Pod', action: actions.add }, pod, undefined, current);
    const gone = (pod: Frozen<Pod>, old: Frozen<Pod>): string =>
      hint(plugin, { resource: 'Pod', action: actions.delete }, pod, old, undefined);
    const update = (pod: Frozen<Pod>, old: Frozen<Pod>, current: Frozen<Pod>): string =>
      hint(plugin, { resource: 'Pod', action: actions.updatePodLabel }, pod, old, current);
    t.equal(add(friendly, other(both)), 'queue');
    t.equal(add(friendly, other({ app: 'web' })), 'skip', 'all terms must mean it');
    t.equal(add(friendly, podOf('waiting', { labels: both })), 'skip');
    t.equal(add(wary, other(both)), 'skip');
    t.equal(gone(wary, other({ app: 'web' })), 'queue', 'one term is enough');
    t.equal(gone(wary, other({ app: 'none' })), 'skip');
    t.equal(
      gone(plain, other({}, avoids(term({ app: 'none' }), term({ app: 'db' })))),
      'queue',
      'so is one of its terms',
    );
    t.equal(gone(plain, other({}, avoids(term({ app: 'none' })))), 'skip');
    t.equal(gone(friendly, other(both)), 'queue', 'it may have been the last of them');
    t.equal(update(friendly, other({}), other(both)), 'queue');
    t.equal(update(friendly, other({}), other({ app: 'web' })), 'skip');
    t.equal(update(wary, other(both), other({ app: 'web' })), 'queue');
    t.equal(update(wary, other({}), other(both)), 'skip');
    t.equal(update(plain, plain, plain), 'queue', 'its own labels changed');
    const blue = podOf('new', wants(term({ app: 'web' }, { namespaceSelector: { matchLabels: { color: 'blue' } } })));
    t.equal(add(blue, other({ app: 'web' }, { namespace: 'blue' })), 'queue');
    t.equal(add(blue, other({ app: 'web' }, { namespace: 'green' })), 'skip');
  });

  t.test('nodes are added or change their domain', async (t) => {
    const bare = nodeOf('n', { labels: { color: 'red' } });
    const inZone = nodeOf('n', { labels: { [zoneKey]: 'a' } });
    const elsewhere = nodeOf('n', { labels: { [zoneKey]: 'b' } });
    const add = (pod: Frozen<Pod>, current: Frozen<Node>): string =>
      hint(plugin, { resource: 'Node', action: actions.add }, pod, undefined, current);
    const update = (pod: Frozen<Pod>, old: Frozen<Node>, current: Frozen<Node>): string =>
      hint(plugin, { resource: 'Node', action: actions.updateNodeLabel }, pod, old, current);
    t.strictSame([add(friendly, inZone), add(friendly, bare)], ['queue', 'skip']);
    t.strictSame([add(wary, inZone), add(wary, bare), add(plain, bare)], ['queue', 'queue', 'queue']);
    t.strictSame(
      [
        update(friendly, bare, inZone),
        update(friendly, elsewhere, inZone),
        update(friendly, inZone, bare),
        update(friendly, inZone, inZone),
      ],
      ['queue', 'queue', 'skip', 'skip'],
    );
    t.strictSame(
      [
        update(wary, bare, inZone),
        update(wary, elsewhere, inZone),
        update(wary, inZone, bare),
        update(wary, inZone, inZone),
      ],
      ['skip', 'queue', 'queue', 'skip'],
    );
    t.equal(update(plain, bare, inZone), 'queue', 'others kept it away, for whatever label');
    t.equal(hint(plugin, { resource: 'Node', action: actions.delete }, wary, inZone, undefined), 'deaf');
  });
});

// ── random clusters ──────────────────────────────────────────────────────────────────────────────────────────────────

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 5 });
const given = (labels: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== undefined));
const podLabels = fc
  .record({ app: maybe(fc.constantFrom('web', 'web', 'web', 'db')), tier: maybe(fc.constantFrom('front', 'back')) })
  .map(given);
const selectors = fc.constantFrom<LabelSelector | undefined>(
  web,
  web,
  web,
  { matchLabels: { tier: 'front' } },
  { matchLabels: { app: 'web', tier: 'back' } },
  { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] },
  {},
  undefined,
);
const keys = fc.constantFrom(zoneKey, hostKey, 'rack');
const namespaceNames = fc.constantFrom('ns', 'ns', 'ns', 'blue', 'unknown');
const namespaceSelectors = fc.constantFrom<LabelSelector | undefined>(
  undefined,
  undefined,
  {},
  { matchLabels: { color: 'blue' } },
  { matchExpressions: [{ key: 'color', operator: 'DoesNotExist' }] },
);
const withSelector = (labelSelector: LabelSelector | undefined): { labelSelector?: LabelSelector } =>
  labelSelector === undefined ? {} : { labelSelector };

const terms = fc.array(
  fc
    .tuple(keys, selectors, fc.array(namespaceNames, { maxLength: 1 }), namespaceSelectors)
    .map(([topologyKey, selector, namespaces, namespaceSelector]): PodAffinityTerm => ({
      topologyKey,
      namespaces,
      ...withSelector(selector),
      ...(namespaceSelector && { namespaceSelector }),
    })),
  { maxLength: 2 },
);
const weighted = terms.map((all) => all.map((podAffinityTerm, index) => ({ weight: 1 + index * 7, podAffinityTerm })));
const termLists = fc.record({
  requiredDuringSchedulingIgnoredDuringExecution: terms,
  preferredDuringSchedulingIgnoredDuringExecution: weighted,
});
const affinities = fc.record({ podAffinity: termLists, podAntiAffinity: termLists });

const constraintLists = fc.array(
  fc
    .record({
      topologyKey: keys,
      selector: selectors,
      maxSkew: fc.integer({ min: 1, max: 2 }),
      minDomains: maybe(fc.integer({ min: 1, max: 4 })),
      whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
      nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
      nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
    })
    .map(({ selector, minDomains, ...rest }): TopologySpreadConstraint => ({
      ...rest,
      ...withSelector(selector),
      ...(minDomains !== undefined && { minDomains }),
    })),
  { minLength: 1, maxLength: 3 },
);

const nodeLists = fc
  .array(
    fc.record({
      zone: maybe(fc.constantFrom('a', 'b', '')),
      host: fc.boolean(),
      rack: maybe(fc.constantFrom('1', '2')),
      tainted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6, size: 'max' },
  )
  .map((shapes) =>
    shapes.map(({ zone, host, rack, tainted }, index) =>
      nodeOf(`n${index}`, {
        labels: given({ [zoneKey]: zone, [hostKey]: host ? `n${index}` : undefined, rack }),
        ...(tainted && { taints: [{ key: 'k', effect: 'NoExecute' as const }] }),
      }),
    ),
  );
const existingShapes = fc.record({
  labels: podLabels,
  namespace: namespaceNames,
  at: fc.nat(),
  leaving: maybe(fc.constant(false)).map((stays) => stays === undefined),
  affinity: affinities,
});
const existingLists = fc.array(existingShapes, { maxLength: 8, size: 'max' });
const incomingPods = fc
  .record({
    labels: podLabels,
    namespace: namespaceNames,
    affinity: affinities,
    topologySpreadConstraints: constraintLists,
    picky: fc.boolean(),
    tolerant: fc.boolean(),
  })
  .map(({ labels, namespace, picky, tolerant, ...spec }) =>
    podOf('new', {
      labels,
      namespace,
      spec: {
        ...spec,
        ...(picky && { nodeSelector: { rack: '1' } }),
        ...(tolerant && { tolerations: [{ operator: 'Exists' as const }] }),
      },
    }),
  );

const existingPod = (
  { labels, namespace, at, leaving, affinity: spec }: typeof existingShapes extends fc.Arbitrary<infer T> ? T : never,
  index: number,
  nodeCount: number,
): Frozen<Pod> =>
  podOf(`old-${index}`, {
    labels,
    namespace,
    nodeName: `n${at % nodeCount}`,
    spec: { affinity: spec },
    ...(leaving && { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
  });

const worlds = fc
  .record({
    nodes: nodeLists,
    existing: existingLists,
    visitors: fc.array(existingShapes, { minLength: 1, maxLength: 3, size: 'max' }),
    incoming: incomingPods,
  })
  .map(({ nodes, existing, visitors, incoming }) => ({
    nodes,
    pods: existing.map((each, index) => existingPod(each, index, nodes.length)),
    visitors: visitors.map((each, index) => existingPod(each, 100 + index, nodes.length)),
    incoming,
  }));
const namespaces = [{ metadata: { name: 'ns' } }, { metadata: { name: 'blue', labels: { color: 'blue' } } }];
const worldOf = ({ nodes, pods }: { nodes: readonly Frozen<Node>[]; pods: readonly Frozen<Pod>[] }): TestCluster =>
  new TestCluster({ nodes, pods, objects: { Namespace: namespaces } });

for (const [name, make, naive] of [
  ['spreading', spread, referenceSpread],
  ['affinity', affinity, referenceAffinity],
] as const) {
  t.test(`${name}: a plain evaluation of the rules says the same of every node`, async () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const cluster = worldOf(world);
        const cycle = cycleOf(cluster, world.incoming);
        const results = verdicts(make(cluster), cycle);
        for (const node of cluster.nodes) {
          const expected = naive(cluster, cycle.pod, node);
          if (results[node.name] !== expected)
            throw new Error(`${node.name}: ${String(results[node.name])}, expected ${expected}`);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  t.test(`${name}: pods that come in a what-if count as if they had been there, and go without trace`, async () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const cluster = worldOf(world);
        const plugin = make(cluster);
        const cycle = cycleOf(cluster, world.incoming);
        if (plugin.preFilter?.(cycle) === 'skip') return;
        const before = answers(plugin, cycle);
        const whatIf = { ...cycle, state: cycle.state.copy() };
        for (const pod of world.visitors) plugin.addPod?.(whatIf, podFacts(pod), cluster.at(podFacts(pod).nodeName));
        const fresh = worldOf({ nodes: world.nodes, pods: [...world.pods, ...world.visitors] });
        same(answers(plugin, whatIf), verdicts(plugin, cycleOf(fresh, world.incoming)), 'with the pods');
        same(answers(plugin, cycle), before, 'the original, of which that was a copy');
        for (const pod of world.visitors) plugin.removePod?.(whatIf, podFacts(pod), cluster.at(podFacts(pod).nodeName));
        same(answers(plugin, whatIf), before, 'after they went');
      }),
      { numRuns: runs(300) },
    );
  });

  t.test(`${name}: scores are whole numbers from 0 to 100`, async () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const cluster = worldOf(world);
        const scores = scoresOf(make(cluster), cycleOf(cluster, world.incoming));
        if (scores === 'skip') return;
        for (const score of Object.values(scores))
          if (!Number.isInteger(score) || Object.is(score, -0) || score < 0 || score > 100)
            throw new Error(`a score of ${score}`);
      }),
      { numRuns: runs(200) },
    );
  });
}

function same(found: Record<string, string>, expected: Record<string, string>, what: string): void {
  for (const name in expected)
    if (found[name] !== expected[name])
      throw new Error(`${what}, ${name}: ${String(found[name])}, expected ${String(expected[name])}`);
}

/** The rules of hard constraints, from the reference: everything is counted again for every node. */
function referenceSpread(cluster: TestCluster, pod: PodFacts, node: NodeView): string {
  const constraints =
    pod.object.spec?.topologySpreadConstraints?.filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
    ) ?? [];
  for (const constraint of constraints) {
    const { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
    const own = node.labels[topologyKey];
    if (own === undefined) return missing;
    const selector = pod.spread?.hard[constraints.indexOf(constraint)]?.selector;
    if (selector === undefined) throw new Error('no selector');
    const counts = new Map<string, number>();
    for (const other of cluster.nodes) {
      const picky = pod.object.spec?.nodeSelector !== undefined && other.labels.rack !== '1';
      const repelled = other.taints.length > 0 && pod.tolerations.length === 0;
      const takesPart =
        constraints.every((each) => other.labels[each.topologyKey] !== undefined) &&
        !(picky && nodeAffinityPolicy === 'Honor') &&
        !(repelled && nodeTaintsPolicy === 'Honor');
      if (!takesPart) continue;
      const counted = [...other.pods].filter(
        (each) =>
          selector.requirements.length > 0 &&
          each.namespace === pod.namespace &&
          !each.terminating &&
          matchesLabels(selector, each.labels),
      );
      const domain = other.labels[topologyKey] ?? '';
      counts.set(domain, (counts.get(domain) ?? 0) + counted.length);
    }
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
    if ((counts.get(own) ?? 0) + (matchesLabels(selector, pod.labels) ? 1 : 0) - least > maxSkew) return uneven;
  }
  return 'ok';
}

/** The rules of required terms, pod by pod. */
function referenceAffinity(cluster: TestCluster, pod: PodFacts, node: NodeView): string {
  const means = (each: AffinityTerm, other: PodFacts): boolean =>
    matchesAffinityTerm(
      each,
      other.namespace,
      other.labels,
      namespaces.find(({ metadata: { name } }) => name === other.namespace)?.metadata.labels,
    );
  const meet = (key: string, one: Labels, other: Labels): boolean => one[key] !== undefined && one[key] === other[key];
  const existing = cluster.nodes.flatMap((at) => Array.from(at.pods, (each) => ({ each, at })));

  const wanted = pod.affinity.required;
  const friends = wanted.length === 0 ? [] : existing.filter(({ each }) => wanted.every((one) => means(one, each)));
  const seen = friends.some(({ at }) => wanted.some(({ topologyKey }) => at.labels[topologyKey] !== undefined));
  const first = !seen && wanted.every((one) => means(one, pod));
  for (const { topologyKey } of wanted) if (node.labels[topologyKey] === undefined) return noFriend;
  if (!first && !wanted.every(({ topologyKey }) => friends.some(({ at }) => meet(topologyKey, at.labels, node.labels))))
    return noFriend;
  if (
    pod.antiAffinity.required.some((one) =>
      existing.some(({ each, at }) => means(one, each) && meet(one.topologyKey, at.labels, node.labels)),
    )
  )
    return foe;
  if (
    existing.some(({ each, at }) =>
      each.antiAffinity.required.some((one) => means(one, pod) && meet(one.topologyKey, at.labels, node.labels)),
    )
  )
    return unwelcome;
  return 'ok';
}
