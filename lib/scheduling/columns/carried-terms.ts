// The affinity terms of pods on nodes: who carries them, and where. Many pods carry the same term, so there are few of
// them even where every pod has some, and whoever comes asks each term once whether it is meant.
import type { NodeView } from '../cluster/node-view.js';
import { asksNamespaces } from '../pod/pod-affinity.js';
import type { AffinityTerm } from '../pod/pod-affinity.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from './change-reader.js';
import type { NodeColumns } from './node-columns.js';
import { replay } from './replay.js';
import type { CountsBySlot } from './replay.js';

/** A term, and what it does to pods that it means. Terms with the same key are the same. */
export interface CarriedTerm {
  readonly key: string;
  readonly term: AffinityTerm;
  /** It keeps them away, wants them by all means, or likes and dislikes them by its weight. */
  readonly role: 'repels' | 'demands' | 'likes';
  readonly weight: number;
}

/** A term and how many pods carry it, by slot. */
export interface CarriedTermPlaces extends CarriedTerm {
  readonly bySlot: ReadonlyMap<number, number>;
}

/** The terms of a pod. */
export function carriedTerms(pod: PodFacts): readonly CarriedTerm[] {
  const { affinity, antiAffinity } = pod;
  if (
    affinity.required.length +
      affinity.preferred.length +
      antiAffinity.required.length +
      antiAffinity.preferred.length ===
    0
  )
    return none;
  const known = termsByPod.get(pod);
  if (known !== undefined) return known;
  const terms = [
    ...antiAffinity.required.map((term) => carried(term, 'repels', 1)),
    ...affinity.required.map((term) => carried(term, 'demands', 1)),
    ...affinity.preferred.map((term) => carried(term, 'likes', term.weight)),
    ...antiAffinity.preferred.map((term) => carried(term, 'likes', -term.weight)),
  ];
  termsByPod.set(pod, terms);
  return terms;
}

/** What a term says, as text. */
export function termText(term: AffinityTerm): string {
  const { topologyKey, namespaces, namespaceSelector, selector } = term;
  const inNamespaces = asksNamespaces(term) ? namespaceSelector.requirements : namespaceSelector.nothing;
  return JSON.stringify([topologyKey, [...namespaces], inNamespaces, selector.nothing, selector.requirements]);
}

/** All terms that pods on nodes carry. */
export class CarriedTerms {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #terms = new Map<string, CarriedTermPlaces & { readonly bySlot: Map<number, number> }>();
  readonly #counts: CountsBySlot;

  constructor(columns: NodeColumns) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#counts = {
      countPod: (slot, pod, by) => this.#countPod(slot, pod, by),
      placeNode: () => undefined,
      countNode: (slot, node) => this.#countNode(slot, node),
    };
  }

  /** The terms as the cluster is now. */
  follow(): Iterable<CarriedTermPlaces> {
    const changes = this.#reader.read();
    if (changes !== undefined) replay(changes, this.#columns, this.#counts);
    else {
      this.#terms.clear();
      for (const node of this.#columns.cluster.nodesWithAffinity)
        for (const pod of node.podsWithAffinity) this.#countPod(node.slot, pod, 1);
    }
    return this.#terms.values();
  }

  #countPod(slot: number, pod: PodFacts, by: 1 | -1): void {
    for (const carriedTerm of carriedTerms(pod)) {
      const { bySlot } = this.#terms.get(carriedTerm.key) ?? this.#learn(carriedTerm);
      const count = (bySlot.get(slot) ?? 0) + by;
      if (count === 0) bySlot.delete(slot);
      else bySlot.set(slot, count);
      if (bySlot.size === 0) this.#terms.delete(carriedTerm.key);
    }
  }

  #learn(carriedTerm: CarriedTerm): { readonly bySlot: Map<number, number> } {
    const places = { ...carriedTerm, bySlot: new Map<number, number>() };
    this.#terms.set(carriedTerm.key, places);
    return places;
  }

  #countNode(slot: number, node: NodeView | undefined): void {
    for (const [key, { bySlot }] of this.#terms) {
      bySlot.delete(slot);
      if (bySlot.size === 0) this.#terms.delete(key);
    }
    for (const pod of node?.podsWithAffinity ?? none) this.#countPod(slot, pod, 1);
  }
}

const termsByPod = new WeakMap<PodFacts, readonly CarriedTerm[]>();
const none: readonly never[] = [];

function carried(term: AffinityTerm, role: CarriedTerm['role'], weight: number): CarriedTerm {
  return { key: `${role} ${weight} ${termText(term)}`, term, role, weight };
}
