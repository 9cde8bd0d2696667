// Random steps for a cluster: nodes, pods and other objects that affect scheduling are added, updated and deleted. In
// between pods of a few kinds are placed.
import { anyBudget, anyBudgetGone, anyGone, anyCachedObject } from './random-objects.js';
import type { Gone, CachedObject } from './random-objects.js';
import { app, nodeKind, plainNode, podKind } from './random-pods.js';
import type { NodeKind, PodKind } from './random-pods.js';
import { fc } from './properties.js';

/** A change to a pod that has a node. */
export type PodChange =
  | { readonly to: 'leave' }
  /** The pod was only assumed to have a node. */
  | { readonly to: 'unbind' }
  | { readonly to: 'terminate' }
  /** The pod is delivered again. */
  | { readonly to: 'touch' }
  | { readonly to: 'relabel'; readonly app: string }
  /** The resources that the kubelet reports for it. */
  | { readonly to: 'resize'; readonly cpu: string }
  | { readonly to: 'start'; readonly day: number };

/** How a nominated pod can be updated. */
export type Renomination = 'same' | 'relabelled' | 'leaving' | 'grown';

/** A step. Nodes and kinds of pods are chosen by number; pods with a node by any number, modulo their count. */
export type Step =
  | { readonly do: 'node'; readonly at: number; readonly shape: NodeKind }
  /** One field of the node changes. */
  | { readonly do: 'alter-node'; readonly at: number; readonly shape: NodeKind; readonly what: keyof NodeKind }
  | { readonly do: 'remove-node'; readonly at: number }
  | { readonly do: 'bind'; readonly kind: number; readonly at: number }
  | { readonly do: 'change-pod'; readonly pod: number; readonly change: PodChange }
  | { readonly do: 'set-object'; readonly set: CachedObject }
  | { readonly do: 'untell'; readonly gone: Gone }
  | { readonly do: 'nominate'; readonly kind: number; readonly at: number }
  /** A nominated pod is updated: other labels, terminating, another spec, or unchanged. */
  | { readonly do: 'renominate'; readonly pod: number; readonly as: Renomination }
  | { readonly do: 'forget-nominations' }
  /** A pod is placed. It may be nominated, known to the queue or not; or it is a pod that was nominated before. */
  | { readonly do: 'place'; readonly kind: number; readonly hint: number };

const at = fc.nat(11);
const kindIndex = fc.nat(5);
const day = fc.nat(3);
const podChange: fc.Arbitrary<PodChange> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      to: fc.constantFrom<('leave' | 'unbind' | 'terminate' | 'touch')[]>(
        'leave',
        'leave',
        'unbind',
        'terminate',
        'touch',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('relabel' as const), app }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('resize' as const), cpu: fc.constantFrom('50m', '2') }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constant('start' as const), day }) },
);

/** Relative frequencies of the steps. */
export interface StepWeights {
  readonly objects: number;
  readonly budgets: number;
  readonly nominations: number;
  readonly pods: number;
  readonly places: number;
}

/** One step. */
export function anyStep({ objects, budgets, nominations, pods, places }: StepWeights): fc.Arbitrary<Step> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('node' as const), at, shape: nodeKind }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('alter-node' as const),
        at,
        shape: nodeKind,
        what: fc.constantFrom(...nodeAspects),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-node' as const), at }) },
    { weight: pods, arbitrary: fc.record({ do: fc.constant('bind' as const), kind: kindIndex, at }) },
    {
      weight: pods,
      arbitrary: fc.record({ do: fc.constant('change-pod' as const), pod: fc.nat(30), change: podChange }),
    },
    { weight: objects, arbitrary: fc.record({ do: fc.constant('set-object' as const), set: anyCachedObject }) },
    { weight: objects, arbitrary: fc.record({ do: fc.constant('untell' as const), gone: anyGone }) },
    { weight: budgets, arbitrary: fc.record({ do: fc.constant('set-object' as const), set: anyBudget }) },
    { weight: budgets, arbitrary: fc.record({ do: fc.constant('untell' as const), gone: anyBudgetGone }) },
    { weight: nominations, arbitrary: fc.record({ do: fc.constant('nominate' as const), kind: kindIndex, at }) },
    {
      weight: nominations,
      arbitrary: fc.record({
        do: fc.constant('renominate' as const),
        pod: fc.nat(9),
        as: fc.constantFrom<Renomination[]>('same', 'relabelled', 'leaving', 'grown'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget-nominations' as const) }) },
    { weight: places, arbitrary: fc.record({ do: fc.constant('place' as const), kind: kindIndex, hint: fc.nat(40) }) },
  );
}

/** The fields in which nodes can differ. */
export const nodeAspects: readonly (keyof NodeKind)[] = [
  'zone',
  'host',
  'disk',
  'taint',
  'effect',
  'unschedulable',
  'cpu',
  'memory',
  'pods',
  'gpus',
  'images',
  'images',
  'features',
  'heartbeat',
];

/** Kinds of pods for a full cluster: different priorities, most of them constrained only by resources and ports. */
export const rankedKinds: fc.Arbitrary<PodKind[]> = fc.array(
  fc
    .record({
      kind: podKind,
      isPlain: fc.nat(3).map((roll) => roll > 0),
      priority: fc.constantFrom(-1, 0, 0, 5, 10),
      cpu: fc.constantFrom('500m', '1', '2'),
    })
    .map(({ kind, isPlain, priority, cpu }): PodKind => {
      const { containers = [], preemptionPolicy } = kind.spec;
      const plain = {
        containers: containers.map((each) => ({ ...each, resources: { requests: { cpu } } })),
        ...(preemptionPolicy && { preemptionPolicy }),
      };
      return { ...kind, spec: { ...(isPlain ? plain : kind.spec), priority } };
    }),
  { minLength: 4, maxLength: 6, size: 'max' },
);

/** Pods that have a node at the start. */
export const firstPods: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ do: fc.constant('bind' as const), kind: fc.nat(5), at: fc.nat(7) }),
  { minLength: 16, maxLength: 32, size: 'max' },
);

/** Nodes for a full cluster: small, most of them without taints. */
export const smallNodes: fc.Arbitrary<readonly NodeKind[]> = fc
  .array(nodeKind, { minLength: 2, maxLength: 6, size: 'max' })
  .map((nodes) =>
    nodes.map((node, index) =>
      index % 4 === 0 ? node : { ...node, taint: undefined, unschedulable: false, cpu: index % 2 === 0 ? '2' : '3' },
    ),
  );

/** Nodes at the start. Some are equal, and stay so while the same changes apply to them. */
export const firstNodes: fc.Arbitrary<readonly NodeKind[]> = fc
  .record({
    kinds: fc.array(nodeKind, { minLength: 1, maxLength: 5, size: 'max' }),
    count: fc.integer({ min: 2, max: 8 }),
  })
  .map(({ kinds, count }) => Array.from({ length: count }, (_, index) => kinds[index % kinds.length] ?? plainNode));
