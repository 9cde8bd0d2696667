// Cached filter verdicts of nodes with nominated pods, for one pod class and priority. Nominated pods of equal or
// higher priority count as present. A verdict is computed once per node, by the first search that needs it, and again
// after the node or its nominated pods changed. So the cost of a search does not grow with the number of nominated
// pods.
import { ChangedNodes } from '../cluster/change-log.js';
import { countsForPriority } from '../framework/profile-filters.js';
import type { Rejected } from '../framework/rejection.js';
import { ensureLength } from './column-arrays.js';
import type { NodeColumns } from './cluster-columns.js';

/** Verdicts that are not the number of a rejection. */
export const nominatedVerdict = { none: 0, unknown: -1, feasible: -2 } as const;

/**
 * Cached filter verdict per node, counting the node's nominated pods as present. A pod evaluates its own nominated node
 * separately.
 */
export class NominatedVerdicts {
  readonly #columns: NodeColumns;
  readonly #priority: number;
  readonly #changed: ChangedNodes;
  readonly #rejections: Rejected[] = [];
  /** Number of each rejection, by its text. */
  readonly #numbers = new Map<string, number>();
  #verdicts: Int32Array = new Int32Array(0);
  readonly #slots = new Set<number>();

  constructor(columns: NodeColumns, priority: number) {
    this.#columns = columns;
    this.#priority = priority;
    this.#changed = new ChangedNodes(columns.cluster);
  }

  /** Slots of nodes with nominated pods that count as present. */
  get slots(): ReadonlySet<number> {
    return this.#slots;
  }

  /** Per slot: one of `nominatedVerdict`, or the number of a rejection. */
  get verdicts(): Int32Array {
    return this.#verdicts;
  }

  /** The rejection of a verdict above 0. */
  rejectionFor(verdict: number): Rejected | undefined {
    return this.#rejections[verdict - 1];
  }

  /** Caches the result for a slot's node and returns its verdict. */
  record(slot: number, rejected: Rejected | undefined): number {
    const verdict = rejected === undefined ? nominatedVerdict.feasible : this.#numberOf(rejected);
    this.#verdicts[slot] = verdict;
    return verdict;
  }

  /** Applies the changes since the last call. */
  sync(): void {
    const slots = this.#changed.read();
    this.#verdicts = ensureLength(this.#verdicts, this.#columns.capacity);
    if (slots === undefined) this.#rebuild();
    else for (const slot of slots) this.#updateSlot(slot);
  }

  #rebuild(): void {
    const { cluster } = this.#columns;
    this.#verdicts.fill(nominatedVerdict.none);
    this.#slots.clear();
    for (const name of cluster.nominatedNodes()) {
      const node = cluster.node(name);
      if (node !== undefined) this.#updateSlot(node.slot);
    }
  }

  #updateSlot(slot: number): void {
    const node = this.#columns.at(slot);
    const hasNominated =
      node !== undefined &&
      this.#columns.cluster.nominatedTo(node.name).some((pod) => countsForPriority(pod, this.#priority));
    this.#verdicts[slot] = hasNominated ? nominatedVerdict.unknown : nominatedVerdict.none;
    if (hasNominated) this.#slots.add(slot);
    else this.#slots.delete(slot);
  }

  #numberOf(rejected: Rejected): number {
    const text = `${rejected.plugin} ${rejected.code} ${rejected.reasons.join('\n')}`;
    const number = this.#numbers.get(text) ?? this.#rejections.push(rejected);
    this.#numbers.set(text, number);
    return number;
  }
}
