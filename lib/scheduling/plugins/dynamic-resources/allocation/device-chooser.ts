// Depth-first search for devices, in a fixed order: claim, request, alternative, device, with backtracking. The devices
// of one request are chosen in pool order, so no set is tried twice; nor is a set that differs from a failed one only
// in equivalent devices. As dynamic-resource-allocation/structured, allocateOne, which tries all sets.
import { objectKey } from '../../../../core/index.js';
import { sumShares, fitsCapacity, noShares, sharesOf } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import type { Constraint } from './device-constraints.js';
import { AvailableCounters } from './device-counters.js';
import type { DeviceClaimDemands, DeviceDemand } from './device-demands.js';
import { deviceKinds } from './device-kinds.js';
import type { DevicePool, NodePool } from './device-pools.js';
import type { OfferedDevice } from './devices.js';
import type { AllocatedDevices } from './allocated-devices.js';

/** The input of a search. */
export interface DeviceSearch {
  readonly claims: readonly DeviceClaimDemands[];
  readonly pools: readonly NodePool[];
  readonly allocated: AllocatedDevices;
  /** The most devices to try. */
  readonly stepsMax: number;
}

/** A claim for which devices are being chosen. */
export interface UnallocatedClaim extends Pick<DeviceClaimDemands, 'claim'> {
  readonly requests: readonly (readonly OpenDemand[])[];
  readonly constraints: readonly Constraint[];
  readonly chosen: ChosenDevice[];
}

/** A request of such a claim, or one alternative of it. */
export interface OpenDemand {
  readonly demand: DeviceDemand;
  readonly count: number;
  /** All devices of the request, if its mode is All. */
  readonly all: readonly PooledDevice[] | undefined;
}

/** A device and its pool. */
export interface PooledDevice {
  readonly device: OfferedDevice;
  readonly pool: DevicePool;
}

/** A device chosen for a request. */
export interface ChosenDevice {
  readonly demand: DeviceDemand;
  readonly device: OfferedDevice;
  /** The consumed capacity of a shared device; undefined for an exclusive one. */
  readonly shares: Shares | undefined;
}

/** The most devices of a claim. */
export const devicesMax = 32;

/** The outcome of a search. `too many`: the claim would exceed its maximum with any choice. */
export type SearchOutcome = 'found' | 'none' | 'too many' | 'out of steps';

/** A search. The choice is stored in the claims. */
export class DeviceChooser {
  readonly #claims: readonly UnallocatedClaim[];
  readonly #devices: readonly PooledDevice[];
  readonly #allocated: AllocatedDevices;
  readonly #counters: AvailableCounters;
  /** The claims that chose an exclusive device. Admin access may use a device chosen by another claim. */
  readonly #users = new Map<string, Set<UnallocatedClaim>>();
  /** The shares chosen of shared devices. */
  readonly #shares = new Map<string, readonly Shares[]>();
  readonly #kindOf: (device: OfferedDevice) => string;
  /** The number of usable devices from each index on, by demand; known after a search has reached the end. */
  readonly #usableFrom = new Map<DeviceDemand, readonly number[]>();
  #stepsLeft: number;

  constructor(claims: readonly UnallocatedClaim[], { claims: demands, pools, allocated, stepsMax }: DeviceSearch) {
    this.#claims = claims;
    this.#kindOf = deviceKinds(demands);
    this.#devices = pools.flatMap(({ pool, devices }) => devices.map((device) => ({ device, pool })));
    this.#allocated = allocated;
    this.#counters = new AvailableCounters(allocated);
    this.#stepsLeft = stepsMax;
  }

  run(): SearchOutcome {
    return this.#claimAt(0);
  }

  #claimAt(index: number): SearchOutcome {
    const claim = this.#claims[index];
    if (claim === undefined) return 'found';
    return this.#requestAt(claim, 0, () => {
      const outcome = this.#claimAt(index + 1);
      return outcome === 'too many' ? 'none' : outcome; // of another claim: a different choice here may leave enough
    });
  }

  /** Tries the alternatives of a request in order. */
  #requestAt(claim: UnallocatedClaim, index: number, goOn: () => SearchOutcome): SearchOutcome {
    const alternatives = claim.requests[index];
    if (alternatives === undefined) return goOn();
    let areAllTooMany = true;
    for (const alternative of alternatives) {
      const outcome = this.#devicesFor(claim, alternative, () => this.#requestAt(claim, index + 1, goOn));
      if (outcome === 'found' || outcome === 'out of steps') return outcome;
      if (outcome === 'none') areAllTooMany = false;
    }
    return areAllTooMany ? 'too many' : 'none';
  }

  #devicesFor(claim: UnallocatedClaim, demand: OpenDemand, goOn: () => SearchOutcome): SearchOutcome {
    if (demand.all?.length === 0) return 'none';
    if (claim.chosen.length + demand.count > devicesMax) return 'too many';
    return demand.all === undefined
      ? this.#someFrom(0, demand.count, claim, demand.demand, goOn)
      : this.#allOf(demand.all, 0, claim, demand.demand, goOn);
  }

  /** Chooses `count` devices from an index on. Of equivalent devices one is tried. */
  #someFrom(
    start: number,
    count: number,
    claim: UnallocatedClaim,
    demand: DeviceDemand,
    goOn: () => SearchOutcome,
  ): SearchOutcome {
    if (count === 0) return goOn();
    const failed = new Set<string>();
    for (let index = start; index < this.#devices.length; index++) {
      if (--this.#stepsLeft < 0) return 'out of steps';
      if (this.#areTooFew(index, count, demand)) return 'none';
      const each = this.#devices[index];
      if (each === undefined || this.#isInUse(each.device, claim, demand) || !demand.accepts(each.device)) continue;
      if (failed.size > 0 && failed.has(this.#kindOf(each.device))) continue;
      if (this.#choose(each, claim, demand) !== 'chosen') continue;
      const outcome = this.#someFrom(index + 1, count - 1, claim, demand, goOn);
      if (outcome === 'found') return outcome;
      this.#revert(each, claim, demand);
      if (outcome !== 'none') return outcome;
      // With admin access it matters which claim chose the device.
      if (!demand.adminAccess) failed.add(this.#kindOf(each.device));
    }
    this.#countUsable(demand);
    return 'none';
  }

  #areTooFew(index: number, count: number, demand: DeviceDemand): boolean {
    const left = this.#usableFrom.get(demand)?.[index];
    return left !== undefined && left < count;
  }

  /**
   * Counts usable devices. All devices have been evaluated by now unless another claim chose them, so no new error can
   * occur.
   */
  #countUsable(demand: DeviceDemand): void {
    if (this.#usableFrom.has(demand)) return;
    let left = 0;
    const counts = this.#devices.map(() => 0);
    for (let index = this.#devices.length - 1; index >= 0; index--) {
      const device = this.#devices[index]?.device;
      if (device !== undefined && this.#mayUse(device, demand)) left += 1;
      counts[index] = left;
    }
    this.#usableFrom.set(demand, counts);
  }

  /** Chooses all devices of the list, or fails. */
  #allOf(
    all: readonly PooledDevice[],
    index: number,
    claim: UnallocatedClaim,
    demand: DeviceDemand,
    goOn: () => SearchOutcome,
  ): SearchOutcome {
    const each = all[index];
    if (each === undefined) return goOn();
    if (--this.#stepsLeft < 0) return 'out of steps';
    const answer = this.#isInUse(each.device, claim, demand) ? 'refused' : this.#choose(each, claim, demand);
    if (answer === 'against constraint')
      throw new Error(
        `claim ${objectKey(claim.claim)}, request ${demand.shortName}: cannot add device ${each.device.id} because a claim constraint would not be satisfied`,
      );
    if (answer !== 'chosen') return 'none';
    const outcome = this.#allOf(all, index + 1, claim, demand, goOn);
    if (outcome !== 'found') this.#revert(each, claim, demand);
    return outcome;
  }

  #isInUse({ id, spec }: OfferedDevice, claim: UnallocatedClaim, { adminAccess }: DeviceDemand): boolean {
    const users = this.#users.get(id);
    if (adminAccess) return users?.has(claim) ?? false;
    if (users !== undefined && users.size > 0) return true;
    return spec.allowMultipleAllocations === true ? this.#allocated.isExclusive(id) : this.#allocated.has(id);
  }

  /**
   * Returns whether a device may be usable: an upper bound, because devices chosen by other claims are not evaluated.
   */
  #mayUse(device: OfferedDevice, demand: DeviceDemand): boolean {
    const { id, spec } = device;
    if (
      !demand.adminAccess &&
      (spec.allowMultipleAllocations === true ? this.#allocated.isExclusive(id) : this.#allocated.has(id))
    )
      return false;
    return (this.#users.get(id)?.size ?? 0) > 0 || demand.accepts(device);
  }

  #choose(
    { device, pool }: PooledDevice,
    claim: UnallocatedClaim,
    demand: DeviceDemand,
  ): 'chosen' | 'refused' | 'against constraint' {
    const { id, spec } = device;
    if (!demand.tolerates(device)) return 'refused';
    const isShared = spec.allowMultipleAllocations === true;
    const shares = sharesOf(demand.capacity, spec.capacity);
    if (shares === undefined || (isShared && !fitsCapacity(shares, this.#othersOf(id), spec.capacity)))
      return 'refused';
    const counts = this.#countsFor(device, demand);
    if (counts && !this.#counters.consume(pool, device)) return 'refused';
    const { constraints, chosen } = claim;
    const against = constraints.findIndex((constraint) => !constraint.add(demand, device));
    if (against >= 0) {
      for (const constraint of constraints.slice(0, against)) constraint.remove(demand);
      if (counts) this.#counters.release(pool, device);
      return 'against constraint';
    }
    if (isShared) this.#shares.set(id, [...(this.#shares.get(id) ?? []), shares]);
    else this.#users.set(id, (this.#users.get(id) ?? new Set()).add(claim));
    chosen.push({ demand, device, shares: isShared ? shares : undefined });
    return 'chosen';
  }

  /** Reverts the last choice. */
  #revert({ device, pool }: PooledDevice, claim: UnallocatedClaim, demand: DeviceDemand): void {
    const { id, spec } = device;
    claim.chosen.pop();
    if (spec.allowMultipleAllocations === true) this.#shares.set(id, this.#shares.get(id)?.slice(0, -1) ?? []);
    else this.#users.get(id)?.delete(claim);
    for (const constraint of claim.constraints) constraint.remove(demand);
    if (this.#countsFor(device, demand)) this.#counters.release(pool, device);
  }

  /** Returns whether a choice consumes counters: the first use of a shared device does, admin access never. */
  #countsFor({ id, spec }: OfferedDevice, { adminAccess }: DeviceDemand): boolean {
    if (adminAccess || (spec.consumesCounters?.length ?? 0) === 0) return false;
    return (
      spec.allowMultipleAllocations !== true ||
      (this.#allocated.sharesOf(id) === undefined && (this.#shares.get(id)?.length ?? 0) === 0)
    );
  }

  #othersOf(id: string): Shares {
    const taken = this.#allocated.sharesOf(id) ?? noShares;
    return (this.#shares.get(id) ?? []).reduce(sumShares, taken);
  }
}
