// The requests of a claim, prepared for the search: in order, each with its alternatives and compiled selectors. As
// dynamic-resource-allocation/structured, validateDeviceRequest.
import { objectKey } from '../../../../core/index.js';
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import { SelectorError } from '../selectors/device-selectors.js';
import type { DeviceMatcher, SelectorCompiler } from '../selectors/device-selectors.js';
import type { FrozenResourceClaim, FrozenDeviceClass, OfferedDevice } from './devices.js';

/** A request of a claim, or one alternative of it. */
export interface DeviceDemand {
  /** `request`, or `request/alternative`. */
  readonly name: string;
  /** Its name in errors of the search: `request`, or `alternative` alone. */
  readonly shortName: string;
  /** The name of its request. */
  readonly request: string;
  readonly class: FrozenDeviceClass;
  /** The number of devices; undefined for all. */
  readonly count: number | undefined;
  readonly adminAccess: boolean;
  readonly tolerations: readonly Frozen<resourceV1.DeviceToleration>[];
  /** The capacity that a device must have. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Returns whether class and selectors accept a device. Throws if an expression fails. */
  accepts(device: OfferedDevice): boolean;
  /** Returns whether all taints of a device are tolerated. */
  tolerates(device: OfferedDevice): boolean;
}

/** A claim and its requests. */
export interface DeviceClaimDemands {
  readonly claim: FrozenResourceClaim;
  /** The alternatives of each request, preferred ones first. */
  readonly requests: readonly (readonly DeviceDemand[])[];
  readonly constraints: readonly Frozen<resourceV1.DeviceConstraint>[];
}

/** The dependencies of `deviceClaimDemands`. */
export interface DemandReader {
  deviceClass(name: string): FrozenDeviceClass | undefined;
  readonly selectors: SelectorCompiler;
}

/** Returns the requests of a claim; a message if a class is missing. Throws for an unsupported request. */
export function deviceClaimDemands(claim: FrozenResourceClaim, reader: DemandReader): DeviceClaimDemands | string {
  const { requests = [], constraints = [] } = claim.spec.devices ?? {};
  const demands: (readonly DeviceDemand[])[] = [];
  for (const { name, exactly, firstAvailable = [] } of requests) {
    const written =
      exactly === undefined
        ? firstAvailable.map((each) => ({ ...each, name: `${name}/${each.name}`, shortName: each.name }))
        : [{ ...exactly, name, shortName: name }];
    if (written.length === 0) return `resource claim ${objectKey(claim)}, request ${name}: unknown request type`;
    const alternatives: DeviceDemand[] = [];
    for (const each of written) {
      if (each.deviceClassName === '') throw new Error(`request ${each.name}: unsupported request type`);
      const deviceClass = reader.deviceClass(each.deviceClassName);
      if (deviceClass === undefined) return `request ${each.name}: device class ${each.deviceClassName} does not exist`;
      alternatives.push(demandOf(claim, name, each, deviceClass, reader.selectors));
    }
    demands.push(alternatives);
  }
  return { claim, requests: demands, constraints };
}

type NamedRequest = Frozen<resourceV1.ExactDeviceRequest> & Pick<DeviceDemand, 'name' | 'shortName'>;

function demandOf(
  claim: FrozenResourceClaim,
  request: string,
  asked: NamedRequest,
  deviceClass: FrozenDeviceClass,
  selectors: SelectorCompiler,
): DeviceDemand {
  const {
    name,
    shortName,
    allocationMode = 'ExactCount',
    count = 1,
    adminAccess = false,
    tolerations = [],
    capacity,
  } = asked;
  const ofClass = matcher(`class ${deviceClass.metadata?.name ?? ''}`, deviceClass.spec.selectors, selectors);
  const own = matcher(`claim ${objectKey(claim)}`, asked.selectors, selectors);
  const answers = new Map<OfferedDevice, boolean>();
  return {
    name,
    shortName,
    request,
    class: deviceClass,
    count: allocationMode === 'All' ? undefined : count,
    adminAccess,
    tolerations,
    capacity: capacity?.requests ?? {},
    accepts: (device) => {
      const known = answers.get(device);
      if (known !== undefined) return known;
      const answer = ofClass(device) && own(device);
      answers.set(device, answer);
      return answer;
    },
    tolerates: (device) => !hasUntoleratedTaint(device, tolerations),
  };
}

/** Combines selectors. They are compiled at the first device, so errors show only then. */
function matcher(
  owner: string,
  selectors: readonly Frozen<resourceV1.DeviceSelector>[] = [],
  compiler: SelectorCompiler,
): DeviceMatcher {
  const compiled: DeviceMatcher[] = [];
  return (device) =>
    selectors.every(({ cel }, index) => {
      try {
        const matches = (compiled[index] ??= compiler.compile(cel?.expression ?? ''));
        return matches(device);
      } catch (error) {
        if (!(error instanceof SelectorError)) throw error;
        throw new Error(`${owner}: selector #${index}: CEL ${error.phase} error: ${error.message}`, { cause: error });
      }
    });
}

/** Returns whether an untolerated taint excludes a device. Taints with the effect None exclude nothing. */
function hasUntoleratedTaint(
  { spec: { taints = [] } }: OfferedDevice,
  tolerations: readonly Frozen<resourceV1.DeviceToleration>[],
): boolean {
  return taints.some(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations.some((each) => toleratesTaint(each, taint)),
  );
}

/** Returns whether a toleration tolerates a device taint; as for nodes. */
function toleratesTaint(
  { key = '', operator = 'Equal', value = '', effect }: Frozen<resourceV1.DeviceToleration>,
  taint: Frozen<resourceV1.DeviceTaint>,
): boolean {
  if ((effect !== undefined && effect !== taint.effect) || (key !== '' && key !== taint.key)) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
