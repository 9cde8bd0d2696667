// When probes run and what their outcomes mean, without effects. As pkg/kubelet/prober/worker.go: the ticks of a probe
// are multiples of its period since the pod was first synced; a readiness probe of a container that has started runs
// at once and its period counts from then on. Results change after `successThreshold` or `failureThreshold` equal
// outcomes.
import type { Frozen } from '../../core/index.js';
import type { Probe } from '../../core/types/index.js';

/** The three kinds of probes. */
export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** The progress of one probe of one instance of a container. */
export interface ProbeProgress {
  /** The result so far. Readiness begins as failure, liveness as success, startup as undefined. */
  readonly result: boolean | undefined;
  readonly lastOutcome: boolean | undefined;
  /** How many outcomes in a row were equal to the last. */
  readonly run: number;
  /** Infinity: it is over. */
  readonly nextAtMs: number;
}

/** The times that a schedule depends on. */
export interface ProbeTimes {
  /** When the pod was first synced. */
  readonly baseMs: number;
  readonly containerStartedAtMs: number;
  readonly nowMs: number;
}

/** Returns the progress of a probe that has not run yet for an instance. */
export function firstProgress(kind: ProbeKind, probe: Frozen<Probe>, times: ProbeTimes): ProbeProgress {
  const { initialDelaySeconds = 0 } = probe;
  const isImmediate = kind === 'readiness' && initialDelaySeconds === 0;
  return {
    result: kind === 'startup' ? undefined : kind === 'liveness',
    lastOutcome: undefined,
    run: 0,
    nextAtMs: isImmediate ? times.nowMs : nextTick(probe, times),
  };
}

/** Returns the progress after an outcome. */
export function afterOutcome(
  kind: ProbeKind,
  { successThreshold = 1, failureThreshold = 3, periodSeconds = 10 }: Frozen<Probe>,
  progress: ProbeProgress,
  isSuccess: boolean,
): ProbeProgress {
  const run = progress.lastOutcome === isSuccess ? progress.run + 1 : 1;
  const isReached = run >= (isSuccess ? successThreshold : failureThreshold);
  const result = isReached ? isSuccess : progress.result;
  // A startup probe is over when it succeeded; a container that is about to be killed is not probed.
  const isOver = isReached && (kind === 'startup' || (kind === 'liveness' && !isSuccess));
  return {
    result,
    lastOutcome: isSuccess,
    run,
    nextAtMs: isOver ? Infinity : progress.nextAtMs + periodSeconds * 1000,
  };
}

/** The first tick after now at which the container has run for the initial delay. */
function nextTick(
  { initialDelaySeconds = 0, periodSeconds = 10 }: Frozen<Probe>,
  { baseMs, containerStartedAtMs, nowMs }: ProbeTimes,
): number {
  const periodMs = periodSeconds * 1000;
  const earliestMs = Math.max(containerStartedAtMs + initialDelaySeconds * 1000, nowMs + 1);
  return baseMs + Math.ceil((earliestMs - baseMs) / periodMs) * periodMs;
}
