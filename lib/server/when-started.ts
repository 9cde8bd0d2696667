// A handler whose server has to be started first: in two parts, of which most requests need both. The second waits for
// the first request that could tell whether it was done, so that a server which is only read answers sooner.
import type { ApiRequest, ApiResponse, Handler } from '../client/index.js';

/** What has to be done before requests are served. */
export interface Start {
  /** What every request needs. */
  begin(): Promise<void>;
  /** All the rest; comes after it. */
  complete(): Promise<void>;
  /** Whether a request may be served before the rest is done. */
  isEarly(request: ApiRequest): boolean;
}

/**
 * Serves when what a request needs is done; it is begun with the first one that needs it. A part that failed is tried
 * again.
 */
export function whenStarted(start: Start, handler: Handler): Handler {
  let isBegun = false;
  let isComplete = false;
  const begun = untilDone(async () => {
    await start.begin();
    isBegun = true;
  });
  const completed = untilDone(async () => {
    await begun();
    await start.complete();
    isComplete = true;
  });
  const waiting = async (request: ApiRequest, needed: () => Promise<void>): Promise<ApiResponse> => {
    await needed();
    return handler(request);
  };
  return (request) => {
    if (isComplete) return handler(request);
    if (!start.isEarly(request)) return waiting(request, completed);
    return isBegun ? handler(request) : waiting(request, begun);
  };
}

/** Runs once, for all who ask; again after a failure, of which all hear who have asked by then. */
function untilDone(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () =>
    (running ??= run().catch((error: unknown) => {
      running = undefined;
      throw error;
    }));
}
