// The writes to the pods of a Job: claims, creations, deletions, and the removal of the tracking finalizer. Deletions
// and removals are sent all at once; one that fails does not stop the others. As pkg/controller/job/job_controller.go.
import type { Client, Stored } from '../../client/index.js';
import { isApiError, isPodReady, namespacedName, selectorFromStructured } from '../../core/index.js';
import type { Snapshot } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import { ignoreError } from '../ignore-error.js';
import { claimObjects } from '../workloads/claim-objects.js';
import type { Expectations } from '../workloads/expectations.js';
import { dependentsAndOrphans } from '../workloads/owned-pods.js';
import type { ControllerIndex } from '../workloads/owned-pods.js';
import { isNamespaceTerminating, slowStartBatch } from '../workloads/pod-control.js';
import type { CallContext, PodControl } from '../workloads/pod-control.js';
import type { PodPlan } from './job-decision.js';
import type { JobMemories } from './job-memory.js';
import { jobPod } from './job-pod-template.js';
import type { PodNumbers } from './job-status.js';
import { hasTrackingFinalizer, trackingFinalizer } from './job-view.js';
import type { JobView, SpecifiedJob } from './job-view.js';

/** The dependencies of the writes to pods. */
export interface JobPods extends CallContext {
  readonly client: Client;
  readonly pods: Snapshot<Stored<Pod>, ControllerIndex>;
  readonly control: PodControl;
  readonly expectations: Expectations;
  readonly memories: JobMemories;
}

/** Kind and version of Jobs. */
export const jobKind = { apiVersion: 'batch/v1', kind: 'Job' } as const;

/** The pods of a Job after some were created or deleted, and the first error. */
export interface PodWork extends PodNumbers {
  readonly failure?: unknown;
}

/** Returns the pods of a Job, after adopting and releasing what is necessary. */
export function claimPods(
  job: SpecifiedJob,
  { client, pods, signal, cause }: JobPods,
): Promise<readonly Stored<Pod>[]> {
  return claimObjects<Pod>(dependentsAndOrphans(pods, job), {
    client,
    owner: job,
    ownerKind: jobKind,
    kind: { apiVersion: 'v1', kind: 'Pod' },
    selector: selectorFromStructured(job.spec.selector),
    finalizers: [trackingFinalizer],
    signal,
    cause,
  });
}

/** Creates or deletes the pods that a plan has. */
export async function carryOut(plan: PodPlan, view: JobView, tools: JobPods): Promise<PodWork> {
  const { job, activePods, ready, terminating } = view;
  if (plan.type === 'delete') {
    const uids = plan.pods.map(({ metadata }) => metadata.uid);
    tools.expectations.expectDeletions(job.metadata.uid, uids);
    return deletePods(view, plan.pods, tools, async (pod) => {
      // A pod that is deleted because it is superfluous is not counted.
      if (hasTrackingFinalizer(pod)) await removeTrackingFinalizer(pod, tools);
    });
  }
  if (plan.type === 'create') return createPods(view, plan, tools);
  return { active: activePods.length, ready, terminating };
}

/** Deletes the active pods of a Job that has ended. They keep their finalizers until they are counted. */
export function deleteActivePods(view: JobView, tools: JobPods): Promise<PodWork> {
  return deletePods(view, view.activePods, tools, () => Promise.resolve());
}

/** Removes the finalizers of pods. Returns the uids of those that have none any more, and the first error. */
export async function releasePods(
  view: JobView,
  pods: readonly Stored<Pod>[],
  tools: JobPods,
): Promise<{ readonly uids: ReadonlySet<string>; readonly failure?: unknown }> {
  const { memories } = tools;
  const { uid } = view.job.metadata;
  const uids = new Set<string>();
  let failure: unknown;
  const podUids = pods.map(({ metadata }) => metadata.uid);
  memories.expectReleases(uid, podUids);
  await Promise.all(
    pods.map(async (pod) => {
      try {
        await removeTrackingFinalizer(pod, tools);
        uids.add(pod.metadata.uid);
      } catch (error) {
        memories.releaseObserved(uid, pod.metadata.uid);
        if (isApiError(error, 'NotFound')) uids.add(pod.metadata.uid);
        else failure ??= error;
      }
    }),
  );
  return { uids, ...(failure !== undefined && { failure }) };
}

/** Removes the tracking finalizer of a pod. Rejects with NotFound if it is gone. */
export async function removeTrackingFinalizer(
  pod: Stored<Pod>,
  { client, signal, cause }: Pick<JobPods, 'client' | 'signal' | 'cause'>,
): Promise<void> {
  const metadata = { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] };
  await client.kind('v1', 'Pod').patch(namespacedName(pod), { strategic: { metadata } }, { signal, cause });
}

async function createPods(
  view: JobView,
  { count, indexes }: PodPlan & { readonly type: 'create' },
  { expectations, control, signal, cause }: JobPods,
): Promise<PodWork> {
  const { job, activePods, ready, terminating } = view;
  const { uid } = job.metadata;
  const common = indexes === undefined ? jobPod(view, undefined) : undefined;
  expectations.expectCreations(uid, count);
  let created = 0;
  const { failure } = await slowStartBatch(count, async (position) => {
    const { template, generateName } = common ?? jobPod(view, indexes?.[position]);
    try {
      await control.create(job, template, { signal, cause }, generateName === undefined ? undefined : { generateName });
    } catch (error) {
      // In a terminating namespace all further creations fail too: they are not retried.
      if (!isNamespaceTerminating(error)) throw error;
    }
    created += 1;
  });
  // Those that failed or were not tried will not be observed.
  expectations.creationObserved(uid, count - created);
  return { active: activePods.length + created, ready, terminating, ...(failure !== undefined && { failure }) };
}

async function deletePods(
  view: JobView,
  pods: readonly Stored<Pod>[],
  { expectations, control, signal, cause }: JobPods,
  prepare: (pod: Stored<Pod>) => Promise<void>,
): Promise<PodWork> {
  const { job } = view;
  const deleted: Stored<Pod>[] = [];
  let failure: unknown;
  await Promise.all(
    pods.map(async (pod) => {
      try {
        const isDeleted =
          (await ignoreError(
            'NotFound',
            prepare(pod).then(() => true),
          )) && (await control.delete(job, pod, { signal, cause }));
        if (isDeleted !== true) expectations.deletionObserved(job.metadata.uid, pod.metadata.uid);
        deleted.push(pod);
      } catch (error) {
        expectations.deletionObserved(job.metadata.uid, pod.metadata.uid);
        failure ??= error;
      }
    }),
  );
  return {
    active: view.activePods.length - deleted.length,
    ready: view.ready - deleted.filter(isPodReady).length,
    terminating: view.terminating + deleted.length,
    ...(failure !== undefined && { failure }),
  };
}
