// Bytes come in whole numbers, although amounts may be written finer. As pkg/api/pod/warnings.go and
// pkg/api/persistentvolumeclaim/util.go, which both warn in the same words.
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { quantityToMilli } from '../../objects/quantity-arithmetic.js';
import { parseQuantity } from '../../objects/quantity.js';

/** What to say of an amount of bytes that is no whole number. */
export function fractionalBytes(amount: string | undefined, path: FieldPath): readonly string[] {
  if (amount === undefined || quantityToMilli(parseQuantity(amount)) % 1000n === 0n) return [];
  return [`${path.toString()}: fractional byte value ${quote(amount)} is invalid, must be an integer`];
}
