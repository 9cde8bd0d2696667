// Which of two pods is more important to keep: the one of higher priority, then the one that has run longer. A pod that
// has not started counts as if it started now, which is later than all that have.
import type { PodFacts } from '../pod/pod-facts.js';

/** Below 0 when the first is more important. */
export function byImportance(one: PodFacts, other: PodFacts): number {
  return other.priority - one.priority || compareTimes(startedAt(one), startedAt(other));
}

/** When a pod started, in milliseconds; Infinity if it has not. */
export function startedAt({ object }: PodFacts): number {
  const { startTime } = object.status ?? {};
  return startTime === undefined ? Infinity : Date.parse(startTime);
}

/** The difference of two times that may both be Infinity. */
function compareTimes(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
