// The nodes to which other pods are to come, as pods of one node signature and one priority see them: those that must
// not be pushed aside count as present. What that comes to is found out once per node, by whoever asks first, and again
// when the node changed or others are to come. So a search costs the same however many pods are nominated.
import { ChangedNodes } from '../cluster/changed-nodes.js';
import { isToReckonWith } from '../framework/profile-filters.js';
import type { Rejected } from '../framework/rejection.js';
import { grown } from './grown.js';
import type { NodeColumns } from './node-columns.js';

/** Verdicts that are not the number of a refusal. */
export const crowdVerdict = { nobody: 0, unknown: -1, fits: -2 } as const;

/**
 * What nodes are amidst those that are to come to them. A pod that is nominated itself has to look at its own node
 * apart.
 */
export class CrowdColumn {
  readonly #columns: NodeColumns;
  readonly #priority: number;
  readonly #changed: ChangedNodes;
  readonly #refusals: Rejected[] = [];
  /** Numbers of refusals, by what they say. */
  readonly #numbers = new Map<string, number>();
  #verdicts: Int32Array = new Int32Array(0);
  readonly #slots = new Set<number>();

  constructor(columns: NodeColumns, priority: number) {
    this.#columns = columns;
    this.#priority = priority;
    this.#changed = new ChangedNodes(columns.cluster);
  }

  /** The slots of nodes to which somebody is to come that counts. */
  get slots(): ReadonlySet<number> {
    return this.#slots;
  }

  /** For each slot one of `crowdVerdict`, or the number of a refusal. */
  get verdicts(): Int32Array {
    return this.#verdicts;
  }

  /** What a verdict above 0 means. */
  refusal(verdict: number): Rejected | undefined {
    return this.#refusals[verdict - 1];
  }

  /** Keeps what was found out about the node of a slot; answers the verdict. */
  keep(slot: number, rejected: Rejected | undefined): number {
    const verdict = rejected === undefined ? crowdVerdict.fits : this.#numberOf(rejected);
    this.#verdicts[slot] = verdict;
    return verdict;
  }

  /** Catches up with the cluster. */
  follow(): void {
    const slots = this.#changed.read();
    this.#verdicts = grown(this.#verdicts, this.#columns.capacity);
    if (slots === undefined) this.#lookAtAll();
    else for (const slot of slots) this.#look(slot);
  }

  #lookAtAll(): void {
    const { cluster } = this.#columns;
    this.#verdicts.fill(crowdVerdict.nobody);
    this.#slots.clear();
    for (const name of cluster.nominatedNodes()) {
      const node = cluster.node(name);
      if (node !== undefined) this.#look(node.slot);
    }
  }

  #look(slot: number): void {
    const node = this.#columns.at(slot);
    const isCrowded =
      node !== undefined &&
      this.#columns.cluster.nominatedTo(node.name).some((pod) => isToReckonWith(pod, this.#priority));
    this.#verdicts[slot] = isCrowded ? crowdVerdict.unknown : crowdVerdict.nobody;
    if (isCrowded) this.#slots.add(slot);
    else this.#slots.delete(slot);
  }

  #numberOf(rejected: Rejected): number {
    const text = `${rejected.plugin} ${rejected.code} ${rejected.reasons.join('\n')}`;
    const number = this.#numbers.get(text) ?? this.#refusals.push(rejected);
    this.#numbers.set(text, number);
    return number;
  }
}
