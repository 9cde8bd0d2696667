// Devices: which nodes a pod with claims may have, in which words the others are refused, what stands in a claim once devices
// were found for it, and that nobody is given what another has.
import fc from 'fast-check';
import t from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { deepFreeze, random, virtualClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { DeviceClass, Pod, ResourceSlice, resourceV1 } from '../../lib/core/types/index.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle.js';
import type { EventResources } from '../../lib/scheduling/framework/event-interest.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import type { PluginTools } from '../../lib/scheduling/framework/plugin-tools.js';
import { actions, podFacts } from '../../lib/scheduling/index.js';
import { builtinMakers } from '../../lib/scheduling/plugins/default-plugins.js';
import { basicSelectors } from '../../lib/scheduling/plugins/dynamic-resources/basic-selectors.js';
import { claimLedger } from '../../lib/scheduling/plugins/dynamic-resources/claim-ledger.js';
import { devicesOf } from '../../lib/scheduling/plugins/dynamic-resources/devices.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { TestCluster, cycleOf, nodeOf, podOf, toolsOf } from '../support/scheduling.js';

type Claim = Frozen<resourceV1.ResourceClaim>;
type Device = resourceV1.Device;
type Exactly = resourceV1.ExactDeviceRequest;

const U = 'Unschedulable';
const UU = 'UnschedulableAndUnresolvable';
const driver = 'gpu.example.com';
const cannot = [UU, 'cannot allocate all claims'];

function made(cluster: TestCluster, tools: Partial<PluginTools> = {}): SchedulingPlugin {
  const maker = builtinMakers.get('DynamicResources');
  if (maker === undefined) throw new Error('nobody makes it');
  return maker(toolsOf(cluster, tools), undefined);
}

/** What the plugin says: `skip`, one refusal for all nodes, or one answer for each; the text of what it throws. */
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
const classOf = (name = 'gpu', spec: DeviceClass['spec'] = { selectors: [selector(`device.driver == "${driver}"`)] }): Frozen<DeviceClass> => deepFreeze<DeviceClass>({ metadata: { name }, spec });
const exactly = (name: string, rest: Partial<Exactly> = {}): resourceV1.DeviceRequest => ({ name, exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, ...rest } });
const preferring = (name: string, ...alternatives: (Partial<Exactly> & { name: string })[]): resourceV1.DeviceRequest => ({
  name,
  firstAvailable: alternatives.map((each) => ({ deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, ...each })),
});

interface ClaimShape {
  readonly requests?: resourceV1.DeviceRequest[];
  readonly constraints?: resourceV1.DeviceConstraint[];
  readonly config?: resourceV1.DeviceClaimConfiguration[];
  readonly metadata?: resourceV1.ResourceClaim['metadata'];
  readonly status?: resourceV1.ResourceClaimStatus;
}

/** A claim for one device, unless it says otherwise. */
function claimOf(name: string, { requests = [exactly('r')], constraints = [], config = [], metadata = {}, status }: ClaimShape = {}): Claim {
  return deepFreeze<resourceV1.ResourceClaim>({
    metadata: { name, namespace: 'ns', uid: `${name}-uid`, resourceVersion: '1', ...metadata },
    spec: { devices: { requests, constraints, config } },
    ...(status && { status }),
  });
}

/** What a claim has. */
const given = (...devices: readonly string[]): resourceV1.AllocationResult => ({ devices: { results: devices.map((device) => ({ request: 'r', driver, pool: 'n', device })) } });
const heldBy = (name: string, ...devices: readonly string[]): Claim => claimOf(name, { status: { allocation: given(...devices) } });

interface SliceShape {
  readonly name?: string;
  readonly pool?: Partial<resourceV1.ResourcePool>;
  /** Default: the node `n`. */
  readonly where?: Pick<resourceV1.ResourceSliceSpec, 'nodeName' | 'nodeSelector' | 'allNodes' | 'perDeviceNodeSelection'>;
  readonly counters?: resourceV1.CounterSet[];
}

/** Devices on offer. */
function sliceOf(devices: readonly (string | Device)[], { name = 's', pool = {}, where = { nodeName: 'n' }, counters }: SliceShape = {}): Frozen<ResourceSlice> {
  return deepFreeze<ResourceSlice>({
    metadata: { name },
    spec: {
      driver,
      pool: { name: 'n', generation: 1, resourceSliceCount: 1, ...pool },
      ...where,
      ...(counters ? { sharedCounters: counters } : { devices: devices.map((device) => (typeof device === 'string' ? { name: device } : device)) }),
    },
  });
}

const withAttributes = (name: string, attributes: Record<string, resourceV1.DeviceAttribute>, rest: Partial<Device> = {}): Device => ({ name, attributes, ...rest });
const podWith = (...claims: readonly string[]): Frozen<Pod> => podOf('p', { spec: { resourceClaims: claims.map((claim, index) => ({ name: `c${index}`, resourceClaimName: claim })) } });

interface Scene {
  readonly claims: readonly Claim[];
  readonly slices?: readonly Frozen<ResourceSlice>[];
  readonly classes?: readonly Frozen<DeviceClass>[];
  readonly nodes?: Parameters<typeof nodeOf>[];
}

function clusterOf({ claims, slices = [], classes = [classOf()], nodes = [['n']] }: Scene): TestCluster {
  return new TestCluster({ nodes: nodes.map((each) => nodeOf(...each)), objects: { ResourceClaim: claims, ResourceSlice: slices, DeviceClass: classes } });
}

/** The claims among them that have no devices yet. */
const open = (claims: readonly Claim[]): string[] => claims.filter(({ status }) => status?.allocation === undefined).map(({ metadata }) => metadata?.name ?? '');

/** What is said of a pod that uses all claims without devices. */
function answers(scene: Scene): unknown {
  const cluster = clusterOf(scene);
  return verdicts(made(cluster), cycleOf(cluster, podWith(...open(scene.claims))));
}

/** The allocations that such a pod gets on the node `n`, by claim. */
function allocations(scene: Scene): Record<string, Frozen<resourceV1.AllocationResult>> {
  const cluster = clusterOf(scene);
  const plugin = made(cluster);
  const names = open(scene.claims);
  const cycle = cycleOf(cluster, podWith(...names));
  const answer = verdicts(plugin, cycle);
  if (typeof answer !== 'object' || answer === null || !('n' in answer) || answer.n !== 'fits') throw new Error(`it does not fit: ${JSON.stringify(answer)}`);
  return decidedIn(plugin, cycle, names);
}

/** Reserves the node `n`, and reads what was decided off the writes. */
function decidedIn(plugin: SchedulingPlugin, cycle: Cycle, names: readonly string[]): Record<string, Frozen<resourceV1.AllocationResult>> {
  const decided: Record<string, Frozen<resourceV1.AllocationResult>> = {};
  const ledger = claimLedger(cycle.cluster);
  const { decide } = ledger;
  ledger.decide = (claim, allocation) => {
    decided[claim.metadata?.name ?? ''] = allocation;
    decide.call(ledger, claim, allocation);
  };
  plugin.reserve?.(cycle, 'n');
  ledger.decide = decide;
  return Object.fromEntries(names.map((name) => [name, decided[name] ?? {}]));
}

/** The same, the names of devices only: `request:device`. */
function chosen(scene: Scene): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(allocations(scene)).map(([name, { devices }]) => [name, (devices?.results ?? []).map(({ request, device }) => `${request}:${device}`)]));
}

t.test('pods without claims are none of its business', async (t) => {
  const cluster = clusterOf({ claims: [] });
  const plugin = made(cluster);
  const cycle = cycleOf(cluster, podOf('p'));
  const diagnosis = { nodeCount: 1, reasons: new Map(), rejectors: new Set<string>(), pending: new Set<string>(), rejectionOf: () => undefined };
  t.throws(() => plugin.postFilter?.(cycle, diagnosis), /^not found$/, 'nobody asked it before');
  t.equal(plugin.preEnqueue?.(cycle.pod), undefined);
  t.equal(plugin.preFilter?.(cycle), 'skip');
  t.same(plugin.postFilter?.(cycle, diagnosis), { rejection: { code: U, reasons: ['no new claims to deallocate'] } });
  t.equal(plugin.score?.(cycle, cluster.at('n')), 0);
  t.equal(plugin.reserve?.(cycle, 'n'), undefined);
  t.equal(plugin.preBindPreFlight?.(cycle, 'n'), 'skip');
});

t.test('claims must be there, stay, and be for the pod', async (t) => {
  const templated = (status?: Pod['status']): Frozen<Pod> => podOf('p', { spec: { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 't' }] }, ...(status && { status }) });
  const generated = { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'made' }] };
  const owned = claimOf('made', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'p-uid', controller: true }] } });
  const cases: readonly (readonly [string, Frozen<Pod>, readonly Claim[], string | undefined])[] = [
    ['it is not there', podWith('a'), [], 'could not find ResourceClaim "ns/a"'],
    ['it is', podWith('a'), [claimOf('a')], undefined],
    ['it is going', podWith('a'), [claimOf('a', { metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' } })], 'resourceclaim "a" is being deleted'],
    ['it is still to be made', templated(), [], 'pod "ns/p": ResourceClaim not created yet'],
    ['none is needed', templated({ resourceClaimStatuses: [{ name: 'c' }] }), [], undefined],
    ['it was made for the pod', templated(generated), [owned], undefined],
    ['it was made for another', templated(generated), [claimOf('made')], 'ResourceClaim ns/made was not created for Pod ns/p (Pod is not owner)'],
  ];
  for (const [what, pod, claims, text] of cases) {
    const cluster = clusterOf({ claims });
    t.same(made(cluster).preEnqueue?.(podFacts(pod))?.reasons[0], text, what);
    if (text !== undefined) t.same(verdicts(made(cluster), cycleOf(cluster, pod)), [UU, text], what);
  }
});

t.test('which devices a claim gets', async (t) => {
  t.same(chosen({ claims: [claimOf('a')], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d1'] }, 'the first');
  t.same(chosen({ claims: [claimOf('a'), heldBy('other', 'd1')], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d2'] }, 'not one that another has');
  t.same(chosen({ claims: [claimOf('a'), claimOf('b')], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d1'], b: ['r:d2'] }, 'each its own');
  t.same(answers({ claims: [claimOf('a'), heldBy('other', 'd1')], slices: [sliceOf(['d1'])] }), { n: cannot }, 'there is none left');
  t.same(answers({ claims: [claimOf('a', { requests: [exactly('r', { count: 3 })] })], slices: [sliceOf(['d1', 'd2'])] }), { n: cannot }, 'there are not enough');
  t.same(answers({ claims: [claimOf('a')], classes: [] }), [UU, 'request r: device class gpu does not exist']);
  t.same(answers({ claims: [claimOf('a', { requests: [{ name: 'r' }] })] }), [UU, 'resource claim ns/a, request r: unknown request type']);
  t.same(answers({ claims: [claimOf('a', { requests: [exactly('r', { count: 33 })] })] }), 'claim ns/a: number of requested devices 33 exceeds the claim limit of 32');
  const large = [selector(`device.capacity["${driver}"].memory.compareTo(quantity("2Gi")) >= 0`)];
  const sizes = [{ name: 'large', capacity: { memory: { value: '4Gi' } } }, { name: 'small', capacity: { memory: { value: '1Gi' } } }];
  t.same(chosen({ claims: [claimOf('a', { requests: [exactly('any'), exactly('large', { selectors: large })] })], slices: [sliceOf(sizes)] }), { a: ['any:small', 'large:large'] }, 'a step back within a claim');
  t.same(chosen({ claims: [claimOf('a'), claimOf('b', { requests: [exactly('r', { selectors: large })] })], slices: [sliceOf(sizes)] }), { a: ['r:small'], b: ['r:large'] }, 'and between claims');
});

t.test('all devices, or none', async (t) => {
  const all = (rest: Partial<Exactly> = {}): Claim => claimOf('a', { requests: [exactly('r', { allocationMode: 'All', ...rest })] });
  t.same(chosen({ claims: [all()], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d1', 'r:d2'] });
  t.same(answers({ claims: [all()], slices: [sliceOf([])] }), { n: cannot }, 'none is not all');
  t.same(answers({ claims: [all(), heldBy('other', 'd1')], slices: [sliceOf(['d1', 'd2'])] }), { n: cannot }, 'somebody has one');
  t.same(chosen({ claims: [all({ adminAccess: true }), heldBy('other', 'd1')], slices: [sliceOf(['d1', 'd2'])] }), { a: ['r:d1', 'r:d2'] }, 'administrators may look all the same');
  t.same(answers({ claims: [all()], slices: [sliceOf(['d1'], { pool: { resourceSliceCount: 2 } })] }), 'claim ns/a, request r: asks for all devices, but resource pool gpu.example.com/n is currently being updated');
  t.same(answers({ claims: [all()], slices: [sliceOf(['d1', 'd1'])] }), 'claim ns/a, request r: asks for all devices, but resource pool gpu.example.com/n is currently invalid');
});

t.test('pools count when they are complete, and the newest generation only', async (t) => {
  const claims = [claimOf('a')];
  t.same(answers({ claims, slices: [sliceOf(['d1'], { pool: { resourceSliceCount: 2 } })] }), { n: cannot });
  t.same(answers({ claims, slices: [sliceOf(['d1'], { name: 's1' }), sliceOf(['d2'], { name: 's2', pool: { generation: 2, resourceSliceCount: 2 } })] }), { n: cannot }, 'the newest is not complete');
  t.same(chosen({ claims, slices: [sliceOf(['d1'], { name: 's1' }), sliceOf(['d2'], { name: 's2', pool: { generation: 2 } })] }), { a: ['r:d2'] });
  const two = { resourceSliceCount: 2 };
  t.same(chosen({ claims, slices: [sliceOf(['d2'], { name: 's2', pool: two }), sliceOf(['d1'], { name: 's1', pool: two })] }), { a: ['r:d1'] }, 'by the names of slices');
  t.same(answers({ claims, slices: [sliceOf(['d1', 'd1'])] }), { n: [UU, 'invalid resource pools were encountered'] });
  t.same(chosen({ claims, slices: [sliceOf(['d1', 'd1']), sliceOf(['d2'], { name: 's2', pool: { name: 'other' } })] }), { a: ['r:d2'] }, 'another pool does');
});

t.test('from where devices can be used', async (t) => {
  const claims = [claimOf('a')];
  const nodes: Scene['nodes'] = [['n', { labels: { rack: 'one' } }], ['m', { labels: { rack: 'two' } }]];
  const rack = (value: string): resourceV1.Device['nodeSelector'] => ({ nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: [value] }] }] });
  const on = (where: SliceShape['where'], devices: readonly (string | Device)[] = ['d']): Scene => ({ claims, nodes, slices: [sliceOf(devices, where && { where })] });
  const reach = (scene: Scene): unknown => allocations(scene).a?.nodeSelector;
  const here = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] };
  t.same(answers(on({ nodeName: 'n' })), { n: 'fits', m: cannot });
  t.same(reach(on({ nodeName: 'n' })), here);
  t.same(answers(on({ allNodes: true })), { n: 'fits', m: 'fits' });
  t.equal(reach(on({ allNodes: true })), undefined, 'from everywhere');
  t.same(answers(on({ nodeSelector: rack('one') ?? { nodeSelectorTerms: [] } })), { n: 'fits', m: cannot });
  t.same(reach(on({ nodeSelector: rack('one') ?? { nodeSelectorTerms: [] } })), rack('one'));
  const each = { perDeviceNodeSelection: true };
  t.same(answers(on(each, [{ name: 'd', nodeSelector: rack('two') ?? { nodeSelectorTerms: [] } }])), { n: cannot, m: 'fits' });
  t.same(chosen(on(each, [{ name: 'd1', nodeName: 'm' }, { name: 'd2', allNodes: true }])), { a: ['r:d2'] });
  t.same(reach(on({ allNodes: true }, [{ name: 'd', bindsToNode: true }])), here, 'it is bound to where it is first used');
});
