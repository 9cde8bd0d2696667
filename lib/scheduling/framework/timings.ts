// How long plugins take: all of a point together in every cycle, and in some cycles each of them alone. A cycle carries
// its timings, so whoever runs plugins has them at hand; a cycle of what-if carries none, and nothing is taken down.
import type { ClusterEvent } from '../queue/cluster-event.js';
import type { Evaluations } from './evaluations.js';
import type { RejectionCode } from './rejection.js';

/** The points, as metrics name them. */
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

/** What came of a question to plugins, as metrics name it. */
export type PointStatus = 'Success' | 'Skip' | 'Wait' | 'Error' | RejectionCode;

/** Takes down what the plugins of a profile do in one cycle. */
export interface Timings {
  /** Now, in milliseconds; only differences mean anything. */
  now(): number;
  /** A point is over that began then. Answers now, where the next may begin. */
  point(point: PointName, status: PointStatus, since: number): number;
  /** Nobody had to be asked at a point, and it took no time. */
  idle(point: PointName, status: PointStatus): void;
  /** Whether the time of each plugin is wanted too. */
  readonly samples: boolean;
  /** A plugin has answered that was asked then. */
  plugin(point: PointName, plugin: string, status: PointStatus, since: number): void;
  /** How often plugins of the profile judged. */
  readonly evaluations: Evaluations;
}

/** What a hint said. */
export type HintResult = 'Queue' | 'QueueSkip' | 'Error';

/** Takes down what plugins of all profiles do. */
export interface FrameworkTimings {
  /** Now, in milliseconds; only differences mean anything. */
  now(): number;
  /** For a cycle of a profile, or for one pod at its gates. Draws whether plugins are timed one by one. */
  begin(profile: string): Timings;
  /** A hint has answered that was asked then. */
  hinted(plugin: string, event: ClusterEvent, result: HintResult, since: number): void;
}

/** Runs a point and takes its time. What it throws is an error of the point. */
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
    timings.point(point, status, since);
  }
}

/** The same of a point that takes its time. */
export async function timedLater<T>(
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
    timings?.point(point, status, since);
  }
}

/** What a refusal, or none, is to metrics. */
export function statusOfRejection(rejection: { readonly code: RejectionCode } | undefined): PointStatus {
  return rejection?.code ?? 'Success';
}

/** Where nothing but an error can come of it. */
export function succeeded(): PointStatus {
  return 'Success';
}
