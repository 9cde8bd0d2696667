// The constraints that apply to a pod: its own, or the profile's defaults for the pods that its Services and controller
// select. The latter depend on other objects and are computed only if the profile has defaults.
import type { Frozen } from '../../../core/index.js';
import type { TopologySpreadConstraint } from '../../../core/types/index.js';
import type { ObjectLister } from '../../cluster/object-lister.js';
import type { PluginArguments } from '../../configuration/plugin-arguments.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import {
  defaultSelector,
  defaultSpreadConstraints,
  noSpreadConstraints,
  selectingController,
  systemDefaultConstraints,
} from '../../pod/topology-spread.js';
import type { SelectingController, SpreadConstraint } from '../../pod/topology-spread.js';

/** The default constraints of a profile. */
export interface SpreadDefaults {
  readonly hard: readonly Frozen<TopologySpreadConstraint>[];
  readonly soft: readonly Frozen<TopologySpreadConstraint>[];
  /** Whether these are the system defaults: then nodes without a topology label are scored by the labels they have. */
  readonly system: boolean;
}

/** Returns the default constraints of a profile's arguments. */
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

/** Returns the hard or the soft constraints that apply to a pod. */
export function applicableConstraints(
  which: 'hard' | 'soft',
  pod: PodFacts,
  objects: ObjectLister,
  defaults: SpreadDefaults,
): readonly SpreadConstraint[] {
  if (pod.spread !== undefined) return pod.spread[which];
  if (defaults[which].length === 0) return noSpreadConstraints[which];
  const services = objects.list('Service', pod.namespace).map(({ spec }) => spec?.selector);
  return defaultSpreadConstraints(defaults[which], defaultSelector(pod.object, services, controllerOf(pod, objects)))[
    which
  ];
}

/** Returns whether nodes need the labels of all constraints to be scored. */
export function needsAllLabels(pod: PodFacts, { system }: SpreadDefaults): boolean {
  return pod.spread !== undefined || !system;
}

function controllerOf(pod: PodFacts, objects: ObjectLister): SelectingController | undefined {
  const owner = selectingController(pod.object);
  if (owner === undefined) return undefined;
  const controller = objects.get(owner.kind, `${pod.namespace}/${owner.name}`);
  return controller && { kind: owner.kind, selector: controller.spec?.selector };
}
