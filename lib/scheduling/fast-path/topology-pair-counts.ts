// Pod counts (or weights) per node, and their sums per domain of a topology key. Ineligible nodes keep their count, but
// it is in no sum. A changed count or a moved node updates only the sums it belongs to.
//
// `DomainCheck` compares such a sum with bounds: hard spread constraints and required affinity terms are checks.
import type { Rejected } from '../framework/rejection.js';
import { floatAt, intAt, ensureLength } from './column-arrays.js';
import { noDomain } from './domain-column.js';
import type { DomainColumn } from './domain-column.js';
import type { NodeGroups, Trait } from './node-groups.js';

/** Counts per node and sums per domain. */
export class TopologyPairCounts {
  readonly domains: DomainColumn;
  #bySlot: Int32Array = new Int32Array(0);
  /** The domain whose sum includes the slot's count. */
  #summedIn: Int32Array = new Int32Array(0);
  #sums: Int32Array = new Int32Array(0);
  #members: Int32Array = new Int32Array(0);
  #populated = 0;
  #nonZero = 0;
  #version = 0;
  readonly #asTrait: Trait;
  /** The count of each node that has a domain, as a trait. */
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

  /** The sum of the slot's domain, `noDomain` if it has none. */
  sumAt(slot: number): number {
    const domain = this.domains.at(slot);
    return domain === noDomain ? noDomain : intAt(this.#sums, domain);
  }

  /** The trait that determines a node's sum: the sum itself if each domain has one node, else the domain. */
  get trait(): Trait {
    return this.domains.isOfSingles ? this.#asTrait : this.domains;
  }

  /** Returns a function from group to the sum of its domain, as `sumAt`. The nodes must be grouped by `trait`. */
  sumsOf(groups: NodeGroups): (group: number) => number {
    const { trait } = this;
    const values = groups.valuesOf(trait);
    if (trait === this.#asTrait) return (group) => floatAt(values, group);
    return (group) => {
      const domain = floatAt(values, group);
      return domain === noDomain ? noDomain : intAt(this.#sums, domain);
    };
  }

  /** Number of domains with eligible nodes. */
  get populated(): number {
    return this.#populated;
  }

  /** Whether all sums are 0. */
  get isEmpty(): boolean {
    return this.#nonZero === 0;
  }

  /** The smallest sum of domains with eligible nodes; Infinity if there are none. */
  get least(): number {
    let least = Infinity;
    for (let domain = 0; domain < this.#sums.length; domain++) {
      const sum = this.#sums[domain] ?? 0;
      if (sum < least && (this.#members[domain] ?? 0) > 0) least = sum;
    }
    return least;
  }

  /** Makes the arrays long enough for all nodes and domains. */
  grow(capacity: number): void {
    this.#bySlot = ensureLength(this.#bySlot, capacity);
    this.#summedIn = ensureLength(this.#summedIn, capacity, noDomain);
    this.#sums = ensureLength(this.#sums, this.domains.size);
    this.#members = ensureLength(this.#members, this.domains.size);
  }

  /** Sets all counts to 0 and removes all nodes from the sums. */
  clear(): void {
    this.#bySlot.fill(0);
    this.#summedIn.fill(noDomain);
    this.#sums.fill(0);
    this.#members.fill(0);
    this.#populated = 0;
    this.#nonZero = 0;
    this.#version += 1;
  }

  /** Adds to the count of a slot. */
  add(slot: number, by: number): void {
    if (by === 0) return;
    this.#bySlot[slot] = (this.#bySlot[slot] ?? 0) + by;
    const domain = this.#summedIn[slot] ?? noDomain;
    if (domain !== noDomain) this.#sum(domain, by);
  }

  /** Sets the count of a slot. */
  set(slot: number, number: number): void {
    this.add(slot, number - (this.#bySlot[slot] ?? 0));
  }

  /** Moves the slot's count to the sum of another domain, or of none. */
  move(slot: number, domain: number): void {
    const previous = this.#summedIn[slot] ?? noDomain;
    if (previous === domain) return;
    const number = this.#bySlot[slot] ?? 0;
    if (previous !== noDomain) {
      this.#sum(previous, -number);
      const remaining = (this.#members[previous] ?? 0) - 1;
      this.#members[previous] = remaining;
      if (remaining === 0) this.#populated -= 1;
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
    const previous = this.#sums[domain] ?? 0;
    this.#sums[domain] = previous + by;
    if (previous === 0) this.#nonZero += 1;
    else if (previous + by === 0) this.#nonZero -= 1;
  }
}

/** Bounds for the sum of a node's domain. */
export interface DomainCheck {
  /** Index of the plugin among the profile's filters. */
  readonly position: number;
  readonly counted: TopologyPairCounts;
  readonly least: number;
  readonly most: number;
  /** Rejection of nodes without a domain; if absent, they pass. */
  readonly missingLabel: Rejected | undefined;
  readonly rejection: Rejected;
}

/** The bounds and rejections of a check. */
export type CheckBounds = Pick<DomainCheck, 'position' | 'rejection'> &
  Partial<Pick<DomainCheck, 'least' | 'most' | 'missingLabel'>>;

/** Creates a check of current counts. */
export function domainCheck(
  counted: TopologyPairCounts,
  { position, rejection, least = -Infinity, most = Infinity, missingLabel }: CheckBounds,
): DomainCheck {
  return { position, counted, least, most, missingLabel, rejection };
}

/** Keeps those of the first `count` slots whose nodes pass, and returns their number. */
export function keepPassing(
  slots: Int32Array,
  count: number,
  {
    counted: {
      domains: { bySlot },
      sums,
    },
    least,
    most,
    missingLabel,
  }: DomainCheck,
): number {
  const keepsMissing = missingLabel === undefined;
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const slot = intAt(slots, index);
    const domain = intAt(bySlot, slot);
    if (domain === noDomain) {
      if (keepsMissing) slots[kept++] = slot;
      continue;
    }
    const sum = intAt(sums, domain);
    if (sum >= least && sum <= most) slots[kept++] = slot;
  }
  return kept;
}

/** Returns the groups that pass. */
export function passingGroups(groups: NodeGroups, among: readonly number[], check: DomainCheck): readonly number[] {
  const sumOf = check.counted.sumsOf(groups);
  return among.filter((group) => passes(check, sumOf(group)));
}

/** Returns the first check that a node fails. */
export function firstFailed(checks: readonly DomainCheck[], slot: number): DomainCheck | undefined {
  return checks.find((check) => !passes(check, check.counted.sumAt(slot)));
}

/** Returns the rejection of a node that fails the check. */
export function rejectionAt({ counted, missingLabel, rejection }: DomainCheck, slot: number): Rejected {
  return counted.sumAt(slot) === noDomain ? (missingLabel ?? rejection) : rejection;
}

/** Whether a sum is within the bounds. `noDomain` passes unless it has a rejection. */
function passes({ least, most, missingLabel }: DomainCheck, sum: number): boolean {
  return sum === noDomain ? missingLabel === undefined : sum >= least && sum <= most;
}
