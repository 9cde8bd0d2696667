// Pods, nodes and a cluster for tests of scheduling. The cluster is the plainest there can be: it keeps lists, and
// everything that a scheduler would keep as a sum is computed when asked.
import { deepFreeze, random, virtualClock } from '../../lib/core/index.js';
import type { ApiObject, Frozen, Labels } from '../../lib/core/index.js';
import type { Container, ContainerImage, Node, Pod, PodSpec, PodStatus, Taint } from '../../lib/core/types/index.js';
import type { Client } from '../../lib/client/index.js';
import { BoundedLog } from '../../lib/scheduling/bounded-log.js';
import type { ClusterChange } from '../../lib/scheduling/cluster/change-log.js';
import type { ClusterView } from '../../lib/scheduling/cluster/cluster-view.js';
import type { CachedKind, CachedKinds, ObjectLister } from '../../lib/scheduling/cluster/object-lister.js';
import { nodeCapacity } from '../../lib/scheduling/cluster/node-capacity.js';
import type { ImageState, NodeCapacity, NodeDraft, NodeView } from '../../lib/scheduling/cluster/node-view.js';
import { CycleState } from '../../lib/scheduling/framework/cycle-state.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { PluginTools } from '../../lib/scheduling/framework/plugin-tools.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import { schedulerConfiguration } from '../../lib/scheduling/public.js';
import type { HostPort } from '../../lib/scheduling/pod/host-ports.js';
import type { NonZeroRequests } from '../../lib/scheduling/pod/requests.js';
import type { PodFacts, ResourceAmounts } from '../../lib/scheduling/public.js';

/** What a test says of a node. */
export interface NodeShape {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly taints?: Taint[];
  readonly unschedulable?: boolean;
  /** Default: 4 cpus, 32 GiB, 110 pods. Given, it is all there is, but for the pods. */
  readonly allocatable?: Record<string, string>;
  readonly images?: ContainerImage[];
  readonly declaredFeatures?: string[];
}

/** A node. */
export function nodeOf(
  name: string,
  { labels = {}, annotations, taints, unschedulable, allocatable, images, declaredFeatures }: NodeShape = {},
): Frozen<Node> {
  return deepFreeze<Node>({
    metadata: { name, uid: `${name}-uid`, labels, ...(annotations && { annotations }) },
    spec: { ...(taints && { taints }), ...(unschedulable !== undefined && { unschedulable }) },
    status: {
      allocatable: { pods: '110', ...(allocatable ?? { cpu: '4', memory: '32Gi' }) },
      ...(images && { images }),
      ...(declaredFeatures && { declaredFeatures }),
    },
  });
}

/** What a test says of a pod. */
export interface PodShape {
  readonly namespace?: string;
  /** Default: made from the name. */
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  /** Of its only container, unless `spec` has others. */
  readonly requests?: Record<string, string>;
  readonly nodeName?: string;
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
  readonly metadata?: Pod['metadata'];
}

/** A pod, in the namespace `ns` unless it says otherwise. */
export function podOf(
  name: string,
  { namespace = 'ns', uid = `${name}-uid`, labels, requests, nodeName, spec, status, metadata }: PodShape = {},
): Frozen<Pod> {
  const container: Container = { name: 'c', ...(requests && { resources: { requests } }) };
  return deepFreeze<Pod>({
    metadata: { name, namespace, uid, ...(labels && { labels }), ...metadata },
    spec: { containers: [container], ...(nodeName !== undefined && { nodeName }), ...spec },
    ...(status && { status }),
  });
}

/** What a cluster begins with. */
export interface ClusterShape {
  readonly nodes?: readonly Frozen<Node>[];
  /** Those with a spec.nodeName; they come to be on that node. */
  readonly pods?: readonly Frozen<Pod>[];
  readonly objects?: { readonly [K in CachedKind]?: readonly Frozen<CachedKinds[K]>[] };
}

/** A cluster that a test changes as it likes. Nodes are looked at in the order in which they came. */
export class TestCluster implements ClusterView {
  readonly objects: TestObjects = new TestObjects();
  readonly changes: BoundedLog<ClusterChange> = new BoundedLog<ClusterChange>();
  readonly nominationChanges: BoundedLog<string> = new BoundedLog<string>();
  #nodes: readonly TestNode[] = [];
  readonly #nominated = new Map<string, PodFacts[]>();
  #generation = 0;
  #slot = 0;

  constructor({ nodes = [], pods = [], objects = {} }: ClusterShape = {}) {
    for (const [kind, list] of Object.entries(objects))
      for (const object of list) this.objects.set(kind as CachedKind, object);
    for (const node of nodes) this.addNode(node);
    for (const pod of pods) this.addPod(pod);
  }

  get nodes(): readonly NodeView[] {
    return this.#nodes;
  }

  get nodesWithAffinity(): ReadonlySet<NodeView> {
    return new Set(this.#nodes.filter(({ podsWithAffinity }) => podsWithAffinity.size > 0));
  }

  node(name: string): NodeView | undefined {
    return this.#nodes.find((each) => each.name === name);
  }

  /** A node that must be there. */
  at(name: string): NodeView {
    return this.#at(name);
  }

  image(name: string): ImageState | undefined {
    const state = this.#imageState(name);
    return state.nodeCount === 0 ? undefined : state;
  }

  claimUses(claim: string): number {
    return this.#nodes.reduce((sum, node) => sum + (node.claimUses.get(claim) ?? 0), 0);
  }

  nominatedTo(nodeName: string): readonly PodFacts[] {
    return this.#nominated.get(nodeName) ?? [];
  }

  nominatedNodes(): Iterable<string> {
    return this.#nominated.keys();
  }

  nominationOf(uid: string): string | undefined {
    return Array.from(this.#nominated).find(([, pods]) => pods.some((pod) => pod.uid === uid))?.[0];
  }

  nominate(pod: Frozen<Pod>, nodeName: string): void {
    this.nominationChanges.add(nodeName);
    this.#nominated.set(nodeName, [...this.nominatedTo(nodeName), podFacts(pod)]);
  }

  /** A new node, or another object of one that is there. */
  addNode(object: Frozen<Node>): NodeView {
    const name = object.metadata?.name ?? '';
    const known = this.#nodes.find((each) => each.name === name);
    const node = known ?? new TestNode(name, this.#slot++, object, (image) => this.#imageState(image));
    node.object = object;
    node.generation = ++this.#generation;
    if (known === undefined) this.#nodes = [...this.#nodes, node];
    this.changes.add({ type: known === undefined ? 'node-added' : 'node-changed', node });
    return node;
  }

  removeNode(name: string): void {
    const node = this.#at(name);
    this.#nodes = this.#nodes.filter((each) => each !== node);
    this.changes.add({ type: 'node-removed', node });
  }

  /** Puts a pod on the node that it names. */
  addPod(pod: Frozen<Pod>): PodFacts {
    const facts = podFacts(pod);
    const node = this.#at(facts.nodeName);
    node.add(facts);
    node.generation = ++this.#generation;
    this.changes.add({ type: 'pod-added', pod: facts, node });
    return facts;
  }

  removePod(pod: Frozen<Pod>): void {
    const facts = podFacts(pod);
    const node = this.#at(facts.nodeName);
    node.remove(facts);
    node.generation = ++this.#generation;
    this.changes.add({ type: 'pod-removed', pod: facts, node });
  }

  #at(name: string): TestNode {
    const found = this.#nodes.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  }

  #imageState(name: string): ImageState {
    const having = this.#nodes.filter(({ object }) =>
      object.status?.images?.some(({ names }) => names?.includes(name)),
    );
    const first = having[0]?.object.status?.images?.find(({ names }) => names?.includes(name));
    return { size: first?.sizeBytes ?? 0, nodeCount: having.length };
  }
}

/** A node of a test cluster, or a copy of one. */
class TestNode implements NodeDraft {
  readonly name: string;
  readonly slot: number;
  generation = 0;
  object: Frozen<Node>;
  readonly #pods: PodFacts[];
  readonly #imageState: (name: string) => ImageState;

  constructor(
    name: string,
    slot: number,
    object: Frozen<Node>,
    imageState: (name: string) => ImageState,
    pods: readonly PodFacts[] = [],
  ) {
    this.name = name;
    this.slot = slot;
    this.object = object;
    this.#imageState = imageState;
    this.#pods = [...pods];
  }

  get labels(): Labels {
    return this.object.metadata?.labels ?? {};
  }

  get taints(): readonly Frozen<Taint>[] {
    return this.object.spec?.taints ?? [];
  }

  get unschedulable(): boolean {
    return this.object.spec?.unschedulable ?? false;
  }

  get allocatable(): NodeCapacity {
    return nodeCapacity(this.object);
  }

  get requested(): ResourceAmounts {
    const scalars = new Map<string, number>();
    for (const { requestsOnNode } of this.#pods)
      for (const [name, amount] of requestsOnNode.scalars) scalars.set(name, (scalars.get(name) ?? 0) + amount);
    return {
      milliCpu: this.#sum(({ requestsOnNode }) => requestsOnNode.milliCpu),
      memory: this.#sum(({ requestsOnNode }) => requestsOnNode.memory),
      ephemeralStorage: this.#sum(({ requestsOnNode }) => requestsOnNode.ephemeralStorage),
      scalars,
    };
  }

  get nonZeroRequested(): NonZeroRequests {
    return {
      milliCpu: this.#sum(({ nonZeroRequestsOnNode }) => nonZeroRequestsOnNode.milliCpu),
      memory: this.#sum(({ nonZeroRequestsOnNode }) => nonZeroRequestsOnNode.memory),
    };
  }

  get podCount(): number {
    return this.#pods.length;
  }

  get pods(): readonly PodFacts[] {
    return this.#pods;
  }

  get podsWithAffinity(): ReadonlySet<PodFacts> {
    return new Set(
      this.#pods.filter(({ affinity, antiAffinity }) =>
        [affinity, antiAffinity].some(({ required, preferred }) => required.length + preferred.length > 0),
      ),
    );
  }

  get podsWithRequiredAntiAffinity(): ReadonlySet<PodFacts> {
    return new Set(this.#pods.filter(({ antiAffinity }) => antiAffinity.required.length > 0));
  }

  get ports(): readonly HostPort[] {
    return this.#pods.flatMap(({ hostPorts }) => hostPorts);
  }

  get images(): ReadonlyMap<string, ImageState> {
    const names = this.object.status?.images?.flatMap((image) => image.names ?? []) ?? [];
    return new Map(names.map((name) => [name, this.#imageState(name)]));
  }

  get claimUses(): ReadonlyMap<string, number> {
    const uses = new Map<string, number>();
    for (const { namespace, volumeClaims } of this.#pods) {
      for (const { claim } of volumeClaims)
        uses.set(`${namespace}/${claim}`, (uses.get(`${namespace}/${claim}`) ?? 0) + 1);
    }
    return uses;
  }

  get attachable(): number {
    return this.#sum(({ attachable }) => attachable);
  }

  add(pod: PodFacts): void {
    this.#pods.push(pod);
  }

  remove({ uid }: PodFacts): void {
    const index = this.#pods.findIndex((each) => each.uid === uid);
    if (index >= 0) this.#pods.splice(index, 1);
  }

  copy(): NodeDraft {
    const copy = new TestNode(this.name, this.slot, this.object, this.#imageState, this.#pods);
    copy.generation = this.generation;
    return copy;
  }

  #sum(amount: (pod: PodFacts) => number): number {
    return this.#pods.reduce((sum, pod) => sum + amount(pod), 0);
  }
}

/** Objects beside pods and nodes. */
export class TestObjects implements ObjectLister {
  readonly #kinds = new Map<CachedKind, Map<string, Frozen<ApiObject>>>();
  readonly #versions = new Map<CachedKind, number>();

  get<K extends CachedKind>(kind: K, key: string): Frozen<CachedKinds[K]> | undefined {
    return this.#of(kind).get(key) as Frozen<CachedKinds[K]> | undefined; // `set` takes only what the kind is for
  }

  list<K extends CachedKind>(kind: K, namespace?: string): readonly Frozen<CachedKinds[K]>[] {
    const all = [...this.#of(kind).values()] as Frozen<CachedKinds[K]>[]; // as above
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata?.namespace === namespace);
  }

  version(kind: CachedKind): number {
    return this.#versions.get(kind) ?? 0;
  }

  set<K extends CachedKind>(kind: K, object: Frozen<CachedKinds[K]>): void {
    this.#of(kind).set(keyOf(object), deepFreeze(object));
    this.#versions.set(kind, this.version(kind) + 1);
  }

  delete(kind: CachedKind, key: string): void {
    this.#of(kind).delete(key);
    this.#versions.set(kind, this.version(kind) + 1);
  }

  #of(kind: CachedKind): Map<string, Frozen<ApiObject>> {
    const known = this.#kinds.get(kind) ?? new Map<string, Frozen<ApiObject>>();
    this.#kinds.set(kind, known);
    return known;
  }
}

/** An attempt to place a pod. */
export function cycleOf(cluster: ClusterView, pod: Frozen<Pod> | PodFacts): Cycle {
  return { pod: 'requests' in pod ? pod : podFacts(pod), cluster, state: new CycleState() };
}

/** What plugins are made with. What a test does not give, and a plugin uses all the same, throws. */
export function toolsOf(cluster: ClusterView, tools: Partial<PluginTools> = {}): PluginTools {
  const profile = schedulerConfiguration().profiles.get('default-scheduler');
  if (profile === undefined) throw new Error('no default profile');
  const notGiven = (what: string) => (): never => {
    throw new Error(`the test gave no ${what}`);
  };
  return {
    client: new Proxy({} as Client, { get: (_, name) => notGiven(`client (${String(name)})`)() }),
    clock: virtualClock(),
    random: random('plugins'),
    profile,
    cluster,
    filters: { filter: notGiven('filters'), addPod: notGiven('filters'), removePod: notGiven('filters') },
    waitingPods: { get: () => undefined, list: () => [], stop: () => false },
    currentPod: (pod) => pod,
    activate: () => undefined,
    nominate: notGiven('nominate'),
    recordEvent: () => undefined,
    recordActivity: () => undefined,
    runInBackground: notGiven('background'),
    ...tools,
  };
}

function keyOf({ metadata }: Frozen<ApiObject>): string {
  const { namespace = '', name = '' } = metadata ?? {};
  return namespace === '' ? name : `${namespace}/${name}`;
}
