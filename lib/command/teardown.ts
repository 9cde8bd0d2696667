// Closes what a command has opened, in reverse order.

/** A stack of clean-up steps. */
export class Teardown {
  readonly #steps: (() => Promise<void> | void)[] = [];

  /** Adds a step; steps run in reverse order. */
  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs all steps, each once. */
  async close(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
  }
}
