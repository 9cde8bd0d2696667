// NodeName: a pod that names its node goes to no other. As the plugin of the same name.
import { on } from '../framework/event-interest.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import { actions } from '../queue/cluster-event.js';

/** Makes the plugin. */
export function nodeName(): SchedulingPlugin {
  return {
    name: 'NodeName',
    events: [on('Node', actions.add)],
    filter: ({ pod }, node) => (pod.nodeName === '' || pod.nodeName === node.name ? undefined : otherName),
  };
}

const otherName = unresolvable("node(s) didn't match the requested node name");
