// Nodes by slot, and the slots in the order in which nodes are looked at. Kept up with the cluster by its log of
// changes, and brought up to date once before each search: whoever reads columns may then rely on it.
import type { ClusterView } from '../cluster/cluster-view.js';
import type { NodeView } from '../cluster/node-view.js';
import { ChangeReader } from './change-reader.js';
import { DomainColumn } from './domain-column.js';
import { grown } from './grown.js';
import { NodeStates } from './node-states.js';
import { RecentlyUsed } from '../framework/recently-used.js';

/** The nodes of a cluster for columns. */
export class NodeColumns {
  readonly cluster: ClusterView;
  readonly #reader: ChangeReader;
  readonly #domains = new RecentlyUsed<DomainColumn>(domainColumnsMax);
  readonly #states: NodeStates;
  #bySlot: (NodeView | undefined)[] = [];
  #listed: readonly NodeView[] = [];
  #order: Int32Array = new Int32Array(0);
  #places: Int32Array = new Int32Array(0);
  #capacity = 0;

  constructor(cluster: ClusterView) {
    this.cluster = cluster;
    this.#reader = new ChangeReader(cluster.changes);
    this.#states = new NodeStates(this);
  }

  /** Every slot in use is below this. */
  get capacity(): number {
    return this.#capacity;
  }

  /** The slots of the cluster's nodes, in their order. */
  get order(): Int32Array {
    return this.#order;
  }

  /** Where each slot that has a node stands in the order. */
  get places(): Int32Array {
    return this.#places;
  }

  /** The node that has a slot now. */
  at(slot: number): NodeView | undefined {
    return this.#bySlot[slot];
  }

  /** The domains of a topology key. Those who share a key share them, as long as they are kept. */
  domains(topologyKey: string): DomainColumn {
    return this.#domains.get(topologyKey, () => new DomainColumn(this, topologyKey));
  }

  /** The states of nodes, as they are now. */
  states(): NodeStates {
    this.#states.follow();
    return this.#states;
  }

  /** Catches up with the cluster. */
  follow(): void {
    const changes = this.#reader.read();
    if (changes === undefined) this.#begin();
    for (const { type, node } of changes ?? []) {
      if (type === 'node-added') this.#bySlot[node.slot] = node;
      else if (type === 'node-removed' && this.#bySlot[node.slot] === node) this.#bySlot[node.slot] = undefined;
    }
    const { nodes } = this.cluster;
    if (nodes === this.#listed) return;
    this.#listed = nodes;
    this.#order = Int32Array.from(nodes, ({ slot }) => slot);
    this.#capacity = Math.max(this.#capacity, this.#bySlot.length);
    this.#places = grown(this.#places, this.#capacity);
    for (const [place, slot] of this.#order.entries()) this.#places[slot] = place;
  }

  #begin(): void {
    this.#bySlot = [];
    for (const node of this.cluster.nodes) this.#bySlot[node.slot] = node;
  }
}

/** Keys come from users' pods, so not all are kept. */
const domainColumnsMax = 64;
