// The cluster cache: incremental sums equal recounted ones, the log contains every change, events name what changed,
// and a cluster is watched through its API without missed events or leftovers.
import { NEVER, Subject, concat, merge, takeUntil, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import t, { type Test } from 'tap';
import { inProcessClient, informers } from '../../lib/client/index.js';
import type { Client, KindName, ResourceClient } from '../../lib/client/index.js';
import { deepFreeze, notFound, objectKey, random, tooOldResourceVersion, virtualClock } from '../../lib/core/index.js';
import type { ApiObject, Frozen, VirtualClock } from '../../lib/core/index.js';
import type { Binding, Container, Node, Pod } from '../../lib/core/types/index.js';
import { createClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import type { ClusterCache } from '../../lib/scheduling/cluster/cluster-cache.js';
import { nodeEvents, podEvents } from '../../lib/scheduling/cluster/cluster-events.js';
import { clusterEventHandlers } from '../../lib/scheduling/cluster/cluster-event-handlers.js';
import { watchCluster } from '../../lib/scheduling/cluster/watch-cluster.js';
import type { ClusterWatchEvent, WatchClusterOptions } from '../../lib/scheduling/cluster/watch-cluster.js';
import { nodeCapacity } from '../../lib/scheduling/cluster/node-capacity.js';
import type { NodeView } from '../../lib/scheduling/cluster/node-view.js';
import { createSchedulingQueue } from '../../lib/scheduling/queue/create-queue.js';
import { labelOf } from '../../lib/scheduling/queue/cluster-event.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import { comparePriority } from '../../lib/scheduling/queue/queued-pod.js';
import type { ClusterEvent } from '../../lib/scheduling/queue/cluster-event.js';
import type { PodFacts } from '../../lib/scheduling/public.js';
import type { QueuePlugins, SchedulingQueue } from '../../lib/scheduling/queue/scheduling-queue.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';
import { nodeOf, podOf } from '../support/scheduling.js';
import type { NodeShape, PodShape } from '../support/scheduling.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';

t.test('nodes are ordered by zone in turn', async (t) => {
  const cache = createClusterCache();
  const order = (): string[] => cache.nodes.map(({ name }) => name);
  const add = (name: string, labels: Record<string, string>): void => void cache.setNode(nodeOf(name, { labels }));
  add('a1', { [zone]: 'a' });
  add('a2', { [zone]: 'a' });
  add('none', {});
  add('b1', { [zone]: 'b' });
  add('a3', { [zone]: 'a' });
  add('b2', { [zone]: 'b' });
  t.same(order(), ['a1', 'none', 'b1', 'a2', 'b2', 'a3']);

  const before = cache.nodes;
  cache.setNode(nodeOf('a1', { labels: { [zone]: 'a', colour: 'red' } }));
  t.equal(cache.nodes, before, 'a change that leaves the order leaves the array');
  add('a1', { [zone]: 'b' });
  t.same(order(), ['a2', 'none', 'b1', 'a3', 'b2', 'a1'], 'one that moved stands last in its new zone');
  add('r', { [zone]: 'b', [region]: 'r' });
  t.same(order(), ['a2', 'none', 'b1', 'r', 'a3', 'b2', 'a1'], 'a zone of the same name in another region is another');
  add('old', { [zone]: 'z', 'failure-domain.beta.kubernetes.io/zone': 'b' });
  t.equal(order().at(-1), 'old', 'the label of old wins');
  cache.removeNode('none');
  add('none', {});
  t.same(order().slice(0, 4), ['a2', 'b1', 'r', 'none'], 'a zone that was empty begins anew');
});

t.test('an assumed pod counts at once, and its confirmation is not logged', async (t) => {
  const cache = createClusterCache();
  const node = cache.setNode(nodeOf('n'));
  const pod = podOf('p', { requests: { cpu: '1' }, labels: { app: 'x' } });
  cache.assume(podFacts(pod), 'n');
  t.equal(node.requested.milliCpu, 1000);
  t.ok(cache.isAssumed('p-uid'));
  t.throws(() => cache.assume(podFacts(pod), 'n'), { message: "pod p-uid(ns/p) is in the cache, so can't be assumed" });
  t.same(cache.figures(), { nodes: 1, pods: 1, assumedPods: 1 });

  const { position } = cache.changes;
  const { generation } = node;
  const bound = podOf('p', { requests: { cpu: '1' }, labels: { app: 'x' }, nodeName: 'n' });
  cache.setPod(bound);
  t.equal(cache.changes.position, position);
  t.equal(node.generation, generation);
  t.equal(node.pods[0]?.object, bound, 'but the newest object is shown');
  t.notOk(cache.isAssumed('p-uid'));
  t.notOk(cache.forget('p-uid'), 'what is confirmed cannot be forgotten');
  t.same(cache.figures(), { nodes: 1, pods: 1, assumedPods: 0 });

  cache.setPod(deepFreeze({ ...bound, status: { phase: 'Running' as const, podIP: '10.0.0.1' } }));
  t.equal(cache.changes.position, position, 'nor is what a kubelet reports');
  t.equal(node.pods[0]?.object.status?.phase, 'Running');
  const changes: readonly Frozen<Pod>[] = [
    podOf('p', { nodeName: 'n', requests: { cpu: '1' }, labels: { app: 'y' } }),
    podOf('p', { nodeName: 'n', requests: { cpu: '2' }, labels: { app: 'y' } }),
    podOf('p', { nodeName: 'n', requests: { cpu: '2', 'example.com/gpu': '1' }, labels: { app: 'y' } }),
    podOf('p', { nodeName: 'n', requests: { cpu: '2', 'example.com/gpu': '2' }, labels: { app: 'y' } }),
    podOf('p', {
      nodeName: 'n',
      requests: { cpu: '2', 'example.com/gpu': '2' },
      labels: { app: 'y' },
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    }),
  ];
  for (const changed of changes) {
    const at = cache.changes.position;
    cache.setPod(changed);
    t.same(
      cache.changes.since(at)?.map(({ type }) => type),
      ['pod-removed', 'pod-added'],
    );
  }
});

t.test('a pod bound to another node than assumed moves to that node', async (t) => {
  const cache = createClusterCache();
  const [n, m] = ['n', 'm'].map((name) => cache.setNode(nodeOf(name)));
  cache.removePod(podOf('unknown'));
  cache.assume(podFacts(podOf('q')), 'n');
  t.ok(cache.forget('q-uid'), 'what was assumed can be taken back');
  const { position } = cache.changes;
  cache.assume(podFacts(podOf('p')), 'n');
  cache.setPod(podOf('p', { nodeName: 'm' }));
  t.same([n?.podCount, m?.podCount], [0, 1]);
  t.equal(cache.changes.since(position)?.length, 3);
});

t.test('pods whose node is not cached are invisible until it is added', async (t) => {
  const cache = createClusterCache();
  const claims = { spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] } };
  cache.setPod(podOf('p', { nodeName: 'n', ...claims }));
  t.same(cache.nodes, []);
  t.equal(cache.node('n'), undefined);
  t.equal(cache.claimUses('ns/c'), 0);
  t.equal(cache.changes.position, 0);
  t.same(cache.figures(), { nodes: 1, pods: 1, assumedPods: 0 });

  const first = cache.setNode(nodeOf('n'));
  t.same(
    first.pods.map(({ name }) => name),
    ['p'],
  );
  t.equal(cache.claimUses('ns/c'), 1);
  cache.setPod(podOf('q', { nodeName: 'n' }));
  cache.removeNode('n');
  t.same(
    first.pods.map(({ name }) => name),
    ['p', 'q'],
    'the view of a node that is gone stays as it was',
  );
  t.equal(cache.claimUses('ns/c'), 0);
  cache.removePod(podOf('p'));
  t.same(first.pods.length, 2);
  const again = cache.setNode(nodeOf('n'));
  t.not(again, first);
  t.same(
    again.pods.map(({ name }) => name),
    ['q'],
  );
  cache.removeNode('n');
  cache.removePod(podOf('q'));
  t.same(cache.figures(), { nodes: 0, pods: 0, assumedPods: 0 });
  t.same(
    cache.changes.since(0)?.map(({ type }) => type),
    ['node-added', 'pod-added', 'node-removed', 'node-added', 'node-removed'],
  );
});

t.test('sums stay correct with amounts beyond 2^53', async (t) => {
  // Even numbers: added to the largest amount, which is odd, the sum is not exact.
  const small = podOf('small', {
    nodeName: 'n',
    spec: {
      containers: [
        {
          name: 'c',
          resources: { requests: { memory: '4', cpu: '2m', 'ephemeral-storage': '6', 'example.com/gpu': '8' } },
        },
      ],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    },
  });
  for (const requests of [
    { memory: '8E' },
    { cpu: '9P' },
    { 'ephemeral-storage': '8E' },
    { 'example.com/gpu': '9E' },
  ]) {
    const cache = createClusterCache();
    const node = cache.setNode(nodeOf('n'));
    cache.setPod(small);
    const before = shownOf(node);
    const huge = podOf('huge', { nodeName: 'n', requests });
    cache.setPod(huge);
    cache.removePod(huge);
    t.strictSame(shownOf(node), before, Object.keys(requests).join());
  }
});

t.test('a heartbeat is not a change of a node, but fields that plugins read are', async (t) => {
  const cache = createClusterCache();
  const heartbeat = (second: number, status = 'True'): Frozen<Node> =>
    deepFreeze<Node>({
      ...nodeOf('n'),
      status: {
        ...nodeOf('n').status,
        conditions: [{ type: 'Ready', status: status as 'True', lastHeartbeatTime: `2026-01-01T00:00:0${second}Z` }],
      },
    } as Node);
  const node = cache.setNode(heartbeat(0));
  const later = heartbeat(1);
  const { generation } = node;
  cache.setNode(later);
  t.equal(cache.changes.position, 1);
  t.equal(node.generation, generation);
  t.equal(node.object, later);
  for (const changed of [
    heartbeat(2, 'False'),
    nodeOf('n', { unschedulable: true }),
    nodeOf('n', { images: [{ names: ['i'], sizeBytes: 1 }] }),
  ]) {
    const {
      changes: { position },
    } = cache;
    const before = node.generation;
    cache.setNode(changed);
    t.equal(cache.changes.position, position + 1);
    t.ok(node.generation > before);
  }
});

t.test('a change to a draft does not affect its origin', async (t) => {
  const cache = createClusterCache();
  const node = cache.setNode(nodeOf('n'));
  const antiAffinity = {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: {} }] },
  };
  const container: Container = {
    name: 'c',
    ports: [{ containerPort: 80, hostPort: 80 }],
    resources: { requests: { 'example.com/gpu': '1' } },
  };
  const shape: PodShape = {
    nodeName: 'n',
    spec: {
      containers: [container],
      affinity: antiAffinity,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    },
  };
  cache.setPod(podOf('p', shape));
  const shown = (view: NodeView): unknown => [
    view.podCount,
    view.podsWithAffinity.size,
    view.podsWithRequiredAntiAffinity.size,
    view.ports.length,
    view.requested.scalars.get('example.com/gpu') ?? 0,
    view.claimUses.get('ns/c') ?? 0,
    view.attachable,
  ];
  const draft = node.copy();
  t.same(shownOf(draft), shownOf(node), 'it says the same at first');
  t.equal(draft.generation, node.generation);
  draft.remove(podFacts(podOf('another object of it', { uid: 'p-uid' })));
  t.same(shown(draft), [0, 0, 0, 0, 0, 0, 0]);
  t.ok(draft.generation > node.generation);
  t.same(shown(node), [1, 1, 1, 1, 1, 1, 1]);
  draft.add(podFacts(podOf('p', shape)));
  draft.add(podFacts(podOf('q', shape)));
  t.same(shown(draft), [2, 2, 2, 2, 2, 2, 2]);
  t.same(shown(node), [1, 1, 1, 1, 1, 1, 1]);
  draft.remove(podFacts(podOf('stranger')));
  t.same(shown(draft), [2, 2, 2, 2, 2, 2, 2]);
});

t.test('a re-delivered pod that is equal for scheduling replaces the object without a change', async (t) => {
  const cache = createClusterCache();
  const node = cache.setNode(nodeOf('n'));
  const antiAffinity = {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: {} }] },
  };
  const delivered = (phase: 'Pending' | 'Running', podIP = ''): Frozen<Pod> =>
    podOf('p', { nodeName: 'n', spec: { affinity: antiAffinity }, status: { phase, podIP } });
  cache.setPod(delivered('Pending'));
  const { generation } = node;
  for (const newest of [delivered('Running'), delivered('Running', '10.0.0.1')]) {
    cache.setPod(newest);
    t.equal(cache.placed('p-uid')?.facts.object, newest);
  }
  t.equal(node.generation, generation);
  for (const pods of [node.pods, node.podsWithAffinity, node.podsWithRequiredAntiAffinity])
    t.same(
      Array.from(pods, ({ object }) => object.status?.phase),
      ['Running'],
    );
  cache.removePod(delivered('Running'));
  t.same([node.podCount, node.podsWithAffinity.size, node.podsWithRequiredAntiAffinity.size], [0, 0, 0]);
});

t.test('a pod update that affects other pods is a change of its node', async (t) => {
  const asking = (requests: Record<string, string>): PodShape => ({
    spec: { containers: [{ name: 'c', resources: { requests } }] },
  });
  const claim: PodShape = { spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] } };
  const cases: readonly (readonly [what: string, before: PodShape, after: PodShape])[] = [
    [
      'when it started',
      { status: { startTime: '2026-01-01T00:00:00Z' } },
      { status: { startTime: '2026-01-02T00:00:00Z' } },
    ],
    ['how important it is', { spec: { priority: 1 } }, { spec: { priority: 2 } }],
    ['that it is on its way out', {}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['its labels', { labels: { app: 'a' } }, { labels: { app: 'b' } }],
    // Scoring assumes default requests unless a request is zero.
    ['its cpu, where it counts as before', asking({}), asking({ cpu: '100m' })],
    ['its memory, where it counts as before', asking({}), asking({ memory: '200Mi' })],
    ['what its cpu counts for', asking({ cpu: '0' }), asking({})],
    ['what its memory counts for', asking({ memory: '0' }), asking({})],
    [
      'the claims made for it',
      claim,
      { ...claim, status: { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'made' }] } },
    ],
  ];
  for (const [what, before, after] of cases) {
    const cache = createClusterCache();
    const node = cache.setNode(nodeOf('n'));
    cache.setPod(podOf('p', { nodeName: 'n', ...before }));
    const { generation } = node;
    cache.setPod(podOf('p', { nodeName: 'n', ...after }));
    t.ok(node.generation > generation, what);
  }
});

/** A model that stores only its inputs and counts on demand. */
class NaiveCluster {
  readonly nodes = new Map<string, Frozen<Node>>();
  readonly pods = new Map<string, { facts: PodFacts; nodeName: string; assumed: boolean }>();
  readonly zones: [string, string[]][] = [];
  readonly sizes = new Map<string, number>();

  setNode(node: Frozen<Node>): void {
    const name = node.metadata?.name ?? '';
    const before = this.nodes.get(name);
    this.nodes.set(name, node);
    const key = JSON.stringify([node.metadata?.labels?.[zone], node.metadata?.labels?.[region]]);
    if (before === undefined || !(this.zones.find(([zoneOf]) => zoneOf === key)?.[1].includes(name) ?? false)) {
      this.#leaveZone(name);
      const found = this.zones.find(([zoneOf]) => zoneOf === key);
      if (found === undefined) this.zones.push([key, [name]]);
      else found[1].push(name);
    }
    // An image has the size that its first node reported, until no node has it.
    if (JSON.stringify(before?.status?.images ?? []) === JSON.stringify(node.status?.images ?? [])) return;
    this.#forgetSizes(name);
    for (const { names = [], sizeBytes = 0 } of node.status?.images ?? [])
      for (const image of names) if (!this.sizes.has(image)) this.sizes.set(image, sizeBytes);
  }

  removeNode(name: string): void {
    this.nodes.delete(name);
    this.#leaveZone(name);
    this.#forgetSizes(name);
  }

  order(): string[] {
    const longest = Math.max(0, ...this.zones.map(([, names]) => names.length));
    return Array.from({ length: longest }, (_, turn) =>
      this.zones.flatMap(([, names]) => names.slice(turn, turn + 1)),
    ).flat();
  }

  imageCount(image: string): number {
    return [...this.nodes.values()].filter((node) => imagesOf(node).includes(image)).length;
  }

  on(nodeName: string): PodFacts[] {
    return [...this.pods.values()].filter((pod) => pod.nodeName === nodeName).map(({ facts }) => facts);
  }

  #leaveZone(name: string): void {
    for (const [at, [, names]] of [...this.zones.entries()].reverse()) {
      if (!names.includes(name)) continue;
      names.splice(names.indexOf(name), 1);
      if (names.length === 0) this.zones.splice(at, 1);
    }
  }

  /** Size of images that only this node has. */
  #forgetSizes(name: string): void {
    for (const image of this.sizes.keys()) {
      if (![...this.nodes].some(([other, node]) => other !== name && imagesOf(node).includes(image)))
        this.sizes.delete(image);
    }
  }
}

const imagesOf = ({ status }: Frozen<Node>): readonly string[] =>
  (status?.images ?? []).flatMap(({ names }) => names ?? []);

/** All visible values of a node, in an order independent of its history. */
function shownOf(view: NodeView): unknown {
  const { requested, nonZeroRequested } = view;
  return {
    object: view.object,
    labels: view.labels,
    taints: view.taints,
    unschedulable: view.unschedulable,
    allocatable: view.allocatable,
    requested: { ...requested, scalars: sorted(requested.scalars) },
    nonZeroRequested: { ...nonZeroRequested },
    pods: view.pods.map(({ uid, object }) => [uid, object]).sort(),
    affine: [...view.podsWithAffinity].map(({ uid }) => uid).sort(),
    opposed: [...view.podsWithRequiredAntiAffinity].map(({ uid }) => uid).sort(),
    ports: view.ports.map(({ port }) => port).sort(),
    images: sorted(new Map([...view.images].map(([name, { size, nodeCount }]) => [name, [size, nodeCount]]))),
    claims: sorted(view.claimUses),
    attachable: view.attachable,
  };
}

function countedOf(naive: NaiveCluster, node: Frozen<Node>): unknown {
  const pods = naive.on(node.metadata?.name ?? '');
  const sum = (amount: (pod: PodFacts) => number): number => pods.reduce((total, pod) => total + amount(pod), 0);
  const scalars = new Map<string, number>();
  for (const { requestsOnNode } of pods)
    for (const [name, amount] of requestsOnNode.scalars) scalars.set(name, (scalars.get(name) ?? 0) + amount);
  const claims = new Map<string, number>();
  for (const { namespace, volumeClaims } of pods)
    for (const { claim } of volumeClaims)
      claims.set(`${namespace}/${claim}`, (claims.get(`${namespace}/${claim}`) ?? 0) + 1);
  return {
    object: node,
    labels: node.metadata?.labels ?? {},
    taints: node.spec?.taints ?? [],
    unschedulable: node.spec?.unschedulable ?? false,
    allocatable: nodeCapacity(node),
    requested: {
      milliCpu: sum(({ requestsOnNode }) => requestsOnNode.milliCpu),
      memory: sum(({ requestsOnNode }) => requestsOnNode.memory),
      ephemeralStorage: sum(({ requestsOnNode }) => requestsOnNode.ephemeralStorage),
      scalars: sorted(scalars),
    },
    nonZeroRequested: {
      milliCpu: sum(({ nonZeroRequestsOnNode }) => nonZeroRequestsOnNode.milliCpu),
      memory: sum(({ nonZeroRequestsOnNode }) => nonZeroRequestsOnNode.memory),
    },
    pods: pods.map(({ uid, object }) => [uid, object]).sort(),
    affine: pods
      .filter(({ antiAffinity }) => antiAffinity.required.length > 0)
      .map(({ uid }) => uid)
      .sort(),
    opposed: pods
      .filter(({ antiAffinity }) => antiAffinity.required.length > 0)
      .map(({ uid }) => uid)
      .sort(),
    ports: pods.flatMap(({ hostPorts }) => hostPorts.map(({ port }) => port)).sort(),
    images: sorted(new Map(imagesOf(node).map((name) => [name, [naive.sizes.get(name), naive.imageCount(name)]]))),
    claims: sorted(claims),
    attachable: sum(({ volumeClaims }) => volumeClaims.length),
  };
}

const sorted = <V>(map: ReadonlyMap<string, V>): [string, V][] =>
  [...map].filter(([, value]) => value !== 0).sort(([a], [b]) => (a < b ? -1 : 1));

/** The state of a reader of the log, and its view of a node and a pod. */
class LogReader {
  readonly nodes = new Map<NodeView, { labels: unknown; pods: Map<string, unknown> }>();
  #position = 0;

  /** False if the reader fell behind. */
  catchUp({ changes, nodes }: ClusterCache): boolean {
    const since = changes.since(this.#position);
    this.#position = changes.position;
    if (since === undefined) {
      this.nodes.clear();
      for (const node of nodes) this.nodes.set(node, read(node));
      return false;
    }
    for (const change of since) {
      const { node } = change;
      const known = this.nodes.get(node);
      if (change.type === 'node-removed') this.nodes.delete(node);
      else if (change.type === 'node-added') this.nodes.set(node, read(node));
      else if (change.type === 'pod-added') known?.pods.set(change.pod.uid, meaningOf(change.pod));
      else if (change.type === 'pod-removed') known?.pods.delete(change.pod.uid);
      else if (known !== undefined) known.labels = node.labels;
    }
    return true;
  }
}

const read = (node: NodeView): { labels: unknown; pods: Map<string, unknown> } => ({
  labels: node.labels,
  pods: new Map(node.pods.map((pod) => [pod.uid, meaningOf(pod)])),
});
const meaningOf = ({ labels, requestsOnNode, terminating, priority }: PodFacts): unknown => ({
  labels,
  cpu: requestsOnNode.milliCpu,
  terminating,
  priority,
});

type Step =
  | { readonly do: 'node'; readonly name: string; readonly shape: NodeShape }
  | { readonly do: 'no-node'; readonly name: string }
  | { readonly do: 'pod' | 'assume'; readonly name: string; readonly node: string; readonly shape: PodShape }
  | { readonly do: 'no-pod' | 'forget'; readonly name: string }
  | { readonly do: 'read' };

const nodeName = fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5');
const podName = fc.constantFrom('p1', 'p2', 'p3', 'p4', 'p5', 'p6');
const nodeShape: fc.Arbitrary<NodeShape> = fc
  .record({
    zone: fc.constantFrom('a', 'b', undefined),
    colour: fc.constantFrom('red', 'blue'),
    images: fc.subarray(['i', 'j', 'k']),
    size: fc.integer({ min: 1, max: 3 }),
    unschedulable: fc.boolean(),
  })
  .map(({ zone: zoneName, colour, images, size, unschedulable }) => ({
    labels: { colour, ...(zoneName !== undefined && { [zone]: zoneName }) },
    ...(colour === 'red' && { taints: [{ key: 'red', effect: 'NoSchedule' as const }] }),
    ...(unschedulable && { unschedulable }),
    allocatable: { cpu: `${size}`, memory: '1Gi' },
    images: images.map((name) => ({ names: [name, `${name}:twice`, name], ...(size < 3 && { sizeBytes: size }) })),
  }));
const podShape: fc.Arbitrary<PodShape> = fc
  .record({
    app: fc.constantFrom('x', 'y'),
    cpu: fc.constantFrom('1', '2'),
    gpu: fc.constantFrom(undefined, '0', '1'),
    isTerminating: fc.boolean(),
    priority: fc.constantFrom(0, 5),
    isPlain: fc.boolean(),
    phase: fc.constantFrom('Pending', 'Running'),
  })
  .map(({ app, cpu, gpu, isTerminating, priority, isPlain, phase }) => ({
    labels: { app },
    metadata: isTerminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {},
    status: { phase: phase as 'Pending' },
    spec: {
      priority,
      containers: [
        {
          name: 'c',
          resources: { requests: { cpu, ...(gpu !== undefined && { 'example.com/gpu': gpu }) } },
          ...(!isPlain && { ports: [{ containerPort: 80, hostPort: 80 }] }),
        },
      ],
      ...(!isPlain && {
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: {} }],
          },
        },
      }),
    },
  }));
/** Immutable fields of a pod with a node are drawn once per pod. */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('node' as const), name: nodeName, shape: nodeShape }),
    fc.record({ do: fc.constant('no-node' as const), name: nodeName }),
    fc.record({
      do: fc.constantFrom('pod' as const, 'pod' as const, 'assume' as const),
      name: podName,
      node: nodeName,
      shape: podShape,
    }),
    fc.record({ do: fc.constantFrom('no-pod' as const, 'forget' as const), name: podName }),
    fc.constant({ do: 'read' as const }),
  ),
  { minLength: 20, maxLength: 80, size: 'max' },
);

t.test('after any history sums equal a recount, and the log contains all changes', async (t) => {
  let [late, inTime] = [0, 0];
  fc.assert(
    fc.property(steps, fc.integer({ min: 2, max: 12 }), (history, changesMax) => {
      const cache = createClusterCache({ changesMax });
      const naive = new NaiveCluster();
      const reader = new LogReader();
      const fixed = new Map<string, PodShape>();
      let incarnation = 0;
      for (const step of history) {
        if (step.do === 'node') {
          const node = nodeOf(step.name, step.shape);
          cache.setNode(node);
          naive.setNode(node);
        } else if (step.do === 'no-node') {
          cache.removeNode(step.name);
          naive.removeNode(step.name);
        } else if (step.do === 'pod' || step.do === 'assume') {
          const known = [...naive.pods.values()].find(({ facts }) => facts.name === step.name);
          if (step.do === 'assume' && known !== undefined) continue;
          const uid = known?.facts.uid ?? `${step.name}-${(incarnation += 1)}`;
          const own = fixed.get(uid) ?? step.shape;
          fixed.set(uid, own);
          const isMoving = known === undefined || known.assumed;
          const to = isMoving ? step.node : known.nodeName;
          const { volumes = [], affinity = {} } = own.spec ?? {};
          const [container] = step.shape.spec?.containers ?? [];
          const [{ ports = [] } = {}] = own.spec?.containers ?? [];
          const shape: PodShape = {
            ...step.shape,
            uid,
            spec: { ...step.shape.spec, volumes, affinity, containers: [{ name: 'c', ...container, ports }] },
            ...(step.do === 'pod' && { nodeName: to }),
          };
          const pod = podOf(step.name, shape);
          if (step.do === 'pod') cache.setPod(pod);
          else cache.assume(podFacts(pod), to);
          naive.pods.set(uid, { facts: podFacts(pod), nodeName: to, assumed: step.do === 'assume' });
        } else if (step.do === 'read') {
          if (reader.catchUp(cache)) inTime += 1;
          else late += 1;
          sameAsRead(reader, cache);
          sameAsCounted(cache, naive);
        } else {
          const known = [...naive.pods.values()].find(({ facts }) => facts.name === step.name);
          if (known === undefined) continue;
          const isForgetting = step.do === 'forget';
          if (isForgetting) cache.forget(known.facts.uid);
          else cache.removePod(known.facts.object);
          if (!isForgetting || known.assumed) naive.pods.delete(known.facts.uid);
        }
      }
      sameAsCounted(cache, naive);
      reader.catchUp(cache);
      sameAsRead(reader, cache);
    }),
    { numRuns: runs(100) },
  );
  t.ok(
    late >= seenAtLeast(20) && inTime >= seenAtLeast(400),
    `the log was read in time ${inTime} times and too late ${late} times`,
  );
});

function sameAsCounted(cache: ClusterCache, naive: NaiveCluster): void {
  same(
    cache.nodes.map(({ name }) => name),
    naive.order(),
  );
  for (const node of naive.nodes.values()) {
    const view = cache.node(node.metadata?.name ?? '');
    same(view === undefined ? undefined : shownOf(view), countedOf(naive, node));
  }
  const slots = cache.nodes.map(({ slot }) => slot);
  same(new Set(slots).size, slots.length);
  same(
    slots.every((slot) => slot < 5),
    true,
  );
  const visible = [...naive.pods.values()].filter((pod) => naive.nodes.has(pod.nodeName));
  const namesOf = (nodes: Iterable<NodeView>): readonly string[] => Array.from(nodes, ({ name }) => name).sort();
  same(
    namesOf(cache.nodesWithAffinity),
    namesOf(cache.nodes.filter(({ podsWithAffinity }) => podsWithAffinity.size > 0)),
  );
  same(cache.claimUses('ns/c'), visible.filter(({ facts }) => facts.volumeClaims.length > 0).length);
  same(cache.image('i')?.nodeCount ?? 0, naive.imageCount('i'));
  const unseen = new Set([...naive.pods.values()].map((pod) => pod.nodeName).filter((name) => !naive.nodes.has(name)));
  same(cache.figures(), {
    nodes: naive.nodes.size + unseen.size,
    pods: naive.pods.size,
    assumedPods: [...naive.pods.values()].filter(({ assumed }) => assumed).length,
  });
}

function sameAsRead(reader: LogReader, cache: ClusterCache): void {
  const delivered = [...reader.nodes].map(([node, { labels, pods }]) => [node.name, labels, [...pods].sort()]);
  const shown = cache.nodes.map((node) => [node.name, node.labels, [...read(node).pods].sort()]);
  same(delivered.sort(), shown.sort());
}

function same(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`found ${left}\nwanted ${right}`);
}

t.test('an update of a node is one event for each aspect that changed', async (t) => {
  const base: NodeShape = {
    labels: { a: '1' },
    annotations: { a: '1' },
    taints: [{ key: 'k', effect: 'NoSchedule' }],
    allocatable: { cpu: '1' },
    declaredFeatures: ['F'],
  };
  const ready = (node: Frozen<Node>, status: string, time: string): Frozen<Node> => ({
    ...node,
    status: { ...node.status, conditions: [{ type: 'Ready', status: status as 'True', lastHeartbeatTime: time }] },
  });
  const old = ready(nodeOf('n', base), 'True', '1');
  const cases: readonly (readonly [string, Frozen<Node>, readonly string[]])[] = [
    ['nothing', ready(nodeOf('n', base), 'True', '1'), []],
    ['a heartbeat', ready(nodeOf('n', base), 'True', '2'), []],
    ['images', ready(nodeOf('n', { ...base, images: [{ names: ['i'] }] }), 'True', '1'), []],
    [
      'allocatable',
      ready(nodeOf('n', { ...base, allocatable: { cpu: '2' } }), 'True', '1'),
      ['NodeUpdateNodeAllocatable'],
    ],
    ['labels', ready(nodeOf('n', { ...base, labels: {} }), 'True', '1'), ['NodeUpdateNodeLabel']],
    ['taints', ready(nodeOf('n', { ...base, taints: [] }), 'True', '1'), ['NodeUpdateNodeTaint']],
    ['a condition', ready(nodeOf('n', base), 'False', '1'), ['NodeUpdateNodeCondition']],
    [
      'annotations',
      ready(nodeOf('n', { ...base, annotations: { a: '2' } }), 'True', '1'),
      ['NodeUpdateNodeAnnotation'],
    ],
    [
      'features',
      ready(nodeOf('n', { ...base, declaredFeatures: ['F', 'G'] }), 'True', '1'),
      ['NodeUpdateNodeDeclaredFeature'],
    ],
    ['cordoned', ready(nodeOf('n', { ...base, unschedulable: true }), 'True', '1'), []],
    [
      'several',
      ready(nodeOf('n', { ...base, labels: {}, taints: [] }), 'False', '9'),
      ['NodeUpdateNodeLabel', 'NodeUpdateNodeTaint', 'NodeUpdateNodeCondition'],
    ],
  ];
  for (const [name, node, events] of cases) t.same(nodeEvents(old, node).map(labelOf), events, name);
  t.same(
    nodeEvents(nodeOf('n', { unschedulable: true }), nodeOf('n')).map(labelOf),
    ['NodeUpdateNodeTaint'],
    'to become schedulable is a taint less',
  );
  t.same(
    nodeEvents(
      { metadata: {} },
      { metadata: { labels: {}, annotations: {} }, spec: { taints: [] }, status: { allocatable: {}, conditions: [] } },
    ),
    [],
    'absent is empty',
  );
});

t.test('an update of a pod is one event for each aspect that changed, or the general one', async (t) => {
  const requests = { cpu: '2', 'example.com/gpu': '2' };
  const old = podOf('p', {
    requests,
    labels: { a: '1' },
    spec: { schedulingGates: [{ name: 'g' }, { name: 'h' }], containers: [{ name: 'c', resources: { requests } }] },
  });
  const change = ({ spec, ...shape }: PodShape): Frozen<Pod> =>
    podOf('p', { labels: { a: '1' }, ...shape, spec: { ...old.spec, ...spec } as NonNullable<PodShape['spec']> });
  const asking = (...amounts: [string, string]): PodShape => ({
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: amounts[0], 'example.com/gpu': amounts[1] } } }] },
  });
  const cases: readonly (readonly [string, Frozen<Pod>, readonly string[]])[] = [
    ['a condition', change({ status: { conditions: [{ type: 'PodScheduled', status: 'False' }] } }), ['Update']],
    ['labels', change({ labels: {} }), ['UpdatePodLabel']],
    ['less cpu', change(asking('1', '2')), ['UpdatePodScaleDown']],
    ['fewer devices', change(asking('2', '1')), ['UpdatePodScaleDown']],
    [
      'no devices',
      change({ spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } }),
      ['UpdatePodScaleDown'],
    ],
    ['more', change(asking('3', '3')), ['Update']],
    ['one gate less', change({ spec: { schedulingGates: [{ name: 'g' }] } }), ['Update']],
    ['no gates', change({ spec: { schedulingGates: [] } }), ['UpdatePodSchedulingGatesEliminated']],
    ['a toleration', change({ spec: { tolerations: [{ key: 'k' }] } }), ['UpdatePodToleration']],
    [
      'a claim was made',
      change({ status: { resourceClaimStatuses: [{ name: 'd', resourceClaimName: 'd-1' }] } }),
      ['UpdatePodGeneratedResourceClaim'],
    ],
    [
      'several',
      change({ labels: {}, spec: { schedulingGates: [] } }),
      ['UpdatePodLabel', 'UpdatePodSchedulingGatesEliminated'],
    ],
  ];
  for (const [name, pod, events] of cases) {
    t.same(
      podEvents(old, pod).map(labelOf),
      events.map((event) => `UnschedulablePod${event}`),
      name,
    );
    const assigned = deepFreeze<Pod>({ ...pod, spec: { ...pod.spec, nodeName: 'n' } } as Pod);
    t.same(
      podEvents(old, assigned).map(labelOf),
      events.map((event) => `AssignedPod${event}`),
      `${name}, on a node`,
    );
  }
  const resized = (cpu: string): Frozen<Pod> =>
    deepFreeze({
      ...podOf('p', { nodeName: 'n', requests: { cpu: '1' } }),
      status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu } } }] },
    } as unknown as Pod); // a status with the relevant fields
  t.same(
    podEvents(resized('3'), resized('2')).map(labelOf),
    ['AssignedPodUpdatePodScaleDown'],
    'what its node has given back counts',
  );
});

/** A queue that records its calls. */
function recordingQueue(clock: VirtualClock): { readonly queue: SchedulingQueue; readonly calls: string[] } {
  const calls: string[] = [];
  const plugins: QueuePlugins = {
    registrations: new Map(),
    compare: comparePriority,
    preEnqueue: (pod) => {
      if (pod.metadata?.labels?.throws !== undefined) throw new Error('a gate fell off');
      return undefined;
    },
    hint: () => 'queue',
  };
  const real = createSchedulingQueue({ clock, plugins });
  const nameOf = (object: unknown): string => (object as ApiObject | undefined)?.metadata?.name ?? 'nothing';
  const queue: SchedulingQueue = {
    ...methodsOf(real),
    add: (pod) => {
      calls.push(`add ${nameOf(pod)}`);
      real.add(pod);
    },
    update: (old, pod, events) => {
      calls.push(`update ${nameOf(pod)} ${events.map(labelOf).join()}`);
      real.update(old, pod, events);
    },
    delete: (pod, options) => {
      calls.push(`delete ${nameOf(pod)}${options?.bound === true ? ' bound' : ''}`);
      real.delete(pod, options);
    },
    moveOnEvent: (event: ClusterEvent, old, current, options) => {
      calls.push(`move ${labelOf(event)} ${nameOf(old)} ${nameOf(current)}`);
      real.moveOnEvent(event, old, current, options);
    },
  };
  return { queue, calls };
}

/** The methods that are not recorded. */
function methodsOf(queue: SchedulingQueue): Omit<SchedulingQueue, 'add' | 'update' | 'delete' | 'moveOnEvent'> {
  return {
    pop: () => queue.pop(),
    ready: () => queue.ready(),
    release: (pod) => queue.release(pod),
    done: (pod) => queue.done(pod),
    requeueFailed: (pod, failure) => queue.requeueFailed(pod, failure),
    activate: (pods) => queue.activate(pods),
    nominate: (pod, name) => queue.nominate(pod, name),
    removeNomination: (pod, name) => queue.removeNomination(pod, name),
    nominatedTo: (name) => queue.nominatedTo(name),
    nominatedNodes: () => queue.nominatedNodes(),
    nominationOf: (uid) => queue.nominationOf(uid),
    nominationChanges: queue.nominationChanges,
    find: (pod) => queue.find(pod),
    figures: () => queue.figures(),
    run: () => queue.run(),
  };
}

const ourScheduler = (name: string): boolean => name === 'default-scheduler';

t.test('a change updates the cache and calls the queue', async (t) => {
  const { queue, calls } = recordingQueue(virtualClock());
  const cache = createClusterCache({ nominations: queue });
  const waiting = new Set<string>();
  const handlers = clusterEventHandlers({
    cache,
    queue,
    isResponsible: ourScheduler,
    rejectWaiting: (uid) => waiting.has(uid),
  });
  const took = (): string[] => calls.splice(0);
  const rv = (resourceVersion: string): Pick<PodShape, 'metadata'> => ({ metadata: { resourceVersion } });
  const deleted = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const theirs: PodShape = { spec: { containers: [], schedulerName: 'another' } };

  handlers.node(undefined, nodeOf('n'));
  t.same(took(), ['move NodeAdd nothing n']);
  handlers.node(nodeOf('n'), nodeOf('n', { labels: { a: '1' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }));
  t.same(took(), ['move NodeUpdateNodeLabel n n', 'move NodeUpdateNodeTaint n n']);

  const pod = podOf('p', rv('1'));
  handlers.pod(undefined, pod);
  t.same(took(), ['add p']);
  handlers.pod(pod, podOf('p', { ...rv('2'), labels: { a: '1' } }));
  t.same(took(), ['update p UnschedulablePodUpdatePodLabel'], 'an update of a waiting pod concerns that pod alone');
  const bound = podOf('p', { ...rv('3'), nodeName: 'n' });
  handlers.pod(pod, bound);
  t.same(took(), ['delete p bound', 'move AssignedPodAdd nothing p']);
  t.equal(cache.node('n')?.podCount, 1);
  handlers.pod(bound, podOf('p', { ...rv('4'), nodeName: 'n', labels: { a: '2' } }));
  t.same(took(), ['move AssignedPodUpdatePodLabel p p']);
  handlers.pod(bound, undefined);
  t.same(took(), ['move AssignedPodDelete p nothing']);
  t.equal(cache.node('n')?.podCount, 0);

  handlers.pod(undefined, podOf('other', theirs));
  handlers.pod(podOf('other', theirs), podOf('other', { ...theirs, labels: { a: '1' } }));
  t.same(took(), [], 'pods of other schedulers are theirs');
  handlers.pod(podOf('other', theirs), podOf('other', { ...theirs, nodeName: 'n' }));
  t.same(took(), ['move AssignedPodAdd nothing other'], 'until they have a node');
  handlers.pod(podOf('other', { ...theirs, nodeName: 'n' }), undefined);
  handlers.pod(podOf('other', theirs), undefined);
  t.same(took(), ['move AssignedPodDelete other nothing']);

  for (const isWaiting of [false, true]) {
    const name = isWaiting ? 'at-permit' : 'past-permit';
    if (isWaiting) waiting.add(`${name}-uid`);
    handlers.pod(undefined, podOf(name));
    cache.assume(podFacts(podOf(name)), 'n');
    handlers.pod(podOf(name), podOf(name, { labels: { a: '1' } }));
    t.same(took(), [`add ${name}`], 'what changes on an assumed pod waits for its confirmation');
    handlers.pod(podOf(name), podOf(name, deleted));
    t.same(took(), [`move AssignedPodDelete ${name} nothing`]);
    t.equal(cache.isAssumed(`${name}-uid`), isWaiting, 'one that waits at Permit is taken back by its own failure');
    handlers.pod(podOf(name, deleted), podOf(name, { ...deleted, labels: { a: '1' } }));
    handlers.pod(podOf(name, deleted), undefined);
    t.same(
      took(),
      isWaiting
        ? [`delete ${name}`, `move AssignedPodDelete ${name} nothing`]
        : [`update ${name} UnschedulablePodUpdatePodLabel`, `delete ${name}`],
    );
    cache.forget(`${name}-uid`);
  }

  handlers.pod(undefined, podOf('quick'));
  cache.assume(podFacts(podOf('quick')), 'n');
  handlers.pod(podOf('quick', { nodeName: 'n' }), undefined);
  t.same(
    took(),
    ['add quick', 'delete quick bound', 'move AssignedPodDelete quick nothing'],
    'bound and deleted before the first event arrived',
  );
  t.same(cache.figures(), { nodes: 1, pods: 0, assumedPods: 0 });

  handlers.object('storage.k8s.io/CSINode', undefined, nodeOf('c'));
  handlers.object('storage.k8s.io/CSINode', nodeOf('c'), nodeOf('c'));
  handlers.object('storage.k8s.io/CSINode', nodeOf('c'), undefined);
  t.same(took(), [
    'move storage.k8s.io/CSINodeAdd nothing c',
    'move storage.k8s.io/CSINodeUpdate c c',
    'move storage.k8s.io/CSINodeDelete c nothing',
  ]);
  handlers.node(nodeOf('n'), undefined);
  t.same(took(), ['move NodeDelete n nothing']);
  t.equal(cache.node('n'), undefined);
});

interface Following {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly calls: string[];
  readonly news: ClusterWatchEvent[];
  /** Ends every running watch of pods with an expired revision. */
  cutPods(): void;
  readonly follow$: Observable<ClusterWatchEvent>;
  /** Unsubscribes. */
  stop(): void;
}

/** A server and a watch of it. */
function following(
  t: Test,
  options: Partial<WatchClusterOptions> & { readonly wrap?: (client: Client) => Client } = {},
): Following {
  const clock = virtualClock();
  const server = createServer({ store: memoryStore({ clock }), clock, random: random(1) });
  t.teardown(() => server.close());
  const client = inProcessClient(server.handler);
  const { queue, calls } = recordingQueue(clock);
  const cache = createClusterCache({ nominations: queue });
  const news: ClusterWatchEvent[] = [];
  const cut$ = new Subject<never>();
  const { wrap = (each) => each, ...rest } = options;
  const seen = wrap(withPods(client, (pods) => interrupted(pods, cut$)));
  const follow$ = watchCluster({
    informers: informers(seen, { clock, random: random(2) }),
    cache,
    queue,
    isResponsible: ourScheduler,
    rejectWaiting: () => false,
    ...rest,
  });
  const subscription = observe(follow$, (each) => news.push(each));
  t.teardown(() => subscription.unsubscribe());
  return {
    client,
    clock,
    cache,
    queue,
    calls,
    news,
    follow$,
    cutPods: () => cut$.next(undefined as never),
    stop: () => subscription.unsubscribe(),
  };
}

function withPods(client: Client, wrap: (pods: ResourceClient<Pod>) => ResourceClient<Pod>): Client {
  const pods = wrap(client.kind('v1', 'Pod'));
  const resource = (of: KindName): unknown => (of.kind === 'Pod' ? pods : client.resource(of));
  return { ...client, resource: resource as Client['resource'] }; // the same for all but one
}

function interrupted(pods: ResourceClient<Pod>, cut$: Observable<unknown>): ResourceClient<Pod> {
  const expired$ = throwError(() => tooOldResourceVersion('1', '2'));
  return {
    list: (options) => pods.list(options),
    watch: (options) => merge(pods.watch(options).pipe(takeUntil(cut$)), concat(NEVER.pipe(takeUntil(cut$)), expired$)),
  } as ResourceClient<Pod>; // no other field is read
}

const aPod = (name: string, shape: PodShape = {}): Frozen<Pod> =>
  podOf(name, {
    namespace: 'default',
    ...shape,
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }], ...shape.spec },
  });

/** Returns the object without fields that the server sets. */
const sent = (object: Frozen<Pod>): Frozen<Pod> => {
  const { uid: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
};

async function bind(client: Client, name: string, node: string): Promise<void> {
  await client
    .kind('v1', 'Pod')
    .subresource<Binding>('binding')
    .in('default')
    .create(name, { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: node } });
}

t.test('a cluster is watched from its lists on, and unsubscribing leaves nothing behind', async (t) => {
  const { client, clock, cache, queue, calls, news, stop } = following(t);
  t.same(news, []);
  await clock.settled();
  t.same(news, [{ type: 'synced' }]);
  t.ok(cache.objects.get('Namespace', 'kube-system'), 'the kinds beside pods and nodes are known');
  t.same(cache.objects.list('Service', 'default').map(objectKey), ['default/kubernetes']);
  const version = cache.objects.version('Service');

  const pods = client.kind('v1', 'Pod').in('default');
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' } });
  await pods.create(sent(aPod('p')));
  await clock.settled();
  t.same(
    cache.nodes.map(({ name }) => name),
    ['n'],
  );
  t.equal(queue.pop()?.pod.metadata?.name, 'p');
  await bind(client, 'p', 'n');
  await clock.settled();
  t.same(
    cache.node('n')?.pods.map(({ name, nodeName: on }) => [name, on]),
    [['p', 'n']],
  );
  t.same(calls.splice(0), ['move NodeAdd nothing n', 'add p', 'delete p bound', 'move AssignedPodAdd nothing p']);

  const now = await pods.get('p');
  await pods.status.update({ ...now, status: { ...now.status, phase: 'Succeeded' } });
  await clock.settled();
  t.equal(cache.node('n')?.podCount, 0, 'a pod that has finished is gone');
  t.equal(cache.pods.get('default/p'), undefined);
  t.same(calls.splice(0), ['move AssignedPodDelete p nothing']);
  t.equal(cache.objects.version('Service'), version);
  const services = client.kind('v1', 'Service').in('default');
  await services.create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  await clock.settled();
  t.same(cache.objects.list('Service', 'default').map(objectKey), ['default/kubernetes', 'default/s']);
  await services.delete('s');
  await clock.settled();
  t.same(cache.objects.list('Service', 'default').map(objectKey), ['default/kubernetes']);
  t.ok(cache.objects.version('Service') > version);
  t.same(calls.splice(0), [], 'a Service requeues no pod');

  stop();
  await pods.create(sent(aPod('unheard')));
  await clock.settled();
  t.equal(cache.pods.get('default/unheard'), undefined);
  t.same(calls, []);
});

t.test('a second subscription finds timers and cluster unchanged', async (t) => {
  const { client, clock, cache, calls, news, follow$, stop } = following(t);
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' } });
  await client.kind('v1', 'Node').create({ metadata: { name: 'm' } });
  await clock.settled();
  const followed = clock.pending;
  stop();
  await clock.settled();
  const quiet = clock.pending;
  t.ok(quiet < followed, 'what is left is the timers of the server');
  await client.kind('v1', 'Node').delete('m');
  calls.length = 0;
  const again = observe(follow$, (each) => news.push(each));
  await clock.settled();
  t.equal(clock.pending, followed);
  t.same(
    cache.nodes.map(({ name }) => name),
    ['n'],
  );
  t.same(calls, ['move NodeDelete m nothing'], 'only changes since then are events');
  t.same(news, [{ type: 'synced' }, { type: 'synced' }]);
  again.unsubscribe();
  await clock.settled();
  t.equal(clock.pending, quiet);
});

t.test('objects missing from a new list are deleted, and another uid is another object', async (t) => {
  const { client, clock, cache, queue, calls, news, cutPods } = following(t);
  const pods = client.kind('v1', 'Pod').in('default');
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' } });
  for (const name of ['stays', 'goes', 'again', 'bound-again', 'binds']) await pods.create(sent(aPod(name)));
  await bind(client, 'bound-again', 'n');
  await clock.settled();
  calls.length = 0;

  cutPods();
  for (const name of ['goes', 'again', 'bound-again']) await pods.delete(name, { gracePeriodSeconds: 0 });
  for (const name of ['again', 'bound-again', 'new']) await pods.create(sent(aPod(name)));
  await bind(client, 'binds', 'n');
  await clock.settled();
  t.same(calls, [], 'no event was handled yet');
  await clock.advance('1m');
  t.match(
    news.filter(({ type }) => type !== 'synced'),
    [{ type: 'failed', kind: 'Pod' }],
  );
  t.same(
    new Set(calls),
    new Set([
      'delete again',
      'add again',
      'delete binds bound',
      'move AssignedPodAdd nothing binds',
      'move AssignedPodDelete bound-again nothing',
      'add bound-again',
      'add new',
      'delete goes',
    ]),
  );
  t.same(
    cache.node('n')?.pods.map(({ name }) => name),
    ['binds'],
  );
  t.equal(queue.figures().active, 4);
});

t.test('a kind that the server does not serve has no objects', async (t) => {
  const refusal = notFound({ group: 'resource.k8s.io', resource: 'resourceclaims', name: '' });
  let isServed = false;
  const wrap = (client: Client): Client => {
    const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim');
    const sometimes = {
      list: async (options: object) => (isServed ? await claims.list(options) : await Promise.reject(refusal)),
      watch: (options: object) => claims.watch(options),
    };
    const resource = (kind: { readonly kind?: string }): unknown =>
      kind.kind === 'ResourceClaim' ? sometimes : client.resource(kind as never);
    return { ...client, resource: resource as Client['resource'] }; // the same for all but one
  };
  const { client, clock, cache, calls, news } = following(t, { wrap });
  await clock.settled();
  t.same(news, [{ type: 'not-served', kind: 'ResourceClaim' }, { type: 'synced' }]);
  await clock.advance('2m');
  t.equal(news.length, 2, 'it is reported once');
  isServed = true;
  await client
    .kind('resource.k8s.io/v1', 'ResourceClaim')
    .in('default')
    .create({ metadata: { name: 'c' }, spec: {} });
  await clock.advance('1m');
  t.equal(cache.objects.list('ResourceClaim').length, 1);
  t.ok(calls.includes('move resource.k8s.io/ResourceClaimAdd nothing c'));
  t.equal(news.length, 2);
});

t.test('a server that does not serve pods is reported as a failure', async (t) => {
  let isAway = true;
  const refusal = notFound({ group: '', resource: 'pods', name: '' });
  const wrap = (client: Client): Client =>
    withPods(
      client,
      (pods) =>
        ({
          list: async (options) => (isAway ? await Promise.reject(refusal) : await pods.list(options)),
          watch: (options) => pods.watch(options),
        }) as ResourceClient<Pod>,
    ); // no other field is read
  const { clock, news } = following(t, { wrap });
  await clock.settled();
  t.match(news, [{ type: 'failed', kind: 'Pod', error: refusal }]);
  isAway = false;
  await clock.advance('1m');
  t.equal(news.at(-1)?.type, 'synced');
});

t.test('while the cache is held events are buffered, and applied afterwards', async (t) => {
  const { client, clock, cache, calls } = following(t);
  await clock.settled();
  let released = 0;
  const watching = observe(cache.released$, () => (released += 1));
  t.teardown(() => watching.unsubscribe());
  const [release, releaseOther] = [cache.hold(), cache.hold()];
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' } });
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create(sent(aPod('p')));
  await bind(client, 'p', 'n');
  await clock.settled();
  t.same([cache.nodes.length, cache.pods.size, calls.length], [0, 0, 0]);
  release();
  release();
  t.ok(cache.held, 'until the last hold is released');
  t.equal(released, 0);
  releaseOther();
  releaseOther();
  t.equal(released, 1, 'once');
  t.same(calls, ['move NodeAdd nothing n', 'add p', 'delete p bound', 'move AssignedPodAdd nothing p'], 'in order');
  t.equal(cache.node('n')?.podCount, 1);
});

t.test('a full buffer is dropped, and the kinds are listed again afterwards', async (t) => {
  const { client, clock, cache, calls } = following(t, { bufferedMax: 3 });
  await clock.settled();
  const release = cache.hold();
  const pods = client.kind('v1', 'Pod').in('default');
  for (let at = 0; at < 8; at += 1) await pods.create(sent(aPod(`p${at}`)));
  await clock.settled();
  t.same(calls, []);
  release();
  await clock.settled();
  t.equal(cache.pods.size, 8);
  t.equal(calls.length, 8, 'each event is handled once');
});

t.test('an error of a plugin is reported and ends nothing', async (t) => {
  const { client, clock, cache, queue, news } = following(t);
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create(sent(aPod('bad', { labels: { throws: 'yes' } })));
  await pods.create(sent(aPod('good')));
  await clock.settled();
  t.match(
    news.find(({ type }) => type === 'threw'),
    { kind: 'Pod', error: { message: 'a gate fell off' } },
  );
  t.ok(news.some(({ type }) => type === 'synced'));
  t.equal(cache.pods.size, 2);
  t.equal(queue.figures().active, 1);
});
