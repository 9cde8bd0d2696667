// The bridge between syntax rules, which answer with sentences, and validation, which answers with field errors.
import { fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';

/** One error for each sentence about the value. */
export function invalidEach(path: FieldPath, value: unknown, sentences: readonly string[]): readonly FieldError[] {
  return sentences.length === 0 ? nothing : sentences.map((sentence) => fieldInvalid(path, value, sentence));
}

const nothing: readonly FieldError[] = Object.freeze([]);
