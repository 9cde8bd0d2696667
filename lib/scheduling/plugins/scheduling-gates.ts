// SchedulingGates: a pod with gates in its spec is not tried until somebody has removed the last of them. The condition
// that tells users so is written where the pod is created. As the plugin of the same name.
import { on } from '../framework/event-interest.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import { actions } from '../queue/cluster-event.js';
import { isItself } from './pod-events.js';

/** Makes the plugin. */
export function schedulingGates(): SchedulingPlugin {
  return {
    name: 'SchedulingGates',
    events: [
      on('Pod', actions.updatePodSchedulingGatesEliminated, (pod, _, changed) =>
        isItself(pod, changed) ? 'queue' : 'skip',
      ),
    ],
    preEnqueue: ({ gates }) =>
      gates.length === 0 ? undefined : unresolvable(`waiting for scheduling gates: [${gates.join(' ')}]`),
  };
}
