// Estimates how much memory a JSON value takes, for bounds on history. The estimate follows V8's layout roughly: it is
// meant to be within a factor of two, and costs about 20 ns for each member.
import { isJsonObject } from './json.js';
import type { JsonObject } from './json.js';

/** Bytes of an object or array without its members. */
const containerBytes = 24;

/** Bytes of a reference to a member, and of a number. */
const wordBytes = 8;

/** Bytes of a string without its characters. */
const stringBytes = 16;

/**
 * Returns about how many bytes a JSON value takes besides the parts that it shares with `other`. Objects and
 * arrays are shared where both have the same reference under the same keys, as after a change by copying the path.
 * Strings always count: equal ones may be two copies.
 */
export function memoryBytes(value: unknown, other?: unknown): number {
  if (typeof value === 'string') return stringBytes + value.length;
  if (typeof value !== 'object' || value === null) return wordBytes;
  if (value === other) return 0;
  let bytes = containerBytes;
  if (isJsonObject(value)) {
    const others = isJsonObject(other) ? other : none;
    for (const key in value) bytes += wordBytes + memoryBytes(value[key], others[key]);
    return bytes;
  }
  if (!Array.isArray(value)) return bytes;
  const others = Array.isArray(other) ? (other as readonly unknown[]) : [];
  for (let at = 0; at < value.length; at += 1) bytes += wordBytes + memoryBytes(value[at], others[at]);
  return bytes;
}

const none: JsonObject = {};
