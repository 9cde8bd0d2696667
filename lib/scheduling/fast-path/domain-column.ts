// The domains of one topology key, numbered so that counts per domain are arrays. A number is assigned with the first
// node of a domain and reused after its last node is gone; by then all counts of the domain are 0, because counters
// move with the nodes. The domain of the empty value always has number 0.
import type { NodeView } from '../cluster/node-view.js';
import { domainOf } from '../cluster/topology-domain.js';
import { ChangeReader } from '../cluster/change-log.js';
import { ensureLength } from './column-arrays.js';
import type { NodeColumns } from './cluster-columns.js';
import type { Trait } from './node-groups.js';

/** Number of nodes without a domain. Below any sum of a domain. */
export const noDomain: number = -(2 ** 31);

/** Number of the domain of the empty value. */
export const emptyDomain = 0;

/** The domain of each node. */
export class DomainColumn implements Trait {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #topologyKey: string;
  readonly #numbers = new Map<string, number>();
  /** By number: how many nodes the domain has, and its label value. */
  readonly #uses: number[] = [];
  readonly #values: string[] = [];
  readonly #free: number[] = [];
  /** Number of nodes with a domain. */
  #labelled = 0;
  #inUse = 0;
  #bySlot: Int32Array = new Int32Array(0);

  constructor(columns: NodeColumns, topologyKey: string) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#topologyKey = topologyKey;
    this.#numberOf('');
  }

  /** The domain of each slot, `noDomain` for none. The array is replaced when it grows. */
  get bySlot(): Int32Array {
    return this.#bySlot;
  }

  /** All numbers in use are below this. */
  get size(): number {
    return this.#uses.length;
  }

  /**
   * Whether each domain has exactly one node, as with host names. False if the empty domain is in use, because it may
   * also contain nodes without the label.
   */
  get isOfSingles(): boolean {
    return this.#inUse === this.#labelled && this.#uses[emptyDomain] === 0;
  }

  /** The domain of a slot. */
  at(slot: number): number {
    return this.#bySlot[slot] ?? noDomain;
  }

  /** Constant: the change log names every node whose domain changes. */
  version(): number {
    return 0;
  }

  /** Applies the changes since the last call. */
  sync(): void {
    const changes = this.#reader.read();
    if (changes?.length === 0) return;
    this.#bySlot = ensureLength(this.#bySlot, this.#columns.capacity, noDomain);
    if (changes === undefined)
      for (let slot = 0; slot < this.#bySlot.length; slot++) this.#place(slot, this.#columns.at(slot));
    else
      for (const {
        type,
        node: { slot },
      } of changes)
        if (type.startsWith('node')) this.#place(slot, this.#columns.at(slot));
  }

  #place(slot: number, node: NodeView | undefined): void {
    const value = domainOf(node?.labels, this.#topologyKey);
    const previous = this.#bySlot[slot] ?? noDomain;
    if (previous === noDomain ? value === undefined : this.#values[previous] === value) return;
    if (previous !== noDomain) this.#leave(previous);
    this.#bySlot[slot] = value === undefined ? noDomain : this.#enter(value);
  }

  #enter(value: string): number {
    const number = this.#numberOf(value);
    this.#labelled += 1;
    const uses = (this.#uses[number] ?? 0) + 1;
    this.#uses[number] = uses;
    if (uses === 1) this.#inUse += 1;
    return number;
  }

  #leave(number: number): void {
    this.#labelled -= 1;
    const uses = (this.#uses[number] ?? 0) - 1;
    this.#uses[number] = uses;
    if (uses > 0) return;
    this.#inUse -= 1;
    if (number === emptyDomain) return;
    this.#numbers.delete(this.#values[number] ?? '');
    this.#free.push(number);
  }

  #numberOf(value: string): number {
    const assigned = this.#numbers.get(value);
    if (assigned !== undefined) return assigned;
    const number = this.#free.pop() ?? this.#uses.length;
    this.#numbers.set(value, number);
    this.#values[number] = value;
    this.#uses[number] = 0;
    return number;
  }
}
