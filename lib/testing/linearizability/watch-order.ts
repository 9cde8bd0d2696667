/**
 * What must hold of a recorded watch whatever was committed: ordered, unique, atomic, bookmarkable. That it is reliable
 * and shows the right changes is for the replay to find out.
 */
import type { Violation, WatchRecord } from '../store-history/history.js';

/** What is wrong with the order of a watch's batches. */
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
