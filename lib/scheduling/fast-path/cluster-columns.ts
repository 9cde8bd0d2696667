// The columns that all profiles share: nodes by slot, numbered node states, topology domains, the affinity terms of
// existing pods, and pod counters. Counters are looked up by a key of what they count, so pod classes with the same
// constraint share one. `fast-placer.ts` explains the algorithm.
import type { ClusterView } from '../cluster/cluster-view.js';
import { RecentlyUsed } from '../framework/recently-used.js';
import type { NodeView } from '../cluster/node-view.js';
import { ChangeReader } from '../cluster/change-log.js';
import { AffinityTermIndex } from './affinity-term-index.js';
import { PodCounter } from './pod-counter.js';
import type { PodCounterOptions } from './pod-counter.js';
import { DomainColumn } from './domain-column.js';
import { ensureLength } from './column-arrays.js';

/** The shared columns of a cluster. */
export interface ClusterColumns {
  readonly nodes: NodeColumns;
  readonly affinityTerms: AffinityTermIndex;
  /** Returns the counter with that key, created from `counted` if it does not exist. */
  counter(key: string, options: () => PodCounterOptions): PodCounter;
}

/** Creates the columns of a cluster. Nothing is read before the first search. */
export function clusterColumns(cluster: ClusterView): ClusterColumns {
  const nodes = new NodeColumns(cluster);
  const counters = new RecentlyUsed<PodCounter>(countersMax);
  return {
    nodes,
    affinityTerms: new AffinityTermIndex(nodes),
    counter: (key, options) => counters.get(key, () => new PodCounter(nodes, options())),
  };
}

/** At 5,000 nodes a counter takes about 80 kB. */
const countersMax = 256;

/**
 * Nodes by slot, and slots in node order. Brought up to date once before each search; readers of columns rely on that.
 */
export class NodeColumns {
  readonly cluster: ClusterView;
  readonly #reader: ChangeReader;
  readonly #domains = new RecentlyUsed<DomainColumn>(domainColumnsMax);
  readonly #states: NodeStateNumbers;
  #bySlot: (NodeView | undefined)[] = [];
  #listed: readonly NodeView[] = [];
  #order: Int32Array = new Int32Array(0);
  #places: Int32Array = new Int32Array(0);
  #capacity = 0;

  constructor(cluster: ClusterView) {
    this.cluster = cluster;
    this.#reader = new ChangeReader(cluster.changes);
    this.#states = new NodeStateNumbers(this);
  }

  /** All slots in use are below this. */
  get capacity(): number {
    return this.#capacity;
  }

  /** The slots of the cluster's nodes, in node order. */
  get order(): Int32Array {
    return this.#order;
  }

  /** The index in `order` of each slot that has a node. */
  get places(): Int32Array {
    return this.#places;
  }

  /** The node of a slot. */
  at(slot: number): NodeView | undefined {
    return this.#bySlot[slot];
  }

  /** Returns the domains of a topology key. Shared by all counters of the key while it is cached. */
  domains(topologyKey: string): DomainColumn {
    return this.#domains.get(topologyKey, () => new DomainColumn(this, topologyKey));
  }

  /** Returns the numbered states of nodes, up to date. */
  states(): NodeStateNumbers {
    this.#states.sync();
    return this.#states;
  }

  /** Applies the changes since the last call. */
  sync(): void {
    const changes = this.#reader.read();
    if (changes === undefined) this.#rebuild();
    for (const { type, node } of changes ?? []) {
      if (type === 'node-added') this.#bySlot[node.slot] = node;
      else if (type === 'node-removed' && this.#bySlot[node.slot] === node) this.#bySlot[node.slot] = undefined;
    }
    const { nodes } = this.cluster;
    if (nodes === this.#listed) return;
    this.#listed = nodes;
    this.#order = Int32Array.from(nodes, ({ slot }) => slot);
    this.#capacity = Math.max(this.#capacity, this.#bySlot.length);
    this.#places = ensureLength(this.#places, this.#capacity);
    for (const [place, slot] of this.#order.entries()) this.#places[slot] = place;
  }

  #rebuild(): void {
    this.#bySlot = [];
    for (const node of this.cluster.nodes) this.#bySlot[node.slot] = node;
  }
}

/** Topology keys come from users' pods, so the number of cached ones is bounded. */
const domainColumnsMax = 64;

/**
 * Equal states of nodes (allocatable, requested, taints), numbered. Names, labels, ports and images may differ; most
 * pods do not depend on them. A new pod class evaluates one node per state: thousands of nodes may have dozens of
 * states.
 */
export class NodeStateNumbers {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #numbers = new Map<string, number>();
  #bySlot: Int32Array = new Int32Array(0);

  constructor(columns: NodeColumns) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
  }

  /** The state of each slot that has a node. */
  get bySlot(): Int32Array {
    return this.#bySlot;
  }

  /** All numbers are below this. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Applies the changes since the last call. */
  sync(): void {
    const changes = this.#reader.read();
    const { order, capacity, cluster } = this.#columns;
    this.#bySlot = ensureLength(this.#bySlot, capacity);
    if (changes !== undefined && changes.length < order.length && this.#numbers.size < 2 * order.length + 64) {
      for (const {
        node: { slot },
      } of changes)
        this.#updateNode(this.#columns.at(slot));
      return;
    }
    this.#numbers.clear();
    for (const node of cluster.nodes) this.#updateNode(node);
  }

  #updateNode(node: NodeView | undefined): void {
    if (node === undefined) return;
    const text = stateText(node);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#bySlot[node.slot] = number;
  }
}

function stateText({ unschedulable, taints, allocatable, requested, nonZeroRequested, podCount }: NodeView): string {
  const limits = `${allocatable.milliCpu} ${allocatable.memory} ${allocatable.ephemeralStorage} ${allocatable.pods}`;
  const usage = `${requested.milliCpu} ${requested.memory} ${requested.ephemeralStorage} ${podCount} ${nonZeroRequested.milliCpu} ${nonZeroRequested.memory}`;
  const isPlain = !unschedulable && taints.length + allocatable.scalars.size + requested.scalars.size === 0;
  return isPlain
    ? `${limits} ${usage}`
    : `${limits} ${usage} ${JSON.stringify([unschedulable, taints, [...allocatable.scalars], [...requested.scalars]])}`;
}
