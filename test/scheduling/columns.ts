// The fast way to place pods must answer as the plain way does: the same node, the same counts, the same reasons. Random
// clusters change in random ways between pods of a few kinds, so that what is kept has to be brought up to date.
import fc from 'fast-check';
import t from 'tap';
import { deepFreeze, random } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { LabelSelector, Node, NodeSelector, PersistentVolume, Pod, PodAffinityTerm, PodSpec, Taint, TopologySpreadConstraint } from '../../lib/core/types/index.js';
import { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { Nominations } from '../../lib/scheduling/cluster/cluster-cache.js';
import { clusterColumns } from '../../lib/scheduling/columns/cluster-columns.js';
import { columnPlacer } from '../../lib/scheduling/columns/column-placer.js';
import { RecentlyUsed } from '../../lib/scheduling/framework/recently-used.js';
import { CycleMemory } from '../../lib/scheduling/framework/cycle.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle.js';
import type { Framework } from '../../lib/scheduling/framework/framework.js';
import { nodeRotation } from '../../lib/scheduling/framework/node-sampling.js';
import { plainPlacer } from '../../lib/scheduling/framework/plain-placer.js';
import { isPlaced } from '../../lib/scheduling/framework/placement.js';
import type { NoPlacement, Placement, Placer } from '../../lib/scheduling/framework/placement.js';
import { definitionOf } from '../../lib/scheduling/framework/plugin-definition.js';
import type { PluginDefinition } from '../../lib/scheduling/framework/plugin-definition.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import { profileFilters } from '../../lib/scheduling/framework/profile-filters.js';
import { profilePlugins } from '../../lib/scheduling/framework/profile-plugins.js';
import { unschedulable } from '../../lib/scheduling/framework/rejection.js';
import { builtinPlugins, fitErrorText, podFacts, schedulerConfiguration } from '../../lib/scheduling/index.js';
import type { PodFacts, ProfileDocument, SchedulerProfile } from '../../lib/scheduling/index.js';
import { builtinMakers } from '../../lib/scheduling/plugins/default-plugins.js';
import { Nominator } from '../../lib/scheduling/queue/nominator.js';
import { nodeOf, podOf, toolsOf } from '../support/scheduling.js';

const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';

/** A plugin of a user, which looks at what no built-in one does, and scores. */
const picky: SchedulingPlugin = {
  name: 'Picky',
  preFilter: ({ pod }) => (pod.labels.tier === undefined ? 'skip' : undefined),
  filter: ({ pod }, node) => ((node.name.charCodeAt(1) + (pod.labels.tier ?? '').length) % 3 === 0 ? unschedulable('node(s) were not to my taste') : undefined),
  score: (_, node) => node.name.charCodeAt(1) % 7,
};
const definitions: ReadonlyMap<string, PluginDefinition> = new Map([
  ...Array.from(builtinMakers, ([name, make]) => [name, { name, make, points: builtinPlugins.get(name) ?? [] }] as const),
  [picky.name, definitionOf(picky)],
]);

/** Profiles that differ in all that columns go by. */
const profileDocuments: readonly ProfileDocument[] = [
  {},
  { plugins: { multiPoint: { enabled: [{ name: 'Picky', weight: 5 }] } } },
  { plugins: { filter: { enabled: [{ name: 'Picky' }, { name: 'InterPodAffinity' }, { name: 'PodTopologySpread' }, { name: 'NodeResourcesFit' }], disabled: [{ name: '*' }] }, preFilter: { enabled: [{ name: 'Picky' }] } } },
  { plugins: { score: { disabled: [{ name: '*' }] } } },
  { plugins: { multiPoint: { disabled: [{ name: 'NodeResourcesFit' }, { name: 'TaintToleration' }] }, score: { enabled: [{ name: 'NodeAffinity', weight: 9 }] } } },
  { plugins: { preFilter: { disabled: [{ name: 'NodePorts' }] }, score: { disabled: [{ name: 'PodTopologySpread' }, { name: 'InterPodAffinity' }] } } },
  {
    pluginConfig: [
      { name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 3 }, { name: 'example.com/gpu', weight: 2 }] } } },
      { name: 'InterPodAffinity', args: { hardPodAffinityWeight: 20, ignorePreferredTermsOfExistingPods: true } },
      { name: 'PodTopologySpread', args: { defaultingType: 'List', defaultConstraints: [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' }, { maxSkew: 2, topologyKey: hostKey, whenUnsatisfiable: 'ScheduleAnyway' }] } },
      { name: 'NodeAffinity', args: { addedAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } }] } } },
    ],
  },
];
const profiles: readonly SchedulerProfile[] = profileDocuments.map((document) => profileOf(document));

function profileOf(document: ProfileDocument): SchedulerProfile {
  const { profiles: made } = schedulerConfiguration({ profiles: [document] }, { plugins: new Map([[picky.name, definitionOf(picky).points]]) });
  for (const profile of made.values()) return profile;
  throw new Error('no profile');
}

/** What happens to a cluster. */
type Step =
  | { readonly do: 'node'; readonly at: number; readonly shape: NodeKind }
  | { readonly do: 'remove-node'; readonly at: number }
  | { readonly do: 'bind'; readonly kind: number; readonly at: number }
  | { readonly do: 'remove-pod' | 'terminate' | 'touch'; readonly at: number }
  | { readonly do: 'relabel'; readonly at: number; readonly app: string }
  | { readonly do: 'namespace'; readonly name: string; readonly team: string }
  | { readonly do: 'service'; readonly namespace: string; readonly app: string }
  | { readonly do: 'replica-set'; readonly app: string }
  | { readonly do: 'nominate'; readonly kind: number; readonly at: number }
  | { readonly do: 'forget-nominations' }
  | { readonly do: 'place'; readonly kind: number; readonly hint: number };

interface NodeKind {
  readonly zone: string | undefined;
  readonly host: boolean;
  readonly disk: string | undefined;
  readonly taint: string | undefined;
  readonly effect: Taint['effect'];
  readonly unschedulable: boolean;
  readonly cpu: string;
  readonly gpu: boolean;
  readonly image: number;
}

const app = fc.constantFrom('a', 'b', 'c');
const selector: fc.Arbitrary<LabelSelector> = fc.oneof(
  { weight: 6, arbitrary: app.map((value) => ({ matchLabels: { app: value } })) },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: app.map((value): LabelSelector => ({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: [value] }] })) },
);
const topologyKey = fc.constantFrom(zoneKey, zoneKey, hostKey, 'disk');
const term: fc.Arbitrary<PodAffinityTerm> = fc.record(
  { labelSelector: selector, topologyKey, namespaces: fc.constantFrom(['one'], ['one', 'two']), namespaceSelector: fc.constantFrom<LabelSelector[]>({}, { matchLabels: { team: 'x' } }, { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['x'] }] }) },
  { requiredKeys: ['labelSelector', 'topologyKey'] },
);
const podTerms = fc.record(
  {
    requiredDuringSchedulingIgnoredDuringExecution: fc.array(term, { maxLength: 2 }),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(fc.record({ weight: fc.constantFrom(1, 7, 100), podAffinityTerm: term }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const constraint: fc.Arbitrary<TopologySpreadConstraint> = fc.record(
  {
    maxSkew: fc.constantFrom(1, 1, 2),
    topologyKey,
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: selector,
    minDomains: fc.constantFrom(1, 2, 4),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
    matchLabelKeys: fc.constant(['app']),
  },
  { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector'] },
);
const nodeTerm = fc.constantFrom(
  { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] },
  { matchExpressions: [{ key: zoneKey, operator: 'NotIn', values: ['z1'] }] },
  { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] },
  { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] },
);
const nodeAffinity = fc.record(
  {
    requiredDuringSchedulingIgnoredDuringExecution: fc.array(nodeTerm, { minLength: 1, maxLength: 2 }).map((nodeSelectorTerms) => ({ nodeSelectorTerms })),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(fc.record({ weight: fc.constantFrom(1, 50), preference: nodeTerm }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
/** Once in so many times. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, times = 3): fc.Arbitrary<T | undefined> => fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** A kind of pod: several of each are placed and bound. */
const podKind = fc
  .record({
    namespace: fc.constantFrom<string[]>('one', 'one', 'two'),
    app,
    tier: rarely(fc.constantFrom('x', 'yy'), 4),
    cpu: fc.constantFrom(undefined, '100m', '500m', '1', '3'),
    memory: fc.constantFrom(undefined, '100Mi', '1Gi'),
    gpu: rarely(fc.constant('1'), 6),
    port: rarely(fc.constantFrom(80, 81), 5),
    tolerates: rarely(fc.constantFrom({ operator: 'Exists' }, { key: 'red', operator: 'Exists' }, { key: 'blue', value: 'x', effect: 'NoSchedule' })),
    disk: rarely(fc.constantFrom('ssd', 'hdd'), 5),
    nodeAffinity: rarely(nodeAffinity, 4),
    podAffinity: rarely(podTerms, 3),
    podAntiAffinity: rarely(podTerms, 3),
    constraints: rarely(fc.array(constraint, { minLength: 1, maxLength: 3 }), 3),
    priority: fc.constantFrom(0, 0, 10),
    owned: fc.boolean(),
    claim: rarely(fc.constantFrom('here', 'there', 'nowhere'), 6),
    image: fc.constantFrom('app:1', 'app:2'),
  })
  .map(({ namespace, tier, cpu, memory, gpu, port, tolerates, disk, constraints, priority, owned, claim, image, app: appName, ...affinity }) => {
    const requests = { ...(cpu && { cpu }), ...(memory && { memory }), ...(gpu && { 'example.com/gpu': gpu }) };
    const spec: Partial<PodSpec> = {
      priority,
      containers: [{ name: 'c', image, resources: { requests }, ...(port && { ports: [{ containerPort: port, hostPort: port }] }) }],
      affinity: Object.fromEntries(Object.entries(affinity).filter(([, value]) => value !== undefined)),
      ...(tolerates && { tolerations: [tolerates] }),
      ...(disk && { nodeSelector: { disk } }),
      ...(constraints && { topologySpreadConstraints: constraints }),
      ...(claim && { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: claim } }] }),
    };
    const metadata = owned ? { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true }] } : {};
    return { namespace, labels: { app: appName, ...(tier && { tier }) }, spec, metadata };
  });
type PodKind = typeof podKind extends fc.Arbitrary<infer K> ? K : never;

const at = fc.nat(11);
const kindIndex = fc.nat(3);
const nodeKind: fc.Arbitrary<NodeKind> = fc.record({
  zone: fc.constantFrom(undefined, 'z1', 'z2', 'z3', ''),
  host: fc.constantFrom(true, true, true, false),
  disk: fc.constantFrom(undefined, 'ssd', 'hdd'),
  taint: fc.constantFrom(undefined, undefined, 'red', 'blue'),
  effect: fc.constantFrom<Taint['effect'][]>('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
  unschedulable: fc.nat(9).map((roll) => roll === 0),
  cpu: fc.constantFrom('1', '2', '4', '8'),
  gpu: fc.boolean(),
  image: fc.nat(2),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('node' as const), at, shape: nodeKind }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-node' as const), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('bind' as const), kind: kindIndex, at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('remove-pod' as const, 'terminate' as const, 'touch' as const), at: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relabel' as const), at: fc.nat(30), app }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('namespace' as const), name: fc.constantFrom('one', 'two'), team: fc.constantFrom('x', 'y') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('service' as const), namespace: fc.constantFrom('one', 'two'), app }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replica-set' as const), app }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('nominate' as const), kind: kindIndex, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget-nominations' as const) }) },
  { weight: 14, arbitrary: fc.record({ do: fc.constant('place' as const), kind: kindIndex, hint: fc.nat(40) }) },
);

const kinds = fc.array(podKind, { minLength: 2, maxLength: 4 });
const plainNode: NodeKind = { zone: 'z1', host: true, disk: undefined, taint: undefined, effect: 'NoSchedule', unschedulable: false, cpu: '4', gpu: false, image: 0 };

/** A cluster that steps are done to, with both ways to place pods. */
class World {
  readonly #kinds: readonly PodKind[];
  readonly #nominator = new Nominator();
  readonly #nominated = new Map<string, Frozen<Pod>>();
  readonly cluster: ClusterCache;
  readonly #pods: Frozen<Pod>[] = [];
  readonly #plain: Placer;
  readonly #columns: Placer;
  #made = 0;
  placed = 0;
  refused = 0;

  constructor(profile: SchedulerProfile, kinds: readonly PodKind[], { changesMax = 16_384, percentage = 100, start = 0 } = {}) {
    this.#kinds = kinds;
    const nominations: Nominations = {
      nominatedTo: (name) => this.#nominator.shownOf(name, ({ uid, bare }) => this.#nominated.get(uid) ?? bare),
      nominatedNodes: () => this.#nominator.nodes(),
      nominationOf: (uid) => this.#nominator.nodeOf(uid),
      nominationChanges: this.#nominator.changes,
    };
    this.cluster = new ClusterCache({ changesMax, nominations });
    const framework: Framework = { profile, plugins: profilePlugins(profile, definitions, () => ({ ...tools, cluster: this.cluster, profile, filters: profileFilters })) };
    const search = () => ({ percentageOfNodesToScore: percentage, rotation: { start }, random: random('ties') });
    this.#plain = plainPlacer({ ...search(), plugins: framework.plugins });
    this.#columns = columnPlacer({ framework, search: search(), columns: clusterColumns(this.cluster), foreign: new Set([picky.name]) });
    for (const [name, zone] of [['here', 'z1'], ['there', 'z2']] as const) {
      for (const namespace of ['one', 'two']) this.#bindClaim(namespace, name, zone);
    }
  }

  /** Does a step. A pod is placed both ways, and what came of it compared. */
  do(what: Step): void {
    switch (what.do) {
      case 'node':
        this.cluster.setNode(node(what.at, what.shape));
        return;
      case 'remove-node':
        this.cluster.removeNode(`n${what.at}`);
        return;
      case 'bind':
        this.#set(podOf(`bound-${this.#made}`, { ...this.#shape(what.kind), nodeName: `n${what.at}` }));
        return;
      case 'nominate':
        this.#nominate(podOf(`nominated-${this.#made}`, this.#shape(what.kind)), what.at);
        return;
      case 'forget-nominations':
        for (const pod of this.#nominated.values()) this.#nominator.delete(pod);
        this.#nominated.clear();
        return;
      case 'namespace':
        this.cluster.objects.of('Namespace').set(deepFreeze({ metadata: { name: what.name, labels: { team: what.team } } }));
        return;
      case 'service':
        this.cluster.objects.of('Service').set(deepFreeze({ metadata: { name: 's', namespace: what.namespace }, spec: { selector: { app: what.app } } }));
        return;
      case 'replica-set':
        this.cluster.objects.of('ReplicaSet').set(deepFreeze({ metadata: { name: 'rs', namespace: 'one' }, spec: { selector: { matchLabels: { app: what.app } } } }));
        return;
      case 'place':
        this.#place(what.kind, what.hint);
        return;
      default:
        this.#change(what);
    }
  }

  #change(what: Extract<Step, { readonly do: 'remove-pod' | 'terminate' | 'touch' | 'relabel' }>): void {
    const index = this.#pods.length === 0 ? 0 : what.at % this.#pods.length;
    const [pod] = this.#pods.splice(index, 1);
    if (pod === undefined) return;
    if (what.do === 'remove-pod') this.cluster.removePod(pod);
    else if (what.do === 'terminate') this.#set(deepFreeze({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    else if (what.do === 'relabel') this.#set(deepFreeze({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, app: what.app } } }));
    else this.#set(deepFreeze({ ...pod, status: { phase: 'Running' } }));
  }

  #nominate(pod: Frozen<Pod>, at: number): void {
    this.#nominated.set(pod.metadata?.uid ?? '', pod);
    this.#nominator.set(pod, `n${at}`);
  }

  /** Places a pod. Some are nominated themselves, and then others may have been told that they will come. */
  #place(kind: number, hint: number): void {
    const status = hint < 12 ? { nominatedNodeName: `n${hint}` } : {};
    const pod = podFacts(podOf(`pod-${this.#made}`, { ...this.#shape(kind), status }));
    if (hint < 6) this.#nominate(pod.object, hint);
    const one = this.#outcome(this.#plain, pod);
    const other = this.#outcome(this.#columns, pod);
    if (JSON.stringify(one.told) !== JSON.stringify(other.told)) throw new Error(`plain: ${JSON.stringify(one.told)}\ncolumns: ${JSON.stringify(other.told)}`);
    if (one.nodeName === undefined) {
      this.refused += 1;
      return;
    }
    this.placed += 1;
    this.#nominator.delete(pod.object);
    this.#nominated.delete(pod.uid);
    this.cluster.assume(pod, one.nodeName);
    this.#pods.push(deepFreeze({ ...pod.object, spec: { ...pod.object.spec, containers: pod.object.spec?.containers ?? [], nodeName: one.nodeName } }));
  }

  #outcome(placer: Placer, pod: PodFacts): { readonly told: unknown; readonly nodeName?: string } {
    const cycle: Cycle = { pod, cluster: this.cluster, memory: new CycleMemory() };
    let outcome: Placement | NoPlacement;
    try {
      outcome = placer.place(cycle);
    } catch (error) {
      return { told: String(error) };
    }
    if (isPlaced(outcome)) return { told: { node: outcome.node.name, evaluated: outcome.evaluated, feasible: outcome.feasible }, nodeName: outcome.node.name };
    const { diagnosis } = outcome;
    const { nodeCount, preFilterMessage = '', reasons, rejectors, pending } = diagnosis;
    const byNode = this.cluster.nodes.map((each) => {
      const { plugin, code, reasons: said } = diagnosis.rejectionOf(each) ?? {};
      return { plugin, code, said, again: preFilterMessage === '' ? this.#whatIf(cycle, each.name) : '' };
    });
    return { told: { message: fitErrorText({ nodeCount, preFilterMessage, reasons }), rejectors: [...rejectors].sort(), pending: [...pending].sort(), byNode } };
  }

  /** What preemption would ask: does the pod fit once the first pod of the node is gone? */
  #whatIf(cycle: Cycle, name: string): string {
    const copy: Cycle = { ...cycle, memory: cycle.memory.copy() };
    const draft = this.cluster.node(name)?.copy();
    const [first] = draft?.pods ?? [];
    if (draft === undefined || first === undefined) return '';
    draft.remove(first);
    profileFilters.removePod(copy, first, draft);
    return profileFilters.filter(copy, draft)?.reasons.join() ?? 'fits';
  }

  #shape(kind: number): PodKind {
    this.#made += 1;
    const shape = this.#kinds[kind % this.#kinds.length];
    if (shape === undefined) throw new Error('no kinds');
    return shape;
  }

  #set(pod: Frozen<Pod>): void {
    this.#pods.push(pod);
    this.cluster.setPod(pod);
  }

  #bindClaim(namespace: string, name: string, zone: string): void {
    const volumeName = `${namespace}-${name}`;
    this.cluster.objects.of('PersistentVolumeClaim').set(
      deepFreeze({ metadata: { name, namespace, uid: volumeName, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, spec: { volumeName, accessModes: ['ReadWriteOnce'] }, status: { phase: 'Bound' } }),
    );
    const required: NodeSelector = { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }] }] };
    this.cluster.objects.of('PersistentVolume').set(
      deepFreeze<PersistentVolume>({ metadata: { name: volumeName, labels: { [zoneKey]: zone } }, spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nodeAffinity: { required }, claimRef: { namespace, name, uid: volumeName } }, status: { phase: 'Bound' } }),
    );
  }
}

const tools = toolsOf(new ClusterCache({}));

function node(index: number, { zone, host, disk, taint, effect, unschedulable: closed, cpu, gpu, image }: NodeKind): Frozen<Node> {
  const name = `n${index}`;
  return nodeOf(name, {
    labels: { ...(zone !== undefined && { [zoneKey]: zone }), ...(host && { [hostKey]: name }), ...(disk !== undefined && { disk }) },
    ...(taint !== undefined && { taints: [{ key: taint, value: 'x', effect }] }),
    unschedulable: closed,
    allocatable: { cpu, memory: '4Gi', pods: '6', ...(gpu && { 'example.com/gpu': '2' }) },
    ...(image > 0 && { images: [{ names: [`app:${image}`], sizeBytes: 700 * 2 ** 20 }] }),
  });
}

t.test('random clusters with churn: columns and plugins asked node by node place pods alike', async (t) => {
  const counts = { placed: 0, refused: 0 };
  const world = fc.record({ profile: fc.nat(profiles.length - 1), kinds, nodes: fc.array(nodeKind, { minLength: 2, maxLength: 8 }), steps: fc.array(step, { minLength: 8, maxLength: 40 }), changesMax: fc.constantFrom(16_384, 16_384, 4), start: fc.nat(9) });
  fc.assert(
    fc.property(world, ({ profile, kinds: ofWorld, nodes, steps, changesMax, start }) => {
      const made = new World(profiles[profile] ?? profileOf({}), ofWorld, { changesMax, start });
      for (const [index, shape] of nodes.entries()) made.do({ do: 'node', at: index, shape });
      for (const each of steps) made.do(each);
      counts.placed += made.placed;
      counts.refused += made.refused;
    }),
    { numRuns: 5000, seed: 6 },
  );
  t.ok(Math.min(counts.placed, counts.refused) > 5000, 'many pods find a node and many do not');
});

t.test('where fewer nodes than all will do, both ways stop at the same one and go on from there', async (t) => {
  let placed = 0;
  const world = fc.record({ kinds, nodes: fc.array(nodeKind, { minLength: 3, maxLength: 6 }), percentage: fc.constantFrom(0, 5, 60), steps: fc.array(step, { minLength: 10, maxLength: 20 }) });
  fc.assert(
    fc.property(world, ({ kinds: ofWorld, nodes, percentage, steps }) => {
      const made = new World(profiles[0] ?? profileOf({}), ofWorld, { percentage });
      for (let index = 0; index < 260; index++) made.do({ do: 'node', at: index, shape: nodes[index % nodes.length] ?? plainNode });
      for (const each of steps) made.do(each);
      placed += made.placed;
    }),
    { numRuns: 40, seed: 6 },
  );
  t.ok(placed > 40);
});

t.test('where the pods of a Service are spread, nodes without zone count as one more of them', async (t) => {
  let placed = 0;
  const kind: PodKind = { namespace: 'one', labels: { app: 'a' }, metadata: {}, spec: {} };
  const place = fc.record({ zone: fc.constantFrom(undefined, 'z1', 'z2', 'z3', ''), host: fc.nat(4).map((roll) => roll > 0), pods: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(place, { minLength: 3, maxLength: 12 }), (places) => {
      const made = new World(profiles[0] ?? profileOf({}), [kind]);
      made.do({ do: 'service', namespace: 'one', app: 'a' });
      for (const [index, { zone, host, pods }] of places.entries()) {
        made.do({ do: 'node', at: index, shape: { ...plainNode, zone, host } });
        for (let count = 0; count < pods; count++) made.do({ do: 'bind', kind: 0, at: index });
      }
      for (let count = 0; count < 6; count++) made.do({ do: 'place', kind: 0, hint: 40 });
      placed += made.placed;
    }),
    { numRuns: 1000, seed: 6 },
  );
  t.ok(placed > 5000);
});

t.test('a namespace with other labels changes who is meant on every node', async (t) => {
  const term: PodAffinityTerm = { labelSelector: {}, topologyKey: hostKey, namespaceSelector: { matchLabels: { team: 'x' } } };
  const wary: PodKind = { namespace: 'one', labels: { app: 'a' }, metadata: {}, spec: { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] } } } };
  const plain = (namespace: string): PodKind => ({ namespace, labels: { app: 'b' }, metadata: {}, spec: {} });
  const made = new World(profiles[0] ?? profileOf({}), [wary, plain('three'), plain('two'), plain('four')]);
  for (let at = 0; at < 8; at++) made.do({ do: 'node', at, shape: plainNode });
  made.do({ do: 'namespace', name: 'three', team: 'x' });
  made.do({ do: 'bind', kind: 1, at: 0 });
  for (const at of [1, 2]) made.do({ do: 'bind', kind: 2, at });
  for (const at of [3, 4, 5, 6, 7, 3, 4, 5, 6, 7]) made.do({ do: 'bind', kind: 3, at });
  for (const team of ['y', 'x', 'y', 'x']) {
    made.do({ do: 'namespace', name: 'two', team });
    made.do({ do: 'place', kind: 0, hint: 40 });
  }
  t.equal(made.placed, 4);
});

t.test('a plugin that is called like a built-in one is asked', async (t) => {
  const cluster = new ClusterCache({});
  for (const index of [1, 2, 3]) cluster.setNode(nodeOf(`n${index}`));
  const profile = profileOf({});
  const onlySecond: SchedulingPlugin = { name: 'NodeName', filter: (_, { name }) => (name === 'n2' ? undefined : unschedulable('node(s) were not the second')) };
  const framework: Framework = { profile, plugins: profilePlugins(profile, new Map([...definitions, ['NodeName', definitionOf(onlySecond)]]), () => ({ ...tools, cluster, profile, filters: profileFilters })) };
  const placer = columnPlacer({ framework, search: { percentageOfNodesToScore: 100, rotation: nodeRotation(), random: random('ties') }, columns: clusterColumns(cluster), foreign: new Set(['NodeName']) });
  const outcome = placer.place({ pod: podFacts(podOf('pod')), cluster, memory: new CycleMemory() });
  t.match(outcome, { node: { name: 'n2' }, evaluated: 3, feasible: 1 });
});

t.test('what was not used for longest is forgotten', async (t) => {
  const recent = new RecentlyUsed<string>(2);
  const make = (key: string): string => recent.get(key, () => `made ${key}`);
  make('a');
  make('b');
  make('a');
  make('c');
  t.equal(recent.size, 2);
  t.equal(recent.get('a', () => 'made again'), 'made a');
  t.equal(recent.get('b', () => 'made again'), 'made again');
});
