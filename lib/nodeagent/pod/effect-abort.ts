// The abort of one effect of a pod. Most effects end without it, and an AbortController costs more than the rest of a
// quick effect, so the signal is created when it is first needed: by a hook or by a kill.

/** Aborts one effect. */
export class EffectAbort {
  #isAborted = false;
  #controller: AbortController | undefined;
  #reject: ((error: Error) => void) | undefined;

  /** Whether the effect was aborted. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** The signal for calls that take one. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Aborts the effect: `guard` rejects, and the signal is aborted. */
  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#controller?.abort();
    this.#reject?.(new Error('the effect was aborted'));
  }

  /** Throws after an abort. */
  throwIfAborted(): void {
    if (this.#isAborted) throw new Error('the effect was aborted');
  }

  /** Resolves or rejects as the work does; rejects at once after an abort. */
  guard(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#isAborted) reject(new Error('the effect was aborted'));
      // Always attached, or a failure after the abort would be an unhandled rejection.
      work.then(resolve, reject);
    });
  }
}
