// What is known of claims, volumes, classes and the pods that use claims, and what has to be looked at when that
// changes: the object itself, and where it is gone the other end of what it was bound to.
import { filter, merge, mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Client, Stored } from '../../client/index.js';
import { objectKey, reflect, snapshotWriter, watcher } from '../../core/index.js';
import type { Clock, ListWatch, Random, Snapshot, SnapshotWriter } from '../../core/index.js';
import type { Pod, StorageClass } from '../../core/types/index.js';
import { failureOf, isFailure } from '../news.js';
import type { News } from '../news.js';
import { claimsOfPod } from './pods-of-claim.js';
import type { StoredClaim, StoredVolume } from './storage.js';
import { claimNamedBy } from './volume-sync.js';

/** A claim or a volume to be looked at, by its key. */
export interface Item {
  readonly kind: 'claim' | 'volume';
  readonly key: string;
}

/** What is known, while `news$` is subscribed to. */
export interface KnownStorage {
  readonly claims: Snapshot<StoredClaim>;
  readonly volumes: Snapshot<StoredVolume, 'claim'>;
  readonly classes: Snapshot<Stored<StorageClass>>;
  readonly pods: Snapshot<Stored<Pod>, 'claim'>;
  /** Settles once all of them are there. */
  readonly ready: Promise<unknown>;
  /** What has to be looked at, and watches that fail. */
  readonly news$: Observable<News<Item>>;
  /** Every claim, and every volume. */
  all(): readonly Item[];
}

/** Begins to know nothing. */
export function knownStorage({
  client,
  clock,
  random,
}: {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}): KnownStorage {
  const claims = snapshotWriter<StoredClaim>({});
  const volumes = snapshotWriter<StoredVolume, 'claim'>({ claim: claimsOfVolume });
  const classes = snapshotWriter<Stored<StorageClass>>({});
  const pods = snapshotWriter<Stored<Pod>, 'claim'>({ claim: claimsOfPod });
  const told = <T extends Stored, Index extends string>(
    source: ListWatch<T>,
    name: string,
    writer: SnapshotWriter<T, Index>,
  ): Observable<News<T>> =>
    watcher(source, { clock, random: random.stream(name) }).pipe(
      reflect(writer),
      mergeMap((event) => ('object' in event ? [event.object] : failureOf(event))),
    );
  const aboutClaim = (claim: StoredClaim): readonly Item[] => {
    if (isThere(claim, claims.snapshot)) return [{ kind: 'claim', key: objectKey(claim) }];
    // Those included of which it never knew.
    return volumes.snapshot.by('claim', objectKey(claim)).map(itemOfVolume);
  };
  const aboutVolume = (volume: StoredVolume): readonly Item[] => {
    if (isThere(volume, volumes.snapshot)) return [itemOfVolume(volume)];
    return claimsOfVolume(volume).map((key) => ({ kind: 'claim', key }));
  };
  return {
    claims: claims.snapshot,
    volumes: volumes.snapshot,
    classes: classes.snapshot,
    pods: pods.snapshot,
    ready: Promise.all([claims.snapshot.ready, volumes.snapshot.ready, classes.snapshot.ready, pods.snapshot.ready]),
    news$: merge(
      told(client.kind('v1', 'PersistentVolumeClaim'), 'claims', claims).pipe(
        mergeMap((news) => (isFailure(news) ? [news] : aboutClaim(news))),
      ),
      told(client.kind('v1', 'PersistentVolume'), 'volumes', volumes).pipe(
        mergeMap((news) => (isFailure(news) ? [news] : aboutVolume(news))),
      ),
      // They count when a claim is looked at, and are no reason to.
      told(client.kind('storage.k8s.io/v1', 'StorageClass'), 'classes', classes).pipe(filter(isFailure)),
      told(client.kind('v1', 'Pod'), 'pods', pods).pipe(filter(isFailure)),
    ),
    all: () => [
      ...claims.snapshot.list().map((claim) => ({ kind: 'claim', key: objectKey(claim) }) as const),
      ...volumes.snapshot.list().map(itemOfVolume),
    ],
  };
}

function isThere<T extends Stored>(object: T, known: Pick<Snapshot<T>, 'get'>): boolean {
  return known.get(objectKey(object))?.metadata.uid === object.metadata.uid;
}

function itemOfVolume(volume: StoredVolume): Item {
  return { kind: 'volume', key: objectKey(volume) };
}

function claimsOfVolume(volume: StoredVolume): readonly string[] {
  const claim = claimNamedBy(volume);
  return claim === undefined ? [] : [claim];
}
