// One reconcile of a CronJob: deletes Jobs beyond the limits of the history, observes the others, and starts the Job
// that is due. Changes of the status are collected and written once, at the end, also after a failure. As
// pkg/controller/cronjob/cronjob_controllerv2.go, sync and syncCronJob.
import { awaitChange, requeueAfter } from '../../client/index.js';
import type { Action, Client, KindClient, Stored } from '../../client/index.js';
import {
  deepEqual,
  errorText,
  isApiError,
  isControlledBy,
  namespacedName,
  objectReference,
  printNamespacedName,
  printTime,
} from '../../core/index.js';
import type { Frozen } from '../../core/index.js';
import type { CronJob, CronJobStatus, Job } from '../../core/types/index.js';
import { finishedCondition } from '../jobs/job-status.js';
import { jobKind } from '../jobs/job-pods.js';
import { isNamespaceTerminating } from '../workloads/pod-control.js';
import type { CallContext, EventSink } from '../workloads/pod-control.js';
import { isActive, jobsBeyondLimits, observeJobs, withoutActive } from './cron-job-history.js';
import { delayUntilNextStart } from './missed-starts.js';
import { cronJobKind, decideStart } from './start-decision.js';
import type { CronJobEvent, CronJobStart } from './start-decision.js';

/** The dependencies of a reconcile. */
export interface CronJobSyncContext {
  readonly client: Client;
  readonly recorder: EventSink;
  readonly call: CallContext;
  readonly nowMs: number;
}

/** One reconcile of a CronJob. */
export class CronJobSync {
  readonly #context: CronJobSyncContext;
  #cronJob: Stored<CronJob>;
  #status: Frozen<CronJobStatus>;
  #isChanged = false;

  constructor(cronJob: Stored<CronJob>, context: CronJobSyncContext) {
    this.#cronJob = cronJob;
    this.#status = cronJob.status ?? {};
    this.#context = context;
  }

  /** Reconciles the CronJob with its Jobs. */
  async run(jobs: readonly Stored<Job>[], started: (start: CronJobStart) => void): Promise<Action> {
    const deleted = new Set<string>();
    for (const job of jobsBeyondLimits(this.#cronJob.spec, jobs))
      if (await this.#deleteJob(job)) deleted.add(job.metadata.uid);
    try {
      return await this.#sync(jobs, deleted, started);
    } finally {
      // What was observed is written even if the start failed.
      await this.#writeStatus();
    }
  }

  async #sync(
    jobs: readonly Stored<Job>[],
    deleted: ReadonlySet<string>,
    started: (start: CronJobStart) => void,
  ): Promise<Action> {
    await this.#refresh(jobs, deleted);
    const { status, isChanged, events, missing } = observeJobs(this.#current(), jobs);
    this.#record(events);
    this.#set(status, isChanged);
    for (const { name: job = '', uid } of missing) {
      if ((await this.#jobs().find(job, this.#context.call)) !== undefined) continue;
      this.#record([{ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${job}` }]);
      this.#set(withoutActive(this.#status, uid), true);
    }
    const { nowMs } = this.#context;
    const decision = decideStart(this.#current(), nowMs);
    this.#record(decision.events);
    if (decision.times === undefined) return awaitChange;
    if (decision.start !== undefined && (await this.#start(decision.start))) started(decision.start);
    const delayMs = delayUntilNextStart(this.#current(), decision.times, nowMs);
    return delayMs === undefined ? awaitChange : requeueAfter(delayMs);
  }

  /** Reads the CronJob anew if the informer has a Job of it that its status does not have yet. */
  async #refresh(jobs: readonly Stored<Job>[], deleted: ReadonlySet<string>): Promise<void> {
    const unknown = jobs.filter(
      (job) => finishedCondition(job) === undefined && !isActive(this.#status, job.metadata.uid),
    );
    if (unknown.length === 0) return;
    const live = await this.#owners().get(this.#cronJob.metadata.name, this.#context.call);
    if (!unknown.some(({ metadata }) => isActive(live.status ?? {}, metadata.uid))) return;
    this.#cronJob = live;
    this.#status = [...deleted].reduce(withoutActive, live.status ?? {});
  }

  /** Starts a Job. Returns whether it was created now. */
  async #start({ scheduledMs, job, replaced }: CronJobStart): Promise<boolean> {
    for (const { name: running = '' } of replaced) {
      const found = await this.#jobs()
        .get(running, this.#context.call)
        .catch((error: unknown) => {
          this.#record([{ type: 'Warning', reason: 'FailedGet', message: `Get job: ${errorText(error)}` }]);
          throw error;
        });
      if (!(await this.#deleteJob(found)))
        throw new Error(`could not replace job ${printNamespacedName(namespacedName(found))}`);
    }
    const created = await this.#create(job);
    const existing = created ?? (await this.#jobs().get(job.metadata?.name ?? '', this.#context.call));
    // The Job of another owner has the name: this start is not made up for.
    if (!isControlledBy(existing, this.#cronJob) || isActive(this.#status, existing.metadata.uid)) return false;
    if (created !== undefined)
      this.#record([{ type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${created.metadata.name}` }]);
    const active = [...(this.#status.active ?? []), objectReference(jobKind, existing)];
    this.#set({ ...this.#status, active, lastScheduleTime: printTime(scheduledMs) }, true);
    return created !== undefined;
  }

  /** Returns the Job; undefined if there is one of that name. */
  async #create(job: Frozen<Job>): Promise<Stored<Job> | undefined> {
    try {
      return await this.#jobs().create(job, this.#context.call);
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return undefined;
      if (!isNamespaceTerminating(error))
        this.#record([{ type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${errorText(error)}` }]);
      throw error;
    }
  }

  async #deleteJob({ metadata }: Stored<Job>): Promise<boolean> {
    try {
      await this.#jobs().delete(metadata.name, { ...this.#context.call, propagationPolicy: 'Background' });
    } catch (error) {
      this.#record([{ type: 'Warning', reason: 'FailedDelete', message: `Deleted job: ${errorText(error)}` }]);
      return false;
    }
    this.#set(withoutActive(this.#status, metadata.uid), true);
    this.#record([{ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${metadata.name}` }]);
    return true;
  }

  async #writeStatus(): Promise<void> {
    if (!this.#isChanged || deepEqual(this.#status, this.#cronJob.status ?? {})) return;
    await this.#owners().status.update(this.#current(), this.#context.call);
  }

  #current(): Stored<CronJob> {
    return { ...this.#cronJob, status: this.#status };
  }

  #set(status: Frozen<CronJobStatus>, isChanged: boolean): void {
    this.#status = status;
    this.#isChanged ||= isChanged;
  }

  #record(events: readonly CronJobEvent[]): void {
    const regarding = objectReference(cronJobKind, this.#cronJob);
    for (const event of events) this.#context.recorder.record({ regarding, ...event });
  }

  #owners(): KindClient<'batch/v1', 'CronJob'> {
    return this.#context.client.kind('batch/v1', 'CronJob').in(this.#cronJob.metadata.namespace ?? '');
  }

  #jobs(): KindClient<'batch/v1', 'Job'> {
    return this.#context.client.kind('batch/v1', 'Job').in(this.#cronJob.metadata.namespace ?? '');
  }
}
