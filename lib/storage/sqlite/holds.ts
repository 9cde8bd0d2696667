// Reads under way hold on to the history they read: what is compacted meanwhile is swept when they have ended.

import type { Revision } from '../store.js';

/** The reads under way. */
export class Holds {
  readonly #held = new Map<object, Revision>();
  /** Those who wait for everything before a revision to be let go. */
  readonly #waiting = new Set<{ readonly revision: Revision; readonly free: () => void }>();

  /** Keeps this revision and all after it. Returns how to let go, which may be called twice. */
  hold(revision: Revision): () => void {
    const hold = {};
    this.#held.set(hold, revision);
    return () => {
      if (this.#held.delete(hold)) this.#tell();
    };
  }

  /** Settles when no hold is left before this revision. */
  free(revision: Revision): Promise<void> {
    return new Promise((free) => {
      this.#waiting.add({ revision, free });
      this.#tell();
    });
  }

  #tell(): void {
    let oldest = Infinity;
    for (const revision of this.#held.values()) oldest = Math.min(oldest, revision);
    for (const waiting of this.#waiting) {
      if (oldest < waiting.revision) continue;
      this.#waiting.delete(waiting);
      waiting.free();
    }
  }
}
