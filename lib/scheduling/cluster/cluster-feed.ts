// What a change of the cluster does: the cache follows it, and the queue hears of it. Pods with a node are the cache's,
// and what happens to them may help any pod that waits; pods without one are the queue's, if they ask for this
// scheduler, and what happens to them concerns them alone. Finished pods count as deleted.
//
//   pod without node ── gets one ─► cache, out of the queue, told to all
//          │ deleted while assumed: what was assumed is taken back, and told to all as room
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
import type { ChangeListener } from './watched-collection.js';

/** Who is fed. */
export interface ClusterFeedOptions {
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  /** Whether pods that ask for the scheduler of this name are ours. */
  responsible(schedulerName: string): boolean;
  /**
   * Rejects a pod that waits at Permit, because it is being deleted; its failure then takes back what was assumed of
   * it. False if it does not wait there.
   */
  rejectWaiting(uid: string): boolean;
  /** Takes down how long changes take; nobody does without it. */
  readonly timings?: EventTimings;
}

/** Takes down how long it takes to deal with what happens. */
export interface EventTimings {
  /** Now, in milliseconds; only differences mean anything. */
  now(): number;
  /** An event is dealt with that came then. Answers now. */
  handled(event: ClusterEvent, since: number): number;
}

/** Takes changes in. Throws what plugins throw that the queue asks; the cache has followed by then. */
export interface ClusterFeed {
  readonly pod: ChangeListener<Pod>;
  readonly node: ChangeListener<Node>;
  /** A change of any other kind, under the name that events have for it. */
  object(resource: string, old: unknown, current: unknown): void;
}

/** Feeds a cache and a queue. */
export function clusterFeed(options: ClusterFeedOptions): ClusterFeed {
  const { cache, queue, timings = nobodys } = options;
  const isOurs = ({ spec }: Frozen<Pod>): boolean => options.responsible(spec?.schedulerName ?? 'default-scheduler');

  /** Does what an event asks for, and takes its time. */
  const dealWith = (event: ClusterEvent, work: () => void): void => {
    const since = timings.now();
    try {
      work();
    } finally {
      timings.handled(event, since);
    }
  };
  /** Tells of what an update means. Each event takes the time of the update itself and of whom it moves. */
  const tellAll = (events: readonly ClusterEvent[], old: unknown, current: unknown, since: number): void => {
    let at = timings.now();
    const updatingMs = at - since;
    for (const event of events) {
      queue.tell(event, old, current);
      at = timings.handled(event, at - updatingMs);
    }
  };

  const assignedAdded = (pod: Frozen<Pod>): void =>
    dealWith(clusterEvents.assignedPodAdd, () => {
      cache.setPod(pod);
      queue.tell(clusterEvents.assignedPodAdd, undefined, pod);
    });
  const assignedChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    const since = timings.now();
    cache.setPod(pod);
    const events = podEvents(old, pod);
    tellAll(events, old, pod, since);
    if (events.every(isNarrow)) timings.handled(clusterEvents.assignedPodUpdate, since);
  };
  const assignedGone = (pod: Frozen<Pod>): void =>
    dealWith(clusterEvents.assignedPodDelete, () => {
      cache.removePod(pod);
      queue.tell(clusterEvents.assignedPodDelete, pod, undefined);
    });
  const waitingChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    const since = timings.now();
    if (!cache.isAssumed(uidOf(pod))) {
      const events = podEvents(old, pod);
      queue.update(old, pod, events);
      for (const event of events) if (isNarrow(event)) timings.handled(event, since);
    } else if (isTerminating(pod) && !isTerminating(old)) {
      assumedGone(pod);
    }
    timings.handled(clusterEvents.unscheduledPodUpdate, since);
  };
  const waitingGone = (pod: Frozen<Pod>): void =>
    dealWith(clusterEvents.unscheduledPodDelete, () => {
      queue.delete(pod);
      if (cache.isAssumed(uidOf(pod))) assumedGone(pod);
    });
  const waitingBound = (pod: Frozen<Pod>): void =>
    dealWith(clusterEvents.unscheduledPodDelete, () => queue.delete(pod, bound));
  /** It may still be bound, which then fails. Others need not wait for that. */
  const assumedGone = (pod: Frozen<Pod>): void => {
    const uid = uidOf(pod);
    const assumed = cache.placed(uid)?.facts.object;
    if (!options.rejectWaiting(uid)) cache.forget(uid);
    queue.tell(clusterEvents.assignedPodDelete, assumed, undefined);
  };

  const podAdded = (pod: Frozen<Pod>): void => {
    if (isAssigned(pod)) assignedAdded(pod);
    else if (isOurs(pod)) dealWith(clusterEvents.unscheduledPodAdd, () => queue.add(pod));
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
  const podGone = (pod: Frozen<Pod>): void => {
    if (isAssigned(pod)) {
      // It went right after it was bound, and nobody told of that.
      if (queue.find(pod) !== undefined) waitingBound(pod);
      assignedGone(pod);
    } else if (isOurs(pod)) {
      waitingGone(pod);
    }
  };

  return {
    pod: (old, current) => {
      if (old === undefined) {
        if (current !== undefined) podAdded(current);
      } else if (current === undefined) {
        podGone(old);
      } else {
        podChanged(old, current);
      }
    },
    node: (old, current) => {
      const since = timings.now();
      if (current === undefined) cache.removeNode(old?.metadata?.name ?? '');
      else cache.setNode(current);
      tellAll(
        old !== undefined && current !== undefined ? nodeEvents(old, current) : [objectEvent('Node', old, current)],
        old,
        current,
        since,
      );
    },
    object: (resource, old, current) => {
      const event = objectEvent(resource, old, current);
      dealWith(event, () => queue.tell(event, old, current));
    },
  };
}

const bound = { bound: true } as const;
const nobodys: EventTimings = { now: () => 0, handled: () => 0 };

/** Whether an event says in which respect something changed. */
function isNarrow({ action }: ClusterEvent): boolean {
  return action !== actions.update;
}

function isAssigned({ spec }: Frozen<Pod>): boolean {
  return (spec?.nodeName ?? '') !== '';
}
