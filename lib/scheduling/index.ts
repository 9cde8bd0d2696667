// Scheduling for sibling folders: creating a scheduler, and its configuration and activity. It accesses the cluster
// through a client only.
export { parseSchedulerConfiguration, schedulerConfiguration } from './configuration/scheduler-configuration.js';
export type { Extender, SchedulerConfiguration } from './configuration/scheduler-configuration.js';
export type { LeaderElectionSettings } from './configuration/leader-election.js';
export { createScheduler } from './scheduler/create-scheduler.js';
export type { SchedulerActivity } from './scheduler/scheduler-activity.js';
export type { Scheduler, SchedulerOptions } from './scheduler/scheduler-options.js';
