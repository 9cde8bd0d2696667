// How evenly the pods of a kind are to lie over zones, hosts or whatever a label of nodes tells apart: the constraints
// of a pod, compiled once. A pod without any has those of its profile, for pods like it: those that its Services and
// its controller select. As the plugin PodTopologySpread and its helper.DefaultSelector.
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

/** A constraint that can be asked of pods and nodes. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  /** Fewer domains than this count as if there were one more without pods. */
  readonly minDomains: number;
  /** Nodes that the pod's required affinity excludes do not take part. */
  readonly honorsAffinity: boolean;
  /** Nodes whose taints the pod does not tolerate do not take part. */
  readonly honorsTaints: boolean;
}

/** Constraints by what happens where they cannot be met. */
export interface SpreadConstraints {
  /** `DoNotSchedule`: the pod waits. */
  readonly hard: readonly SpreadConstraint[];
  /** `ScheduleAnyway`: the node scores less. */
  readonly soft: readonly SpreadConstraint[];
}

/** What profiles say of pods without constraints where they leave it to the system. */
export const systemDefaultConstraints: readonly Frozen<TopologySpreadConstraint>[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** The kinds of controllers whose selectors tell which pods are alike. */
export type SelectingKind = 'ReplicationController' | 'ReplicaSet' | 'StatefulSet';

/** The controller of a pod, as far as it tells which pods are alike. */
export interface SelectingController {
  readonly kind: SelectingKind;
  /** A map of labels for a ReplicationController, else a label selector. */
  readonly selector: Labels | Frozen<LabelSelector> | undefined;
}

/** The pod's own constraints; undefined if it has none, and those of its profile apply. */
export function ownSpreadConstraints({ spec, metadata }: Frozen<Pod>): SpreadConstraints | undefined {
  const { topologySpreadConstraints = [] } = spec ?? {};
  if (topologySpreadConstraints.length === 0) return undefined;
  return divided(topologySpreadConstraints, (constraint) => ownSelector(constraint, metadata?.labels));
}

/** The profile's constraints for a pod without its own, over pods like it. None where nothing tells which those are. */
export function defaultSpreadConstraints(
  defaults: readonly Frozen<TopologySpreadConstraint>[],
  alike: Selector,
): SpreadConstraints {
  if (defaults.length === 0 || alike.requirements.length === 0) return noSpreadConstraints;
  return divided(defaults, () => alike);
}

/**
 * Selects the pods that are like a pod: by the selectors of its Services (`services`, all of its namespace) and of the
 * controller that it has, if that is one of those that select. Everything if there is neither.
 */
export function alikeSelector(
  { metadata }: Frozen<Pod>,
  services: Iterable<Labels | undefined>,
  controller: SelectingController | undefined,
): Selector {
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const selector of services) {
    // A Service without selector matches no pod, one with an empty selector all, and adds nothing.
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

/** The controller of a pod whose selector has to be looked up for `alikeSelector`. */
export function selectingController(
  pod: Frozen<Pod>,
): { readonly kind: SelectingKind; readonly name: string } | undefined {
  const owner = controllerOf(pod);
  const found =
    owner && selectingKinds.find(([kind, apiVersion]) => kind === owner.kind && apiVersion === owner.apiVersion);
  return owner && found && { kind: found[0], name: owner.name };
}

/** No constraints at all. */
export const noSpreadConstraints: SpreadConstraints = { hard: [], soft: [] };

const selectingKinds: readonly (readonly [kind: SelectingKind, apiVersion: string])[] = [
  ['ReplicationController', 'v1'],
  ['ReplicaSet', 'apps/v1'],
  ['StatefulSet', 'apps/v1'],
];

function divided(
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
 * Keys count here too, for pods made before they were merged; a selector that is absent or unreadable stays as it is.
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
