// How many seats a priority level could have used: its average and spread over a period, from which lending is decided.
// As apiserver/pkg/util/flowcontrol/fairqueuing/integrator.go and seatDemandStats in apf_controller.go.

/** What a level could have used. */
export interface DemandFigures {
  /** The most at any one time of the last period. */
  readonly highest: number;
  /** Average and deviation together, falling by half in five minutes. */
  readonly smoothed: number;
}

/** Each period keeps so much of the one before: half of it is left after 30 periods of 10 s. */
const decay = 0.977;

/** Follows a quantity over time. */
export class SeatDemand {
  #value = 0;
  #sinceMs: number;
  #elapsedMs = 0;
  #sum = 0;
  #squares = 0;
  #highest = 0;
  #smoothed = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  /** The demand from now on. */
  set(value: number, nowMs: number): void {
    if (nowMs > this.#sinceMs) this.#integrate(nowMs);
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** Ends a period and begins the next. */
  endPeriod(nowMs: number): DemandFigures {
    this.#integrate(nowMs);
    const highest = this.#highest;
    if (this.#elapsedMs > 0) {
      const average = this.#sum / this.#elapsedMs;
      const envelope = average + Math.sqrt(Math.max(0, this.#squares / this.#elapsedMs - average * average));
      this.#smoothed = Math.max(envelope, decay * this.#smoothed + (1 - decay) * envelope);
    }
    this.#elapsedMs = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#highest = this.#value;
    return { highest, smoothed: this.#smoothed };
  }

  #integrate(nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
    this.#elapsedMs += elapsedMs;
    this.#sum += this.#value * elapsedMs;
    this.#squares += this.#value * this.#value * elapsedMs;
  }
}
