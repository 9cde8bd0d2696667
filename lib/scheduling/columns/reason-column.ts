// Why nodes refuse a pod, by slot: each node has the number of a reason, and reasons are few. Whoever keeps one has
// only those nodes told anew that changed, and knows at any time whether a node is left.
import type { Rejected } from '../framework/rejection.js';
import { intAt } from './column-element.js';
import { grown } from './grown.js';

/** A reason, and how many nodes have it. */
export interface CountedReason {
  readonly rejected: Rejected;
  readonly count: number;
}

/** Reasons by slot, and their numbers of nodes. */
export class ReasonColumn {
  /** By slot: 0 for no node, 1 for one that fits, else the number of a reason. */
  #numbers: Int32Array;
  readonly #numberOf = new Map<Rejected, number>();
  readonly #reasons: Rejected[] = [];
  /** Nodes by number. */
  readonly #counts: number[] = [0, 0];

  /** Without nodes; `capacity` is above all slots. */
  constructor(capacity: number) {
    this.#numbers = new Int32Array(capacity);
  }

  /** How many nodes fit. */
  get fitting(): number {
    return this.#counts[fits] ?? 0;
  }

  /** The reasons that any node has. */
  reasons(): readonly CountedReason[] {
    const counted = this.#reasons.map((rejected, index) => ({
      rejected,
      count: this.#counts[index + firstReason] ?? 0,
    }));
    return counted.filter(({ count }) => count > 0);
  }

  /** Why the node of a slot refuses; undefined where it does not. */
  at(slot: number): Rejected | undefined {
    return this.#reasons[(this.#numbers[slot] ?? absent) - firstReason];
  }

  /** Those of some slots whose nodes have a reason of a kind. */
  slotsWith(isMeant: (rejected: Rejected) => boolean, slots: Int32Array): Int32Array {
    const meant = [false, false, ...this.#reasons.map(isMeant)];
    return slots.filter((slot) => meant[intAt(this.#numbers, slot)] ?? false);
  }

  /** A node refuses, if there is a reason; else it fits. */
  set(slot: number, rejected: Rejected | undefined): void {
    this.#renumber(slot, rejected === undefined ? fits : (this.#numberOf.get(rejected) ?? this.#learn(rejected)));
  }

  /** There is no node. */
  clear(slot: number): void {
    this.#renumber(slot, absent);
  }

  /** Makes room for slots up to a capacity. */
  grow(capacity: number): void {
    this.#numbers = grown(this.#numbers, capacity);
  }

  #renumber(slot: number, number: number): void {
    const was = intAt(this.#numbers, slot);
    if (was === number) return;
    this.#numbers[slot] = number;
    if (was !== absent) this.#counts[was] = (this.#counts[was] ?? 0) - 1;
    if (number !== absent) this.#counts[number] = (this.#counts[number] ?? 0) + 1;
  }

  #learn(rejected: Rejected): number {
    const number = this.#reasons.push(rejected) - 1 + firstReason;
    this.#numberOf.set(rejected, number);
    this.#counts.push(0);
    return number;
  }
}

const absent = 0;
const fits = 1;
const firstReason = 2;
