// Topology spread constraints of pods, compiled once. A pod without constraints gets those of its profile, applied to
// the pods that its Services and its controller select. As the plugin PodTopologySpread and helper.DefaultSelector.
import {
  controllerOf,
  matchesLabels,
  readable,
  readableSelector,
  selectorFromLabels,
  selectorOf,
} from '../../core/index.js';
import type { Frozen, LabelRequirement, Labels, Selector } from '../../core/index.js';
import type { LabelSelector, Pod, TopologySpreadConstraint } from '../../core/types/index.js';

/** A compiled constraint. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  /** With fewer domains than this the minimum count is 0. */
  readonly minDomains: number;
  /** Whether nodes excluded by the pod's required affinity are ignored. */
  readonly honorsAffinity: boolean;
  /** Whether nodes whose taints the pod does not tolerate are ignored. */
  readonly honorsTaints: boolean;
}

/** Constraints by `whenUnsatisfiable`. */
export interface SpreadConstraints {
  /** `DoNotSchedule`: the node is infeasible. */
  readonly hard: readonly SpreadConstraint[];
  /** `ScheduleAnyway`: the node scores lower. */
  readonly soft: readonly SpreadConstraint[];
}

/** The constraints of `defaultingType: System`. */
export const systemDefaultConstraints: readonly Frozen<TopologySpreadConstraint>[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** The kinds of controllers whose selectors determine the default selector. */
export type SelectingKind = 'ReplicationController' | 'ReplicaSet' | 'StatefulSet';

/** The controller of a pod and its selector. */
export interface SelectingController {
  readonly kind: SelectingKind;
  /** A map of labels for a ReplicationController, otherwise a label selector. */
  readonly selector: Labels | Frozen<LabelSelector> | undefined;
}

/** Returns the constraints of the pod's spec; undefined if it has none and those of the profile apply. */
export function ownSpreadConstraints({ spec, metadata }: Frozen<Pod>): SpreadConstraints | undefined {
  const { topologySpreadConstraints = [] } = spec ?? {};
  if (topologySpreadConstraints.length === 0) return undefined;
  return byAction(topologySpreadConstraints, (constraint) => ownSelector(constraint, metadata?.labels));
}

/** Returns the profile's constraints for the pods that `alike` selects; none if it selects everything. */
export function defaultSpreadConstraints(
  defaults: readonly Frozen<TopologySpreadConstraint>[],
  alike: Selector,
): SpreadConstraints {
  if (defaults.length === 0 || alike.requirements.length === 0) return noSpreadConstraints;
  return byAction(defaults, () => alike);
}

/**
 * Returns the selector for default constraints: the selectors of the pod's Services (`services`: all of its namespace)
 * and of its controller, combined. Selects everything if there are none.
 */
export function defaultSelector(
  { metadata }: Frozen<Pod>,
  services: Iterable<Labels | undefined>,
  controller: SelectingController | undefined,
): Selector {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const selector of services) {
    // A Service without a selector matches no pod; one with an empty selector adds no requirement.
    if (
      selector !== undefined &&
      matchesLabels(
        readable(() => selectorFromLabels(selector)),
        metadata?.labels,
      )
    )
      copyInto(labels, selector);
  }
  if (controller?.kind === 'ReplicationController') copyInto(labels, (controller.selector ?? {}) as Labels); // that kind's selector is a map of labels
  const merged = readable(() => selectorFromLabels(labels));
  if (controller === undefined || controller.kind === 'ReplicationController') return merged;
  const own = readableSelector(controller.selector);
  return own.nothing || merged.nothing
    ? merged
    : readable(() => selectorOf([...merged.requirements, ...own.requirements]));
}

/** Returns the pod's controller if its kind counts for `defaultSelector`. */
export function selectingController(
  pod: Frozen<Pod>,
): { readonly kind: SelectingKind; readonly name: string } | undefined {
  const owner = controllerOf(pod);
  const found =
    owner && selectingKinds.find(([kind, apiVersion]) => kind === owner.kind && apiVersion === owner.apiVersion);
  return owner && found && { kind: found[0], name: owner.name };
}

/** The absence of constraints. */
export const noSpreadConstraints: SpreadConstraints = { hard: [], soft: [] };

const selectingKinds: readonly (readonly [kind: SelectingKind, apiVersion: string])[] = [
  ['ReplicationController', 'v1'],
  ['ReplicaSet', 'apps/v1'],
  ['StatefulSet', 'apps/v1'],
];

function byAction(
  constraints: readonly Frozen<TopologySpreadConstraint>[],
  selectorFor: (constraint: Frozen<TopologySpreadConstraint>) => Selector,
): SpreadConstraints {
  const of = (action: string): readonly SpreadConstraint[] =>
    constraints
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
      .map((each) => compile(each, selectorFor(each)));
  return { hard: of('DoNotSchedule'), soft: of('ScheduleAnyway') };
}

function compile(constraint: Frozen<TopologySpreadConstraint>, selector: Selector): SpreadConstraint {
  const {
    maxSkew,
    topologyKey,
    minDomains = 1,
    nodeAffinityPolicy = 'Honor',
    nodeTaintsPolicy = 'Ignore',
  } = constraint;
  return {
    maxSkew,
    topologyKey,
    selector,
    minDomains,
    honorsAffinity: nodeAffinityPolicy === 'Honor',
    honorsTaints: nodeTaintsPolicy === 'Honor',
  };
}

/**
 * matchLabelKeys are applied here too, for pods created before the API server merged them. An absent or invalid
 * selector stays as it is.
 */
function ownSelector(
  { labelSelector, matchLabelKeys = [] }: Frozen<TopologySpreadConstraint>,
  labels: Labels = {},
): Selector {
  const selector = readableSelector(labelSelector);
  if (selector.nothing || matchLabelKeys.length === 0) return selector;
  const added = matchLabelKeys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key): LabelRequirement => ({ key, operator: '=', values: [labels[key] ?? ''] }));
  return readable(() => selectorOf([...added, ...selector.requirements]));
}

function copyInto(labels: Record<string, string>, more: Labels): void {
  for (const key in more) labels[key] = more[key] ?? '';
}
