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
import { memoryBytes } from '../core/index.js';
import type { Batch, Revision, Entry } from './store.js';
import type { KeyIndex, KeyRange } from './key-index.js';
import type { State } from './read-view.js';

/** What may be kept beyond what is requested: one chunk. */
const chunkLength = 64;

/** The batches of consecutive revisions. */
export class RevisionLog {
  /** The revision of the first batch of the first chunk, or of the next batch where there is none. */
  #start: Revision;
  #newest: Revision;
  /** A batch that `trim` dropped from the last chunk is undefined. */
  #chunks: (Batch | undefined)[][] = [];
  /** About what each chunk keeps in memory that the newest state does not need, in bytes; and their sum. */
  #chunkBytes: number[] = [];
  #bytes = 0;

  /** An empty log, whose first batch will be of the revision after this one. */
  constructor(newest: Revision) {
    this.#start = newest + 1;
    this.#newest = newest;
  }

  /** Adds the batch of the next revision. */
  append(batch: Batch): void {
    const bytes = replacedBytes(batch);
    const at = this.#chunks.length - 1;
    const last = this.#chunks[at];
    if (last !== undefined && last.length < chunkLength) {
      last.push(batch);
      this.#chunkBytes[at] = (this.#chunkBytes[at] ?? 0) + bytes;
    } else {
      this.#chunks.push([batch]);
      this.#chunkBytes.push(bytes);
    }
    this.#bytes += bytes;
    this.#newest = batch.revision;
  }

  /** About how many bytes of replaced and deleted values the log keeps. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Drops the oldest batches until the log takes at most that many bytes: whole chunks, and of the last chunk as many
   * batches as needed. Returns the oldest revision whose state the log can still restore.
   */
  trim(bytesMax: number): Revision {
    while (this.#bytes > bytesMax && this.#chunks.length > 1) this.#dropChunk();
    const chunk = this.#chunks[0] ?? [];
    let dropped = chunk.findIndex((batch) => batch !== undefined);
    if (dropped < 0) return this.#newest;
    for (; this.#bytes > bytesMax && dropped < chunk.length; dropped += 1) {
      const bytes = replacedBytes(chunk[dropped]);
      chunk[dropped] = undefined;
      this.#chunkBytes[0] = (this.#chunkBytes[0] ?? 0) - bytes;
      this.#bytes -= bytes;
    }
    return this.#start - 1 + dropped;
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
    while (this.#start + chunkLength <= revision + 1) this.#dropChunk();
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
    fork.#chunkBytes = this.#chunkBytes.slice(0, fork.#chunks.length);
    if (newest < this.#newest) fork.#chunkBytes[last] = sum(fork.#chunks[last] ?? [], replacedBytes);
    fork.#bytes = sum(fork.#chunkBytes, (bytes) => bytes);
    return fork;
  }

  #dropChunk(): void {
    this.#chunks.shift();
    this.#bytes -= this.#chunkBytes.shift() ?? 0;
    this.#start += chunkLength;
  }

  #batch(revision: Revision): Batch {
    const at = revision - this.#start;
    const batch = this.#chunks[Math.floor(at / chunkLength)]?.[at % chunkLength];
    if (batch === undefined) throw new RangeError(`revision log: ${revision} is not kept`);
    return batch;
  }
}

/**
 * The state of a memory store at an earlier revision: a copy of the newest state in which later changes are undone on
 * demand. Creating it is O(1). The first read collects the keys that changed since (0.2 µs per change); a list first
 * restores those below its prefix (5 µs per key, once). Writers pay nothing. Later commits are not visible here: the
 * tree and the log are copies.
 */
class PastState implements State {
  /** The newest state when this was made, with what changed since undone below the prefixes that were listed. */
  readonly #state: KeyIndex<Entry>;
  /** The keys still to be put back, with what they were then. */
  readonly #changed = new Map<string, Entry | undefined>();
  /** Where those come from, until they are first needed. */
  #source: { readonly log: RevisionLog; readonly revision: Revision } | undefined;

  /** The state at `revision`, from the newest and the log up to it. */
  constructor(newest: KeyIndex<Entry>, log: RevisionLog, revision: Revision) {
    this.#state = newest.clone();
    this.#source = { log: log.fork(), revision };
  }

  get(key: string): Entry | undefined {
    const changed = this.#changes();
    return changed.has(key) ? changed.get(key) : this.#state.get(key);
  }

  list(range: KeyRange, limit?: number): Entry[] {
    this.#undoBelow(range.prefix);
    return this.#state.list(range, limit);
  }

  count(range: KeyRange): number {
    this.#undoBelow(range.prefix);
    return this.#state.count(range);
  }

  #undoBelow(prefix: string): void {
    const changed = this.#changes();
    for (const [key, entry] of changed) {
      if (!key.startsWith(prefix)) continue;
      if (entry === undefined) this.#state.delete(key);
      else this.#state.set(key, () => entry);
      changed.delete(key);
    }
  }

  #changes(): Map<string, Entry | undefined> {
    if (this.#source !== undefined) {
      // Back in time, so that of several changes of a key the first one after `revision` has the last word.
      for (const { changes } of this.#source.log.backTo(this.#source.revision)) {
        for (const { key, previous } of changes) this.#changed.set(key, previous);
      }
      this.#source = undefined;
    }
    return this.#changed;
  }
}

/** The past states that were read last, by revision: the next page of a list reads the same one again. */
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

/** About how many bytes only history keeps once a batch is committed: what it replaced or deleted. */
function replacedBytes(batch: Batch | undefined): number {
  let bytes = 0;
  for (const change of batch?.changes ?? []) {
    if (change.previous === undefined) continue;
    bytes += memoryBytes(change.previous.value, change.type === 'put' ? change.entry.value : undefined);
  }
  return bytes;
}

function sum<T>(values: readonly T[], figure: (value: T) => number): number {
  return values.reduce((total, value) => total + figure(value), 0);
}
