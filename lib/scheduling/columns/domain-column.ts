// The domains of one topology key as small numbers, so that counts by domain are arrays. A number is given when the
// first node of a domain comes and may be given again once its last node is gone; whoever counts by it moves with the
// nodes, so by then nothing is counted there any more. The domain of the empty value always has the number 0.
import type { NodeView } from '../cluster/node-view.js';
import { domainOf } from '../cluster/topology-domain.js';
import { ChangeReader } from './change-reader.js';
import { grown } from './grown.js';
import type { NodeColumns } from './node-columns.js';
import type { Trait } from './node-groups.js';

/** The number of nodes that lie in no domain. No sum of a domain is as low. */
export const noDomain: number = -(2 ** 31);

/** The number of the domain with the empty value. */
export const emptyDomain = 0;

/** Which domain each node lies in. */
export class DomainColumn implements Trait {
  readonly #columns: NodeColumns;
  readonly #reader: ChangeReader;
  readonly #topologyKey: string;
  readonly #numbers = new Map<string, number>();
  /** By number: how many nodes lie there, and the value. */
  readonly #uses: number[] = [];
  readonly #values: string[] = [];
  readonly #free: number[] = [];
  /** How many nodes lie in a domain. */
  #labelled = 0;
  #inUse = 0;
  #bySlot: Int32Array = new Int32Array(0);

  constructor(columns: NodeColumns, topologyKey: string) {
    this.#columns = columns;
    this.#reader = new ChangeReader(columns.cluster.changes);
    this.#topologyKey = topologyKey;
    this.#numberOf('');
  }

  /** The domain of each slot, `noDomain` where there is none. Another array when it had to grow. */
  get bySlot(): Int32Array {
    return this.#bySlot;
  }

  /** Every number in use is below this. */
  get size(): number {
    return this.#uses.length;
  }

  /**
   * Whether every node in a domain is alone there, as hosts are. In the empty domain there may be nodes without label.
   */
  get isOfSingles(): boolean {
    return this.#inUse === this.#labelled && this.#uses[emptyDomain] === 0;
  }

  /** The domain of a slot. */
  at(slot: number): number {
    return this.#bySlot[slot] ?? noDomain;
  }

  /** The log tells of all that changes here. */
  version(): number {
    return 0;
  }

  /** Catches up with the cluster. */
  follow(): void {
    const changes = this.#reader.read();
    if (changes?.length === 0) return;
    this.#bySlot = grown(this.#bySlot, this.#columns.capacity, noDomain);
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
    const was = this.#bySlot[slot] ?? noDomain;
    if (was === noDomain ? value === undefined : this.#values[was] === value) return;
    if (was !== noDomain) this.#leave(was);
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
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#uses.length;
    this.#numbers.set(value, number);
    this.#values[number] = value;
    this.#uses[number] = 0;
    return number;
  }
}
