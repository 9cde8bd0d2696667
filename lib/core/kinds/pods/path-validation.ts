// Paths of files that pods name: inside a volume, below a directory of the node. Only their text is looked at.
// As pkg/apis/core/validation/validation.go, validatePathNoBacksteps and the functions on it.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { noErrors } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';

/** A path without `..` among its parts. */
export function validateNoBacksteps(target: string, path: FieldPath): FieldErrors {
  return hasBackstep(target) ? [fieldInvalid(path, target, "must not contain '..'")] : noErrors;
}

/** Returns whether `..` is a part of the path. */
export function hasBackstep(target: string): boolean {
  return target.includes('..') && target.split('/').includes('..');
}

/** A relative path that stays below where it starts. */
export function validateDescendingPath(target: string, path: FieldPath): FieldErrors {
  const backsteps = validateNoBacksteps(target, path);
  return target.startsWith('/') ? [fieldInvalid(path, target, 'must be a relative path'), ...backsteps] : backsteps;
}

/** A descending path whose first part does not begin with `..`: those names are the kubelet's own. */
export function validateUnreservedPath(target: string, path: FieldPath): FieldErrors {
  const errors = validateDescendingPath(target, path);
  if (!target.startsWith('..') || target.startsWith('../')) return errors;
  return [...errors, fieldInvalid(path, target, "must not start with '..'")];
}
