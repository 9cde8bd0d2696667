// The rules of ResourceSlices and the devices in them.
// As pkg/apis/resource/validation/validation.go, validateResourceSliceSpec and validateDevice.
import { fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Subdomain, isLabelValue } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  Counter,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCounterConsumption,
  DeviceTaint,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../types/resource-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import { validateLabelName } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { validateNodeSelector } from '../pods/node-selector-validation.js';
import { printedWord } from '../printed-values.js';
import { validateDriverName } from '../driver-name.js';
import { validateList, validateMap, validateSet } from './bounded-lists.js';
import { taintEffects } from './device-claim.js';
import { validateCapacity } from './device-capacity.js';
import { qualifiedNameBytesMax, validateLabelLike, validatePoolName, validateQualifiedName } from './device-names.js';
import { printResourceClaim } from './internal-form.js';
import { validateBindingConditions } from './resource-claim-status.js';

type FieldErrors = readonly FieldError[];

/** Validates a slice; `old` is the one it replaces. */
export function validateResourceSlice(
  { spec }: Frozen<ResourceSlice>,
  old: Frozen<ResourceSlice> | undefined,
): FieldErrors {
  const path = fieldPath('spec');
  const { driver, pool, sharedCounters, devices = [] } = spec;
  const errors = [...validateDriverName(driver, path.child('driver')), ...validatePool(pool, path.child('pool'))];
  if (old !== undefined) {
    errors.push(...validateImmutable(pool.name, old.spec.pool.name, path.child('pool').child('name')));
    errors.push(...validateImmutable(driver, old.spec.driver, path.child('driver')));
    errors.push(...validateImmutable(spec.nodeName, old.spec.nodeName, path.child('nodeName')));
  }
  errors.push(...validateNodes(spec, path));
  if (sharedCounters !== undefined && spec.devices !== undefined) {
    errors.push(fieldInvalid(path, '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  const before = new Map(old?.spec.devices?.map((device) => [device.name, device]));
  const costly = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0,
  );
  errors.push(
    ...validateSet(devices, path.child('devices'), {
      itemsMax: costly ? 64 : 128,
      check: (device, at) =>
        validateDevice(device, at, { old: before.get(device.name), ownNodes: spec.perDeviceNodeSelection === true }),
      key: ({ name }) => name,
    }),
    ...validateSet(sharedCounters, path.child('sharedCounters'), {
      itemsMax: 8,
      check: validateCounterSet,
      key: ({ name }) => name,
    }),
  );
  return errors;
}

function validatePool(
  { name, resourceSliceCount: count, generation }: Frozen<ResourcePool>,
  path: FieldPath,
): FieldErrors {
  const errors = [...validatePoolName(name, path.child('name'))];
  if (count <= 0) errors.push(fieldInvalid(path.child('resourceSliceCount'), count, 'must be greater than zero'));
  if (generation < 0)
    errors.push(fieldInvalid(path.child('generation'), generation, 'must be greater than or equal to zero'));
  return errors;
}

/** Where the devices are, said in exactly one of four ways. */
function validateNodes(spec: Frozen<ResourceSliceSpec>, path: FieldPath): FieldErrors {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const errors: FieldError[] = [];
  const set: string[] = [];
  if (nodeName === '')
    errors.push(fieldInvalid(path.child('nodeName'), nodeName, 'must be either unset or set to a non-empty string'));
  else if (nodeName !== undefined) {
    set.push('`nodeName`');
    errors.push(...invalidEach(path.child('nodeName'), nodeName, isDns1123Subdomain(nodeName)));
  }
  if (nodeSelector !== undefined) {
    const terms = (nodeSelector as Partial<typeof nodeSelector>).nodeSelectorTerms ?? [];
    set.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, path.child('nodeSelector')));
    if (terms.length !== 1) {
      const at = path.child('nodeSelector').child('nodeSelectorTerms');
      errors.push(
        fieldInvalid(
          at,
          terms.length === 0 ? null : printResourceClaim('NodeSelectorTerm', terms),
          'must have exactly one node selector term',
        ),
      );
    }
  }
  for (const [name, flag] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (flag === true) set.push(`\`${name}\``);
    else if (flag === false) errors.push(fieldInvalid(path.child(name), flag, 'must be either unset or set to true'));
  }
  const rule = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) errors.push(fieldRequired(path, rule));
  if (set.length > 1) errors.push(fieldInvalid(path, `{${set.join(', ')}}`, `${rule}, but multiple fields are set`));
  return errors;
}

interface DeviceOptions {
  readonly old: Frozen<Device> | undefined;
  /** Each device says itself where it is. */
  readonly ownNodes: boolean;
}

function validateDevice(device: Frozen<Device>, path: FieldPath, { old, ownNodes }: DeviceOptions): FieldErrors {
  const { name, attributes = {}, capacity = {}, taints, consumesCounters, allowMultipleAllocations } = device;
  const errors = [...validateLabelLike(name, path.child('name'))];
  const [attributeCount, capacityCount] = [Object.keys(attributes).length, Object.keys(capacity).length];
  if (attributeCount + capacityCount > 32) {
    errors.push(
      fieldInvalid(
        path,
        attributeCount + capacityCount,
        'the total number of attributes and capacities must not exceed 32',
      ),
    );
  }
  if (attributeCount > 48)
    errors.push(fieldInvalid(path, attributeCount, 'the total number of attribute values must not exceed 48'));
  const keys = { itemsMax: Infinity, keyBytesMax: qualifiedNameBytesMax, checkKey: validateQualifiedName };
  errors.push(
    ...validateMap(attributes, path.child('attributes'), { ...keys, check: validateAttribute }),
    ...validateMap(capacity, path.child('capacity'), {
      ...keys,
      check: (item, at) => validateCapacity(item, at, allowMultipleAllocations === true),
    }),
  );
  if (old === undefined || !deepEqual(old.taints, taints)) {
    errors.push(...validateList(taints, path.child('taints'), { itemsMax: 16, check: validateTaint }));
  }
  errors.push(
    ...validateSet(consumesCounters, path.child('consumesCounters'), {
      itemsMax: 2,
      check: validateConsumption,
      key: ({ counterSet }) => counterSet,
    }),
    ...(ownNodes ? validateDeviceNodes(device, path) : validateNoNodes(device, path)),
    ...validateBindingConditions(device, path),
  );
  return errors;
}

function validateNoNodes({ nodeName, nodeSelector, allNodes }: Frozen<Device>, path: FieldPath): FieldErrors {
  if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
  const rule =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [fieldInvalid(path, null, rule)];
}

function validateDeviceNodes({ nodeName, nodeSelector, allNodes }: Frozen<Device>, path: FieldPath): FieldErrors {
  const errors: FieldError[] = [];
  const set: string[] = [];
  if (nodeName === '') errors.push(fieldInvalid(path.child('nodeName'), nodeName, 'must not be empty'));
  else if (nodeName !== undefined) {
    set.push('`nodeName`');
    errors.push(...invalidEach(path.child('nodeName'), nodeName, isDns1123Subdomain(nodeName)));
  }
  if (nodeSelector !== undefined) {
    set.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, path.child('nodeSelector')));
  }
  if (allNodes === true) set.push('`allNodes`');
  else if (allNodes === false)
    errors.push(fieldInvalid(path.child('allNodes'), allNodes, 'must be either unset or set to true'));
  const condition = 'is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  const rule = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` ${condition}`;
  if (set.length === 0) errors.push(fieldRequired(path, rule));
  if (set.length > 1) errors.push(fieldInvalid(path, `{${set.join(', ')}}`, rule));
  return errors;
}

const valueBytesMax = 64;

function validateAttribute(attribute: Frozen<DeviceAttribute>, path: FieldPath): FieldErrors {
  const { string, version } = attribute;
  const errors: FieldError[] = [];
  if (string !== undefined && utf8Length(string) > valueBytesMax)
    errors.push(fieldTooLong(path.child('string'), valueBytesMax));
  if (version !== undefined) {
    const at = path.child('version');
    if (!semanticVersion.test(version))
      errors.push(fieldInvalid(at, version, 'must be a string compatible with semver.org spec 2.0.0'));
    if (utf8Length(version) > valueBytesMax) errors.push(fieldTooLong(at, valueBytesMax));
  }
  const values = Object.keys(attribute).length;
  if (values !== 1)
    errors.push(
      fieldInvalid(
        path,
        values === 0 ? '' : printResourceClaim('Attribute', attribute),
        'exactly one value must be specified',
      ),
    );
  return errors;
}

/** Parts cannot contain the dots, hyphens and pluses between them, so there is one way to read a text. */
const semanticVersion =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

function validateTaint({ key = '', value = '', effect = '' }: Loose<DeviceTaint>, path: FieldPath): FieldErrors {
  const at = path.child('effect');
  return [
    ...validateLabelName(key, path.child('key')),
    ...invalidEach(path.child('value'), value, isLabelValue(value)),
    ...(effect === ''
      ? [fieldRequired(at)]
      : taintEffects.includes(effect)
        ? []
        : [fieldNotSupported(at, printedWord(effect), taintEffects)]),
  ];
}

function validateCounterSet({ name, counters }: Frozen<CounterSet>, path: FieldPath): FieldErrors {
  return validateCounters(name, counters, path, 'name');
}

function validateConsumption({ counterSet, counters }: Frozen<DeviceCounterConsumption>, path: FieldPath): FieldErrors {
  return validateCounters(counterSet, counters, path, 'counterSet');
}

function validateCounters(
  name: string,
  counters: Frozen<Record<string, Counter>> | undefined,
  path: FieldPath,
  field: string,
): FieldErrors {
  const errors = name === '' ? [fieldRequired(path.child(field))] : validateLabelLike(name, path.child(field));
  const at = path.child('counters');
  if (counters === undefined || Object.keys(counters).length === 0) return [...errors, fieldRequired(at)];
  return [
    ...errors,
    ...validateMap(counters, at, { itemsMax: 32, keyBytesMax: 63, checkKey: validateLabelLike, check: () => [] }),
  ];
}
