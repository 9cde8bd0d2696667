/**
 * Waiting, for what is tested in real time: the only way files of this folder let time pass.
 */
import type { Clock } from '../core/index.js';

/** Resolves when the clock has moved on by so much. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return clock.timer(ms).forEach(() => undefined);
}
