// Kinds, names and resources that references of this group must name.
import { fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isPathSegment } from '../../objects/names.js';
import { invalidEach } from '../invalid-each.js';

/** A name that can be a segment of a URL's path, and must be there. */
export function validateRequiredSegment(value: string, path: FieldPath): readonly FieldError[] {
  return value === '' ? [fieldRequired(path)] : invalidEach(path, value, isPathSegment(value));
}
