// The status of a claim: what was allocated, for whom it is reserved, and what drivers say of the devices. An
// allocation is written once; whatever it held before was right by the rules of its time.
// As pkg/apis/resource/validation/validation.go, validateResourceClaimStatusUpdate.
import { visitUntilFull } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import { parseCidr, printIp } from '../../objects/ip-address.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
} from '../../types/resource-v1.generated.js';
import { quote } from '../../go/format.js';
import { validateConditions } from '../condition-validation.js';
import { validateLabelName } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { validateNodeSelector } from '../pods/node-selector-validation.js';
import { printedWord } from '../printed-values.js';
import { validateList, validateSet } from './bounded-lists.js';
import {
  configMax,
  requestNames,
  validateOpaqueConfiguration,
  validateRaw,
  validateRequestRef,
  validateRequestRefs,
} from './device-claim.js';
import type { RequestNames } from './device-claim.js';
import { validateDriverName } from '../driver-name.js';
import { validateLabelLike, validatePoolName, validateShareId } from './device-names.js';
import { printResourceClaim } from './internal-form.js';

type FieldErrors = readonly FieldError[];

/** A device, or a share of one, as errors print it. */
export interface SharedDeviceId {
  readonly Driver: string;
  readonly Pool: string;
  readonly Device: string;
  readonly ShareID: string;
}

/** Which device a result or a device's status is about. */
export function sharedDeviceId({
  driver = '',
  pool = '',
  device = '',
  shareID = '',
}: Loose<AllocatedDeviceStatus>): SharedDeviceId {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

/** The devices of an allocation, each as JSON of its SharedDeviceId. */
export function allocatedDevices(allocation: Loose<AllocationResult> | undefined): ReadonlySet<string> {
  return new Set((allocation?.devices?.results ?? []).map((result) => JSON.stringify(sharedDeviceId(result))));
}

/** Validates a new status. */
export function validateResourceClaimStatus(claim: Frozen<ResourceClaim>, old: Frozen<ResourceClaim>): FieldErrors {
  const path = fieldPath('status');
  const { status = {}, metadata, spec } = claim;
  const { reservedFor = [], allocation } = status;
  const devices = allocatedDevices(allocation);
  const errors = [
    ...validateSet(reservedFor, path.child('reservedFor'), {
      itemsMax: 256,
      check: (consumer, at) =>
        (['resource', 'name', 'uid'] as const)
          .filter((name) => consumer[name] === '')
          .map((name) => fieldRequired(at.child(name))),
      key: ({ uid }) => printedWord(uid),
    }),
    ...validateSet(status.devices, path.child('devices'), {
      itemsMax: Infinity,
      check: (device, at) => validateDeviceStatus(device, at, devices),
      key: (device) => sharedDeviceId(device),
    }),
  ];
  if (reservedFor.length > 0) {
    const at = path.child('reservedFor');
    const before = old.status?.reservedFor ?? [];
    if (allocation === undefined) errors.push(fieldForbidden(at, 'may not be specified when `allocated` is not set'));
    else if (
      metadata?.deletionTimestamp !== undefined &&
      reservedFor.some((consumer) => !before.some((other) => deepEqual(consumer, other)))
    ) {
      errors.push(
        fieldForbidden(at, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'),
      );
    }
  }
  if (allocation === undefined) return errors;
  if (old.status?.allocation === undefined)
    return [...errors, ...validateAllocation(allocation, path.child('allocation'), requestNames(spec.devices ?? {}))];
  if (deepEqual(allocation, old.status.allocation)) return errors;
  return [
    ...errors,
    fieldInvalid(path.child('allocation'), printResourceClaim('Allocation', allocation), 'field is immutable'),
  ];
}

/** Conditions a device must meet before a pod is bound, and those that say it never will. Also of devices in slices. */
export function validateBindingConditions(
  { bindingConditions: conditions = [], bindingFailureConditions: failures = [] }: Loose<DeviceRequestAllocationResult>,
  path: FieldPath,
): FieldErrors {
  const [conditionsPath, failuresPath] = [path.child('bindingConditions'), path.child('bindingFailureConditions')];
  const bounds = { itemsMax: 4, check: validateLabelName };
  const errors = [...validateList(conditions, conditionsPath, bounds), ...validateList(failures, failuresPath, bounds)];
  const seen = new Set<string>();
  visitUntilFull(conditions, errors, (condition, index) => {
    if (seen.has(condition)) errors.push(fieldDuplicate(conditionsPath.index(index), condition));
    seen.add(condition);
  });
  const seenFailures = new Set<string>();
  visitUntilFull(failures, errors, (failure, index) => {
    const at = failuresPath.index(index);
    if (seenFailures.has(failure)) errors.push(fieldDuplicate(at, failure));
    if (seen.has(failure))
      errors.push(fieldInvalid(at, failure, 'bindingFailureConditions must not overlap with bindingConditions'));
    seenFailures.add(failure);
  });
  if (conditions.length === 0 && failures.length > 0) {
    errors.push(fieldInvalid(conditionsPath, null, 'bindingConditions are required to use bindingFailureConditions'));
  }
  if (failures.length === 0 && conditions.length > 0) {
    errors.push(fieldInvalid(failuresPath, null, 'bindingFailureConditions are required to use bindingConditions'));
  }
  return errors;
}

const dataBytesMax = 10 * 1024;
const conditionsMax = 8;

function validateDeviceStatus(
  device: Frozen<AllocatedDeviceStatus>,
  path: FieldPath,
  allocated: ReadonlySet<string>,
): FieldErrors {
  const { driver, pool, device: name, shareID, conditions = [], data, networkData } = device;
  const errors = [
    ...validateDriverName(driver, path.child('driver')),
    ...validatePoolName(pool, path.child('pool')),
    ...validateLabelLike(name, path.child('device')),
  ];
  if (shareID !== undefined) errors.push(...validateShareId(shareID, path.child('shareID')));
  const id = sharedDeviceId(device);
  if (!allocated.has(JSON.stringify(id)))
    errors.push(fieldInvalid(path, id, 'must be an allocated device in the claim'));
  if (conditions.length > conditionsMax)
    errors.push(fieldTooMany(path.child('conditions'), conditions.length, conditionsMax));
  errors.push(...validateConditions(conditions, path.child('conditions')));
  if (data !== undefined && data !== null) errors.push(...validateRaw(data, path.child('data'), dataBytesMax));
  return [...errors, ...validateNetworkData(networkData, path.child('networkData'))];
}

function validateNetworkData(data: Frozen<NetworkDeviceData> | undefined, path: FieldPath): FieldErrors {
  if (data === undefined) return [];
  const { interfaceName = '', hardwareAddress = '', ips } = data;
  const errors: FieldError[] = [];
  if (utf8Length(interfaceName) > 256) errors.push(fieldTooLong(path.child('interfaceName'), 256));
  if (utf8Length(hardwareAddress) > 128) errors.push(fieldTooLong(path.child('hardwareAddress'), 128));
  return [
    ...errors,
    ...validateSet(ips, path.child('ips'), {
      itemsMax: 16,
      check: validateInterfaceAddress,
      key: (address) => address,
    }),
  ];
}

/** An address with the length of its network. As apimachinery/pkg/util/validation/ip.go, IsValidInterfaceAddress. */
function validateInterfaceAddress(value: string, path: FieldPath): FieldErrors {
  const cidr = parseCidr(value);
  if (cidr === undefined)
    return [fieldInvalid(path, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  const { address, prefixLength } = cidr;
  const length = address.family === 4 && prefixLength > 32 ? prefixLength - 96 : prefixLength;
  const canonical = `${printIp(address)}/${length}`;
  return value === canonical ? [] : [fieldInvalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

function validateAllocation(
  { devices = {}, nodeSelector }: Frozen<AllocationResult>,
  path: FieldPath,
  names: RequestNames,
): FieldErrors {
  const at = path.child('devices');
  return [
    ...validateList(devices.results, at.child('results'), {
      itemsMax: 32,
      check: (result, place) => validateResult(result, place, names),
    }),
    ...validateList(devices.config, at.child('config'), {
      itemsMax: 2 * configMax,
      check: (config, place) => validateAllocationConfig(config, place, names),
    }),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, path.child('nodeSelector'))),
  ];
}

function validateResult(
  result: Frozen<DeviceRequestAllocationResult>,
  path: FieldPath,
  names: RequestNames,
): FieldErrors {
  const { request, driver, pool, device, shareID } = result;
  return [
    ...validateRequestRef(request, path.child('request'), names),
    ...validateDriverName(driver, path.child('driver')),
    ...validatePoolName(pool, path.child('pool')),
    ...validateLabelLike(device, path.child('device')),
    ...validateBindingConditions(result, path),
    ...(shareID === undefined ? [] : validateShareId(shareID, path.child('shareID'))),
  ];
}

function validateAllocationConfig(
  config: Frozen<DeviceAllocationConfiguration>,
  path: FieldPath,
  names: RequestNames,
): FieldErrors {
  const source: string = config.source;
  const sources = ['FromClaim', 'FromClass'];
  const at = path.child('source');
  return [
    ...(source === ''
      ? [fieldRequired(at)]
      : sources.includes(source)
        ? []
        : [fieldNotSupported(at, printedWord(source), sources)]),
    ...validateRequestRefs(config.requests, path.child('requests'), names),
    ...validateOpaqueConfiguration(config.opaque, path),
  ];
}
