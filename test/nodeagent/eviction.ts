// Eviction under pressure, garbage collection of images and containers.
import t from 'tap';
import type { Cluster, VirtualClock } from '../../lib/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { noPressure, stepEviction } from '../../lib/nodeagent/eviction/eviction-step.js';
import { rankPods } from '../../lib/nodeagent/eviction/rank-pods.js';
import type { PodFigures } from '../../lib/nodeagent/eviction/rank-pods.js';
import { completeEviction } from '../../lib/nodeagent/eviction/thresholds.js';
import { completeKubelet } from '../../lib/nodeagent/node/kubelet-settings.js';
import { containersToRemove } from '../../lib/nodeagent/pod/container-collector.js';
import { imagesToRemove, observeImages } from '../../lib/nodeagent/images/image-collector.js';
import type { RuntimeContainer, RuntimeImage, RuntimeSandbox } from '../../lib/nodeagent/index.js';
import { nodeCluster, podEvents, podOf } from '../support/node-cluster.js';

const podsOf = ({ client }: Cluster<VirtualClock>) => client.kind('v1', 'Pod').in('default');
const gibibyte = 2 ** 30;

function figures(
  name: string,
  {
    memory = 0,
    storage = 0,
    request,
    priority = 0,
    ...more
  }: Partial<Record<'memory' | 'storage' | 'priority', number>> & {
    request?: string;
    pod?: Partial<Pod>;
    volumes?: ReadonlyMap<string, number>;
  },
): PodFigures {
  const resources = request === undefined ? {} : { resources: { requests: { memory: request } } };
  const pod: Pod = {
    metadata: { name, uid: name },
    spec: { priority, containers: [{ name: 'main', image: 'app:1', ...resources }] },
    ...more.pod,
  };
  return {
    pod,
    containers: [{ name: 'main', memoryBytes: memory, storageBytes: storage }],
    volumes: more.volumes ?? new Map(),
    processes: 1,
  };
}

const names = (ranked: readonly PodFigures[]): readonly string[] => ranked.map(({ pod }) => pod.metadata?.name ?? '');

t.test('pods over their requests go first, then lower priorities, then the largest excess', (t) => {
  const pods = [
    figures('within', { memory: 100, request: '200' }),
    figures('important', { memory: 900, priority: 10 }),
    figures('small', { memory: 100 }),
    figures('large', { memory: 500, request: '100' }),
  ];
  t.strictSame(names(rankPods(pods, 'memory.available')), ['large', 'small', 'important', 'within']);
  const disks = [figures('one', { storage: 10 }), figures('two', { storage: 20 })];
  t.strictSame(names(rankPods(disks, 'nodefs.available')), ['two', 'one']);
  t.strictSame(names(rankPods([figures('b', { priority: 1 }), figures('a', {})], 'pid.available')), ['a', 'b']);
  t.end();
});

t.test('a soft threshold evicts after its grace period; a condition outlasts the signal by five minutes', (t) => {
  const settings = completeEviction({
    evictionHard: {},
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '30s' },
    evictionMinimumReclaim: { 'memory.available': '1Gi' },
    evictionMaxPodGracePeriod: 5,
  });
  const at = (seconds: number, available: number, memory: typeof noPressure) =>
    stepEviction(memory, settings, {
      nowMs: seconds * 1000,
      observations: new Map([['memory.available', { available: available * gibibyte, capacity: 8 * gibibyte }]]),
      pods: [figures('a', { memory: gibibyte })],
      hasReclaimed: false,
    });
  const first = at(0, 0.5, noPressure);
  t.strictSame(first.memory.conditions, ['MemoryPressure'], 'the condition is shown at once');
  t.strictSame(first.evictions, []);
  const second = at(30, 0.5, first.memory);
  t.match(second.evictions, [{ ending: { reason: 'Evicted', graceMs: 5000 } }]);
  const third = at(40, 1.5, second.memory);
  t.equal(third.evictions.length, 1, 'it ends only above the threshold plus the minimum to reclaim');
  const fourth = at(50, 2, third.memory);
  t.strictSame(fourth.evictions, []);
  t.strictSame(at(339, 2, fourth.memory).memory.conditions, ['MemoryPressure']);
  t.strictSame(at(340, 2, fourth.memory).memory.conditions, []);
  t.throws(() => completeEviction({ evictionSoft: { 'memory.available': '1Gi' } }), /grace period must be specified/);
  t.throws(() => completeEviction({ evictionHard: { 'memory.available': 'much' } }), /no amount of memory.available/);
  t.throws(() => completeEviction({ evictionHard: { wrong: '1Gi' } as object }), /unknown eviction signal/);
  t.throws(() => completeKubelet({ imageGCHighThresholdPercent: 50 }), /must be less/);
  t.end();
});

t.test('limits of a pod on local storage evict it at once', (t) => {
  const settings = completeEviction({});
  const evictionsOf = (pod: PodFigures): readonly string[] =>
    stepEviction(noPressure, settings, {
      nowMs: 0,
      observations: new Map(),
      pods: [pod],
      hasReclaimed: false,
    }).evictions.map(({ ending }) => ending.message);
  const limited = { containers: [{ name: 'main', resources: { limits: { 'ephemeral-storage': '1Ki' } } }] };
  t.strictSame(evictionsOf(figures('a', { storage: 2048, pod: { spec: limited } })), [
    'Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ',
  ]);
  const two = { containers: [...limited.containers, { name: 'other' }] };
  t.strictSame(evictionsOf(figures('a', { storage: 2048, pod: { spec: two } })), [
    'Container main exceeded its local ephemeral storage limit "1Ki". ',
  ]);
  const cache = { containers: [{ name: 'main' }], volumes: [{ name: 'cache', emptyDir: { sizeLimit: '1Mi' } }] };
  t.strictSame(evictionsOf(figures('a', { volumes: new Map([['cache', 2 ** 21]]), pod: { spec: cache } })), [
    'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ',
  ]);
  t.end();
});

t.test('a node under memory pressure shows it, evicts one pod per round and refuses BestEffort pods', async (t) => {
  const cluster = await nodeCluster(
    {
      heartbeat: {},
      kubelet: {},
      template: () => ({ capacity: { cpu: '8', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '20' } }),
    },
    { controllers: ['serviceaccount-controller', 'node-lifecycle-controller'] },
  );
  const get = (name: string): Promise<Frozen<Pod>> => podsOf(cluster).get(name);
  const requesting = { main: { resources: { requests: { memory: '4Gi' } } } };
  await podsOf(cluster).create(podOf('greedy', { usage: { memory: '5Gi' } }));
  await podsOf(cluster).create(podOf('modest', { usage: { memory: '2900Mi' } }, requesting));
  await podsOf(cluster).create(podOf('tiny', { usage: { memory: '100Mi' } }));
  await cluster.advance('31s');
  const evicted = await get('greedy');
  t.match(evicted.status, {
    phase: 'Failed',
    reason: 'Evicted',
    message:
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 72Mi. Container main was using 5Gi, request is 0, has larger consumption of memory. ',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
  });
  t.equal((await get('modest')).status?.phase, 'Running');
  t.equal((await get('tiny')).status?.phase, 'Running', 'one pod was enough');
  const node = await cluster.client.kind('v1', 'Node').get('node-1');
  t.match(node.status?.conditions?.[0], {
    type: 'MemoryPressure',
    status: 'True',
    reason: 'KubeletHasInsufficientMemory',
  });
  t.match(node.spec?.taints, [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }]);
  const events = await podEvents(cluster);
  t.ok(events.includes('EvictionThresholdMet: Attempting to reclaim memory'));
  t.ok(events.some((line) => line.startsWith('Evicted: The node was low on resource: memory.')));
  await podsOf(cluster).create(podOf('late', {}, { nodeName: 'node-1' }));
  await cluster.advance('1s');
  t.match((await get('late')).status, {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
  });
  await cluster.advance('6m');
  const after = await cluster.client.kind('v1', 'Node').get('node-1');
  t.match(after.status?.conditions?.[0], { type: 'MemoryPressure', status: 'False' });
  t.notOk(after.spec?.taints);
  await cluster.close();
});

t.test('unused images are removed down to the low threshold, least recently used first', (t) => {
  const image = (id: string, isPinned = false): RuntimeImage => ({
    id,
    repoTags: [],
    repoDigests: [],
    sizeBytes: 10,
    isPinned,
  });
  const images = ['old', 'used', 'young', 'recent'].map((id) => image(id)).concat(image('pinned', true));
  const minute = 60_000;
  let uses = observeImages(
    new Map(),
    images.filter(({ id }) => id !== 'young'),
    ({ id }) => id === 'recent',
    1,
  );
  uses = observeImages(uses, images, ({ id }) => id === 'used', 10 * minute);
  const { images: settings } = completeKubelet({});
  const removed = (availableBytes: number, all = false): readonly string[] =>
    imagesToRemove(images, uses, settings, { capacityBytes: 100, availableBytes, nowMs: 10 * minute, all }).remove.map(
      ({ id }) => id,
    );
  t.strictSame(removed(16), [], 'below 85 %');
  t.strictSame(removed(12), ['old']);
  t.strictSame(removed(0), ['old', 'recent'], 'not those in use, pinned or younger than two minutes');
  t.strictSame(removed(50, true), ['old', 'young', 'recent'], 'under disk pressure also young ones');
  const aged = completeKubelet({ imageMaximumGCAge: '5m' }).images;
  t.strictSame(
    imagesToRemove(images, uses, aged, {
      capacityBytes: 100,
      availableBytes: 90,
      nowMs: 10 * minute,
      all: false,
    }).remove.map(({ id }) => id),
    ['old', 'recent'],
  );
  t.end();
});

t.test('one dead instance of each container is kept, and nothing of unknown pods', (t) => {
  const fixed = { image: '', imageRef: '', labels: {}, annotations: {}, namespace: '', name: 'main' };
  const container = (
    id: string,
    attempt: number,
    state: 'running' | 'exited',
    sandboxId: string,
  ): RuntimeContainer => ({
    ...fixed,
    id,
    attempt,
    state,
    sandboxId,
    podUid: sandboxId === 'x' ? 'gone' : 'pod',
    createdAtMs: attempt,
  });
  const sandbox = (id: string, attempt: number, state: 'ready' | 'not-ready'): RuntimeSandbox => ({
    ...fixed,
    id,
    attempt,
    state,
    podUid: id === 'x' ? 'gone' : 'pod',
    createdAtMs: attempt,
  });
  const result = containersToRemove(
    [
      container('a0', 0, 'exited', 's0'),
      container('a2', 2, 'exited', 's1'),
      container('a1', 1, 'exited', 's1'),
      container('a3', 3, 'running', 's1'),
      container('b0', 0, 'running', 'x'),
    ],
    [sandbox('s0', 0, 'not-ready'), sandbox('s1', 1, 'ready'), sandbox('x', 0, 'ready')],
    (uid) => uid === 'pod',
  );
  t.strictSame(result, { containers: ['a0', 'a1'], sandboxes: ['s0', 'x'], pods: ['gone'] });
  t.end();
});

t.test('images that no container uses leave a full node after five minutes', async (t) => {
  const sizeBytes = 45 * gibibyte;
  const cluster = await nodeCluster({ heartbeat: {}, kubelet: { evictionHard: {} } });
  const names = ['a:1', 'b:1'];
  for (const image of names)
    await podsOf(cluster).create(podOf(image.slice(0, 1), { pull: { sizeBytes } }, { main: { image } }));
  await cluster.advance('1m');
  await podsOf(cluster).delete('a');
  await cluster.advance('10m');
  const node = await cluster.client.kind('v1', 'Node').get('node-1');
  t.strictSame(
    node.status?.images?.flatMap(({ names: all = [] }) => all.filter((name) => !name.includes('@'))),
    ['b:1'],
  );
  await cluster.close();
});
