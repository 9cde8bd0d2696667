// How pods on nodes regard pods of one namespace with the same labels: where they keep them away, and where they would
// like to have them or not. Sums by domain, kept as the cluster changes.
import type { NodeView } from '../cluster/node-view.js';
import { meansPod } from '../plugins/inter-pod-affinity/term-matching.js';
import { asksNamespaces } from '../pod/pod-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { carriedTerms } from './carried-terms.js';
import type { CarriedTerm } from './carried-terms.js';
import { ChangeReader } from './change-reader.js';
import type { ClusterColumns } from './cluster-columns.js';
import { DomainSums } from './domain-sums.js';
import { replay } from './replay.js';
import type { CountsBySlot } from './replay.js';

/** What the terms of pods on nodes come to, by topology key. */
export class TermsOfOthers {
  readonly #columns: ClusterColumns;
  readonly #reader: ChangeReader;
  readonly #pod: PodFacts;
  readonly #hardWeight: number;
  /** How many repel the pod. */
  readonly #repelling = new Map<string, DomainSums>();
  /** How much they like it. */
  readonly #liking = new Map<string, DomainSums>();
  /** Whether a term means the pod, by its key. */
  readonly #means = new Map<string, boolean>();
  readonly #counts: CountsBySlot;
  #namespaces = -1;
  #asksNamespaces = false;
  /** How many topology keys there were at the last count. */
  #keys = 0;

  /** `pod` stands for all of its namespace and labels; a demand of others counts as a liking of `hardWeight`. */
  constructor(columns: ClusterColumns, pod: PodFacts, hardWeight: number) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.nodes.cluster.changes);
    this.#pod = pod;
    this.#hardWeight = hardWeight;
    this.#counts = {
      countPod: (slot, other, by) => {
        for (const term of carriedTerms(other)) this.#count(slot, term, by);
      },
      placeNode: (slot) => this.#place(slot),
      countNode: (slot, node) => this.#countNode(slot, node),
    };
  }

  /** Where pods are that repel the pod. */
  get repelling(): Iterable<DomainSums> {
    return this.#repelling.values();
  }

  /** Where pods are that like or dislike it. */
  get liking(): Iterable<DomainSums> {
    return this.#liking.values();
  }

  /** Catches up with the cluster. */
  follow(): void {
    const changes = this.#namespacesChanged() || this.#hasManyKeys() ? undefined : this.#reader.read();
    if (changes?.length === 0) return;
    for (const sums of this.#all()) this.#prepare(sums);
    if (changes === undefined) this.#countAll();
    else replay(changes, this.#columns.nodes, this.#counts);
  }

  #countAll(): void {
    this.#reader.read();
    this.#repelling.clear();
    this.#liking.clear();
    this.#means.clear();
    this.#asksNamespaces = false;
    for (const term of this.#columns.carriedTerms.follow()) {
      if (!this.#isMeant(term)) continue;
      for (const [slot, count] of term.bySlot) this.#count(slot, term, count);
    }
    this.#namespaces = this.#columns.nodes.cluster.objects.version('Namespace');
    this.#keys = this.#repelling.size + this.#liking.size;
  }

  #countNode(slot: number, node: NodeView | undefined): void {
    for (const sums of this.#all()) sums.set(slot, 0);
    for (const pod of node?.podsWithAffinity ?? []) this.#counts.countPod(slot, pod, 1);
    this.#place(slot);
  }

  /** Where no node is any more there is no domain. */
  #place(slot: number): void {
    for (const sums of this.#all()) sums.move(slot, sums.domains.at(slot));
  }

  #count(slot: number, term: CarriedTerm, by: number): void {
    if (!this.#isMeant(term)) return;
    const weight = term.role === 'demands' ? this.#hardWeight : term.weight;
    this.#sumsFor(term).add(slot, by * weight);
  }

  #isMeant(term: CarriedTerm): boolean {
    const known = this.#means.get(term.key);
    if (known !== undefined) return known;
    if (this.#means.size >= meansMax) this.#means.clear();
    const means = meansPod(term.term, this.#pod, this.#columns.nodes.cluster.objects);
    this.#means.set(term.key, means);
    if (asksNamespaces(term.term)) this.#asksNamespaces = true;
    return means;
  }

  #sumsFor({ role, term: { topologyKey } }: CarriedTerm): DomainSums {
    const byKey = role === 'repels' ? this.#repelling : this.#liking;
    const known = byKey.get(topologyKey);
    if (known !== undefined) return known;
    const sums = new DomainSums(this.#columns.nodes.domains(topologyKey));
    this.#prepare(sums);
    for (const { slot } of this.#columns.nodes.cluster.nodes) sums.move(slot, sums.domains.at(slot));
    byKey.set(topologyKey, sums);
    return sums;
  }

  #prepare(sums: DomainSums): void {
    sums.domains.follow();
    sums.grow(this.#columns.nodes.capacity);
  }

  *#all(): Iterable<DomainSums> {
    yield* this.#repelling.values();
    yield* this.#liking.values();
  }

  /** Keys that nobody uses any more go with the next count. */
  #hasManyKeys(): boolean {
    return this.#repelling.size + this.#liking.size > 2 * this.#keys + 16;
  }

  #namespacesChanged(): boolean {
    return this.#asksNamespaces && this.#namespaces !== this.#columns.nodes.cluster.objects.version('Namespace');
  }
}

/** Terms come and go with pods; whether one means the pod is soon found out again. */
const meansMax = 4096;
