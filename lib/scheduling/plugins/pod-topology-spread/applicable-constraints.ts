// The constraints that hold for a pod: its own, or else those of its profile over the pods that its Services and its
// controller select. The latter depend on other objects, and are looked up only where the profile has any.
import type { Frozen } from '../../../core/index.js';
import type { TopologySpreadConstraint } from '../../../core/types/index.js';
import type { KnownObjects } from '../../cluster/known-objects.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import {
  alikeSelector,
  defaultSpreadConstraints,
  noSpreadConstraints,
  selectingController,
  systemDefaultConstraints,
} from '../../pod/topology-spread.js';
import type { SelectingController, SpreadConstraint } from '../../pod/topology-spread.js';

/** What a profile says of pods without constraints. */
export interface SpreadDefaults {
  readonly hard: readonly Frozen<TopologySpreadConstraint>[];
  readonly soft: readonly Frozen<TopologySpreadConstraint>[];
  /** Nobody chose these: nodes that lack a label are then scored all the same, by what they have. */
  readonly system: boolean;
}

/** The defaults that a profile's arguments stand for. */
export function spreadDefaults({
  defaultingType,
  defaultConstraints,
}: PluginArguments['PodTopologySpread']): SpreadDefaults {
  const system = defaultingType === 'System';
  const all = system ? systemDefaultConstraints : defaultConstraints;
  return {
    hard: all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule'),
    soft: all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway'),
    system,
  };
}

/** The hard or the soft constraints of a pod. */
export function applicableConstraints(
  which: 'hard' | 'soft',
  pod: PodFacts,
  objects: KnownObjects,
  defaults: SpreadDefaults,
): readonly SpreadConstraint[] {
  if (pod.spread !== undefined) return pod.spread[which];
  if (defaults[which].length === 0) return noSpreadConstraints[which];
  const services = objects.list('Service', pod.namespace).map(({ spec }) => spec?.selector);
  return defaultSpreadConstraints(defaults[which], alikeSelector(pod.object, services, controllerOf(pod, objects)))[
    which
  ];
}

/** Whether nodes must have the labels of all constraints to be scored. */
export function needsAllLabels(pod: PodFacts, { system }: SpreadDefaults): boolean {
  return pod.spread !== undefined || !system;
}

function controllerOf(pod: PodFacts, objects: KnownObjects): SelectingController | undefined {
  const owner = selectingController(pod.object);
  if (owner === undefined) return undefined;
  const controller = objects.get(owner.kind, `${pod.namespace}/${owner.name}`);
  return controller && { kind: owner.kind, selector: controller.spec?.selector };
}
