// Reads that may be long, in parts that are not: each takes the worker some milliseconds and the main thread, which
// parses it, not much more. The parts of one read are of one revision, so it does not matter what happens in between.
import type { Revision } from '../store.js';
import type { Calls, WireChange, WireEntry } from './protocol.js';
import { keyRange, type LogTable } from './log-table.js';

/** What one part takes at most: bytes of text (the last row may go beyond), rows, and revisions looked at. */
const partBytes = 2 ** 17;
const partRows = 128;
const partRevisions = 2000;

/** How many ends of pages are remembered. */
const pageEndsMax = 256;

/** Lists. Knows where pages ended, so that whoever reads page after page has the rest counted once and not each time. */
export class Lister {
  readonly #log: LogTable;
  /** How many entries come after a key at a revision. It never changes, for neither does that state. */
  readonly #remaining = new Map<string, number>();

  constructor(log: LogTable) {
    this.#log = log;
  }

  /** One part of a page. */
  list({ prefix, after, limit, underway, ...asked }: Calls['list']['ask']): Calls['list']['answer'] {
    const revision = asked.revision ?? this.#log.revision;
    this.#log.check(revision, underway);
    const rowsMax = Math.min(limit, partRows);
    const places = this.#log.page(keyRange(prefix, after), revision, rowsMax);
    const entries: WireEntry[] = [];
    for (let bytes = 0; bytes < partBytes && entries.length < places.length; ) {
      const place = places[entries.length];
      if (place === undefined) break;
      const entry = this.#log.entry(place);
      bytes += entry[1].length;
      entries.push(entry);
    }
    if (entries.length === limit) {
      return { entries, revision, remaining: this.#count({ prefix, after, revision, last: entries.at(-1)?.[0] ?? '', taken: limit }) };
    }
    const exhausted = entries.length === places.length && places.length < rowsMax;
    return { entries, revision, remaining: exhausted ? 0 : undefined };
  }

  #count({ prefix, after, revision, last, taken }: PageEnd): number {
    const name = (key: string): string => `${revision}\0${prefix}\0${key}`;
    const before = after === undefined ? undefined : this.#remaining.get(name(after));
    const remaining = before === undefined ? this.#log.count(keyRange(prefix, last), revision) : before - taken;
    const [oldest] = this.#remaining.keys();
    if (oldest !== undefined && this.#remaining.size >= pageEndsMax) this.#remaining.delete(oldest);
    this.#remaining.set(name(last), remaining);
    return remaining;
  }
}

/** One part of history, below a prefix. */
export function replay(log: LogTable, { prefix, after, underway }: Calls['replay']['ask']): Calls['replay']['answer'] {
  const newest = log.revision;
  // A revision that is still to come is waited for: there is nothing to tell yet.
  if (after === undefined || after >= newest) return { batches: [], seen: after ?? newest, newest };
  log.check(after, underway);
  const upTo = Math.min(newest, after + partRevisions);
  const batches: (readonly [Revision, readonly WireChange[]])[] = [];
  let bytes = 0;
  for (const batch of log.replay(keyRange(prefix), after, upTo)) {
    batches.push(batch);
    for (const [entry, previous] of batch[1]) bytes += (entry?.[1].length ?? 0) + (previous?.[1].length ?? 0);
    if (bytes >= partBytes) return { batches, seen: batch[0], newest };
  }
  return { batches, seen: upTo, newest };
}

interface PageEnd {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly revision: Revision;
  /** The last key of the page. */
  readonly last: string;
  /** How many entries the page has. */
  readonly taken: number;
}
