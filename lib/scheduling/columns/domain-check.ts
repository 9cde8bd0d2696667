// A question to nodes that their domains answer: are there enough pods of some kind, and not too many? Hard spread
// constraints and required affinity terms all come down to it, with other numbers and other words.
import type { Rejected } from '../framework/rejection.js';
import { intAt } from './column-element.js';
import { noDomain } from './domain-column.js';
import type { DomainSums } from './domain-sums.js';

/** What the sum of a node's domain must be. */
export interface DomainCheck {
  /** The place of the plugin among the filters of its profile. */
  readonly position: number;
  /** The domain of each slot. */
  readonly domains: Int32Array;
  /** The sum of each domain. */
  readonly sums: Int32Array;
  readonly least: number;
  readonly most: number;
  /** What nodes hear that lie in no domain; they pass where it is absent. */
  readonly missing: Rejected | undefined;
  readonly refusal: Rejected;
}

/** The bounds and the words of a check. */
export type CheckTerms = Pick<DomainCheck, 'position' | 'refusal'> & Partial<Pick<DomainCheck, 'least' | 'most' | 'missing'>>;

/** A check of what was counted, as it is now. */
export function domainCheck({ domains, sums }: DomainSums, { position, refusal, least = -Infinity, most = Infinity, missing }: CheckTerms): DomainCheck {
  return { position, domains: domains.bySlot, sums, least, most, missing, refusal };
}

/** Keeps of the first `count` slots those whose nodes pass, and answers how many they are. */
export function keepPassing(slots: Int32Array, count: number, { domains, sums, least, most, missing }: DomainCheck): number {
  const keepsMissing = missing === undefined;
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const slot = intAt(slots, index);
    const domain = intAt(domains, slot);
    if (domain === noDomain) {
      if (keepsMissing) slots[kept++] = slot;
      continue;
    }
    const sum = intAt(sums, domain);
    if (sum >= least && sum <= most) slots[kept++] = slot;
  }
  return kept;
}

/** The first check that a node does not pass. */
export function firstFailed(checks: readonly DomainCheck[], slot: number): DomainCheck | undefined {
  return checks.find((check) => !passes(check, slot));
}

/** What a node that does not pass hears. */
export function refusalOf({ domains, missing, refusal }: DomainCheck, slot: number): Rejected {
  return domains[slot] === noDomain ? (missing ?? refusal) : refusal;
}

function passes({ domains, sums, least, most, missing }: DomainCheck, slot: number): boolean {
  const domain = domains[slot] ?? noDomain;
  if (domain === noDomain) return missing === undefined;
  const sum = sums[domain] ?? 0;
  return sum >= least && sum <= most;
}
