// What is wrong with one field: a reason, the field's path and a sentence, exactly as they appear among the causes
// of an Invalid status. Texts as apimachinery/pkg/util/validation/field/errors.go of v1.36.
//
// Makers are named after the reason. They print the rejected value at once, so an error holds no reference to the
// object it complains about. Any validation may call them; `invalid` in object-errors.ts gathers the results.
import type { FieldPath } from './field-path.js';
import { aggregateText, formatValue, quote } from '../go/format.js';
import type { CauseReason } from './status.js';

/** The causes that are about a field's value. */
export type FieldErrorReason = Extract<CauseReason, `FieldValue${string}` | 'InternalError'>;

/** One thing wrong with one field. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** The path as text. */
  readonly field: string;
  /** The sentence without the path, such as `Invalid value: 5: must be even`. */
  readonly message: string;
}

/** A value that must be given is missing or empty. */
export function fieldRequired(path: FieldPath, detail = ''): FieldError {
  return fieldError('FieldValueRequired', path, sentence('Required value', detail));
}

/** A value is malformed or out of bounds. */
export function fieldInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, sentence('Invalid value', formatValue(value), detail));
}

/**
 * The same of a value that is not printed, because it is large or plain to see. As field.Invalid with OmitValueType.
 */
export function fieldInvalidUnprinted(path: FieldPath, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, sentence('Invalid value', detail));
}

/** A value has the wrong type for its field. */
export function fieldTypeInvalid(path: FieldPath, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', path, sentence('Invalid value', formatValue(value), detail));
}

/** A value is none of an enumeration's; `supported` is printed in the order given. */
export function fieldNotSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : '';
  return fieldError('FieldValueNotSupported', path, sentence('Unsupported value', formatValue(value), detail));
}

/** A well-formed value is not permitted under the present conditions. */
export function fieldForbidden(path: FieldPath, detail: string): FieldError {
  return fieldError('FieldValueForbidden', path, sentence('Forbidden', detail));
}

/** A value that must be unique occurs twice. */
export function fieldDuplicate(path: FieldPath, value: unknown): FieldError {
  return fieldError('FieldValueDuplicate', path, sentence('Duplicate value', formatValue(value)));
}

/** The same of a value that is not printed. As field.Duplicate with OmitValueType. */
export function fieldDuplicateUnprinted(path: FieldPath): FieldError {
  return fieldError('FieldValueDuplicate', path, 'Duplicate value');
}

/** A value names something that does not exist. */
export function fieldNotFound(path: FieldPath, value: unknown): FieldError {
  return fieldError('FieldValueNotFound', path, sentence('Not found', formatValue(value)));
}

/** A string has too many bytes. A negative limit is not printed. */
export function fieldTooLong(path: FieldPath, bytesMax: number): FieldError {
  return tooLong(path, bytesMax, 'byte');
}

/** A string has too many characters, however many bytes they take. A negative limit is not printed. */
export function fieldTooLongCharacters(path: FieldPath, charactersMax: number): FieldError {
  return tooLong(path, charactersMax, 'character');
}

/** A string has too few characters. A negative limit is not printed. */
export function fieldTooShort(path: FieldPath, charactersMin: number): FieldError {
  const detail = charactersMin < 0 ? 'value is too short' : `must be at least ${counted(charactersMin, 'character')}`;
  return fieldError('FieldValueTooShort', path, sentence('Too short', detail));
}

/** A list has too many items. A negative count or limit is not printed. */
export function fieldTooMany(path: FieldPath, actual: number, itemsMax: number): FieldError {
  const detail = itemsMax < 0 ? 'has too many items' : `must have at most ${counted(itemsMax, 'item')}`;
  return fieldError('FieldValueTooMany', path, sentence('Too many', actual < 0 ? '' : String(actual), detail));
}

/** A list has too few items. A negative limit is not printed. */
export function fieldTooFew(path: FieldPath, actual: number, itemsMin: number): FieldError {
  const detail = itemsMin < 0 ? 'has too few items' : `must have at least ${counted(itemsMin, 'item')}`;
  return fieldError('FieldValueTooFew', path, sentence('Too few', String(actual), detail));
}

/** The server failed while it looked at the field; nothing the client sent is to blame. */
export function fieldInternal(path: FieldPath, detail: string): FieldError {
  return fieldError('InternalError', path, sentence('Internal error', detail));
}

/** The error as one sentence: path and message. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

/** Several errors as one sentence, as Kubernetes aggregates them: each once, in brackets unless there is only one. */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  return aggregateText(errors.map(fieldErrorText));
}

function fieldError(reason: FieldErrorReason, path: FieldPath, message: string): FieldError {
  return Object.freeze({ reason, field: path.toString(), message });
}

function tooLong(path: FieldPath, max: number, unit: string): FieldError {
  const detail = max < 0 ? 'value is too long' : `may not be more than ${counted(max, unit)}`;
  return fieldError('FieldValueTooLong', path, sentence('Too long', detail));
}

function sentence(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(': ');
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
