// The demand for seats of a priority level: average and deviation over a period, from which borrowing is computed. As
// apiserver/pkg/util/flowcontrol/fairqueuing/integrator.go and seatDemandStats in apf_controller.go.

/** The demand of a level in seats. */
export interface DemandFigures {
  /** The maximum of the last period. */
  readonly highest: number;
  /** Average plus deviation, smoothed with a half-life of five minutes. */
  readonly smoothed: number;
}

/** The weight of the previous value per period: half is left after 30 periods of 10 s. */
const decay = 0.977;

/** Integrates a quantity over time. */
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

  /** Sets the current demand. */
  set(value: number, nowMs: number): void {
    if (nowMs > this.#sinceMs) this.#integrate(nowMs);
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** Ends a period, starts the next and returns the demand of the ended one. */
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
