// Tries pods one after another, for as long as there are any. Many are tried in one go, since a pause costs more than a
// pod; then everybody else has a turn: watches, bindings, requests from outside. Nothing is set going while nothing
// waits.
import { EMPTY, concatMap, defer, ignoreElements, repeat } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Clock } from '../../core/index.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { TryPod } from './scheduling-cycle.js';

/** Tries pods for as long as somebody listens. Never emits, completes or errors. */
export function schedulingLoop(queue: SchedulingQueue, clock: Clock, tryPod: TryPod): Observable<never> {
  let left = podsPerTurn;
  const turn = (): Observable<unknown> => {
    const endsAt = clock.now() + turnMsMax;
    while (left > 0) {
      const queued = queue.pop();
      if (queued === undefined) return EMPTY;
      left -= 1;
      const later$ = tryPod(queued);
      if (later$ !== undefined) return later$;
      if (clock.now() >= endsAt) break;
    }
    left = podsPerTurn;
    return clock.timer(0);
  };
  return defer(() => queue.ready()).pipe(
    // Not in the midst of whatever brought the pod.
    concatMap(() => Promise.resolve()),
    concatMap(turn),
    repeat(),
    ignoreElements(),
  );
}

/** Pods between two pauses, however short their turns are. */
const podsPerTurn = 256;
/** About as long as a request may have to wait for the scheduler. */
const turnMsMax = 8;
