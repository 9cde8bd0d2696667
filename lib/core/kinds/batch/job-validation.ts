// What is wrong with a Job, or with the Job inside a CronJob. As pkg/apis/batch/validation/validation.go, ValidateJob,
// ValidateJobSpec and validateJobSpec. Updates are checked in job-update-validation.ts, the status in
// job-status-validation.ts.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { utf8Length, isDns1123Label } from '../../objects/names.js';
import { matchesLabels } from '../../objects/label-selector.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { Job, JobSpec } from '../../types/batch-v1.generated.js';
import { readSelector } from '../apps/template-validation.js';
import { validateDomainPrefixedPath } from '../domain-prefixed-path.js';
import { validateLabelSelector } from '../label-selector-validation.js';
import { validatePodTemplateSpec } from '../pods/pod-template-validation.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { printedMap, printedWord } from '../printed-values.js';
import { printedSuccessPolicy, validatePodFailurePolicy, validateSuccessPolicy } from './job-policies.js';
import { validateGeneratedSelector } from './job-selector.js';

type FieldErrors = readonly FieldError[];

/** What is tolerated. */
export interface JobLeniency {
  readonly pods: PodValidationOptions;
  /** The selector may hold values that no label can have. */
  readonly allowInvalidValues?: boolean;
  /** Pods need not have the labels with the prefix. */
  readonly legacyLabels?: boolean;
}

/** Validates a Job as it stands. */
export function validateJob(job: Frozen<Job>, leniency: JobLeniency): FieldErrors {
  const { metadata, spec } = job;
  if (spec === undefined) return [];
  return [
    ...validateGeneratedSelector(job, leniency.legacyLabels !== true),
    ...validateJobSpec(spec, fieldPath('spec'), leniency),
    ...validatePodNames(metadata?.name ?? '', spec),
  ];
}

/** Validates the specification of a Job, its selector included. */
export function validateJobSpec(spec: Frozen<JobSpec>, path: FieldPath, leniency: JobLeniency): FieldErrors {
  const { selector, template } = spec;
  const errors = [...validateSelectorlessSpec(spec, path, leniency.pods)];
  if (selector === undefined) errors.push(fieldRequired(path.child('selector')));
  else
    errors.push(
      ...validateLabelSelector(selector, path.child('selector'), {
        allowInvalidValues: leniency.allowInvalidValues === true,
      }),
    );
  const read = readSelector(selector);
  const labels = template.metadata?.labels;
  if (read !== undefined && !matchesLabels(read, labels)) {
    const at = path.child('template').child('metadata').child('labels');
    errors.push(fieldInvalid(at, printedMap(labels), '`selector` does not match template `labels`'));
  }
  return errors;
}

/** Validates the specification of a Job that has no selector yet. */
export function validateSelectorlessSpec(
  spec: Frozen<JobSpec>,
  path: FieldPath,
  pods: PodValidationOptions,
): FieldErrors {
  return [
    ...collect(counts, (name) => validateNonNegative(spec[name] ?? 0, path.child(name))),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [fieldRequired(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')]
      : []),
    ...validateManagedBy(spec.managedBy, path.child('managedBy')),
    ...validateCompletionMode(spec, path),
    ...validatePodFailurePolicy(spec, path.child('podFailurePolicy')),
    ...validateSuccess(spec, path.child('successPolicy')),
    ...validateReplacement(spec, path.child('podReplacementPolicy')),
    ...validatePodTemplateSpec(spec.template, path.child('template'), pods),
    ...validateRestartPolicy(spec, path.child('template').child('spec').child('restartPolicy')),
  ];
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

const managedByBytesMax = 63;
const indexesMax = 100_000;
const completionsSoftMax = 100_000;
const perIndexMax = 10_000;

/** Pods of an Indexed Job are named after it and their index. */
function validatePodNames(name: string, { completionMode, completions = 0 }: Frozen<JobSpec>): FieldErrors {
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  if (isDns1123Label(longest).length === 0) return [];
  return [
    fieldInvalid(fieldPath('metadata', 'name'), name, `will not able to create pod with invalid DNS label: ${longest}`),
  ];
}

function validateManagedBy(managedBy: string | undefined, path: FieldPath): FieldErrors {
  if (managedBy === undefined) return [];
  const errors = validateDomainPrefixedPath(managedBy, path);
  return utf8Length(managedBy) > managedByBytesMax ? [...errors, fieldTooLong(path, managedByBytesMax)] : errors;
}

function validateCompletionMode(spec: Frozen<JobSpec>, path: FieldPath): FieldErrors {
  const { backoffLimitPerIndex, maxFailedIndexes } = spec;
  const mode: string | undefined = spec.completionMode;
  if (mode === 'Indexed') return validateIndexed(spec, path);
  if (mode !== undefined && mode !== 'NonIndexed') {
    return [fieldNotSupported(path.child('completionMode'), printedWord(mode), ['NonIndexed', 'Indexed'])];
  }
  const sentence = 'requires indexed completion mode';
  return [
    ...(backoffLimitPerIndex === undefined
      ? []
      : [fieldInvalid(path.child('backoffLimitPerIndex'), backoffLimitPerIndex, sentence)]),
    ...(maxFailedIndexes === undefined
      ? []
      : [fieldInvalid(path.child('maxFailedIndexes'), maxFailedIndexes, sentence)]),
  ];
}

/** Sets of indexes are kept as text in the status, so they are bounded: the more completions, the stricter. */
function validateIndexed(spec: Frozen<JobSpec>, path: FieldPath): FieldErrors {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const failedPath = path.child('maxFailedIndexes');
  const parallelPath = path.child('parallelism');
  const errors: FieldError[] = [];
  if (completions === undefined)
    errors.push(fieldRequired(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism > indexesMax) {
    errors.push(
      fieldInvalid(
        parallelPath,
        parallelism,
        `must be less than or equal to ${indexesMax} when completion mode is Indexed`,
      ),
    );
  }
  if (maxFailedIndexes !== undefined) {
    if (completions !== undefined && maxFailedIndexes > completions) {
      errors.push(fieldInvalid(failedPath, maxFailedIndexes, 'must be less than or equal to completions'));
    }
    if (maxFailedIndexes > indexesMax)
      errors.push(fieldInvalid(failedPath, maxFailedIndexes, `must be less than or equal to ${indexesMax}`));
  }
  if (completions === undefined || completions <= completionsSoftMax || backoffLimitPerIndex === undefined)
    return errors;

  const sentence = `must be less than or equal to ${perIndexMax} when completions are above ${completionsSoftMax} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined)
    errors.push(fieldRequired(failedPath, `must be specified when completions is above ${completionsSoftMax}`));
  if (parallelism > perIndexMax) errors.push(fieldInvalid(parallelPath, parallelism, sentence));
  if (maxFailedIndexes !== undefined && maxFailedIndexes > perIndexMax)
    errors.push(fieldInvalid(failedPath, maxFailedIndexes, sentence));
  return errors;
}

function validateSuccess(spec: Frozen<JobSpec>, path: FieldPath): FieldErrors {
  const { successPolicy, completionMode } = spec;
  if (successPolicy === undefined) return [];
  if (completionMode !== 'Indexed')
    return [fieldInvalid(path, printedSuccessPolicy(successPolicy), 'requires indexed completion mode')];
  return validateSuccessPolicy(spec, path);
}

/** A policy for failures needs to see each pod fail before it is replaced. */
function validateReplacement(
  { podReplacementPolicy, podFailurePolicy }: Frozen<JobSpec>,
  path: FieldPath,
): FieldErrors {
  if (podReplacementPolicy === undefined) return [];
  const supported: readonly string[] = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return supported.includes(podReplacementPolicy)
    ? []
    : [fieldNotSupported(path, printedWord(podReplacementPolicy), supported)];
}

function validateRestartPolicy({ template, podFailurePolicy }: Frozen<JobSpec>, path: FieldPath): FieldErrors {
  const policy: string = template.spec?.restartPolicy ?? '';
  // Always is what a pod gets that says nothing.
  if (policy === 'Always' || policy === '') return [fieldRequired(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [fieldNotSupported(path, printedWord(policy), ['OnFailure', 'Never'])];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [fieldInvalid(path, printedWord(policy), 'only "Never" is supported when podFailurePolicy is specified')];
}
