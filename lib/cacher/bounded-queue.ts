// Where a stream that pushes meets someone who takes at his own pace, a socket or a loop with `await`. What comes
// meanwhile waits in a queue with an end; at that end the source is let go, what is queued can still be taken, and then
// the taker is told Expired. So a slow taker costs its own queue and nothing else, and holds nobody up. As
// apiserver/pkg/storage/cacher/cache_watcher.go, add: a watcher whose channel is full is closed.
//
//     const events = boundedQueue(cacher.watch({ initial: true }));
//     for (let some = await events.take(); some !== undefined; some = await events.take()) await write(some);
//
// Inert until the first `take`. Events that came together are taken together, one write for many.
import type { Observable, Subscription } from 'rxjs';
import { resourceExpired } from '../core/index.js';

/** The end of a queue. */
export interface BoundedQueueOptions {
  /** How many values may wait. Default 1000. */
  readonly lagMax?: number;
}

/** A stream to be taken from. One taker: calls of `take` do not overlap. */
export interface BoundedQueue<T> {
  /**
   * What has come since the last call, one value at least; waits for it. Undefined when the source has completed, or
   * the queue was closed. Rejects with the error that ended it, Expired where that was the queue's own end.
   */
  take(): Promise<readonly T[] | undefined>;
  /** Lets the source go and drops what waits. */
  close(): void;
}

/** A queue before a stream. */
export function boundedQueue<T>(source$: Observable<T>, { lagMax = 1000 }: BoundedQueueOptions = {}): BoundedQueue<T> {
  let waiting: T[] = [];
  let end: { readonly error?: unknown } | undefined;
  let source: Subscription | undefined;
  let wake: (() => void) | undefined;

  const finish = (how: { readonly error?: unknown }): void => {
    end ??= how;
    source?.unsubscribe();
    wake?.();
  };
  const push = (value: T): void => {
    if (end !== undefined) return;
    if (waiting.length >= lagMax) {
      finish({ error: resourceExpired(`the watch fell more than ${lagMax} events behind`) });
      return;
    }
    waiting.push(value);
    wake?.();
  };

  return {
    take: async () => {
      source ??= source$.subscribe({ next: push, error: (error: unknown) => finish({ error }), complete: () => finish({}) });
      if (end !== undefined) source.unsubscribe(); // it ended while it was being subscribed
      if (waiting.length === 0 && end === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
      if (waiting.length > 0) {
        const taken = waiting;
        waiting = [];
        return taken;
      }
      if (end !== undefined && 'error' in end) throw end.error;
      return undefined;
    },
    close: () => {
      waiting = [];
      finish({});
    },
  };
}
