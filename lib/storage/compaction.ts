/**
 * What of history may still be asked for: everything from the oldest revision kept to the newest. The oldest is the
 * last one named to `compact`, or `historyMax` before the newest where that is later. So history is bounded without
 * anyone asking, one revision at a time and never in a pause; the log frees memory a chunk at a time (revision-log.ts).
 */
import type { Revision } from './store.js';
import { StoreError } from './store-error.js';

/** Both inclusive. `oldest` is 0 while nothing is gone, the time before the first commit included. */
export interface HistoryBounds {
  readonly oldest: Revision;
  readonly newest: Revision;
}

/** The bounds of a history of at most `historyMax` revisions besides the newest. */
export function historyBounds(newest: Revision, compacted: Revision, historyMax: number): HistoryBounds {
  return { oldest: Math.max(compacted, newest - historyMax), newest };
}

/** Refuses a revision that is gone with `compacted` and one still to come with `future-revision`. */
export function checkReadable(revision: Revision, bounds: HistoryBounds): void {
  checkNotCompacted(revision, bounds);
  checkNotFuture(revision, bounds);
}

/** Refuses a revision that is gone. For watches, which wait for those to come. */
export function checkNotCompacted(revision: Revision, { oldest }: HistoryBounds): void {
  if (revision >= oldest) return;
  throw new StoreError('compacted', `revision ${revision} is compacted, the oldest left is ${oldest}`, {
    revision: oldest,
  });
}

/** Refuses a revision still to come. For compaction, to which one gone means nothing. */
export function checkNotFuture(revision: Revision, { newest }: HistoryBounds): void {
  if (revision <= newest) return;
  throw new StoreError('future-revision', `revision ${revision} is still to come, the newest is ${newest}`, {
    revision: newest,
  });
}
