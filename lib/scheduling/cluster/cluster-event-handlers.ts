// Event handlers of the scheduler: each change updates the cache and requeues pods that it may help. Pods with a node
// belong to the cache, and their changes may help any unschedulable pod. Pods without a node belong to the queue, if a
// profile is responsible for them, and their changes concern only themselves. Finished pods count as deleted.
//
//   pod without node ── gets one ─► added to the cache, removed from the queue, event for all unschedulable pods
//          │ deleted while assumed: forgotten by the cache, event for all unschedulable pods
//
// As pkg/scheduler/eventhandlers.go.
import { isTerminating } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { actions, clusterEvents } from '../queue/cluster-event.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import { uidOf } from '../queue/nominator.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { ClusterCache } from './cluster-cache.js';
import { nodeEvents, objectEvent, podEvents } from './cluster-events.js';
import type { ChangeHandler } from './kind-reflector.js';

/** Dependencies of the handlers. */
export interface ClusterEventHandlersOptions {
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  /** Whether a profile of this scheduler has that name. */
  isResponsible(schedulerName: string): boolean;
  /**
   * Rejects a pod that waits at Permit because it is being deleted; its failure then forgets the assumed pod. Returns
   * false if the pod does not wait there.
   */
  rejectWaiting(uid: string): boolean;
  /** Records event-handling latency. Default: no-op. */
  readonly timings?: EventTimings;
}

/** Records event-handling latency. */
export interface EventTimings {
  /** The current time in milliseconds. Only differences are used. */
  now(): number;
  /** Records that an event which arrived at `since` was handled. Returns the current time. */
  recordHandled(event: ClusterEvent, since: number): number;
}

/** Event handlers. They throw the errors of plugins that the queue calls; the cache is updated before. */
export interface ClusterEventHandlers {
  readonly pod: ChangeHandler<Pod>;
  readonly node: ChangeHandler<Node>;
  /** Handles a change of any other kind. `resource` is its name in cluster events. */
  object(resource: string, old: unknown, current: unknown): void;
}

/** Creates the event handlers of a scheduler. */
export function clusterEventHandlers(options: ClusterEventHandlersOptions): ClusterEventHandlers {
  const { cache, queue, timings = noTimings } = options;
  const isOurs = ({ spec }: Frozen<Pod>): boolean => options.isResponsible(spec?.schedulerName ?? 'default-scheduler');

  /** Runs the handling of one event and records its latency. */
  const handle = (event: ClusterEvent, work: () => void): void => {
    const since = timings.now();
    try {
      work();
    } finally {
      timings.recordHandled(event, since);
    }
  };
  /** Moves pods for each event of an update. The latency of each event includes the update of the cache. */
  const moveOnEvents = (events: readonly ClusterEvent[], old: unknown, current: unknown, since: number): void => {
    let at = timings.now();
    const updatingMs = at - since;
    for (const event of events) {
      queue.moveOnEvent(event, old, current);
      at = timings.recordHandled(event, at - updatingMs);
    }
  };

  const assignedAdded = (pod: Frozen<Pod>): void =>
    handle(clusterEvents.assignedPodAdd, () => {
      cache.setPod(pod);
      queue.moveOnEvent(clusterEvents.assignedPodAdd, undefined, pod);
    });
  const assignedChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    const since = timings.now();
    cache.setPod(pod);
    const events = podEvents(old, pod);
    moveOnEvents(events, old, pod, since);
    if (events.every(isNarrow)) timings.recordHandled(clusterEvents.assignedPodUpdate, since);
  };
  const assignedDeleted = (pod: Frozen<Pod>): void =>
    handle(clusterEvents.assignedPodDelete, () => {
      cache.removePod(pod);
      queue.moveOnEvent(clusterEvents.assignedPodDelete, pod, undefined);
    });
  const waitingChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    const since = timings.now();
    if (!cache.isAssumed(uidOf(pod))) {
      const events = podEvents(old, pod);
      queue.update(old, pod, events);
      for (const event of events) if (isNarrow(event)) timings.recordHandled(event, since);
    } else if (isTerminating(pod) && !isTerminating(old)) {
      assumedDeleted(pod);
    }
    timings.recordHandled(clusterEvents.unscheduledPodUpdate, since);
  };
  const waitingDeleted = (pod: Frozen<Pod>): void =>
    handle(clusterEvents.unscheduledPodDelete, () => {
      queue.delete(pod);
      if (cache.isAssumed(uidOf(pod))) assumedDeleted(pod);
    });
  const waitingBound = (pod: Frozen<Pod>): void =>
    handle(clusterEvents.unscheduledPodDelete, () => queue.delete(pod, bound));
  /** The pod may still be bound, which then fails. Other pods can use its resources now. */
  const assumedDeleted = (pod: Frozen<Pod>): void => {
    const uid = uidOf(pod);
    const assumed = cache.placed(uid)?.facts.object;
    if (!options.rejectWaiting(uid)) cache.forget(uid);
    queue.moveOnEvent(clusterEvents.assignedPodDelete, assumed, undefined);
  };

  const podAdded = (pod: Frozen<Pod>): void => {
    if (isAssigned(pod)) assignedAdded(pod);
    else if (isOurs(pod)) handle(clusterEvents.unscheduledPodAdd, () => queue.add(pod));
  };
  const podChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    if (isAssigned(old)) {
      assignedChanged(old, pod);
    } else if (isAssigned(pod)) {
      if (isOurs(old)) waitingBound(old);
      assignedAdded(pod);
    } else if (isOurs(pod)) {
      waitingChanged(old, pod);
    }
  };
  const podDeleted = (pod: Frozen<Pod>): void => {
    if (isAssigned(pod)) {
      // The pod was deleted right after it was bound, and the update that bound it was missed.
      if (queue.find(pod) !== undefined) waitingBound(pod);
      assignedDeleted(pod);
    } else if (isOurs(pod)) {
      waitingDeleted(pod);
    }
  };

  return {
    pod: (old, current) => {
      if (old === undefined) {
        if (current !== undefined) podAdded(current);
      } else if (current === undefined) {
        podDeleted(old);
      } else {
        podChanged(old, current);
      }
    },
    node: (old, current) => {
      const since = timings.now();
      if (current === undefined) cache.removeNode(old?.metadata?.name ?? '');
      else cache.setNode(current);
      moveOnEvents(
        old !== undefined && current !== undefined ? nodeEvents(old, current) : [objectEvent('Node', old, current)],
        old,
        current,
        since,
      );
    },
    object: (resource, old, current) => {
      const event = objectEvent(resource, old, current);
      handle(event, () => queue.moveOnEvent(event, old, current));
    },
  };
}

const bound = { bound: true } as const;
const noTimings: EventTimings = { now: () => 0, recordHandled: () => 0 };

/** Whether an event names the aspect that changed. */
function isNarrow({ action }: ClusterEvent): boolean {
  return action !== actions.update;
}

function isAssigned({ spec }: Frozen<Pod>): boolean {
  return (spec?.nodeName ?? '') !== '';
}
