// Work that is a promise, as a stream: it begins with the subscription, and its signal is aborted when nobody listens any
// more. So teardown of the scheduler ends every request that it has open.
import { Observable } from 'rxjs';

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
      if (!isOver) controller.abort(new Error('the scheduler has stopped'));
    };
  });
}
