// Names of signers: `domain/path`, which say who may sign a certificate and what for.
// As pkg/apis/core/validation/names.go, ValidateSignerName.
import { fieldInvalid, fieldRequired, fieldTooLong } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { quote } from '../go/format.js';
import { utf8Length, isDns1123Label, isDns1123Subdomain } from '../objects/names.js';
import type { SyntaxRule } from '../objects/names.js';
import { invalidEach } from './invalid-each.js';

/** Validates the name of a signer. */
export function validateSignerName(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [fieldRequired(path)];
  const [domain = '', rest, ...more] = name.split('/', 3);
  if (rest === undefined || more.length > 0) {
    return [
      fieldInvalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  }
  return [
    ...(utf8Length(domain) > domainBytesMax ? [fieldTooLong(path, domainBytesMax)] : []),
    ...validateLabels(domain, path, isDns1123Label),
    ...(domain.includes('.')
      ? []
      : [fieldInvalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...validateLabels(rest, path, isDns1123Subdomain),
    ...(utf8Length(name) > nameBytesMax ? [fieldTooLong(path, nameBytesMax)] : []),
  ];
}

const domainBytesMax = 253;
/** A domain, a slash, and a path that holds a label, a dot and a subdomain. */
const nameBytesMax = 253 + 1 + 253 + 63 + 1;

/** The first label that is wrong, and no other. */
function validateLabels(text: string, path: FieldPath, rule: SyntaxRule): readonly FieldError[] {
  const label = text.split('.').find((each) => rule(each).length > 0);
  return label === undefined
    ? []
    : invalidEach(
        path,
        text,
        rule(label).map((sentence) => `validating label ${quote(label)}: ${sentence}`),
      );
}
