// Compacts a store periodically, so that history takes bounded space. Each round compacts to the revision that was the
// newest one round before: what is left of history reaches back between one and two intervals.
//
// Servers that share a store take turns: a record in the store holds the revision of the last compaction, and each
// round begins with replacing the record that the server read last. Only the server whose replacement commits compacts;
// the others read the record and start their interval again. As apiserver/pkg/storage/etcd3/compact.go.
import { catchError, defer, from, mergeScan, mergeMap, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { errorText } from '../core/index.js';
import type { Activity, Clock, JsonObject, Part } from '../core/index.js';
import type { Revision, Store } from './store.js';

/** How a store is compacted. */
export interface CompactorOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Time between two compactions. Default: five minutes, as `--etcd-compaction-interval`. */
  readonly intervalMs?: number;
  /** Whether other servers may use the same store at the same time. Default false. */
  readonly isShared?: boolean;
}

/** History before `revision` is gone: this server compacted it, or another one that shares the store. */
export interface StoreCompacted extends Activity {
  readonly type: 'compacted';
  readonly revision: Revision;
}

/** A round failed; the next one tries again. */
export interface CompactionFailed extends Activity {
  readonly type: 'compaction-failed';
  readonly reason: string;
}

/** The interval of kube-apiserver, `--etcd-compaction-interval`. */
export const compactionIntervalMs: number = 5 * 60_000;

/** The key of the record that servers on one store share. Outside of `/registry/`, so that no resource contains it. */
const recordKey = '/compact_rev_key';

/** What a round knows from the one before. */
interface Round {
  /** The newest revision one round before; 0 before the first. */
  readonly revision: Revision;
  /** The revision of the record, where the store is shared. */
  readonly recordRevision: Revision;
}

/** Creates the part that compacts a store. Throws RangeError for an interval that is not positive. */
export function compactor({
  store,
  clock,
  intervalMs = compactionIntervalMs,
  isShared = false,
}: CompactorOptions): Part<StoreCompacted | CompactionFailed> {
  if (!(intervalMs > 0)) throw new RangeError(`intervalMs is a positive number, not ${intervalMs}`);
  const nextRound = isShared ? sharedRound : ownRound;
  const first: RoundResult = { next: { revision: 0, recordRevision: 0 }, activity: undefined };
  const run = (): Observable<StoreCompacted | CompactionFailed> =>
    clock.interval(intervalMs).pipe(
      mergeScan(
        ({ next }: RoundResult) =>
          defer(() => from(nextRound(store, next))).pipe(catchError((error: unknown) => of(failed(next, error)))),
        first,
        1,
      ),
      mergeMap(({ activity }) => (activity === undefined ? [] : [activity])),
    );
  return { name: 'compactor', run };
}

/** The result of a round. */
interface RoundResult {
  /** What the next round starts from. */
  readonly next: Round;
  /** Undefined for a round that had nothing to compact. */
  readonly activity: StoreCompacted | CompactionFailed | undefined;
}

async function ownRound(store: Store, { revision }: Round): Promise<RoundResult> {
  const newest = await store.revision();
  return { next: { revision: newest, recordRevision: 0 }, activity: await compactTo(store, revision) };
}

async function sharedRound(store: Store, { revision, recordRevision }: Round): Promise<RoundResult> {
  const outcome = await store.commit({
    compare: [{ key: recordKey, modRevision: recordRevision }],
    put: [{ key: recordKey, value: { revision } }],
  });
  if (!outcome.committed) {
    const [record] = outcome.found;
    const gone = revisionOf(record?.value);
    return {
      next: { revision: outcome.revision, recordRevision: record?.modRevision ?? 0 },
      activity: gone > 0 ? { type: 'compacted', revision: gone } : undefined,
    };
  }
  const next = { revision: outcome.revision, recordRevision: outcome.revision };
  return { next, activity: await compactTo(store, revision) };
}

async function compactTo(store: Store, revision: Revision): Promise<StoreCompacted | undefined> {
  if (revision === 0) return undefined;
  await store.compact(revision);
  return { type: 'compacted', revision };
}

function failed(next: Round, error: unknown): RoundResult {
  return { next, activity: { type: 'compaction-failed', reason: errorText(error) } };
}

function revisionOf(record: JsonObject | undefined): Revision {
  return typeof record?.revision === 'number' ? record.revision : 0;
}
