// Waits until an object meets a condition: one list and one watch of that object, repeated if the watch ends.
import {
  catchError,
  concat,
  defer,
  filter,
  firstValueFrom,
  from,
  map,
  merge,
  of,
  repeat,
  switchMap,
  throwError,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { aborted, isApiError, reasonOf } from '../../core/index.js';
import type { ApiObject, Clock, Frozen, ListWatch } from '../../core/index.js';

/** Limits of a wait. Default: none. */
export interface WaitOptions {
  /** Aborts the wait, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The time after which the wait rejects with a TimeoutError. */
  readonly timeout?: { readonly ms: number; readonly clock: Clock };
}

/** The error of a wait that took too long. Recognised by its `name`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Resolves with the first state of the object that meets the condition, beginning with the current one; `undefined`
 * stands for an object that does not exist. Rejects with ApiError where the server refuses to list or watch.
 */
export function waitForObject<T extends Frozen<ApiObject>>(
  objects: ListWatch<T>,
  name: string,
  condition: (object: T | undefined) => boolean,
  { signal, timeout }: WaitOptions = {},
): Promise<T | undefined> {
  const ends: Observable<never>[] = [];
  if (signal !== undefined) ends.push(aborted(signal).pipe(switchMap(() => throwError(() => reasonOf(signal)))));
  if (timeout !== undefined) {
    const late = new TimeoutError(`${name} did not meet the condition within ${timeout.ms} ms`);
    ends.push(timeout.clock.timer(timeout.ms).pipe(switchMap(() => throwError(() => late))));
  }
  const state$ = merge(...ends, statesOf(objects, name));
  return firstValueFrom(state$.pipe(filter(condition)), { defaultValue: undefined });
}

/** Emits the states of one object. Never completes; lists again after Expired. */
function statesOf<T extends Frozen<ApiObject>>(objects: ListWatch<T>, name: string): Observable<T | undefined> {
  const fieldSelector = `metadata.name=${name}`;
  return defer(() => from(objects.list({ fieldSelector }))).pipe(
    switchMap(({ items, resourceVersion }) =>
      concat(
        of(items[0]),
        objects.watch({ fieldSelector, resourceVersion }).pipe(
          filter((event) => event.type !== 'BOOKMARK'),
          map((event) => (event.type === 'DELETED' ? undefined : event.object)),
        ),
      ),
    ),
    catchError((error: unknown) => {
      if (isApiError(error, 'Expired') || isApiError(error, 'Gone')) return [];
      throw error;
    }),
    repeat(),
  );
}
