// Affinity between pods over columns: the pods that a term means are counted as the cluster changes, and so is what the
// terms of pods on nodes say. What the plugin InterPodAffinity says node by node, this says of all nodes.
import { rejectedBy } from '../framework/profile-filters.js';
import {
  affinityUnmet,
  antiAffinityUnmet,
  existingAntiAffinityUnmet,
} from '../plugins/inter-pod-affinity/affinity-filter.js';
import { hasPreferences } from '../plugins/inter-pod-affinity/affinity-score.js';
import { allMeanPod, meansPod } from '../plugins/inter-pod-affinity/term-matching.js';
import type { PluginArguments } from '../configuration/plugin-arguments.js';
import { asksNamespaces } from '../pod/pod-affinity.js';
import type { AffinityTerm } from '../pod/pod-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { termText } from './carried-terms.js';
import type { ClusterColumns } from './cluster-columns.js';
import { domainCheck } from './domain-check.js';
import type { DomainCheck } from './domain-check.js';
import type { DomainSums } from './domain-sums.js';
import type { PodCounter } from './pod-counter.js';
import { TermsOfOthers } from './terms-of-others.js';

const plugin = 'InterPodAffinity';
const unmet = rejectedBy(plugin, affinityUnmet);
const antiUnmet = rejectedBy(plugin, antiAffinityUnmet);
const existingAntiUnmet = rejectedBy(plugin, existingAntiAffinityUnmet);

/** What pods in a domain count for when nodes are scored. */
export interface LikingColumn {
  readonly counted: DomainSums;
  readonly weight: number;
}

/** The relations of pods with one peer signature to all others. */
export class AffinityColumns {
  readonly #columns: ClusterColumns;
  readonly #pod: PodFacts;
  readonly #others: TermsOfOthers;
  /** Pods that all required terms mean, under the key of each. */
  readonly #wanted: readonly PodCounter[];
  readonly #unwanted: readonly PodCounter[];
  readonly #liked: readonly { readonly counter: PodCounter; readonly weight: number }[];
  /** Nothing is scored: the pod has no preferences, and those of others do not count. */
  readonly #indifferent: boolean;

  constructor(
    columns: ClusterColumns,
    pod: PodFacts,
    { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods }: PluginArguments['InterPodAffinity'],
  ) {
    const { affinity, antiAffinity } = pod;
    this.#columns = columns;
    this.#pod = pod;
    this.#others = new TermsOfOthers(columns, pod, hardPodAffinityWeight);
    this.#wanted = Array.from(new Set(affinity.required.map(({ topologyKey }) => topologyKey)), (key) =>
      this.#counter(affinity.required, key),
    );
    this.#unwanted = antiAffinity.required.map((term) => this.#counter([term], term.topologyKey));
    this.#liked = [
      ...affinity.preferred.map((term) => ({ counter: this.#counter([term], term.topologyKey), weight: term.weight })),
      ...antiAffinity.preferred.map((term) => ({
        counter: this.#counter([term], term.topologyKey),
        weight: -term.weight,
      })),
    ];
    this.#indifferent = ignorePreferredTermsOfExistingPods && !hasPreferences(pod);
  }

  /** What nodes must pass, as the cluster is now; `position` is the plugin's among the filters. */
  checks(position: number): readonly DomainCheck[] {
    this.#others.follow();
    return [
      ...this.#wantedChecks(position),
      ...this.#unwanted.map((counter) => domainCheck(counter.follow(), { position, most: 0, refusal: antiUnmet })),
      ...Array.from(this.#others.repelling)
        .filter((sums) => !sums.isEmpty)
        .map((sums) => domainCheck(sums, { position, most: 0, refusal: existingAntiUnmet })),
    ];
  }

  /** What nodes are scored by. */
  likings(): readonly LikingColumn[] {
    if (this.#indifferent) return [];
    this.#others.follow();
    const own = this.#liked.map(({ counter, weight }) => ({ counted: counter.follow(), weight }));
    return [...own, ...Array.from(this.#others.liking, (counted) => ({ counted, weight: 1 }))].filter(
      ({ counted }) => !counted.isEmpty,
    );
  }

  /** The first pod of a series that wants itself finds its like nowhere, and may begin anywhere. */
  #wantedChecks(position: number): readonly DomainCheck[] {
    const counted = this.#wanted.map((counter) => counter.follow());
    const isFirst =
      counted.every(({ isEmpty }) => isEmpty) &&
      allMeanPod(this.#pod.affinity.required, this.#pod, this.#columns.nodes.cluster.objects);
    return counted.map((sums) =>
      domainCheck(sums, { position, least: isFirst ? -Infinity : 1, missing: unmet, refusal: unmet }),
    );
  }

  /** Counts the pods that all of the terms mean. */
  #counter(terms: readonly AffinityTerm[], topologyKey: string): PodCounter {
    const { objects } = this.#columns.nodes.cluster;
    const [term] = terms;
    return this.#columns.counter(JSON.stringify([plugin, topologyKey, terms.map(termText)]), () => ({
      topologyKey,
      weigh: (other) =>
        (terms.length === 1 && term !== undefined ? meansPod(term, other, objects) : allMeanPod(terms, other, objects))
          ? 1
          : 0,
      asksNamespaces: terms.some(asksNamespaces),
    }));
  }
}
