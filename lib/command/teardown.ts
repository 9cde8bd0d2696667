// What a command has opened and closes again, the last opened first.

/** A stack of things to close. */
export class Teardown {
  readonly #steps: (() => Promise<void> | void)[] = [];

  /** Adds a step; steps run in the reverse order. */
  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs all steps, each once. */
  async close(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
  }
}
