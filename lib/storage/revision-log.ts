/**
 * The history of a memory store: what each revision changed, from the oldest kept to the newest. Written by the store
 * alone, once per commit; read by watches that begin in the past and by reads at a revision. Callers keep to what is
 * not dropped.
 *
 * The log is cut into chunks of `chunkLength` revisions. All but the last are complete and never change, so a fork
 * shares them, and history is dropped by letting go of one at a time: no pause, and nothing to do for each key.
 *
 *     chunks   [ 130 … 193 ]  [ 194 … 257 ]  [ 258, 259, 260 ]
 *
 * A log of changes is all there is of the past: snapshots of the state every 128 changes were tried and took 40 % of a
 * commit (each copies a leaf of the index or two) to save a fraction of a millisecond for the few who look back, and
 * version chains at each key cannot be pruned without changing what forks share.
 */
import type { Batch, Revision } from './store.js';

/** What may be kept beyond what is asked for: one chunk. */
const chunkLength = 64;

/** The batches of consecutive revisions. */
export class RevisionLog {
  /** The revision of the first batch of the first chunk, or of the next batch where there is none. */
  #start: Revision;
  #newest: Revision;
  #chunks: Batch[][] = [];

  /** An empty log, whose first batch will be of the revision after this one. */
  constructor(newest: Revision) {
    this.#start = newest + 1;
    this.#newest = newest;
  }

  /** Adds the batch of the next revision. */
  append(batch: Batch): void {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.length < chunkLength) last.push(batch);
    else this.#chunks.push([batch]);
    this.#newest = batch.revision;
  }

  /** The batches after a revision, in their order. */
  *after(revision: Revision): Generator<Batch, void, undefined> {
    for (let next = revision + 1; next <= this.#newest; next++) yield this.#batch(next);
  }

  /** The same, newest first. */
  *backTo(revision: Revision): Generator<Batch, void, undefined> {
    for (let next = this.#newest; next > revision; next--) yield this.#batch(next);
  }

  /** Lets go of the chunks that only revisions before this one need: all of whose batches are part of its state. */
  dropBefore(revision: Revision): void {
    while (this.#start + chunkLength <= revision + 1) {
      this.#chunks.shift();
      this.#start += chunkLength;
    }
  }

  /** A log with the same history up to a revision, which then goes on independently. */
  fork(newest: Revision = this.#newest): RevisionLog {
    const fork = new RevisionLog(newest);
    fork.#start = this.#start;
    const kept = newest + 1 - this.#start;
    fork.#chunks = this.#chunks.slice(0, Math.ceil(kept / chunkLength));
    const last = fork.#chunks.length - 1;
    // The last chunk is the only one that grows, so it is the only one that is copied.
    if (last >= 0) fork.#chunks[last] = fork.#chunks[last]?.slice(0, kept - last * chunkLength) ?? [];
    return fork;
  }

  #batch(revision: Revision): Batch {
    const at = revision - this.#start;
    const batch = this.#chunks[Math.floor(at / chunkLength)]?.[at % chunkLength];
    if (batch === undefined) throw new RangeError(`revision log: ${revision} is not kept`);
    return batch;
  }
}
