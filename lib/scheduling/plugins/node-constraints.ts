// Plugins that filter by one property of a node: NodeUnschedulable (cordoned nodes accept only pods that tolerate the
// equivalent taint), NodeName (a pod that names its node), NodePorts (a host port can be used once per node) and
// TaintToleration (untolerated taints make a node infeasible, or lower its score). As the plugins of the same names;
// since v1.35 the reason no longer names the taint.
import { countIntolerablePreferred, untoleratedTaint } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { on } from '../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable, unschedulable } from '../framework/rejection.js';
import { podFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { isSamePod, isAssignedOrNominated } from './pod-predicates.js';
import { portsCollide } from '../pod/host-ports.js';
import type { HostPort } from '../pod/host-ports.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { normalizeScores, scaleToHighestReversed } from './normalize-scores.js';

/** Creates NodeUnschedulable. */
export function nodeUnschedulable(): SchedulingPlugin {
  return {
    name: 'NodeUnschedulable',
    events: [
      on('Node', actions.add | actions.updateNodeTaint, (_, old, node) =>
        (old === undefined || isCordoned(old)) && !isCordoned(node) ? 'queue' : 'skip',
      ),
      on('Pod', actions.updatePodToleration, (pod, _, changed) =>
        changed !== undefined && isSamePod(pod, changed) && podFacts(changed).toleratesUnschedulable ? 'queue' : 'skip',
      ),
    ],
    filter: ({ pod }, node) => (node.unschedulable && !pod.toleratesUnschedulable ? cordoned : undefined),
  };
}

const cordoned = unresolvable('node(s) were unschedulable');

function isCordoned(node: Frozen<Node> | undefined): boolean {
  return node?.spec?.unschedulable === true;
}

/** Creates NodeName. */
export function nodeName(): SchedulingPlugin {
  return {
    name: 'NodeName',
    events: [on('Node', actions.add)],
    filter: ({ pod }, node) => (pod.nodeName === '' || pod.nodeName === node.name ? undefined : otherName),
  };
}

const otherName = unresolvable("node(s) didn't match the requested node name");

/** Creates NodePorts. */
export function nodePorts(): SchedulingPlugin {
  return {
    name: 'NodePorts',
    events: [
      on('Pod', actions.delete, (pod, gone) =>
        gone !== undefined && isAssignedOrNominated(gone) && anyPortConflict(pod.hostPorts, podFacts(gone).hostPorts)
          ? 'queue'
          : 'skip',
      ),
      on('Node', actions.add),
    ],
    preFilter: ({ pod }) => (pod.hostPorts.length === 0 ? 'skip' : undefined),
    filter: ({ pod }, node) => (anyPortConflict(pod.hostPorts, node.ports) ? portsTaken : undefined),
  };
}

const portsTaken = unschedulable("node(s) didn't have free ports for the requested pod ports");

function anyPortConflict(wanted: readonly HostPort[], used: Iterable<HostPort>): boolean {
  for (const taken of used) for (const port of wanted) if (portsCollide(port, taken)) return true;
  return false;
}

/** Creates TaintToleration. */
export function taintToleration(): SchedulingPlugin {
  return {
    name: 'TaintToleration',
    events: [
      on('Node', actions.add | actions.updateNodeTaint, (pod, old, node) =>
        (old === undefined || hasUntoleratedTaint(pod, old)) && !hasUntoleratedTaint(pod, node) ? 'queue' : 'skip',
      ),
      on('Pod', actions.updatePodToleration, (pod, _, changed) => (isSamePod(pod, changed) ? 'queue' : 'skip')),
    ],
    filter: ({ pod }, node) => (untoleratedTaint(node.taints, pod.tolerations) === undefined ? undefined : tainted),
    score: ({ pod }, node) => countIntolerablePreferred(node.taints, pod.preferenceTolerations),
    normalizeScores: (_, scores) => {
      normalizeScores(scores, scaleToHighestReversed);
    },
  };
}

const tainted = unresolvable('node(s) had untolerated taint(s)');

function hasUntoleratedTaint({ tolerations }: PodFacts, node: Frozen<Node> | undefined): boolean {
  return untoleratedTaint(node?.spec?.taints, tolerations) !== undefined;
}
