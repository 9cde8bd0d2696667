// Finds devices for claims on one node. The first complete choice is returned: the devices of each claim's requests. As
// dynamic-resource-allocation/structured, allocator.go.
import { objectKey } from '../../../../core/index.js';
import { fitsCapacity, noShares, sharesOf } from './device-capacity.js';
import type { Shares } from './device-capacity.js';
import { DeviceChooser, devicesMax } from './device-chooser.js';
import type { ChosenDevice, DeviceSearch, UnallocatedClaim, OpenDemand, PooledDevice } from './device-chooser.js';
import { constraintOf } from './device-constraints.js';
import type { DeviceClaimDemands, DeviceDemand } from './device-demands.js';
import type { OfferedDevice } from './devices.js';

/** The devices of each claim, in the order of its requests. */
export type Choice = readonly (readonly ChosenDevice[])[];

/** Why a search found no choice. */
export type NoChoice = 'none' | 'invalid pools' | 'out of steps';

/** Finds devices. Throws if a request cannot be evaluated. */
export function chooseDevices(search: DeviceSearch): Choice | NoChoice {
  const { claims, pools } = search;
  const openClaims = claims.map((demands) => openClaim(demands, search));
  const outcome = new DeviceChooser(openClaims, search).run();
  if (outcome === 'out of steps') return outcome;
  if (outcome === 'found') return openClaims.map(({ chosen }) => chosen);
  return pools.some(({ unusable }) => unusable === 'invalid') ? 'invalid pools' : 'none';
}

function openClaim({ claim, requests, constraints }: DeviceClaimDemands, search: DeviceSearch): UnallocatedClaim {
  const open = requests.map((alternatives) => alternatives.map((demand) => openDemand(demand, claim, search)));
  const least = open.reduce((sum, alternatives) => sum + Math.min(...alternatives.map(({ count }) => count)), 0);
  if (least > devicesMax)
    throw new Error(
      `claim ${objectKey(claim)}: number of requested devices ${least} exceeds the claim limit of ${devicesMax}`,
    );
  return {
    claim,
    requests: open,
    constraints: constraints.map((each, index) => {
      const constraint = constraintOf(each);
      if (constraint === undefined)
        throw new Error(
          `claim ${objectKey(claim)}, constraint #${index}: empty constraint (unsupported constraint type?)`,
        );
      return constraint;
    }),
    chosen: [],
  };
}

function openDemand(
  demand: DeviceDemand,
  claim: DeviceClaimDemands['claim'],
  { pools, allocated }: DeviceSearch,
): OpenDemand {
  if (demand.count !== undefined) return { demand, count: demand.count, all: undefined };
  const all: PooledDevice[] = [];
  for (const { pool, devices, unusable } of pools) {
    if (unusable !== undefined) {
      const state = unusable === 'incomplete' ? 'being updated' : 'invalid';
      throw new Error(
        `claim ${objectKey(claim)}, request ${demand.shortName}: asks for all devices, but resource pool ${pool.id} is currently ${state}`,
      );
    }
    for (const device of devices)
      if (demand.accepts(device) && hasCapacity(demand, device, allocated.sharesOf(device.id)))
        all.push({ device, pool });
  }
  return { demand, count: all.length, all };
}

function hasCapacity({ capacity }: DeviceDemand, { spec }: OfferedDevice, others: Shares = noShares): boolean {
  const shares = sharesOf(capacity, spec.capacity);
  return (
    shares !== undefined && (spec.allowMultipleAllocations !== true || fitsCapacity(shares, others, spec.capacity))
  );
}
