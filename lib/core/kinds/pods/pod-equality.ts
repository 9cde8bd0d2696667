// Whether two parts of a pod say the same: amounts count by their value, not by how they are written.
// As apimachinery/pkg/api/equality, Semantic.DeepEqual. Objects are decoded: what is empty is absent.
import { deepEqual, isJsonObject } from '../../objects/json.js';
import { compareQuantities } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';

/**
 * Returns whether two values are the same. Equal references, and values equal to the letter, are answered without a
 * walk.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  return deepEqual(a ?? null, b ?? null) || equalParts(a, b, false);
}

/** A copy with a field replaced, or without the field. */
export function withField<T extends object, K extends keyof T>(object: T, field: K, value: T[K] | undefined): T {
  const copy = { ...object };
  if (value === undefined) delete copy[field];
  else copy[field] = value;
  return copy;
}

/** Maps of amounts, and single ones. */
const amounts: ReadonlySet<string> = new Set(['limits', 'requests', 'overhead', 'sizeLimit', 'divisor']);

/** Depth is that of the schema: objects that passed the decoder do not nest deeper. */
function equalParts(a: unknown, b: unknown, quantities: boolean): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => equalParts(item, b[index], quantities))
    );
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && equalParts(a[key], b[key], quantities || amounts.has(key)))
    );
  }
  return (
    quantities &&
    typeof a === 'string' &&
    typeof b === 'string' &&
    compareQuantities(parseQuantity(a), parseQuantity(b)) === 0
  );
}
