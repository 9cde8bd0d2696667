// What a change of the cluster does: the cache follows it, and the queue hears of it. Pods with a node are the cache's, and
// what happens to them may help any pod that waits; pods without one are the queue's, if they ask for this scheduler, and
// what happens to them concerns them alone. Finished pods are never seen here: the watch leaves them out.
//
//   pod without node ── gets one ─► cache, out of the queue, told to all
//          │ deleted while assumed: what was assumed is taken back, and told to all as room
//
// As pkg/scheduler/eventhandlers.go.
import { isTerminating } from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { Node, Pod } from '../../core/types/index.js';
import { clusterEvents } from '../queue/cluster-event.js';
import { uidOf } from '../queue/nominator.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { ClusterCache } from './cluster-cache.js';
import { nodeEvents, objectEvent, podEvents } from './cluster-events.js';
import type { Changed } from './watched-collection.js';

/** Who is fed. */
export interface ClusterFeedOptions {
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  /** Whether pods that ask for the scheduler of this name are ours. */
  responsible(schedulerName: string): boolean;
  /**
   * Rejects a pod that waits at Permit, because it is being deleted; its failure then takes back what was assumed of it.
   * False if it does not wait there.
   */
  rejectWaiting(uid: string): boolean;
}

/** Takes changes in. Throws what plugins throw that the queue asks; the cache has followed by then. */
export interface ClusterFeed {
  readonly pod: Changed<Pod>;
  readonly node: Changed<Node>;
  /** A change of any other kind, under the name that events have for it. */
  object(resource: string, old: unknown, current: unknown): void;
}

/** Feeds a cache and a queue. */
export function clusterFeed(options: ClusterFeedOptions): ClusterFeed {
  const { cache, queue } = options;
  const isOurs = ({ spec }: Frozen<Pod>): boolean => options.responsible(spec?.schedulerName ?? 'default-scheduler');

  const assignedAdded = (pod: Frozen<Pod>): void => {
    cache.setPod(pod);
    queue.tell(clusterEvents.assignedPodAdd, undefined, pod);
  };
  const assignedChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    cache.setPod(pod);
    for (const event of podEvents(old, pod)) queue.tell(event, old, pod);
  };
  const assignedGone = (pod: Frozen<Pod>): void => {
    cache.removePod(pod);
    queue.tell(clusterEvents.assignedPodDelete, pod, undefined);
  };
  const waitingChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    if (!cache.isAssumed(uidOf(pod))) queue.update(old, pod, podEvents(old, pod));
    else if (isTerminating(pod) && !isTerminating(old)) assumedGone(pod);
  };
  const waitingGone = (pod: Frozen<Pod>): void => {
    queue.delete(pod);
    if (cache.isAssumed(uidOf(pod))) assumedGone(pod);
  };
  /** It may still be bound, which then fails. Others need not wait for that. */
  const assumedGone = (pod: Frozen<Pod>): void => {
    const uid = uidOf(pod);
    const assumed = cache.placed(uid)?.facts.object;
    if (!options.rejectWaiting(uid)) cache.forget(uid);
    queue.tell(clusterEvents.assignedPodDelete, assumed, undefined);
  };

  const podAdded = (pod: Frozen<Pod>): void => {
    if (isAssigned(pod)) assignedAdded(pod);
    else if (isOurs(pod)) queue.add(pod);
  };
  const podChanged = (old: Frozen<Pod>, pod: Frozen<Pod>): void => {
    if (isAssigned(old)) {
      assignedChanged(old, pod);
    } else if (isAssigned(pod)) {
      if (isOurs(old)) queue.delete(old, bound);
      assignedAdded(pod);
    } else if (isOurs(pod)) {
      waitingChanged(old, pod);
    }
  };
  const podGone = (pod: Frozen<Pod>): void => {
    if (isAssigned(pod)) {
      // It went right after it was bound, and nobody told of that.
      if (queue.find(pod) !== undefined) queue.delete(pod, bound);
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
      if (current === undefined) cache.removeNode(old?.metadata?.name ?? '');
      else cache.setNode(current);
      const events = old !== undefined && current !== undefined ? nodeEvents(old, current) : [objectEvent('Node', old, current)];
      for (const event of events) queue.tell(event, old, current);
    },
    object: (resource, old, current) => queue.tell(objectEvent(resource, old, current), old, current),
  };
}

const bound = { bound: true } as const;

function isAssigned({ spec }: Frozen<Pod>): boolean {
  return (spec?.nodeName ?? '') !== '';
}
