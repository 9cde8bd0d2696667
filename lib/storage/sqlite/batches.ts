// Converts what the worker reports about commits into batches for watchers.
import type { Batch, Change, Entry, Put, Revision } from '../store.js';
import { StoreError } from '../store-error.js';
import { freezeBatch } from '../watch-hub.js';
import type { StoredEntry, ValueCodec } from '../value-codec.js';
import type { Calls } from './protocol.js';

/** A batch as it is read from the log. */
export type WireBatch = Calls['replay']['answer']['batches'][number];

/** A transaction that was committed. */
export interface Committed {
  readonly revision: Revision;
  readonly put: readonly Put[];
  /** What each put and then each delete replaced. */
  readonly replaced: readonly (Entry | undefined)[];
}

/** The batch of a transaction; without changes if it deleted only what was not there. */
export function committedBatch({ revision, put, replaced }: Committed): Batch {
  const changes: Change[] = put.map(({ key, value, lease }, index) => {
    const previous = replaced[index];
    const createRevision = previous?.createRevision ?? revision;
    const entry: Entry = { key, value, createRevision, modRevision: revision, ...(lease !== undefined && { lease }) };
    return Object.freeze({ type: 'put', key, entry: Object.freeze(entry), previous });
  });
  for (const previous of replaced.slice(put.length)) if (previous !== undefined) changes.push(deletion(previous));
  return freezeBatch({ revision, changes });
}

/** The batch of a lease that ended. */
export function endedBatch(codec: ValueCodec, revision: Revision, deleted: readonly StoredEntry[]): Batch {
  return freezeBatch({ revision, changes: deleted.map((entry) => deletion(codec.decode(entry))) });
}

/** A batch of history. */
export function replayedBatch(codec: ValueCodec, [revision, wire]: WireBatch): Batch {
  const changes = wire.map(([put, replaced]): Change => {
    const previous = codec.decodeIf(replaced);
    if (put !== null) return Object.freeze({ type: 'put', key: put[0], entry: codec.decode(put), previous });
    if (previous !== undefined) return deletion(previous);
    throw new StoreError('corrupt', `the log lacks what revision ${revision} deleted`);
  });
  return freezeBatch({ revision, changes });
}

function deletion(previous: Entry): Change {
  return Object.freeze({ type: 'delete', key: previous.key, previous });
}
