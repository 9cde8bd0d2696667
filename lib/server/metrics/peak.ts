// The highest value of a quantity within the last second, or a little longer: what is over in between two looks shows
// too. As requestWatermark in apiserver/pkg/server/filters/maxinflight.go.

/** Follows a quantity that goes up and down. */
export class Peak {
  #value = 0;
  /** Where the current second ends. */
  #endMs = 0;
  /** The highest of the current second, and of the one before. */
  #highest = 0;
  #before = 0;

  /** Changes the quantity. */
  add(difference: number, nowMs: number): void {
    if (nowMs >= this.#endMs) this.#turn(nowMs);
    this.#value += difference;
    if (this.#value > this.#highest) this.#highest = this.#value;
  }

  /** The highest lately. */
  at(nowMs: number): number {
    if (nowMs >= this.#endMs) this.#turn(nowMs);
    return Math.max(this.#highest, this.#before);
  }

  #turn(nowMs: number): void {
    this.#before = nowMs < this.#endMs + 1000 ? this.#highest : this.#value;
    this.#highest = this.#value;
    this.#endMs = (Math.floor(nowMs / 1000) + 1) * 1000;
  }
}
