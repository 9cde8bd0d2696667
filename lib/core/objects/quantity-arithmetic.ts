// Amounts of resources as exact values, for sums and comparisons: a bigint count of billionths, because Kubernetes
// rounds whatever is finer up to a billionth when it reads it. Values are frozen and free functions make new ones. The
// format remembers the family of suffixes to print with and has no part in comparison.
// As apimachinery/pkg/api/resource/quantity.go, except that nothing overflows: where Kubernetes' int64 wraps or answers
// 0, these answer the true number. Texts are read and printed by quantity.ts.

/** The family of suffixes a quantity prints with: `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An exact amount. Make one with parseQuantity, quantityFromInteger or quantityFromMilli. */
export interface Quantity {
  /** The amount in billionths. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  /** What was parsed, where that is also what prints (`100m`, and what Kubernetes leaves alone: `1.500`, `+1`). */
  readonly spelling: string | undefined;
}

/** A whole number of units. */
export function quantityFromInteger(units: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return quantityFromNanos(BigInt(units) * nanosPerUnit, format);
}

/** A whole number of thousandths, as cpu is counted. */
export function quantityFromMilli(milli: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return quantityFromNanos(BigInt(milli) * nanosPerMilli, format);
}

/** The amount in whole units, rounded away from zero (Quantity.Value). */
export function quantityToInteger(q: Quantity): bigint {
  return divideAwayFromZero(q.nanos, nanosPerUnit);
}

/** The amount in whole thousandths, rounded away from zero (Quantity.MilliValue). */
export function quantityToMilli(q: Quantity): bigint {
  return divideAwayFromZero(q.nanos, nanosPerMilli);
}

/** The sum, in the format of `a`, or of `b` where `a` is zero: a running total may start from a zero of any format. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return quantityFromNanos(a.nanos + b.nanos, a.nanos === 0n ? b.format : a.format);
}

/** The difference, in the format of `a`, or of `b` where `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return quantityFromNanos(a.nanos - b.nanos, a.nanos === 0n ? b.format : a.format);
}

/** The amount with its sign turned. */
export function negateQuantity(q: Quantity): Quantity {
  return quantityFromNanos(-q.nanos, q.format);
}

/** The amount taken a whole number of times. */
export function multiplyQuantity(q: Quantity, times: bigint | number): Quantity {
  return quantityFromNanos(q.nanos * BigInt(times), q.format);
}

/** The order of two amounts, whatever their formats: `1Gi` equals `1024Mi`. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sign of the amount. */
export function quantitySign(q: Quantity): -1 | 0 | 1 {
  if (q.nanos === 0n) return 0;
  return q.nanos < 0n ? -1 : 1;
}

/** Returns whether the amount is zero. */
export function isZeroQuantity(q: Quantity): boolean {
  return q.nanos === 0n;
}

/** The amount rounded away from zero to whole thousandths (Quantity.RoundUp). */
export function roundUpToMilli(q: Quantity): Quantity {
  // An amount that needs no rounding keeps its spelling, as Kubernetes does.
  return q.nanos % nanosPerMilli === 0n ? q : quantityFromMilli(quantityToMilli(q), q.format);
}

/** Billionths in one: the unit of Quantity. */
export const nanosPerUnit = 1_000_000_000n;

const nanosPerMilli = 1_000_000n;

/** The quotient, where a remainder counts as one more. The divisor is positive. */
export function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

function quantityFromNanos(nanos: bigint, format: QuantityFormat): Quantity {
  return Object.freeze({ nanos, format, spelling: undefined });
}
