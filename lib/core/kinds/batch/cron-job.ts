// CronJobs: a Job at every moment of a schedule. As pkg/registry/batch/cronjob/strategy.go and
// pkg/apis/batch/validation/validation.go, ValidateCronJobCreate. A zone inside the schedule itself is tolerated only
// where it already stood; zones belong into spec.timeZone.
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { utf8Length, nameIsDnsSubdomain } from '../../objects/names.js';
import { deepEqual } from '../../objects/json.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isParseError } from '../../objects/parse-error.js';
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../types/batch-v1.generated.js';
import { podNameWarnings } from '../apps/pod-name-warnings.js';
import { containerCells, containerColumns, selectorCell, selectorColumn } from '../apps/template-cells.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { printedSelector, printedWord } from '../printed-values.js';
import { age, ageColumn, integerColumn, nameColumn, textColumn, timeSince } from '../table-cells.js';
import { parseCronSchedule } from './cron-schedule.js';
import { validateSelectorlessSpec } from './job-validation.js';
import { jobSpecWarnings } from './job.js';
import { validateTimeZone } from './time-zone.js';

type FieldErrors = readonly FieldError[];

const specPath = fieldPath('spec');
const schedulePath = specPath.child('schedule');
const templatePath = specPath.child('jobTemplate').child('spec');

/** Names of its Jobs have eleven characters more, and at most 63. */
const nameBytesMax = 52;

/** The strategy of CronJobs. */
export const cronJob: KindStrategy<CronJob> = {
  nameRule: nameIsDnsSubdomain,
  validate: ({ metadata, spec }) => [
    ...validateSpec(spec, undefined, podTemplateValidationOptions(spec.jobTemplate.spec?.template)),
    ...(utf8Length(metadata?.name ?? '') > nameBytesMax
      ? [
          fieldInvalid(
            fieldPath('metadata', 'name'),
            metadata?.name ?? '',
            `must be no more than ${nameBytesMax} characters`,
          ),
        ]
      : []),
  ],
  warningsOnCreate: ({ metadata, spec: { jobTemplate } }) => [
    ...podNameWarnings(metadata?.name),
    ...(jobTemplate.spec === undefined ? [] : jobSpecWarnings(jobTemplate.spec, templatePath)),
  ],
  validateUpdate: ({ spec }, { spec: old }) =>
    validateSpec(
      spec,
      old,
      podTemplateValidationOptions(spec.jobTemplate.spec?.template, old.jobTemplate.spec?.template),
    ),
  warningsOnUpdate({ metadata, spec }, old) {
    const changed = metadata?.generation !== old.metadata?.generation && spec.jobTemplate.spec !== undefined;
    const warnings = changed
      ? [...jobSpecWarnings(spec.jobTemplate.spec, templatePath, old.spec.jobTemplate.spec)]
      : [];
    // The path is Kubernetes' own.
    if (spec.schedule.includes('TZ')) warnings.push(`cannot use TZ or CRON_TZ in spec.spec.schedule, ${zoneAdvice}`);
    return warnings;
  },
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  subresources: { status: { checksMetadataOnce: true } },
  table: {
    columns: [
      nameColumn,
      textColumn('Schedule', 'When jobs are made.'),
      textColumn('Timezone', 'The zone of the schedule.'),
      { name: 'Suspend', type: 'boolean', description: 'Whether no more jobs are made.' },
      integerColumn('Active', 'Jobs that run.'),
      textColumn('Last Schedule', 'How long ago a job was made.'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row(object, now) {
      const { metadata, spec, status } = object;
      const { lastScheduleTime, active = [] } = status ?? {};
      const jobSpec = spec.jobTemplate.spec;
      return {
        cells: [
          metadata?.name ?? '',
          spec.schedule,
          spec.timeZone ?? '<none>',
          spec.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
          active.length,
          lastScheduleTime === undefined ? '<none>' : timeSince(lastScheduleTime, now),
          age(object, now),
          ...containerCells(jobSpec?.template),
          selectorCell(jobSpec?.selector),
        ],
      };
    },
  },
};

const zoneAdvice =
  'use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

function validateSpec(
  spec: Frozen<CronJobSpec>,
  old: Frozen<CronJobSpec> | undefined,
  pods: PodValidationOptions,
): FieldErrors {
  const zoneChanged = old === undefined || old.timeZone !== spec.timeZone;
  return [
    ...validateSchedule(spec, old?.schedule.includes('TZ') === true),
    ...validateNonNegative(spec.startingDeadlineSeconds ?? 0, specPath.child('startingDeadlineSeconds')),
    ...(zoneChanged && spec.timeZone !== undefined ? validateTimeZone(spec.timeZone, specPath.child('timeZone')) : []),
    ...validateConcurrency(spec.concurrencyPolicy),
    ...validateJobTemplate(spec.jobTemplate, pods),
    ...validateNonNegative(spec.successfulJobsHistoryLimit ?? 0, specPath.child('successfulJobsHistoryLimit')),
    ...validateNonNegative(spec.failedJobsHistoryLimit ?? 0, specPath.child('failedJobsHistoryLimit')),
  ];
}

function validateSchedule({ schedule, timeZone }: Frozen<CronJobSpec>, zoneAllowed: boolean): FieldErrors {
  if (schedule === '') return [fieldRequired(schedulePath)];
  const errors: FieldError[] = [];
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    if (!isParseError(error)) throw error;
    errors.push(fieldInvalid(schedulePath, schedule, error.message));
  }
  if (schedule.includes('TZ')) {
    if (!zoneAllowed)
      errors.push(
        fieldInvalid(schedulePath, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'),
      );
    else if (timeZone !== undefined)
      errors.push(fieldInvalid(schedulePath, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
  return errors;
}

function validateConcurrency(policy: string | undefined): FieldErrors {
  const path = specPath.child('concurrencyPolicy');
  const policies = ['Allow', 'Forbid', 'Replace'];
  if (policy === undefined) return [fieldRequired(path)];
  return policies.includes(policy) ? [] : [fieldNotSupported(path, printedWord(policy), policies)];
}

/** The selector is made when the Job is. */
function validateJobTemplate({ spec }: Frozen<JobTemplateSpec>, pods: PodValidationOptions): FieldErrors {
  if (spec === undefined) return [];
  const errors = [...validateSelectorlessSpec(spec, templatePath, pods)];
  if (spec.selector !== undefined)
    errors.push(
      fieldInvalid(templatePath.child('selector'), printedSelector(spec.selector), '`selector` will be auto-generated'),
    );
  if (spec.manualSelector === true)
    errors.push(fieldNotSupported(templatePath.child('manualSelector'), true, ['nil', 'false']));
  return errors;
}
