// A handler that waits until its server has started.
import type { Handler } from '../client/index.js';

/** A server's start, and its handler behind it. */
export interface Starting {
  /** Starts the server once. Resolves when done; a start that failed is tried again by the next call. */
  readonly started: () => Promise<void>;
  /** Passes requests on once started; the first request starts. */
  readonly handler: Handler;
}

/** Runs `start` once, before the first request that `handler` gets. */
export function whenStarted(start: () => Promise<void>, handler: Handler): Starting {
  let isDone = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await start();
      isDone = true;
    } catch (error) {
      running = undefined;
      throw error;
    }
  };
  const started = (): Promise<void> => (running ??= run());
  return {
    started,
    handler: (request) => (isDone ? handler(request) : started().then(() => handler(request))),
  };
}
