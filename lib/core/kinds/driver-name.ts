// Names of drivers, of CSI and of devices alike.
// As pkg/apis/core/validation, ValidateCSIDriverName, and pkg/apis/resource/validation, validateDriverName.
import { fieldRequired, fieldTooLong } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { utf8Length, isDns1123Subdomain } from '../objects/names.js';
import { invalidEach } from './invalid-each.js';

/** Returns what is wrong with the name of a driver: it is a DNS subdomain, in any case, of at most 63 bytes. */
export function validateDriverName(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [fieldRequired(path)];
  const tooLong = utf8Length(name) > nameBytesMax ? [fieldTooLong(path, nameBytesMax)] : [];
  return [...tooLong, ...invalidEach(path, name, isDns1123Subdomain(name.toLowerCase()))];
}

const nameBytesMax = 63;
