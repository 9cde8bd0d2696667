// The informers of the volume binder and the items of their events: the object itself, or, if it is deleted, the other
// end of its binding.
import { filter, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import { watching } from '../../client/index.js';
import type { Informers, Stored, Watch } from '../../client/index.js';
import { objectKey } from '../../core/index.js';
import type { Snapshot } from '../../core/index.js';
import type { Pod, StorageClass } from '../../core/types/index.js';
import { claimsOfPod } from './pods-of-claim.js';
import type { StoredClaim, StoredVolume } from './storage.js';
import { claimNamedBy } from './volume-sync.js';

/** A claim or a volume to reconcile, by its key. */
export interface StorageItem {
  readonly kind: 'claim' | 'volume';
  readonly key: string;
}

/** The informers of the binder. */
export interface StorageWatches {
  readonly claims: Snapshot<StoredClaim>;
  readonly volumes: Snapshot<StoredVolume, 'claim'>;
  readonly classes: Snapshot<Stored<StorageClass>>;
  readonly pods: Snapshot<Stored<Pod>, 'claim'>;
  readonly watches: readonly Watch<StorageItem>[];
  /** Emits when a claim or volume is listed, changes or is deleted. */
  readonly changes$: Observable<unknown>;
  /** Returns every claim and every volume. */
  readonly all: () => readonly StorageItem[];
}

/** Creates the informers of the binder. */
export function storageWatches(informers: Informers): StorageWatches {
  const claims = informers.kind('v1', 'PersistentVolumeClaim');
  const volumes = informers.kind('v1', 'PersistentVolume').indexedBy({ claim: claimsOfVolume });
  const classes = informers.kind('storage.k8s.io/v1', 'StorageClass');
  const pods = informers.kind('v1', 'Pod').indexedBy({ claim: claimsOfPod });
  const itemsOfClaim = (claim: StoredClaim): readonly StorageItem[] => {
    if (isThere(claim, claims)) return [{ kind: 'claim', key: objectKey(claim) }];
    // Includes volumes that the claim itself never named.
    return volumes.by('claim', objectKey(claim)).map(itemOfVolume);
  };
  const itemsOfVolume = (volume: StoredVolume): readonly StorageItem[] => {
    if (isThere(volume, volumes)) return [itemOfVolume(volume)];
    return claimsOfVolume(volume).map((key) => ({ kind: 'claim', key }));
  };
  return {
    claims,
    volumes,
    classes,
    pods,
    watches: [
      watching(claims, ({ object }) => itemsOfClaim(object)),
      watching(volumes, ({ object }) => itemsOfVolume(object)),
      // Only read during a reconcile; their changes cause none.
      watching(classes),
      watching(pods),
    ],
    changes$: merge(claims.events$, volumes.events$).pipe(filter((event) => 'object' in event)),
    all: () => [
      ...claims.list().map((claim) => ({ kind: 'claim', key: objectKey(claim) }) as const),
      ...volumes.list().map(itemOfVolume),
    ],
  };
}

function isThere<T extends Stored>(object: T, known: Pick<Snapshot<T>, 'get'>): boolean {
  return known.get(objectKey(object))?.metadata.uid === object.metadata.uid;
}

function itemOfVolume(volume: StoredVolume): StorageItem {
  return { kind: 'volume', key: objectKey(volume) };
}

function claimsOfVolume(volume: StoredVolume): readonly string[] {
  const claim = claimNamedBy(volume);
  return claim === undefined ? [] : [claim];
}
