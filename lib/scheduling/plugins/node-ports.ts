// NodePorts: a port of a node can be had once. As the plugin of the same name.
import { on } from '../framework/event-interest.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unschedulable } from '../framework/rejection.js';
import { portsCollide } from '../pod/host-ports.js';
import type { HostPort } from '../pod/host-ports.js';
import { podFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { tookRoom } from './pod-events.js';

/** Makes the plugin. */
export function nodePorts(): SchedulingPlugin {
  return {
    name: 'NodePorts',
    events: [
      on('Pod', actions.delete, (pod, gone) =>
        gone !== undefined && tookRoom(gone) && collide(pod.hostPorts, podFacts(gone).hostPorts) ? 'queue' : 'skip',
      ),
      on('Node', actions.add),
    ],
    preFilter: ({ pod }) => (pod.hostPorts.length === 0 ? 'skip' : undefined),
    filter: ({ pod }, node) => (collide(pod.hostPorts, node.ports) ? portsTaken : undefined),
  };
}

const portsTaken = unschedulable("node(s) didn't have free ports for the requested pod ports");

function collide(wanted: readonly HostPort[], used: Iterable<HostPort>): boolean {
  for (const taken of used) for (const port of wanted) if (portsCollide(port, taken)) return true;
  return false;
}
