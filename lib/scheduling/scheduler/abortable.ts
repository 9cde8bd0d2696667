// Promise-based work as observables: it starts with the subscription, and its signal aborts on unsubscription. So
// stopping the scheduler aborts every open request.
import { Observable, defer, finalize, ignoreElements, merge, tap } from 'rxjs';
import { Outlet } from '../../core/index.js';

/** Emits the result of the work and completes. */
export function abortable<T>(work: (signal: AbortSignal) => Promise<T>): Observable<T> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    let isOver = false;
    work(controller.signal).then(
      (value) => {
        isOver = true;
        subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => {
        isOver = true;
        subscriber.error(error);
      },
    );
    return () => {
      if (!isOver) controller.abort(stopped());
    };
  });
}

/**
 * Runs work for every value concurrently while subscribed. All runs share one signal, which aborts on unsubscription: a
 * signal per value would cost more than many in-process requests. Errors with what a run rejects with.
 */
export function runConcurrently<T>(
  values$: Observable<T>,
  work: (value: T, signal: AbortSignal) => Promise<void>,
): Observable<never> {
  return defer(() => {
    const controller = new AbortController();
    const failed = new Outlet<never>();
    const working$ = values$.pipe(
      tap((value) => void work(value, controller.signal).catch((error: unknown) => failed.error(error))),
      ignoreElements(),
    );
    return merge(failed.values$, working$).pipe(finalize(() => controller.abort(stopped())));
  });
}

function stopped(): Error {
  return new Error('the scheduler has stopped');
}
