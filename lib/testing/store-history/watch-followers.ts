/**
 * Watches that run along while a history is recorded: steady ones, and restless ones that let go after a few batches
 * and resume. All of them resume after failures that allow it.
 */
import { pause, type Clock, type Random } from '../../core/index.js';
import { isStoreError, type Batch, type Revision, type Store } from '../../storage/index.js';
import { describeError, isStoreRefusal } from '../store-suite/expect.js';
import { recordWatch, type WatchRecording } from '../store-suite/watch-recording.js';
import type { WatchRecord } from './history.js';

/** What to follow. */
export interface FollowOptions {
  readonly prefix: string;
  readonly after: Revision;
  /** Lets go and resumes now and then, as this decides. */
  readonly restless?: Random;
  readonly clock: Clock;
}

/** A watch that is kept up through interruptions. */
export interface WatchFollower {
  /**
   * Waits until it has seen everything up to a revision, or until it has seen nothing new for `patienceMs`; returns all
   * it saw. A restless watch is steady from here on: on etcd each resumption takes up to 100 ms.
   */
  finish(until: Revision, patienceMs: number): Promise<WatchRecord>;
  /** Unsubscribes. */
  stop(): void;
}

/** Begins to follow. */
export function followWatch(store: Store, { prefix, after, restless, clock }: FollowOptions): WatchFollower {
  const batches: Batch[] = [];
  let seen = after;
  let stopped = false;
  let finishing = false;
  let current: WatchRecording | undefined;
  const watchOnce = (): WatchRecording => {
    let patience = restless === undefined ? Infinity : 1 + restless.integer(40);
    return recordWatch(store, prefix, {
      after: seen,
      onBatch: (batch, self) => {
        batches.push(batch);
        // The furthest, not the last: were revisions to fall, resuming lower would hide it.
        seen = Math.max(seen, batch.revision);
        patience -= 1;
        if (patience <= 0 && !finishing) self.stop();
      },
    });
  };
  const follow = async (): Promise<void> => {
    while (!stopped) {
      current = watchOnce();
      const end = await current.ended;
      if (end?.type === 'completed') throw new Error(`a watch of ${prefix} completed although the store is open`);
      if (end?.type !== 'failed') continue;
      if (!isStoreRefusal(end.error, 'unavailable', 'overrun'))
        throw new Error(`a watch of ${prefix} failed: ${describeError(end.error)}`, { cause: end.error });
      await pause(clock, 5);
    }
  };
  let failed = false;
  const following = follow();
  following.catch(() => (failed = true));
  const stop = (): void => {
    stopped = true;
    current?.stop();
  };
  return {
    stop,
    finish: async (until, patienceMs) => {
      finishing = true;
      let furthest = seen;
      let deadline = clock.now() + patienceMs;
      while (seen < until && !failed && clock.now() < deadline) {
        await requestProgress(store);
        if (seen < until) await pause(clock, 2);
        if (seen === furthest) continue;
        furthest = seen;
        deadline = clock.now() + patienceMs;
      }
      stop();
      await following;
      return { prefix, after, batches, until };
    },
  };
}

async function requestProgress(store: Store): Promise<void> {
  try {
    await store.requestProgress();
  } catch (error) {
    if (!isStoreError(error, 'unavailable')) throw error;
  }
}
