// Amounts by resource name, as quotas add, compare and print them. As apiserver/pkg/quota/v1/resources.go.
import { setOwn } from '../objects/json.js';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  quantityFromInteger,
  quantitySign,
  subtractQuantities,
} from '../objects/quantity-arithmetic.js';
import type { Quantity } from '../objects/quantity-arithmetic.js';
import { parseQuantity, printQuantity } from '../objects/quantity.js';

/** Amounts by resource name. */
export type QuotaAmounts = ReadonlyMap<string, Quantity>;

/** Reads the amounts of an object. */
export function parseAmounts(texts: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(texts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

/** The amounts as an object holds them, in the order of their names. */
export function printAmounts(amounts: QuotaAmounts): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of [...amounts.keys()].sort()) setOwn(texts, name, printQuantity(amounts.get(name) ?? zero));
  return texts;
}

/** `cpu=1,pods=2`, in the order of names. */
export function amountsText(amounts: QuotaAmounts): string {
  return Object.entries(printAmounts(amounts))
    .map(([name, text]) => `${name}=${text}`)
    .join(',');
}

/** The sums; what only one of them has stays. */
export function addAmounts(one: QuotaAmounts, other: QuotaAmounts): Map<string, Quantity> {
  const sums = new Map(one);
  for (const [name, amount] of other) {
    const known = sums.get(name);
    sums.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
  return sums;
}

/** What an update adds: the differences, 0 where there is less than before. */
export function increaseOf(amounts: QuotaAmounts, before: QuotaAmounts): Map<string, Quantity> {
  const increase = new Map<string, Quantity>();
  for (const [name, amount] of amounts) {
    const known = before.get(name);
    const difference = known === undefined ? amount : subtractQuantities(amount, known);
    increase.set(name, quantitySign(difference) > 0 ? difference : zero);
  }
  return increase;
}

/** Those with a name of the list. */
export function pickAmounts(amounts: QuotaAmounts, names: Iterable<string>): Map<string, Quantity> {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

/** Those above or below zero. */
export function withoutZeros(amounts: QuotaAmounts): Map<string, Quantity> {
  return new Map([...amounts].filter(([, amount]) => !isZeroQuantity(amount)));
}

/** Whether both have the same names with equal amounts, however they are spelled. */
export function sameAmounts(one: QuotaAmounts, other: QuotaAmounts): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, amount]) => {
      const known = other.get(name);
      return known !== undefined && compareQuantities(amount, known) === 0;
    })
  );
}

/** The names of which there is more than the limit; what has no limit is not limited. */
export function exceededNames(amounts: QuotaAmounts, limits: QuotaAmounts): readonly string[] {
  return [...amounts]
    .filter(([name, amount]) => {
      const limit = limits.get(name);
      return limit !== undefined && compareQuantities(amount, limit) > 0;
    })
    .map(([name]) => name);
}

/** None. */
export const zero: Quantity = quantityFromInteger(0);

/** One of something. */
export const oneObject: Quantity = quantityFromInteger(1);
