// The scheduling queue: which pod is tried next, and when one that failed is tried again.
export type { ClusterEvent, NamedEvent } from './cluster-event.js';
export { actions, clusterEvents, covers, isWildcard, labelOf } from './cluster-event.js';
export { createSchedulingQueue } from './create-queue.js';
export type { Happening } from './in-flight.js';
export type { IncomingCount, IncomingQueue } from './incoming-pods.js';
export type { QueuedPod, QueuePart } from './queued-pod.js';
export { priorityOf, prioritySort } from './queued-pod.js';
export type { EventRegistrations } from './rejectors.js';
export type { DeleteOptions, Failure, QueueFigures, QueuePlugins, SchedulingQueue, SchedulingQueueOptions, TellOptions } from './scheduling-queue.js';
