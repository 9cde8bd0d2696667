// What StorageClasses, VolumeAttributesClasses have in common.
// As pkg/apis/storage/validation/validation.go.
import { fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isQualifiedName } from '../../objects/names.js';
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

const parametersMax = 512;
const parameterBytesMax = 256 * 1024;
