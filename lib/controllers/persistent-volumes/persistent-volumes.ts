// Binds claims to volumes, and takes volumes back: the controller that kube-controller-manager calls
// persistentvolume-binder. Claims and volumes are looked at one at a time, when there is news of them and every 15
// seconds besides: two claims never choose one volume, and a volume that turned up is found by those who wait, at the
// latest then. Whatever was left half done, by this one or by the scheduler, is finished when it is next looked at.
// As pkg/controller/volume/persistentvolume.
import { defer, finalize, map, merge, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { eventRecorder } from '../../client/index.js';
import type { Client, EventNote } from '../../client/index.js';
import { Outlet } from '../../core/index.js';
import type { Clock, Random } from '../../core/index.js';
import { keyedWork } from '../keyed-work.js';
import { latest } from '../latest.js';
import { workOnNews } from '../news.js';
import { syncClaim } from './claim-sync.js';
import { knownStorage } from './known-storage.js';
import type { Item } from './known-storage.js';
import type { Storage, StorageOutcome } from './storage.js';
import { syncVolume } from './volume-sync.js';

/** What the controller works with. */
export interface PersistentVolumesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** What the controller did. */
export type PersistentVolumesOutcome =
  | StorageOutcome
  /**
   * Without an object it was a watch or an Event that failed. Without a time it is not tried again until there is news.
   */
  | { readonly type: 'failed'; readonly item?: Item; readonly error: unknown; readonly retryInMs?: number };

/** Runs for as long as somebody subscribes. Cold; never errors. */
export function persistentVolumes({
  client,
  clock,
  random,
}: PersistentVolumesOptions): Observable<PersistentVolumesOutcome> {
  return defer(() => {
    const stopping = new AbortController();
    const known = knownStorage({ client, clock, random });
    const recorder = eventRecorder({
      client,
      clock,
      random: random.stream('events'),
      component: 'persistentvolume-controller',
    });
    const again = new Outlet<Item>();
    const storage: Storage = {
      client,
      signal: stopping.signal,
      claims: latest(known.claims),
      volumes: latest(known.volumes),
      classes: known.classes,
      pods: known.pods,
      record: (note: EventNote) => recorder.record(note),
      lookAt: (key) => again.emit({ kind: 'claim', key }),
    };
    const inTurn = turns();
    const work = keyedWork<Item, PersistentVolumesOutcome>({
      clock,
      // They take turns within: here nobody waits for one that is to be tried again later.
      concurrency: Infinity,
      keyOf: ({ kind, key }) => `${kind} ${key}`,
      work: (item) => inTurn(() => known.ready.then(() => sync(item, storage))),
      failed: (item, error, retryInMs) => ({
        type: 'failed',
        item,
        error,
        ...(retryInMs !== undefined && { retryInMs }),
      }),
    });
    const resync$ = clock.interval(resyncMs).pipe(mergeMap(() => known.all()));
    return merge(
      recorder.run().pipe(map(({ error }): PersistentVolumesOutcome => ({ type: 'failed', error }))),
      merge(again.values$, known.news$, resync$).pipe(workOnNews(work)),
    ).pipe(finalize(() => stopping.abort()));
  });
}

/** How often everything is looked at. */
const resyncMs = 15_000;

/** What is gone by now needs nothing. */
async function sync({ kind, key }: Item, storage: Storage): Promise<StorageOutcome | undefined> {
  if (kind === 'claim') {
    const claim = storage.claims.get(key);
    return claim && syncClaim(claim, storage);
  }
  const volume = storage.volumes.get(key);
  return volume && syncVolume(volume, storage);
}

/** Does things one after the other, in the order in which they are asked for. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
