// A handler whose server has to be started first.
import type { Handler } from '../client/index.js';

/** Serves when what has to come first is done; it is begun with the first request. A start that failed is tried again. */
export function whenStarted(start: () => Promise<void>, handler: Handler): Handler {
  let started: Promise<void> | undefined;
  let isStarted = false;
  const waiting: Handler = async (request) => {
    started ??= start();
    try {
      await started;
      isStarted = true;
    } catch (error) {
      started = undefined;
      throw error;
    }
    return handler(request);
  };
  return (request) => (isStarted ? handler(request) : waiting(request));
}
