// Finds devices for claims on one node. A search in depth: claim by claim, request by request, alternative by alternative,
// device by device, always in the same order, and a step back wherever it does not go on. The first complete choice is
// taken. Devices of one request are chosen in the order of the pools, so no set of devices is tried twice.
// As dynamic-resource-allocation/structured, allocator.go.
import { objectKey } from '../../../core/index.js';
import { addShares, haveRoom, noShares, sharesOf } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import { constraintOf } from './device-constraints.js';
import type { Constraint } from './device-constraints.js';
import { CounterLedger } from './device-counters.js';
import type { ClaimDemands, DeviceDemand } from './device-demands.js';
import type { DevicePool, NodePool } from './device-pools.js';
import type { OfferedDevice } from './devices.js';
import type { TakenDevices } from './taken-devices.js';

/** A device for a demand. */
export interface ChosenDevice {
  readonly demand: DeviceDemand;
  readonly device: OfferedDevice;
  /** What is used of a device that others may have as well; undefined where nobody else may. */
  readonly shares: Shares | undefined;
}

/** What is given to claims: for each of them the devices, in the order of its requests. */
export type Choice = readonly (readonly ChosenDevice[])[];

/** Why a search ended without any choice. */
export type NoChoice = 'none' | 'invalid pools' | 'out of steps';

/** What a search is about. */
export interface DeviceSearch {
  readonly claims: readonly ClaimDemands[];
  readonly pools: readonly NodePool[];
  readonly taken: TakenDevices;
  /** How many devices may be looked at before it is given up. */
  readonly stepsMax: number;
}

/** As many devices as a claim may be given. */
const devicesMax = 32;

/** Looks for devices. Throws where a demand cannot be answered with yes or no. */
export function chooseDevices(search: DeviceSearch): Choice | NoChoice {
  const { claims, pools } = search;
  const openClaims = claims.map((demands) => openClaim(demands, search));
  const outcome = new Chooser(openClaims, search).run();
  if (outcome === 'out of steps') return outcome;
  if (outcome === 'found') return openClaims.map(({ chosen }) => chosen);
  return pools.some(({ unusable }) => unusable === 'invalid') ? 'invalid pools' : 'none';
}

/** A claim for which devices are being chosen. */
interface OpenClaim extends Pick<ClaimDemands, 'claim'> {
  readonly requests: readonly (readonly OpenDemand[])[];
  readonly constraints: readonly Constraint[];
  readonly chosen: ChosenDevice[];
}

interface OpenDemand {
  readonly demand: DeviceDemand;
  readonly count: number;
  /** All devices that it must have, where it asks for all. */
  readonly all: readonly PooledDevice[] | undefined;
}

interface PooledDevice {
  readonly device: OfferedDevice;
  readonly pool: DevicePool;
}

function openClaim({ claim, requests, constraints }: ClaimDemands, search: DeviceSearch): OpenClaim {
  const open = requests.map((alternatives) => alternatives.map((demand) => openDemand(demand, claim, search)));
  const least = open.reduce((sum, alternatives) => sum + Math.min(...alternatives.map(({ count }) => count)), 0);
  if (least > devicesMax) throw new Error(`claim ${objectKey(claim)}: number of requested devices ${least} exceeds the claim limit of ${devicesMax}`);
  return {
    claim,
    requests: open,
    constraints: constraints.map((each, index) => {
      const constraint = constraintOf(each);
      if (constraint === undefined) throw new Error(`claim ${objectKey(claim)}, constraint #${index}: empty constraint (unsupported constraint type?)`);
      return constraint;
    }),
    chosen: [],
  };
}

function openDemand(demand: DeviceDemand, claim: ClaimDemands['claim'], { pools, taken }: DeviceSearch): OpenDemand {
  if (demand.count !== undefined) return { demand, count: demand.count, all: undefined };
  const all: PooledDevice[] = [];
  for (const { pool, devices, unusable } of pools) {
    if (unusable !== undefined) {
      const state = unusable === 'incomplete' ? 'being updated' : 'invalid';
      throw new Error(`claim ${objectKey(claim)}, request ${demand.name}: asks for all devices, but resource pool ${pool.id} is currently ${state}`);
    }
    for (const device of devices) if (demand.accepts(device) && hasCapacity(demand, device, taken.sharesOf(device.id))) all.push({ device, pool });
  }
  return { demand, count: all.length, all };
}

function hasCapacity({ capacity }: DeviceDemand, { spec }: OfferedDevice, others: Shares = noShares): boolean {
  const shares = sharesOf(capacity, spec.capacity);
  return shares !== undefined && (spec.allowMultipleAllocations !== true || haveRoom(shares, others, spec.capacity));
}

/** `too many`: whatever devices are chosen, the claim would get more than it may have. */
type Outcome = 'found' | 'none' | 'too many' | 'out of steps';

class Chooser {
  readonly #claims: readonly OpenClaim[];
  readonly #devices: readonly PooledDevice[];
  readonly #taken: TakenDevices;
  readonly #counters: CounterLedger;
  /** Of devices that nobody may share: the claims that chose them. An administrator may look at the device of another. */
  readonly #users = new Map<string, Set<OpenClaim>>();
  /** Of the others: what was chosen of them. */
  readonly #shares = new Map<string, readonly Shares[]>();
  #stepsLeft: number;

  constructor(claims: readonly OpenClaim[], { pools, taken, stepsMax }: DeviceSearch) {
    this.#claims = claims;
    this.#devices = pools.flatMap(({ pool, devices }) => devices.map((device) => ({ device, pool })));
    this.#taken = taken;
    this.#counters = new CounterLedger(taken);
    this.#stepsLeft = stepsMax;
  }

  run(): Outcome {
    return this.#claimAt(0);
  }

  #claimAt(index: number): Outcome {
    const claim = this.#claims[index];
    if (claim === undefined) return 'found';
    return this.#requestAt(claim, 0, () => {
      const outcome = this.#claimAt(index + 1);
      return outcome === 'too many' ? 'none' : outcome; // of another claim: this one may yet leave it the room
    });
  }

  /** Tries the alternatives of a request in turn. */
  #requestAt(claim: OpenClaim, index: number, goOn: () => Outcome): Outcome {
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

  #devicesFor(claim: OpenClaim, demand: OpenDemand, goOn: () => Outcome): Outcome {
    if (demand.all?.length === 0) return 'none';
    if (claim.chosen.length + demand.count > devicesMax) return 'too many';
    return demand.all === undefined ? this.#someFrom(0, demand.count, claim, demand.demand, goOn) : this.#allOf(demand.all, 0, claim, demand.demand, goOn);
  }

  /** Chooses that many devices from a place in the list on. */
  #someFrom(start: number, count: number, claim: OpenClaim, demand: DeviceDemand, goOn: () => Outcome): Outcome {
    if (count === 0) return goOn();
    for (let index = start; index < this.#devices.length; index++) {
      if (--this.#stepsLeft < 0) return 'out of steps';
      const each = this.#devices[index];
      if (each === undefined || this.#isInUse(each.device, claim, demand) || !demand.accepts(each.device)) continue;
      if (this.#choose(each, claim, demand) !== 'chosen') continue;
      const outcome = this.#someFrom(index + 1, count - 1, claim, demand, goOn);
      if (outcome === 'found') return outcome;
      this.#putBack(each, claim, demand);
      if (outcome !== 'none') return outcome;
    }
    return 'none';
  }

  /** Chooses all that there are: they can be had together, or not at all. */
  #allOf(all: readonly PooledDevice[], index: number, claim: OpenClaim, demand: DeviceDemand, goOn: () => Outcome): Outcome {
    const each = all[index];
    if (each === undefined) return goOn();
    if (--this.#stepsLeft < 0) return 'out of steps';
    const answer = this.#isInUse(each.device, claim, demand) ? 'refused' : this.#choose(each, claim, demand);
    if (answer === 'against constraint') throw new Error(`claim ${objectKey(claim.claim)}, request ${demand.name}: cannot add device ${each.device.id} because a claim constraint would not be satisfied`);
    if (answer !== 'chosen') return 'none';
    const outcome = this.#allOf(all, index + 1, claim, demand, goOn);
    if (outcome !== 'found') this.#putBack(each, claim, demand);
    return outcome;
  }

  #isInUse({ id, spec }: OfferedDevice, claim: OpenClaim, { adminAccess }: DeviceDemand): boolean {
    const users = this.#users.get(id);
    if (adminAccess) return users?.has(claim) ?? false;
    if (users !== undefined && users.size > 0) return true;
    return spec.allowMultipleAllocations === true ? this.#taken.isWhole(id) : this.#taken.has(id);
  }

  #choose({ device, pool }: PooledDevice, claim: OpenClaim, demand: DeviceDemand): 'chosen' | 'refused' | 'against constraint' {
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
  #putBack({ device, pool }: PooledDevice, claim: OpenClaim, demand: DeviceDemand): void {
    const { id, spec } = device;
    claim.chosen.pop();
    if (spec.allowMultipleAllocations === true) this.#shares.set(id, this.#shares.get(id)?.slice(0, -1) ?? []);
    else this.#users.get(id)?.delete(claim);
    for (const constraint of claim.constraints) constraint.remove(demand);
    if (this.#countsFor(device, demand)) this.#counters.giveBack(pool, device);
  }

  /** Whether having the device uses up counters: of one that is shared, the first user does, and administrators never. */
  #countsFor({ id, spec }: OfferedDevice, { adminAccess }: DeviceDemand): boolean {
    if (adminAccess || (spec.consumesCounters?.length ?? 0) === 0) return false;
    return spec.allowMultipleAllocations !== true || (this.#taken.sharesOf(id) === undefined && (this.#shares.get(id)?.length ?? 0) === 0);
  }

  #othersOf(id: string): Shares {
    const taken = this.#taken.sharesOf(id) ?? noShares;
    return (this.#shares.get(id) ?? []).reduce(addShares, taken);
  }
}
