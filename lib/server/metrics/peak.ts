// The highest value of a quantity within the last second, or a little longer: what is over in between two looks shows too.
// As requestWatermark in apiserver/pkg/server/filters/maxinflight.go.

/** Follows a quantity that goes up and down. */
export class Peak {
  #value = 0;
  #second = 0;
  /** The highest of the current second, and of the one before. */
  #highest = 0;
  #before = 0;

  /** Changes the quantity. */
  add(difference: number, nowMs: number): void {
    this.#turn(nowMs);
    this.#value += difference;
    if (this.#value > this.#highest) this.#highest = this.#value;
  }

  /** The highest lately. */
  at(nowMs: number): number {
    this.#turn(nowMs);
    return Math.max(this.#highest, this.#before);
  }

  #turn(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#highest : this.#value;
    this.#highest = this.#value;
    this.#second = second;
  }
}
