// Reads that may be long, in parts that are not: each takes the worker some milliseconds and the main thread, which
// parses it, not much more. The parts of one read are of one revision, so it does not matter what happens in between.
import type { Revision } from '../store.js';
import type { StoredEntry } from '../value-codec.js';
import type { Calls, WireChange } from './protocol.js';
import { KeyCounts } from './key-counts.js';
import { keyRange, type LogTable } from './log-table.js';

/** What one part takes at most: bytes of text (the last row may go beyond), rows, and revisions looked at. */
const partBytes = 2 ** 17;
const partRows = 128;
const partRevisions = 2000;

/** Lists. */
export class Lister {
  readonly #log: LogTable;
  readonly #counts: KeyCounts;

  constructor(log: LogTable) {
    this.#log = log;
    this.#counts = new KeyCounts(log);
  }

  /** One part of a page. */
  list({ prefix, after, limit, underway, ...asked }: Calls['list']['ask']): Calls['list']['answer'] {
    const revision = asked.revision ?? this.#log.revision;
    this.#log.check(revision, underway);
    const rowsMax = Math.min(limit, partRows);
    const places = this.#log.page(keyRange(prefix, after), revision, rowsMax);
    const entries: StoredEntry[] = [];
    for (let bytes = 0; bytes < partBytes && entries.length < places.length;) {
      const place = places[entries.length];
      if (place === undefined) break;
      const entry = this.#log.entry(place);
      bytes += entry[1].length;
      entries.push(entry);
    }
    if (entries.length === places.length && places.length < rowsMax) return { entries, revision, remaining: 0 };
    if (limit === Infinity) return { entries, revision, remaining: undefined };
    const begin = { prefix, after, revision };
    const remaining = this.#counts.count(begin) - entries.length;
    // The end of a part, unlike that of a page, is requested once.
    if (underway) this.#counts.forget(begin);
    this.#counts.note({ ...begin, after: entries.at(-1)?.[0] }, remaining);
    return { entries, revision, remaining: entries.length === limit ? remaining : undefined };
  }
}

/** One part of history, below a prefix. */
export function replayHistory(
  log: LogTable,
  { prefix, after, underway }: Calls['replay']['ask'],
): Calls['replay']['answer'] {
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
