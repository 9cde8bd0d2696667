// Numbers of nodes, summed over the domains of a topology key: how many pods of some kind there are, or how much they
// weigh. A node that takes no part has its number all the same, but no sum knows of it. When a number changes or a node
// moves, only the sums concerned change.
import { floatAt, intAt } from './column-element.js';
import { noDomain } from './domain-column.js';
import type { DomainColumn } from './domain-column.js';
import { grown } from './grown.js';
import type { NodeGroups, Trait } from './node-groups.js';

/** Numbers by node and their sums by domain. */
export class DomainSums {
  readonly domains: DomainColumn;
  #bySlot: Int32Array = new Int32Array(0);
  /** The domain in whose sum the slot's number is. */
  #summedIn: Int32Array = new Int32Array(0);
  #sums: Int32Array = new Int32Array(0);
  #members: Int32Array = new Int32Array(0);
  #populated = 0;
  #nonZero = 0;
  #version = 0;
  readonly #asTrait: Trait;
  /** The numbers of nodes that lie in a domain, which tell nodes apart. */
  readonly numbers: Trait;

  constructor(domains: DomainColumn) {
    this.domains = domains;
    this.#asTrait = this.#trait((slot) => this.sumAt(slot));
    this.numbers = this.#trait((slot) => (domains.at(slot) === noDomain ? noDomain : intAt(this.#bySlot, slot)));
  }

  /** The sum of each domain. */
  get sums(): Int32Array {
    return this.#sums;
  }

  /** The sum of a slot's domain, `noDomain` where it lies in none. */
  sumAt(slot: number): number {
    const domain = this.domains.at(slot);
    return domain === noDomain ? noDomain : intAt(this.#sums, domain);
  }

  /** What tells apart nodes with other sums: the sum itself where no two nodes share one, else the domain. */
  get trait(): Trait {
    return this.domains.isOfSingles ? this.#asTrait : this.domains;
  }

  /** The sum of a group's domain, as `sumAt`. The groups are by its trait. */
  sumsOf(groups: NodeGroups): (group: number) => number {
    const { trait } = this;
    const values = groups.valuesOf(trait);
    if (trait === this.#asTrait) return (group) => floatAt(values, group);
    return (group) => {
      const domain = floatAt(values, group);
      return domain === noDomain ? noDomain : intAt(this.#sums, domain);
    };
  }

  /** How many domains have nodes that take part. */
  get populated(): number {
    return this.#populated;
  }

  /** Whether every sum is nothing. */
  get isEmpty(): boolean {
    return this.#nonZero === 0;
  }

  /** The smallest sum of domains with nodes that take part; Infinity where there are none. */
  get least(): number {
    let least = Infinity;
    for (let domain = 0; domain < this.#sums.length; domain++) {
      const sum = this.#sums[domain] ?? 0;
      if (sum < least && (this.#members[domain] ?? 0) > 0) least = sum;
    }
    return least;
  }

  /** Makes room for nodes and domains that have come. */
  grow(capacity: number): void {
    this.#bySlot = grown(this.#bySlot, capacity);
    this.#summedIn = grown(this.#summedIn, capacity, noDomain);
    this.#sums = grown(this.#sums, this.domains.size);
    this.#members = grown(this.#members, this.domains.size);
  }

  /** Nothing is counted any more, nowhere. */
  clear(): void {
    this.#bySlot.fill(0);
    this.#summedIn.fill(noDomain);
    this.#sums.fill(0);
    this.#members.fill(0);
    this.#populated = 0;
    this.#nonZero = 0;
    this.#version += 1;
  }

  /** Changes the number of a slot. */
  add(slot: number, by: number): void {
    if (by === 0) return;
    this.#bySlot[slot] = (this.#bySlot[slot] ?? 0) + by;
    const domain = this.#summedIn[slot] ?? noDomain;
    if (domain !== noDomain) this.#sum(domain, by);
  }

  /** Gives a slot another number. */
  set(slot: number, number: number): void {
    this.add(slot, number - (this.#bySlot[slot] ?? 0));
  }

  /** Sums the slot's number in another domain from now on, or in none. */
  move(slot: number, domain: number): void {
    const was = this.#summedIn[slot] ?? noDomain;
    if (was === domain) return;
    const number = this.#bySlot[slot] ?? 0;
    if (was !== noDomain) {
      this.#sum(was, -number);
      const left = (this.#members[was] ?? 0) - 1;
      this.#members[was] = left;
      if (left === 0) this.#populated -= 1;
    }
    if (domain !== noDomain) {
      this.#sum(domain, number);
      const members = (this.#members[domain] ?? 0) + 1;
      this.#members[domain] = members;
      if (members === 1) this.#populated += 1;
    }
    this.#summedIn[slot] = domain;
  }

  #trait(at: Trait['at']): Trait {
    return { at, version: () => this.#version };
  }

  #sum(domain: number, by: number): void {
    if (by === 0) return;
    const was = this.#sums[domain] ?? 0;
    this.#sums[domain] = was + by;
    if (was === 0) this.#nonZero += 1;
    else if (was + by === 0) this.#nonZero -= 1;
  }
}
