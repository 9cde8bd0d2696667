// The number of keys after a key, for the `remaining` of pages. Counting 100,000 takes the worker 50 ms, so it is done
// once: where a page ends the count goes on from where it began, and at another revision it is moved by what the log
// says was created and deleted in between. Lives in the worker.
import { LRUCache } from 'lru-cache';
import type { Revision } from '../store.js';
import { keyRange, type LogTable } from './log-table.js';

/** The keys that begin with a prefix, or of these those after a key, at a revision. */
export interface CountedRange {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly revision: Revision;
}

/** The counts that are kept: of the lists being paged through, and of the prefixes listed last. */
const knownMax = 256;

/** A row of the log takes about four times as long to look at as one of the index. */
const rowCost = 4;

/** The counts used last. */
export class KeyCounts {
  readonly #log: LogTable;
  readonly #known = new LRUCache<string, { readonly revision: Revision; readonly count: number }>({ max: knownMax });

  constructor(log: LogTable) {
    this.#log = log;
  }

  /** Returns the count, from a kept one where possible. The caller has checked the revision. */
  count(counted: CountedRange): number {
    const count = this.#moved(counted) ?? this.#log.count(keyRange(counted.prefix, counted.after), counted.revision);
    this.note(counted, count);
    return count;
  }

  /** Keeps a count that the caller knows. */
  note(counted: CountedRange, count: number): void {
    this.#known.set(nameOf(counted), { revision: counted.revision, count });
  }

  /** Removes a count that will not be used again. */
  forget(counted: CountedRange): void {
    this.#known.delete(nameOf(counted));
  }

  #moved(counted: CountedRange): number | undefined {
    const known = this.#known.get(nameOf(counted));
    if (known === undefined || known.revision === counted.revision) return known?.count;
    const [before, later] =
      known.revision < counted.revision ? [known.revision, counted.revision] : [counted.revision, known.revision];
    // What came after the compacted revision is all there.
    if (before < this.#log.compacted || (later - before) * rowCost > known.count) return undefined;
    const growth = this.#log.growth(keyRange(counted.prefix, counted.after), before, later);
    return known.revision === before ? known.count + growth : known.count - growth;
  }
}

function nameOf({ prefix, after }: CountedRange): string {
  return after === undefined ? prefix : `${prefix}\0${after}`;
}
