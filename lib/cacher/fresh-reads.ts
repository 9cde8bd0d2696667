// Makes reads fresh enough. A consistent read requests the store's revision and waits until the cache has seen it.
// While reads wait, progress is requested from the store at once and every 100 ms, since a resource without writes
// receives no changes by itself. As apiserver/pkg/storage/cacher/progress/watch_progress.go.
//
// Reads share requests for the revision. A read that arrives during a request cannot use its result, which may predate
// the read; it shares the next request with all reads that arrived meanwhile. So at most one request is in progress.
//
// The cache reports its revision by `advance`. One timer, and only while reads wait.
import type { Subscription } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { Revision, Store } from '../storage/index.js';
import { StoreError } from '../storage/index.js';

/** Options of fresh reads. */
export interface FreshnessOptions {
  readonly store: Pick<Store, 'revision' | 'requestProgress'>;
  readonly clock: Clock;
  readonly waitMs: number;
}

/** The period of progress requests. */
const progressEveryMs = 100;

/** The revision of a cache, and the reads that wait for it. */
export class FreshReads {
  readonly #options: FreshnessOptions;
  /** The revision up to which the cache is complete; -1 before it is filled. */
  #revision: Revision = -1;
  /** Ordered by deadline. */
  #waiting: Waiting[] = [];
  #timer: Subscription | undefined;
  #isRequesting = false;
  /** The next request, shared by reads that arrived during the current one. */
  #nextRevision: Promise<Revision> | undefined;
  #isProgressing = false;
  #progressAgain = false;
  #closed = false;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** The revision up to which the cache is complete; -1 before it is filled. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Records the cache's revision. Waiting reads continue after the caller returns. */
  advance(revision: Revision): void {
    this.#revision = revision;
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#waiting.filter((each) => {
      if (each.revision > revision) return true;
      each.resolve(true);
      return false;
    });
    if (this.#waiting.length === 0) this.#stopTimer();
  }

  /** Returns the store's revision at some time after the call. */
  newest(): Promise<Revision> {
    if (this.#isRequesting) return (this.#nextRevision ??= this.#afterCurrentRequest());
    this.#isRequesting = true;
    return this.#options.store.revision().then(this.#onRevision, this.#onFailure);
  }

  /**
   * Returns the store's revision at the time of the call: later commits have a higher one. Not shared between callers.
   */
  currentRevision(): Promise<Revision> {
    return this.#options.store.revision();
  }

  /** Returns whether the cache is complete up to a revision, waiting if necessary; false after the time limit. */
  reached(revision: Revision): true | Promise<boolean> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#revision >= revision) return true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ revision, untilMs: this.#options.clock.now() + this.#options.waitMs, resolve, reject });
      this.#progress();
      this.#startTimer();
    });
  }

  /** Rejects all waiting reads. */
  close(): void {
    this.#closed = true;
    this.#stopTimer();
    for (const { reject } of this.#waiting) reject(closedError());
    this.#waiting = [];
  }

  // Fields instead of methods: a consistent read creates no closure.
  readonly #onRevision = (revision: Revision): Revision => {
    this.#isRequesting = false;
    this.#requestNext?.();
    return revision;
  };

  readonly #onFailure = (error: unknown): never => {
    this.#isRequesting = false;
    this.#requestNext?.();
    throw error;
  };

  /** Starts the next request. */
  #requestNext: (() => void) | undefined;

  #afterCurrentRequest(): Promise<Revision> {
    return new Promise((resolve) => {
      this.#requestNext = () => {
        this.#requestNext = undefined;
        this.#nextRevision = undefined;
        resolve(this.newest());
      };
    });
  }

  #progress(): void {
    if (this.#isProgressing) {
      this.#progressAgain = true; // the current one may have been sent before
      return;
    }
    this.#isProgressing = true;
    const done = (): void => {
      this.#isProgressing = false;
      if (!this.#progressAgain) return;
      this.#progressAgain = false;
      if (this.#waiting.length > 0) this.#progress();
    };
    // A failed request is repeated by the timer.
    this.#options.store.requestProgress().then(done, done);
  }

  #startTimer(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#timer !== undefined) return;
    const delayMs = Math.min(progressEveryMs, first.untilMs - this.#options.clock.now());
    this.#timer = this.#options.clock.timer(delayMs).subscribe({
      next: () => this.#onTimer(),
      error: (cause: unknown) => {
        throw new Error('cacher: the clock failed', { cause }); // RxJS reports it as uncaught
      },
    });
  }

  #stopTimer(): void {
    this.#timer?.unsubscribe();
    this.#timer = undefined;
  }

  #onTimer(): void {
    this.#stopTimer();
    const now = this.#options.clock.now();
    const late = this.#waiting.findIndex(({ untilMs }) => untilMs > now);
    for (const { resolve } of this.#waiting.splice(0, late < 0 ? this.#waiting.length : late)) resolve(false);
    if (this.#waiting.length === 0) return;
    this.#progress();
    this.#startTimer();
  }
}

/** A waiting read. */
interface Waiting {
  readonly revision: Revision;
  readonly untilMs: number;
  readonly resolve: (reached: boolean) => void;
  readonly reject: (error: StoreError) => void;
}

function closedError(): StoreError {
  return new StoreError('closed', 'the cache is closed');
}
