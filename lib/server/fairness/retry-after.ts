// When to come back: what a request that was turned away is told. Begins with a second, doubles while many are turned
// away and shrinks when few are. As apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go.

const secondsMax = 32;

/** The advice of one priority level. */
export class RetryAfter {
  #seconds = 1;
  #raisedAt = 0;
  #second = 0;
  #count = 0;
  /** Seconds before the current one in which requests were turned away, and how many. */
  #history: { readonly second: number; readonly count: number }[] = [];

  /** How many seconds to wait. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Notes that a request was turned away. */
  note(nowMs: number): void {
    const now = Math.floor(nowMs / 1000);
    if (now === this.#second) {
      this.#count += 1;
      return;
    }
    this.#history.push({ second: this.#second, count: this.#count });
    const kept = Math.min(2 * this.#seconds, secondsMax);
    this.#history = this.#history.filter(({ second }) => this.#second - second <= kept);
    this.#second = now;
    this.#count = 1;
    this.#adjust(now);
  }

  #adjust(now: number): void {
    const recent = this.#history
      .filter(({ second }) => now - second <= this.#seconds)
      .reduce((sum, { count }) => sum + count, 0);
    if (now - this.#raisedAt >= this.#seconds && recent >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, secondsMax);
      this.#raisedAt = now;
    } else if (recent < this.#seconds && this.#seconds > 1) this.#seconds -= 1;
  }
}
