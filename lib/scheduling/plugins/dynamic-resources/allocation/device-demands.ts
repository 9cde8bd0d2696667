// What a claim demands, made ready for the search: its requests in order, each with its alternatives, and the devices
// each alternative could have on a node. As dynamic-resource-allocation/structured, validateDeviceRequest.
import { objectKey } from '../../../../core/index.js';
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import { SelectorError } from '../selectors/device-selectors.js';
import type { DeviceMatcher, SelectorCompiler } from '../selectors/device-selectors.js';
import type { FrozenResourceClaim, FrozenDeviceClass, OfferedDevice } from './devices.js';

/** Devices of one kind that a claim asks for: a request, or one alternative of it. */
export interface DeviceDemand {
  /** `request`, or `request/alternative`. */
  readonly name: string;
  /** What errors of the search call it: `request`, or `alternative` alone. */
  readonly shortName: string;
  /** The request it belongs to. */
  readonly request: string;
  readonly class: FrozenDeviceClass;
  /** How many; undefined for all there are. */
  readonly count: number | undefined;
  readonly adminAccess: boolean;
  readonly tolerations: readonly Frozen<resourceV1.DeviceToleration>[];
  /** Capacity that a device must have. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Whether it may be this device, by class and selectors. Throws where an expression fails. */
  accepts(device: OfferedDevice): boolean;
  /** Whether no taint keeps it from the device. */
  tolerates(device: OfferedDevice): boolean;
}

/** A claim and its demands. */
export interface DeviceClaimDemands {
  readonly claim: FrozenResourceClaim;
  /** Of each request the alternatives, the best first. */
  readonly requests: readonly (readonly DeviceDemand[])[];
  readonly constraints: readonly Frozen<resourceV1.DeviceConstraint>[];
}

/** What is needed to read demands. */
export interface DemandReader {
  deviceClass(name: string): FrozenDeviceClass | undefined;
  readonly selectors: SelectorCompiler;
}

/** The demands of a claim. Answers words where a class is missing; throws where a request cannot be understood. */
export function deviceClaimDemands(claim: FrozenResourceClaim, reader: DemandReader): DeviceClaimDemands | string {
  const { requests = [], constraints = [] } = claim.spec.devices ?? {};
  const demands: (readonly DeviceDemand[])[] = [];
  for (const { name, exactly, firstAvailable = [] } of requests) {
    const asked =
      exactly === undefined
        ? firstAvailable.map((each) => ({ ...each, name: `${name}/${each.name}`, shortName: each.name }))
        : [{ ...exactly, name, shortName: name }];
    if (asked.length === 0) return `resource claim ${objectKey(claim)}, request ${name}: unknown request type`;
    const alternatives: DeviceDemand[] = [];
    for (const each of asked) {
      if (each.deviceClassName === '') throw new Error(`request ${each.name}: unsupported request type`);
      const deviceClass = reader.deviceClass(each.deviceClassName);
      if (deviceClass === undefined) return `request ${each.name}: device class ${each.deviceClassName} does not exist`;
      alternatives.push(demandOf(claim, name, each, deviceClass, reader.selectors));
    }
    demands.push(alternatives);
  }
  return { claim, requests: demands, constraints };
}

type Asked = Frozen<resourceV1.ExactDeviceRequest> & Pick<DeviceDemand, 'name' | 'shortName'>;

function demandOf(
  claim: FrozenResourceClaim,
  request: string,
  asked: Asked,
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
    tolerates: (device) => !isKeptAway(device, tolerations),
  };
}

/** All selectors together. What is wrong with one shows only when a device is held against it. */
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

/** Taints keep requests away that do not tolerate them. The taint that only informs keeps nobody away. */
function isKeptAway(
  { spec: { taints = [] } }: OfferedDevice,
  tolerations: readonly Frozen<resourceV1.DeviceToleration>[],
): boolean {
  return taints.some(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations.some((each) => toleratesTaint(each, taint)),
  );
}

/** As for nodes. */
function toleratesTaint(
  { key = '', operator = 'Equal', value = '', effect }: Frozen<resourceV1.DeviceToleration>,
  taint: Frozen<resourceV1.DeviceTaint>,
): boolean {
  if ((effect !== undefined && effect !== taint.effect) || (key !== '' && key !== taint.key)) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
