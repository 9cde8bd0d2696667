// The newest value of a stream, for those who ask now and then: what makes parts replaceable while the server runs. The
// stream is subscribed to with the first question and let go when the server is closed; that is all there is to let go.
import type { Observable } from 'rxjs';
import { firstValueFrom, map, shareReplay, takeUntil, tap } from 'rxjs';

/**
 * Answers the newest value: at once where there is one, else the first that comes. Rejects where the stream ends or
 * fails without any.
 */
export type LatestValue<T> = () => T | Promise<T>;

/**
 * The newest value of a stream that is subscribed to once. When it fails, its last value stays; without any, the next
 * question subscribes anew. A source that shall go on after a failure retries itself.
 */
export function latestValue<T>(source$: Observable<T>, closed$: Observable<void>): LatestValue<T> {
  let known: Known<T> | undefined;
  const kept$ = source$.pipe(
    map((value): Known<T> => ({ value })),
    tap((newest) => (known = newest)),
    takeUntil(closed$),
    // Held although nobody listens between two questions: the line above lets go of it.
    shareReplay({ bufferSize: 1, refCount: false }),
  );
  return () => (known === undefined ? firstValueFrom(kept$, { defaultValue: undefined }).then(valueOf) : known.value);
}

interface Known<T> {
  readonly value: T;
}

function valueOf<T>(first: Known<T> | undefined): T {
  if (first === undefined) throw new Error('the source ended before it had a value, or the server is closed');
  return first.value;
}
