// Random clusters in which pods are constrained only by other pods: spread constraints, affinity and anti-affinity.
// Nothing else is scored, so that any wrong count changes the chosen node.
import type { PodAffinity } from '../../lib/core/types/index.js';
import type { SchedulerProfile } from '../../lib/scheduling/public.js';
import { anyController, anyNamespace, anyService } from './random-objects.js';
import type { PodChange, Step } from './random-clusters.js';
import {
  affinityTerm,
  app,
  anyOwner,
  given,
  hostKey,
  nodeKind,
  plainNode,
  rarely,
  spreadConstraint,
  toleration,
  zoneKey,
} from './random-pods.js';
import type { NodeKind, PodKind } from './random-pods.js';
import { profileOf } from './random-profiles.js';
import { fc } from './properties.js';

const terms: fc.Arbitrary<PodAffinity> = fc
  .record({
    requiredDuringSchedulingIgnoredDuringExecution: rarely(fc.array(affinityTerm, { minLength: 1, maxLength: 2 }), 4),
    preferredDuringSchedulingIgnoredDuringExecution: rarely(
      fc.array(fc.record({ weight: fc.constantFrom(1, 7, 100), podAffinityTerm: affinityTerm }), {
        minLength: 1,
        maxLength: 2,
      }),
      2,
    ),
  })
  .map(given);

const peerKind: fc.Arbitrary<PodKind> = fc
  .record({
    namespace: fc.constantFrom('one', 'one', 'two'),
    appName: app,
    ownerReferences: rarely(anyOwner, 3),
    podAffinity: rarely(terms, 2),
    podAntiAffinity: rarely(terms, 2),
    spec: fc.record({
      topologySpreadConstraints: rarely(fc.array(spreadConstraint, { minLength: 1, maxLength: 3 }), 2),
      nodeSelector: rarely(fc.constant({ disk: 'ssd' }), 6),
      tolerations: rarely(fc.array(toleration, { minLength: 1, maxLength: 1 }), 4),
    }),
  })
  .map(({ namespace, appName, ownerReferences, podAffinity, podAntiAffinity, spec }) => ({
    namespace,
    labels: { app: appName },
    metadata: given({ ownerReferences }),
    spec: { affinity: given({ podAffinity, podAntiAffinity }), ...given(spec) },
  }));

const aspects: readonly (keyof NodeKind)[] = ['zone', 'host', 'disk', 'taint'];
const peerNode: fc.Arbitrary<NodeKind> = nodeKind.map(({ zone, host, disk, taint }) => ({
  ...plainNode,
  pods: '20',
  zone,
  host,
  disk,
  taint,
}));

const kind = fc.nat(3);
const at = fc.nat(7);
const change = fc.oneof(
  fc.constantFrom<PodChange[]>(
    { to: 'leave' },
    { to: 'leave' },
    { to: 'unbind' },
    { to: 'touch' },
    { to: 'terminate' },
  ),
  app.map((each): PodChange => ({ to: 'relabel', app: each })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('place' as const), kind, hint: fc.constantFrom(40, 40, 40, 20, 7, 1) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('bind' as const), kind, at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change-pod' as const), pod: fc.nat(30), change }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('alter-node' as const),
      at,
      shape: peerNode,
      what: fc.constantFrom(...aspects),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('node' as const), at, shape: peerNode }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-node' as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set-object' as const),
      set: fc.oneof(anyNamespace, anyService, anyController),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('untell' as const),
      gone: fc.constantFrom({ kind: 'Service' as const, key: 'one/s' }, { kind: 'Namespace' as const, key: 'two' }),
    }),
  },
);

const onlyPeers = (
  spread: number,
  affinity: number,
): { readonly score: { disabled: { name: string }[]; enabled: { name: string; weight: number }[] } } => ({
  score: {
    disabled: [{ name: '*' }],
    enabled: [
      { name: 'PodTopologySpread', weight: spread },
      { name: 'InterPodAffinity', weight: affinity },
    ],
  },
});
const profiles: readonly SchedulerProfile[] = [
  profileOf({ plugins: onlyPeers(1, 1) }),
  profileOf({
    plugins: onlyPeers(1, 3),
    pluginConfig: [{ name: 'InterPodAffinity', args: { hardPodAffinityWeight: 20 } }],
  }),
  profileOf({
    plugins: {
      ...onlyPeers(1, 1),
      filter: { disabled: [{ name: 'InterPodAffinity' }, { name: 'PodTopologySpread' }] },
    },
  }),
  profileOf({
    plugins: onlyPeers(2, 1),
    pluginConfig: [
      { name: 'InterPodAffinity', args: { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true } },
      {
        name: 'PodTopologySpread',
        args: {
          defaultingType: 'List',
          defaultConstraints: [
            { maxSkew: 2, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' },
            { maxSkew: 2, topologyKey: hostKey, whenUnsatisfiable: 'ScheduleAnyway' },
          ],
        },
      },
    ],
  }),
];

/** In some clusters every zone has one node at the start, as host names have. */
const nodes: fc.Arbitrary<readonly NodeKind[]> = fc
  .record({
    list: fc.array(peerNode, { minLength: 2, maxLength: 8, size: 'max' }),
    isApart: fc.nat(2).map((roll) => roll === 0),
  })
  .map(({ list, isApart }) =>
    isApart ? list.map((node, index) => ({ ...node, zone: node.zone && `z${index}` })) : list,
  );

/** A cluster and its steps. */
export interface PeerWorld {
  readonly profiles: readonly SchedulerProfile[];
  readonly kinds: readonly PodKind[];
  readonly nodes: readonly NodeKind[];
  readonly steps: readonly Step[];
  readonly changesMax: number;
}

/** Draws such a cluster. */
export const peerWorld: fc.Arbitrary<PeerWorld> = fc.record({
  profiles: fc.array(fc.constantFrom(...profiles), { minLength: 1, maxLength: 2 }),
  kinds: fc.array(peerKind, { minLength: 2, maxLength: 4 }),
  nodes,
  steps: fc.array(step, { minLength: 12, maxLength: 40, size: 'max' }),
  changesMax: fc.constantFrom(16_384, 16_384, 4, 1),
});
