// NodeAffinity: filters by the pod's nodeSelector and required node affinity, and scores by its preferred terms. A
// profile may add an affinity that applies to all its pods. As the plugin of the same name.
import {
  aggregateText,
  compileNodeTerms,
  compilePreferredTerms,
  matchesAnyTerm,
  matchesRequired,
  preferenceScore,
} from '../../core/index.js';
import type { Frozen, NodeTerm, WeightedNodeTerm } from '../../core/index.js';
import type { Node } from '../../core/types/index.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import { on } from '../framework/queueing-hints.js';
import type { SchedulingPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { actions } from '../queue/cluster-event.js';
import { normalizeScores, scaleToHighest } from './normalize-scores.js';

/** The compiled affinity that a profile adds to all its pods. */
interface AddedAffinity {
  /** Undefined if nothing is required. */
  readonly required: readonly NodeTerm[] | undefined;
  readonly preferred: readonly WeightedNodeTerm[];
}

/** Creates the plugin. */
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
      // Kubernetes ignores the added affinity for the old node, and so misses nodes that come to match it.
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
      return requiredNodes === undefined || matchesRequired(requiredNodes, labels, name) ? undefined : notMatched;
    },
    preScore: ({ pod: { preferredNodes } }) => {
      if (preferredNodes.problems.length > 0) throw new Error(aggregateText(preferredNodes.problems));
      return preferredNodes.terms.length === 0 && added.preferred.length === 0 ? 'skip' : undefined;
    },
    score: ({ pod }, { labels, name }) =>
      preferenceScore(added.preferred, labels, name) + preferenceScore(pod.preferredNodes.terms, labels, name),
    normalizeScores: (_, scores) => {
      normalizeScores(scores, scaleToHighest);
    },
  };
}

/** Compiles the added affinity, which was validated with the profile. */
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

const notMatched = unresolvable("node(s) didn't match Pod's node affinity/selector");
const notEnforced = unresolvable("node(s) didn't match scheduler-enforced node affinity");
const conflict = unresolvable('pod affinity terms conflict');
