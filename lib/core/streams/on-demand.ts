// Background work that begins with the first demand for its result. Parts of a server use it for what they follow:
// roles and bindings, flow schemas, the objects of nodes. Nothing is read before the first request that needs it, and
// from then on results are synchronous. This is the one place that subscribes on behalf of those parts.

import { takeUntil, type Observable } from 'rxjs';

/** The result of background work, for the parts that need it. */
export interface OnDemand {
  /** Whether `get` returns synchronously. */
  readonly isReady: boolean;
  /** Returns as soon as the work is ready: at once, or as a promise. The first call starts the work. */
  readonly whenReady: <T>(answer: () => T | Promise<T>) => T | Promise<T>;
}

/**
 * Subscribes to `work$` with the first demand, until `until$` emits. The work is ready when it first emits. If it
 * completes or `until$` emits before that, answers are given with what is known. If it errors, demands that wait
 * reject, and the next one subscribes anew.
 */
export function onDemand(work$: Observable<unknown>, until$: Observable<unknown>): OnDemand {
  let isReady = false;
  let pending: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const ready = (): void => {
        isReady = true;
        resolve();
      };
      work$.pipe(takeUntil(until$)).subscribe({
        next: ready,
        complete: ready,
        error: (error: unknown) => {
          isReady = false;
          pending = undefined;
          reject(error instanceof Error ? error : new Error('background work failed', { cause: error }));
        },
      });
    });
  return {
    get isReady() {
      return isReady;
    },
    whenReady: (answer) => {
      if (isReady) return answer();
      pending ??= begin().catch((error: unknown) => {
        pending = undefined;
        throw error;
      });
      return pending.then(answer);
    },
  };
}
