// Binds claims to volumes, and reclaims volumes: the controller that kube-controller-manager calls
// persistentvolume-binder. Claims and volumes are reconciled one at a time, on changes and every 15 seconds: two claims
// never choose one volume, and a claim finds a new volume at the latest then. A binding that was interrupted, here or
// in the scheduler, is finished by the next reconcile of either end. As pkg/controller/volume/persistentvolume.
import { defer, exhaustMap, map, merge, mergeMap, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { awaitChange, controller, eventRecorder, informers, withOwnWrites } from '../../client/index.js';
import type { ControllerActivity, EventFailed } from '../../client/index.js';
import { Outlet } from '../../core/index.js';
import type { Part } from '../../core/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { syncClaim } from './claim-sync.js';
import type { Storage, StorageOutcome } from './storage.js';
import { storageWatches } from './storage-watches.js';
import type { StorageItem } from './storage-watches.js';
import { syncVolume } from './volume-sync.js';

/** The activities of the controller. */
export type PersistentVolumesActivity = ControllerActivity<StorageItem, StorageOutcome> | EventFailed;

/** Creates the volume binder. */
export function persistentVolumes(environment: ControllerEnvironment): Part<PersistentVolumesActivity> {
  const { client, clock, random, syncPeriodMs = 15_000 } = environment;
  const shared = environment.informers ?? informers(client, { clock, random });
  const name = 'persistentvolume-binder-controller';
  const run = (): Observable<PersistentVolumesActivity> => {
    const { claims, volumes, classes, pods, watches, changes$, all } = storageWatches(shared);
    const recorder = eventRecorder({
      client,
      clock,
      random: random.stream('events'),
      component: 'persistentvolume-controller',
    });
    const requeued = new Outlet<StorageItem>();
    const storage: Omit<Storage, 'signal' | 'cause'> = {
      client,
      claims: withOwnWrites(claims),
      volumes: withOwnWrites(volumes),
      classes,
      pods,
      record: (details) => recorder.record(details),
      requeueClaim: (key) => requeued.emit({ kind: 'claim', key }),
    };
    // The interval ends when there is nothing to reconcile, so that an idle cluster has no timer, and begins again with
    // the next change.
    const resync$ = changes$.pipe(
      exhaustMap(() =>
        clock.interval(syncPeriodMs).pipe(
          map(all),
          takeWhile((items) => items.length > 0),
          mergeMap((items) => items),
        ),
      ),
    );
    const binder = controller<StorageItem, StorageOutcome>({
      name,
      clock,
      steps$: environment.steps$,
      keyOf: ({ kind, key }) => `${kind} ${key}`,
      watches,
      triggers$: merge(requeued.values$, resync$),
      reconcile: async (item, { emit, signal, cause }) => {
        const outcome = await sync(item, { ...storage, signal, cause });
        if (outcome !== undefined) emit(outcome);
        return awaitChange;
      },
    });
    return merge(recorder.run(), binder.run());
  };
  return { name, run: () => defer(run) };
}

/** Reconciles one item. Deleted objects need nothing. */
async function sync({ kind, key }: StorageItem, storage: Storage): Promise<StorageOutcome | undefined> {
  if (kind === 'claim') {
    const claim = storage.claims.get(key);
    return claim && syncClaim(claim, storage);
  }
  const volume = storage.volumes.get(key);
  return volume && syncVolume(volume, storage);
}
