// Deletes finished Jobs, with their pods, `ttlSecondsAfterFinished` after they have finished. The informer may be
// behind, so the Job is read once more before it is deleted. As pkg/controller/ttlafterfinished.
import { awaitChange, controller, informers, requeueAfter, watching } from '../client/index.js';
import type { ControllerActivity, Stored } from '../client/index.js';
import { isTerminating, namespacedName, parseTime, printNamespacedName } from '../core/index.js';
import type { NamespacedName, Part } from '../core/index.js';
import type { Job } from '../core/types/index.js';
import type { ControllerEnvironment } from './controller-environment.js';
import { finishedCondition } from './jobs/job-status.js';

/** A Job was deleted because its time to live has expired. */
export interface ExpiredJobDeleted {
  readonly type: 'deleted';
  readonly job: NamespacedName;
}

/** Creates the controller. */
export function ttlAfterFinished({
  client,
  clock,
  random,
  informers: shared = informers(client, { clock, random }),
  steps$,
  concurrency = 5,
}: ControllerEnvironment): Part<ControllerActivity<NamespacedName, ExpiredJobDeleted>> {
  const jobs = shared.kind('batch/v1', 'Job');
  return controller<NamespacedName, ExpiredJobDeleted>({
    name: 'ttl-after-finished-controller',
    clock,
    steps$,
    concurrency,
    watches: [
      watching(jobs, ({ type, object }) =>
        type === 'deleted' || expiresAtMs(object) === undefined ? [] : [namespacedName(object)],
      ),
    ],
    reconcile: async (item, { emit, signal, cause }) => {
      const leftMs = (job: Stored<Job> | undefined): number =>
        (job === undefined ? Infinity : (expiresAtMs(job) ?? Infinity)) - clock.now();
      const cachedMs = leftMs(jobs.get(printNamespacedName(item)));
      if (cachedMs > 0) return cachedMs < Infinity ? requeueAfter(cachedMs) : awaitChange;
      const writable = client.kind('batch/v1', 'Job');
      const fresh = await writable.find(item, { signal });
      const freshMs = leftMs(fresh);
      if (fresh === undefined || freshMs > 0) return freshMs < Infinity ? requeueAfter(freshMs) : awaitChange;
      const preconditions = { uid: fresh.metadata.uid };
      await writable.delete(item, { propagationPolicy: 'Foreground', preconditions, signal, cause });
      emit({ type: 'deleted', job: item });
      return awaitChange;
    },
  });
}

/** Returns when a Job is to be deleted; undefined if that does not follow from its status. */
function expiresAtMs(job: Stored<Job>): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  const { lastTransitionTime } = finishedCondition(job) ?? {};
  if (ttlSecondsAfterFinished === undefined || lastTransitionTime === undefined || isTerminating(job)) return undefined;
  return parseTime(lastTransitionTime) + ttlSecondsAfterFinished * 1000;
}
