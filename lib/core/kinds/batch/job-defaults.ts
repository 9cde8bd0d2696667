// Defaults of Jobs and CronJobs that depend on other fields. As pkg/apis/batch/v1/defaults.go. The Job inside a CronJob
// gets none but those of its pods: they are filled in when the Job is made.
import type { CronJob, Job, JobSpec } from '../../types/batch-v1.generated.js';
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
  if (labels !== undefined && Object.keys(job.metadata?.labels ?? {}).length === 0)
    (job.metadata ??= {}).labels = labels;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  failurePolicyDefaults(spec);
  if (spec.template.spec !== undefined) podSpecDefaults(spec.template.spec);
}

/** Fills in a CronJob. */
export function cronJobDefaults({ spec }: CronJob): void {
  const { spec: jobSpec } = spec.jobTemplate;
  if (jobSpec === undefined) return;
  failurePolicyDefaults(jobSpec);
  if (jobSpec.template.spec !== undefined) podSpecDefaults(jobSpec.template.spec);
}

/** A condition is meant to hold by default; empty text says nothing. */
function failurePolicyDefaults({ podFailurePolicy }: JobSpec): void {
  for (const { onPodConditions = [] } of podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) {
      const status: string = pattern.status ?? '';
      if (status === '') pattern.status = 'True';
    }
  }
}
