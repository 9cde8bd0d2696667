// The search for devices: in depth, claim by claim, request by request, alternative by alternative, device by device,
// always in the same order, and a step back wherever it does not go on. Devices of one request are chosen in the order
// of the pools, so no set of devices is tried twice; nor is one that differs from a failed one by nothing that matters.
// As dynamic-resource-allocation/structured, allocateOne; there all sets are tried.
import { objectKey } from '../../../../core/index.js';
import { sumShares, haveRoom, noShares, sharesOf } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import type { Constraint } from './device-constraints.js';
import { CounterLedger } from './device-counters.js';
import type { DeviceClaimDemands, DeviceDemand } from './device-demands.js';
import { deviceKinds } from './device-kinds.js';
import type { DevicePool, NodePool } from './device-pools.js';
import type { OfferedDevice } from './devices.js';
import type { TakenDevices } from './taken-devices.js';

/** What a search is about. */
export interface DeviceSearch {
  readonly claims: readonly DeviceClaimDemands[];
  readonly pools: readonly NodePool[];
  readonly taken: TakenDevices;
  /** How many devices may be looked at before it is given up. */
  readonly stepsMax: number;
}

/** A claim for which devices are being chosen. */
export interface UnallocatedClaim extends Pick<DeviceClaimDemands, 'claim'> {
  readonly requests: readonly (readonly OpenDemand[])[];
  readonly constraints: readonly Constraint[];
  readonly chosen: ChosenDevice[];
}

/** A demand of it. */
export interface OpenDemand {
  readonly demand: DeviceDemand;
  readonly count: number;
  /** All devices that it must have, where it asks for all. */
  readonly all: readonly PooledDevice[] | undefined;
}

/** A device and its pool. */
export interface PooledDevice {
  readonly device: OfferedDevice;
  readonly pool: DevicePool;
}

/** A device for a demand. */
export interface ChosenDevice {
  readonly demand: DeviceDemand;
  readonly device: OfferedDevice;
  /** What is used of a device that others may have as well; undefined where nobody else may. */
  readonly shares: Shares | undefined;
}

/** As many devices as a claim may be given. */
export const devicesMax = 32;

/** `too many`: whatever devices are chosen, the claim would get more than it may have. */
export type SearchOutcome = 'found' | 'none' | 'too many' | 'out of steps';

/** A search under way. What was chosen stands in the claims. */
export class DeviceChooser {
  readonly #claims: readonly UnallocatedClaim[];
  readonly #devices: readonly PooledDevice[];
  readonly #taken: TakenDevices;
  readonly #counters: CounterLedger;
  /**
   * Of devices that nobody may share: the claims that chose them. An administrator may look at the device of another.
   */
  readonly #users = new Map<string, Set<UnallocatedClaim>>();
  /** Of the others: what was chosen of them. */
  readonly #shares = new Map<string, readonly Shares[]>();
  readonly #kindOf: (device: OfferedDevice) => string;
  /**
   * How many devices each demand could have from a place in the list on; known once a search has come to the end of it.
   */
  readonly #left = new Map<DeviceDemand, readonly number[]>();
  #stepsLeft: number;

  constructor(claims: readonly UnallocatedClaim[], { claims: demands, pools, taken, stepsMax }: DeviceSearch) {
    this.#claims = claims;
    this.#kindOf = deviceKinds(demands);
    this.#devices = pools.flatMap(({ pool, devices }) => devices.map((device) => ({ device, pool })));
    this.#taken = taken;
    this.#counters = new CounterLedger(taken);
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
      return outcome === 'too many' ? 'none' : outcome; // of another claim: this one may yet leave it the room
    });
  }

  /** Tries the alternatives of a request in turn. */
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

  /** Chooses that many devices from a place in the list on. Of those that make no difference, one is tried. */
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
      this.#putBack(each, claim, demand);
      if (outcome !== 'none') return outcome;
      // To an administrator it makes a difference who else has the device.
      if (!demand.adminAccess) failed.add(this.#kindOf(each.device));
    }
    this.#learnLeft(demand);
    return 'none';
  }

  #areTooFew(index: number, count: number, demand: DeviceDemand): boolean {
    const left = this.#left.get(demand)?.[index];
    return left !== undefined && left < count;
  }

  /** All devices were held against the demand by now, unless somebody else had them: so nothing new can fail. */
  #learnLeft(demand: DeviceDemand): void {
    if (this.#left.has(demand)) return;
    let left = 0;
    const counts = this.#devices.map(() => 0);
    for (let index = this.#devices.length - 1; index >= 0; index--) {
      const device = this.#devices[index]?.device;
      if (device !== undefined && this.#couldHave(device, demand)) left += 1;
      counts[index] = left;
    }
    this.#left.set(demand, counts);
  }

  /** Chooses all that there are: they can be had together, or not at all. */
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
    if (outcome !== 'found') this.#putBack(each, claim, demand);
    return outcome;
  }

  #isInUse({ id, spec }: OfferedDevice, claim: UnallocatedClaim, { adminAccess }: DeviceDemand): boolean {
    const users = this.#users.get(id);
    if (adminAccess) return users?.has(claim) ?? false;
    if (users !== undefined && users.size > 0) return true;
    return spec.allowMultipleAllocations === true ? this.#taken.isWhole(id) : this.#taken.has(id);
  }

  /** Whether it is worth asking: an upper bound, for those that others chose are not held against the demand. */
  #couldHave(device: OfferedDevice, demand: DeviceDemand): boolean {
    const { id, spec } = device;
    if (!demand.adminAccess && (spec.allowMultipleAllocations === true ? this.#taken.isWhole(id) : this.#taken.has(id)))
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
    if (shares === undefined || (isShared && !haveRoom(shares, this.#othersOf(id), spec.capacity))) return 'refused';
    const counts = this.#countsFor(device, demand);
    if (counts && !this.#counters.take(pool, device)) return 'refused';
    const { constraints, chosen } = claim;
    const against = constraints.findIndex((constraint) => !constraint.add(demand, device));
    if (against >= 0) {
      for (const constraint of constraints.slice(0, against)) constraint.remove(demand);
      if (counts) this.#counters.giveBack(pool, device);
      return 'against constraint';
    }
    if (isShared) this.#shares.set(id, [...(this.#shares.get(id) ?? []), shares]);
    else this.#users.set(id, (this.#users.get(id) ?? new Set()).add(claim));
    chosen.push({ demand, device, shares: isShared ? shares : undefined });
    return 'chosen';
  }

  /** Undoes the last choice. */
  #putBack({ device, pool }: PooledDevice, claim: UnallocatedClaim, demand: DeviceDemand): void {
    const { id, spec } = device;
    claim.chosen.pop();
    if (spec.allowMultipleAllocations === true) this.#shares.set(id, this.#shares.get(id)?.slice(0, -1) ?? []);
    else this.#users.get(id)?.delete(claim);
    for (const constraint of claim.constraints) constraint.remove(demand);
    if (this.#countsFor(device, demand)) this.#counters.giveBack(pool, device);
  }

  /**
   * Whether having the device uses up counters: of one that is shared, the first user does, and administrators never.
   */
  #countsFor({ id, spec }: OfferedDevice, { adminAccess }: DeviceDemand): boolean {
    if (adminAccess || (spec.consumesCounters?.length ?? 0) === 0) return false;
    return (
      spec.allowMultipleAllocations !== true ||
      (this.#taken.sharesOf(id) === undefined && (this.#shares.get(id)?.length ?? 0) === 0)
    );
  }

  #othersOf(id: string): Shares {
    const taken = this.#taken.sharesOf(id) ?? noShares;
    return (this.#shares.get(id) ?? []).reduce(sumShares, taken);
  }
}
