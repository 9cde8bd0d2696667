// A question to nodes that their domains answer: are there enough pods of some kind, and not too many? Hard spread
// constraints and required affinity terms all come down to it, with other numbers and other words.
import type { Rejected } from '../framework/rejection.js';
import { intAt } from './column-element.js';
import { noDomain } from './domain-column.js';
import type { DomainSums } from './domain-sums.js';
import type { NodeGroups } from './node-groups.js';

/** What the sum of a node's domain must be. */
export interface DomainCheck {
  /** The place of the plugin among the filters of its profile. */
  readonly position: number;
  readonly counted: DomainSums;
  readonly least: number;
  readonly most: number;
  /** What nodes hear that lie in no domain; they pass where it is absent. */
  readonly missing: Rejected | undefined;
  readonly refusal: Rejected;
}

/** The bounds and the words of a check. */
export type CheckTerms = Pick<DomainCheck, 'position' | 'refusal'> &
  Partial<Pick<DomainCheck, 'least' | 'most' | 'missing'>>;

/** A check of what was counted, as it is now. */
export function domainCheck(
  counted: DomainSums,
  { position, refusal, least = -Infinity, most = Infinity, missing }: CheckTerms,
): DomainCheck {
  return { position, counted, least, most, missing, refusal };
}

/** Keeps of the first `count` slots those whose nodes pass, and answers how many they are. */
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
    missing,
  }: DomainCheck,
): number {
  const keepsMissing = missing === undefined;
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

/** Those of the groups whose nodes pass. */
export function passingGroups(groups: NodeGroups, among: readonly number[], check: DomainCheck): readonly number[] {
  const sumOf = check.counted.sumsOf(groups);
  return among.filter((group) => passes(check, sumOf(group)));
}

/** The first check that a node does not pass. */
export function firstFailed(checks: readonly DomainCheck[], slot: number): DomainCheck | undefined {
  return checks.find((check) => !passes(check, check.counted.sumAt(slot)));
}

/** What a node that does not pass hears. */
export function rejectionAt({ counted, missing, refusal }: DomainCheck, slot: number): Rejected {
  return counted.sumAt(slot) === noDomain ? (missing ?? refusal) : refusal;
}

/** Whether the sum of a domain will do, or that there is no domain. */
function passes({ least, most, missing }: DomainCheck, sum: number): boolean {
  return sum === noDomain ? missing === undefined : sum >= least && sum <= most;
}
