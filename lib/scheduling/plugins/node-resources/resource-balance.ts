// How evenly a node's resources are in use, and whether a pod makes that better or worse. Plain numbers in and out, so
// that every way of placing pods does the same sums. A resource that the node does not have, a capacity of 0, does not
// count. As pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go; v1.36 was the first to score the
// change.
import { maxScore } from '../../framework/scores.js';

/** From 50, the pod makes it uneven, to 100, the pod makes it even; 75 where nothing changes. */
export function balanceScore(
  withPod: ArrayLike<number>,
  withoutPod: ArrayLike<number>,
  capacity: ArrayLike<number>,
): number {
  return scoreOfChange(balance(withPod, capacity) - balance(withoutPod, capacity));
}

/** The score of a change of balance. */
function scoreOfChange(change: number): number {
  return maxScore / 2 + Math.trunc((maxScore / 2 + change) / 2);
}

/**
 * How even it is: 100 where all resources are in use by the same share, less by the standard deviation of the shares.
 */
export function balance(requested: ArrayLike<number>, capacity: ArrayLike<number>): number {
  let count = 0;
  let sum = 0;
  let first = 0;
  let last = 0;
  for (let index = 0; index < capacity.length; index++) {
    const total = capacity[index] ?? 0;
    if (total === 0) continue;
    last = share(requested[index] ?? 0, total);
    if (count === 0) first = last;
    sum += last;
    count += 1;
  }
  if (count < 2) return maxScore;
  const deviation = count === 2 ? Math.abs((first - last) / 2) : deviationFrom(sum / count, count, requested, capacity);
  return Math.trunc((1 - deviation) * maxScore);
}

function deviationFrom(mean: number, count: number, requested: ArrayLike<number>, capacity: ArrayLike<number>): number {
  let squares = 0;
  for (let index = 0; index < capacity.length; index++) {
    const total = capacity[index] ?? 0;
    if (total !== 0) squares += (share(requested[index] ?? 0, total) - mean) ** 2;
  }
  return Math.sqrt(squares / count);
}

function share(requested: number, total: number): number {
  return Math.min(requested / total, 1);
}
