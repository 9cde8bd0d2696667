// What the author of a claim on storage should know. As pkg/api/persistentvolumeclaim/util.go,
// GetWarningsForPersistentVolumeClaimSpec. Also for the claims of StatefulSets.
import type { FieldPath } from '../errors/field-path.js';
import { quote } from '../go/format.js';
import type { Frozen } from '../objects/meta.js';
import { quantityToMilli } from '../objects/quantity-arithmetic.js';
import { parseQuantity } from '../objects/quantity.js';
import type { PersistentVolumeClaimSpec } from '../types/core-v1.generated.js';

/** Storage comes in whole bytes. */
export function claimSpecWarnings(
  { resources }: Frozen<PersistentVolumeClaimSpec>,
  path: FieldPath,
): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((part) => {
    const amount = resources?.[part]?.storage ?? '0';
    if (quantityToMilli(parseQuantity(amount)) % 1000n === 0n) return [];
    return [
      `${path.child('resources').child(part).key('storage').toString()}: fractional byte value ${quote(amount)} is invalid, must be an integer`,
    ];
  });
}
