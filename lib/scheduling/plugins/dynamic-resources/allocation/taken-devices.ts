// Which devices are taken, and how much of those that several may have at once. Access for administrators takes
// nothing. As pkg/scheduler/framework/plugins/dynamicresources, allocateddevices.go.
import { parseQuantity } from '../../../../core/index.js';
import type { Quantity } from '../../../../core/index.js';
import { sumShares, noShares } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import { deviceId, poolId } from './devices.js';
import type { Allocation } from './devices.js';

/** Devices that somebody has. */
export class TakenDevices {
  readonly #before: TakenDevices | undefined;
  /** How many have a device for themselves: never more than one, unless somebody wrote so. */
  readonly #whole = new Map<string, number>();
  readonly #shared = new Map<string, readonly Shares[]>();
  /** When devices of a pool were last taken or given back. */
  readonly #revisions = new Map<string, number>();
  #revision = 0;

  /** Those of `before`, and those that are added: `before` stays as it is. */
  constructor(before?: TakenDevices) {
    this.#before = before;
  }

  /** Adds the devices of an allocation. */
  add(allocation: Allocation): void {
    for (const { id, pool, shares } of takenBy(allocation)) {
      if (shares === undefined) this.#whole.set(id, (this.#whole.get(id) ?? 0) + 1);
      else this.#shared.set(id, [...(this.#shared.get(id) ?? []), shares]);
      this.#revisions.set(pool, (this.#revision += 1));
    }
  }

  /** Gives back the devices of an allocation that was added. */
  remove(allocation: Allocation): void {
    for (const { id, pool, shares } of takenBy(allocation)) {
      if (shares === undefined) setOrDelete(this.#whole, id, (this.#whole.get(id) ?? 0) - 1, (count) => count > 0);
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

  /** Whether nobody else can have the device. */
  isWhole(id: string): boolean {
    return this.#whole.has(id) || (this.#before?.isWhole(id) ?? false);
  }

  /** What is taken of a device that may be shared; undefined where nobody has it. */
  sharesOf(id: string): Shares | undefined {
    const own = this.#shared.get(id)?.reduce(sumShares, noShares);
    const before = this.#before?.sharesOf(id);
    return own === undefined || before === undefined ? (own ?? before) : sumShares(before, own);
  }

  /** Whether anybody has it, alone or with others. */
  has(id: string): boolean {
    return this.isWhole(id) || this.#shared.has(id) || (this.#before?.has(id) ?? false);
  }

  /** Those that were there before anything was added on top. */
  get base(): TakenDevices {
    return this.#before?.base ?? this;
  }

  /**
   * A number that stays the same while nothing changes in the pool; undefined where something was added on top of
   * `base`.
   */
  revisionOf(pool: string): number | undefined {
    if (this.#before === undefined) return this.#revisions.get(pool) ?? 0;
    return this.#revisions.has(pool) ? undefined : this.#before.revisionOf(pool);
  }
}

/** A device that an allocation takes: with others where it has shares. */
interface TakenDevice {
  readonly id: string;
  readonly pool: string;
  readonly shares: Shares | undefined;
}

/** Read once: what was added is found again when it is given back. */
function takenBy(allocation: Allocation): readonly TakenDevice[] {
  const known = takenByAllocation.get(allocation);
  if (known !== undefined) return known;
  const results = (allocation.devices?.results ?? []).filter(({ adminAccess }) => adminAccess !== true);
  const taken = results.map(({ driver, pool, device, shareID, consumedCapacity = {} }) => ({
    id: deviceId(driver, pool, device),
    pool: poolId(driver, pool),
    shares: shareID === undefined ? undefined : sharesIn(consumedCapacity),
  }));
  takenByAllocation.set(allocation, taken);
  return taken;
}

const takenByAllocation = new WeakMap<Allocation, readonly TakenDevice[]>();

function sharesIn(consumed: Readonly<Record<string, string>>): Shares {
  return new Map(Object.entries(consumed).map(([name, amount]): [string, Quantity] => [name, parseQuantity(amount)]));
}

function setOrDelete<V>(map: Map<string, V>, key: string, value: V, isKept: (value: V) => boolean): void {
  if (isKept(value)) map.set(key, value);
  else map.delete(key);
}
