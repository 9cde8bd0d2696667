// Scheduling: which node a pod is to run on. Sees a cluster through a client only.
export type {
  ClusterEvent,
  DeleteOptions,
  EventRegistrations,
  Failure,
  Happening,
  IncomingCount,
  IncomingQueue,
  NamedEvent,
  QueuedPod,
  QueueFigures,
  QueuePart,
  QueuePlugins,
  SchedulingQueue,
  SchedulingQueueOptions,
  TellOptions,
} from './queue/index.js';
export { actions, clusterEvents, covers, createSchedulingQueue, isWildcard, labelOf, priorityOf, prioritySort } from './queue/index.js';
export * from './configuration/index.js';
export * from './pod/index.js';
export type { FitFailure } from './fit-error.js';
export { fitErrorText } from './fit-error.js';
