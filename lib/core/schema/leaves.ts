// Leaf values: what each scalar kind accepts and the one form in which the engine keeps it. Anything that is not of
// the right JSON type answers `mismatch`, which the walker words with the path; a value that is of the right type but
// means nothing (a bad quantity, time or base64) throws Kubernetes' own words. A zero time is null: it was never set.
import type { JsonValue } from '../objects/json.js';
import { canonicalQuantity } from '../objects/quantity.js';
import { canonicalMicroTime, canonicalTime } from '../objects/time.js';
import { canonicalBase64 } from '../go/base64.js';
import type { ScalarKind } from './type.js';

/** The value has the wrong JSON type. */
export const mismatch: unique symbol = Symbol('mismatch');

const int32Max = 2 ** 31 - 1;

/**
 * Checks a leaf and brings it into canonical form. Integers beyond 2^53 are refused although Go has room for them:
 * JavaScript would keep another number than the one that was sent.
 */
export function decodeLeaf(kind: Exclude<ScalarKind, 'raw' | 'json'>, value: unknown): unknown {
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? value : mismatch;
    case 'bool':
      return typeof value === 'boolean' ? value : mismatch;
    case 'int32':
      return isInt32(value) ? value : mismatch;
    case 'int64':
      return Number.isSafeInteger(value) ? value : mismatch;
    case 'double':
      return Number.isFinite(value) ? value : mismatch;
    case 'int-or-string':
      return typeof value === 'string' || isInt32(value) ? value : mismatch;
    case 'quantity':
      return canonicalQuantity(value);
    case 'time':
      return typeof value === 'string' ? canonicalTime(value) : mismatch;
    case 'micro-time':
      return typeof value === 'string' ? canonicalMicroTime(value) : mismatch;
    case 'bytes':
      return typeof value === 'string' ? canonicalBase64(value) : mismatch;
  }
}

/** What Go holds in a leaf that was never set. */
export function zeroLeaf(kind: ScalarKind): JsonValue {
  switch (kind) {
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'int-or-string':
      return 0;
    case 'quantity':
      return '0';
    case 'string':
    case 'bytes':
      return '';
    default:
      return null;
  }
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) <= int32Max && (value as number) >= -int32Max - 1;
}
