// Builds the allocation of a claim's status: the devices, their configuration, and the nodes that can use them. As
// dynamic-resource-allocation/structured, Allocate.
import { printQuantity } from '../../../../core/index.js';
import type { Frozen, Random } from '../../../../core/index.js';
import type { NodeSelector, NodeSelectorRequirement, resourceV1 } from '../../../../core/types/index.js';
import type { ChosenDevice } from './device-chooser.js';
import type { DeviceClaimDemands, DeviceDemand } from './device-demands.js';
import type { Allocation, FrozenResourceClaim, OfferedDevice } from './devices.js';

/** Returns the allocation of a claim. Shares of devices get ids. */
export function allocationResult(
  { claim, requests }: DeviceClaimDemands,
  chosen: readonly ChosenDevice[],
  nodeName: string,
  random: Random,
): Allocation {
  const demands = requests.flatMap((alternatives) =>
    alternatives.filter((demand) => isUsed(demand, alternatives, chosen)),
  );
  const config = [...classConfiguration(demands), ...claimConfiguration(claim, demands)];
  const nodeSelector = reachOf(
    chosen.map(({ device }) => device),
    nodeName,
  );
  return {
    devices: { results: chosen.map((each) => deviceResult(each, random)), ...(config.length > 0 && { config }) },
    ...(nodeSelector && { nodeSelector }),
  };
}

/** Returns whether a demand was used: of several alternatives only the chosen one is. */
function isUsed(demand: DeviceDemand, alternatives: readonly DeviceDemand[], chosen: readonly ChosenDevice[]): boolean {
  return alternatives.length === 1 || chosen.some((each) => each.demand === demand);
}

function deviceResult(
  { demand, device, shares }: ChosenDevice,
  random: Random,
): Frozen<resourceV1.DeviceRequestAllocationResult> {
  const { driver, pool, name, spec } = device;
  const { bindingConditions, bindingFailureConditions } = spec;
  return {
    request: demand.name,
    driver,
    pool,
    device: name,
    ...(demand.adminAccess && { adminAccess: true }),
    ...(demand.tolerations.length > 0 && { tolerations: demand.tolerations }),
    ...(bindingConditions && { bindingConditions }),
    ...(bindingFailureConditions && { bindingFailureConditions }),
    ...(shares && { shareID: random.uuid() }),
    ...(shares &&
      shares.size > 0 && {
        consumedCapacity: Object.fromEntries(
          Array.from(shares, ([capacity, share]) => [capacity, printQuantity(share)]),
        ),
      }),
  };
}

type Configuration = Frozen<resourceV1.DeviceAllocationConfiguration>;

/** Returns the configuration of each class once, with all its requests. */
function classConfiguration(demands: readonly DeviceDemand[]): readonly Configuration[] {
  const classes = new Set(demands.map((demand) => demand.class));
  return Array.from(classes).flatMap((deviceClass) => {
    const requests = demands.filter((demand) => demand.class === deviceClass).map(({ name }) => name);
    return (deviceClass.spec.config ?? []).map((each): Configuration => ({ ...each, source: 'FromClass', requests }));
  });
}

/** Returns the claim's configuration that applies to all requests or to a used one. */
function claimConfiguration({ spec }: FrozenResourceClaim, demands: readonly DeviceDemand[]): readonly Configuration[] {
  const config = spec.devices?.config ?? [];
  const isFor = (requests: readonly string[]): boolean =>
    requests.length === 0 || demands.some(({ request, name }) => requests.includes(request) || requests.includes(name));
  return config
    .filter(({ requests = [] }) => isFor(requests))
    .map((each): Configuration => ({ ...each, source: 'FromClaim' }));
}

/** Returns the nodes that can use all devices: one node, nodes by label, or undefined for all. */
function reachOf(devices: readonly OfferedDevice[], nodeName: string): Frozen<NodeSelector> | undefined {
  const matchFields: Frozen<NodeSelectorRequirement>[] = [];
  const matchExpressions: Frozen<NodeSelectorRequirement>[] = [];
  for (const { spec, slice } of devices) {
    const reach = slice.spec.perDeviceNodeSelection === true ? spec : slice.spec;
    if (reach.nodeName !== undefined || spec.bindsToNode === true) return onlyNode(nodeName);
    const terms = reach.nodeSelector?.nodeSelectorTerms ?? [];
    if (terms.length > 1) throw new Error(`unsupported ResourceSlice.NodeSelector with ${terms.length} terms`);
    for (const term of terms) {
      addNew(term.matchFields, matchFields);
      addNew(term.matchExpressions, matchExpressions);
    }
  }
  if (matchFields.length + matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      { ...(matchFields.length > 0 && { matchFields }), ...(matchExpressions.length > 0 && { matchExpressions }) },
    ],
  };
}

function onlyNode(nodeName: string): Frozen<NodeSelector> {
  return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }] };
}

function addNew(
  requirements: readonly Frozen<NodeSelectorRequirement>[] = [],
  to: Frozen<NodeSelectorRequirement>[],
): void {
  for (const each of requirements) if (!to.some((known) => isSame(known, each))) to.push(each);
}

function isSame(one: Frozen<NodeSelectorRequirement>, other: Frozen<NodeSelectorRequirement>): boolean {
  if (one.key !== other.key || one.operator !== other.operator) return false;
  const [values, others] = [new Set(one.values), new Set(other.values)];
  return values.size === others.size && [...values].every((value) => others.has(value));
}
