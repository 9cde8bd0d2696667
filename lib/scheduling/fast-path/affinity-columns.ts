// Pod affinity on the fast path: the pods that match the terms of this pod, and the terms of existing pods that match
// this pod, are counted per domain as the cluster changes. Results equal those of the plugin InterPodAffinity.
import { rejectedBy } from '../framework/profile-filters.js';
import {
  affinityUnmet,
  antiAffinityUnmet,
  existingAntiAffinityUnmet,
} from '../plugins/inter-pod-affinity/affinity-filter.js';
import { hasPreferences } from '../plugins/inter-pod-affinity/affinity-score.js';
import { allTermsMatchPod, termMatchesPod } from '../plugins/inter-pod-affinity/term-matching.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import { dependsOnNamespaceLabels } from '../pod/pod-affinity.js';
import type { AffinityTerm } from '../pod/pod-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { termText } from './affinity-term-index.js';
import type { ClusterColumns } from './cluster-columns.js';
import { domainCheck } from './topology-pair-counts.js';
import type { DomainCheck, TopologyPairCounts } from './topology-pair-counts.js';
import type { PodCounter } from './pod-counter.js';
import { ExistingPodTerms } from './existing-pod-terms.js';

const plugin = 'InterPodAffinity';
const affinityRejection = rejectedBy(plugin, affinityUnmet);
const antiAffinityRejection = rejectedBy(plugin, antiAffinityUnmet);
const existingAntiAffinityRejection = rejectedBy(plugin, existingAntiAffinityUnmet);

/** Counts of a preferred term and its weight. */
export interface PreferenceColumn {
  readonly counts: TopologyPairCounts;
  readonly weight: number;
}

/** The affinity of pods with one peer signature. */
export class AffinityColumns {
  readonly #columns: ClusterColumns;
  readonly #pod: PodFacts;
  readonly #existing: ExistingPodTerms;
  /** Pods that match all required terms, one counter per topology key. */
  readonly #affinity: readonly PodCounter[];
  readonly #antiAffinity: readonly PodCounter[];
  readonly #preferred: readonly { readonly counter: PodCounter; readonly weight: number }[];
  /** Nothing is scored: the pod has no preferred terms, and those of existing pods are ignored by configuration. */
  readonly #isUnscored: boolean;

  constructor(
    columns: ClusterColumns,
    pod: PodFacts,
    { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods }: PluginArguments['InterPodAffinity'],
  ) {
    const { affinity, antiAffinity } = pod;
    this.#columns = columns;
    this.#pod = pod;
    this.#existing = new ExistingPodTerms(columns, pod, hardPodAffinityWeight);
    this.#affinity = Array.from(new Set(affinity.required.map(({ topologyKey }) => topologyKey)), (key) =>
      this.#counter(affinity.required, key),
    );
    this.#antiAffinity = antiAffinity.required.map((term) => this.#counter([term], term.topologyKey));
    this.#preferred = [
      ...affinity.preferred.map((term) => ({ counter: this.#counter([term], term.topologyKey), weight: term.weight })),
      ...antiAffinity.preferred.map((term) => ({
        counter: this.#counter([term], term.topologyKey),
        weight: -term.weight,
      })),
    ];
    this.#isUnscored = ignorePreferredTermsOfExistingPods && !hasPreferences(pod);
  }

  /** Returns the checks of required terms, with current counts. `position` is the plugin's index among the filters. */
  checks(position: number): readonly DomainCheck[] {
    this.#existing.sync();
    return [
      ...this.#affinityChecks(position),
      ...this.#antiAffinity.map((counter) =>
        domainCheck(counter.sync(), { position, most: 0, rejection: antiAffinityRejection }),
      ),
      ...Array.from(this.#existing.antiAffinity)
        .filter((sums) => !sums.isEmpty)
        .map((sums) => domainCheck(sums, { position, most: 0, rejection: existingAntiAffinityRejection })),
    ];
  }

  /** Returns the preferred terms that match any pod, with current counts. */
  preferences(): readonly PreferenceColumn[] {
    if (this.#isUnscored) return [];
    this.#existing.sync();
    const own = this.#preferred.map(({ counter, weight }) => ({ counts: counter.sync(), weight }));
    return [...own, ...Array.from(this.#existing.preferred, (counts) => ({ counts, weight: 1 }))].filter(
      ({ counts }) => !counts.isEmpty,
    );
  }

  /** The first pod of a group with affinity to itself may start on any node: no pod matches its terms yet. */
  #affinityChecks(position: number): readonly DomainCheck[] {
    const counts = this.#affinity.map((counter) => counter.sync());
    const isFirst =
      counts.every(({ isEmpty }) => isEmpty) &&
      allTermsMatchPod(this.#pod.affinity.required, this.#pod, this.#columns.nodes.cluster.objects);
    return counts.map((sums) =>
      domainCheck(sums, {
        position,
        least: isFirst ? -Infinity : 1,
        missingLabel: affinityRejection,
        rejection: affinityRejection,
      }),
    );
  }

  /** Returns the counter of pods that match all of the terms. */
  #counter(terms: readonly AffinityTerm[], topologyKey: string): PodCounter {
    const { objects } = this.#columns.nodes.cluster;
    const [term] = terms;
    return this.#columns.counter(JSON.stringify([plugin, topologyKey, terms.map(termText)]), () => ({
      topologyKey,
      weightOf: (other) =>
        (
          terms.length === 1 && term !== undefined
            ? termMatchesPod(term, other, objects)
            : allTermsMatchPod(terms, other, objects)
        )
          ? 1
          : 0,
      asksNamespaces: terms.some(dependsOnNamespaceLabels),
    }));
  }
}
