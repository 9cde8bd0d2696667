/**
 * The past states that were read last, kept ready: the next page of a list asks for the same one again.
 */
import type { KeyIndex } from './key-index.js';
import { PastState } from './past-state.js';
import type { RevisionLog } from './revision-log.js';
import type { Entry, Revision } from './store.js';

/** Past states by revision. */
export class PastStates {
  readonly #states = new Map<Revision, PastState>();

  /** The state at a revision, made of the newest and the log up to it where it is not kept. */
  at(revision: Revision, newest: KeyIndex<Entry>, log: RevisionLog): PastState {
    const known = this.#states.get(revision);
    if (known !== undefined) return known;
    const state = new PastState(newest, log, revision);
    this.#states.set(revision, state);
    const [first] = this.#states.keys();
    if (this.#states.size > statesMax && first !== undefined) this.#states.delete(first);
    return state;
  }

  /** Forgets those before a revision, which can be read no more. */
  dropBefore(oldest: Revision): void {
    if (this.#states.size === 0) return; // with every write, so nearly always
    for (const revision of this.#states.keys()) if (revision < oldest) this.#states.delete(revision);
  }
}

/** Lists that are paged through at the same time. */
const statesMax = 8;
