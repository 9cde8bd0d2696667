// A promise that a signal can end, for work that cannot be ended itself.

/** The promise's outcome, or the signal's reason where that comes first. Leaves no listener behind. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(reasonOf(signal));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    // In any case, or a failure that nobody waits for any more would be an unhandled one.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Why a signal was aborted; an Error in any case. */
export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('the call was aborted', { cause: reason });
}
