// Where a stream that pushes meets someone who takes at his own pace, a socket or a loop with `await`. What comes
// meanwhile waits in a queue with an end; at that end the source is let go, what is queued can still be taken, and then
// the taker is told Expired. So a slow taker costs its own queue and nothing else, and holds nobody up. As
// apiserver/pkg/storage/cacher/cache_watcher.go, add: a watcher whose channel is full is closed.
//
//     const events = boundedQueue(cacher.watch({ initial: true }));
//     for (let some = await events.take(); some !== undefined; some = await events.take()) await write(some);
//
// Inert until the first `take`. Events that came together are taken together, one write for many; the first may be all
// there is of a resource, in one go. That is not counted: who waits for events is not behind.
import type { Observable, Subscription } from 'rxjs';
import { resourceExpired } from '../core/index.js';

/** The end of a queue. */
export interface BoundedQueueOptions {
  /** How many values may come while nobody waits for them. Default 10,000: a burst of writes leaves sockets no time. */
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
export function boundedQueue<T>(source$: Observable<T>, { lagMax = 10_000 }: BoundedQueueOptions = {}): BoundedQueue<T> {
  let queued: T[] = [];
  let source: Subscription | undefined;
  let end: { readonly error?: unknown } | undefined;
  /** Wakes the taker, while it waits. */
  let wake: (() => void) | undefined;

  const finish = (how: { readonly error?: unknown }): void => {
    end ??= how;
    source?.unsubscribe();
    wake?.();
  };
  const push = (value: T): void => {
    if (end !== undefined) return;
    if (wake === undefined && queued.length >= lagMax) {
      finish({ error: resourceExpired(`the watch fell more than ${lagMax} events behind`) });
      return;
    }
    queued.push(value);
    wake?.();
  };
  const arrival = async (): Promise<void> => {
    const arrived = new Promise<void>((resolve) => {
      wake = resolve;
    });
    // Subscribed while it waits, for all that there is may come at once.
    source ??= source$.subscribe({ next: push, error: (error: unknown) => finish({ error }), complete: () => finish({}) });
    if (end !== undefined) source.unsubscribe(); // while it was being subscribed
    await arrived;
    wake = undefined;
  };

  return {
    take: async () => {
      if (queued.length === 0 && end === undefined) await arrival();
      const taken = queued;
      queued = [];
      if (taken.length > 0) return taken;
      if (end !== undefined && 'error' in end) throw end.error;
      return undefined;
    },
    close: () => {
      queued = [];
      finish({});
    },
  };
}
