// Path elements: one step from an object or list to a member, in the text form of FieldsV1.
//
//   f:NAME   a member of a map or structure
//   k:{…}    an item of a list map: its key fields as JSON, sorted by name
//   v:JSON   an item of a set: its value
//   i:N      an item by its index
//
// Two elements are the same step exactly if their texts are equal. Order and texts are those of Kubernetes.
// As sigs.k8s.io/structured-merge-diff/v6/fieldpath, PathElement and its serialization.
import { quote } from '../go/format.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject } from '../objects/json.js';

/** Returns the element of a member. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** Returns the element of an item in a list map. The fields need no order. */
export function keyElement(fields: readonly (readonly [name: string, value: JsonValue])[]): string {
  const sorted = fields.length < 2 ? fields : [...fields].sort(([a], [b]) => compareText(a, b));
  return `k:{${sorted.map(([name, value]) => `${elementJson(name)}:${elementJson(value)}`).join(',')}}`;
}

/** Returns the element of an item in a set. */
export function valueElement(value: JsonValue): string {
  return `v:${elementJson(value)}`;
}

/** JSON as Go writes it, which escapes HTML. */
function elementJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return unsafe.test(text) ? text.replace(unsafeEach, escaped) : text;
}

const unsafe = /[<>&\u2028\u2029]/;
const unsafeEach = /[<>&\u2028\u2029]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Returns the canonical text of an element that a client sent; undefined for a type of element that is not known,
 * which Kubernetes ignores. Throws an Error for text that is no element.
 */
export function parseElement(text: string): string | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(JSON.parse(rest) as JsonValue);
    case 'k': {
      const fields: unknown = JSON.parse(rest);
      if (!isJsonObject(fields)) throw new Error(`expected an object: ${rest}`);
      return keyElement(Object.entries(fields));
    }
    case 'i':
      if (!/^[+-]?[0-9]+$/.test(rest)) throw new Error(`strconv.Atoi: parsing ${quote(rest)}: invalid syntax`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

/** Orders canonical elements: fields, then keys, then values, then indexes. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  const type = a.charCodeAt(0);
  if (type !== b.charCodeAt(0)) return rankOf(type) - rankOf(b.charCodeAt(0));
  if (type === fieldType) return compareText(a, b);
  if (type === keyType) return compareSingleKeys(a, b) ?? compareKeys(keyFieldsOf(a), keyFieldsOf(b));
  return compareValues(JSON.parse(a.slice(2)) as JsonValue, JSON.parse(b.slice(2)) as JsonValue);
}

const fieldType = 'f'.charCodeAt(0);
const keyType = 'k'.charCodeAt(0);
const valueType = 'v'.charCodeAt(0);

function rankOf(type: number): number {
  return type === fieldType ? 0 : type === keyType ? 1 : type === valueType ? 2 : 3;
}

/** Compares elements with one key field that is plain text, which most are, without parsing them. */
function compareSingleKeys(a: string, b: string): number | undefined {
  const one = singleKey.exec(a);
  const other = one && singleKey.exec(b);
  if (one === null || other === null) return undefined;
  return compareText(one[1] ?? '', other[1] ?? '') || compareText(one[2] ?? '', other[2] ?? '');
}

const singleKey = /^k:\{"([^"\\]*)":"([^"\\]*)"\}$/;

/** The key fields of a `k:` element. */
function keyFieldsOf(element: string): JsonObject {
  return JSON.parse(element.slice(2)) as JsonObject;
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const [left, right] = [sortedEntries(a), sortedEntries(b)];
  for (let index = 0; ; index++) {
    const [one, other] = [left[index], right[index]];
    if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
    const order = compareText(one[0], other[0]) || compareValues(one[1], other[1]);
    if (order !== 0) return order;
  }
}

function sortedEntries(fields: JsonObject): readonly [string, JsonValue][] {
  return Object.entries(fields).sort(([a], [b]) => compareText(a, b));
}

/** Orders values: numbers, strings, booleans, lists, maps, null. As value.Compare of structured-merge-diff. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const order = valueRank(a) - valueRank(b);
  if (order !== 0) return order;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return compareText(JSON.stringify(a), JSON.stringify(b)); // lists and maps are no keys of built-in kinds
}

function valueRank(value: JsonValue): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  return value === null ? 5 : Array.isArray(value) ? 3 : 4;
}

/** Orders text by its bytes in UTF-8, as Go does. UTF-16 would order surrogates before U+E000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one !== other) return scalarOrder(one) - scalarOrder(other);
  }
  return a.length - b.length;
}

function scalarOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** Prints an element for messages: `.name`, `[name="c"]`, `[="v"]`, `[0]`. */
export function printElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('k:'))
    return `[${sortedEntries(keyFieldsOf(element))
      .map(([name, value]) => `${name}=${printValue(value)}`)
      .join(',')}]`;
  return element.startsWith('v:') ? `[=${printValue(JSON.parse(rest) as JsonValue)}]` : `[${rest}]`;
}

function printValue(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => printValue(item)).join(',')}]`;
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, member]) => `${name}=${printValue(member)}`)
      .join('');
  return JSON.stringify(value);
}
