// The recent past of a resource: what its last revisions changed. Watches resume from it, and lists of an earlier
// revision are read from the newest state with what came since undone; what is older is a matter of the store.
//
// Undoing is for who looks back, once for each revision, at 1 to 2 µs a change since, of which a window has 1,000; then
// the snapshot stands, and the pages that follow are read from it. Taking one with each revision was tried: the nodes
// that it keeps cost every write 1 µs among 5,000 objects and, in garbage collection, several among 150,000.
//
// Invariant: everything after `start` is here, revision by revision. Written by the cache alone.
import type { KeyIndex, Revision } from '../storage/index.js';
import type { CacheChange } from './cache-change.js';
import type { CachedObject } from './view.js';

/** The objects of one revision, by key. */
export type CacheSnapshot<T extends object> = Pick<KeyIndex<CachedObject<T>>, 'list' | 'count' | 'clone'>;

/** The window of one cache. */
export class WatchWindow<T extends object> {
  readonly #max: number;
  /** From `#head` on; before it are holes, which are closed now and then. */
  #steps: (Step<T> | undefined)[] = [];
  #head = 0;
  #size = 0;
  #start: Revision = 0;

  /** An empty window of at most that many changes. */
  constructor(max: number) {
    this.#max = max;
  }

  /** The revision after which it knows everything. */
  get start(): Revision {
    return this.#start;
  }

  /** How many changes it holds. */
  get size(): number {
    return this.#size;
  }

  /** Forgets everything and begins anew after a revision. */
  reset(revision: Revision): void {
    this.#steps = [];
    this.#head = 0;
    this.#size = 0;
    this.#start = revision;
  }

  /** Adds what the next revision changed, each key once, and lets go of the oldest where that is too much. */
  append(revision: Revision, changes: readonly CacheChange<T>[]): void {
    this.#steps.push({ revision, changes, before: undefined });
    this.#size += changes.length;
    while (this.#size > this.#max) this.#dropFirst();
  }

  /** What changed after a revision, which is not before `start`. */
  after(revision: Revision): readonly CacheChange<T>[] {
    return this.#steps.slice(this.#firstAfter(revision)).flatMap((step) => step?.changes ?? []);
  }

  /**
   * The objects at a revision that the cache has reached, seen from the newest; undefined before `start`. To be read at
   * once: where nothing has changed since, it is the newest itself.
   */
  at(revision: Revision, newest: CacheSnapshot<T>): CacheSnapshot<T> | undefined {
    if (revision < this.#start) return undefined;
    const first = this.#firstAfter(revision);
    const step = this.#steps[first];
    if (step === undefined) return newest;
    return (step.before ??= this.#undone(first, newest));
  }

  /** Lets go of what only revisions before this one need. */
  dropBefore(revision: Revision): void {
    for (let count = this.#firstAfter(revision) - this.#head; count > 0; count--) this.#dropFirst();
    this.#start = Math.max(this.#start, revision);
  }

  /**
   * The objects before a step: those before the next of which that is known, or the newest, with all between undone.
   */
  #undone(first: number, newest: CacheSnapshot<T>): CacheSnapshot<T> {
    const later = this.#steps.findIndex((step, at) => at > first && step?.before !== undefined);
    const state = (this.#steps[later]?.before ?? newest).clone();
    const undone = this.#steps.slice(first, later < 0 ? undefined : later).reverse();
    for (const { key, previous } of undone.flatMap((step) => step?.changes ?? [])) {
      if (previous === undefined) state.delete(key);
      else state.set(key, () => previous);
    }
    return state;
  }

  #dropFirst(): void {
    const first = this.#steps[this.#head];
    if (first === undefined) return;
    this.#steps[this.#head] = undefined;
    this.#head += 1;
    this.#size -= first.changes.length;
    this.#start = first.revision;
    if (this.#head * 2 <= this.#steps.length) return;
    this.#steps = this.#steps.slice(this.#head);
    this.#head = 0;
  }

  /** Where the first step after a revision stands, or would. */
  #firstAfter(revision: Revision): number {
    let low = this.#head;
    let high = this.#steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#steps[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What one revision did, and what there was before it, once somebody asked. */
interface Step<T extends object> {
  readonly revision: Revision;
  readonly changes: readonly CacheChange<T>[];
  before: CacheSnapshot<T> | undefined;
}
