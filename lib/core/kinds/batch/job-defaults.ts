// Defaults of Jobs and CronJobs that depend on other fields. As pkg/apis/batch/v1/defaults.go. The Job inside a CronJob
// gets none but those of its pods: they are filled in when the Job is made.
import type { CronJob, Job } from '../../types/batch-v1.generated.js';
import { podSpecDefaults } from '../pods/pod-defaults.js';

/** Fills in a Job. Labels it shares with its template, if it has none: what is added to one is added to both. */
export function jobDefaults(job: Job): void {
  const { spec } = job;
  if (spec === undefined) return;
  if (spec.parallelism === undefined) {
    spec.parallelism = 1;
    spec.completions ??= 1;
  }
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const labels = spec.template.metadata?.labels;
  if (labels !== undefined && Object.keys(job.metadata?.labels ?? {}).length === 0) job.metadata = { ...job.metadata, labels };
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  if (spec.template.spec !== undefined) podSpecDefaults(spec.template.spec);
}

/** Fills in a CronJob. */
export function cronJobDefaults({ spec }: CronJob): void {
  const pods = spec.jobTemplate.spec?.template.spec;
  if (pods !== undefined) podSpecDefaults(pods);
}
