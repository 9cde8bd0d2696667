// The volume plugins: feasible nodes, messages, the events that requeue a pod, and how claims that wait for their first
// consumer get their volumes.
import t, { type Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import {
  compareQuantities,
  deepFreeze,
  isApiError,
  parseQuantity,
  systemClock,
  virtualClock,
} from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type {
  CSINode,
  CSIStorageCapacity,
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  StorageClass,
  Volume,
  VolumeAttachment,
} from '../../lib/core/types/index.js';
import { actions } from '../../lib/scheduling/public.js';
import { podFacts } from '../../lib/scheduling/pod/pod-facts.js';
import type { Cycle } from '../../lib/scheduling/framework/cycle-state.js';
import type { EventResources } from '../../lib/scheduling/framework/queueing-hints.js';
import type { SchedulingPlugin } from '../../lib/scheduling/framework/plugin.js';
import type { PluginTools } from '../../lib/scheduling/framework/plugin-tools.js';
import { builtinPluginFactories } from '../../lib/scheduling/plugins/default-plugins.js';
import { assumedVolumes } from '../../lib/scheduling/plugins/volumes/binding/assumed-volumes.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { TestCluster, cycleOf, nodeOf, podOf, toolsOf } from '../support/scheduling.js';
import type { ClusterShape } from '../support/scheduling.js';
import { fc, runs } from '../support/properties.js';

const U = 'Unschedulable';
const UU = 'UnschedulableAndUnresolvable';
const zone = 'topology.kubernetes.io/zone';
const hostname = 'kubernetes.io/hostname';
const boundAnnotations = { 'pv.kubernetes.io/bind-completed': 'yes' };

/** Returns a built-in plugin, created as in the default profile. */
function made(name: string, cluster: TestCluster, tools: Partial<PluginTools> = {}): SchedulingPlugin {
  const maker = builtinPluginFactories.get(name);
  if (maker === undefined) throw new Error(`no factory of ${name}`);
  return maker(toolsOf(cluster, tools), undefined);
}

/**
 * Returns the result of a plugin for a pod: `skip`, one rejection for all nodes, or one result per node with code and
 * reasons.
 */
function verdicts(plugin: SchedulingPlugin, cycle: Cycle): unknown {
  const early = plugin.preFilter?.(cycle);
  if (early === 'skip') return 'skip';
  if (early !== undefined && 'code' in early) return [early.code, ...early.reasons];
  const saysEverywhere = plugin.fitsEverywhere?.(cycle) === true;
  const answers = cycle.cluster.nodes.map((node) => {
    const answer = plugin.filter?.(cycle, node);
    if (saysEverywhere && answer !== undefined)
      throw new Error(`${plugin.name} said that the pod fits everywhere, and refuses ${node.name}`);
    return [node.name, answer === undefined ? 'fits' : [answer.code, ...answer.reasons]] as const;
  });
  return Object.fromEntries(answers);
}

/** Returns the result of a plugin by name, in a cluster of its own. */
function verdictsOf(name: string, pod: Frozen<Pod>, shape: ClusterShape): unknown {
  const cluster = new TestCluster({ nodes: [nodeOf('n')], ...shape });
  return verdicts(made(name, cluster), cycleOf(cluster, pod));
}

/** Returns whether an event requeues a pod that the plugin rejected. */
function hint<R extends keyof EventResources>(
  name: string,
  resource: R,
  action: number,
  pod: Frozen<Pod>,
  old?: Frozen<EventResources[R]>,
  current?: Frozen<EventResources[R]>,
): string {
  const { events = [] } = made(name, new TestCluster());
  const interests = events.filter((each) => each.resource === resource && (each.action & action) === action);
  if (interests.length === 0) return 'not asked';
  return interests.some((each) => each.hint === undefined || each.hint(podFacts(pod), old, current) === 'queue')
    ? 'queue'
    : 'skip';
}

const withVolumes = (
  name: string,
  volumes: readonly Omit<Volume, 'name'>[],
  rest: Parameters<typeof podOf>[1] = {},
): Frozen<Pod> =>
  podOf(name, { ...rest, spec: { volumes: volumes.map((volume, index) => ({ name: `v${index}`, ...volume })) } });
const withClaims = (name: string, ...claims: readonly string[]): Frozen<Pod> =>
  withVolumes(
    name,
    claims.map((claimName) => ({ persistentVolumeClaim: { claimName } })),
  );
const onNode = (name: string, volumes: readonly Omit<Volume, 'name'>[], namespace = 'ns'): Frozen<Pod> =>
  withVolumes(name, volumes, { nodeName: 'n', namespace });
const ephemeral: Omit<Volume, 'name'> = { ephemeral: { volumeClaimTemplate: { spec: {} } } };

interface ClaimShape {
  readonly metadata?: PersistentVolumeClaim['metadata'];
  readonly size?: string;
  readonly spec?: PersistentVolumeClaim['spec'];
  readonly phase?: 'Bound' | 'Lost' | 'Pending';
}

/** Creates a claim of the class `later`, which waits for its first consumer. */
function claimOf(
  name: string,
  { metadata = {}, size = '1Gi', spec = {}, phase = 'Pending' }: ClaimShape = {},
): Frozen<PersistentVolumeClaim> {
  return deepFreeze<PersistentVolumeClaim>({
    metadata: { name, namespace: 'ns', uid: `${name}-uid`, resourceVersion: '1', ...metadata },
    spec: {
      storageClassName: 'later',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...spec,
    },
    status: { phase },
  });
}

/** Creates a bound claim. */
const boundClaim = (name: string, volumeName: string): Frozen<PersistentVolumeClaim> =>
  claimOf(name, { metadata: { annotations: boundAnnotations }, spec: { volumeName }, phase: 'Bound' });

interface VolumeShape {
  readonly metadata?: PersistentVolume['metadata'];
  readonly size?: string;
  readonly on?: readonly NodeSelectorRequirement[];
  readonly spec?: PersistentVolumeSpec;
  readonly phase?: 'Available' | 'Bound' | 'Released';
}

/** Creates a volume of the class `later`, reachable from nodes with these labels. */
function volumeOf(
  name: string,
  { metadata = {}, size = '1Gi', on, spec = {}, phase = 'Available' }: VolumeShape = {},
): Frozen<PersistentVolume> {
  return deepFreeze<PersistentVolume>({
    metadata: { name, uid: `${name}-uid`, resourceVersion: '1', ...metadata },
    spec: {
      storageClassName: 'later',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: size },
      ...(on && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [...on] }] } } }),
      ...spec,
    },
    status: { phase },
  });
}

const within = (key: string, ...values: string[]): NodeSelectorRequirement => ({ key, operator: 'In', values });
const classOf = (name: string, rest: Partial<StorageClass> = {}): Frozen<StorageClass> =>
  deepFreeze<StorageClass>({
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...rest,
  });
const later = classOf('later');
const csiNodeOf = (
  name: string,
  drivers: Readonly<Record<string, number | undefined>>,
  annotations: Record<string, string> = {},
): Frozen<CSINode> =>
  deepFreeze<CSINode>({
    metadata: { name, annotations },
    spec: {
      drivers: Object.entries(drivers).map(([driver, count]) => ({
        name: driver,
        nodeID: name,
        ...(count !== undefined && { allocatable: { count } }),
      })),
    },
  });
const ownedBy = (pod: Frozen<Pod>): PersistentVolumeClaim['metadata'] => ({
  ownerReferences: [
    { apiVersion: 'v1', kind: 'Pod', name: pod.metadata?.name ?? '', uid: pod.metadata?.uid ?? '', controller: true },
  ],
});

t.test('VolumeRestrictions', async (t) => {
  const disk = (pdName: string, readOnly = false): Omit<Volume, 'name'> => ({
    gcePersistentDisk: { pdName, readOnly },
  });
  const block = (volumeID: string, readOnly = false): Omit<Volume, 'name'> => ({
    awsElasticBlockStore: { volumeID, readOnly },
  });
  const target = (iqn: string, readOnly = false): Omit<Volume, 'name'> => ({
    iscsi: { iqn, targetPortal: 'portal', lun: 0, readOnly },
  });
  const image = (name: string, monitors: string[], readOnly = false, pool = 'rbd'): Omit<Volume, 'name'> => ({
    rbd: { image: name, monitors, pool, readOnly },
  });
  const taken = { n: [U, 'node(s) had no available disk'] };
  const free = { n: 'fits' };

  const cases: readonly (readonly [string, Omit<Volume, 'name'>, Omit<Volume, 'name'>, unknown])[] = [
    ['a disk that is written to', disk('a'), disk('a'), taken],
    ['a disk that one of them writes to', disk('a', true), disk('a'), taken],
    ['a disk that both only read', disk('a', true), disk('a', true), free],
    ['another disk', disk('a'), disk('b'), free],
    ['a block store, even to read', block('a', true), block('a', true), taken],
    ['another block store', block('a'), block('b'), free],
    ['an iSCSI target', target('a'), target('a', true), taken],
    ['an iSCSI target that both only read', target('a', true), target('a', true), free],
    ['an image with a monitor in common', image('a', ['m1', 'm2']), image('a', ['m2']), taken],
    ['an image that both only read', image('a', ['m'], true), image('a', ['m'], true), free],
    ['an image of other monitors', image('a', ['m1']), image('a', ['m2']), free],
    ['an image of another pool', image('a', ['m']), image('a', ['m'], false, 'other'), free],
    ['disks of two kinds', disk('a'), block('a'), free],
  ];
  for (const [what, mine, other, expected] of cases) {
    t.same(
      verdictsOf('VolumeRestrictions', withVolumes('p', [mine]), { pods: [onNode('q', [other], 'elsewhere')] }),
      expected,
      what,
    );
  }

  const single = claimOf('single', { spec: { accessModes: ['ReadWriteOncePod'] } });
  const objects = {
    PersistentVolumeClaim: [single, claimOf('shared'), claimOf('single', { metadata: { namespace: 'elsewhere' } })],
  };
  const use = (claimName: string): Omit<Volume, 'name'> => ({ persistentVolumeClaim: { claimName } });
  const inUse = {
    n: [
      U,
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    ],
  };
  t.same(
    verdictsOf('VolumeRestrictions', withClaims('p', 'single'), { objects, pods: [onNode('q', [use('single')])] }),
    inUse,
    'a claim for one pod has one already',
  );
  t.same(verdictsOf('VolumeRestrictions', withClaims('p', 'single'), { objects }), 'skip', 'no pod uses it');
  t.same(
    verdictsOf('VolumeRestrictions', withClaims('p', 'shared'), { objects, pods: [onNode('q', [use('shared')])] }),
    'skip',
    'it may be shared',
  );
  t.same(
    verdictsOf('VolumeRestrictions', withClaims('p', 'single'), {
      objects,
      pods: [onNode('q', [use('single')], 'elsewhere')],
    }),
    'skip',
    'claims of other namespaces are others',
  );
  t.same(verdictsOf('VolumeRestrictions', withClaims('p', 'none'), { objects }), [
    UU,
    'persistentvolumeclaim "none" not found',
  ]);
  t.same(
    verdictsOf('VolumeRestrictions', withVolumes('p', [ephemeral]), { objects }),
    'skip',
    'a claim that is yet to be made is for another plugin',
  );

  const user = onNode('q', [use('single')]);
  const foreigner = onNode('r', [use('single')], 'elsewhere');
  const cluster = new TestCluster({ nodes: [nodeOf('n')], pods: [user], objects });
  const plugin = made('VolumeRestrictions', cluster);
  const cycle = cycleOf(cluster, withClaims('p', 'single'));
  plugin.preFilter?.(cycle);
  const whatIf: Cycle = { ...cycle, state: cycle.state.copy() };
  plugin.removePod?.(whatIf, podFacts(foreigner), cluster.at('n'));
  t.ok(plugin.filter?.(whatIf, cluster.at('n')), 'that another pod leaves is no help');
  plugin.removePod?.(whatIf, podFacts(user), cluster.at('n'));
  t.equal(plugin.filter?.(whatIf, cluster.at('n')), undefined, 'the user left');
  plugin.addPod?.(whatIf, podFacts(user), cluster.at('n'));
  t.ok(plugin.filter?.(whatIf, cluster.at('n')), 'and came back');
  t.ok(plugin.filter?.(cycle, cluster.at('n')), 'what if does not show in what is');

  t.equal(
    hint(
      'VolumeRestrictions',
      'Pod',
      actions.delete,
      withVolumes('p', [disk('a')]),
      onNode('q', [disk('a')], 'elsewhere'),
    ),
    'queue',
  );
  t.equal(
    hint('VolumeRestrictions', 'Pod', actions.delete, withVolumes('p', [disk('a')]), onNode('q', [disk('b')])),
    'skip',
  );
  t.equal(hint('VolumeRestrictions', 'Pod', actions.delete, withClaims('p', 'single'), user), 'queue');
  t.equal(hint('VolumeRestrictions', 'Pod', actions.delete, withClaims('p', 'single'), foreigner), 'skip');
  t.equal(hint('VolumeRestrictions', 'Node', actions.add, withClaims('p', 'single'), undefined, nodeOf('n')), 'queue');
  t.equal(
    hint('VolumeRestrictions', 'Node', actions.updateNodeLabel, withClaims('p', 'single'), nodeOf('n'), nodeOf('n')),
    'not asked',
  );
  t.equal(
    hint('VolumeRestrictions', 'PersistentVolumeClaim', actions.add, withClaims('p', 'single'), undefined, single),
    'queue',
  );
  t.equal(
    hint('VolumeRestrictions', 'PersistentVolumeClaim', actions.add, withClaims('p', 'other'), undefined, single),
    'skip',
  );
});

t.test('NodeVolumeLimits', async (t) => {
  const driver = 'csi.example.com';
  const attachable = (name: string, of = driver): Frozen<PersistentVolume> =>
    volumeOf(name, { spec: { csi: { driver: of, volumeHandle: name } } });
  const use = (claimName: string): Omit<Volume, 'name'> => ({ persistentVolumeClaim: { claimName } });
  const attachment = (name: string, nodeName: string, volume: string): Frozen<VolumeAttachment> =>
    deepFreeze<VolumeAttachment>({
      metadata: { name },
      spec: { attacher: driver, nodeName, source: { persistentVolumeName: volume } },
    });
  const objects = {
    PersistentVolume: [attachable('a'), attachable('b'), attachable('c'), attachable('x', 'other.example.com')],
    PersistentVolumeClaim: [
      ...['a', 'b', 'c', 'x'].map((name) => boundClaim(name, name)),
      claimOf('w1', { spec: { storageClassName: 'made' } }),
      claimOf('w2', { spec: { storageClassName: 'made' } }),
      claimOf('static'),
    ],
    StorageClass: [later, classOf('made', { provisioner: driver })],
    CSINode: [csiNodeOf('n', { [driver]: 2, 'other.example.com': undefined })],
  };
  const full = { n: [U, 'node(s) exceed max volume count'] };
  const fits = { n: 'fits' };
  const answer = (pod: Frozen<Pod>, pods: readonly Frozen<Pod>[] = [], more: ClusterShape['objects'] = {}): unknown =>
    verdictsOf('NodeVolumeLimits', pod, { pods, objects: { ...objects, ...more } });

  t.same(answer(podOf('p')), 'skip');
  t.same(answer(withClaims('p', 'a', 'b')), fits, 'as many as there may be');
  t.same(answer(withClaims('p', 'a', 'b', 'c')), full);
  t.same(answer(withClaims('p', 'a', 'b'), [onNode('q', [use('c')])]), full);
  t.same(
    answer(withClaims('p', 'a', 'b'), [onNode('q', [use('a')]), onNode('r', [use('a')])]),
    fits,
    'a volume of several pods counts once',
  );
  t.same(
    answer(withClaims('p', 'c'), [onNode('q', [use('a')]), onNode('r', [use('b'), use('gone')])]),
    full,
    'claims of others that are gone do not count, and do not harm',
  );
  t.same(
    answer(withClaims('p', 'a'), [onNode('q', [use('a'), use('b'), use('c')])]),
    fits,
    'who brings nothing new fits even where there are too many',
  );
  t.same(answer(withClaims('p', 'x', 'x'), [onNode('q', [use('a'), use('b')])]), fits, 'a driver without limit');
  t.same(
    answer(withClaims('p', 'w1', 'w2'), [onNode('q', [use('a')])]),
    full,
    'a claim without volume counts by its class',
  );
  t.same(answer(withClaims('p', 'w1'), [onNode('q', [use('w1'), use('a')])]), fits);
  t.same(answer(withClaims('p', 'static', 'a', 'b')), fits, 'a claim without provisioner counts for no driver');
  t.same(answer(withClaims('p', 'a', 'b', 'c'), [], { CSINode: [] }), fits, 'without CSINode there is no limit');
  t.same(
    answer(withClaims('p', 'a', 'b'), [], { VolumeAttachment: [attachment('1', 'n', 'c'), attachment('2', 'm', 'c')] }),
    full,
    'what is attached counts',
  );
  t.same(
    answer(withClaims('p', 'b'), [onNode('q', [use('a')])], { VolumeAttachment: [attachment('1', 'n', 'a')] }),
    fits,
    'but not beside the pod that has it',
  );
  const roomy = { CSINode: [csiNodeOf('n', { [driver]: 2 }), csiNodeOf('m', { [driver]: 9 })] };
  t.same(answer(withClaims('p', 'a', 'b', 'c'), [], roomy), full, 'the limit of another node is no help');
  t.same(answer(withClaims('p', 'none')), {
    n: [UU, 'looking up PVC ns/none: persistentvolumeclaim "none" not found'],
  });

  const owner = withVolumes('p', [ephemeral]);
  const own = claimOf('p-v0', { metadata: ownedBy(owner), spec: { storageClassName: 'made' } });
  t.same(
    answer(owner, [onNode('q', [use('a'), use('b')])], {
      PersistentVolumeClaim: [...objects.PersistentVolumeClaim, own],
    }),
    full,
    'an ephemeral volume',
  );
  const stolen = claimOf('p-v0', { spec: { storageClassName: 'made' } });
  t.throws(() => answer(owner, [], { PersistentVolumeClaim: [stolen] }), {
    message: 'PVC ns/p-v0 was not created for pod ns/p (pod is not owner)',
  });
  const onNodeNow = onNode('p', [ephemeral]);
  t.same(
    answer(withClaims('z', 'a'), [onNodeNow], { PersistentVolumeClaim: [boundClaim('a', 'a'), stolen] }),
    fits,
    'a claim that another object took from a running pod affects no other pod',
  );

  const ebs = (volumeID: string): Omit<Volume, 'name'> => ({ awsElasticBlockStore: { volumeID } });
  const migrated = { CSINode: [csiNodeOf('n', { 'ebs.csi.aws.com': 1, 'disk.csi.azure.com': 1 })] };
  t.same(
    answer(withVolumes('p', [ebs('vol-1')]), [onNode('q', [ebs('aws://zone/vol-2')])], migrated),
    full,
    'disks of old count for the driver of today',
  );
  t.same(
    answer(withVolumes('p', [ebs('vol-1')]), [onNode('q', [ebs('aws:///vol-1')])], migrated),
    fits,
    'one disk under two names',
  );
  t.throws(() => answer(withVolumes('p', [ebs('aws://zone/x/vol-2')]), [], migrated), {
    message: /^converting volume\(v0\) from inline to csi: failed to translate .* \(aws:\/\/zone\/x\/vol-2\)$/,
  });
  t.same(
    answer(withVolumes('p', [ebs('aws://zone/x/vol-2')]), [], { CSINode: [] }),
    fits,
    'who asks no driver need not name the disk to one',
  );
  const dedicated: Omit<Volume, 'name'> = { azureDisk: { diskName: 'd', diskURI: 'uri', kind: 'Dedicated' } };
  t.throws(() => answer(withVolumes('p', [dedicated]), [], migrated), {
    message: 'converting volume(v0) from inline to csi: kind(Dedicated) is not supported in csi migration',
  });
  t.same(
    answer(withVolumes('p', [{ vsphereVolume: { volumePath: 'p' } }]), [], migrated),
    fits,
    'known, but left as it is',
  );

  const inTree = (name: string, spec: PersistentVolumeSpec, labels = {}): ClusterShape['objects'] => ({
    PersistentVolume: [volumeOf(name, { spec, metadata: { labels } }), attachable('a', 'pd.csi.storage.gke.io')],
    PersistentVolumeClaim: [boundClaim(name, name), boundClaim('a', 'a')],
    CSINode: [
      csiNodeOf('n', {
        'pd.csi.storage.gke.io': 1,
        'cinder.csi.openstack.org': 0,
        'pxd.portworx.com': 0,
        'disk.csi.azure.com': 0,
      }),
    ],
  });
  const gce = { gcePersistentDisk: { pdName: 'd' } };
  for (const [what, spec, labels] of [
    ['a disk without a zone', gce, {}],
    ['a disk of a zone', gce, { [zone]: 'us-east1-a' }],
    ['a disk of a region', gce, { [zone]: 'us-east1-a__us-east1-b' }],
  ] as const) {
    t.same(answer(withClaims('p', 'v'), [onNode('q', [use('a')])], inTree('v', spec, labels)), full, what);
  }
  t.same(
    answer(withClaims('p', 'v'), [onNode('q', [use('a')])], inTree('v', gce, { [zone]: 'us-east1-a__eu-west1-b' })),
    fits,
    'a disk of two regions is of none',
  );
  t.same(
    answer(withClaims('p', 'v'), [onNode('q', [use('a')])], inTree('v', gce, { [zone]: 'here__there' })),
    fits,
    'zones without region',
  );
  t.same(answer(withClaims('p', 'v'), [], inTree('v', { cinder: { volumeID: 'd' } })), full);
  t.same(answer(withClaims('p', 'v'), [], inTree('v', { portworxVolume: { volumeID: 'd' } })), full);
  t.same(answer(withClaims('p', 'v'), [], inTree('v', { azureDisk: { diskName: 'd', diskURI: 'u' } })), full);
  t.same(
    answer(withClaims('p', 'v'), [], inTree('v', { nfs: { server: 's', path: 'p' } })),
    fits,
    'a volume of no driver',
  );

  const limit = (count: number | undefined): Frozen<CSINode> => csiNodeOf('n', { [driver]: count });
  const pod = withClaims('p', 'a');
  t.equal(hint('NodeVolumeLimits', 'storage.k8s.io/CSINode', actions.add, pod, undefined, limit(1)), 'queue');
  t.equal(hint('NodeVolumeLimits', 'storage.k8s.io/CSINode', actions.update, pod, limit(1), limit(2)), 'queue');
  t.equal(hint('NodeVolumeLimits', 'storage.k8s.io/CSINode', actions.update, pod, limit(2), limit(1)), 'skip');
  t.equal(
    hint('NodeVolumeLimits', 'storage.k8s.io/CSINode', actions.update, pod, limit(2), limit(undefined)),
    'queue',
    'the limit is gone',
  );
  t.equal(hint('NodeVolumeLimits', 'Pod', actions.delete, pod, onNode('q', [use('z')])), 'queue');
  t.equal(hint('NodeVolumeLimits', 'Pod', actions.delete, pod, withClaims('q', 'z')), 'skip', 'it was on no node');
  t.equal(hint('NodeVolumeLimits', 'Pod', actions.delete, pod, onNode('q', [{ emptyDir: {} }])), 'skip');
  t.equal(hint('NodeVolumeLimits', 'PersistentVolumeClaim', actions.add, pod, undefined, claimOf('a')), 'queue');
  t.equal(
    hint('NodeVolumeLimits', 'storage.k8s.io/VolumeAttachment', actions.delete, pod, attachment('1', 'n', 'z')),
    'queue',
  );
  t.equal(
    hint(
      'NodeVolumeLimits',
      'storage.k8s.io/VolumeAttachment',
      actions.delete,
      withVolumes('p', [ebs('a')]),
      attachment('1', 'n', 'z'),
    ),
    'skip',
    'of another driver',
  );
});

t.test('VolumeZone', async (t) => {
  const region = 'topology.kubernetes.io/region';
  const oldZone = 'failure-domain.beta.kubernetes.io/zone';
  const other = [UU, 'node(s) had no available volume zone'];
  const nodes = [
    nodeOf('a', { labels: { [zone]: 'a', [region]: 'r' } }),
    nodeOf('b', { labels: { [oldZone]: 'b' } }),
    nodeOf('bare'),
  ];
  const labelled = (labels: Record<string, string>): ClusterShape => ({
    nodes,
    objects: {
      PersistentVolume: [volumeOf('v', { metadata: { labels } })],
      PersistentVolumeClaim: [boundClaim('c', 'v')],
    },
  });
  const cases: readonly (readonly [string, Record<string, string>, unknown])[] = [
    ['a volume that says nothing', {}, 'skip'],
    ['a zone', { [zone]: 'a' }, { a: 'fits', b: other, bare: 'fits' }],
    ['several zones', { [zone]: 'x__ a ' }, { a: 'fits', b: other, bare: 'fits' }],
    ['a zone in the words of old', { [oldZone]: 'a' }, { a: 'fits', b: other, bare: 'fits' }],
    ['a zone that a node has in the words of old', { [oldZone]: 'b' }, { a: other, b: 'fits', bare: 'fits' }],
    ['a region', { [region]: 'r' }, { a: 'fits', b: other, bare: 'fits' }],
    ['another region', { [zone]: 'a', [region]: 'q' }, { a: other, b: other, bare: 'fits' }],
    ['a list with an empty zone', { [zone]: 'a__' }, 'skip'],
  ];
  for (const [what, labels, expected] of cases)
    t.same(verdictsOf('VolumeZone', withClaims('p', 'c'), labelled(labels)), expected, what);

  const refused = (claim: Frozen<PersistentVolumeClaim> | undefined, ...classes: Frozen<StorageClass>[]): unknown =>
    verdictsOf('VolumeZone', withClaims('p', 'c'), {
      objects: { PersistentVolumeClaim: claim ? [claim] : [], StorageClass: classes },
    });
  const { volumeBindingMode: _, ...modeless } = later;
  t.same(refused(undefined), [UU, 'persistentvolumeclaim "c" not found']);
  t.same(refused(boundClaim('c', 'v')), [UU, 'persistentvolume "v" not found']);
  t.same(refused(claimOf('c')), [UU, 'storageclass.storage.k8s.io "later" not found']);
  t.same(refused(claimOf('c', { spec: { storageClassName: '' } })), [
    UU,
    'PersistentVolumeClaim had no pv name and storageClass name',
  ]);
  t.same(refused(claimOf('c'), modeless), [UU, 'VolumeBindingMode not set for StorageClass "later"']);
  t.same(refused(claimOf('c'), classOf('later', { volumeBindingMode: 'Immediate' })), [
    UU,
    'PersistentVolume had no name',
  ]);
  t.same(refused(claimOf('c'), later), 'skip', 'its volume comes with the node');
  t.same(verdictsOf('VolumeZone', withClaims('p', ''), {}), [UU, 'PersistentVolumeClaim had no name']);
  t.same(verdictsOf('VolumeZone', withVolumes('p', [ephemeral]), {}), 'skip');

  const pod = withClaims('p', 'c');
  t.equal(hint('VolumeZone', 'storage.k8s.io/StorageClass', actions.add, pod, undefined, later), 'queue');
  t.equal(
    hint(
      'VolumeZone',
      'storage.k8s.io/StorageClass',
      actions.add,
      pod,
      undefined,
      classOf('now', { volumeBindingMode: 'Immediate' }),
    ),
    'skip',
  );
  t.equal(hint('VolumeZone', 'PersistentVolumeClaim', actions.update, pod, claimOf('c'), claimOf('c')), 'queue');
  t.equal(hint('VolumeZone', 'PersistentVolumeClaim', actions.add, pod, undefined, claimOf('d')), 'skip');
  t.equal(hint('VolumeZone', 'PersistentVolume', actions.add, pod, undefined, volumeOf('v')), 'queue');
  t.equal(
    hint(
      'VolumeZone',
      'PersistentVolume',
      actions.update,
      pod,
      volumeOf('v'),
      volumeOf('v', { metadata: { labels: { other: 'x' } } }),
    ),
    'skip',
  );
  t.equal(
    hint(
      'VolumeZone',
      'PersistentVolume',
      actions.update,
      pod,
      volumeOf('v'),
      volumeOf('v', { metadata: { labels: { [zone]: 'a' } } }),
    ),
    'queue',
  );
  t.equal(hint('VolumeZone', 'Node', actions.updateNodeLabel, pod, nodeOf('n'), nodeOf('n')), 'queue');
  t.equal(hint('VolumeZone', 'Node', actions.updateNodeTaint, pod, nodeOf('n'), nodeOf('n')), 'not asked');
});

t.test('VolumeBinding rejects pods with invalid claims', async (t) => {
  const refused = (pod: Frozen<Pod>, ...claims: Frozen<PersistentVolumeClaim>[]): unknown =>
    verdictsOf('VolumeBinding', pod, {
      objects: {
        PersistentVolumeClaim: claims,
        StorageClass: [later, classOf('now', { volumeBindingMode: 'Immediate' })],
      },
    });
  const unbound = [UU, 'pod has unbound immediate PersistentVolumeClaims'];
  const pod = withClaims('p', 'c');
  t.same(refused(podOf('p')), 'skip');
  t.same(refused(pod), [UU, 'persistentvolumeclaim "c" not found']);
  t.same(refused(withVolumes('p', [ephemeral])), [
    UU,
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v0"',
  ]);
  t.same(refused(withVolumes('p', [ephemeral]), claimOf('p-v0')), [
    UU,
    'PVC ns/p-v0 was not created for pod ns/p (pod is not owner)',
  ]);
  t.same(refused(pod, claimOf('c', { phase: 'Lost', spec: { volumeName: 'v' } })), [
    UU,
    'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
  ]);
  t.same(refused(pod, claimOf('c', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })), [
    UU,
    'persistentvolumeclaim "c" is being deleted',
  ]);
  t.same(refused(pod, claimOf('c', { spec: { storageClassName: 'now' } })), unbound);
  t.same(refused(pod, claimOf('c', { spec: { volumeName: 'v' } })), unbound, 'a volume is named, but not confirmed');
  t.same(
    refused(pod, claimOf('c', { spec: { storageClassName: '' } })),
    unbound,
    'without a class there is no provisioner to wait for',
  );
  t.same(refused(pod, claimOf('c', { spec: { storageClassName: 'unknown' } })), unbound);
  const { volumeBindingMode: _, ...modeless } = later;
  t.throws(
    () =>
      verdictsOf('VolumeBinding', pod, {
        objects: { PersistentVolumeClaim: [claimOf('c')], StorageClass: [modeless] },
      }),
    { message: 'VolumeBindingMode not set for StorageClass "later"' },
  );
});

t.test('VolumeBinding accepts nodes that can reach the volumes', async (t) => {
  const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
  const nothing = "node(s) didn't find available persistent volumes to bind";
  const noSpace = 'node(s) did not have enough free storage';
  const gone = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
  const nodes = ['a', 'b'].map((name) => nodeOf(name, { labels: { [hostname]: name } }));
  const onA = [within(hostname, 'a')];
  const making = (rest: Partial<StorageClass> = {}): Frozen<StorageClass> =>
    classOf('later', { provisioner: 'csi.example.com', ...rest });
  const tracked = {
    CSIDriver: [deepFreeze({ metadata: { name: 'csi.example.com' }, spec: { storageCapacity: true } })],
  };
  const space = (size: Partial<CSIStorageCapacity>): { CSIStorageCapacity: Frozen<CSIStorageCapacity>[] } => ({
    CSIStorageCapacity: [
      deepFreeze<CSIStorageCapacity>({
        metadata: { name: 's', namespace: 'kube-system' },
        storageClassName: 'later',
        nodeTopology: { matchLabels: { [hostname]: 'a' } },
        ...size,
      }),
    ],
  });
  const selected = (node: string): Frozen<PersistentVolumeClaim> =>
    claimOf('c', { metadata: { annotations: { 'volume.kubernetes.io/selected-node': node } } });
  const cases: readonly (readonly [string, ClusterShape['objects'], unknown, ...string[]])[] = [
    [
      'a bound volume that is everywhere',
      { PersistentVolumeClaim: [boundClaim('c', 'v')], PersistentVolume: [volumeOf('v')] },
      { a: 'fits', b: 'fits' },
    ],
    [
      'a bound volume on one node',
      { PersistentVolumeClaim: [boundClaim('c', 'v')], PersistentVolume: [volumeOf('v', { on: onA })] },
      { a: 'fits', b: [UU, elsewhere] },
    ],
    [
      'a bound volume that is gone',
      { PersistentVolumeClaim: [boundClaim('c', 'v')] },
      { a: [UU, gone], b: [UU, gone] },
    ],
    [
      'a volume to be had on one node',
      { PersistentVolumeClaim: [claimOf('c')], PersistentVolume: [volumeOf('v', { on: onA })] },
      { a: 'fits', b: [UU, nothing] },
    ],
    [
      'a volume that is nowhere',
      {
        PersistentVolumeClaim: [claimOf('c')],
        PersistentVolume: [volumeOf('v', { spec: { nodeAffinity: { required: { nodeSelectorTerms: [] } } } })],
      },
      { a: [UU, nothing], b: [UU, nothing] },
    ],
    [
      'one bound, one to be had, both elsewhere',
      {
        PersistentVolumeClaim: [boundClaim('c', 'v'), claimOf('d')],
        PersistentVolume: [volumeOf('v', { on: onA, phase: 'Bound' })],
      },
      { a: [UU, nothing], b: [UU, elsewhere, nothing] },
      'c',
      'd',
    ],
    [
      'one gone, one without space',
      { PersistentVolumeClaim: [boundClaim('c', 'v'), claimOf('d')], StorageClass: [making()], ...tracked },
      { a: [UU, noSpace, gone], b: [UU, noSpace, gone] },
      'c',
      'd',
    ],
    [
      'two claims and one volume',
      { PersistentVolumeClaim: [claimOf('c'), claimOf('d')], PersistentVolume: [volumeOf('v')] },
      { a: [UU, nothing], b: [UU, nothing] },
      'c',
      'd',
    ],
    [
      'one claim in two volumes of the pod',
      { PersistentVolumeClaim: [claimOf('c')], PersistentVolume: [volumeOf('v')] },
      { a: 'fits', b: 'fits' },
      'c',
      'c',
    ],
    [
      'a class that makes volumes',
      { PersistentVolumeClaim: [claimOf('c')], StorageClass: [making()] },
      { a: 'fits', b: 'fits' },
    ],
    [
      'a class for certain places',
      {
        PersistentVolumeClaim: [claimOf('c')],
        StorageClass: [
          making({ allowedTopologies: [{}, { matchLabelExpressions: [{ key: hostname, values: ['x', 'a'] }] }] }),
        ],
      },
      { a: 'fits', b: [UU, nothing] },
    ],
    [
      'a class for topologies that no node reports',
      {
        PersistentVolumeClaim: [claimOf('c')],
        StorageClass: [
          making({ allowedTopologies: [{ matchLabelExpressions: [{ key: '__proto__', values: ['x'] }] }] }),
        ],
      },
      { a: [UU, nothing], b: [UU, nothing] },
    ],
    [
      'a driver with space on one node',
      { PersistentVolumeClaim: [claimOf('c')], StorageClass: [making()], ...tracked, ...space({ capacity: '1Gi' }) },
      { a: 'fits', b: [UU, noSpace] },
    ],
    [
      'a driver with too little space',
      { PersistentVolumeClaim: [claimOf('c')], StorageClass: [making()], ...tracked, ...space({ capacity: '1023Mi' }) },
      { a: [UU, noSpace], b: [UU, noSpace] },
    ],
    [
      'a driver whose largest volume is too small',
      {
        PersistentVolumeClaim: [claimOf('c')],
        StorageClass: [making()],
        ...tracked,
        ...space({ capacity: '9Gi', maximumVolumeSize: '1Mi' }),
      },
      { a: [UU, noSpace], b: [UU, noSpace] },
    ],
    [
      'a driver that does not say how much',
      { PersistentVolumeClaim: [claimOf('c')], StorageClass: [making()], ...tracked, ...space({}) },
      { a: [UU, noSpace], b: [UU, noSpace] },
    ],
    [
      'a driver that does not count',
      { PersistentVolumeClaim: [claimOf('c')], StorageClass: [making()], ...space({ capacity: '1' }) },
      { a: 'fits', b: 'fits' },
    ],
    [
      'a node that was chosen before',
      { PersistentVolumeClaim: [selected('b')], StorageClass: [making()], PersistentVolume: [volumeOf('v')] },
      { a: [UU, nothing], b: 'fits' },
    ],
    [
      'a volume meant for the claim, elsewhere',
      {
        PersistentVolumeClaim: [claimOf('c')],
        PersistentVolume: [
          volumeOf('v'),
          volumeOf('w', { on: onA, spec: { claimRef: { namespace: 'ns', name: 'c' } } }),
        ],
      },
      { a: 'fits', b: [UU, nothing] },
    ],
    [
      'a volume meant for a claim that has gone',
      {
        PersistentVolumeClaim: [claimOf('c')],
        PersistentVolume: [volumeOf('v', { spec: { claimRef: { namespace: 'ns', name: 'c', uid: 'before' } } })],
      },
      { a: [UU, nothing], b: [UU, nothing] },
    ],
  ];
  for (const [what, objects, expected, ...claims] of cases) {
    t.same(
      verdictsOf('VolumeBinding', withClaims('p', ...(claims.length === 0 ? ['c'] : claims)), {
        nodes,
        objects: { StorageClass: [later], ...objects },
      }),
      expected,
      what,
    );
  }

  const unfit: readonly (readonly [string, VolumeShape])[] = [
    ['too small', { size: '1023Mi' }],
    ['of another class', { spec: { storageClassName: 'other' } }],
    ['raw', { spec: { volumeMode: 'Block' } }],
    ['of other access', { spec: { accessModes: ['ReadOnlyMany'] } }],
    ['of other attributes', { spec: { volumeAttributesClassName: 'fast' } }],
    ['released', { phase: 'Released' }],
    ['on its way out', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['of another claim', { spec: { claimRef: { namespace: 'ns', name: 'd' } } }],
    ['with other labels', { metadata: { labels: { tier: 'slow' } } }],
  ];
  const picky = claimOf('c', { spec: { selector: { matchLabels: { tier: 'fast' } } } });
  const offer = (shape: VolumeShape): unknown =>
    verdictsOf('VolumeBinding', withClaims('p', 'c'), {
      objects: {
        StorageClass: [later, classOf('other')],
        PersistentVolumeClaim: [picky],
        PersistentVolume: [volumeOf('v', { metadata: { labels: { tier: 'fast' } }, ...shape })],
      },
    });
  t.same(offer({}), { n: 'fits' });
  for (const [what, shape] of unfit)
    t.same(
      offer({ ...shape, metadata: { labels: { tier: 'fast' }, ...shape.metadata } }),
      { n: [UU, nothing] },
      `a volume ${what}`,
    );
});

t.test('a pod that fits everywhere is recognized without filtering nodes', async (t) => {
  const driver = 'csi.example.com';
  const fitsEverywhere = (name: string, cluster: TestCluster, ...claims: string[]): boolean | undefined => {
    const plugin = made(name, cluster);
    const cycle = cycleOf(cluster, withClaims('p', ...claims));
    t.equal(plugin.preFilter?.(cycle), undefined);
    return plugin.fitsEverywhere?.(cycle);
  };
  const nodes = ['m', 'n'].map((name) => nodeOf(name));
  const volume = (name: string): Frozen<PersistentVolume> =>
    volumeOf(name, { spec: { csi: { driver, volumeHandle: name } } });
  const bound = ['a', 'b', 'c', 'd'];
  const objects = {
    PersistentVolume: bound.map(volume),
    PersistentVolumeClaim: [
      ...bound.map((name) => boundClaim(name, name)),
      claimOf('made', { spec: { storageClassName: 'made' } }),
      claimOf('found'),
    ],
    StorageClass: [later, classOf('made', { provisioner: driver })],
    CSINode: [csiNodeOf('m', { [driver]: 9 }), csiNodeOf('n', { [driver]: 2 })],
  };

  const cluster = new TestCluster({ nodes, objects });
  t.equal(
    fitsEverywhere('VolumeBinding', cluster, 'a', 'made'),
    true,
    'volumes that are everywhere, and such as can be made anywhere',
  );
  t.equal(fitsEverywhere('VolumeBinding', cluster, 'found'), false, 'a volume has to be found');

  t.equal(fitsEverywhere('NodeVolumeLimits', cluster, 'a', 'b'), true, 'as many as the smallest node takes');
  t.equal(fitsEverywhere('NodeVolumeLimits', cluster, 'a', 'b', 'c'), false);
  const other = onNode('q', [{ persistentVolumeClaim: { claimName: 'd' } }]);
  cluster.addPod(other);
  t.equal(fitsEverywhere('NodeVolumeLimits', cluster, 'a', 'b'), false, 'a pod was added');
  t.equal(fitsEverywhere('NodeVolumeLimits', cluster, 'a'), true);
  cluster.removePod(other);
  t.equal(fitsEverywhere('NodeVolumeLimits', cluster, 'a', 'b'), true, 'and left');
  cluster.objects.set(
    'VolumeAttachment',
    deepFreeze<VolumeAttachment>({
      metadata: { name: 'left' },
      spec: { attacher: driver, nodeName: 'n', source: { persistentVolumeName: 'd' } },
    }),
  );
  t.equal(fitsEverywhere('NodeVolumeLimits', cluster, 'a', 'b'), false, 'what is still attached counts');
  t.equal(
    fitsEverywhere(
      'NodeVolumeLimits',
      new TestCluster({ nodes, pods: [other], objects: { ...objects, CSINode: [] } }),
      'a',
      'b',
      'c',
    ),
    true,
    'without limits',
  );
});

t.test('on a node with a migrated plugin the affinity is translated to the driver', async (t) => {
  const key = 'topology.ebs.csi.aws.com/zone';
  const elsewhere = [UU, "node(s) didn't match PersistentVolume's node affinity"];
  const nodes = [nodeOf('old', { labels: { [zone]: 'z' } }), nodeOf('new', { labels: { [key]: 'z' } })];
  const migrated = csiNodeOf(
    'new',
    {},
    {
      'storage.alpha.kubernetes.io/migrated-plugins':
        'kubernetes.io/cinder,kubernetes.io/aws-ebs,kubernetes.io/azure-disk',
    },
  );
  const answer = (shape: VolumeShape): unknown =>
    verdictsOf('VolumeBinding', withClaims('p', 'c'), {
      nodes,
      objects: {
        PersistentVolume: [volumeOf('v', shape)],
        PersistentVolumeClaim: [boundClaim('c', 'v')],
        CSINode: [migrated],
      },
    });
  const ebs: PersistentVolumeSpec = { awsElasticBlockStore: { volumeID: 'vol-1' } };
  const legacyZone = 'failure-domain.beta.kubernetes.io/zone';
  t.same(answer({ spec: ebs, on: [within(zone, 'z')] }), { old: 'fits', new: 'fits' });
  t.same(answer({ spec: ebs, on: [within(zone, 'y')] }), { old: elsewhere, new: elsewhere });
  t.same(
    answer({ spec: ebs, on: [within(legacyZone, 'z'), within('failure-domain.beta.kubernetes.io/region', 'r')] }),
    { old: elsewhere, new: elsewhere },
    'the region is asked for under its name of today',
  );
  t.same(
    answer({ spec: ebs, metadata: { labels: { [zone]: 'y__z' } } }),
    { old: 'fits', new: 'fits' },
    'zones that only labels tell',
  );
  t.same(answer({ spec: ebs, metadata: { labels: { [legacyZone]: 'y' } } }), { old: 'fits', new: elsewhere });
  t.same(
    answer({ spec: { nfs: { server: 's', path: 'p' } }, on: [within(zone, 'z')] }),
    { old: 'fits', new: elsewhere },
    'a volume of no such plugin',
  );
  t.same(
    answer({ spec: { azureDisk: { diskName: 'd', diskURI: 'u' } }, on: [within(zone, 'z')] }),
    { old: 'fits', new: elsewhere },
    'a driver that keeps the old words',
  );
  t.throws(() => answer({ spec: { awsElasticBlockStore: { volumeID: 'aws://z/disk' } } }), {
    message:
      'could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://z/disk)',
  });
});

t.test('a claim gets the smallest volume that fits', async (t) => {
  const sizes = ['500Mi', '1Gi', '1024Mi', '1.5Gi', '2Gi', '8Gi', '9000Ti'];
  const modes = ['ReadWriteOnce', 'ReadWriteMany'] as const;
  const volumes = fc.array(
    fc.record({
      size: fc.constantFrom(...sizes),
      on: fc.constantFrom(undefined, 'a', 'b'),
      mode: fc.constantFrom(...modes),
      phase: fc.constantFrom('Available', 'Available', 'Bound'),
    }),
    { maxLength: 12 },
  );
  const claims = fc.array(fc.record({ size: fc.constantFrom(...sizes), mode: fc.constantFrom(...modes) }), {
    minLength: 1,
    maxLength: 3,
  });
  const property = fc.property(volumes, claims, (offered, wanted) => {
    const cluster = new TestCluster({
      nodes: [nodeOf('a', { labels: { [hostname]: 'a' } })],
      objects: {
        StorageClass: [later],
        PersistentVolume: offered.map(({ size, on, mode, phase }, index) =>
          volumeOf(`v${index}`, {
            size,
            phase,
            spec: { accessModes: [mode] },
            ...(on && { on: [within(hostname, on)] }),
          }),
        ),
        PersistentVolumeClaim: wanted.map(({ size, mode }, index) =>
          claimOf(`c${index}`, { size, spec: { accessModes: [mode] } }),
        ),
      },
    });
    const plugin = made('VolumeBinding', cluster);
    const cycle = cycleOf(cluster, withClaims('p', ...wanted.map((_, index) => `c${index}`)));
    const answer = verdicts(plugin, cycle);

    // The rule: claims by size, each gets the smallest volume left.
    const left = cluster.objects
      .list('PersistentVolume')
      .filter((_, index) => offered[index]?.phase === 'Available' && offered[index].on !== 'b');
    const sizeOf = (text: string | undefined): ReturnType<typeof parseQuantity> => parseQuantity(text ?? '0');
    const bySize = (one: Frozen<PersistentVolume>, other: Frozen<PersistentVolume>): number =>
      compareQuantities(sizeOf(one.spec?.capacity?.storage), sizeOf(other.spec?.capacity?.storage));
    const expected = new Map<string, string>();
    for (const claim of cluster.objects
      .list('PersistentVolumeClaim')
      .toSorted((one, other) =>
        compareQuantities(
          sizeOf(one.spec?.resources?.requests?.storage),
          sizeOf(other.spec?.resources?.requests?.storage),
        ),
      )) {
      const fitting = left.filter(
        ({ spec }) =>
          compareQuantities(sizeOf(spec?.capacity?.storage), sizeOf(claim.spec?.resources?.requests?.storage)) >= 0 &&
          spec?.accessModes?.[0] === claim.spec?.accessModes?.[0],
      );
      const [best] = fitting.toSorted(bySize);
      if (best === undefined) return JSON.stringify(answer).includes('find available');
      left.splice(left.indexOf(best), 1);
      expected.set(best.metadata?.name ?? '', claim.metadata?.name ?? '');
    }
    plugin.reserve?.(cycle, 'a');
    const { volumes: assumed } = assumedVolumes(cluster);
    const given = cluster.objects.list('PersistentVolume').flatMap((volume) => {
      const { claimRef } = assumed.of(volume).spec ?? {};
      return claimRef === undefined ? [] : [[volume.metadata?.name ?? '', claimRef.name ?? '']];
    });
    return JSON.stringify(given.toSorted()) === JSON.stringify([...expected].toSorted());
  });
  t.doesNotThrow(() => {
    fc.assert(property, { numRuns: runs(500) });
  });
});

t.test('a reverted reservation leaves no trace', async (t) => {
  const making = classOf('made', { provisioner: 'csi.example.com' });
  const pods = fc.array(
    fc.record({ claim: fc.constantFrom('c0', 'c1', 'c2', 'm0', 'm1'), node: fc.constantFrom('a', 'b') }),
    { minLength: 1, maxLength: 8 },
  );
  const property = fc.property(pods, (wanted) => {
    const cluster = new TestCluster({
      nodes: ['a', 'b'].map((name) => nodeOf(name)),
      objects: {
        StorageClass: [later, making],
        PersistentVolume: [volumeOf('v0'), volumeOf('v1', { size: '2Gi' }), volumeOf('v2')],
        PersistentVolumeClaim: [
          ...['c0', 'c1', 'c2'].map((name) => claimOf(name)),
          ...['m0', 'm1'].map((name) => claimOf(name, { spec: { storageClassName: 'made' } })),
        ],
      },
    });
    const { volumes, claims } = assumedVolumes(cluster);
    const taken = (): readonly unknown[] => [
      cluster.objects.list('PersistentVolume').map((volume) => volumes.of(volume)),
      cluster.objects.list('PersistentVolumeClaim').map((claim) => claims.of(claim)),
    ];
    const before = taken();
    const plugin = made('VolumeBinding', cluster);
    const reserved = wanted.flatMap(({ claim, node }, index) => {
      const cycle = cycleOf(cluster, withClaims(`p${index}`, claim));
      const answers = verdicts(plugin, cycle);
      if ((answers as Record<string, unknown>)[node] !== 'fits') return [];
      plugin.reserve?.(cycle, node);
      return [{ cycle, node, preflight: plugin.preBindPreFlight?.(cycle, node) }];
    });
    const isTrace = (): boolean =>
      taken().some((list, kind) =>
        (list as unknown[]).some((object, index) => object !== (before[kind] as unknown[])[index]),
      );
    const wasTrace = isTrace();
    for (const { cycle, node } of reserved.toReversed()) {
      plugin.unreserve?.(cycle, node);
      plugin.unreserve?.(cycle, node);
    }
    const isSkipped = reserved.every(({ cycle, node }) => plugin.preBindPreFlight?.(cycle, node) === 'skip');
    return (
      wasTrace &&
      reserved.every(({ preflight }) => preflight !== 'skip') &&
      isSkipped &&
      !isTrace() &&
      volumes.size + claims.size === 0
    );
  });
  t.doesNotThrow(() => {
    fc.assert(property, { numRuns: runs(200) });
  });
});

t.test('a pod does not choose a volume that is assumed for another pod', async (t) => {
  const cluster = new TestCluster({
    nodes: [nodeOf('n')],
    objects: {
      StorageClass: [later],
      PersistentVolume: [volumeOf('v')],
      PersistentVolumeClaim: [claimOf('c'), claimOf('d')],
    },
  });
  const [one, profileOfItsOwn] = [made('VolumeBinding', cluster), made('VolumeBinding', cluster)];
  const cycle = cycleOf(cluster, withClaims('p', 'c'));
  verdicts(one, cycle);
  one.reserve?.(cycle, 'n');
  const other = (): unknown => verdicts(profileOfItsOwn, cycleOf(cluster, withClaims('q', 'd')));
  t.same(other(), { n: [UU, "node(s) didn't find available persistent volumes to bind"] }, 'whatever profile asks');
  t.same(
    verdicts(one, cycleOf(cluster, withClaims('r', 'c'))),
    { n: 'fits' },
    'who has the same claim has the same volume',
  );
  cluster.objects.set('PersistentVolume', volumeOf('v', { metadata: { resourceVersion: '2' } }));
  t.same(other(), { n: 'fits' }, 'the API knows better');
  const { volumes } = assumedVolumes(cluster);
  t.equal(volumes.size, 1);
  cluster.objects.set('PersistentVolume', volumeOf('w'));
  volumes.assume(volumeOf('w'));
  t.equal(volumes.size, 1, 'what was overtaken is forgotten');
  t.equal(volumes.get('none'), undefined);
});

/** A server with a storage class, and a cluster that is updated from it on request. */
interface Scene {
  readonly client: Client;
  readonly cluster: TestCluster;
  readonly plugin: SchedulingPlugin;
  /** Updates the cluster from the server. */
  learn(): Promise<void>;
  /** Reserves and binds; resolves with the result. */
  begin(
    pod: Frozen<Pod>,
    signal?: AbortSignal,
  ): { readonly cycle: Cycle; readonly outcome: Promise<string>; isOver(): boolean };
  pass(ms: number): Promise<void>;
}

async function open(t: Test, tools: Partial<PluginTools> = {}): Promise<Scene> {
  const store = memoryStore({ clock: systemClock() });
  const server = createServer({ store });
  const client = inProcessClient(server.handler);
  const clock = virtualClock();
  t.teardown(async () => {
    await server.close();
    await store.close();
    if (clock.pending > 0) throw new Error('a timer is still pending');
  });
  const cluster = new TestCluster({
    nodes: [nodeOf('n', { labels: { [zone]: 'z' } })],
    objects: { StorageClass: [later, classOf('made', { provisioner: 'csi.example.com' })] },
  });
  const plugin = made('VolumeBinding', cluster, { client, clock, ...tools });
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'ns' } });
  const learn = async (): Promise<void> => {
    const [volumes, claims] = await Promise.all([
      client.kind('v1', 'PersistentVolume').list(),
      client.kind('v1', 'PersistentVolumeClaim').list(),
    ]);
    for (const { metadata } of cluster.objects.list('PersistentVolume'))
      cluster.objects.delete('PersistentVolume', metadata?.name ?? '');
    for (const { metadata } of cluster.objects.list('PersistentVolumeClaim'))
      cluster.objects.delete('PersistentVolumeClaim', `ns/${metadata?.name ?? ''}`);
    for (const volume of volumes.items) cluster.objects.set('PersistentVolume', volume);
    for (const claim of claims.items) cluster.objects.set('PersistentVolumeClaim', claim);
  };
  const begin: Scene['begin'] = (pod, signal = new AbortController().signal) => {
    const cycle = cycleOf(cluster, pod);
    t.same(verdicts(plugin, cycle), { n: 'fits' });
    t.equal(plugin.reserve?.(cycle, 'n'), undefined);
    t.same(plugin.preBindPreFlight?.(cycle, 'n'), { parallel: true });
    let over = false;
    const outcome = (plugin.preBind?.(cycle, 'n', signal) ?? Promise.reject(new Error('no preBind'))).then(
      (answer) => (answer === undefined ? 'bound' : answer.code),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    void outcome.then(() => (over = true));
    return { cycle, outcome, isOver: () => over };
  };
  return { client, cluster, plugin, learn, begin, pass: (ms) => clock.advance(ms) };
}

/** Creates an unreserved volume. */
async function offer(client: Client, name: string, spec: PersistentVolumeSpec = {}): Promise<void> {
  const volumes = client.kind('v1', 'PersistentVolume');
  const volume = await volumes.create({
    metadata: { name },
    spec: {
      storageClassName: 'later',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/x' },
      ...spec,
    },
  });
  await volumes.status.update({ ...volume, status: { phase: 'Available' } });
}

async function claim(client: Client, name: string, storageClassName: string): Promise<void> {
  await client.kind('v1', 'PersistentVolumeClaim').create({
    metadata: { name, namespace: 'ns' },
    spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
}

/** Binds a claim as the persistent volume controller does. */
async function bind(client: Client, name: string, volumeName: string): Promise<void> {
  await client
    .kind('v1', 'PersistentVolumeClaim')
    .in('ns')
    .patch(name, { merge: { metadata: { annotations: boundAnnotations }, spec: { volumeName } } });
}

/** Waits until a condition holds on the server. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
}

const claimedBy = (client: Client, volume: string): Promise<PersistentVolumeSpec['claimRef']> =>
  until(async () => (await client.kind('v1', 'PersistentVolume').get(volume)).spec?.claimRef);
const selectedFor = (client: Client, name: string): Promise<string> =>
  until(
    async () =>
      (await client.kind('v1', 'PersistentVolumeClaim').in('ns').get(name)).metadata.annotations?.[
        'volume.kubernetes.io/selected-node'
      ],
  );

t.test('a volume is bound to the claim, and the pod waits until the claim is bound', async (t) => {
  const { client, begin, learn, pass } = await open(t);
  await offer(client, 'v');
  await claim(client, 'c', 'later');
  await learn();
  const { outcome, isOver } = begin(withClaims('p', 'c'));
  const { metadata } = await client.kind('v1', 'PersistentVolumeClaim').in('ns').get('c');
  t.same(await claimedBy(client, 'v'), {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: 'ns',
    name: 'c',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  });
  t.match((await client.kind('v1', 'PersistentVolume').get('v')).metadata.annotations, {
    'pv.kubernetes.io/bound-by-controller': 'yes',
  });
  await pass(5000);
  t.notOk(isOver(), 'what is known is from before the write');
  await learn();
  await pass(5000);
  t.notOk(isOver(), 'the claim does not have it yet');
  await bind(client, 'c', 'v');
  await learn();
  await pass(999);
  t.notOk(isOver(), 'it looks once a second');
  await pass(1);
  t.equal(await outcome, 'bound');
});

t.test('a claim is annotated with the node to provision for', async (t) => {
  const { client, begin, learn, pass } = await open(t);
  await claim(client, 'c', 'made');
  await learn();
  const { outcome, isOver } = begin(withClaims('p', 'c'));
  t.equal(await selectedFor(client, 'c'), 'n');
  await pass(1000);
  await learn();
  await pass(1000);
  t.notOk(isOver());
  await bind(client, 'c', 'made-for-c');
  await learn();
  await pass(1000);
  t.notOk(isOver(), 'the news of the volume is under way');
  await offer(client, 'made-for-c', {
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [within(zone, 'z')] }] } },
  });
  await learn();
  await pass(1000);
  t.equal(await outcome, 'bound');
});

t.test('writes that are already done are not repeated', async (t) => {
  const { client, begin, learn, pass } = await open(t);
  await offer(client, 'v');
  await claim(client, 'c', 'later');
  await claim(client, 'm', 'made');
  await learn();
  const first = begin(withClaims('p', 'c', 'm'));
  await claimedBy(client, 'v');
  await selectedFor(client, 'm');
  await learn();
  const version = async (): Promise<readonly (string | undefined)[]> => [
    (await client.kind('v1', 'PersistentVolume').get('v')).metadata.resourceVersion,
    (await client.kind('v1', 'PersistentVolumeClaim').in('ns').get('m')).metadata.resourceVersion,
  ];
  const before = await version();
  const second = begin(withClaims('q', 'c', 'm'));
  await pass(1000);
  t.same(await version(), before);
  await bind(client, 'c', 'v');
  await offer(client, 'w');
  await bind(client, 'm', 'w');
  await learn();
  await pass(1000);
  t.same(await Promise.all([first.outcome, second.outcome]), ['bound', 'bound']);
});

t.test('waiting for claims ends by timeout, and at once when it is hopeless', async (t) => {
  interface Trouble {
    readonly message: string;
    readonly cause: (scene: Scene) => unknown;
    readonly storageClass?: string;
  }
  const troubles: readonly Trouble[] = [
    {
      message: 'binding volumes: failed to get node "n": node "n" not found',
      cause: ({ cluster }) => cluster.removeNode('n'),
    },
    {
      message: 'binding volumes: failed to check binding: persistentvolumes "v" not found',
      cause: ({ cluster }) => cluster.objects.delete('PersistentVolume', 'v'),
    },
    {
      message: 'binding volumes: failed to check binding: persistentvolumeclaims "ns/c" not found',
      cause: ({ cluster }) => cluster.objects.delete('PersistentVolumeClaim', 'ns/c'),
    },
    {
      message: 'binding volumes: ClaimRef got reset for pv "v"',
      cause: async ({ client, learn }) => {
        await client.kind('v1', 'PersistentVolume').patch('v', { merge: { spec: { claimRef: null } } });
        await learn();
      },
    },
    {
      message: 'binding volumes: pv "v" node affinity doesn\'t match node "n": no matching NodeSelectorTerms',
      cause: ({ cluster }) => cluster.addNode(nodeOf('n')),
    },
    {
      message: 'binding volumes: failed to check provisioning pvc: persistentvolumeclaims "ns/c" not found',
      cause: ({ cluster }) => cluster.objects.delete('PersistentVolumeClaim', 'ns/c'),
      storageClass: 'made',
    },
    {
      message: 'binding volumes: selectedNode annotation reset for PVC "c"',
      cause: async ({ client, learn }) => {
        await client
          .kind('v1', 'PersistentVolumeClaim')
          .in('ns')
          .patch('c', { merge: { metadata: { annotations: null } } });
        await learn();
      },
      storageClass: 'made',
    },
    {
      message: 'binding volumes: provisioning failed for PVC "c"',
      cause: async ({ client, learn }) => {
        await client
          .kind('v1', 'PersistentVolumeClaim')
          .in('ns')
          .patch('c', {
            merge: { metadata: { annotations: { 'volume.kubernetes.io/selected-node': null, other: 'x' } } },
          });
        await learn();
      },
      storageClass: 'made',
    },
  ];
  for (const { message, cause, storageClass = 'later' } of troubles) {
    await t.test(message, async (t) => {
      const scene = await open(t);
      const { client, begin, learn, pass } = scene;
      await offer(client, 'v', {
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [within(zone, 'z')] }] } },
      });
      await claim(client, 'c', storageClass);
      await learn();
      const { outcome } = begin(withClaims('p', 'c'));
      await (storageClass === 'later' ? claimedBy(client, 'v') : selectedFor(client, 'c'));
      await learn();
      await cause(scene);
      await pass(1000);
      t.equal(await outcome, message);
    });
  }

  await t.test('timeout', async (t) => {
    const { client, begin, learn, pass } = await open(t);
    await claim(client, 'c', 'made');
    await learn();
    const { outcome, isOver } = begin(withClaims('p', 'c'));
    await selectedFor(client, 'c');
    await learn();
    await pass(599_999);
    t.notOk(isOver());
    await pass(1);
    t.equal(await outcome, 'binding volumes: context deadline exceeded');
  });

  await t.test('the pod was deleted', async (t) => {
    const { client, begin, learn, pass } = await open(t, { currentPod: () => undefined });
    await claim(client, 'c', 'made');
    await learn();
    const { outcome } = begin(withClaims('p', 'c'));
    await selectedFor(client, 'c');
    await pass(1000);
    t.equal(await outcome, 'binding volumes: pod does not exist any more: pod "p" not found');
  });

  await t.test('the binding is aborted', async (t) => {
    const { client, begin, learn } = await open(t);
    await claim(client, 'c', 'made');
    await learn();
    const controller = new AbortController();
    const { outcome } = begin(withClaims('p', 'c'), controller.signal);
    await selectedFor(client, 'c');
    controller.abort(new Error('preempted'));
    t.equal(await outcome, 'preempted');
  });
});

t.test('a failed binding reverts what has not been written', async (t) => {
  const { client, cluster, begin, learn, plugin } = await open(t);
  await offer(client, 'v');
  await offer(client, 'w');
  await claim(client, 'c', 'later');
  await claim(client, 'd', 'later');
  await learn();
  await client.kind('v1', 'PersistentVolume').patch('w', { merge: { metadata: { labels: { another: 'writer' } } } });
  const { cycle, outcome } = begin(withClaims('p', 'c', 'd'));
  const { volumes } = assumedVolumes(cluster);
  t.equal(volumes.size, 2);
  t.match(await outcome, /Operation cannot be fulfilled on persistentvolumes "w": the object has been modified/);
  plugin.unreserve?.(cycle, 'n');
  t.equal(volumes.size, 1, 'an assumed write is visible until the watch delivers it');
  t.equal(volumes.get('v')?.spec?.claimRef?.name, 'c');
  t.equal(volumes.get('w')?.spec?.claimRef, undefined);
  t.ok(
    isApiError(
      await client
        .kind('v1', 'PersistentVolume')
        .get('x')
        .catch((error: unknown) => error),
      'NotFound',
    ),
  );
});

t.test('events that requeue a pod that VolumeBinding rejected', async (t) => {
  const pod = withClaims('p', 'c');
  const topologies = [{ matchLabelExpressions: [{ key: zone, values: ['z'] }] }];
  const driver = (storageCapacity: boolean): Frozen<EventResources['storage.k8s.io/CSIDriver']> =>
    deepFreeze({ metadata: { name: 'd' }, spec: { storageCapacity } });
  const space = (capacity?: string): Frozen<CSIStorageCapacity> =>
    deepFreeze({ metadata: { name: 's', namespace: 'ns' }, storageClassName: 'later', ...(capacity && { capacity }) });
  const csiNode = (plugins: string): Frozen<CSINode> =>
    csiNodeOf('n', {}, { 'storage.alpha.kubernetes.io/migrated-plugins': plugins });
  const ask = <R extends keyof EventResources>(
    resource: R,
    action: number,
    old: Frozen<EventResources[R]> | undefined,
    current: Frozen<EventResources[R]>,
  ): string => hint('VolumeBinding', resource, action, pod, old, current);
  t.equal(ask('storage.k8s.io/StorageClass', actions.add, undefined, later), 'queue');
  t.equal(
    ask('storage.k8s.io/StorageClass', actions.update, later, classOf('later', { allowedTopologies: topologies })),
    'queue',
  );
  t.equal(
    ask('storage.k8s.io/StorageClass', actions.update, later, classOf('later', { allowVolumeExpansion: true })),
    'skip',
  );
  t.equal(ask('PersistentVolumeClaim', actions.add, undefined, claimOf('c')), 'queue');
  t.equal(ask('PersistentVolumeClaim', actions.update, claimOf('d'), claimOf('d')), 'skip');
  t.equal(
    ask('PersistentVolumeClaim', actions.add, undefined, claimOf('c', { metadata: { namespace: 'elsewhere' } })),
    'skip',
  );
  t.equal(
    hint(
      'VolumeBinding',
      'PersistentVolumeClaim',
      actions.add,
      withVolumes('p', [ephemeral]),
      undefined,
      claimOf('p-v0'),
    ),
    'queue',
  );
  t.equal(ask('PersistentVolume', actions.update, volumeOf('v'), volumeOf('v')), 'queue');
  t.equal(ask('Node', actions.add, undefined, nodeOf('n')), 'queue');
  t.equal(ask('Node', actions.updateNodeTaint, nodeOf('n'), nodeOf('n')), 'not asked');
  t.equal(ask('storage.k8s.io/CSINode', actions.add, undefined, csiNode('')), 'queue');
  t.equal(ask('storage.k8s.io/CSINode', actions.update, csiNode(''), csiNode('kubernetes.io/aws-ebs')), 'queue');
  t.equal(ask('storage.k8s.io/CSINode', actions.update, csiNode('a'), csiNode('a')), 'skip');
  t.equal(ask('storage.k8s.io/CSIDriver', actions.update, driver(true), driver(false)), 'queue');
  t.equal(ask('storage.k8s.io/CSIDriver', actions.update, driver(false), driver(true)), 'skip');
  t.equal(ask('storage.k8s.io/CSIStorageCapacity', actions.add, undefined, space()), 'queue');
  t.equal(ask('storage.k8s.io/CSIStorageCapacity', actions.update, space(), space('1')), 'queue');
  t.equal(ask('storage.k8s.io/CSIStorageCapacity', actions.update, space('1'), space('2')), 'queue');
  t.equal(ask('storage.k8s.io/CSIStorageCapacity', actions.update, space('2'), space('1')), 'skip');
  t.equal(ask('storage.k8s.io/CSIStorageCapacity', actions.update, space('2'), space()), 'skip');
});
