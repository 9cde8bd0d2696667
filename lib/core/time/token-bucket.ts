// A token bucket: so many events per second on average, and so many at once. Time is passed in.
// As golang.org/x/time/rate, Limiter.

/** The rate of a bucket, and its size. */
export interface TokenBucketLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Tokens that refill with time. Full at first. */
export class TokenBucket {
  readonly #limit: TokenBucketLimit;
  #tokens: number;
  #atMs = 0;

  constructor(limit: TokenBucketLimit) {
    this.#limit = limit;
    this.#tokens = limit.burst;
  }

  /** Takes a token, if need be one of the future, and returns after how many milliseconds it may be used. */
  reserve(nowMs: number): number {
    this.#tokens = this.#refilled(nowMs) - 1;
    this.#atMs = nowMs;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / this.#limit.perSecond;
  }

  /** Takes a token if there is one now, and returns whether there was. */
  tryTake(nowMs: number): boolean {
    const tokens = this.#refilled(nowMs);
    const isTaken = tokens >= 1;
    this.#tokens = isTaken ? tokens - 1 : tokens;
    this.#atMs = nowMs;
    return isTaken;
  }

  #refilled(nowMs: number): number {
    const { perSecond, burst } = this.#limit;
    return Math.min(burst, this.#tokens + (Math.max(0, nowMs - this.#atMs) * perSecond) / 1000);
  }
}
