// Sets of tolerations: how two are merged, and whether one lies within another. As pkg/util/tolerations/tolerations.go.
import { deepEqual } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { Toleration } from '../core/types/index.js';

type FrozenToleration = Frozen<Toleration>;

/** Merges two lists. Of two tolerations of which one covers the other that one is kept; of equal ones the first. */
export function mergeTolerations(
  first: readonly FrozenToleration[],
  second: readonly FrozenToleration[],
): readonly FrozenToleration[] {
  const all = [...first, ...second];
  const merged: FrozenToleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(index + 1).some((other) => !deepEqual(other, toleration) && covers(other, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

/** Whether each toleration is covered by one of the list. An empty list restricts nothing. */
export function areWithin(tolerations: readonly FrozenToleration[], allowed: readonly FrozenToleration[]): boolean {
  return allowed.length === 0 || tolerations.every((toleration) => allowed.some((other) => covers(other, toleration)));
}

/** Whether `other` tolerates all that a toleration does. */
function covers(other: FrozenToleration, toleration: FrozenToleration): boolean {
  if (deepEqual(other, toleration)) return true;
  const { key = '', operator = '', effect = '', value = '', tolerationSeconds } = other;
  if ((toleration.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
  if ((toleration.effect ?? '') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    if ((toleration.tolerationSeconds ?? Infinity) > tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  if (operator !== '' && operator !== 'Equal') return false;
  return toleration.operator === 'Equal' && (toleration.value ?? '') === value;
}
