// Results that may be available synchronously. A promise costs 0.1 µs and a get passes a dozen steps, so the steps of a
// request use a result in the same call where it is not a promise.
import type { ObservableInput } from 'rxjs';
import { firstValueFrom, from } from 'rxjs';

/** Calls `done` with the result of `run`, or `failed` with its error, synchronously unless the result is a promise. */
export function settle<T, R>(
  run: () => T | Promise<T>,
  done: (value: T) => R | Promise<R>,
  failed: (error: unknown) => R | Promise<R>,
): R | Promise<R> {
  let result: T | Promise<T>;
  try {
    result = run();
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? result.then(done, failed) : done(result);
}

/**
 * Returns the first value of what an extension returned (an array, a promise or an Observable), or `otherwise` if it is
 * empty. The value of an array is returned synchronously.
 */
export function firstOf<T>(answer: ObservableInput<T>, otherwise: T): T | Promise<T> {
  if (Array.isArray(answer)) return answer.length === 0 ? otherwise : (answer[0] as T);
  return firstValueFrom(from(answer), { defaultValue: otherwise });
}
