// Names with an owner: a domain, a slash and a path.
// As apimachinery/pkg/util/validation/validation.go, IsDomainPrefixedPath.
import { fieldInvalid, fieldRequired } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { isDns1123Subdomain } from '../objects/names.js';
import { invalidEach } from './invalid-each.js';

/** Validates such a name, which must be given. */
export function validateDomainPrefixedPath(value: string, path: FieldPath): readonly FieldError[] {
  if (value === '') return [fieldRequired(path)];
  const slash = value.indexOf('/');
  if (slash < 1 || slash === value.length - 1)
    return [fieldInvalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const domain = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  const wrong = invalidEach(path, domain, isDns1123Subdomain(domain));
  return httpPath.test(rest)
    ? wrong
    : [
        ...wrong,
        fieldInvalid(path, rest, `Invalid path (regex used for validation is '${httpPath.source.slice(1, -1)}')`),
      ];
}

const httpPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
