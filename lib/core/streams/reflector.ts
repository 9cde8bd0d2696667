// Writes a stream of events into a snapshot and passes the events on, each only once the snapshot reflects it, so a
// subscriber can read every object it receives. This changes the order in one place: objects of a list are passed on
// when the list is complete, between `init` and `synced`, after one `deleted` with `finalStateUnknown` for each object
// that the list showed to be gone. So subscribers see every deletion, including those that no watch reported. As
// client-go/tools/cache/controller.go, processReplacedAllInfo. To share one watch, use `informer`.

import { concatMap, defer, finalize, type MonoTypeOperatorFunction } from 'rxjs';
import type { SnapshotWriter } from './snapshot.js';
import type { WatcherEvent } from './watch-event.js';

/** Writes events into the snapshot. Errors while another subscription is writing it. */
export function reflect<T, Index extends string>(
  writer: SnapshotWriter<T, Index>,
): MonoTypeOperatorFunction<WatcherEvent<T>> {
  return (events$) =>
    defer(() => {
      const release = writer.claim();
      return events$.pipe(
        concatMap((event) => writer.write(event)),
        finalize(release),
      );
    });
}
