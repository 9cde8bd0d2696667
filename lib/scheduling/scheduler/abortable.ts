// Work that is a promise, as a stream: it begins with the subscription, and its signal is aborted when nobody listens
// any more. So teardown of the scheduler ends every request that it has open.
import { Observable, defer, finalize, ignoreElements, merge, tap } from 'rxjs';
import { Outlet } from '../../core/index.js';

/** Emits what the work answers, and completes. */
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
 * Does work for every value, side by side, for as long as somebody listens; then the signal that all of it shares is
 * aborted. A signal for each would cost more than many a request in process. Errors with what the work rejects with.
 */
export function workOn<T>(
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
