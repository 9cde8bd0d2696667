// The parts of a running scheduler. Each can be inspected by itself; the scheduling and binding cycles pass pods from
// one to the next.
import type { Clock, Frozen } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ClusterCache } from '../cluster/cluster-cache.js';
import type { SchedulerConfiguration } from '../configuration/scheduler-configuration.js';
import type { Cycle } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { NoPlacement, Placement, Placer } from '../framework/placement.js';
import type { PodEventDetails } from '../framework/plugin.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { SchedulerActivity } from './scheduler-activity.js';
import type { ExtenderClient } from './extender-client.js';
import type { WaitingPodsMap } from './waiting-pods.js';
import type { SchedulerMetrics } from './scheduler-metrics.js';
import type { PodStatusWriter } from './pod-status-writer.js';

/** The parts of a running scheduler. */
export interface SchedulerParts {
  readonly configuration: SchedulerConfiguration;
  readonly clock: Clock;
  /** Profiles by schedulerName. */
  readonly profiles: ReadonlyMap<string, PlacingProfile>;
  readonly extenders: readonly ExtenderClient[];
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly waitingPods: WaitingPodsMap;
  readonly statusWriter: PodStatusWriter;
  readonly metrics: SchedulerMetrics;
  /** Records a Kubernetes Event. */
  recordEvent(note: PodEventDetails): void;
  /** Returns the newest version of a pod; undefined if it was deleted or replaced. */
  currentPod(pod: Frozen<Pod>): Frozen<Pod> | undefined;
  /** Emits an activity to the subscriber of `run()`. */
  emit(attempt: SchedulerActivity): void;
}

/** A profile with its placer. */
export interface PlacingProfile extends Framework {
  readonly placer: Placer;
  /** Present only if extenders are configured; it is asynchronous and replaces `placer`. */
  readonly extenderPlacer?: ExtenderPlacer;
}

/** Finds a node with the help of extenders. The cluster snapshot must not change in the meantime. */
export interface ExtenderPlacer {
  /** Returns the best node, or the diagnosis if none is feasible. Rejects with what plugins or extenders throw. */
  place(cycle: Cycle, signal: AbortSignal): Promise<Placement | NoPlacement>;
}
