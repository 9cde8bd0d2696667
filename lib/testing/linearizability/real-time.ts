/**
 * The real-time half of strict serializability: what returned before another operation began comes before it. Revisions
 * make it cheap: going through all calls and returns in order, the highest revision that was answered so far is the
 * least that any later operation may claim.
 */
import type { RecordedOperation } from '../store-history/history.js';
import type { Revision } from '../../storage/index.js';

/** The least that an operation may claim. */
export interface Floor {
  /** The highest revision claimed by an operation that returned before this one was called. */
  readonly revision: Revision;
  /** That operation; undefined when the floor is where the history begins. */
  readonly by: RecordedOperation | undefined;
}

/** The floor of every operation. */
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
