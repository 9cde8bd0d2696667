// What may help a pod that hard constraints kept waiting: other pods of its namespace that begin or cease to count,
// nodes that come into a domain or leave one, and changes of the pod itself.
// As the plugin PodTopologySpread, plugin.go, isSchedulableAfterPodChange and isSchedulableAfterNodeChange.
import { deepEqual, matchesLabels } from '../../../core/index.js';
import type { Frozen, Selector } from '../../../core/index.js';
import type { Node, Pod } from '../../../core/types/index.js';
import { hasAllDomains } from '../../cluster/topology-domain.js';
import { on } from '../../framework/event-interest.js';
import type { EventInterest, HintAnswer } from '../../framework/event-interest.js';
import type { PodFacts } from '../../pod/pod-facts.js';
import type { SpreadConstraint } from '../../pod/topology-spread.js';
import { actions } from '../../queue/cluster-event.js';
import { isItself, tookRoom } from '../pod-events.js';

/** The events of the plugin; `constraintsOf` tells the hard constraints of a pod as things are now. */
export function spreadEvents(constraintsOf: (pod: PodFacts) => readonly SpreadConstraint[]): readonly EventInterest[] {
  return [
    on(
      'Pod',
      actions.add | actions.delete | actions.updatePodLabel | actions.updatePodToleration,
      (pod, old, current) => afterPodChange(pod, constraintsOf(pod), old, current),
    ),
    on('Node', actions.add | actions.delete | actions.updateNodeLabel | actions.updateNodeTaint, (pod, old, current) =>
      afterNodeChange(constraintsOf(pod), old, current),
    ),
  ];
}

function afterPodChange(
  pod: PodFacts,
  constraints: readonly SpreadConstraint[],
  old: Frozen<Pod> | undefined,
  current: Frozen<Pod> | undefined,
): HintAnswer {
  if (isItself(pod, current ?? old)) return afterOwnChange(constraints, old, current);
  if (isBeside(pod, old) || isBeside(pod, current)) return 'skip';
  for (const { selector } of constraints) if (selects(selector, old) !== selects(selector, current)) return 'queue';
  return 'skip';
}

function afterOwnChange(
  constraints: readonly SpreadConstraint[],
  old: Frozen<Pod> | undefined,
  current: Frozen<Pod> | undefined,
): HintAnswer {
  if (!deepEqual(old?.metadata?.labels, current?.metadata?.labels)) return 'queue';
  const tolerates = !deepEqual(old?.spec?.tolerations, current?.spec?.tolerations);
  return tolerates && constraints.some(({ honorsTaints }) => honorsTaints) ? 'queue' : 'skip';
}

/**
 * A label or taint of no concern to the constraints may still decide whether the node takes part: not looked at closer.
 */
function afterNodeChange(
  constraints: readonly SpreadConstraint[],
  old: Frozen<Node> | undefined,
  current: Frozen<Node> | undefined,
): HintAnswer {
  const counts = [old, current].some((node) => node !== undefined && hasAllDomains(node.metadata?.labels, constraints));
  return counts ? 'queue' : 'skip';
}

/** Whether another pod, as it was or is, has nothing to do with how the pod is spread. */
function isBeside({ namespace }: PodFacts, other: Frozen<Pod> | undefined): boolean {
  return other !== undefined && (other.metadata?.namespace !== namespace || !tookRoom(other));
}

/** A pod that is not there yet, or any more, is not selected. */
function selects(selector: Selector, pod: Frozen<Pod> | undefined): boolean {
  return pod !== undefined && matchesLabels(selector, pod.metadata?.labels);
}
