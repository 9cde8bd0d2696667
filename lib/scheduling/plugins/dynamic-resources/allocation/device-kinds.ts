// Equivalent devices: if one leads a search nowhere, so does the other. They belong to one pool, consume the same
// counters, have the same capacity and taints and the same values of constrained attributes, and every request accepts
// both or neither.
import { SelectorError } from '../selectors/device-selectors.js';
import { attributeValue } from './device-constraints.js';
import type { DeviceClaimDemands, DeviceDemand } from './device-demands.js';
import type { OfferedDevice } from './devices.js';

/** Returns a function that maps equivalent devices to the same key, for these claims. */
export function deviceKinds(claims: readonly DeviceClaimDemands[]): (device: OfferedDevice) => string {
  const attributes = claims.flatMap(({ constraints }) =>
    constraints.flatMap(({ matchAttribute, distinctAttribute }) => matchAttribute ?? distinctAttribute ?? []),
  );
  const demands = claims.flatMap(({ requests }) => requests.flat());
  const known = new Map<OfferedDevice, string>();
  return (device) => {
    const kind = known.get(device) ?? kindOf(device, attributes, demands);
    known.set(device, kind);
    return kind;
  };
}

function kindOf(device: OfferedDevice, attributes: readonly string[], demands: readonly DeviceDemand[]): string {
  const { id, driver, pool, spec } = device;
  const accepted = demands.map((demand) => isAccepted(demand, device));
  // A shared device, or one whose selector fails, is equivalent to no other.
  if (spec.allowMultipleAllocations === true || accepted.includes(undefined)) return id;
  return JSON.stringify([
    driver,
    pool,
    accepted,
    attributes.map((name) => attributeValue(device, name) ?? null),
    spec.capacity,
    spec.taints,
    spec.consumesCounters,
  ]);
}

function isAccepted(demand: DeviceDemand, device: OfferedDevice): boolean | undefined {
  try {
    return demand.accepts(device);
  } catch (error) {
    if (error instanceof Error && error.cause instanceof SelectorError) return undefined;
    throw error;
  }
}
