// Index of the affinity terms of all existing pods: each distinct term, and how many pods on each node have it. Pods of
// one workload share their terms, so there are few distinct terms, and an incoming pod is matched against each only
// once.
import type { NodeView } from '../cluster/node-view.js';
import { dependsOnNamespaceLabels } from '../pod/pod-affinity.js';
import type { AffinityTerm } from '../pod/pod-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from '../cluster/change-log.js';
import type { NodeColumns } from './cluster-columns.js';
import { applyChanges } from './pod-counter.js';
import type { SlotCounter } from './pod-counter.js';

/** An affinity term of a pod. Terms with the same key are equal. */
export interface PodTerm {
  readonly key: string;
  readonly term: AffinityTerm;
  /** `preferred` covers affinity (positive weight) and anti-affinity (negative weight). */
  readonly role: 'required-anti-affinity' | 'required-affinity' | 'preferred';
  readonly weight: number;
}

/** A term and the number of pods that have it, by slot. */
export interface PodTermCounts extends PodTerm {
  readonly bySlot: ReadonlyMap<number, number>;
}

/** Returns the affinity terms of a pod. Cached by identity. */
export function podTerms(pod: PodFacts): readonly PodTerm[] {
  const { affinity, antiAffinity } = pod;
  if (
    affinity.required.length +
      affinity.preferred.length +
      antiAffinity.required.length +
      antiAffinity.preferred.length ===
    0
  )
    return none;
  const cached = termsByPod.get(pod);
  if (cached !== undefined) return cached;
  const terms = [
    ...antiAffinity.required.map((term) => podTerm(term, 'required-anti-affinity', 1)),
    ...affinity.required.map((term) => podTerm(term, 'required-affinity', 1)),
    ...affinity.preferred.map((term) => podTerm(term, 'preferred', term.weight)),
    ...antiAffinity.preferred.map((term) => podTerm(term, 'preferred', -term.weight)),
  ];
  termsByPod.set(pod, terms);
  return terms;
}

/** Returns a text that is equal for equal terms. */
export function termText(term: AffinityTerm): string {
  const { topologyKey, namespaces, namespaceSelector, selector } = term;
  const inNamespaces = dependsOnNamespaceLabels(term) ? namespaceSelector.requirements : namespaceSelector.nothing;
  return JSON.stringify([topologyKey, [...namespaces], inNamespaces, selector.nothing, selector.requirements]);
}

/** The affinity terms of all pods on nodes. */
export class AffinityTermIndex {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #terms = new Map<string, PodTermCounts & { readonly bySlot: Map<number, number> }>();
  readonly #counts: SlotCounter;

  constructor(columns: NodeColumns) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#counts = {
      countPod: (slot, pod, by) => this.#countPod(slot, pod, by),
      placeNode: () => undefined,
      countNode: (slot, node) => this.#countNode(slot, node),
    };
  }

  /** Applies the changes since the last call and returns all terms. */
  sync(): Iterable<PodTermCounts> {
    const changes = this.#reader.read();
    if (changes !== undefined) applyChanges(changes, this.#columns, this.#counts);
    else {
      this.#terms.clear();
      for (const node of this.#columns.cluster.nodesWithAffinity)
        for (const pod of node.podsWithAffinity) this.#countPod(node.slot, pod, 1);
    }
    return this.#terms.values();
  }

  #countPod(slot: number, pod: PodFacts, by: 1 | -1): void {
    for (const term of podTerms(pod)) {
      const { bySlot } = this.#terms.get(term.key) ?? this.#addTerm(term);
      const count = (bySlot.get(slot) ?? 0) + by;
      if (count === 0) bySlot.delete(slot);
      else bySlot.set(slot, count);
      if (bySlot.size === 0) this.#terms.delete(term.key);
    }
  }

  #addTerm(term: PodTerm): { readonly bySlot: Map<number, number> } {
    const counts = { ...term, bySlot: new Map<number, number>() };
    this.#terms.set(term.key, counts);
    return counts;
  }

  #countNode(slot: number, node: NodeView | undefined): void {
    for (const [key, { bySlot }] of this.#terms) {
      bySlot.delete(slot);
      if (bySlot.size === 0) this.#terms.delete(key);
    }
    for (const pod of node?.podsWithAffinity ?? none) this.#countPod(slot, pod, 1);
  }
}

const termsByPod = new WeakMap<PodFacts, readonly PodTerm[]>();
const none: readonly never[] = [];

function podTerm(term: AffinityTerm, role: PodTerm['role'], weight: number): PodTerm {
  return { key: `${role} ${weight} ${termText(term)}`, term, role, weight };
}
