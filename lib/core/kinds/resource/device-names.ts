// Names of drivers, pools, devices, attributes and shares. As pkg/apis/resource/validation/validation.go.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { utf8Length, isCIdentifier, isDns1123Label, isDns1123Subdomain } from '../../objects/names.js';
import { validateDriverName } from '../driver-name.js';
import { invalidEach } from '../invalid-each.js';
import { printedWord } from '../printed-values.js';

type FieldErrors = readonly FieldError[];

/** A pool: subdomains joined by slashes. */
export function validatePoolName(name: string, path: FieldPath): FieldErrors {
  if (name === '') return [fieldRequired(path)];
  const tooLong = utf8Length(name) > poolBytesMax ? [fieldTooLong(path, poolBytesMax)] : [];
  // Each part may fail alone, so a hostile name must not have many; the limit on its length says enough.
  const parts = name.split('/', poolBytesMax);
  return [...tooLong, ...collect(parts, (part) => invalidEach(path, part, isDns1123Subdomain(part)))];
}

/** Devices, requests, counters. */
export function validateLabelLike(name: string, path: FieldPath): FieldErrors {
  return invalidEach(path, name, isDns1123Label(name));
}

/** An attribute or a capacity: an identifier, perhaps after `domain/`. More slashes pass, as in Kubernetes. */
export function validateQualifiedName(name: string, path: FieldPath): FieldErrors {
  const [first = '', second, third] = name.split('/', 3);
  if (second === undefined) return validateIdentifier(first, path);
  if (third !== undefined) return [];
  return [
    ...(first === '' ? [fieldInvalid(path, '', 'the domain must not be empty')] : validateDriverName(first, path)),
    ...(second === '' ? [fieldInvalid(path, '', 'the name must not be empty')] : validateIdentifier(second, path)),
  ];
}

/** An attribute with its domain. */
export function validateFullyQualifiedName(name: string, path: FieldPath): FieldErrors {
  const errors = validateQualifiedName(name, path);
  if (name.includes('/')) return errors;
  return [
    ...errors,
    fieldInvalid(path, printedWord(name), 'a fully qualified name must be a domain and a name separated by a slash'),
  ];
}

/** The most that a key of attributes or capacities can have. */
export const qualifiedNameBytesMax: number = 63 + 1 + 32;

/** The identity of a share: a UUID in its usual spelling. */
export function validateShareId(id: string, path: FieldPath): FieldErrors {
  const problem = uuidProblem(id);
  if (problem !== undefined) return [fieldInvalid(path, id, `error validating uid: ${problem}`)];
  if (id.length === 36 && id === id.toLowerCase()) return [];
  const form = '`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
  return [fieldInvalid(path, id, `uid must be in RFC 4122 normalized form, ${form}`)];
}

const poolBytesMax = 253;
const identifierBytesMax = 32;

function validateIdentifier(name: string, path: FieldPath): FieldErrors {
  const tooLong = utf8Length(name) > identifierBytesMax ? [fieldTooLong(path, identifierBytesMax)] : [];
  return [...tooLong, ...invalidEach(path, name, isCIdentifier(name))];
}

/** As github.com/google/uuid, Validate. */
function uuidProblem(id: string): string | undefined {
  const bytes = utf8Length(id);
  switch (bytes) {
    case 36 + 9: {
      const prefix = id.slice(0, 9);
      if (prefix.toLowerCase() !== 'urn:uuid:') return `invalid urn prefix: ${quote(prefix)}`;
      return uuidProblem(id.slice(9));
    }
    case 36 + 2:
      return id.startsWith('{') && id.endsWith('}') ? uuidProblem(id.slice(1, -1)) : 'invalid bracketed UUID format';
    case 36:
      return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id)
        ? undefined
        : 'invalid UUID format';
    case 32:
      return /^[0-9a-f]{32}$/i.test(id) ? undefined : 'invalid UUID format';
    default:
      return `invalid UUID length: ${bytes}`;
  }
}
