// The kinds of this group: their defaults and strategies, by `apiVersion/kind`.
import type { KindParticulars } from '../../scheme/kind-definition.js';
import { cronJob } from './cron-job.js';
import { cronJobDefaults, jobDefaults } from './job-defaults.js';
import { job } from './job.js';

/** The strategy of each kind of the group. */
export const batchKinds: Readonly<Record<string, KindParticulars>> = {
  'batch/v1/CronJob': { strategy: cronJob, setDefaults: cronJobDefaults },
  'batch/v1/Job': { strategy: job, setDefaults: jobDefaults },
};
