// The affinity terms of existing pods that match pods of one namespace and label set: counts of required anti-affinity
// terms and weights of preferred terms, per topology domain, updated as the cluster changes.
import type { NodeView } from '../cluster/node-view.js';
import { termMatchesPod } from '../plugins/inter-pod-affinity/term-matching.js';
import { dependsOnNamespaceLabels } from '../pod/pod-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from '../cluster/change-log.js';
import { podTerms } from './affinity-term-index.js';
import type { PodTerm } from './affinity-term-index.js';
import type { ClusterColumns } from './cluster-columns.js';
import { TopologyPairCounts } from './topology-pair-counts.js';
import { applyChanges } from './pod-counter.js';
import type { SlotCounter } from './pod-counter.js';

/** Counts per topology key of the terms that match a pod. */
export class ExistingPodTerms {
  readonly #columns: ClusterColumns;
  readonly #reader: ChangeReader;
  readonly #pod: PodFacts;
  readonly #hardWeight: number;
  /** Required anti-affinity terms that match the pod. */
  readonly #antiAffinity = new Map<string, TopologyPairCounts>();
  /** Weights of preferred terms, and of required affinity terms, that match the pod. */
  readonly #preferred = new Map<string, TopologyPairCounts>();
  /** Whether a term matches the pod, by key of the term. */
  readonly #matches = new Map<string, boolean>();
  readonly #counts: SlotCounter;
  #namespaces = -1;
  #asksNamespaces = false;
  /** Number of topology keys at the last rebuild. */
  #keys = 0;

  /**
   * `pod` represents all pods of its namespace and labels. A required affinity term counts as a preferred one of
   * `hardWeight`.
   */
  constructor(columns: ClusterColumns, pod: PodFacts, hardWeight: number) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.nodes.cluster.changes);
    this.#pod = pod;
    this.#hardWeight = hardWeight;
    this.#counts = {
      countPod: (slot, other, by) => {
        for (const term of podTerms(other)) this.#count(slot, term, by);
      },
      placeNode: (slot) => this.#place(slot),
      countNode: (slot, node) => this.#countNode(slot, node),
    };
  }

  /** Counts of matching required anti-affinity terms, one per topology key. */
  get antiAffinity(): Iterable<TopologyPairCounts> {
    return this.#antiAffinity.values();
  }

  /** Weights of matching preferred terms, one per topology key. */
  get preferred(): Iterable<TopologyPairCounts> {
    return this.#preferred.values();
  }

  /** Applies the changes since the last call. */
  sync(): void {
    const changes = this.#namespacesChanged() || this.#hasManyKeys() ? undefined : this.#reader.read();
    if (changes?.length === 0) return;
    for (const sums of this.#all()) this.#prepare(sums);
    if (changes === undefined) this.#countAll();
    else applyChanges(changes, this.#columns.nodes, this.#counts);
  }

  #countAll(): void {
    this.#reader.read();
    this.#antiAffinity.clear();
    this.#preferred.clear();
    this.#matches.clear();
    this.#asksNamespaces = false;
    for (const term of this.#columns.affinityTerms.sync()) {
      if (!this.#matchesPod(term)) continue;
      for (const [slot, count] of term.bySlot) this.#count(slot, term, count);
    }
    this.#namespaces = this.#columns.nodes.cluster.objects.version('Namespace');
    this.#keys = this.#antiAffinity.size + this.#preferred.size;
  }

  #countNode(slot: number, node: NodeView | undefined): void {
    for (const sums of this.#all()) sums.set(slot, 0);
    for (const pod of node?.podsWithAffinity ?? []) this.#counts.countPod(slot, pod, 1);
    this.#place(slot);
  }

  /** A slot without a node has no domain. */
  #place(slot: number): void {
    for (const sums of this.#all()) sums.move(slot, sums.domains.at(slot));
  }

  #count(slot: number, term: PodTerm, by: number): void {
    if (!this.#matchesPod(term)) return;
    const weight = term.role === 'required-affinity' ? this.#hardWeight : term.weight;
    this.#sumsFor(term).add(slot, by * weight);
  }

  #matchesPod(term: PodTerm): boolean {
    const cached = this.#matches.get(term.key);
    if (cached !== undefined) return cached;
    if (this.#matches.size >= matchesMax) this.#matches.clear();
    const means = termMatchesPod(term.term, this.#pod, this.#columns.nodes.cluster.objects);
    this.#matches.set(term.key, means);
    if (dependsOnNamespaceLabels(term.term)) this.#asksNamespaces = true;
    return means;
  }

  #sumsFor({ role, term: { topologyKey } }: PodTerm): TopologyPairCounts {
    const byKey = role === 'required-anti-affinity' ? this.#antiAffinity : this.#preferred;
    const cached = byKey.get(topologyKey);
    if (cached !== undefined) return cached;
    const sums = new TopologyPairCounts(this.#columns.nodes.domains(topologyKey));
    this.#prepare(sums);
    for (const { slot } of this.#columns.nodes.cluster.nodes) sums.move(slot, sums.domains.at(slot));
    byKey.set(topologyKey, sums);
    return sums;
  }

  #prepare(sums: TopologyPairCounts): void {
    sums.domains.sync();
    sums.grow(this.#columns.nodes.capacity);
  }

  *#all(): Iterable<TopologyPairCounts> {
    yield* this.#antiAffinity.values();
    yield* this.#preferred.values();
  }

  /** Unused topology keys are dropped by a rebuild. */
  #hasManyKeys(): boolean {
    return this.#antiAffinity.size + this.#preferred.size > 2 * this.#keys + 16;
  }

  #namespacesChanged(): boolean {
    return this.#asksNamespaces && this.#namespaces !== this.#columns.nodes.cluster.objects.version('Namespace');
  }
}

/** Bound of the cached matches; the cache is cleared when it is full. */
const matchesMax = 4096;
