// The allocated devices, and the consumed capacity of shared ones. Admin access allocates nothing. As
// pkg/scheduler/framework/plugins/dynamicresources, allocateddevices.go.
import { parseQuantity } from '../../../../core/index.js';
import type { Quantity } from '../../../../core/index.js';
import { sumShares, noShares } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import { deviceId, poolId } from './devices.js';
import type { Allocation } from './devices.js';

/** A set of allocated devices. */
export class AllocatedDevices {
  readonly #inner: AllocatedDevices | undefined;
  /** Exclusive allocations by device: at most 1 unless claims contradict each other. */
  readonly #exclusive = new Map<string, number>();
  readonly #shared = new Map<string, readonly Shares[]>();
  /** The revision of the last change, by pool. */
  readonly #revisions = new Map<string, number>();
  #revision = 0;

  /** Starts with the devices of `before`, which is not changed. */
  constructor(before?: AllocatedDevices) {
    this.#inner = before;
  }

  /** Adds the devices of an allocation. */
  add(allocation: Allocation): void {
    for (const { id, pool, shares } of devicesOfAllocation(allocation)) {
      if (shares === undefined) this.#exclusive.set(id, (this.#exclusive.get(id) ?? 0) + 1);
      else this.#shared.set(id, [...(this.#shared.get(id) ?? []), shares]);
      this.#revisions.set(pool, (this.#revision += 1));
    }
  }

  /** Removes the devices of an allocation that was added. */
  remove(allocation: Allocation): void {
    for (const { id, pool, shares } of devicesOfAllocation(allocation)) {
      if (shares === undefined)
        setOrDelete(this.#exclusive, id, (this.#exclusive.get(id) ?? 0) - 1, (count) => count > 0);
      else
        setOrDelete(
          this.#shared,
          id,
          this.#shared.get(id)?.filter((each) => each !== shares) ?? [],
          (list) => list.length > 0,
        );
      this.#revisions.set(pool, (this.#revision += 1));
    }
  }

  /** Returns whether a device is allocated exclusively. */
  isExclusive(id: string): boolean {
    return this.#exclusive.has(id) || (this.#inner?.isExclusive(id) ?? false);
  }

  /** Returns the consumed capacity of a shared device; undefined if it is not allocated. */
  sharesOf(id: string): Shares | undefined {
    const own = this.#shared.get(id)?.reduce(sumShares, noShares);
    const before = this.#inner?.sharesOf(id);
    return own === undefined || before === undefined ? (own ?? before) : sumShares(before, own);
  }

  /** Returns whether a device is allocated, exclusively or shared. */
  has(id: string): boolean {
    return this.isExclusive(id) || this.#shared.has(id) || (this.#inner?.has(id) ?? false);
  }

  /** The innermost set, without pending allocations. */
  get base(): AllocatedDevices {
    return this.#inner?.base ?? this;
  }

  /** Returns a number that changes with every change in the pool; undefined if it has changes on top of `base`. */
  revisionOf(pool: string): number | undefined {
    if (this.#inner === undefined) return this.#revisions.get(pool) ?? 0;
    return this.#revisions.has(pool) ? undefined : this.#inner.revisionOf(pool);
  }
}

/** A device of an allocation; shared if it has shares. */
interface AllocatedDevice {
  readonly id: string;
  readonly pool: string;
  readonly shares: Shares | undefined;
}

/** Cached, so that `remove` finds the same share objects that `add` added. */
function devicesOfAllocation(allocation: Allocation): readonly AllocatedDevice[] {
  const known = devicesByAllocation.get(allocation);
  if (known !== undefined) return known;
  const results = (allocation.devices?.results ?? []).filter(({ adminAccess }) => adminAccess !== true);
  const taken = results.map(({ driver, pool, device, shareID, consumedCapacity = {} }) => ({
    id: deviceId(driver, pool, device),
    pool: poolId(driver, pool),
    shares: shareID === undefined ? undefined : sharesIn(consumedCapacity),
  }));
  devicesByAllocation.set(allocation, taken);
  return taken;
}

const devicesByAllocation = new WeakMap<Allocation, readonly AllocatedDevice[]>();

function sharesIn(consumed: Readonly<Record<string, string>>): Shares {
  return new Map(Object.entries(consumed).map(([name, amount]): [string, Quantity] => [name, parseQuantity(amount)]));
}

function setOrDelete<V>(map: Map<string, V>, key: string, value: V, isKept: (value: V) => boolean): void {
  if (isKept(value)) map.set(key, value);
  else map.delete(key);
}
