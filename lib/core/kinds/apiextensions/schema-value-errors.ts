// What can be wrong with a value, as kube-openapi/pkg/validation/errors/schema.go words it and
// apiextensions-apiserver/pkg/apiserver/validation/validation.go turns it into field errors. For schema-value.ts.
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  fieldTypeInvalid,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { formatValue, quote } from '../../go/format.js';
import { sortedJson } from '../../go/struct-form.js';

/** One thing wrong. */
export interface ValueError {
  /** By which the same error is recognized. */
  readonly text: string;
  /** The error, given the place of the root. */
  at(path: FieldPath): FieldError;
}

/** A value of another type, or a text that lacks its format: `found` is the type, or the text. */
export function wrongValueType(name: string, expected: string, found: string): ValueError {
  const text = `${name} in body must be of type ${expected}: ${quote(found)}`;
  return { text, at: (path) => fieldTypeInvalid(placeOf(path, name), found, text) };
}

/** A value that is none of those listed. */
export function notListed(name: string, value: unknown, listed: readonly unknown[]): ValueError {
  const words = listed.map((item) => (typeof item === 'string' ? item : formatValue(sortedJson(item))));
  return {
    text: `${name} in body should be one of [${words.join(' ')}]`,
    at: (path) => fieldNotSupported(placeOf(path, name), sortedJson(value), words),
  };
}

/** A property that must be there. */
export function missingValue(name: string): ValueError {
  return { text: `${name} in body is required`, at: (path) => fieldRequired(placeOf(path, name)) };
}

/** A text with too many characters. */
export function tooLongValue(name: string, max: number): ValueError {
  return {
    text: `${name} in body should be at most ${max} chars long`,
    at: (path) => fieldTooLong(placeOf(path, name), max),
  };
}

/** A list or an object with too much in it. */
export function tooManyValues(name: string, actual: number, max: number, noun = 'items'): ValueError {
  return {
    text: `${name} in body should have at most ${max} ${noun}`,
    at: (path) => fieldTooMany(placeOf(path, name), actual, max),
  };
}

/** Anything else about a value; `subject` is what the sentence is about, if not the value itself. */
export function invalidValue(name: string, value: unknown, sentence: string, subject: string = name): ValueError {
  const text = `${subject} in body ${sentence}`;
  return { text, at: (path) => fieldInvalid(placeOf(path, name), value, text) };
}

/** A factor that nothing can be a multiple of. */
export function wrongFactor(name: string, factor: number, printed: string): ValueError {
  const text = `factor MultipleOf declared for ${name} must be positive: ${printed}`;
  return { text, at: (path) => fieldInvalid(placeOf(path, name), factor, text) };
}

/** Something that is reported at the root whatever it is about. */
export function generalError(text: string): ValueError {
  return { text, at: (path) => fieldInvalid(path, '', text) };
}

function placeOf(path: FieldPath, name: string): FieldPath {
  return name === '' || name === '.' ? path : path.child(name.replace(/^\./, ''));
}
