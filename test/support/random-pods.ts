// Random kinds of pods and nodes that exercise every plugin of the default profile. Several pods of each kind are
// placed and bound, so that results cached per equivalence class are used.
import type { Frozen } from '../../lib/core/index.js';
import type {
  Container,
  LabelSelector,
  Node,
  NodeSelectorTerm,
  OwnerReference,
  PodAffinityTerm,
  PodSpec,
  Taint,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from '../../lib/core/types/index.js';
import { nodeOf } from './scheduling.js';
import type { PodShape } from './scheduling.js';
import { fc } from './properties.js';

export const zoneKey = 'topology.kubernetes.io/zone';
export const hostKey = 'kubernetes.io/hostname';

/** Once in so many times. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>, times = 3): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** The members that are there. */
export const given = <T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  }; // the others are left out

export const app: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c');
const selector: fc.Arbitrary<LabelSelector> = fc.oneof(
  { weight: 6, arbitrary: app.map((value) => ({ matchLabels: { app: value } })) },
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: app.map((value): LabelSelector => ({
      matchExpressions: [{ key: 'app', operator: 'NotIn', values: [value] }],
    })),
  },
);
const topologyKey = fc.constantFrom(zoneKey, zoneKey, hostKey, 'disk');
/** A term about other pods. */
export const affinityTerm: fc.Arbitrary<PodAffinityTerm> = fc.record(
  {
    labelSelector: selector,
    topologyKey,
    namespaces: fc.constantFrom(['one'], ['one', 'two']),
    namespaceSelector: fc.constantFrom<LabelSelector[]>(
      {},
      { matchLabels: { team: 'x' } },
      { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['x'] }] },
    ),
  },
  { requiredKeys: ['labelSelector', 'topologyKey'] },
);
const podTerms = fc.record(
  {
    requiredDuringSchedulingIgnoredDuringExecution: fc.array(affinityTerm, { maxLength: 2 }),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(
      fc.record({ weight: fc.constantFrom(1, 7, 100), podAffinityTerm: affinityTerm }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);
/** A spread constraint. */
export const spreadConstraint: fc.Arbitrary<TopologySpreadConstraint> = fc.record(
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
const nodeTerm = fc.constantFrom<NodeSelectorTerm[]>(
  { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] },
  { matchExpressions: [{ key: zoneKey, operator: 'NotIn', values: ['z1'] }] },
  { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] },
  { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] },
);
const unreadable: NodeSelectorTerm = { matchExpressions: [{ key: 'disk', operator: 'Gt', values: ['many'] }] };
const nodeAffinity = fc.record(
  {
    requiredDuringSchedulingIgnoredDuringExecution: fc
      .array(nodeTerm, { minLength: 1, maxLength: 2 })
      .map((nodeSelectorTerms) => ({ nodeSelectorTerms })),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(
      fc.record({
        weight: fc.constantFrom(1, 50),
        preference: fc.oneof({ weight: 12, arbitrary: nodeTerm }, { weight: 1, arbitrary: fc.constant(unreadable) }),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);
/** A toleration. */
export const toleration: fc.Arbitrary<Toleration> = fc.constantFrom<Toleration[]>(
  { operator: 'Exists' },
  { key: 'red', operator: 'Exists' },
  { key: 'blue', value: 'x', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },
);

const requests: fc.Arbitrary<Record<string, string>> = fc
  .record({
    cpu: fc.constantFrom(undefined, '0', '100m', '500m', '1', '3'),
    memory: fc.constantFrom(undefined, '0', '100Mi', '1Gi'),
    'ephemeral-storage': rarely(fc.constantFrom('1Gi', '3Gi'), 8),
    'example.com/gpu': rarely(fc.constantFrom('1', '2'), 6),
    'other.com/fpga': rarely(fc.constant('1'), 12),
  })
  .map((amounts) =>
    Object.fromEntries(
      Object.entries(amounts).flatMap(([name, amount]) => (amount === undefined ? [] : [[name, amount]])),
    ),
  );
/** What a pod asks for in other ways than through its containers. */
const besides = fc.constantFrom<Partial<PodSpec>[]>(
  { overhead: { cpu: '250m', memory: '64Mi' } },
  { initContainers: [{ name: 'first', image: 'app:1', resources: { requests: { cpu: '2', memory: '1Gi' } } }] },
  {
    initContainers: [
      { name: 'beside', image: 'app:2', restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } },
    ],
  },
  { resources: { requests: { cpu: '1500m' } } },
  { resources: { requests: { cpu: '2', memory: '2Gi' } } },
  { hostNetwork: true, hostUsers: false },
);
const volume: fc.Arbitrary<Omit<Volume, 'name'>> = fc.oneof(
  fc
    .constantFrom('here', 'there', 'later', 'made', 'once', 'nowhere')
    .map((claimName) => ({ persistentVolumeClaim: { claimName } })),
  fc
    .record({ pdName: fc.constantFrom('d1', 'd2'), readOnly: fc.boolean() })
    .map((gcePersistentDisk) => ({ gcePersistentDisk })),
);
const volumes = fc
  .array(volume, { minLength: 1, maxLength: 2 })
  .map((list) => list.map((each, index): Volume => ({ name: `v${index}`, ...each })));
const devices = fc
  .constantFrom('any', 'model', 'either', 'either', 'held', 'lost')
  .map((resourceClaimName) => [{ name: 'device', resourceClaimName }]);

/** What all pods of a kind have in common. */
export type PodKind = Required<Pick<PodShape, 'namespace' | 'labels' | 'spec' | 'metadata'>>;

const owners = ['ReplicaSet', 'StatefulSet', 'ReplicationController'].map((kind) => [
  {
    apiVersion: kind === 'ReplicationController' ? 'v1' : 'apps/v1',
    kind,
    name: 'owner',
    uid: 'owner',
    controller: true,
  },
]);
/** The references to a controller. */
export const anyOwner: fc.Arbitrary<OwnerReference[]> = fc.constantFrom(...owners);

/** A kind of pod. */
export const podKind: fc.Arbitrary<PodKind> = fc
  .record({
    namespace: fc.constantFrom<string[]>('one', 'one', 'two'),
    appName: app,
    tier: rarely(fc.constantFrom('x', 'yy'), 4),
    requests,
    port: rarely(fc.constantFrom(80, 81), 5),
    image: fc.constantFrom('app:1', 'app:2'),
    ownerReferences: rarely(anyOwner, 2),
    besides: rarely(besides, 4),
    spec: fc.record({
      priority: fc.constantFrom(0, 0, 5, 10),
      tolerations: rarely(fc.array(toleration, { minLength: 1, maxLength: 2 })),
      nodeSelector: rarely(fc.constantFrom({ disk: 'ssd' }, { disk: 'hdd' }), 8),
      topologySpreadConstraints: rarely(fc.array(spreadConstraint, { minLength: 1, maxLength: 3 }), 4),
      volumes: rarely(volumes, 5),
      resourceClaims: rarely(devices, 6),
      nodeName: rarely(fc.constantFrom('n0', 'n1'), 30),
      preemptionPolicy: rarely(fc.constant('Never'), 20),
    }),
    affinity: fc.record({
      nodeAffinity: rarely(nodeAffinity, 5),
      podAffinity: rarely(podTerms, 5),
      podAntiAffinity: rarely(podTerms, 4),
    }),
  })
  .map(({ namespace, appName, tier, requests: asked, port, image, ownerReferences, besides: more, spec, affinity }) => {
    const container: Container = {
      name: 'c',
      image,
      resources: { requests: asked },
      ...(port && { ports: [{ containerPort: port, hostPort: port }] }),
    };
    return {
      namespace,
      labels: { app: appName, ...(tier && { tier }) },
      metadata: ownerReferences === undefined ? {} : { ownerReferences },
      spec: { containers: [container], affinity: given(affinity), ...given(spec), ...more },
    };
  });

/** What kinds that are otherwise the same differ in. Most parts of their specifications are shared then. */
const variation: fc.Arbitrary<(base: PodKind, other: PodKind) => PodKind> = fc.oneof(
  fc
    .constantFrom<(keyof PodSpec)[]>(
      'affinity',
      'tolerations',
      'nodeSelector',
      'topologySpreadConstraints',
      'volumes',
      'resourceClaims',
      'nodeName',
      'priority',
      'overhead',
      'initContainers',
      'resources',
    )
    .map((part) => (base: PodKind, other: PodKind) => {
      const { [part]: _, ...rest } = base.spec;
      return { ...base, spec: { ...rest, ...(other.spec[part] !== undefined && { [part]: other.spec[part] }) } };
    }),
  fc
    .constantFrom<(keyof Container)[]>('resources', 'resources', 'ports', 'image')
    .map((part) => (base: PodKind, other: PodKind) => {
      const containers = (base.spec.containers ?? []).map((container, index): Container => ({
        ...container,
        [part]: other.spec.containers?.[index]?.[part],
      }));
      return { ...base, spec: { ...base.spec, containers } };
    }),
  fc
    .constantFrom<('namespace' | 'labels' | 'metadata')[]>('namespace', 'labels', 'metadata')
    .map((part) => (base: PodKind, other: PodKind) => ({ ...base, [part]: other[part] })),
);

/** Some kinds of pods: any, or such that differ in one thing each. */
export const podKinds: fc.Arbitrary<PodKind[]> = fc.oneof(
  fc.array(podKind, { minLength: 2, maxLength: 4 }),
  fc
    .tuple(podKind, fc.array(fc.tuple(podKind, variation), { minLength: 2, maxLength: 5 }))
    .map(([base, others]) => [base, ...others.map(([other, vary]) => vary(base, other))]),
);

/** An arbitrary node. */
export interface NodeKind {
  readonly zone: string | undefined;
  readonly host: boolean;
  readonly disk: string | undefined;
  readonly taint: string | undefined;
  readonly effect: Taint['effect'];
  readonly unschedulable: boolean;
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  readonly gpus: string | undefined;
  /** The first so many of all images. */
  readonly images: number;
  readonly features: boolean;
  /** Fields that no plugin reads. */
  readonly heartbeat: number;
}

/** A kind of node. */
export const nodeKind: fc.Arbitrary<NodeKind> = fc.record({
  zone: fc.constantFrom(undefined, 'z1', 'z2', 'z3', ''),
  host: fc.constantFrom(true, true, true, false),
  disk: fc.constantFrom(undefined, 'ssd', 'hdd'),
  taint: fc.constantFrom(undefined, undefined, undefined, 'red', 'blue'),
  effect: fc.constantFrom<Taint['effect'][]>('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
  unschedulable: fc.nat(9).map((roll) => roll === 0),
  cpu: fc.constantFrom('1', '2', '4', '8'),
  memory: fc.constantFrom('4Gi', '4Gi', '2Gi'),
  pods: fc.constantFrom('6', '6', '3'),
  gpus: fc.constantFrom(undefined, undefined, '2', '0'),
  images: fc.nat(2),
  features: fc.boolean(),
  heartbeat: fc.nat(3),
});

/** A node without peculiarities. */
export const plainNode: NodeKind = {
  zone: 'z1',
  host: true,
  disk: undefined,
  taint: undefined,
  effect: 'NoSchedule',
  unschedulable: false,
  cpu: '4',
  memory: '4Gi',
  pods: '6',
  gpus: undefined,
  images: 0,
  features: false,
  heartbeat: 0,
};

/** A node of a kind. */
export function nodeAt(
  index: number,
  { zone, host, disk, taint, effect, unschedulable, cpu, memory, pods, gpus, images, features, heartbeat }: NodeKind,
): Frozen<Node> {
  const name = `n${index}`;
  const node = nodeOf(name, {
    labels: {
      ...(zone !== undefined && { [zoneKey]: zone }),
      ...(host && { [hostKey]: name }),
      ...(disk !== undefined && { disk }),
    },
    ...(taint !== undefined && { taints: [{ key: taint, value: 'x', effect }] }),
    unschedulable,
    allocatable: {
      cpu,
      memory,
      pods,
      'ephemeral-storage': '4Gi',
      ...(gpus !== undefined && { 'example.com/gpu': gpus }),
    },
    ...(images > 0 && {
      images: [1, 2].slice(0, images).map((each) => ({ names: [`app:${each}`], sizeBytes: each * 500 * 2 ** 20 })),
    }),
    ...(features && { declaredFeatures: ['UserNamespacesHostNetworkSupport'] }),
  });
  return {
    ...node,
    status: {
      ...node.status,
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: `2026-01-01T00:00:0${heartbeat}Z` }],
    },
  };
}
