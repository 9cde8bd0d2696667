// Work that is a promise, as a stream: it begins with the subscription, and its signal is aborted when nobody listens any
// more. So teardown of the scheduler ends every request that it has open.
import { Observable } from 'rxjs';

/** Emits what the work answers, and completes. */
export function abortable<T>(work: (signal: AbortSignal) => Promise<T>): Observable<T> {
  return new Observable((subscriber) => {
    const controller = new AbortController();
    work(controller.signal).then(
      (value) => {
        subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return () => controller.abort(new Error('the scheduler has stopped'));
  });
}
