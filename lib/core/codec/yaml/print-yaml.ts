/**
 * JSON values to YAML in the style of kubectl: blocks of two spaces, lists at the level of their key, keys in go-yaml's
 * natural order, strings quoted only where they would be read as something else, long ones folded at 80 columns. The
 * text is the one that sigs.k8s.io/yaml prints, and parse-yaml.ts reads it back as the same value.
 */
import type { JsonObject, JsonValue } from '../../objects/json.js';
import { isJsonObject } from '../../objects/json.js';
import { printNumber } from './print-number.js';
import { printSimpleKey, printString } from './print-string.js';

/** Prints one document. Values nested more than a thousand deep are refused with a RangeError. */
export function printYaml(value: JsonValue): string {
  return `${printBlock(value, 0)}\n`;
}

/** A value whose collections start at column `indent`; the first line comes without indentation. */
function printBlock(value: JsonValue, indent: number): string {
  if (indent > indentMax) throw new RangeError('a value nested this deep is not printed as YAML');
  if (isFilledList(value))
    return value.map((item) => `- ${printBlock(item, indent + 2)}`).join(`\n${' '.repeat(indent)}`);
  if (isFilledMap(value)) return printMap(value, indent);
  return printLeaf(value, { column: indent, indent: Math.max(indent, 2) });
}

const indentMax = 2000;

function printMap(map: JsonObject, indent: number): string {
  const margin = ' '.repeat(indent);
  const entries = Object.keys(map)
    .sort(naturalOrder)
    .map((name) => {
      const value = map[name] ?? null;
      const key = printSimpleKey(name);
      if (key === undefined)
        return `? ${printString(name, { column: indent + 2, indent: indent + 2 })}\n${margin}: ${printBlock(value, indent + 2)}`;
      if (isFilledList(value)) return `${key}:\n${margin}${printBlock(value, indent)}`;
      if (isFilledMap(value)) return `${key}:\n${margin}  ${printMap(value, indent + 2)}`;
      return `${key}: ${printLeaf(value, { column: indent + key.length + 2, indent: indent + 2 })}`;
    });
  return entries.join(`\n${margin}`);
}

function printLeaf(value: JsonValue, place: { readonly column: number; readonly indent: number }): string {
  if (typeof value === 'string') return printString(value, place);
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? '[]' : '{}';
}

function isFilledList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

function isFilledMap(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/**
 * Compares two keys in the order in which go-yaml prints them (its sorter.go, keyList.Less): letters after everything
 * else, and numbers inside words by their value, so that `item2` comes before `item10`.
 */
function naturalOrder(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  // Two characters beyond 16 bits may differ in their second half only.
  if (isLowSurrogate(a.charCodeAt(at)) && isLowSurrogate(b.charCodeAt(at))) at--;
  const x = a.codePointAt(at) ?? 0;
  const y = b.codePointAt(at) ?? 0;
  const [xIsLetter, yIsLetter] = [isLetter(x), isLetter(y)];
  if (xIsLetter !== yIsLetter) return xIsLetter ? 1 : -1;
  return (xIsLetter ? 0 : compareNumbers(a, b, at)) || x - y;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function isLetter(codePoint: number): boolean {
  if (codePoint < 0x80) return (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
  return /^\p{L}$/u.test(String.fromCodePoint(codePoint));
}

/** By the numbers that begin where the keys first differ; a zero there may be inside of a number that began before. */
function compareNumbers(a: string, b: string, at: number): number {
  const x = numberAt(a, at);
  const y = numberAt(b, at);
  const lead =
    (x.startsWith('0') || y.startsWith('0')) && /[1-9]\d*$/.test(a.slice(Math.max(at - 20, 0), at)) ? '1' : '';
  return Number(lead + x) - Number(lead + y) || x.length - y.length;
}

function numberAt(text: string, at: number): string {
  return /^\d*/.exec(text.slice(at, at + 20))?.[0] ?? '';
}
