// Latency of plugins: each extension point in every cycle, each plugin in sampled cycles. A cycle carries its
// `Timings`; a simulated cycle has none, and nothing is recorded.
import type { ClusterEvent } from '../queue/cluster-event.js';
import type { Evaluations } from './evaluations.js';
import type { RejectionCode } from './rejection.js';

/** The extension points, as metrics name them. */
export type PointName =
  | 'PreEnqueue'
  | 'PreFilter'
  | 'PreFilterExtensionAddPod'
  | 'PreFilterExtensionRemovePod'
  | 'Filter'
  | 'PostFilter'
  | 'PreScore'
  | 'Score'
  | 'ScoreExtensionNormalize'
  | 'Reserve'
  | 'Unreserve'
  | 'Permit'
  | 'PreBindPreFlight'
  | 'PreBind'
  | 'Bind'
  | 'PostBind';

/** The status of an extension point, as metrics name it. */
export type PointStatus = 'Success' | 'Skip' | 'Wait' | 'Error' | RejectionCode;

/** Records the latency of a profile's plugins in one cycle. */
export interface Timings {
  /** Now, in milliseconds; only differences mean anything. */
  now(): number;
  /** Records a point that started at `since`. Returns the current time, at which the next point may start. */
  recordPoint(point: PointName, status: PointStatus, since: number): number;
  /** Records a point without plugins, with a duration of 0. */
  recordSkippedPoint(point: PointName, status: PointStatus): void;
  /** Whether each plugin is timed too. */
  readonly timesPlugins: boolean;
  /** Records a call of a plugin that started at `since`. */
  recordPlugin(point: PointName, plugin: string, status: PointStatus, since: number): void;
  /** The evaluation counters of the profile. */
  readonly evaluations: Evaluations;
}

/** The result of a queueing hint, as metrics name it. */
export type HintResult = 'Queue' | 'QueueSkip' | 'Error';

/** Records the latency of the plugins of all profiles. */
export interface FrameworkTimings {
  /** Now, in milliseconds; only differences mean anything. */
  now(): number;
  /** Starts the timings of one cycle, or of PreEnqueue for one pod. Samples whether plugins are timed individually. */
  begin(profile: string): Timings;
  /** Records a call of a queueing hint that started at `since`. */
  recordHint(plugin: string, event: ClusterEvent, result: HintResult, since: number): void;
}

/** Runs a point and records its latency. An exception is recorded as an error. */
export function timedPoint<T>(
  timings: Timings | undefined,
  point: PointName,
  statusOf: (answer: T) => PointStatus,
  run: () => T,
): T {
  if (timings === undefined) return run();
  const since = timings.now();
  let status: PointStatus = 'Error';
  try {
    const answer = run();
    status = statusOf(answer);
    return answer;
  } finally {
    timings.recordPoint(point, status, since);
  }
}

/** Runs an asynchronous point and records its latency. */
export async function timedPointAsync<T>(
  timings: Timings | undefined,
  point: PointName,
  statusOf: (answer: T) => PointStatus,
  run: () => Promise<T>,
): Promise<T> {
  const since = timings?.now() ?? 0;
  let status: PointStatus = 'Error';
  try {
    const answer = await run();
    status = statusOf(answer);
    return answer;
  } finally {
    timings?.recordPoint(point, status, since);
  }
}

/** Returns the metrics status of a rejection, or of none. */
export function statusOfRejection(rejection: { readonly code: RejectionCode } | undefined): PointStatus {
  return rejection?.code ?? 'Success';
}

/** The status function of points that cannot reject. */
export function alwaysSuccess(): PointStatus {
  return 'Success';
}

/** Times consecutive points with one clock read between two of them. Records nothing without timings. */
export class PointTimes {
  readonly #timings: Timings | undefined;
  /** The point in progress. */
  #current: PointName | undefined;
  #since = 0;

  constructor(timings: Timings | undefined) {
    this.#timings = timings;
  }

  /** Starts a point. */
  begin(point: PointName): void {
    if (this.#timings === undefined) return;
    this.#current = point;
    this.#since = this.#timings.now();
  }

  /** Ends the current point as a success and starts another. */
  next(point: PointName): void {
    this.end();
    if (this.#timings !== undefined) this.#current = point;
  }

  /** Ends the current point, if there is one. */
  end(status: PointStatus = 'Success'): void {
    if (this.#timings !== undefined && this.#current !== undefined)
      this.#since = this.#timings.recordPoint(this.#current, status, this.#since);
    this.#current = undefined;
  }

  /** Drops the current point: the caller records it. */
  drop(): void {
    this.#current = undefined;
  }
}
