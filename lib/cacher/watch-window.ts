// The recent changes of a resource. Watches resume from it, and lists of an earlier revision are computed from the
// newest state by undoing later changes; older revisions are read from the store.
//
// Undoing costs 1 to 2 µs per later change, of which a window has 1,000, once per revision; the snapshot is then kept
// for the following pages. Keeping a snapshot per revision was tried: its retained nodes cost every write 1 µs with
// 5,000 objects and, in garbage collection, several with 150,000.
//
// Invariant: contains every change after `start`, in order. Written only by the cache.
import { memoryBytes } from '../core/index.js';
import type { KeyIndex, Revision } from '../storage/index.js';
import type { CacheChange } from './cache-change.js';
import type { CacherLimits } from './cacher.js';
import type { CachedObject } from './view.js';

/** The objects of one revision, by key. */
export type CacheSnapshot<T extends object> = Pick<KeyIndex<CachedObject<T>>, 'list' | 'count' | 'clone'>;

/** The limits of a window. */
export type WindowBounds = Pick<CacherLimits, 'windowMax' | 'windowBytesMax'>;

/** The window of one cache. */
export class WatchWindow<T extends object> {
  readonly #bounds: WindowBounds;
  /** Valid from `#head` on; the holes before it are compacted from time to time. */
  #steps: (Step<T> | undefined)[] = [];
  #head = 0;
  #size = 0;
  #bytes = 0;
  #start: Revision = 0;

  /** Creates an empty window. */
  constructor(bounds: WindowBounds) {
    this.#bounds = bounds;
  }

  /** The revision after which the window is complete. */
  get start(): Revision {
    return this.#start;
  }

  /** The number of changes. */
  get size(): number {
    return this.#size;
  }

  /** The approximate number of bytes of replaced and deleted objects that it keeps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Clears the window and starts after a revision. */
  reset(revision: Revision): void {
    this.#steps = [];
    this.#head = 0;
    this.#size = 0;
    this.#bytes = 0;
    this.#start = revision;
  }

  /** Adds the changes of the next revision, one per key, and drops the oldest beyond the limit. */
  append(revision: Revision, changes: readonly CacheChange<T>[]): void {
    const bytes = replacedBytes(changes);
    this.#steps.push({ revision, changes, bytes, before: undefined });
    this.#size += changes.length;
    this.#bytes += bytes;
    const { windowMax, windowBytesMax } = this.#bounds;
    while (this.#size > windowMax || this.#bytes > windowBytesMax) this.#dropFirst();
  }

  /** Returns the changes after a revision, which must not be before `start`. */
  after(revision: Revision): readonly CacheChange<T>[] {
    return this.#steps.slice(this.#firstAfter(revision)).flatMap((step) => step?.changes ?? []);
  }

  /**
   * Returns the objects at a revision that the cache has reached; undefined before `start`. Valid until the next write:
   * without later changes it is the newest state itself.
   */
  at(revision: Revision, newest: CacheSnapshot<T>): CacheSnapshot<T> | undefined {
    if (revision < this.#start) return undefined;
    const first = this.#firstAfter(revision);
    const step = this.#steps[first];
    if (step === undefined) return newest;
    return (step.before ??= this.#undone(first, newest));
  }

  /** Drops changes that only revisions before this one need. */
  dropBefore(revision: Revision): void {
    for (let count = this.#firstAfter(revision) - this.#head; count > 0; count--) this.#dropFirst();
    this.#start = Math.max(this.#start, revision);
  }

  /**
   * Returns the objects before a step: the next known snapshot, or the newest state, with the changes in between
   * undone.
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
    this.#bytes -= first.bytes;
    this.#start = first.revision;
    if (this.#head * 2 <= this.#steps.length) return;
    this.#steps = this.#steps.slice(this.#head);
    this.#head = 0;
  }

  /** Returns the index of the first step after a revision. */
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

/** The changes of one revision, and the snapshot before it once it was computed. */
interface Step<T extends object> {
  readonly revision: Revision;
  readonly changes: readonly CacheChange<T>[];
  /** About how many bytes of replaced objects it keeps. */
  readonly bytes: number;
  before: CacheSnapshot<T> | undefined;
}

/** Returns the approximate bytes of replaced and deleted objects, which only the window keeps. */
function replacedBytes<T extends object>(changes: readonly CacheChange<T>[]): number {
  let bytes = 0;
  for (const { previous, now } of changes) {
    if (previous !== undefined) bytes += memoryBytes(previous.object, now?.object);
  }
  return bytes;
}
