// Counts the pods of some kind on every node, and in every domain of a topology key, as the cluster changes. It reads
// the log when it is needed: a pod that came or left costs one look at it, a node that came costs a look at its pods.
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from './change-reader.js';
import { emptyDomain, noDomain } from './domain-column.js';
import { DomainSums } from './domain-sums.js';
import type { NodeColumns } from './node-columns.js';
import { replay } from './replay.js';
import type { CountsBySlot } from './replay.js';

/** What is counted. Nothing of it may depend on what changes without the log telling, but for namespaces. */
export interface Counted {
  readonly topologyKey: string;
  /** What a pod counts for. */
  weigh(pod: PodFacts): number;
  /** Nodes that take no part are left out of the sums of domains. Without this function all take part. */
  takesPart?(node: NodeView): boolean;
  /** Nodes without the label lie in the domain of the empty value. */
  readonly labelOptional?: boolean;
  /** What pods count for depends on the labels of namespaces. */
  readonly asksNamespaces?: boolean;
}

/** Pods by node and by domain. */
export class PodCounter {
  readonly #sums: DomainSums;
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #counted: Counted;
  readonly #counts: CountsBySlot;
  #namespaces = -1;

  constructor(columns: NodeColumns, counted: Counted) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#counted = counted;
    this.#sums = new DomainSums(columns.domains(counted.topologyKey));
    const placeNode = (slot: number, node: NodeView | undefined): void =>
      this.#sums.move(slot, this.#domainOf(slot, node));
    this.#counts = {
      countPod: (slot, pod, by) => this.#sums.add(slot, by * counted.weigh(pod)),
      placeNode,
      countNode: (slot, node) => {
        this.#sums.set(slot, node === undefined ? 0 : this.#countOn(node));
        placeNode(slot, node);
      },
    };
  }

  /** Catches up with the cluster. */
  follow(): DomainSums {
    const changes = this.#namespacesChanged() ? undefined : this.#reader.read();
    if (changes?.length === 0) return this.#sums;
    this.#sums.domains.follow();
    this.#sums.grow(this.#columns.capacity);
    if (changes === undefined) this.#countAll();
    else replay(changes, this.#columns, this.#counts);
    return this.#sums;
  }

  #countAll(): void {
    this.#reader.read();
    this.#sums.clear();
    for (const node of this.#columns.cluster.nodes) this.#counts.countNode(node.slot, node);
  }

  #countOn(node: NodeView): number {
    let count = 0;
    for (const pod of node.pods) count += this.#counted.weigh(pod);
    return count;
  }

  #domainOf(slot: number, node: NodeView | undefined): number {
    if (node === undefined || this.#counted.takesPart?.(node) === false) return noDomain;
    const domain = this.#sums.domains.bySlot[slot] ?? noDomain;
    return domain === noDomain && this.#counted.labelOptional === true ? emptyDomain : domain;
  }

  #namespacesChanged(): boolean {
    if (this.#counted.asksNamespaces !== true) return false;
    const version = this.#columns.cluster.objects.version('Namespace');
    if (version === this.#namespaces) return false;
    this.#namespaces = version;
    return true;
  }
}
