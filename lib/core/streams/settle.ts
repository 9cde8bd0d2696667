// Answers that are there at once do not wait. A promise costs its request a tenth of a microsecond, and a get passes a
// dozen steps: those that only look at an answer go on with it in the same call where they can.

/** Goes on with a result, whether it is returned or thrown, at once or later. */
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
