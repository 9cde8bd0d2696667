// Where a Job stands, as its conditions say. As the Is… functions of pkg/apis/batch/validation/validation.go.
import type { Frozen } from '../../objects/meta.js';
import type { Job } from '../../types/batch-v1.generated.js';

/** Returns whether a condition of that type is there and has that status; of several any counts. */
export function hasCondition({ status }: Frozen<Job>, type: string, value: 'True' | 'False' = 'True'): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === value);
}

/** Returns whether the Job has come to its end, good or bad. */
export function isFinished(job: Frozen<Job>): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
}
