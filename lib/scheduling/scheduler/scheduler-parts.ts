// What a running scheduler is made of. Each part does one thing and can be looked at alone; the cycles pass pods from
// one to the next.
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import type { SchedulerConfiguration } from '../configuration/scheduler-configuration.js';
import type { Cycle } from '../framework/cycle.js';
import type { Framework } from '../framework/framework.js';
import type { NoPlacement, Placement, Placer } from '../framework/placement.js';
import type { PodNote } from '../framework/plugin.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { Attempt } from './attempt.js';
import type { ExtenderCalls } from './extender-calls.js';
import type { HeldPods } from './held-pods.js';
import type { SchedulerMetrics } from './scheduler-metrics.js';
import type { StatusWrites } from './status-writes.js';

/** The parts. */
export interface SchedulerParts {
  readonly configuration: SchedulerConfiguration;
  readonly clock: Clock;
  /** Profiles by the schedulerName that pods ask for. */
  readonly profiles: ReadonlyMap<string, PlacingProfile>;
  readonly extenders: readonly ExtenderCalls[];
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly held: HeldPods;
  readonly statusWrites: StatusWrites;
  readonly metrics: SchedulerMetrics;
  /** Tells people of a pod. */
  note(note: PodNote): void;
  /** The newest object of a pod; undefined once it is gone or replaced. */
  podNow(pod: Frozen<Pod>): Frozen<Pod> | undefined;
  /** Tells the host. */
  emit(attempt: Attempt): void;
}

/** A profile, and who looks for nodes in its name. */
export interface PlacingProfile extends Framework {
  readonly placer: Placer;
  /** There only where there are extenders, who take their time. */
  readonly extended?: ExtendedPlacer;
}

/** Looks for a node with the help of extenders. The cluster must stand still meanwhile. */
export interface ExtendedPlacer {
  /** The node, or why there is none. Rejects with what goes wrong. */
  place(cycle: Cycle, signal: AbortSignal): Promise<Placement | NoPlacement>;
}
