// Capacity of devices. A request may demand some of it; a device that several may have at once gives each a share, and
// a policy says which shares there are. As dynamic-resource-allocation/structured, consumable_capacity.go.
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityFromInteger,
  quantityToInteger,
} from '../../../../core/index.js';
import type { Frozen, Quantity } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';

/** Amounts by the name of a capacity. */
export type Shares = ReadonlyMap<string, Quantity>;

/** No share of anything. */
export const noShares: Shares = new Map();

type Capacity = Frozen<resourceV1.DeviceCapacity>;

/** The shares that a request gets of a device; undefined where the device does not have what is demanded. */
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

/** Whether a device has room for more shares beside those that others have. */
export function haveRoom(shares: Shares, others: Shares, capacity: Readonly<Record<string, Capacity>> = {}): boolean {
  for (const [name, share] of shares) {
    const other = others.get(name);
    const total = other === undefined ? share : addQuantities(other, share);
    if (compareQuantities(total, parseQuantity(capacity[name]?.value ?? '0')) > 0) return false;
  }
  return true;
}

/** Shares together. */
export function sumShares(one: Shares, other: Shares): Shares {
  if (one.size === 0) return other;
  const sum = new Map(one);
  for (const [name, share] of other) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? share : addQuantities(before, share));
  }
  return sum;
}

/** What is given for what is asked: rounded up to what the policy allows, or undefined where it allows nothing such. */
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

/** In whole units: the first step from the least that is not below what is asked. */
function nextStep(asked: Quantity, min: Quantity, step: Quantity): Quantity {
  const [from, size] = [quantityToInteger(min), quantityToInteger(step)];
  if (size <= 0n) return asked;
  const steps = (quantityToInteger(asked) - from + size - 1n) / size;
  return quantityFromInteger(from + steps * size, 'BinarySI');
}
