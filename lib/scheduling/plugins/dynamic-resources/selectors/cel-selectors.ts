// Compiles device selectors by CEL, and makes the variable `device` of the devices that slices offer: a name without a
// domain belongs to the domain of the driver. Values and compiled selectors are cached.
import { DeviceDomains, deviceSelectors, quantityValue, semverValue } from '../../../../cel/index.js';
import type { CelValue, DeviceValue } from '../../../../cel/index.js';
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import type { OfferedDevice } from '../allocation/devices.js';
import { SelectorError } from './device-selectors.js';
import type { DeviceMatcher, SelectorCompiler } from './device-selectors.js';

/** Creates a compiler that caches the most recently used expressions. */
export function celSelectors(): SelectorCompiler {
  const cache = new Map<string, DeviceMatcher | SelectorError>();
  const compile = deviceSelectors();
  const compiled = (expression: string): DeviceMatcher | SelectorError => {
    const selector = compile(expression);
    if ('error' in selector) return new SelectorError('compile', selector.error);
    return (device) => evaluate(() => selector.matches(deviceValue(device)));
  };
  return {
    compile: (expression) => {
      const known = cache.get(expression) ?? compiled(expression);
      cache.delete(expression);
      cache.set(expression, known);
      const [oldest] = cache.keys();
      if (cache.size > cacheMax && oldest !== undefined) cache.delete(oldest);
      if (known instanceof SelectorError) throw known;
      return known;
    },
  };
}

const cacheMax = 100;

function evaluate(matches: () => boolean): boolean {
  try {
    return matches();
  } catch (error) {
    throw new SelectorError('runtime', error instanceof Error ? error.message : String(error));
  }
}

function deviceValue(device: OfferedDevice): DeviceValue {
  const known = valuesByDevice.get(device);
  if (known !== undefined) return known;
  const { driver, spec } = device;
  const value: DeviceValue = {
    driver,
    allowMultipleAllocations: spec.allowMultipleAllocations ?? false,
    attributes: byDomain(driver, spec.attributes, attributeValue),
    capacity: byDomain(driver, spec.capacity, (capacity) => quantityValue(capacity.value)),
  };
  valuesByDevice.set(device, value);
  return value;
}

const valuesByDevice = new WeakMap<OfferedDevice, DeviceValue>();

function byDomain<T>(
  driver: string,
  named: Readonly<Record<string, T>> = {},
  valueOf: (each: T) => CelValue,
): CelValue {
  const domains = new Map<string, [string, CelValue][]>();
  for (const [qualified, each] of Object.entries(named)) {
    const slash = qualified.indexOf('/');
    const domain = slash < 0 ? driver : qualified.slice(0, slash);
    const values = domains.get(domain) ?? [];
    values.push([qualified.slice(slash + 1), valueOf(each)]);
    domains.set(domain, values);
  }
  return new DeviceDomains(
    Object.fromEntries(Array.from(domains, ([domain, values]) => [domain, Object.fromEntries(values)])),
  );
}

function attributeValue({ string, int, bool, version }: Frozen<resourceV1.DeviceAttribute>): CelValue {
  if (string !== undefined) return string;
  if (int !== undefined) return int;
  if (bool !== undefined) return bool;
  if (version !== undefined) return semverValue(version);
  throw new Error('unsupported attribute value');
}
