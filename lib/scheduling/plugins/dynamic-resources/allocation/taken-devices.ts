// Which devices are taken, and how much of those that several may have at once. Access for administrators takes nothing.
// As pkg/scheduler/framework/plugins/dynamicresources, allocateddevices.go.
import { parseQuantity } from '../../../../core/index.js';
import type { Quantity } from '../../../../core/index.js';
import type { KnownObjects } from '../../../cluster/known-objects.js';
import { computedFrom } from '../../computed-from.js';
import { addShares, noShares } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import { deviceId } from './devices.js';
import type { Allocation } from './devices.js';

/** Devices that somebody has. */
export class TakenDevices {
  readonly #before: TakenDevices | undefined;
  readonly #whole = new Set<string>();
  readonly #shared = new Map<string, Shares>();

  /** Those of `before`, and those that are added: `before` stays as it is. */
  constructor(before?: TakenDevices) {
    this.#before = before;
  }

  /** Adds the devices of an allocation. */
  add(allocation: Allocation): void {
    for (const { id, shares } of takenBy(allocation)) {
      if (shares === undefined) this.#whole.add(id);
      else this.#shared.set(id, addShares(this.#shared.get(id) ?? noShares, shares));
    }
  }

  /** Whether nobody else can have the device. */
  isWhole(id: string): boolean {
    return this.#whole.has(id) || (this.#before?.isWhole(id) ?? false);
  }

  /** What is taken of a device that may be shared; undefined where nobody has it. */
  sharesOf(id: string): Shares | undefined {
    const own = this.#shared.get(id);
    const before = this.#before?.sharesOf(id);
    return own === undefined || before === undefined ? (own ?? before) : addShares(before, own);
  }

  /** Whether anybody has it, alone or with others. */
  has(id: string): boolean {
    return this.isWhole(id) || this.#shared.has(id) || (this.#before?.has(id) ?? false);
  }
}

/** The devices of all claims that are known. */
export const knownTaken: (objects: KnownObjects) => TakenDevices = computedFrom(['ResourceClaim'], (objects) => {
  const taken = new TakenDevices();
  for (const { status } of objects.list('ResourceClaim')) if (status?.allocation !== undefined) taken.add(status.allocation);
  return taken;
});

/** A device that an allocation takes: with others where it has shares. */
interface TakenDevice {
  readonly id: string;
  readonly shares: Shares | undefined;
}

/** Read once: every change of any claim has all of them added up again. */
function takenBy(allocation: Allocation): readonly TakenDevice[] {
  const known = takenByAllocation.get(allocation);
  if (known !== undefined) return known;
  const results = (allocation.devices?.results ?? []).filter(({ adminAccess }) => adminAccess !== true);
  const taken = results.map(({ driver, pool, device, shareID, consumedCapacity = {} }) => ({ id: deviceId(driver, pool, device), shares: shareID === undefined ? undefined : sharesIn(consumedCapacity) }));
  takenByAllocation.set(allocation, taken);
  return taken;
}

const takenByAllocation = new WeakMap<Allocation, readonly TakenDevice[]>();

function sharesIn(consumed: Readonly<Record<string, string>>): Shares {
  return new Map(Object.entries(consumed).map(([name, amount]): [string, Quantity] => [name, parseQuantity(amount)]));
}
