// NodeUnschedulable: a node with spec.unschedulable, a cordoned one, takes only pods that tolerate the taint that
// stands for it. As the plugin of the same name.
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { on } from '../framework/event-interest.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import { podFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { isItself } from './pod-events.js';

/** Makes the plugin. */
export function nodeUnschedulable(): SchedulingPlugin {
  return {
    name: 'NodeUnschedulable',
    events: [
      on('Node', actions.add | actions.updateNodeTaint, (_, old, node) =>
        (old === undefined || isCordoned(old)) && !isCordoned(node) ? 'queue' : 'skip',
      ),
      on('Pod', actions.updatePodToleration, (pod, _, changed) =>
        changed !== undefined && isItself(pod, changed) && podFacts(changed).toleratesUnschedulable ? 'queue' : 'skip',
      ),
    ],
    filter: ({ pod }, node) => (node.unschedulable && !pod.toleratesUnschedulable ? cordoned : undefined),
  };
}

const cordoned = unresolvable('node(s) were unschedulable');

function isCordoned(node: Frozen<Node> | undefined): boolean {
  return node?.spec?.unschedulable === true;
}
