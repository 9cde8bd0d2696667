// Subscribing as tests do it: a stream that errors where none should fails the test run instead of passing unseen.
import type { Observable, Subscription } from 'rxjs';

/** Subscribes; an error becomes an uncaught one, which tap reports as a failure. */
export function observe<T>(source$: Observable<T>, next: (value: T) => void = () => undefined): Subscription {
  return source$.subscribe({
    next,
    error: (error: unknown) => {
      throw new Error('a stream failed that should not', { cause: error });
    },
  });
}
