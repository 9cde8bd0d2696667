// DynamicResources: feasible nodes of pods with claims, messages of rejections, the allocation in the claim's status,
// and that no device is allocated twice.
import t, { type Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { deepFreeze, printQuantity, random, virtualClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Container, DeviceClass, Pod, PodSpec, ResourceSlice, resourceV1 } from '../../lib/core/types/index.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { EventResources } from '../../lib/scheduling/framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import type { PluginTools } from '../../lib/scheduling/framework/plugin-tools.js';
import {
  actions,
  celSelectors,
  createScheduler,
  dynamicResources,
  schedulerConfiguration,
} from '../../lib/scheduling/public.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type { SelectorCompiler } from '../../lib/scheduling/public.js';
import { builtinPluginFactories } from '../../lib/scheduling/plugins/default-plugins.js';
import { claimTracker } from '../../lib/scheduling/plugins/dynamic-resources/claim-tracker.js';
import { devicesOf } from '../../lib/scheduling/plugins/dynamic-resources/allocation/devices.js';
import { indexAllocatedDevices } from '../../lib/scheduling/plugins/dynamic-resources/allocation/allocated-device-index.js';
import { extendedRequests } from '../../lib/scheduling/plugins/dynamic-resources/extended-requests.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';
import { TestCluster, cycleOf, nodeOf, podOf, toolsOf } from '../support/scheduling.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

type Claim = Frozen<resourceV1.ResourceClaim>;
type Device = resourceV1.Device;
type Exactly = resourceV1.ExactDeviceRequest;

const U = 'Unschedulable';
const UU = 'UnschedulableAndUnresolvable';
const driver = 'gpu.example.com';
const { signal } = new AbortController();
const cannot = [UU, 'cannot allocate all claims'];

function made(cluster: TestCluster, tools: Partial<PluginTools> = {}): SchedulingPlugin {
  const maker = builtinPluginFactories.get('DynamicResources');
  if (maker === undefined) throw new Error('no factory of that name');
  return maker(toolsOf(cluster, tools), undefined);
}

/**
 * Returns the result of the plugin: `skip`, one rejection for all nodes, or one result per node; the message of an
 * exception.
 */
function verdicts(plugin: SchedulingPlugin, cycle: Cycle): unknown {
  try {
    const early = plugin.preFilter?.(cycle);
    if (early === 'skip') return 'skip';
    if (early !== undefined && 'code' in early) return [early.code, ...early.reasons];
    const answers = cycle.cluster.nodes.map((node) => {
      const answer = plugin.filter?.(cycle, node);
      return [node.name, answer === undefined ? 'fits' : [answer.code, ...answer.reasons]];
    });
    return Object.fromEntries(answers);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const selector = (expression: string): resourceV1.DeviceSelector => ({ cel: { expression } });
const classOf = (
  name = 'gpu',
  spec: DeviceClass['spec'] = { selectors: [selector(`device.driver == "${driver}"`)] },
): Frozen<DeviceClass> => deepFreeze<DeviceClass>({ metadata: { name }, spec });
const exactly = (name: string, rest: Partial<Exactly> = {}): resourceV1.DeviceRequest => ({
  name,
  exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, ...rest },
});
const preferring = (
  name: string,
  ...alternatives: (Partial<Exactly> & { name: string })[]
): resourceV1.DeviceRequest => ({
  name,
  firstAvailable: alternatives.map((each) => ({
    deviceClassName: 'gpu',
    allocationMode: 'ExactCount',
    count: 1,
    ...each,
  })),
});

interface ClaimShape {
  readonly requests?: resourceV1.DeviceRequest[];
  readonly constraints?: resourceV1.DeviceConstraint[];
  readonly config?: resourceV1.DeviceClaimConfiguration[];
  readonly metadata?: resourceV1.ResourceClaim['metadata'];
  readonly status?: resourceV1.ResourceClaimStatus;
}

/** Creates a claim, by default for one device. */
function claimOf(
  name: string,
  { requests = [exactly('r')], constraints = [], config = [], metadata = {}, status }: ClaimShape = {},
): Claim {
  return deepFreeze<resourceV1.ResourceClaim>({
    metadata: { name, namespace: 'ns', uid: `${name}-uid`, resourceVersion: '1', ...metadata },
    spec: { devices: { requests, constraints, config } },
    ...(status && { status }),
  });
}

/** The fields of a test claim. */
const given = (...devices: readonly string[]): resourceV1.AllocationResult => ({
  devices: { results: devices.map((device) => ({ request: 'r', driver, pool: 'n', device })) },
});
const heldBy = (name: string, ...devices: readonly string[]): Claim =>
  claimOf(name, { status: { allocation: given(...devices) } });

interface SliceShape {
  readonly name?: string;
  readonly pool?: Partial<resourceV1.ResourcePool>;
  /** Default: the node `n`. */
  readonly where?: Pick<
    resourceV1.ResourceSliceSpec,
    'nodeName' | 'nodeSelector' | 'allNodes' | 'perDeviceNodeSelection'
  >;
  readonly counters?: resourceV1.CounterSet[];
}

/** Creates a ResourceSlice. */
function sliceOf(
  devices: readonly (string | Device)[],
  { name = 's', pool = {}, where = { nodeName: 'n' }, counters }: SliceShape = {},
): Frozen<ResourceSlice> {
  return deepFreeze<ResourceSlice>({
    metadata: { name },
    spec: {
      driver,
      pool: { name: 'n', generation: 1, resourceSliceCount: 1, ...pool },
      ...where,
      ...(counters
        ? { sharedCounters: counters }
        : { devices: devices.map((device) => (typeof device === 'string' ? { name: device } : device)) }),
    },
  });
}

const withAttributes = (
  name: string,
  attributes: Record<string, resourceV1.DeviceAttribute>,
  rest: Partial<Device> = {},
): Device => ({ name, attributes, ...rest });
const podWith = (...claims: readonly string[]): Frozen<Pod> =>
  podOf('p', {
    spec: { resourceClaims: claims.map((claim, index) => ({ name: `c${index}`, resourceClaimName: claim })) },
  });

interface Scene {
  readonly claims: readonly Claim[];
  readonly slices?: readonly Frozen<ResourceSlice>[];
  readonly classes?: readonly Frozen<DeviceClass>[];
  readonly nodes?: Parameters<typeof nodeOf>[];
}

function clusterOf({ claims, slices = [], classes = [classOf()], nodes = [['n']] }: Scene): TestCluster {
  return new TestCluster({
    nodes: nodes.map((each) => nodeOf(...each)),
    objects: { ResourceClaim: claims, ResourceSlice: slices, DeviceClass: classes },
  });
}

/** Returns the unallocated claims. */
const open = (claims: readonly Claim[]): string[] =>
  claims.filter(({ status }) => status?.allocation === undefined).map(({ metadata }) => metadata?.name ?? '');

/** Returns the result for a pod that uses all unallocated claims. */
function answers(scene: Scene): unknown {
  const cluster = clusterOf(scene);
  return verdicts(made(cluster), cycleOf(cluster, podWith(...open(scene.claims))));
}

/** Returns the allocations of such a pod on the node `n`, by claim. */
function allocations(scene: Scene): Record<string, Frozen<resourceV1.AllocationResult>> {
  const cluster = clusterOf(scene);
  const plugin = made(cluster);
  const names = open(scene.claims);
  const cycle = cycleOf(cluster, podWith(...names));
  const answer = verdicts(plugin, cycle);
  if (typeof answer !== 'object' || answer === null || !('n' in answer) || answer.n !== 'fits')
    throw new Error(`it does not fit: ${JSON.stringify(answer)}`);
  return decidedIn(plugin, cycle, names);
}

/** Reserves the node `n` and returns the allocations that are written. */
function decidedIn(
  plugin: SchedulingPlugin,
  cycle: Cycle,
  names: readonly string[],
): Record<string, Frozen<resourceV1.AllocationResult>> {
  const decided: Record<string, Frozen<resourceV1.AllocationResult>> = {};
  const ledger = claimTracker(cycle.cluster);
  const { addPending } = ledger;
  ledger.addPending = (claim, allocation) => {
    decided[claim.metadata?.name ?? ''] = allocation;
    addPending.call(ledger, claim, allocation);
  };
  plugin.reserve?.(cycle, 'n');
  ledger.addPending = addPending;
  return Object.fromEntries(names.map((name) => [name, decided[name] ?? {}]));
}

/** Returns the allocated devices only: `request:device`. */
function chosen(scene: Scene): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(allocations(scene)).map(([name, { devices }]) => [
      name,
      (devices?.results ?? []).map(({ request, device }) => `${request}:${device}`),
    ]),
  );
}

t.test('pods without claims are skipped', async (t) => {
  const cluster = clusterOf({ claims: [] });
  const plugin = made(cluster);
  const cycle = cycleOf(cluster, podOf('p'));
  const diagnosis = {
    nodeCount: 1,
    reasons: new Map(),
    rejectors: new Set<string>(),
    pending: new Set<string>(),
    rejectionOf: () => undefined,
    slotsRejected: () => new Int32Array(0),
  };
  t.throws(() => plugin.postFilter?.(cycle, diagnosis, signal), /^not found$/, 'PreFilter did not run');
  t.equal(plugin.preEnqueue?.(cycle.pod), undefined);
  t.equal(plugin.preFilter?.(cycle), 'skip');
  t.same(plugin.postFilter?.(cycle, diagnosis, signal), {
    rejection: { code: U, reasons: ['no new claims to deallocate'] },
  });
  t.equal(plugin.score?.(cycle, cluster.at('n')), 0);
  t.equal(plugin.reserve?.(cycle, 'n'), undefined);
  t.equal(plugin.preBindPreFlight?.(cycle, 'n'), 'skip');
});

t.test('claims must exist, not be terminating, and belong to the pod', async (t) => {
  const templated = (status?: Pod['status']): Frozen<Pod> =>
    podOf('p', {
      spec: { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 't' }] },
      ...(status && { status }),
    });
  const generated = { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'made' }] };
  const owned = claimOf('made', {
    metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p-uid', controller: true }] },
  });
  const cases: readonly (readonly [string, Frozen<Pod>, readonly Claim[], string | undefined])[] = [
    ['it is not there', podWith('a'), [], 'could not find ResourceClaim "ns/a"'],
    ['it is', podWith('a'), [claimOf('a')], undefined],
    [
      'it is going',
      podWith('a'),
      [claimOf('a', { metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' } })],
      'resourceclaim "a" is being deleted',
    ],
    ['it is still to be made', templated(), [], 'pod "ns/p": ResourceClaim not created yet'],
    ['none is needed', templated({ resourceClaimStatuses: [{ name: 'c' }] }), [], undefined],
    ['it was made for the pod', templated(generated), [owned], undefined],
    [
      'it was made for another',
      templated(generated),
      [claimOf('made')],
      'ResourceClaim ns/made was not created for Pod ns/p (Pod is not owner)',
    ],
  ];
  for (const [what, pod, claims, text] of cases) {
    const cluster = clusterOf({ claims });
    t.same(made(cluster).preEnqueue?.(podFacts(pod))?.reasons[0], text, what);
    if (text !== undefined) t.same(verdicts(made(cluster), cycleOf(cluster, pod)), [UU, text], what);
  }
});

t.test('the devices that a claim gets', async (t) => {
  t.same(chosen({ claims: [claimOf('a')], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d1'] }, 'the first');
  t.same(
    chosen({ claims: [claimOf('a'), heldBy('other', 'd1')], slices: [sliceOf(['d1', 'd2'])] }),
    { a: ['r:d2'] },
    'not one that another has',
  );
  t.same(
    chosen({ claims: [claimOf('a'), claimOf('b')], slices: [sliceOf(['d1', 'd2'])] }),
    { a: ['r:d1'], b: ['r:d2'] },
    'each its own',
  );
  t.same(
    answers({ claims: [claimOf('a'), heldBy('other', 'd1')], slices: [sliceOf(['d1'])] }),
    { n: cannot },
    'there is none left',
  );
  t.same(
    answers({ claims: [claimOf('a', { requests: [exactly('r', { count: 3 })] })], slices: [sliceOf(['d1', 'd2'])] }),
    { n: cannot },
    'there are not enough',
  );
  t.same(answers({ claims: [claimOf('a')], classes: [] }), [UU, 'request r: device class gpu does not exist']);
  t.same(answers({ claims: [claimOf('a', { requests: [{ name: 'r' }] })] }), [
    UU,
    'resource claim ns/a, request r: unknown request type',
  ]);
  t.same(
    answers({ claims: [claimOf('a', { requests: [exactly('r', { count: 33 })] })] }),
    'claim ns/a: number of requested devices 33 exceeds the claim limit of 32',
  );
  const large = [selector(`device.capacity["${driver}"].memory.compareTo(quantity("2Gi")) >= 0`)];
  const sizes = [
    { name: 'large', capacity: { memory: { value: '4Gi' } } },
    { name: 'small', capacity: { memory: { value: '1Gi' } } },
  ];
  t.same(
    chosen({
      claims: [claimOf('a', { requests: [exactly('any'), exactly('large', { selectors: large })] })],
      slices: [sliceOf(sizes)],
    }),
    { a: ['any:small', 'large:large'] },
    'a step back within a claim',
  );
  t.same(
    chosen({
      claims: [claimOf('a'), claimOf('b', { requests: [exactly('r', { selectors: large })] })],
      slices: [sliceOf(sizes)],
    }),
    { a: ['r:small'], b: ['r:large'] },
    'and between claims',
  );
});

t.test('all devices, or none', async (t) => {
  const all = (rest: Partial<Exactly> = {}): Claim =>
    claimOf('a', { requests: [exactly('r', { allocationMode: 'All', ...rest })] });
  t.same(chosen({ claims: [all()], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d1', 'r:d2'] });
  t.same(answers({ claims: [all()], slices: [sliceOf([])] }), { n: cannot }, 'none is not all');
  t.same(
    answers({ claims: [all(), heldBy('other', 'd1')], slices: [sliceOf(['d1', 'd2'])] }),
    { n: cannot },
    'one is allocated',
  );
  t.same(
    chosen({ claims: [all({ adminAccess: true }), heldBy('other', 'd1')], slices: [sliceOf(['d1', 'd2'])] }),
    { a: ['r:d1', 'r:d2'] },
    'administrators may look all the same',
  );
  t.same(
    answers({ claims: [all()], slices: [sliceOf(['d1'], { pool: { resourceSliceCount: 2 } })] }),
    'claim ns/a, request r: asks for all devices, but resource pool gpu.example.com/n is currently being updated',
  );
  t.same(
    answers({ claims: [all()], slices: [sliceOf(['d1', 'd1'])] }),
    'claim ns/a, request r: asks for all devices, but resource pool gpu.example.com/n is currently invalid',
  );
  const preferred = claimOf('a', { requests: [preferring('r', { name: 'first', allocationMode: 'All' })] });
  t.same(
    answers({ claims: [preferred], slices: [sliceOf(['d1', 'd1'])] }),
    'claim ns/a, request first: asks for all devices, but resource pool gpu.example.com/n is currently invalid',
    'an alternative goes by its own name',
  );
});

t.test('only complete pools of the newest generation count', async (t) => {
  const claims = [claimOf('a')];
  t.same(answers({ claims, slices: [sliceOf(['d1'], { pool: { resourceSliceCount: 2 } })] }), { n: cannot });
  t.same(
    answers({
      claims,
      slices: [
        sliceOf(['d1'], { name: 's1' }),
        sliceOf(['d2'], { name: 's2', pool: { generation: 2, resourceSliceCount: 2 } }),
      ],
    }),
    { n: cannot },
    'the newest is not complete',
  );
  t.same(
    chosen({
      claims,
      slices: [sliceOf(['d1'], { name: 's1' }), sliceOf(['d2'], { name: 's2', pool: { generation: 2 } })],
    }),
    { a: ['r:d2'] },
  );
  const two = { resourceSliceCount: 2 };
  t.same(
    chosen({
      claims,
      slices: [sliceOf(['d2'], { name: 's2', pool: two }), sliceOf(['d1'], { name: 's1', pool: two })],
    }),
    { a: ['r:d1'] },
    'by the names of slices',
  );
  t.same(answers({ claims, slices: [sliceOf(['d1', 'd1'])] }), { n: [UU, 'invalid resource pools were encountered'] });
  t.same(
    chosen({ claims, slices: [sliceOf(['d1', 'd1']), sliceOf(['d2'], { name: 's2', pool: { name: 'other' } })] }),
    { a: ['r:d2'] },
    'another pool does',
  );
});

t.test('the nodes that can use a device', async (t) => {
  const claims = [claimOf('a')];
  const nodes: Scene['nodes'] = [
    ['n', { labels: { rack: 'one' } }],
    ['m', { labels: { rack: 'two' } }],
  ];
  const rack = (value: string): resourceV1.Device['nodeSelector'] => ({
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: [value] }] }],
  });
  const on = (where: SliceShape['where'], devices: readonly (string | Device)[] = ['d']): Scene => ({
    claims,
    nodes,
    slices: [sliceOf(devices, where && { where })],
  });
  const reach = (scene: Scene): unknown => allocations(scene).a?.nodeSelector;
  const here = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] };
  t.same(answers(on({ nodeName: 'n' })), { n: 'fits', m: cannot });
  t.same(reach(on({ nodeName: 'n' })), here);
  t.same(answers(on({ allNodes: true })), { n: 'fits', m: 'fits' });
  t.equal(reach(on({ allNodes: true })), undefined, 'from everywhere');
  t.same(answers(on({ nodeSelector: rack('one') ?? { nodeSelectorTerms: [] } })), { n: 'fits', m: cannot });
  t.same(reach(on({ nodeSelector: rack('one') ?? { nodeSelectorTerms: [] } })), rack('one'));
  const each = { perDeviceNodeSelection: true };
  t.same(answers(on(each, [{ name: 'd', nodeSelector: rack('two') ?? { nodeSelectorTerms: [] } }])), {
    n: cannot,
    m: 'fits',
  });
  t.same(
    chosen(
      on(each, [
        { name: 'd1', nodeName: 'm' },
        { name: 'd2', allNodes: true },
      ]),
    ),
    { a: ['r:d2'] },
  );
  t.same(
    reach(on({ allNodes: true }, [{ name: 'd', bindsToNode: true }])),
    here,
    'it is bound to where it is first used',
  );
});

t.test('constraints', async (t) => {
  const devices = [
    withAttributes('d1', { numa: { int: 0 } }),
    withAttributes('d2', { numa: { int: 1 } }),
    withAttributes('d3', { numa: { int: 1 } }),
    { name: 'd4' },
  ];
  const two = (
    constraint: resourceV1.DeviceConstraint,
    requests = [exactly('x'), exactly('y')],
    offered: readonly Device[] = devices,
  ): Scene => ({ claims: [claimOf('a', { requests, constraints: [constraint] })], slices: [sliceOf(offered)] });
  t.same(chosen(two({ matchAttribute: `${driver}/numa` })), { a: ['x:d2', 'y:d3'] }, 'alike');
  t.same(chosen(two({ distinctAttribute: `${driver}/numa` })), { a: ['x:d1', 'y:d2'] }, 'distinct');
  t.same(
    chosen(two({ matchAttribute: `${driver}/numa`, requests: ['x'] })),
    { a: ['x:d1', 'y:d2'] },
    'of one request only',
  );
  t.same(answers(two({ matchAttribute: 'other/numa' })), { n: cannot }, 'no device has it');
  t.same(
    answers(two({ distinctAttribute: `${driver}/numa` }, [exactly('x', { count: 3 })])),
    { n: cannot },
    'distinct within a request',
  );
  t.same(
    answers(
      two({ matchAttribute: `${driver}/v` }, undefined, [
        withAttributes('d1', { v: { string: '1' } }),
        withAttributes('d2', { v: { int: 1 } }),
      ]),
    ),
    { n: cannot },
    'a text is no number',
  );
  t.same(
    answers(two({ matchAttribute: `${driver}/numa` }, [exactly('x', { allocationMode: 'All' })])),
    'claim ns/a, request x: cannot add device gpu.example.com/n/d2 because a claim constraint would not be satisfied',
  );
  t.same(
    answers(two({ matchAttribute: `${driver}/numa` }, [preferring('x', { name: 'first', allocationMode: 'All' })])),
    'claim ns/a, request first: cannot add device gpu.example.com/n/d2 because a claim constraint would not be satisfied',
    'an alternative goes by its own name',
  );
  t.same(answers(two({})), 'claim ns/a, constraint #0: empty constraint (unsupported constraint type?)');
});

t.test('alternatives: the first that can be satisfied', async (t) => {
  const big = [selector(`device.attributes["${driver}"].size == "big"`)];
  const sizes = [
    withAttributes('d1', { size: { string: 'small' } }),
    withAttributes('d2', { size: { string: 'small' } }),
    withAttributes('d3', { size: { string: 'big' } }),
  ];
  const request = preferring('r', { name: 'big', selectors: big }, { name: 'small', count: 2 });
  const scene = (...more: readonly Claim[]): Scene => ({
    claims: [claimOf('a', { requests: [request] }), ...more],
    slices: [sliceOf(sizes)],
  });
  t.same(chosen(scene()), { a: ['r/big:d3'] });
  t.same(chosen(scene(heldBy('other', 'd3'))), { a: ['r/small:d1', 'r/small:d2'] });
  t.same(answers(scene(heldBy('other', 'd3', 'd1'))), { n: cannot });
  t.same(answers({ claims: [claimOf('a', { requests: [preferring('r', { name: 's', deviceClassName: 'none' })] })] }), [
    UU,
    'request r/s: device class none does not exist',
  ]);
  t.same(
    chosen({
      claims: [
        claimOf('a', {
          requests: [preferring('r', { name: 'many', count: 30 }, { name: 'one' }), exactly('q', { count: 8 })],
        }),
      ],
      slices: [sliceOf(Array.from({ length: 40 }, (_, index) => `d${index}`))],
    }).a?.[0],
    'r/one:d0',
    'many and others would be more than a claim may have',
  );

  const cluster = clusterOf({
    ...scene(),
    nodes: [['n'], ['m']],
    slices: [sliceOf(sizes), sliceOf(['e1', 'e2'], { name: 's2', pool: { name: 'm' }, where: { nodeName: 'm' } })],
  });
  const loose = preferring(
    'r',
    { name: 'big', selectors: [selector(`device.attributes["${driver}"].?size.orValue("") == "big"`)] },
    { name: 'any' },
  );
  cluster.objects.set('ResourceClaim', claimOf('a', { requests: [loose] }));
  const plugin = made(cluster);
  const cycle = cycleOf(cluster, podWith('a'));
  t.same(verdicts(plugin, cycle), { n: 'fits', m: 'fits' });
  const scores = cluster.nodes.map((node) => plugin.score?.(cycle, node) ?? -1);
  t.same(scores, [8, 7], 'what was asked for first is better');
  plugin.normalizeScores?.(cycle, scores, cluster.nodes);
  t.same(scores, [100, 87]);
});

t.test('taints', async (t) => {
  const tainted = (effect: resourceV1.DeviceTaint['effect']): Device => ({
    name: 'd1',
    taints: [{ key: 'broken', value: 'fan', effect }],
  });
  const scene = (effect: resourceV1.DeviceTaint['effect'], rest: Partial<Exactly> = {}): Scene => ({
    claims: [claimOf('a', { requests: [exactly('r', rest)] })],
    slices: [sliceOf([tainted(effect), 'd2'])],
  });
  t.same(chosen(scene('NoSchedule')), { a: ['r:d2'] });
  t.same(chosen(scene('NoExecute')), { a: ['r:d2'] });
  t.same(chosen(scene('None')), { a: ['r:d1'] }, 'it only informs');
  t.same(answers(scene('NoSchedule', { allocationMode: 'All' })), { n: cannot }, 'all would include it');
  const tolerated: readonly (readonly [resourceV1.DeviceToleration, string])[] = [
    [{ operator: 'Exists' }, 'd1'],
    [{ key: 'broken', operator: 'Exists', effect: 'NoSchedule' }, 'd1'],
    [{ key: 'broken', operator: 'Equal', value: 'fan' }, 'd1'],
    [{ key: 'broken', operator: 'Equal', value: 'light' }, 'd2'],
    [{ key: 'broken', operator: 'Exists', effect: 'NoExecute' }, 'd2'],
    [{ key: 'old', operator: 'Exists' }, 'd2'],
  ];
  for (const [toleration, device] of tolerated)
    t.same(
      chosen(scene('NoSchedule', { tolerations: [toleration] })),
      { a: [`r:${device}`] },
      JSON.stringify(toleration),
    );
});

t.test('counters: partitions of one card', async (t) => {
  const part = (name: string, memory: string): Device => ({
    name,
    consumesCounters: [{ counterSet: 'card', counters: { memory: { value: memory } } }],
  });
  const pool = { resourceSliceCount: 2 };
  const card = sliceOf([], {
    name: 'counters',
    pool,
    counters: [{ name: 'card', counters: { memory: { value: '8Gi' } } }],
  });
  const parts = sliceOf([part('whole', '8Gi'), part('half1', '4Gi'), part('half2', '4096Mi')], { name: 'parts', pool });
  t.same(
    chosen({ claims: [claimOf('a'), heldBy('other', 'half1')], slices: [card, parts] }),
    { a: ['r:half2'] },
    'the whole cannot be had any more',
  );
  t.same(answers({ claims: [claimOf('a'), heldBy('other', 'whole')], slices: [card, parts] }), { n: cannot });
  t.same(
    chosen({ claims: [claimOf('a', { requests: [exactly('r', { count: 2 })] })], slices: [card, parts] }),
    { a: ['r:half1', 'r:half2'] },
    'the counter is given back where a step back is taken',
  );
  const strange = sliceOf([{ name: 'd', consumesCounters: [{ counterSet: 'none', counters: {} }] }], {
    name: 'parts',
    pool,
  });
  t.same(answers({ claims: [claimOf('a')], slices: [card, strange] }), {
    n: [UU, 'invalid resource pools were encountered'],
  });
  const elsewhere = sliceOf([part('there', '8Gi')], {
    name: 'there',
    pool: { resourceSliceCount: 3 },
    where: { nodeName: 'm' },
  });
  const three = { resourceSliceCount: 3 };
  const shared = [
    sliceOf([], {
      name: 'counters',
      pool: three,
      counters: [{ name: 'card', counters: { memory: { value: '8Gi' } } }],
    }),
    sliceOf([part('half1', '4Gi')], { name: 'parts', pool: three }),
    elsewhere,
  ];
  t.same(
    answers({ claims: [claimOf('a'), heldBy('other', 'there')], slices: shared }),
    { n: cannot },
    'a device that another node has uses it up',
  );
});

t.test('consumable capacity of shared devices', async (t) => {
  const link = (name: string, value = '10Gi', requestPolicy?: resourceV1.CapacityRequestPolicy): Device => ({
    name,
    allowMultipleAllocations: true,
    capacity: { speed: { value, ...(requestPolicy && { requestPolicy }) } },
  });
  const asking = (name: string, speed?: string): Claim =>
    claimOf(name, { requests: [exactly('r', speed === undefined ? {} : { capacity: { requests: { speed } } })] });
  const share = (scene: Scene, name = 'a'): unknown =>
    allocations(scene)[name]?.devices?.results?.map(({ device, consumedCapacity }) => [
      device,
      consumedCapacity?.speed,
    ]);
  t.same(
    chosen({
      claims: [asking('a', '4Gi'), asking('b', '6Gi'), asking('c', '1Gi')],
      slices: [sliceOf([link('d1'), link('d2')])],
    }),
    { a: ['r:d1'], b: ['r:d1'], c: ['r:d2'] },
  );
  const { a } = allocations({ claims: [asking('a', '4Gi')], slices: [sliceOf([link('d1')])] });
  const [result] = a?.devices?.results ?? [];
  t.match(result?.shareID, /^[0-9a-f-]{36}$/);
  t.same(result?.consumedCapacity, { speed: '4Gi' });
  t.same(
    answers({
      claims: [asking('b', '7Gi'), claimOf('a', { status: { allocation: a as resourceV1.AllocationResult } })],
      slices: [sliceOf([link('d1')])].map((slice) => slice),
    }),
    { n: cannot },
    'what others have counts',
  );
  t.same(
    share({ claims: [asking('a')], slices: [sliceOf([link('d1')])] }),
    [['d1', '10Gi']],
    'who asks for nothing gets all',
  );
  t.same(
    share({
      claims: [asking('a')],
      slices: [sliceOf([link('d1', '10Gi', { default: '1Gi', validValues: ['1Gi', '5Gi'] })])],
    }),
    [['d1', '1Gi']],
    'or the default',
  );
  t.same(
    share({
      claims: [asking('a', '2Gi')],
      slices: [sliceOf([link('d1', '10Gi', { default: '1Gi', validValues: ['1Gi', '5Gi'] })])],
    }),
    [['d1', '5Gi']],
    'rounded up to what there is',
  );
  t.same(
    share({
      claims: [asking('a', '2500Mi')],
      slices: [sliceOf([link('d1', '10Gi', { default: '1Gi', validRange: { min: '1Gi', step: '1Gi' } })])],
    }),
    [['d1', '3Gi']],
    'in steps',
  );
  t.same(
    answers({
      claims: [asking('a', '6Gi')],
      slices: [sliceOf([link('d1', '10Gi', { default: '1Gi', validRange: { min: '1Gi', max: '5Gi' } })])],
    }),
    { n: cannot },
    'more than one may have',
  );
  t.same(
    answers({
      claims: [claimOf('a', { requests: [exactly('r', { capacity: { requests: { colour: '1' } } })] })],
      slices: [sliceOf([link('d1')])],
    }),
    { n: cannot },
    'it has no such capacity',
  );
  t.same(
    chosen({
      claims: [claimOf('a', { requests: [exactly('r', { capacity: { requests: { memory: '2' } } })] })],
      slices: [
        sliceOf([
          { name: 'd1', capacity: { memory: { value: '1' } } },
          { name: 'd2', capacity: { memory: { value: '2' } } },
        ]),
      ],
    }),
    { a: ['r:d2'] },
    'capacity counts of devices for one as well',
  );
});

t.test('configuration and conditions of devices', async (t) => {
  const opaque = (name: string): resourceV1.DeviceClassConfiguration => ({ opaque: { driver, parameters: { name } } });
  const gpu = classOf('gpu', { config: [opaque('class')] });
  const claims = [
    claimOf('a', {
      requests: [exactly('x'), exactly('y'), preferring('z', { name: 'one' }, { name: 'two' })],
      config: [opaque('all'), { ...opaque('x'), requests: ['x'] }, { ...opaque('two'), requests: ['z/two'] }],
    }),
  ];
  const { a } = allocations({
    claims,
    classes: [gpu],
    slices: [sliceOf(['d1', 'd2', { name: 'd3', bindingConditions: ['ready'], bindingFailureConditions: ['broken'] }])],
  });
  t.same(a?.devices?.config, [
    { source: 'FromClass', requests: ['x', 'y', 'z/one'], ...opaque('class') },
    { source: 'FromClaim', ...opaque('all') },
    { source: 'FromClaim', requests: ['x'], ...opaque('x') },
  ]);
  t.same(a?.devices?.results?.[2], {
    request: 'z/one',
    driver,
    pool: 'n',
    device: 'd3',
    bindingConditions: ['ready'],
    bindingFailureConditions: ['broken'],
  });
});

t.test('allocated claims', async (t) => {
  const onlyOn = (name: string): resourceV1.AllocationResult => ({
    ...given('d1'),
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }] },
  });
  const nodes: Scene['nodes'] = [['n'], ['m']];
  const cluster = clusterOf({ claims: [claimOf('a', { status: { allocation: onlyOn('m') } })], nodes });
  const notHere = [UU, 'resourceclaim not available on the node'];
  t.same(verdicts(made(cluster), cycleOf(cluster, podWith('a'))), { n: notHere, m: 'fits' });

  const written: unknown[] = [];
  const client = {
    kind: () => ({ status: { update: (claim: Claim) => (written.push(claim), Promise.resolve(claim)) } }),
  } as unknown as Client;
  const giveBack = async (reservedFor: resourceV1.ResourceClaimConsumerReference[]): Promise<unknown> => {
    const gone = clusterOf({ claims: [claimOf('a', { status: { allocation: onlyOn('gone'), reservedFor } })] });
    const plugin = made(gone, { client });
    const cycle = cycleOf(gone, podWith('a'));
    t.same(verdicts(plugin, cycle), { n: notHere });
    const diagnosis = {
      nodeCount: 1,
      reasons: new Map(),
      rejectors: new Set<string>(),
      pending: new Set<string>(),
      rejectionOf: () => undefined,
      slotsRejected: () => new Int32Array(0),
    };
    return (await plugin.postFilter?.(cycle, diagnosis, signal))?.rejection;
  };
  t.same(
    await giveBack([{ resource: 'pods', name: 'q', uid: 'q-uid' }]),
    { code: U, reasons: ['still not schedulable'] },
    'another uses it',
  );
  t.same(written, []);
  t.same(await giveBack([{ resource: 'pods', name: 'p', uid: 'p-uid' }]), {
    code: U,
    reasons: ['deallocation of ResourceClaim completed'],
  });
  t.match(written, [{ metadata: { name: 'a' }, status: {} }]);
});

t.test('a pending allocation counts at once, until it is reverted', async (t) => {
  const cluster = clusterOf({ claims: [claimOf('a'), claimOf('b')], slices: [sliceOf(['d1'])] });
  const plugin = made(cluster);
  const cycle = cycleOf(cluster, podWith('a'));
  t.same(verdicts(plugin, cycle), { n: 'fits' });
  plugin.reserve?.(cycle, 'n');
  t.same(verdicts(plugin, cycleOf(cluster, podWith('b'))), { n: cannot }, 'the device is as good as taken');
  t.same(verdicts(plugin, cycleOf(cluster, podWith('a'))), [
    UU,
    'resource claim ns/a is in the process of being allocated',
  ]);
  plugin.unreserve?.(cycle, 'n');
  t.same(verdicts(plugin, cycleOf(cluster, podWith('b'))), { n: 'fits' });
});

t.test('for claims with equal requests only changed nodes are searched again', async (t) => {
  const here = sliceOf(['d1', 'd2']);
  const there = sliceOf(['d1', 'd2'], { name: 't', pool: { name: 'm' }, where: { nodeName: 'm' } });
  const cluster = clusterOf({
    claims: ['a', 'b', 'c'].map((name) => claimOf(name)),
    slices: [here, there],
    nodes: [['n'], ['m']],
  });
  const { objects } = cluster;
  const { compile } = celSelectors();
  let looked = new Set<string>();
  const selectors: SelectorCompiler = {
    compile: (expression) => (device) => (looked.add(device.pool), compile(expression)(device)),
  };
  const plugin = dynamicResources(toolsOf(cluster), { filterTimeoutMs: 10_000, bindingTimeoutMs: 600_000 }, selectors);
  const look = (
    claim: string,
  ): { readonly cycle: Cycle; readonly answer: unknown; readonly looked: readonly string[] } => {
    looked = new Set();
    const cycle = cycleOf(cluster, podWith(claim));
    return { cycle, answer: verdicts(plugin, cycle), looked: [...looked] };
  };
  const both = { n: 'fits', m: 'fits' };
  const onlyThere = { n: cannot, m: 'fits' };

  t.match(look('a'), { answer: both, looked: ['n', 'm'] });
  t.match(look('b'), { answer: both, looked: [] });
  objects.set('ResourceClaim', heldBy('x', 'd1', 'd2'));
  t.match(look('b'), { answer: onlyThere, looked: [] }, 'devices that others have are not even looked at');
  objects.set('ResourceClaim', heldBy('x', 'd2'));
  t.match(look('b'), { answer: both, looked: ['n'] }, 'one was given back');
  objects.delete('ResourceClaim', 'ns/x');
  const { cycle } = look('a');
  plugin.reserve?.(cycle, 'n');
  const second = look('b');
  t.match(second, { answer: both, looked: ['n'] }, 'what is only decided makes a node be looked at again');
  plugin.reserve?.(second.cycle, 'n');
  t.match(look('c'), { answer: onlyThere, looked: [] }, 'who came second was not given what the first has');
  plugin.unreserve?.(second.cycle, 'n');
  plugin.unreserve?.(cycle, 'n');
  t.match(look('c'), { answer: both, looked: [] });

  objects.set('ResourceClaim', claimOf('two', { requests: [exactly('r', { count: 2 })] }));
  t.match(look('two'), { answer: both, looked: ['n', 'm'] }, 'a claim that demands more');
  objects.set(
    'ResourceSlice',
    sliceOf(['d1'], { name: 't', pool: { name: 'm', generation: 2 }, where: { nodeName: 'm' } }),
  );
  t.match(look('two'), { answer: { n: 'fits', m: cannot } }, 'a node offers less');
  t.match(look('c'), { answer: both });
  objects.set('DeviceClass', classOf('gpu', { selectors: [selector('false')] }));
  t.match(look('c'), { answer: { n: cannot, m: cannot } }, 'a class changed');
});

t.test('results for extended resources are not shared between pods', async (t) => {
  const cluster = clusterOf({
    claims: [],
    classes: [classOf('gpu', { extendedResourceName: 'example.com/gpu' })],
    slices: [sliceOf(['d1'])],
  });
  const plugin = made(cluster);
  const asking = (count: string): unknown =>
    verdicts(plugin, cycleOf(cluster, podOf('p', { requests: { 'example.com/gpu': count } })));
  t.same(asking('1'), { n: 'fits' });
  t.same(asking('2'), { n: cannot });
});

t.test('devices stay allocated until their last allocation is removed', async (t) => {
  const { objects } = clusterOf({ claims: [] });
  const half = (name: string): Claim =>
    claimOf(name, {
      status: {
        allocation: {
          devices: {
            results: [
              { request: 'r', driver, pool: 'n', device: 'shared', shareID: name, consumedCapacity: { memory: '1Gi' } },
            ],
          },
        },
      },
    });
  const [whole, shared] = ['d1', 'shared'].map((device) => `${driver}/n/${device}`);
  const state = (): unknown => {
    const taken = indexAllocatedDevices(objects);
    return {
      whole: taken.isExclusive(whole ?? ''),
      shared: [...(taken.sharesOf(shared ?? '') ?? [])].map(([name, amount]) => `${name}=${printQuantity(amount)}`),
    };
  };
  for (const claim of [heldBy('a', 'd1'), heldBy('b', 'd1'), half('c'), half('d')]) objects.set('ResourceClaim', claim);
  t.same(state(), { whole: true, shared: ['memory=2Gi'] });
  for (const name of ['a', 'c']) objects.delete('ResourceClaim', `ns/${name}`);
  t.same(state(), { whole: true, shared: ['memory=1Gi'] });
  for (const name of ['b', 'd']) objects.delete('ResourceClaim', `ns/${name}`);
  t.same(state(), { whole: false, shared: [] });
  t.equal(indexAllocatedDevices(objects).has(shared ?? ''), false);
});

t.test('device selector expressions', async (t) => {
  const { compile } = celSelectors();
  const [device] = devicesOf(
    sliceOf([
      {
        name: 'd',
        allowMultipleAllocations: true,
        attributes: {
          model: { string: 'A100' },
          'other.example.com/index': { int: 3 },
          healthy: { bool: true },
          driverVersion: { version: '1.10.0-rc.2' },
        },
        capacity: { memory: { value: '40Gi' } },
      },
    ]),
  );
  if (device === undefined) throw new Error('no device');
  const said = (expression: string): unknown => {
    try {
      return compile(expression)(device);
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  const a = `device.attributes["${driver}"]`;
  const yes = [
    `device.driver == "${driver}"`,
    `device.driver != 'x' && ${a}.model == "A100"`,
    `${a}["model"] in ["H100", "A100"]`,
    `device.attributes["other.example.com"].index == 3`,
    `device.attributes["other.example.com"].index > -1`,
    `${a}.healthy`,
    `!(!${a}.healthy)`,
    `!!${a}.healthy`,
    `device.capacity["${driver}"].memory.compareTo(quantity("40Gi")) == 0`,
    `device.capacity["${driver}"].memory.isGreaterThan(quantity("1G"))`,
    `device.capacity["${driver}"].memory == quantity("40960Mi")`,
    `${a}.driverVersion.isGreaterThan(semver("1.9.0"))`,
    `${a}.driverVersion.isLessThan(semver("1.10.0"))`,
    `${a}.driverVersion.compareTo(semver("1.10.0-rc.10")) < 0`,
    `device.allowMultipleAllocations`,
    `"model" in ${a}`,
    `!("x" in device.attributes["none"])`,
    `has(${a}.model) && !has(${a}.none)`,
    `${a}.?none.orValue(7) == 7`,
    `${a}.?model.hasValue()`,
    `cel.bind(mine, ${a}, mine.healthy && mine.model.startsWith("A"))`,
    `${a}.model.lowerAscii().contains("a1")`,
    `${a}.none == 1 || true`,
    `true || ${a}.none == 1`,
    `!(${a}.none == 1 && false)`,
    `${a}.healthy ? ${a}.model.endsWith("0") : false`,
    `${a}.model != 3`,
    `"a\\"b" == 'a"b'`,
    `3 in [1, 2, 3]`,
    `1 < 2 == true`,
  ];
  for (const expression of yes) t.equal(said(expression), true, expression);
  const otherwise: readonly (readonly [string, unknown])[] = [
    ['false', false],
    [`device.attributes["none"].x == 1`, 'no such key: x'],
    [`${a}.model < 3`, 'no such overload'],
    [
      `${a}.model`,
      "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'",
    ],
    ['device.driver', 'must evaluate to bool or the unknown type, not string'],
    [`semver("1.2") == semver("1.2.0")`, 'No Major.Minor.Patch elements found'],
    ['true &&', /^compilation failed: ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>'/],
    ['pod.name == "x"', /^compilation failed: ERROR: <input>:1:1: undeclared reference to 'pod' \(in container ''\)/],
    [`${a}.model.matches("A.*")`, true],
    ['9223372036854775807 > 0', true],
    ['9223372036854775808 > 0', /^compilation failed: ERROR: <input>:1:1: invalid int literal/],
    ['1 + 1 == 2', true],
    [
      '[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, true))))))',
      'operation cancelled: actual cost limit exceeded',
    ],
  ];
  for (const [expression, text] of otherwise) t.match(said(expression), text, expression);
  const deep = `${'(device.none == 1 && '.repeat(45)}true${')'.repeat(45)}`;
  t.match(said(deep), /undefined field 'none'/, 'nesting costs no more than the length of the expression');

  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          'device',
          '.',
          'attributes',
          '[',
          ']',
          '"x"',
          '==',
          '&&',
          '!',
          '(',
          ')',
          '?',
          ':',
          '-',
          '1',
          'has',
          'in',
          ',',
          ' ',
          'cel',
          'bind',
          '__proto__',
          'constructor',
        ),
        { maxLength: 20 },
      ),
      (words) => {
        const answer = said(words.join(' '));
        return typeof answer === 'boolean' || typeof answer === 'string';
      },
    ),
    { numRuns: runs(300) },
  );

  const broken = [selector(`device.attributes["${driver}"].none == 1`)];
  t.same(
    answers({ claims: [claimOf('a', { requests: [exactly('r', { selectors: broken })] })], slices: [sliceOf(['d'])] }),
    'claim ns/a: selector #0: CEL runtime error: no such key: none',
  );
  t.match(
    answers({
      claims: [claimOf('a')],
      classes: [classOf('gpu', { selectors: [selector('device.driver ~ 1')] })],
      slices: [sliceOf(['d'])],
    }),
    /^class gpu: selector #0: CEL compile error: compilation failed: ERROR: <input>:1:15: Syntax error: token recognition/,
  );
});

/** Lets pending promises continue. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A server with the devices of a node, and a plugin that writes to it. */
async function served(t: Test, claims: readonly Claim[], devices: readonly (string | Device)[]): Promise<ServedScene> {
  const store = memoryStore();
  const server = createServer({ store });
  const client = inProcessClient(server.handler);
  const clock = virtualClock();
  t.teardown(async () => {
    await server.close();
    await store.close();
    if (clock.pending > 0) throw new Error('a timer is still pending');
  });
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'ns' } });
  const cluster = clusterOf({ claims: [], slices: [sliceOf(devices)] });
  const stored = client.kind('resource.k8s.io/v1', 'ResourceClaim').in('ns');
  for (const { metadata, spec } of claims) await stored.create({ metadata: { name: metadata?.name ?? '' }, spec });
  const learn = async (): Promise<void> => {
    for (const { metadata } of cluster.objects.list('ResourceClaim'))
      cluster.objects.delete('ResourceClaim', `ns/${metadata?.name ?? ''}`);
    for (const claim of (await stored.list()).items) cluster.objects.set('ResourceClaim', claim);
  };
  await learn();
  const works: Promise<void>[] = [];
  const notes: string[] = [];
  const plugin = made(cluster, {
    client,
    clock,
    recordEvent: ({ reason }) => notes.push(reason),
    runInBackground: (work) => void works.push(work(new AbortController().signal)),
  });
  return {
    client,
    cluster,
    plugin,
    learn,
    notes,
    get: (name) => stored.get(name),
    pass: (ms) => clock.advance(ms),
    settled: () => Promise.all(works),
  };
}

interface ServedScene {
  readonly client: Client;
  readonly cluster: TestCluster;
  readonly plugin: SchedulingPlugin;
  readonly notes: readonly string[];
  learn(): Promise<void>;
  get(name: string): Promise<Claim>;
  pass(ms: number): Promise<void>;
  settled(): Promise<unknown>;
}

/** Runs the cycle of a pod on the node `n` up to PreBind, and returns the result. */
function bind(
  { plugin, cluster }: ServedScene,
  pod: Frozen<Pod>,
): { readonly cycle: Cycle; readonly outcome: Promise<string> } {
  const cycle = cycleOf(cluster, pod);
  const answer = verdicts(plugin, cycle);
  if (typeof answer !== 'object') throw new Error(JSON.stringify(answer));
  plugin.reserve?.(cycle, 'n');
  const outcome = (
    plugin.preBind?.(cycle, 'n', new AbortController().signal) ?? Promise.reject(new Error('no preBind'))
  ).then(
    () => 'bound',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return { cycle, outcome };
}

t.test('allocations are written', async (t) => {
  const scene = await served(t, [claimOf('a'), claimOf('b')], ['d1']);
  const { cycle, outcome } = bind(scene, podWith('a'));
  t.equal(await outcome, 'bound');
  const claim = await scene.get('a');
  t.match(claim.status?.allocation?.devices?.results, [{ request: 'r', driver, pool: 'n', device: 'd1' }]);
  t.type(claim.status?.allocation?.allocationTimestamp, 'string');
  t.same(claim.status?.reservedFor, [{ resource: 'pods', name: 'p', uid: 'p-uid' }]);
  t.same(claim.metadata?.finalizers, ['resource.kubernetes.io/delete-protection']);

  t.same(
    verdicts(scene.plugin, cycleOf(scene.cluster, podWith('b'))),
    { n: cannot },
    'it counts before the news of it is here',
  );
  t.same(
    verdicts(scene.plugin, cycleOf(scene.cluster, podWith('a'))),
    { n: 'fits' },
    'and another pod may use the claim',
  );
  await scene.learn();
  t.same(verdicts(scene.plugin, cycleOf(scene.cluster, podWith('b'))), { n: cannot }, 'and after');

  const other = bind(scene, podOf('q', { spec: { resourceClaims: [{ name: 'c', resourceClaimName: 'a' }] } }));
  t.equal(await other.outcome, 'bound');
  t.same(
    (await scene.get('a')).status?.reservedFor?.map(({ name }) => name),
    ['p', 'q'],
  );

  scene.plugin.unreserve?.(cycle, 'n');
  await scene.settled();
  t.same(
    (await scene.get('a')).status?.reservedFor?.map(({ name }) => name),
    ['q'],
    'the pod did not get its node after all',
  );
});

t.test('a claim that changed in the meantime fails the binding', async (t) => {
  const scene = await served(t, [claimOf('a'), claimOf('b')], ['d1', 'd2']);
  const claims = scene.client.kind('resource.k8s.io/v1', 'ResourceClaim').in('ns');
  const touched = await scene.get('a');
  await claims.update({ ...touched, metadata: { ...touched.metadata, labels: { by: 'others' } } });
  t.equal(await bind(scene, podWith('a')).outcome, 'bound', 'a concurrent write of an irrelevant field');
  await claims.status.update({ ...(await scene.get('b')), status: { allocation: given('d2') } });
  t.equal(await bind(scene, podWith('b')).outcome, 'claim ns/b got allocated elsewhere in the meantime');
});

t.test('binding conditions', async (t) => {
  const scene = await served(
    t,
    [claimOf('a')],
    [{ name: 'd1', bindingConditions: ['Ready'], bindingFailureConditions: ['Broken'] }],
  );
  const claims = scene.client.kind('resource.k8s.io/v1', 'ResourceClaim').in('ns');
  const tell = async (type: string): Promise<void> => {
    const claim = await scene.get('a');
    const conditions: resourceV1.AllocatedDeviceStatus['conditions'] = [
      { type, status: 'True', reason: 'Test', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' },
    ];
    await claims.status.update({
      ...claim,
      status: { ...claim.status, devices: [{ driver, pool: 'n', device: 'd1', conditions }] },
    });
    await scene.learn();
  };
  const { outcome } = bind(scene, podWith('a'));
  let over = false;
  void outcome.then(() => (over = true));
  while (scene.notes.length === 0) await pause();
  t.same(scene.notes, ['BindingConditionsPending']);
  await scene.pass(5000);
  t.notOk(over, 'not yet');
  await tell('Ready');
  await scene.pass(5000);
  t.equal(await outcome, 'bound');
  await tell('Broken');
  t.same(
    verdicts(scene.plugin, cycleOf(scene.cluster, podWith('a'))),
    { n: [UU, 'resourceclaim not available on the node'] },
    'it failed',
  );
});

t.test('extended resources backed by a device class', async (t) => {
  const resource = 'example.com/gpu';
  const gpu = classOf('gpu', { extendedResourceName: resource });
  const wanting = (name: string, requests: Record<string, string>): Container => ({ name, resources: { requests } });
  const pod = (spec: Partial<PodSpec>): Frozen<Pod> => podOf('p', { spec });
  const nodes: Scene['nodes'] = [['n'], ['own', { allocatable: { [resource]: '4' } }], ['m']];
  const scene: Scene = {
    claims: [heldBy('other', 'd3')],
    classes: [gpu],
    slices: [sliceOf(['d1', 'd2', 'd3'])],
    nodes,
  };
  const cluster = clusterOf(scene);
  const two = pod({ containers: [wanting('c', { [resource]: '2', cpu: '1' })] });
  t.same(
    verdicts(made(cluster), cycleOf(cluster, two)),
    { n: 'fits', own: 'fits', m: cannot },
    'devices, the node itself, neither',
  );
  const three = pod({ containers: [wanting('c', { 'deviceclass.resource.kubernetes.io/gpu': '3' })] });
  t.same(
    verdicts(made(cluster), cycleOf(cluster, three)),
    { n: cannot, own: cannot, m: cannot },
    'by the name of the class, but there are not so many',
  );
  t.same(
    verdicts(made(cluster), cycleOf(cluster, pod({ containers: [wanting('c', { 'example.com/other': '1' })] }))),
    'skip',
    'no class is behind it',
  );
  const more = clusterOf({ ...scene, nodes: [['n'], ['m', { allocatable: { 'example.com/other': '0' } }]] });
  const both = (other: string): Frozen<Pod> => pod({ containers: [wanting('c', { [resource]: '1', [other]: '1' })] });
  const foreign = [UU, 'cannot fit resource'];
  t.same(
    verdicts(made(more), cycleOf(more, both('example.com/other'))),
    { n: foreign, m: cannot },
    'a resource that neither the node knows nor a class stands behind',
  );
  t.same(verdicts(made(more), cycleOf(more, both('deviceclass.resource.kubernetes.io/none'))), {
    n: foreign,
    m: foreign,
  });
  t.same(
    verdicts(made(more), cycleOf(more, both('hugepages-2Mi'))),
    { n: 'fits', m: cannot },
    'what cannot be devices is of no concern',
  );
  const ownNode = cycleOf(cluster, two);
  verdicts(made(cluster), ownNode);
  t.equal(made(cluster).reserve?.(ownNode, 'own'), undefined, 'nothing is to be decided where the node has it');

  const requestsOf = (spec: Partial<PodSpec>): unknown => {
    const { requests, mappings } = extendedRequests(pod(spec), new Map([[resource, gpu]]));
    return [
      requests.map(({ name, exactly: asked }) => `${name} ${asked?.count ?? 0}`),
      mappings.map(({ containerName, requestName }) => `${containerName} ${requestName}`),
    ];
  };
  const one = wanting('c', { [resource]: '1' });
  t.same(requestsOf({ containers: [one, wanting('d', { cpu: '1', [resource]: '2' })] }), [
    ['container-0-request-0 1', 'container-1-request-1 2'],
    ['c container-0-request-0', 'd container-1-request-1'],
  ]);
  t.same(
    requestsOf({ initContainers: [wanting('i', { [resource]: '1' })], containers: [one] }),
    [['container-1-request-0 1'], ['c container-1-request-0', 'i container-1-request-0']],
    'who is gone before uses the same',
  );
  t.same(
    requestsOf({
      initContainers: [wanting('i', { [resource]: '3' }), wanting('j', { [resource]: '2' })],
      containers: [one],
    }),
    [
      ['container-0-request-0 2', 'container-2-request-0 1'],
      [
        'c container-2-request-0',
        'i container-2-request-0',
        'j container-2-request-0',
        'i container-0-request-0',
        'j container-0-request-0',
      ],
    ],
    'and what more they need, one after another',
  );
  t.same(
    requestsOf({
      initContainers: [
        { ...wanting('s', { [resource]: '1' }), restartPolicy: 'Always' },
        wanting('i', { [resource]: '1' }),
      ],
      containers: [wanting('c', {})],
    }),
    [
      ['container-0-request-0 1', 'container-1-request-0 1'],
      ['s container-0-request-0', 'i container-1-request-0'],
    ],
    'a sidecar that runs already keeps its own',
  );

  const server = await served(t, [], ['d1', 'd2']);
  server.cluster.objects.set('DeviceClass', gpu);
  const { metadata } = await server.client.kind('v1', 'Pod').create({
    metadata: { name: 'p', namespace: 'ns' },
    spec: {
      containers: [
        { name: 'c', image: 'i', resources: { requests: { [resource]: '2' }, limits: { [resource]: '2' } } },
      ],
    },
  });
  const stored = deepFreeze({ ...two, metadata });
  const { outcome } = bind(server, stored);
  t.equal(await outcome, 'bound');
  const [made1] = (await server.client.kind('resource.k8s.io/v1', 'ResourceClaim').in('ns').list()).items;
  t.match(made1?.metadata.name, /^p-extended-resources-/);
  t.match(made1?.metadata.annotations, { 'resource.kubernetes.io/extended-resource-claim': 'true' });
  t.same(
    made1?.status?.allocation?.devices?.results?.map(({ device }) => device),
    ['d1', 'd2'],
  );
  t.equal(made1?.status?.reservedFor?.length, 1);
  t.same((await server.client.kind('v1', 'Pod').in('ns').get('p')).status?.extendedResourceClaimStatus, {
    requestMappings: [{ containerName: 'c', resourceName: resource, requestName: 'container-0-request-1' }],
    resourceClaimName: made1?.metadata.name,
  });
  t.same(
    verdicts(server.plugin, cycleOf(server.cluster, podOf('q', { requests: { [resource]: '1' } }))),
    { n: cannot },
    'they are taken before the news of it is here',
  );

  await server.learn();
  const again = cycleOf(server.cluster, stored);
  t.same(
    verdicts(server.plugin, again),
    { n: [UU, 'cannot schedule extended resource claim'] },
    'a claim is left over from an earlier attempt',
  );
  const diagnosis = {
    nodeCount: 1,
    reasons: new Map(),
    rejectors: new Set<string>(),
    pending: new Set<string>(),
    rejectionOf: () => undefined,
    slotsRejected: () => new Int32Array(0),
  };
  t.same((await server.plugin.postFilter?.(again, diagnosis, signal))?.rejection, {
    code: U,
    reasons: ['deletion of ResourceClaim completed'],
  });
  t.same(
    (await server.plugin.postFilter?.(again, diagnosis, signal))?.rejection?.reasons,
    ['deletion of ResourceClaim completed'],
    'who was faster does not matter',
  );
  await server.learn();
  t.same(server.cluster.objects.list('ResourceClaim'), [], 'it goes');
  const second = bind(server, stored);
  t.equal(await second.outcome, 'bound');
  server.plugin.unreserve?.(second.cycle, 'n');
  await server.settled();
  await server.learn();
  t.same(server.cluster.objects.list('ResourceClaim'), [], 'it goes with the node that the pod did not get');
  t.same(verdicts(server.plugin, cycleOf(server.cluster, stored)), { n: 'fits' });
});

t.test('the selector compiler can be replaced', async (t) => {
  const cluster = clusterOf({
    claims: [claimOf('a')],
    classes: [classOf('gpu', { selectors: [selector('the second one')] })],
    slices: [sliceOf(['d1', 'd2'])],
  });
  const seen: string[] = [];
  const selectors: SelectorCompiler = {
    compile: (expression) => (device) => (seen.push(`${expression}: ${device.id}`), device.name === 'd2'),
  };
  const tools = toolsOf(cluster);
  const plugin = dynamicResources(tools, tools.profile.args.DynamicResources, selectors);
  t.same(verdicts(plugin, cycleOf(cluster, podWith('a'))), { n: 'fits' });
  t.same(seen, [`the second one: ${driver}/n/d1`, `the second one: ${driver}/n/d2`], 'each device once');
});

t.test('events that requeue pods', async (t) => {
  const hint = <R extends keyof EventResources>(
    resource: R,
    action: number,
    old?: Frozen<EventResources[R]>,
    current?: Frozen<EventResources[R]>,
    known: readonly Claim[] = [claimOf('a')],
  ): string => {
    const { events = [] } = made(clusterOf({ claims: known }));
    const interests = events.filter((each) => each.resource === resource && (each.action & action) === action);
    if (interests.length === 0) return 'not asked';
    return interests.some(
      (each) => each.hint === undefined || each.hint(podFacts(podWith('a')), old, current) === 'queue',
    )
      ? 'queue'
      : 'skip';
  };
  const resource = 'resource.k8s.io/ResourceClaim';
  t.equal(hint(resource, actions.add, undefined, claimOf('a')), 'queue', 'its claim is there');
  t.equal(hint(resource, actions.add, undefined, claimOf('a'), []), 'skip', 'but another is missing');
  t.equal(hint(resource, actions.add, undefined, claimOf('b')), 'skip', 'the claim of another');
  t.equal(hint(resource, actions.update, heldBy('b', 'd'), claimOf('b')), 'queue', 'devices are free again');
  t.equal(hint(resource, actions.update, claimOf('a'), heldBy('a', 'd')), 'queue', 'its claim has devices');
  t.equal(
    hint(resource, actions.update, claimOf('a'), claimOf('a', { metadata: { labels: { x: 'y' } } })),
    'skip',
    'nothing that matters',
  );
  t.equal(hint('Pod', actions.updatePodGeneratedResourceClaim, podWith(), podWith('a')), 'queue');
  t.equal(hint('Pod', actions.updatePodGeneratedResourceClaim, podWith(), podWith('none')), 'skip');
  t.equal(hint('Pod', actions.updatePodGeneratedResourceClaim, podOf('q'), podOf('q')), 'skip');
  t.equal(hint('Pod', actions.delete, podOf('q')), 'not asked');
  for (const action of [actions.add, actions.updateNodeLabel, actions.updateNodeAllocatable])
    t.equal(hint('Node', action, undefined, nodeOf('n')), 'queue');
  for (const action of [actions.add, actions.update])
    t.equal(hint('resource.k8s.io/ResourceSlice', action, undefined, sliceOf([])), 'queue');
  for (const action of [actions.add, actions.update])
    t.equal(hint('resource.k8s.io/DeviceClass', action, undefined, classOf()), 'queue');
});

t.test('laws of allocation', async (t) => {
  const kinds = ['k0', 'k1', 'k2'];
  const someKinds = fc.subarray(kinds, { minLength: 1 });
  const device = fc.record({
    kind: fc.constantFrom(...kinds),
    numa: fc.constantFrom(0, 1, undefined),
    part: fc.constantFrom('0', '1', '2'),
  });
  const request = fc.record({ kinds: someKinds, count: fc.integer({ min: 1, max: 2 }) });
  const claim = fc.record({
    requests: fc.array(fc.array(request, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    constraint: fc.constantFrom('none', 'match', 'distinct'),
  });
  interface Sketch {
    readonly devices: readonly { readonly kind: string; readonly numa: number | undefined; readonly part: string }[];
    readonly claims: readonly {
      readonly requests: readonly (readonly { readonly kinds: readonly string[]; readonly count: number }[])[];
      readonly constraint: string;
    }[];
    readonly taken: readonly number[];
    readonly card: string;
  }
  const sketch: fc.Arbitrary<Sketch> = fc.record({
    devices: fc.array(device, { maxLength: 5 }),
    claims: fc.array(claim, { minLength: 1, maxLength: 2 }),
    taken: fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }),
    card: fc.constantFrom('2', '4'),
  });

  const sceneOf = ({ devices, claims, taken, card }: Sketch): Scene => {
    const pool = { resourceSliceCount: 2 };
    const offered = devices.map(({ kind, numa, part }, index) =>
      withAttributes(
        `d${index}`,
        { kind: { string: kind }, ...(numa !== undefined && { numa: { int: numa } }) },
        part === '0' ? {} : { consumesCounters: [{ counterSet: 'card', counters: { units: { value: part } } }] },
      ),
    );
    return {
      slices: [
        sliceOf(offered, { name: 's1', pool }),
        sliceOf([], { name: 's2', pool, counters: [{ name: 'card', counters: { units: { value: card } } }] }),
      ],
      claims: [
        ...claims.map(({ requests, constraint }, index) =>
          claimOf(`c${index}`, {
            requests: requests.map((alternatives, at) =>
              preferring(
                `r${at}`,
                ...alternatives.map(({ kinds: wanted, count }, nth) => ({
                  name: `s${nth}`,
                  count,
                  selectors: [selector(`device.attributes["${driver}"].kind in ${JSON.stringify(wanted)}`)],
                })),
              ),
            ),
            constraints:
              constraint === 'none'
                ? []
                : [{ [constraint === 'match' ? 'matchAttribute' : 'distinctAttribute']: `${driver}/numa` }],
          }),
        ),
        heldBy('other', ...taken.map((index) => `d${index}`)),
      ],
    };
  };

  /** Returns whether devices, by claim and request, satisfy the claims. */
  const isRight = (
    { devices, claims, taken, card }: Sketch,
    choice: readonly (readonly { readonly alternative: number; readonly devices: readonly number[] }[])[],
  ): boolean => {
    const all = choice.flatMap((requests) => requests.flatMap((each) => each.devices));
    if (new Set(all).size < all.length || all.some((index) => taken.includes(index))) return false;
    const used = [...all, ...taken].reduce((sum, index) => sum + Number(devices[index]?.part ?? 0), 0);
    if (all.some((index) => devices[index]?.part !== '0') && used > Number(card)) return false;
    return claims.every(({ requests, constraint }, at) => {
      const mine = choice[at] ?? [];
      const values = mine.flatMap((each) => each.devices.map((index) => devices[index]?.numa));
      if (constraint !== 'none' && values.includes(undefined)) return false;
      if (constraint === 'match' && new Set(values).size > 1) return false;
      if (constraint === 'distinct' && new Set(values).size < values.length) return false;
      return requests.every((alternatives, nth) => {
        const { alternative = 0, devices: got = [] } = mine[nth] ?? {};
        const wanted = alternatives[alternative];
        return got.length === wanted?.count && got.every((index) => wanted.kinds.includes(devices[index]?.kind ?? ''));
      });
    });
  };

  /** Yields all assignments of devices, valid or not, claim by claim and request by request. */
  function* everyChoice({ devices, claims }: Sketch): Generator<{ alternative: number; devices: number[] }[][]> {
    const subsets = (count: number, from = 0): number[][] =>
      count === 0
        ? [[]]
        : devices.flatMap((_, index) =>
            index < from ? [] : subsets(count - 1, index + 1).map((rest) => [index, ...rest]),
          );
    const ways = claims.flatMap(({ requests }, at) =>
      requests.map((alternatives, nth) => ({
        at,
        nth,
        options: alternatives.flatMap(({ count }, alternative) =>
          subsets(count).map((list) => ({ alternative, devices: list })),
        ),
      })),
    );
    const walk = function* (
      index: number,
      sofar: { alternative: number; devices: number[] }[][],
    ): Generator<{ alternative: number; devices: number[] }[][]> {
      const way = ways[index];
      if (way === undefined) {
        yield sofar;
        return;
      }
      for (const option of way.options)
        yield* walk(
          index + 1,
          sofar.map((list, at) => (at === way.at ? [...list, option] : list)),
        );
    };
    yield* walk(
      0,
      claims.map(() => []),
    );
  }

  /** Returns the choice in the same form: `request/alternative:device`. */
  const choiceOf = (
    { claims }: Sketch,
    names: Readonly<Record<string, readonly string[]>>,
  ): { alternative: number; devices: number[] }[][] =>
    claims.map(({ requests }, at) =>
      requests.map((_, nth) => {
        const mine = (names[`c${at}`] ?? []).filter((each) => each.startsWith(`r${nth}/`));
        return {
          alternative: Number(/^r\d+\/s(\d+):/.exec(mine[0] ?? '')?.[1] ?? 0),
          devices: mine.map((each) => Number(each.slice(each.indexOf(':d') + 2))),
        };
      }),
    );

  let [possible, impossible] = [0, 0];
  fc.assert(
    fc.property(sketch, (sketched) => {
      const scene = sceneOf(sketched);
      let first: ReturnType<typeof choiceOf> | undefined;
      for (const choice of everyChoice(sketched)) {
        if (!isRight(sketched, choice)) continue;
        first = choice;
        break;
      }
      if (first === undefined) {
        impossible += 1;
        t.same(answers(scene), { n: cannot });
        return;
      }
      possible += 1;
      const names = chosen(scene);
      const choice = choiceOf(sketched, names);
      t.ok(isRight(sketched, choice), JSON.stringify({ sketched, names }));
      t.same(choice, first, 'of all that are right the first');
    }),
    { numRuns: runs(300) },
  );
  t.ok(possible >= seenAtLeast(50) && impossible >= seenAtLeast(50), `${possible} possible, ${impossible} not`);
});

t.test('a search without a solution', async (t) => {
  const many = Array.from({ length: 60 }, (_, index) => withAttributes(`d${index}`, { number: { int: index } }));
  const requests = [exactly('x', { count: 16 }), exactly('y', { selectors: [selector('false')] })];
  const slices = [sliceOf(many)];
  t.same(
    answers({ claims: [claimOf('a', { requests })], slices }),
    { n: cannot },
    'is short where devices make no difference',
  );
  t.same(
    answers({
      claims: [
        claimOf('a', { requests: [exactly('x', { count: 32 })] }),
        heldBy('other', ...many.slice(0, 29).map(({ name }) => name)),
      ],
      slices,
    }),
    { n: cannot },
    'or where there are too few',
  );
  const cluster = clusterOf({
    claims: [claimOf('a', { requests, constraints: [{ distinctAttribute: `${driver}/number` }] })],
    slices,
  });
  const profile = schedulerConfiguration({
    profiles: [{ pluginConfig: [{ name: 'DynamicResources', args: { filterTimeout: '10ms' } }] }],
  }).profiles.get('default-scheduler');
  if (profile === undefined) throw new Error('no profile');
  t.equal(
    verdicts(made(cluster, { profile }), cycleOf(cluster, podWith('a'))),
    'node n: timed out trying to allocate devices',
    'and otherwise given up',
  );
});

for (const placing of ['fast', 'plain'] as const) {
  t.test(`a whole scheduler allocates devices, and reuses them once they are free (${placing})`, async (t) => {
    const clock = virtualClock({ start: Date.UTC(2026, 0, 1) });
    const store = memoryStore({ clock });
    const server = createServer({ store, clock, random: random(1) });
    const client = inProcessClient(server.handler);
    const scheduler = createScheduler({ client, clock, random: random(2), placing });
    const running = observe(scheduler.run(), () => undefined);
    t.teardown(async () => {
      running.unsubscribe();
      await server.close();
      await store.close();
      await clock.settled();
      if (clock.pending > 0) throw new Error(`${clock.pending} timers are left`);
    });
    await client.kind('v1', 'Namespace').create({ metadata: { name: 'ns' } });
    await client
      .kind('v1', 'Node')
      .create({ metadata: { name: 'n' }, status: { allocatable: { cpu: '4', memory: '32Gi', pods: '110' } } });
    await client
      .kind('v1', 'Node')
      .create({ metadata: { name: 'm' }, status: { allocatable: { cpu: '4', memory: '32Gi', pods: '110' } } });
    await client.kind('resource.k8s.io/v1', 'DeviceClass').create(classOf());
    await client.kind('resource.k8s.io/v1', 'ResourceSlice').create(sliceOf(['d1']));
    const claims = client.kind('resource.k8s.io/v1', 'ResourceClaim').in('ns');
    for (const name of ['a', 'b'])
      await claims.create({ metadata: { name }, spec: { devices: { requests: [exactly('r')] } } });
    await clock.settled();
    const pods = client.kind('v1', 'Pod').in('ns');
    const create = async (name: string, claim: string): Promise<unknown> => {
      const created = await pods.create({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i' }], resourceClaims: [{ name: 'c', resourceClaimName: claim }] },
      });
      await clock.settled();
      return created;
    };
    await create('p', 'a');
    t.equal((await pods.get('p')).spec?.nodeName, 'n', 'where the device is');
    const held = await claims.get('a');
    t.same(
      held.status?.reservedFor?.map(({ name }) => name),
      ['p'],
    );
    await create('q', 'b');
    t.match((await pods.get('q')).status?.conditions, [
      {
        reason: 'Unschedulable',
        message:
          '0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
      },
    ]);
    await create('early', 'missing');
    t.equal((await pods.get('early')).spec?.nodeName, undefined, 'it is not even tried');
    await pods.delete('p', { gracePeriodSeconds: 0 });
    await claims.status.update({ ...held, status: {} });
    await clock.advance(15_000);
    t.equal((await pods.get('q')).spec?.nodeName, 'n', 'the device was given back');
    await claims.create({
      metadata: { name: 'missing' },
      spec: { devices: { requests: [exactly('r', { adminAccess: false })] } },
    });
    await client
      .kind('resource.k8s.io/v1', 'ResourceSlice')
      .create(sliceOf(['e1'], { name: 's2', pool: { name: 'm' }, where: { nodeName: 'm' } }));
    await clock.advance(15_000);
    t.equal((await pods.get('early')).spec?.nodeName, 'm', 'its claim came, and a device');

    await client
      .kind('resource.k8s.io/v1', 'ResourceSlice')
      .create(sliceOf(['f1', 'f2'], { name: 's3', pool: { name: 'more' }, where: { nodeName: 'm' } }));
    const resources = {
      requests: { 'deviceclass.resource.kubernetes.io/gpu': '2' },
      limits: { 'deviceclass.resource.kubernetes.io/gpu': '2' },
    };
    await pods.create({ metadata: { name: 'extended' }, spec: { containers: [{ name: 'c', image: 'i', resources }] } });
    await clock.settled();
    const { spec, status } = await pods.get('extended');
    t.equal(spec?.nodeName, 'm', 'by the name of a resource');
    const made = await claims.get(status?.extendedResourceClaimStatus?.resourceClaimName ?? '');
    t.same(
      made.status?.allocation?.devices?.results?.map(({ device }) => device),
      ['f1', 'f2'],
    );
  });
}
