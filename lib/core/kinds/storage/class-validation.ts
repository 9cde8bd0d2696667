// What StorageClasses, VolumeAttributesClasses and the objects of CSI drivers have in common.
// As pkg/apis/storage/validation/validation.go and pkg/apis/core/validation, ValidateCSIDriverName.
import { fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length } from '../../objects/character-classes.js';
import { isDns1123Subdomain, isQualifiedName } from '../../objects/names.js';
import { invalidEach } from '../invalid-each.js';

type StringMap = Readonly<Record<string, string>>;

/** Who makes volumes: a qualified name in any case. */
export function validateProvisioner(provisioner: string, path: FieldPath): readonly FieldError[] {
  if (provisioner === '') return [fieldRequired(path)];
  const name = provisioner.toLowerCase();
  return invalidEach(path, name, isQualifiedName(name));
}

/** Parameters of a class: bounded in number and size, every key has a name. */
export function validateParameters(
  parameters: StringMap | undefined,
  path: FieldPath,
  allowEmpty: boolean,
): readonly FieldError[] {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > parametersMax) return [fieldTooLong(path, parametersMax)];
  const errors = entries.some(([key]) => key === '') ? [fieldInvalid(path, '', 'field can not be empty.')] : [];
  if (mapBytes(entries) > parameterBytesMax) errors.push(fieldTooLong(path, parameterBytesMax));
  if (!allowEmpty && entries.length === 0) errors.push(fieldRequired(path, 'must contain at least one key/value pair'));
  return errors;
}

/** The bytes of all keys and values. */
export function mapBytes(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((bytes, [key, value]) => bytes + utf8Length(key) + utf8Length(value), 0);
}

/** The name of a CSI driver, as others refer to it: at most 63 bytes, a subdomain in any case. */
export function validateCsiDriverName(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [fieldRequired(path)];
  const tooLong = utf8Length(name) > driverNameBytesMax ? [fieldTooLong(path, driverNameBytesMax)] : [];
  return [...tooLong, ...invalidEach(path, name, isDns1123Subdomain(name.toLowerCase()))];
}

const parametersMax = 512;
const parameterBytesMax = 256 * 1024;
const driverNameBytesMax = 63;
