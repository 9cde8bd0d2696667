// Keeps a snapshot in step with a stream of events and passes the events on, each only when the snapshot already shows
// what it tells: who hears of an object can read it. That takes one change of order. What is listed is passed on when
// the list is complete, between `init` and `synced`; before it come the objects that the list showed to be gone, as
// `deleted` with `finalStateUnknown`. So who follows owners or counts hears of every disappearance, also of one that
// happened while nobody watched, as client-go's handlers do (tools/cache/controller.go, processReplacedAllInfo);
// kube-rs leaves that to readers.

import { concatMap, defer, finalize, type MonoTypeOperatorFunction } from 'rxjs';
import type { SnapshotWriter } from './snapshot.js';
import type { WatchEvent } from './watch-event.js';

/** Writes what passes into the snapshot. Errors when another subscription is writing it already. */
export function reflect<T, Index extends string>(
  writer: SnapshotWriter<T, Index>,
): MonoTypeOperatorFunction<WatchEvent<T>> {
  return (events$) =>
    defer(() => {
      const release = writer.claim();
      return events$.pipe(
        concatMap((event) => writer.write(event)),
        finalize(release),
      );
    });
}
