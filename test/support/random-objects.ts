// Random objects besides pods and nodes: Services and controllers that select pods, disruption budgets, storage and
// devices. A cluster begins with one of each; later steps replace and delete them.
import { deepFreeze } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { NodeSelector, resourceV1 } from '../../lib/core/types/index.js';
import type { CachedKind, CachedKinds } from '../../lib/scheduling/cluster/object-lister.js';
import { app, zoneKey } from './random-pods.js';
import { fc } from './properties.js';

/** An object of one of some kinds. */
export type CachedObject<K extends CachedKind = CachedKind> = {
  readonly [P in K]: { readonly kind: P; readonly object: Frozen<CachedKinds[P]> };
}[K];

/** An object that is no more. */
export interface Gone {
  readonly kind: CachedKind;
  readonly key: string;
}

const cached = <K extends CachedKind>(kind: K, object: CachedKinds[K]): CachedObject<K> => ({
  kind,
  object: deepFreeze(object),
});

/** A Service that selects pods. */
export const serviceOf = (namespaceName: string, value: string): CachedObject =>
  cached('Service', { metadata: { name: 's', namespace: namespaceName }, spec: { selector: { app: value } } });
/** A namespace of a team. */
export const namespaceOf = (name: string, team: string): CachedObject =>
  cached('Namespace', { metadata: { name, labels: { team } } });

const csi = 'csi.example.com';
const gpu = 'gpu.example.com';
const inZone = (zone: string): NodeSelector => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }] }],
});
const onNode = (name: string): NodeSelector => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
});

/** A claim that has its volume. */
const boundClaim = (
  namespace: string,
  name: string,
  accessMode: 'ReadWriteOnce' | 'ReadWriteOncePod' = 'ReadWriteOnce',
): CachedObject =>
  cached('PersistentVolumeClaim', {
    metadata: {
      name,
      namespace,
      uid: `${namespace}-${name}`,
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    },
    spec: { volumeName: `${namespace}-${name}`, accessModes: [accessMode] },
    status: { phase: 'Bound' },
  });
const boundVolume = (namespace: string, name: string, zone: string): CachedObject =>
  cached('PersistentVolume', {
    metadata: { name: `${namespace}-${name}`, labels: { [zoneKey]: zone } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: csi, volumeHandle: `${namespace}-${name}` },
      // Only one of them says by its affinity where it is, the other by its label alone.
      ...(name === 'here' && { nodeAffinity: { required: inZone(zone) } }),
      claimRef: { namespace, name, uid: `${namespace}-${name}` },
    },
    status: { phase: 'Bound' },
  });
/** A claim that waits for its pod. */
const openClaim = (namespace: string, name: string, storage: string, selected?: string): CachedObject =>
  cached('PersistentVolumeClaim', {
    metadata: {
      name,
      namespace,
      uid: `${namespace}-${name}`,
      ...(selected !== undefined && { annotations: { 'volume.kubernetes.io/selected-node': selected } }),
    },
    spec: { storageClassName: name, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    status: { phase: 'Pending' },
  });
const freeVolume = (name: string, zone: string | undefined, storage: string): CachedObject =>
  cached('PersistentVolume', {
    metadata: { name },
    spec: {
      storageClassName: 'later',
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      ...(zone !== undefined && { nodeAffinity: { required: inZone(zone) } }),
    },
    status: { phase: 'Available' },
  });
const storageClass = (name: string, zones: string[] = []): CachedObject =>
  cached('StorageClass', {
    metadata: { name },
    provisioner: name === 'made' ? csi : 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...(zones.length > 0 && { allowedTopologies: [{ matchLabelExpressions: [{ key: zoneKey, values: zones }] }] }),
  });
const csiDriver = (storageCapacity: boolean): CachedObject =>
  cached('CSIDriver', { metadata: { name: csi }, spec: { storageCapacity } });
const csiCapacity = (zone: string, capacity: string): CachedObject =>
  cached('CSIStorageCapacity', {
    metadata: { name: `capacity-${zone}`, namespace: 'one' },
    storageClassName: 'made',
    capacity,
    nodeTopology: { matchLabels: { [zoneKey]: zone } },
  });
const csiNode = (node: string, count: number): CachedObject =>
  cached('CSINode', {
    metadata: { name: node },
    spec: { drivers: [{ name: csi, nodeID: node, allocatable: { count } }] },
  });
const attachment = (node: string, volume: string): CachedObject =>
  cached('VolumeAttachment', {
    metadata: { name: `${node}-${volume}` },
    spec: { attacher: csi, nodeName: node, source: { persistentVolumeName: volume } },
    status: { attached: true },
  });

const ofModel = (model: string): resourceV1.DeviceSelector => ({
  cel: { expression: `device.attributes["${gpu}"].model == "${model}"` },
});
const deviceClass = (extendedResourceName?: string): CachedObject =>
  cached('DeviceClass', {
    metadata: { name: 'gpu' },
    spec: {
      selectors: [{ cel: { expression: `device.driver == "${gpu}"` } }],
      ...(extendedResourceName !== undefined && { extendedResourceName }),
    },
  });
const slice = (node: string, models: string[], generation: number): CachedObject =>
  cached('ResourceSlice', {
    metadata: { name: `slice-${node}` },
    spec: {
      driver: gpu,
      nodeName: node,
      pool: { name: node, generation, resourceSliceCount: 1 },
      devices: models.map((model, index) => ({ name: `d${index}`, attributes: { model: { string: model } } })),
    },
  });
const one = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } as const;
const deviceRequests: Readonly<Record<string, resourceV1.DeviceRequest>> = {
  any: { name: 'r', exactly: one },
  model: { name: 'r', exactly: { ...one, selectors: [ofModel('a')] } },
  either: {
    name: 'r',
    firstAvailable: [
      { name: 'first', ...one, selectors: [ofModel('b')] },
      { name: 'second', ...one, selectors: [ofModel('a')] },
    ],
  },
  held: { name: 'r', exactly: one },
};
const deviceClaim = (namespace: string, name: string, node?: string): CachedObject =>
  cached('ResourceClaim', {
    metadata: { name, namespace, uid: `${namespace}-${name}`, resourceVersion: '1' },
    spec: {
      devices: {
        requests: Object.entries(deviceRequests).flatMap(([each, request]) => (each === name ? [request] : [])),
      },
    },
    ...(node !== undefined && {
      status: {
        allocation: {
          nodeSelector: onNode(node),
          devices: {
            results: [{ request: name === 'either' ? 'r/second' : 'r', driver: gpu, pool: node, device: 'd0' }],
          },
        },
      },
    }),
  });

const budget = (namespace: string, name: string, disruptionsAllowed: number, disrupted: string[] = []): CachedObject =>
  cached('PodDisruptionBudget', {
    metadata: { name: `budget-${name}`, namespace },
    spec: { selector: { matchLabels: { app: name } } },
    status: {
      disruptionsAllowed,
      disruptedPods: Object.fromEntries(disrupted.map((pod) => [pod, '2026-01-01T00:00:00Z'])),
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    },
  });
/** Who selects the pods that it owns. */
export const controllerOf = (
  kind: 'ReplicaSet' | 'StatefulSet' | 'ReplicationController',
  value: string,
): CachedObject => {
  const metadata = { name: 'owner', namespace: 'one' };
  if (kind === 'ReplicationController') return cached(kind, { metadata, spec: { selector: { app: value } } });
  const selector = { matchLabels: { app: value } };
  return kind === 'ReplicaSet'
    ? cached(kind, { metadata, spec: { selector } })
    : cached(kind, { metadata, spec: { selector, serviceName: '', template: {} } });
};

const namespaces = ['one', 'two'];
const namespace = fc.constantFrom('one', 'two');
const zone = fc.constantFrom('z1', 'z2');
const node = fc.nat(11).map((index) => `n${index}`);
const model = fc.constantFrom('a', 'b');

/** What every cluster begins with. */
export const firstObjects: readonly CachedObject[] = [
  ...namespaces.flatMap((each) => [
    boundClaim(each, 'here'),
    boundClaim(each, 'there'),
    boundClaim(each, 'once', 'ReadWriteOncePod'),
    openClaim(each, 'later', '1Gi'),
    openClaim(each, 'made', '5Gi'),
  ]),
  ...namespaces.flatMap((each) => [
    boundVolume(each, 'here', 'z1'),
    boundVolume(each, 'there', 'z2'),
    boundVolume(each, 'once', 'z1'),
  ]),
  ...namespaces.flatMap((each) => ['any', 'model', 'either'].map((name) => deviceClaim(each, name))),
  ...namespaces.map((each, index) => deviceClaim(each, 'held', `n${index + 1}`)),
  freeVolume('free-1', 'z1', '1Gi'),
  freeVolume('free-2', 'z2', '2Gi'),
  storageClass('later'),
  storageClass('made', ['z1', 'z2']),
  csiDriver(true),
  csiCapacity('z1', '10Gi'),
  ...['n0', 'n1', 'n2', 'n3'].map((name) => csiNode(name, 1)),
  deviceClass(),
  ...['n0', 'n1', 'n2', 'n3'].map((name, index) => slice(name, index % 2 === 0 ? ['a'] : ['b', 'a'], 1)),
];

/** A namespace that gets a team. */
export const anyNamespace: fc.Arbitrary<CachedObject> = fc
  .tuple(namespace, fc.constantFrom('x', 'y'))
  .map((shape) => namespaceOf(...shape));
/** A Service that selects pods, or others than before. */
export const anyService: fc.Arbitrary<CachedObject> = fc.tuple(namespace, app).map((shape) => serviceOf(...shape));
/** A controller that does. */
export const anyController: fc.Arbitrary<CachedObject> = fc
  .tuple(
    fc.constantFrom<('ReplicaSet' | 'StatefulSet' | 'ReplicationController')[]>(
      'ReplicaSet',
      'StatefulSet',
      'ReplicationController',
    ),
    app,
  )
  .map(([kind, value]) => controllerOf(kind, value));

/** One that comes or changes. */
export const anyCachedObject: fc.Arbitrary<CachedObject> = fc.oneof(
  anyNamespace,
  anyService,
  anyController,
  fc
    .tuple(namespace, fc.constantFrom('here', 'there', 'once'), zone)
    .map(([each, name, at]) => boundVolume(each, name, at)),
  fc
    .tuple(
      namespace,
      fc.constantFrom('later', 'made'),
      fc.constantFrom('1Gi', '5Gi'),
      fc.option(node, { nil: undefined }),
    )
    .map((shape) => openClaim(...shape)),
  namespace.map((each) => boundClaim(each, 'once', 'ReadWriteOncePod')),
  fc
    .tuple(
      fc.constantFrom('free-1', 'free-2', 'free-3'),
      fc.constantFrom(undefined, 'z1', 'z2'),
      fc.constantFrom('1Gi', '9Gi'),
    )
    .map((shape) => freeVolume(...shape)),
  fc
    .tuple(fc.constantFrom('later', 'made'), fc.constantFrom<string[][]>([], ['z1'], ['z1', 'z2']))
    .map((shape) => storageClass(...shape)),
  fc.oneof(
    fc.boolean().map(csiDriver),
    fc.tuple(zone, fc.constantFrom('1Gi', '10Gi')).map((shape) => csiCapacity(...shape)),
  ),
  fc.tuple(node, fc.constantFrom(1, 2)).map((shape) => csiNode(...shape)),
  fc
    .tuple(node, fc.constantFrom('one-here', 'one-once', 'two-there', 'elsewhere'))
    .map((shape) => attachment(...shape)),
  fc.constantFrom(undefined, 'example.com/gpu', 'other.com/fpga').map(deviceClass),
  fc.tuple(node, fc.array(model, { maxLength: 2 }), fc.nat(2)).map((shape) => slice(...shape)),
  fc
    .tuple(namespace, fc.constantFrom('any', 'model', 'either', 'held'), fc.option(node, { nil: undefined }))
    .map((shape) => deviceClaim(...shape)),
);

/** One that goes. */
export const anyGone: fc.Arbitrary<Gone> = fc.oneof(
  fc
    .tuple(namespace, fc.constantFrom('here', 'later', 'made', 'once'))
    .map(([each, name]) => ({ kind: 'PersistentVolumeClaim', key: `${each}/${name}` }) as const),
  fc
    .constantFrom('one-here', 'two-there', 'free-1', 'free-2')
    .map((key) => ({ kind: 'PersistentVolume', key }) as const),
  fc.constantFrom('later', 'made').map((key) => ({ kind: 'StorageClass', key }) as const),
  node.map((key) => ({ kind: 'CSINode', key }) as const),
  node.map((key) => ({ kind: 'ResourceSlice', key: `slice-${key}` }) as const),
  fc
    .tuple(namespace, fc.constantFrom('any', 'held'))
    .map(([each, name]) => ({ kind: 'ResourceClaim', key: `${each}/${name}` }) as const),
  fc.constantFrom<Gone[]>(
    { kind: 'Service', key: 'one/s' },
    { kind: 'CSIStorageCapacity', key: 'one/capacity-z1' },
    { kind: 'DeviceClass', key: 'gpu' },
    { kind: 'ReplicaSet', key: 'one/owner' },
  ),
);

/** A budget that comes or changes. */
export const anyBudget: fc.Arbitrary<CachedObject> = fc
  .tuple(
    namespace,
    app,
    fc.nat(2),
    fc.array(
      fc.nat(20).map((index) => `bound-${index}`),
      { maxLength: 2 },
    ),
  )
  .map((shape) => budget(...shape));

/** A budget that goes. */
export const anyBudgetGone: fc.Arbitrary<Gone> = fc
  .tuple(namespace, app)
  .map(([each, name]) => ({ kind: 'PodDisruptionBudget', key: `${each}/budget-${name}` }));
