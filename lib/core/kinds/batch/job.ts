// Jobs: pods that run to their end, so many times. When one is deleted its pods stay, unless the caller says otherwise.
// As pkg/registry/batch/job/strategy.go. Defaults, the selector and validations are in files of their own.
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { humanDuration } from '../../go/duration.js';
import type { Frozen } from '../../objects/meta.js';
import { isTerminating } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import { parseTime } from '../../objects/time.js';
import type { Job, JobSpec } from '../../types/batch-v1.generated.js';
import { podNameWarnings } from '../apps/pod-name-warnings.js';
import { containerCells, containerColumns, selectorCell, selectorColumn } from '../apps/template-cells.js';
import type { KindStrategy } from '../kind-strategy.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import { podTemplateWarnings } from '../pods/pod-warnings.js';
import { age, ageColumn, nameColumn, textColumn } from '../table-cells.js';
import { generateSelector } from './job-selector.js';
import { validateJobStatus } from './job-status-validation.js';
import { validateJobUpdate } from './job-update-validation.js';
import { validateJob } from './job-validation.js';

const specPath = fieldPath('spec');

/** The strategy of Jobs. */
export const job: KindStrategy<Job> = {
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: generateSelector,
  validate: (object) => validateJob(object, { pods: podTemplateValidationOptions(object.spec?.template) }),
  warningsOnCreate: ({ metadata, spec }) => [
    ...podNameWarnings(metadata?.name),
    ...(spec === undefined ? [] : jobSpecWarnings(spec, specPath)),
  ],
  validateUpdate: validateJobUpdate,
  warningsOnUpdate({ metadata, spec }, old) {
    if (spec === undefined || metadata?.generation === old.metadata?.generation) return [];
    return jobSpecWarnings(spec, specPath, old.spec);
  },
  changesGeneration: (object, old) => !deepEqual(object.spec, old.spec),
  propagation: 'Orphan',
  subresources: { status: { validateUpdate: validateJobStatus } },
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  table: {
    columns: [
      nameColumn,
      textColumn('Status', 'Where the job stands.'),
      textColumn('Completions', 'Pods that succeeded, of those needed.'),
      textColumn('Duration', 'How long the job has taken.'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row(object, now) {
      const { metadata, spec } = object;
      return {
        cells: [
          metadata?.name ?? '',
          statusCell(object),
          completionsCell(object),
          durationCell(object, now),
          age(object, now),
          ...containerCells(spec?.template),
          selectorCell(spec?.selector),
        ],
      };
    },
  },
};

/** What the author of a Job's specification should know. As pkg/api/job/warnings.go, WarningsForJobSpec. */
export function jobSpecWarnings(spec: Frozen<JobSpec>, path: FieldPath, old?: Frozen<JobSpec>): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const large = completionMode === 'Indexed' && completions > 100_000 && parallelism > 10_000;
  return [
    ...(large ? [`${path.toString()}: ${largeSentence}`] : []),
    ...podTemplateWarnings(template, path.child('template'), old?.template),
  ];
}

const largeSentence =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ' +
  'Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

function statusCell(object: Frozen<Job>): string {
  const conditions = object.status?.conditions ?? [];
  // Of several conditions of a type the first counts.
  const isTrue = (type: string): boolean => conditions.find((condition) => condition.type === type)?.status === 'True';
  const ended = ['Complete', 'Failed'].find(isTrue);
  if (ended !== undefined) return ended;
  if (isTerminating(object)) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(isTrue) ?? 'Running';
}

function completionsCell({ spec, status }: Frozen<Job>): string {
  const succeeded = status?.succeeded ?? 0;
  const { completions, parallelism = 0 } = spec ?? {};
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell({ status }: Frozen<Job>, now: number): string {
  const { startTime, completionTime } = status ?? {};
  if (startTime === undefined) return '';
  return humanDuration((completionTime === undefined ? now : parseTime(completionTime)) - parseTime(startTime));
}
