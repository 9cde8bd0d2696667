/**
 * The history of a memory store: what each revision changed, and the state at each. Written by the store alone, once
 * per commit; read by watches that begin in the past and by reads at a revision. Callers keep to what is not dropped.
 *
 * The log is cut into chunks of about `chunkChanges` changes, each with the state it begins from, which is shared with
 * the states around it (see KeyIndex). So a state is had by redoing less than a chunk, old history is dropped by
 * letting go of whole chunks, and a fork shares all of them: what two logs see never changes.
 *
 *     chunk   after 1           after 129          after 257
 *             2, 3 … 129        130 … 257          258, 259, 260
 *
 * Version chains at each key, which would do without these states, were not chosen: pruning changes what forks share.
 */
import type { KeyIndex } from './key-index.js';
import type { Batch, Entry, Revision } from './store.js';

/** Redoing a chunk takes some 0.3 ms; each chunk costs copies of the nodes that its changes touch. */
const chunkChanges = 128;

/** The batches and states since some revision. */
export class RevisionLog {
  /** Oldest first, at least one. The last is ours alone; the others are complete and may be shared. */
  #chunks: Chunk[];

  /** A log that begins with the state after this revision. The caller may go on changing the tree. */
  constructor(after: Revision, state: KeyIndex<Entry>) {
    this.#chunks = [chunk(after, state.clone())];
  }

  /** Adds the next revision's batch; `state` is what it led to. */
  append(batch: Batch, state: KeyIndex<Entry>): void {
    const last = this.#chunkOf(batch.revision);
    last.batches.push(batch);
    last.changes += batch.changes.length;
    if (last.changes >= chunkChanges) this.#chunks.push(chunk(batch.revision, state.clone()));
  }

  /** The batches after a revision, oldest first. */
  *batchesAfter(revision: Revision): Generator<Batch, void, undefined> {
    for (let at = this.#indexOf(revision); at < this.#chunks.length; at++) {
      const { after, batches } = this.#chunks[at] ?? this.#chunkOf(revision);
      yield* batches.slice(Math.max(0, revision - after));
    }
  }

  /** The state after a revision: to be read or cloned, never changed. */
  stateAt(revision: Revision): KeyIndex<Entry> {
    const of = this.#chunkOf(revision);
    if (of.after === revision) return of.state;
    // The last state made is kept, for the next page of a list asks for it again.
    if (of.made?.revision !== revision) {
      const from = of.made !== undefined && of.made.revision < revision ? of.made : { revision: of.after, state: of.state };
      const state = from.state.clone();
      for (const batch of of.batches.slice(from.revision - of.after, revision - of.after)) redo(batch, state);
      of.made = { revision, state };
    }
    return of.made.state;
  }

  /** Lets go of what only revisions before this one need, as far as it is whole chunks. O(1) amortised. */
  dropBefore(revision: Revision): void {
    let second = this.#chunks[1];
    while (second !== undefined && second.after <= revision) {
      this.#chunks.shift();
      second = this.#chunks[1];
    }
  }

  /** The same to the letter, so that memory is free when this returns. */
  cutBefore(revision: Revision): void {
    this.dropBefore(revision);
    const first = this.#chunkOf(revision);
    if (first.after >= revision) return;
    // A new chunk, since forks may share the one that is cut.
    const cut = chunk(revision, this.stateAt(revision));
    cut.batches.push(...first.batches.slice(revision - first.after));
    for (const { changes } of cut.batches) cut.changes += changes.length;
    this.#chunks[0] = cut;
  }

  /** A log with the same history that goes on by itself. Copies a reference per chunk, and the last chunk. */
  fork(): RevisionLog {
    const last = this.#chunkOf(Infinity);
    const fork = new RevisionLog(last.after, last.state);
    fork.#chunks = [...this.#chunks.slice(0, -1), { ...last, batches: last.batches.slice() }];
    return fork;
  }

  /** The chunk that a revision's state is made from: the last that begins at it or before. */
  #chunkOf(revision: Revision): Chunk {
    const found = this.#chunks[this.#indexOf(revision)];
    if (found === undefined) throw new RangeError(`revision log: ${revision} is dropped`);
    return found;
  }

  // From the end: what is asked for is nearly always recent.
  #indexOf(revision: Revision): number {
    return this.#chunks.findLastIndex(({ after }) => after <= revision);
  }
}

interface Chunk {
  /** The revision it begins after, and the state there. */
  readonly after: Revision;
  readonly state: KeyIndex<Entry>;
  /** Those of revisions `after + 1`, `after + 2` … */
  readonly batches: Batch[];
  changes: number;
  /** The last state that was made inside it. */
  made: { readonly revision: Revision; readonly state: KeyIndex<Entry> } | undefined;
}

function chunk(after: Revision, state: KeyIndex<Entry>): Chunk {
  return { after, state, batches: [], changes: 0, made: undefined };
}

function redo({ changes }: Batch, state: KeyIndex<Entry>): void {
  for (const change of changes) {
    if (change.type === 'put') state.set(change.key, change.entry);
    else state.delete(change.key);
  }
}
