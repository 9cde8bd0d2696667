// Consumable capacity of devices. A request may require some; a device that allows multiple allocations gives each a
// share, whose size a policy restricts. As dynamic-resource-allocation/structured, consumable_capacity.go.
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityFromInteger,
  quantityToInteger,
} from '../../../../core/index.js';
import type { Frozen, Quantity } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';

/** Amounts by capacity name. */
export type Shares = ReadonlyMap<string, Quantity>;

/** Empty shares. */
export const noShares: Shares = new Map();

type Capacity = Frozen<resourceV1.DeviceCapacity>;

/** Returns the shares that a request gets of a device; undefined if the device lacks the capacity. */
export function sharesOf(
  requests: Readonly<Record<string, string>>,
  capacity: Readonly<Record<string, Capacity>> = {},
): Shares | undefined {
  if (Object.keys(requests).some((name) => !Object.hasOwn(capacity, name))) return undefined;
  const shares = new Map<string, Quantity>();
  for (const [name, each] of Object.entries(capacity)) {
    const share = shareOf(Object.hasOwn(requests, name) ? requests[name] : undefined, each);
    if (share === undefined || compareQuantities(share, parseQuantity(each.value)) > 0) return undefined;
    shares.set(name, share);
  }
  return shares;
}

/** Returns whether a device has capacity for further shares. */
export function fitsCapacity(
  shares: Shares,
  others: Shares,
  capacity: Readonly<Record<string, Capacity>> = {},
): boolean {
  for (const [name, share] of shares) {
    const other = others.get(name);
    const total = other === undefined ? share : addQuantities(other, share);
    if (compareQuantities(total, parseQuantity(capacity[name]?.value ?? '0')) > 0) return false;
  }
  return true;
}

/** Returns the sum of shares. */
export function sumShares(one: Shares, other: Shares): Shares {
  if (one.size === 0) return other;
  const sum = new Map(one);
  for (const [name, share] of other) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? share : addQuantities(before, share));
  }
  return sum;
}

/** Returns the requested amount rounded up to what the policy allows; undefined if the policy allows none. */
function shareOf(requested: string | undefined, { value, requestPolicy: policy }: Capacity): Quantity | undefined {
  if (requested === undefined) return parseQuantity(policy?.default ?? value);
  const asked = parseQuantity(requested);
  if (policy?.validRange !== undefined) return inRange(asked, policy.validRange);
  if (policy?.validValues === undefined || policy.validValues.length === 0) return asked;
  return policy.validValues.map(parseQuantity).find((valid) => compareQuantities(asked, valid) <= 0);
}

function inRange(
  asked: Quantity,
  { min: least, max: most, step }: Frozen<resourceV1.CapacityRequestPolicyRange>,
): Quantity | undefined {
  const min = parseQuantity(least);
  const share =
    compareQuantities(asked, min) < 0 ? min : step === undefined ? asked : nextStep(asked, min, parseQuantity(step));
  return most !== undefined && compareQuantities(share, parseQuantity(most)) > 0 ? undefined : share;
}

/** Returns the smallest allowed step that is not below the requested amount, in whole units. */
function nextStep(asked: Quantity, min: Quantity, step: Quantity): Quantity {
  const [from, size] = [quantityToInteger(min), quantityToInteger(step)];
  if (size <= 0n) return asked;
  const steps = (quantityToInteger(asked) - from + size - 1n) / size;
  return quantityFromInteger(from + steps * size, 'BinarySI');
}
