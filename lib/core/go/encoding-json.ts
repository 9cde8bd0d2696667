// JSON inside annotations, written and read as Go's encoding/json does: conversions keep there what a version has no
// field for. Writing escapes what could end a script element. Reading takes keys whatever their case, null as nothing,
// nothing as the zero value, and leaves out what it does not know; a value of the wrong type throws ParseError, on
// which Kubernetes ignores the whole annotation. For the conversions of this folder.
import { isJsonObject } from '../objects/json.js';
import { ParseError, isParseError } from '../objects/parse-error.js';
import { canonicalQuantity } from '../objects/quantity.js';

/**
 * A value as JSON text. Objects are Go structures: their keys keep the order of the builder, and undefined is left out.
 * Maps are Go maps, printed by key (an object would put `12` before `-x`).
 */
export function printGoJson(value: unknown): string {
  return print(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What `read` makes of a JSON text, or undefined where text or types are wrong. */
export function readGoJson<T>(text: string, read: (value: unknown) => T): T | undefined {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || isParseError(error)) return undefined;
    throw error;
  }
}

/** The members of an object by name, whatever their case; the last of several counts. */
export function readMembers(value: unknown): (name: string) => unknown {
  if (value === null || value === undefined) return () => undefined;
  if (!isJsonObject(value)) throw mistyped('struct');
  const members = new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
  return (name) => members.get(name.toLowerCase());
}

/** Reads a string. */
export function readText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') throw mistyped('string');
  return value;
}

/** Reads a number of 32 bits. */
export function readInt32(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== 'number' || value !== Math.trunc(value) || value !== (value | 0)) throw mistyped('int32');
  return value;
}

/** Reads a quantity, a string or a number, into its canonical form. */
export function readQuantity(value: unknown): string {
  return value === null || value === undefined ? '0' : canonicalQuantity(value);
}

/** Reads a list. */
export function readList<T>(value: unknown, read: (item: unknown) => T): T[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw mistyped('slice');
  return value.map((item) => read(item));
}

/** Reads what Go holds by pointer: null and nothing are absent, anything else is a value, however empty. */
export function readOptional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === null || value === undefined ? undefined : read(value);
}

function print(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(print).join()}]`;
  if (value instanceof Map) return printMembers([...value].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return printMembers(Object.entries(value).filter(([, member]) => member !== undefined));
}

function printMembers(members: readonly (readonly [unknown, unknown])[]): string {
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${print(member)}`).join()}}`;
}

/** Returns the name that Go's decoder has for the type of a JSON value. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Returns the message of Go's UnmarshalTypeError; `target` is such as `value of type string`. */
export function unmarshalTypeError(value: unknown, target: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go ${target}`;
}

function mistyped(goType: string): ParseError {
  return new ParseError(`json: cannot unmarshal into Go value of type ${goType}`);
}
