// The CronJob controller: creates a Job at the times of a schedule. A CronJob is reconciled when it or one of its Jobs
// changes, and a tenth of a second after each time of its schedule. A changed schedule counts from its next time on. As
// pkg/controller/cronjob/cronjob_controllerv2.go.
import { awaitChange, controller, informers, watching, watchingDelayed } from '../../client/index.js';
import type {
  ControllerActivity,
  DelayedItem,
  EventFailed,
  EventRecorder,
  ObjectEvent,
  Stored,
} from '../../client/index.js';
import { controllerOf, deepEqual, namespacedName, objectReference, printNamespacedName } from '../../core/index.js';
import type { Informer, NamespacedName, Part } from '../../core/index.js';
import type { CronJob, Job } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { withEvents } from '../with-events.js';
import { ownerOf } from '../workloads/owned-pods.js';
import { CronJobSync } from './cron-job-sync.js';
import { cronJobKind, delayAfterScheduleChange } from './start-decision.js';

/** A CronJob has started a Job. */
export interface CronJobStarted {
  readonly type: 'started';
  readonly cronJob: NamespacedName;
  readonly job: string;
  /** The time of the schedule, in milliseconds since 1970. */
  readonly scheduledMs: number;
}

/** The activities of the CronJob controller. */
export type CronJobsActivity = ControllerActivity<NamespacedName, CronJobStarted> | EventFailed;

/** Creates the CronJob controller. */
export function cronJobs(environment: ControllerEnvironment): Part<CronJobsActivity> {
  return withEvents({ ...environment, name, component: name, create: (recorder) => create(environment, recorder) });
}

const name = 'cronjob-controller';

function create(environment: ControllerEnvironment, recorder: EventRecorder): Part<CronJobsActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = environment;
  const owners = shared.kind('batch/v1', 'CronJob');
  const jobs = shared.kind('batch/v1', 'Job').indexedBy({ cronJob: ownerValues });
  return controller<NamespacedName, CronJobStarted>({
    name,
    clock,
    steps$: environment.steps$,
    concurrency: environment.concurrency ?? 5,
    watches: [
      watchingDelayed(owners, (event) => cronJobToSync(event, clock.now(), recorder)),
      watching(jobs, (event) => ownersOfJob(event, owners)),
    ],
    reconcile: async (item, { emit, signal, cause }) => {
      const cronJob = owners.get(printNamespacedName(item));
      if (cronJob === undefined) return awaitChange;
      const sync = new CronJobSync(cronJob, { client, recorder, call: { signal, cause }, nowMs: clock.now() });
      return await sync.run(jobs.by('cronJob', printNamespacedName(item)), (start) => {
        const { metadata } = start.job;
        emit({ type: 'started', cronJob: item, job: metadata?.name ?? '', scheduledMs: start.scheduledMs });
      });
    },
  });
}

/** Returns when a CronJob is reconciled after an event: for a changed schedule at its next time, otherwise at once. */
function cronJobToSync(
  event: ObjectEvent<Stored<CronJob>>,
  nowMs: number,
  recorder: EventRecorder,
): readonly DelayedItem<NamespacedName>[] {
  const { object: cronJob } = event;
  const item = namespacedName(cronJob);
  const { spec } = cronJob;
  const old = event.type === 'deleted' ? undefined : event.old?.spec;
  if (old === undefined || (old.schedule === spec.schedule && old.timeZone === spec.timeZone))
    return [{ item, afterMs: 0 }];
  const afterMs = delayAfterScheduleChange(cronJob, nowMs);
  if (afterMs !== undefined) return [{ item, afterMs }];
  recorder.record({
    regarding: objectReference(cronJobKind, cronJob),
    type: 'Warning',
    reason: 'UnParseableCronJobSchedule',
    message: `unparseable schedule for cronjob: ${spec.schedule}`,
  });
  return [];
}

/** Returns the CronJobs whose Job has changed: its owner, and the one of before. */
function ownersOfJob(event: ObjectEvent<Stored<Job>>, owners: Informer<Stored<CronJob>>): readonly NamespacedName[] {
  const { object: job } = event;
  const old = event.type === 'deleted' ? undefined : event.old;
  const isMoved = old !== undefined && !deepEqual(controllerOf(old), controllerOf(job));
  return [...(isMoved ? [old] : []), job]
    .map((each) => ownerOf<CronJob>(each, cronJobKind.kind, owners))
    .filter((owner) => owner !== undefined)
    .map(namespacedName);
}

/** The name of the CronJob that controls a Job. */
function ownerValues(job: Stored<Job>): readonly string[] {
  const reference = controllerOf(job);
  if (reference?.kind !== cronJobKind.kind) return [];
  return [printNamespacedName({ namespace: job.metadata.namespace ?? '', name: reference.name })];
}
