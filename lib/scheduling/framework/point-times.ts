// The points of a search that come one right after another: each begins where the one before it ended, so that time is
// looked at once between two of them.
import type { PointName, PointStatus, Timings } from './timings.js';

/** Times of points in a row. Nothing is taken down where nobody takes times. */
export class PointTimes {
  readonly #timings: Timings | undefined;
  /** The one under way. */
  #point: PointName | undefined;
  #since = 0;

  constructor(timings: Timings | undefined) {
    this.#timings = timings;
  }

  /** A point begins now. */
  begin(point: PointName): void {
    if (this.#timings === undefined) return;
    this.#point = point;
    this.#since = this.#timings.now();
  }

  /** The point under way was a success, and another begins. */
  next(point: PointName): void {
    this.end();
    if (this.#timings !== undefined) this.#point = point;
  }

  /** The point under way is over, if there is one. */
  end(status: PointStatus = 'Success'): void {
    if (this.#timings !== undefined && this.#point !== undefined)
      this.#since = this.#timings.point(this.#point, status, this.#since);
    this.#point = undefined;
  }

  /** Somebody else takes the time of the point. */
  leave(): void {
    this.#point = undefined;
  }
}
