// TaintToleration: taints keep pods away that do not tolerate them, or, where they only ask for it, count against their
// node. As the plugin of the same name; since v1.35 the reason no longer names the taint.
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import { on } from '../framework/event-interest.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { countUnpreferred, untoleratedTaint } from '../pod/tolerations.js';
import { actions } from '../queue/cluster-event.js';
import { isItself } from './pod-events.js';
import { normalizeShares, reverseShareOfHighest } from './score-shares.js';

/** Makes the plugin. */
export function taintToleration(): SchedulingPlugin {
  return {
    name: 'TaintToleration',
    events: [
      on('Node', actions.add | actions.updateNodeTaint, (pod, old, node) =>
        (old === undefined || isRepelled(pod, old)) && !isRepelled(pod, node) ? 'queue' : 'skip',
      ),
      on('Pod', actions.updatePodToleration, (pod, _, changed) => (isItself(pod, changed) ? 'queue' : 'skip')),
    ],
    filter: ({ pod }, node) => (untoleratedTaint(node.taints, pod.tolerations) === undefined ? undefined : tainted),
    score: ({ pod }, node) => countUnpreferred(node.taints, pod.preferenceTolerations),
    normalizeScores: (_, scores) => {
      normalizeShares(scores, reverseShareOfHighest);
    },
  };
}

const tainted = unresolvable('node(s) had untolerated taint(s)');

function isRepelled({ tolerations }: PodFacts, node: Frozen<Node> | undefined): boolean {
  return untoleratedTaint(node?.spec?.taints, tolerations) !== undefined;
}
