// The few questions that validation of pods asks over and over: is it given, does it follow a rule, is it one of these.
// Each answers with the errors of one field; nothing wrong is the shared empty list.
import { findingsMax } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { SyntaxRule } from '../../objects/names.js';
import { printedWord } from '../printed-values.js';

/** What is wrong. */
export type FieldErrors = readonly FieldError[];

/** Nothing is wrong. */
export const noErrors: FieldErrors = Object.freeze([]);

/** A text, or list, that must not be empty. */
export function required(value: string | readonly unknown[] | undefined, path: FieldPath, detail = ''): FieldErrors {
  return value === undefined || value.length === 0 ? [fieldRequired(path, detail)] : noErrors;
}

/** A text that follows a rule. */
export function ruled(value: string, rule: SyntaxRule, path: FieldPath): FieldErrors {
  const wrong = rule(value);
  return wrong.length === 0 ? noErrors : wrong.map((sentence) => fieldInvalid(path, value, sentence));
}

/** A text that follows a rule if there is one. */
export function ruledIfGiven(value: string | undefined, rule: SyntaxRule, path: FieldPath): FieldErrors {
  return value === undefined || value === '' ? noErrors : ruled(value, rule, path);
}

/** A text that must be given and follow a rule. */
export function requiredAndRuled(value: string | undefined, rule: SyntaxRule, path: FieldPath): FieldErrors {
  return value === undefined || value === '' ? [fieldRequired(path)] : ruled(value, rule, path);
}

/** A value of an enumeration; an absent one is fine. */
export function validateOneOf(value: string | undefined, supported: readonly string[], path: FieldPath): FieldErrors {
  return value === undefined || supported.includes(value)
    ? noErrors
    : [fieldNotSupported(path, printedWord(value), supported)];
}

/** A value of an enumeration that must be given. */
export function requiredOneOf(value: string | undefined, supported: readonly string[], path: FieldPath): FieldErrors {
  return value === undefined || value === '' ? [fieldRequired(path)] : validateOneOf(value, supported, path);
}

/** A whole number of a closed range; an absent one is fine. */
export function inRange(value: number | undefined, min: number, max: number, path: FieldPath): FieldErrors {
  if (value === undefined || (value >= min && value <= max)) return noErrors;
  return [fieldInvalid(path, value, `must be between ${min} and ${max}, inclusive`)];
}

/** A user or group of Unix. */
export function unixId(value: number | undefined, path: FieldPath): FieldErrors {
  return inRange(value, 0, int32Max, path);
}

/** The permissions of a file. */
export function fileMode(value: number | undefined, path: FieldPath): FieldErrors {
  if (value === undefined || (value >= 0 && value <= 0o777)) return noErrors;
  return [fieldInvalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** Returns the errors of every item, as `collect` does; `check` receives the item and its path. */
export function each<T>(
  items: readonly T[] | undefined,
  path: FieldPath,
  check: (item: T, path: FieldPath, index: number) => FieldErrors,
): FieldErrors {
  if (items === undefined || items.length === 0) return noErrors;
  const errors: FieldError[] = [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (item === undefined || errors.length > findingsMax) break;
    const wrong = check(item, path.index(index), index);
    if (wrong.length > 0) errors.push(...wrong);
  }
  return errors;
}

/** The largest int32. */
export const int32Max: number = 2 ** 31 - 1;
