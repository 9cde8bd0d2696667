// Counters of partitionable devices: shared resources of a pool, such as the memory of a card. A device consumes some
// of each; devices can be allocated together only while no counter is exhausted. As
// dynamic-resource-allocation/structured, checkAvailableCounters.
import { addQuantities, compareQuantities, subtractQuantities } from '../../../../core/index.js';
import type { Quantity } from '../../../../core/index.js';
import { amounts } from './device-pools.js';
import type { DevicePool } from './device-pools.js';
import { devicesOf } from './devices.js';
import type { OfferedDevice } from './devices.js';
import type { AllocatedDevices } from './allocated-devices.js';

/** The remaining counters of pools. */
export class AvailableCounters {
  readonly #allocated: AllocatedDevices;
  /** Remaining amounts by pool, then by counter set and counter. */
  readonly #left = new Map<string, Map<string, Quantity>>();

  constructor(taken: AllocatedDevices) {
    this.#allocated = taken;
  }

  /** Consumes the counters of a device. Returns false, without consuming any, if one is exhausted. */
  consume(pool: DevicePool, device: OfferedDevice): boolean {
    const left = this.#leftOf(pool);
    const used = usedBy(device);
    for (const [counter, amount] of used) {
      const available = left.get(counter);
      if (available === undefined || compareQuantities(available, amount) < 0) return false;
    }
    for (const [counter, amount] of used) change(left, counter, amount, subtractQuantities);
    return true;
  }

  /** Releases the counters of a device. */
  release(pool: DevicePool, device: OfferedDevice): void {
    const left = this.#leftOf(pool);
    for (const [counter, amount] of usedBy(device)) change(left, counter, amount, addQuantities);
  }

  #leftOf(pool: DevicePool): Map<string, Quantity> {
    const known = this.#left.get(pool.id);
    if (known !== undefined) return known;
    const left = new Map<string, Quantity>();
    for (const [set, counters] of pool.counters)
      for (const [name, amount] of counters) left.set(counterKey(set, name), amount);
    for (const device of pool.slices.flatMap(devicesOf)) {
      if (!this.#allocated.has(device.id)) continue;
      for (const [counter, amount] of usedBy(device)) change(left, counter, amount, subtractQuantities);
    }
    this.#left.set(pool.id, left);
    return left;
  }
}

function change(
  left: Map<string, Quantity>,
  counter: string,
  amount: Quantity,
  by: (one: Quantity, other: Quantity) => Quantity,
): void {
  const known = left.get(counter);
  if (known !== undefined) left.set(counter, by(known, amount));
}

/** Returns what a device consumes, by counter. A set that is listed twice counts twice. */
function usedBy(device: OfferedDevice): ReadonlyMap<string, Quantity> {
  const known = usedByDevice.get(device);
  if (known !== undefined) return known;
  const used = new Map<string, Quantity>();
  for (const { counterSet, counters } of device.spec.consumesCounters ?? []) {
    for (const [name, amount] of amounts(counters)) {
      const key = counterKey(counterSet, name);
      const before = used.get(key);
      used.set(key, before === undefined ? amount : addQuantities(before, amount));
    }
  }
  usedByDevice.set(device, used);
  return used;
}

const usedByDevice = new WeakMap<OfferedDevice, ReadonlyMap<string, Quantity>>();

/** Names of sets and counters contain no slash. */
function counterKey(set: string, counter: string): string {
  return `${set}/${counter}`;
}
