// NodeAffinity: a pod goes only to nodes that its nodeSelector and required node affinity describe, and rather to those
// it prefers. A profile may add an affinity of its own, which holds for all its pods. As the plugin of the same name.
import { aggregateText } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import { on } from '../framework/event-interest.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import {
  compileNodeTerms,
  compilePreferredTerms,
  matchesAnyTerm,
  matchesRequired,
  preferenceScore,
} from '../pod/node-affinity.js';
import type { NodeTerm, WeightedNodeTerm } from '../pod/node-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { normalizeShares, shareOfHighest } from './score-shares.js';

/** What a profile adds to the affinity of all its pods, compiled. */
interface AddedAffinity {
  /** Absent where nothing is required. */
  readonly required: readonly NodeTerm[] | undefined;
  readonly preferred: readonly WeightedNodeTerm[];
}

/** Makes the plugin. */
export function nodeAffinity(args: Frozen<PluginArguments['NodeAffinity']>): SchedulingPlugin {
  const added = compileAddedAffinity(args);
  const matches = (pod: PodFacts, { metadata }: Frozen<Node>): boolean => {
    const { labels, name = '' } = metadata ?? {};
    if (added.required !== undefined && !matchesAnyTerm(added.required, labels, name)) return false;
    return pod.requiredNodes === undefined || matchesRequired(pod.requiredNodes, labels, name);
  };
  return {
    name: 'NodeAffinity',
    events: [
      // Kubernetes leaves the added affinity out of what held before, and misses nodes that come to match it.
      on('Node', actions.add | actions.updateNodeLabel, (pod, old, node) =>
        node !== undefined && matches(pod, node) && (old === undefined || !matches(pod, old)) ? 'queue' : 'skip',
      ),
    ],
    preFilter: ({ pod: { requiredNodes } }) => {
      if (requiredNodes === undefined) return added.required === undefined ? 'skip' : undefined;
      if (requiredNodes.names === undefined) return undefined;
      return requiredNodes.names.size === 0 ? conflict : { nodeNames: requiredNodes.names };
    },
    filter: ({ pod: { requiredNodes } }, { labels, name }) => {
      if (added.required !== undefined && !matchesAnyTerm(added.required, labels, name)) return notEnforced;
      return requiredNodes === undefined || matchesRequired(requiredNodes, labels, name) ? undefined : notWanted;
    },
    preScore: ({ pod: { preferredNodes } }) => {
      if (preferredNodes.problems.length > 0) throw new Error(aggregateText(preferredNodes.problems));
      return preferredNodes.terms.length === 0 && added.preferred.length === 0 ? 'skip' : undefined;
    },
    score: ({ pod }, { labels, name }) =>
      preferenceScore(added.preferred, labels, name) + preferenceScore(pod.preferredNodes.terms, labels, name),
    normalizeScores: (_, scores) => {
      normalizeShares(scores, shareOfHighest);
    },
  };
}

/** Reads what a profile adds. That it can be read was seen when the profile was completed. */
function compileAddedAffinity({ addedAffinity }: Frozen<PluginArguments['NodeAffinity']>): AddedAffinity {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = addedAffinity ?? {};
  return {
    required: required && compileNodeTerms(required.nodeSelectorTerms).terms,
    preferred: compilePreferredTerms(preferred).terms,
  };
}

const notWanted = unresolvable("node(s) didn't match Pod's node affinity/selector");
const notEnforced = unresolvable("node(s) didn't match scheduler-enforced node affinity");
const conflict = unresolvable('pod affinity terms conflict');
