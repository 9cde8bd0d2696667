/**
 * JSON values to YAML in the style of kubectl: blocks of two spaces, lists at the level of their key, keys in go-yaml's
 * natural order, strings quoted only where they would be read as something else, long ones folded at 80 columns. The
 * text is the one that sigs.k8s.io/yaml prints, and parse-yaml.ts reads it back as the same value.
 */
import type { JsonObject, JsonValue } from '../../objects/json.js';
import { isJsonObject } from '../../objects/json.js';
import { naturalOrder } from './natural-order.js';
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
