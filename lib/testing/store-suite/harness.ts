/**
 * The harness that a store's author provides, and the shape of one check. A check is named after the promise of
 * lib/storage/store.ts that it tries to break; when it succeeds in breaking it, it throws an error that says how.
 */
import type { Store } from '../../storage/index.js';

/**
 * A store to be tested and its environment. The suite creates one for each check: it is empty, has no other writer,
 * and keeps at least 10,000 revisions until it is compacted.
 */
export interface StoreHarness {
  readonly store: Store;
  /** Moves the clock that was handed to the store, or waits for real where the store's time is not ours. */
  elapse(ms: number): Promise<void>;
  /**
   * For durable stores: closes the store and opens it again on the same data. The one before is then of no more use.
   */
  reopen?(): Promise<Store>;
  readonly limits: SuiteLimits;
  /** Whether the backend had commits before this store was made, so that its first revision is not 1. */
  readonly usedBefore?: boolean;
  /** How long, in real time, to wait for what must come before it is called missing. Default 5000. */
  readonly patienceMs?: number;
  /** What a closed store still holds (timers, threads, files, sockets), in words; asked once it is closed. */
  leftBehind?(): readonly string[];
  /** Closes the store that was made or reopened last, whatever state it is in, and cleans up. */
  dispose(): Promise<void>;
}

/** The sizes at which the store says no. */
export interface SuiteLimits {
  /** The longest key, in bytes of UTF-8; beyond it keys are refused as `invalid`. */
  readonly keyBytesMax: number;
  /** The largest value, in bytes of its JSON text; beyond it commits are refused as `too-large`. */
  readonly valueBytesMax?: number;
  /** The most changes, and the most conditions, of a transaction; beyond it commits are refused as `too-large`. */
  readonly operationsMax: number;
}

/** One promise and the attempt to break it. */
export interface StoreCheck {
  /** A sentence, unique in the suite. */
  readonly promise: string;
  readonly run: (harness: StoreHarness) => Promise<void>;
}
