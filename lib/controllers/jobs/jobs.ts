// The Job controller: runs pods until enough of them have succeeded. A Job is synced at once when it is created or its
// spec changes, and a second after an event of its pods or a change of its status, so that events in a row cause one
// sync. Each pod has a finalizer until its Job has counted it; see job-tracking.ts. A second queue removes the
// finalizers of pods that no Job will count: those without a Job, and those of a finished one. Jobs whose `managedBy`
// names another controller are left alone. As pkg/controller/job.
import { merge } from 'rxjs';
import { awaitChange, controller, informers, requeueAfter, watching, watchingDelayed } from '../../client/index.js';
import type {
  ControllerActivity,
  DelayedItem,
  EventFailed,
  EventRecorder,
  ObjectEvent,
  Stored,
} from '../../client/index.js';
import {
  backoffLadders,
  controllerOf,
  deepEqual,
  isTerminating,
  matchesLabels,
  namespacedName,
  objectReference,
  printNamespacedName,
  selectorFromStructured,
} from '../../core/index.js';
import type { Informer, NamespacedName, Part } from '../../core/index.js';
import type { Job, Pod } from '../../core/types/index.js';
import type { ControllerEnvironment } from '../controller-environment.js';
import { ignoreError } from '../ignore-error.js';
import { withEvents } from '../with-events.js';
import { Expectations } from '../workloads/expectations.js';
import { dependentsAndOrphans, ownerOf, podsByController } from '../workloads/owned-pods.js';
import type { ControllerIndex } from '../workloads/owned-pods.js';
import { podControl } from '../workloads/pod-control.js';
import { JobMemories } from './job-memory.js';
import { jobKind, removeTrackingFinalizer } from './job-pods.js';
import { finishedCondition } from './job-status.js';
import { batchMs, syncJob } from './job-sync.js';
import { hasTrackingFinalizer } from './job-view.js';
import type { SpecifiedJob } from './job-view.js';

/** A Job has finished. */
export interface JobFinished {
  readonly type: 'finished';
  readonly job: NamespacedName;
  readonly condition: 'Complete' | 'Failed';
  readonly reason: string;
}

/** The activities of the Job controller. */
export type JobsActivity = ControllerActivity<NamespacedName, JobFinished> | EventFailed;

/** Creates the Job controller. */
export function jobs(environment: ControllerEnvironment): Part<JobsActivity> {
  return withEvents({ ...environment, name, component: name, create: (recorder) => create(environment, recorder) });
}

const name = 'job-controller';

/** The name that `spec.managedBy` has for this controller. */
const ownManager = 'kubernetes.io/job-controller';

/** The rate of retries is limited per Job only. */
const retryLimit = { perSecond: 1e9, burst: 1e9 };

function create(environment: ControllerEnvironment, recorder: EventRecorder): Part<JobsActivity> {
  const { client, clock, random, informers: shared = informers(client, { clock, random }) } = environment;
  const known: Known = {
    jobs: shared.kind('batch/v1', 'Job').indexedBy({ namespace: ({ metadata }) => [metadata.namespace ?? ''] }),
    pods: podsByController(shared),
    expectations: new Expectations(clock),
    memories: new JobMemories(),
  };
  const control = podControl({ client, recorder, kind: jobKind });
  const syncs = controller<NamespacedName, JobFinished>({
    name,
    clock,
    steps$: environment.steps$,
    concurrency: environment.concurrency ?? 5,
    backoff: backoffLadders.jobQueueItem,
    retryLimit,
    watches: [
      watchingDelayed(known.jobs, (event) => jobToSync(event, known)),
      watchingDelayed(known.pods, (event) => jobsOfPod(event, known)),
    ],
    reconcile: async (item, { emit, signal, cause }) => {
      const job = known.jobs.get(printNamespacedName(item));
      if (!isSpecified(job) || isManagedElsewhere(job)) return awaitChange;
      if (finishedCondition(job) !== undefined) {
        forget(job, known);
        return awaitChange;
      }
      // The event of the own write adds the Job again.
      if (known.memories.isStale(job)) return awaitChange;
      if (!['NonIndexed', 'Indexed'].includes(job.spec.completionMode ?? 'NonIndexed')) {
        const message = 'Skipped Job sync because completion mode is unknown';
        const regarding = objectReference(jobKind, job);
        recorder.record({ regarding, type: 'Warning', reason: 'UnknownCompletionMode', message });
        return awaitChange;
      }
      const sync = { client, signal, cause, control, recorder, ...known, nowMs: clock.now() };
      const { requeueAfterMs, end } = await syncJob(job, sync);
      if (end !== undefined) emit({ type: 'finished', job: item, condition: end.final, reason: end.reason });
      return requeueAfterMs < Infinity ? requeueAfter(requeueAfterMs) : awaitChange;
    },
  });
  const orphans = controller({
    name: `${name}/orphan-pods`,
    clock,
    steps$: environment.steps$,
    concurrency: environment.concurrency ?? 5,
    backoff: backoffLadders.jobQueueItem,
    retryLimit,
    watches: [
      watching(known.jobs, (event) => podsOfEndedJob(event, known)),
      watching(known.pods, (event) => orphanPod(event, known)),
    ],
    reconcile: async (item, { signal, cause }) => {
      const pod = known.pods.get(printNamespacedName(item));
      if (pod !== undefined && hasTrackingFinalizer(pod) && isUncountable(pod, known))
        await ignoreError('NotFound', removeTrackingFinalizer(pod, { client, signal, cause }));
      return awaitChange;
    },
  });
  return { name, run: () => merge(syncs.run(), orphans.run()) };
}

interface Known {
  readonly jobs: Informer<Stored<Job>, 'namespace'>;
  readonly pods: Informer<Stored<Pod>, ControllerIndex>;
  readonly expectations: Expectations;
  readonly memories: JobMemories;
}

type SyncItem = DelayedItem<NamespacedName>;

function immediately(job: Stored<Job>): SyncItem {
  return { item: namespacedName(job), afterMs: 0 };
}

function batched(job: Stored<Job>): SyncItem {
  return { item: namespacedName(job), afterMs: batchMs };
}

function jobToSync(event: ObjectEvent<Stored<Job>>, known: Known): readonly SyncItem[] {
  const { object: job } = event;
  if (event.type === 'deleted' || finishedCondition(job) !== undefined) {
    forget(job, known);
    return [];
  }
  const { old } = event;
  if (old === undefined) return [immediately(job)];
  // Another Job of the same name: the deletion in between was missed.
  if (old.metadata.uid !== job.metadata.uid) {
    forget(old, known);
    return [immediately(job)];
  }
  const isStatusChange = old.metadata.generation === job.metadata.generation;
  return [isStatusChange ? batched(job) : immediately(job)];
}

/** Returns the Jobs that a pod's event concerns, and records what was expected of it. */
function jobsOfPod(event: ObjectEvent<Stored<Pod>>, known: Known): readonly SyncItem[] {
  const { object: pod } = event;
  if (event.type === 'deleted') return jobOfLostPod(pod, true, known);
  const { old } = event;
  if (old?.metadata.resourceVersion === pod.metadata.resourceVersion) return [];
  // Another pod of the same name: the deletion in between was missed.
  if (old !== undefined && old.metadata.uid !== pod.metadata.uid)
    return [...jobOfLostPod(old, true, known), ...jobsOfPod({ type: 'applied', object: pod }, known)];
  if (isTerminating(pod)) return jobOfLostPod(pod, false, known);

  const owner = ownerOf<Job>(pod, 'Job', known.jobs);
  if (owner !== undefined && old === undefined) known.expectations.creationObserved(owner.metadata.uid);
  const isMoved = old !== undefined && !deepEqual(controllerOf(old), controllerOf(pod));
  const before = isMoved ? ownerOf<Job>(old, 'Job', known.jobs) : undefined;
  const concerned = [before, owner].filter((job) => job !== undefined);
  if (!hasTrackingFinalizer(pod))
    for (const { metadata } of concerned) known.memories.releaseObserved(metadata.uid, pod.metadata.uid);
  if (controllerOf(pod) !== undefined) return concerned.map(batched);
  const mayBeAdopted = isMoved || !deepEqual(old?.metadata.labels, pod.metadata.labels);
  return [...concerned, ...(mayBeAdopted ? jobsSelecting(pod, known) : [])].map(batched);
}

/** Returns the Job of a pod that is terminating or gone. */
function jobOfLostPod(pod: Stored<Pod>, isGone: boolean, known: Known): readonly SyncItem[] {
  const owner = ownerOf<Job>(pod, 'Job', known.jobs);
  if (owner === undefined) return [];
  const { uid } = owner.metadata;
  known.expectations.deletionObserved(uid, pod.metadata.uid);
  if (isGone || !hasTrackingFinalizer(pod)) known.memories.releaseObserved(uid, pod.metadata.uid);
  return [batched(owner)];
}

function jobsSelecting({ metadata }: Stored<Pod>, { jobs: known }: Known): readonly Stored<Job>[] {
  return known
    .by('namespace', metadata.namespace ?? '')
    .filter(({ spec }) => matchesLabels(selectorFromStructured(spec?.selector), metadata.labels));
}

/** Returns the pods whose finalizers may be left when a Job finishes or is deleted. */
function podsOfEndedJob(event: ObjectEvent<Stored<Job>>, { pods }: Known): readonly NamespacedName[] {
  const { object: job } = event;
  const isEnded = event.type === 'deleted' || (event.old !== undefined && finishedCondition(job) !== undefined);
  if (!isEnded) return [];
  const selector = selectorFromStructured(job.spec?.selector);
  return dependentsAndOrphans(pods, job)
    .filter((pod) => hasTrackingFinalizer(pod) && matchesLabels(selector, pod.metadata.labels))
    .map(namespacedName);
}

function orphanPod(event: ObjectEvent<Stored<Pod>>, { jobs: known }: Known): readonly NamespacedName[] {
  const { object: pod } = event;
  if (event.type === 'deleted' || !hasTrackingFinalizer(pod)) return [];
  if (controllerOf(pod) === undefined) return [namespacedName(pod)];
  const owner = isTerminating(pod) ? ownerOf<Job>(pod, 'Job', known) : undefined;
  const isLeft = isTerminating(pod) && (owner === undefined || finishedCondition(owner) !== undefined);
  return isLeft ? [namespacedName(pod)] : [];
}

/** Whether no Job will count a pod. */
function isUncountable(pod: Stored<Pod>, { jobs: known }: Known): boolean {
  const reference = controllerOf(pod);
  if (reference === undefined) return true;
  if (reference.kind !== jobKind.kind || reference.apiVersion !== jobKind.apiVersion) return false;
  const owner = ownerOf<Job>(pod, 'Job', known);
  if (owner === undefined) return true;
  return !isManagedElsewhere(owner) && finishedCondition(owner) !== undefined;
}

function isManagedElsewhere({ spec }: Stored<Job>): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== ownManager;
}

function isSpecified(job: Stored<Job> | undefined): job is SpecifiedJob {
  return job?.spec !== undefined;
}

function forget({ metadata: { uid } }: Stored<Job>, { expectations, memories }: Known): void {
  expectations.forget(uid);
  memories.forget(uid);
}
