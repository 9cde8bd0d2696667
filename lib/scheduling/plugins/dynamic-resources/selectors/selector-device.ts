// A device as selectors see it: attributes and capacities by domain and name. A name without domain belongs to the
// domain of the driver. A domain that the device knows nothing of is empty, not missing. As
// dynamic-resource-allocation/cel.
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import type { OfferedDevice } from '../allocation/devices.js';
import { failure, quantityValue, versionValue } from './selector-values.js';
import type { Value } from './selector-values.js';

/** The value that `device` stands for. Asked again with the same device, the same value. */
export function deviceValue(device: OfferedDevice): Value {
  const known = valuesByDevice.get(device);
  if (known !== undefined) return known;
  const { driver, spec } = device;
  const value: Value = new Map<string, Value>([
    ['driver', driver],
    ['allowMultipleAllocations', spec.allowMultipleAllocations ?? false],
    ['attributes', byDomain(driver, spec.attributes, attributeOf)],
    ['capacity', byDomain(driver, spec.capacity, ({ value: amount }) => quantityValue(amount))],
  ]);
  valuesByDevice.set(device, value);
  return value;
}

const valuesByDevice = new WeakMap<OfferedDevice, Value>();

/** Maps of maps, where any domain may be asked for. */
class Domains extends Map<string, Value> {
  override get(domain: string): Value {
    return super.get(domain) ?? empty;
  }
}

const empty: Value = new Map();

function byDomain<T>(driver: string, named: Readonly<Record<string, T>> = {}, valueOf: (each: T) => Value): Value {
  const domains = new Map<string, Map<string, Value>>();
  for (const [qualified, each] of Object.entries(named)) {
    const slash = qualified.indexOf('/');
    const domain = slash < 0 ? driver : qualified.slice(0, slash);
    const values = domains.get(domain) ?? new Map<string, Value>();
    values.set(qualified.slice(slash + 1), valueOf(each));
    domains.set(domain, values);
  }
  return new Domains(domains);
}

function attributeOf({ string, int, bool, version }: Frozen<resourceV1.DeviceAttribute>): Value {
  if (string !== undefined) return string;
  if (int !== undefined) return BigInt(int);
  if (bool !== undefined) return bool;
  if (version !== undefined) return versionValue(version);
  throw failure('unsupported attribute value');
}
