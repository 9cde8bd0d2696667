// Constraints of a claim: the devices of some or all of its requests must have the same or distinct values of an
// attribute. As dynamic-resource-allocation/structured, constraint.go; unlike there, devices of the same request are
// compared too.
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import type { DeviceDemand } from './device-demands.js';
import type { OfferedDevice } from './devices.js';

/** A constraint during a search. */
export interface Constraint {
  /** Adds a device. Returns false, without adding it, if the constraint forbids it. */
  add(demand: DeviceDemand, device: OfferedDevice): boolean;
  /** Removes the device that was added last. */
  remove(demand: DeviceDemand): void;
}

/** Creates a constraint without devices; undefined for an unknown type of constraint. */
export function constraintOf({
  requests = [],
  matchAttribute,
  distinctAttribute,
}: Frozen<resourceV1.DeviceConstraint>): Constraint | undefined {
  const attribute = matchAttribute ?? distinctAttribute;
  if (attribute === undefined) return undefined;
  const allows = matchAttribute === undefined ? areDistinct : areAlike;
  const values: string[] = [];
  const concerns = ({ request, name }: DeviceDemand): boolean =>
    requests.length === 0 || requests.includes(request) || requests.includes(name);
  return {
    add: (demand, device) => {
      if (!concerns(demand)) return true;
      const value = attributeValue(device, attribute);
      if (value === undefined || !allows(values, value)) return false;
      values.push(value);
      return true;
    },
    remove: (demand) => {
      if (concerns(demand)) values.pop();
    },
  };
}

function areAlike(values: readonly string[], value: string): boolean {
  return values.length === 0 || values[0] === value;
}

function areDistinct(values: readonly string[], value: string): boolean {
  return !values.includes(value);
}

/** Returns type and value of an attribute as one string. A name without a domain belongs to the driver's domain. */
export function attributeValue({ driver, spec: { attributes = {} } }: OfferedDevice, name: string): string | undefined {
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : undefined;
  const key = Object.hasOwn(attributes, name)
    ? name
    : own !== undefined && Object.hasOwn(attributes, own)
      ? own
      : undefined;
  const attribute = key === undefined ? undefined : attributes[key];
  if (attribute === undefined) return undefined;
  const { string, int, bool, version } = attribute;
  if (string !== undefined) return `string ${string}`;
  if (int !== undefined) return `int ${int}`;
  if (bool !== undefined) return `bool ${bool}`;
  return version === undefined ? undefined : `version ${version}`;
}
