/**
 * Order checks of a recorded history that need no replay: the batches of one watch (ordered, unique, atomic,
 * bookmarkable), and real time (an operation that returned before another was called comes before it). The replay of
 * revisions.ts checks that watches are reliable and show the right changes.
 */
import type { RecordedOperation, Violation, WatchRecord } from '../store-history/history.js';
import type { Revision } from '../../storage/index.js';

/** Returns the first violation in the order of a watch's batches, undefined if there is none. */
export function checkWatchOrder({ prefix, after, batches, until }: WatchRecord): Violation | undefined {
  const watch = `the watch of ${prefix} after ${after}`;
  let seen = after;
  let bookmark = false;
  for (const { revision, changes } of batches) {
    if (changes.length > 0 && revision <= seen) {
      const why =
        revision < seen
          ? 'watches are ordered'
          : bookmark
            ? 'a bookmark says that everything up to it was seen'
            : 'watches are unique and atomic: all changes of a revision come in one batch, once';
      return violation(
        `${watch} shows changes of revision ${revision} after it had seen everything up to ${seen}; ${why}`,
      );
    }
    if (revision < seen)
      return violation(`${watch} has a bookmark at revision ${revision} after one at ${seen}; revisions only rise`);
    const twice = changes.find(({ key }, index) => changes.findIndex((each) => each.key === key) !== index);
    if (twice !== undefined)
      return violation(`${watch} shows ${twice.key} twice in revision ${revision}; watches are unique`);
    const foreign = changes.find(({ key }) => !key.startsWith(prefix));
    if (foreign !== undefined)
      return violation(`${watch} shows ${foreign.key} in revision ${revision}, which is not below its prefix`);
    bookmark = changes.length === 0;
    seen = revision;
  }
  if (seen >= until) return undefined;
  return violation(
    `${watch} was given the time to reach revision ${until}, but stands at ${seen}; watches are reliable`,
  );
}

function violation(sentence: string): Violation {
  return { sentence, operations: [] };
}

/** The least revision that an operation may return. */
export interface Floor {
  /** The highest revision of an operation that returned before this one was called. */
  readonly revision: Revision;
  /** That operation; undefined if the floor is the start of the history. */
  readonly by: RecordedOperation | undefined;
}

/**
 * Returns the floor of every operation in one pass over calls and returns in the order of time: the highest revision
 * returned so far is the floor of every later operation.
 */
export function floorsOf(
  operations: readonly RecordedOperation[],
  start: Revision,
): ReadonlyMap<RecordedOperation, Floor> {
  const byCall = operations.toSorted((a, b) => a.called - b.called);
  const byReturn = operations.filter(({ answer }) => answer !== undefined).sort((a, b) => a.returned - b.returned);
  const floors = new Map<RecordedOperation, Floor>();
  let floor: Floor = { revision: start, by: undefined };
  let returned = 0;
  for (const operation of byCall) {
    for (
      let next = byReturn[returned];
      next !== undefined && next.returned < operation.called;
      next = byReturn[++returned]
    ) {
      const revision = next.answer?.revision ?? 0;
      if (revision > floor.revision) floor = { revision, by: next };
    }
    floors.set(operation, floor);
  }
  return floors;
}
