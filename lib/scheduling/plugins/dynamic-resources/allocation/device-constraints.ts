// Constraints of a claim: the devices that it is given for some of its requests, or for all, must agree in an attribute
// or must all differ in it. As dynamic-resource-allocation/structured, constraint.go; other than there, devices of one
// request are held against each other as well.
import type { Frozen } from '../../../../core/index.js';
import type { resourceV1 } from '../../../../core/types/index.js';
import type { DeviceDemand } from './device-demands.js';
import type { OfferedDevice } from './devices.js';

/** Watches over the devices of a claim while they are chosen. */
export interface Constraint {
  /** Adds a device for a demand. False, and nothing is added, where the constraint forbids it. */
  add(demand: DeviceDemand, device: OfferedDevice): boolean;
  /** Takes back the device that was added last. */
  remove(demand: DeviceDemand): void;
}

/** A constraint, before any device is chosen; undefined where it is of a kind that is not known. */
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

/** Type and value as one text. A name without domain belongs to the domain of the driver. */
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
