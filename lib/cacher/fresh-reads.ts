// How reads get to be as new as they must. A consistent one asks the store for its revision and waits until the cache
// has seen that much; while anyone waits the store is asked for progress, at once and every 100 ms, since a resource
// that nobody writes to gets no news by itself. As apiserver/pkg/storage/cacher/progress/watch_progress.go.
//
// Reads share requests. One that comes while a request for the revision is under way cannot use its answer, which may
// have been made before; it shares the next one with everybody else who came meanwhile. So at most one is under way.
//
// The cache says how far it has got. One timer, and only while someone waits.
import type { Subscription } from 'rxjs';
import type { Clock } from '../core/index.js';
import type { Revision, Store } from '../storage/index.js';
import { StoreError } from '../storage/index.js';

/** What waiting needs. */
export interface FreshnessOptions {
  readonly store: Pick<Store, 'revision' | 'requestProgress'>;
  readonly clock: Clock;
  readonly waitMs: number;
}

/** How often the store is asked for progress. */
const progressEveryMs = 100;

/** The revision of a cache and those who wait for it. */
export class FreshReads {
  readonly #options: FreshnessOptions;
  /** What the cache has seen everything up to; -1 before it is filled. */
  #revision: Revision = -1;
  /** In the order in which their time is up. */
  #waiting: Waiting[] = [];
  #timer: Subscription | undefined;
  #isAsking = false;
  /** For those who came while the store was being asked. */
  #nextAnswer: Promise<Revision> | undefined;
  #isProgressing = false;
  #progressAgain = false;
  #closed = false;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** What the cache has seen everything up to; -1 before it is filled. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The cache has got here. Nobody who waits goes on before the caller is done. */
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

  /** The store's revision, as of now or a little later. */
  newest(): Promise<Revision> {
    if (this.#isAsking) return (this.#nextAnswer ??= this.#answered());
    this.#isAsking = true;
    return this.#options.store.revision().then(this.#onAnswer, this.#onFailure);
  }

  /**
   * The store's revision as of now and not later: what is committed from here on comes after it. Shared with nobody.
   */
  asOfNow(): Promise<Revision> {
    return this.#options.store.revision();
  }

  /** Whether the cache has seen everything up to a revision, if need be after a wait; false when that took too long. */
  reached(revision: Revision): true | Promise<boolean> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.#revision >= revision) return true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ revision, untilMs: this.#options.clock.now() + this.#options.waitMs, resolve, reject });
      this.#progress();
      this.#startTimer();
    });
  }

  /** Sends everybody away. */
  close(): void {
    this.#closed = true;
    this.#stopTimer();
    for (const { reject } of this.#waiting) reject(closedError());
    this.#waiting = [];
  }

  // Fields rather than methods: a consistent read makes no closure.
  readonly #onAnswer = (revision: Revision): Revision => {
    this.#isAsking = false;
    this.#askNext?.();
    return revision;
  };

  readonly #onFailure = (error: unknown): never => {
    this.#isAsking = false;
    this.#askNext?.();
    throw error;
  };

  /** Asks on behalf of those who came while the store was being asked. */
  #askNext: (() => void) | undefined;

  #answered(): Promise<Revision> {
    return new Promise((resolve) => {
      this.#askNext = () => {
        this.#askNext = undefined;
        this.#nextAnswer = undefined;
        resolve(this.newest());
      };
    });
  }

  #progress(): void {
    if (this.#isProgressing) {
      this.#progressAgain = true; // the one under way may have been answered before
      return;
    }
    this.#isProgressing = true;
    const done = (): void => {
      this.#isProgressing = false;
      if (!this.#progressAgain) return;
      this.#progressAgain = false;
      if (this.#waiting.length > 0) this.#progress();
    };
    // A failure is answered by asking again.
    this.#options.store.requestProgress().then(done, done);
  }

  #startTimer(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#timer !== undefined) return;
    const delayMs = Math.min(progressEveryMs, first.untilMs - this.#options.clock.now());
    this.#timer = this.#options.clock.timer(delayMs).subscribe({
      next: () => this.#ring(),
      error: (cause: unknown) => {
        throw new Error('cacher: the clock failed', { cause }); // RxJS reports it as uncaught
      },
    });
  }

  #stopTimer(): void {
    this.#timer?.unsubscribe();
    this.#timer = undefined;
  }

  #ring(): void {
    this.#stopTimer();
    const now = this.#options.clock.now();
    const late = this.#waiting.findIndex(({ untilMs }) => untilMs > now);
    for (const { resolve } of this.#waiting.splice(0, late < 0 ? this.#waiting.length : late)) resolve(false);
    if (this.#waiting.length === 0) return;
    this.#progress();
    this.#startTimer();
  }
}

/** One who waits. */
interface Waiting {
  readonly revision: Revision;
  readonly untilMs: number;
  readonly resolve: (reached: boolean) => void;
  readonly reject: (error: StoreError) => void;
}

function closedError(): StoreError {
  return new StoreError('closed', 'the cache is closed');
}
