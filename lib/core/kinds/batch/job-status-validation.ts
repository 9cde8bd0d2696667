// Validates an update of a Job's status against the status it replaces. Most rules apply only when
// their fields change, so that a status that was invalid before can still be corrected.
// As pkg/registry/batch/job/strategy.go, getStatusValidationOptions, and pkg/apis/batch/validation/validation.go,
// ValidateJobStatusUpdate.
import { collect } from '../../errors/collect.js';
import { fieldDuplicate, fieldInvalid, fieldInvalidUnprinted, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isParseError } from '../../objects/parse-error.js';
import { parseTime } from '../../objects/time.js';
import type { Job, JobStatus, UncountedTerminatedPods } from '../../types/batch-v1.generated.js';
import { printedWord } from '../printed-values.js';
import { hasCondition, isFinished } from './job-conditions.js';
import { countIndexes, firstOverlap } from './job-indexes.js';

type FieldErrors = readonly FieldError[];

const path = fieldPath('status');
const conditionsPath = path.child('conditions');

/** Validates an update of the status. */
export function validateJobStatus(job: Frozen<Job>, old: Frozen<Job>): FieldErrors {
  const { status = {} } = job;
  const { status: before = {} } = old;
  const changed = changes(job, old);
  return [
    ...collect(['active', 'succeeded', 'failed', 'ready', 'terminating'] as const, (name) =>
      validateNonNegative(status[name] ?? 0, path.child(name)),
    ),
    ...validateUncounted(status.uncountedTerminatedPods ?? {}, path.child('uncountedTerminatedPods')),
    ...validateConditions(job, changed),
    ...validateIndexes(job, changed),
    ...validateLiveness(job, changed),
    ...validateCriteria(job),
    ...validateTransitions(job, old),
    ...validateStart({ job, old, status, before }),
    ...validateLastCriteria(job, old),
  ];
}

/** What an update touches: the conditions by type, the fields by name, and whether the Job is finished. */
interface Changes {
  readonly finished: boolean;
  condition(type: string): boolean;
  field(name: keyof JobStatus): boolean;
}

function changes(job: Frozen<Job>, old: Frozen<Job>): Changes {
  return {
    finished: isFinished(job) !== isFinished(old),
    condition: (type) => hasCondition(job, type) !== hasCondition(old, type),
    field: (name) => !deepEqual(job.status?.[name], old.status?.[name]),
  };
}

/** Pods that are not counted yet are known by their uid, each once. */
function validateUncounted(pods: Frozen<UncountedTerminatedPods>, at: FieldPath): FieldErrors {
  const seen = new Set<string>();
  return collect(['succeeded', 'failed'] as const, (list) =>
    collect(pods[list] ?? [], (uid, index) => {
      const uidPath = at.child(list).index(index);
      if (uid === '') return [fieldInvalid(uidPath, uid, 'must not be empty')];
      if (seen.has(uid)) return [fieldDuplicate(uidPath, printedWord(uid))];
      seen.add(uid);
      return [];
    }),
  );
}

/** What the conditions say must agree with itself and with the times. */
function validateConditions(job: Frozen<Job>, changed: Changes): FieldErrors {
  const { startTime, completionTime } = job.status ?? {};
  const complete = hasCondition(job, 'Complete');
  const failed = hasCondition(job, 'Failed');
  const failureTarget = hasCondition(job, 'FailureTarget');
  const completionPath = path.child('completionTime');
  const errors: FieldError[] = [];
  const refuse = (applies: boolean, wrong: boolean, sentence: string): void => {
    if (applies && wrong) errors.push(fieldInvalidUnprinted(conditionsPath, sentence));
  };
  const completeChanged = changed.condition('Complete');
  const completionChanged = completeChanged || changed.field('completionTime');

  refuse(
    completeChanged || changed.condition('Failed'),
    complete && failed,
    'cannot set Complete=True and Failed=true conditions',
  );
  refuse(
    completeChanged || changed.condition('FailureTarget'),
    complete && failureTarget,
    'cannot set Complete=True and FailureTarget=true conditions',
  );
  if (completionChanged && completionTime !== undefined && !complete) {
    errors.push(
      fieldInvalid(
        completionPath,
        completionTime,
        'cannot set completionTime when there is no Complete=True condition',
      ),
    );
  }
  if (completionChanged && completionTime === undefined && complete)
    errors.push(fieldRequired(completionPath, 'completionTime is required for Complete jobs'));
  if (
    (changed.field('startTime') || changed.field('completionTime')) &&
    startTime !== undefined &&
    completionTime !== undefined
  ) {
    if (parseTime(completionTime) < parseTime(startTime))
      errors.push(fieldInvalid(completionPath, completionTime, 'must be equal to or after `startTime`'));
  }
  refuse(
    changed.condition('Failed') || changed.field('failedIndexes'),
    failed && !failureTarget,
    'cannot set Failed=True condition without the FailureTarget=true condition',
  );
  refuse(
    completeChanged || changed.condition('SuccessCriteriaMet'),
    complete && !hasCondition(job, 'SuccessCriteriaMet'),
    'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  );
  return [...errors, ...validateFinished(job, changed)];
}

/** A finished Job has started, and has no pods left that are active or not counted. */
function validateFinished(job: Frozen<Job>, changed: Changes): FieldErrors {
  if (!isFinished(job)) return [];
  const { active = 0, startTime, uncountedTerminatedPods } = job.status ?? {};
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  const neverRan = job.spec?.suspend === true && job.spec.completions === 0;
  const errors: FieldError[] = [];
  if ((changed.finished || changed.field('active')) && active > 0) {
    errors.push(fieldInvalid(path.child('active'), active, 'active>0 is invalid for finished job'));
  }
  if ((changed.finished || changed.field('startTime')) && startTime === undefined && !neverRan) {
    errors.push(fieldRequired(path.child('startTime'), 'startTime is required for finished job'));
  }
  if ((changed.finished || changed.field('uncountedTerminatedPods')) && succeeded.length + failed.length > 0) {
    // Kubernetes prints its internal type, by Go's names.
    const printed = {
      Succeeded: uncountedTerminatedPods?.succeeded ?? null,
      Failed: uncountedTerminatedPods?.failed ?? null,
    };
    errors.push(fieldInvalid(path.child('uncountedTerminatedPods'), printed, 'must be empty for finished job'));
  }
  return errors;
}

function validateIndexes(job: Frozen<Job>, changed: Changes): FieldErrors {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const { completedIndexes = '', failedIndexes } = job.status ?? {};
  const completedPath = path.child('completedIndexes');
  const failedPath = path.child('failedIndexes');
  const completedChanged = changed.field('completedIndexes');
  const failedChanged = changed.field('failedIndexes');
  const errors: FieldError[] = [];
  if (completedChanged && completions !== undefined)
    errors.push(...validateFormat(completedIndexes, completions, 'completedIndexes'));
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    errors.push(...validateFormat(failedIndexes, completions, 'failedIndexes'));
  }
  if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
    errors.push(
      fieldInvalid(
        completedPath,
        completedIndexes,
        'cannot set non-empty completedIndexes when non-indexed completion mode',
      ),
    );
  }
  if (failedChanged && backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
    errors.push(
      fieldInvalid(failedPath, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'),
    );
  }
  if ((completedChanged || failedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const overlap = firstOverlap(completedIndexes, failedIndexes, completions);
    if (overlap !== undefined)
      errors.push(
        fieldInvalid(failedPath, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${overlap}`),
      );
  }
  return errors;
}

function validateFormat(indexes: string, completions: number, name: 'completedIndexes' | 'failedIndexes'): FieldErrors {
  try {
    countIndexes(indexes, completions);
    return [];
  } catch (error) {
    if (!isParseError(error)) throw error;
    // A pointer prints as JSON, a text as Go quotes it.
    const printed = name === 'failedIndexes' ? printedWord(indexes) : indexes;
    return [fieldInvalid(path.child(name), printed, `error parsing ${name}: ${error.message}`)];
  }
}

function validateLiveness(job: Frozen<Job>, changed: Changes): FieldErrors {
  const { terminating = 0, ready = 0, active = 0 } = job.status ?? {};
  const errors: FieldError[] = [];
  if ((changed.finished || changed.field('terminating')) && terminating > 0 && isFinished(job)) {
    errors.push(fieldInvalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
  }
  if ((changed.field('ready') || changed.field('active')) && job.status?.ready !== undefined && ready > active) {
    errors.push(fieldInvalid(path.child('ready'), ready, 'cannot set more ready pods than active'));
  }
  return errors;
}

function validateCriteria(job: Frozen<Job>): FieldErrors {
  const met = hasCondition(job, 'SuccessCriteriaMet');
  const wrong: string[] = [];
  if (met && hasCondition(job, 'Failed')) wrong.push('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && hasCondition(job, 'FailureTarget'))
    wrong.push('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec?.successPolicy !== undefined && !met && hasCondition(job, 'Complete')) {
    wrong.push('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
  return wrong.map((sentence) => fieldInvalidUnprinted(conditionsPath, sentence));
}

/** What has come to an end stays so, and what was counted stays counted. */
function validateTransitions(job: Frozen<Job>, old: Frozen<Job>): FieldErrors {
  const { failed = 0, succeeded = 0, completionTime } = job.status ?? {};
  const before = old.status ?? {};
  const { completionMode, completions, parallelism } = job.spec ?? {};
  const disabled = ['Failed', 'Complete', 'FailureTarget'].filter(
    (type) => hasCondition(old, type) && !hasCondition(job, type),
  );
  const errors = collect(disabled, (type) => [
    fieldInvalidUnprinted(conditionsPath, `cannot disable the terminal ${type}=True condition`),
  ]);
  if (failed < (before.failed ?? 0))
    errors.push(fieldInvalid(path.child('failed'), failed, 'cannot decrease the failed counter'));
  // An Indexed Job whose parallelism follows its completions may be made smaller.
  const elastic = completionMode === 'Indexed' && completions === parallelism;
  if (!elastic && succeeded < (before.succeeded ?? 0))
    errors.push(fieldInvalid(path.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  if (completionTime !== undefined && before.completionTime !== undefined && completionTime !== before.completionTime) {
    errors.push(fieldInvalid(path.child('completionTime'), completionTime, 'field is immutable'));
  }
  return errors;
}

/** Only a suspended Job, or one that is resumed just now, starts again. */
function validateStart({
  job,
  old,
  status,
  before,
}: {
  readonly job: Frozen<Job>;
  readonly old: Frozen<Job>;
  readonly status: Frozen<JobStatus>;
  readonly before: Frozen<JobStatus>;
}): FieldErrors {
  const resumed = hasCondition(old, 'Suspended') && hasCondition(job, 'Suspended', 'False');
  if (resumed || before.startTime === undefined || status.startTime === before.startTime || job.spec?.suspend === true)
    return [];
  return [fieldInvalid(path.child('startTime'), status.startTime, 'field is immutable for unsuspended job once set')];
}

function validateLastCriteria(job: Frozen<Job>, old: Frozen<Job>): FieldErrors {
  const was = hasCondition(old, 'SuccessCriteriaMet');
  const is = hasCondition(job, 'SuccessCriteriaMet');
  if (was && !is)
    return [fieldInvalidUnprinted(conditionsPath, 'cannot disable the SuccessCriteriaMet=True condition')];
  if (!hasCondition(old, 'Complete') || was || !is) return [];
  return [
    fieldInvalidUnprinted(
      conditionsPath,
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ),
  ];
}
