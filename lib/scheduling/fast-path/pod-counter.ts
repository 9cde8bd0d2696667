// Counts matching pods per node and per domain of a topology key, as the cluster changes. A counter reads the change
// log on demand: an added or removed pod is matched once, and an added node costs one match per pod on it.
import type { NodeView } from '../cluster/node-view.js';
import type { PodFacts } from '../pod/pod-facts.js';
import { ChangeReader } from '../cluster/change-log.js';
import type { ClusterChange } from '../cluster/change-log.js';
import { emptyDomain, noDomain } from './domain-column.js';
import { TopologyPairCounts } from './topology-pair-counts.js';
import type { NodeColumns } from './cluster-columns.js';

/** What a counter counts. All inputs except namespace labels must change only with an entry in the change log. */
export interface PodCounterOptions {
  readonly topologyKey: string;
  /** Returns the weight of a pod: 0 if it does not match. */
  weightOf(pod: PodFacts): number;
  /** Whether a node is included in the sums of domains. Default: all nodes. */
  isEligible?(node: NodeView): boolean;
  /** Nodes without the label belong to the domain of the empty value. */
  readonly labelOptional?: boolean;
  /** The weights depend on namespace labels. */
  readonly asksNamespaces?: boolean;
}

/** Counts pods by node and by domain. */
export class PodCounter {
  readonly #sums: TopologyPairCounts;
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #counted: PodCounterOptions;
  readonly #counts: SlotCounter;
  #namespaces = -1;

  constructor(columns: NodeColumns, counted: PodCounterOptions) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#counted = counted;
    this.#sums = new TopologyPairCounts(columns.domains(counted.topologyKey));
    const placeNode = (slot: number, node: NodeView | undefined): void =>
      this.#sums.move(slot, this.#domainOf(slot, node));
    this.#counts = {
      countPod: (slot, pod, by) => this.#sums.add(slot, by * counted.weightOf(pod)),
      placeNode,
      countNode: (slot, node) => {
        this.#sums.set(slot, node === undefined ? 0 : this.#countOn(node));
        placeNode(slot, node);
      },
    };
  }

  /** Applies the changes since the last call and returns the counts. */
  sync(): TopologyPairCounts {
    const changes = this.#namespacesChanged() ? undefined : this.#reader.read();
    if (changes?.length === 0) return this.#sums;
    this.#sums.domains.sync();
    this.#sums.grow(this.#columns.capacity);
    if (changes === undefined) this.#countAll();
    else applyChanges(changes, this.#columns, this.#counts);
    return this.#sums;
  }

  #countAll(): void {
    this.#reader.read();
    this.#sums.clear();
    for (const node of this.#columns.cluster.nodes) this.#counts.countNode(node.slot, node);
  }

  #countOn(node: NodeView): number {
    let count = 0;
    for (const pod of node.pods) count += this.#counted.weightOf(pod);
    return count;
  }

  #domainOf(slot: number, node: NodeView | undefined): number {
    if (node === undefined || this.#counted.isEligible?.(node) === false) return noDomain;
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

// How counters apply changes. A node in the log already includes all later changes. So pods that came or left are
// counted first, and then nodes that were added or removed are counted from scratch, replacing whatever was counted
// there.

/** Counts by slot, updated by `applyChanges`. */
export interface SlotCounter {
  /** A pod was added to the slot's node (1) or removed from it (-1). */
  countPod(slot: number, pod: PodFacts, by: 1 | -1): void;
  /** The labels or taints of the slot's node may have changed. */
  placeNode(slot: number, node: NodeView): void;
  /** The slot has another node, or none. */
  countNode(slot: number, node: NodeView | undefined): void;
}

/** Applies entries of the change log to a counter. */
export function applyChanges(changes: readonly ClusterChange[], columns: NodeColumns, counts: SlotCounter): void {
  let nodesChanged = false;
  for (const change of changes) {
    if (change.type !== 'pod-added' && change.type !== 'pod-removed') nodesChanged = true;
    // A removed node still logs pods that leave it, but its slot may belong to another node.
    else if (columns.at(change.node.slot) === change.node)
      counts.countPod(change.node.slot, change.pod, change.type === 'pod-added' ? 1 : -1);
  }
  if (!nodesChanged) return;
  for (const {
    type,
    node: { slot },
  } of changes) {
    if (type === 'pod-added' || type === 'pod-removed') continue;
    const node = columns.at(slot);
    if (type === 'node-changed' && node !== undefined) counts.placeNode(slot, node);
    else counts.countNode(slot, node);
  }
}
