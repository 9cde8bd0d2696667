// Names of a custom resource: plural, singular, kind, list kind, short names, categories.
// As apiextensions-apiserver/pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionNames.
import { visitUntilFull } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isDns1035Label } from '../../objects/names.js';
import type { CustomResourceDefinitionNames } from '../../types/apiextensions-v1.generated.js';
import type { Loose } from '../loose.js';

type Names = Loose<CustomResourceDefinitionNames>;

/** The names a specification must have; those of a status come later. */
export function validateRequiredNames(names: Names, path: FieldPath): readonly FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => (names[name] ?? '') === '')
    .map((name) => fieldRequired(path.child(name)));
}

/** Validates the names that are there. */
export function validateNames(names: Names, path: FieldPath): readonly FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const errors = [
    ...validateLabel(plural, path.child('plural')),
    ...validateLabel(singular, path.child('singular')),
    ...validateMixedCase(kind, path.child('kind')),
    ...validateMixedCase(listKind, path.child('listKind')),
  ];
  visitUntilFull(shortNames, errors, (name, index) =>
    errors.push(...validateItem(name, path.child('shortNames').index(index))),
  );
  if (kind !== '' && kind === listKind)
    errors.push(fieldInvalid(path.child('listKind'), listKind, 'kind and listKind may not be the same'));
  visitUntilFull(categories, errors, (name, index) =>
    errors.push(...validateItem(name, path.child('categories').index(index))),
  );
  return errors;
}

function validateLabel(name: string, path: FieldPath): readonly FieldError[] {
  return name === '' ? [] : validateItem(name, path);
}

function validateItem(name: string, path: FieldPath): readonly FieldError[] {
  const wrong = isDns1035Label(name);
  return wrong.length === 0 ? [] : [fieldInvalid(path, name, wrong.join(','))];
}

function validateMixedCase(name: string, path: FieldPath): readonly FieldError[] {
  const wrong = name === '' ? [] : isDns1035Label(name.toLowerCase());
  return wrong.length === 0
    ? []
    : [fieldInvalid(path, name, `may have mixed case, but should otherwise match: ${wrong.join(',')}`)];
}
