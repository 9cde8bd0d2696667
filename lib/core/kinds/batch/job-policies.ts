// The policies of a Job: what a failed pod means for it, and when it has succeeded.
// As pkg/apis/batch/validation/validation.go, validatePodFailurePolicy and validateSuccessPolicy.
import { collect, visitUntilFull } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldInvalidUnprinted,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import { utf8Length, isQualifiedName } from '../../objects/names.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { isParseError } from '../../objects/parse-error.js';
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicy,
  SuccessPolicyRule,
} from '../../types/batch-v1.generated.js';
import { invalidEach } from '../invalid-each.js';
import type { Loose } from '../loose.js';
import { printedWord } from '../printed-values.js';
import { countIndexes } from './job-indexes.js';

type FieldErrors = readonly FieldError[];

/** Validates the policy for failed pods; nothing is wrong with none. */
export function validatePodFailurePolicy(
  { podFailurePolicy, backoffLimitPerIndex, template }: Frozen<JobSpec>,
  path: FieldPath,
): FieldErrors {
  if (podFailurePolicy === undefined) return [];
  const rules: readonly Loose<PodFailurePolicyRule>[] = (podFailurePolicy as Loose<PodFailurePolicy>).rules ?? [];
  const rulesPath = path.child('rules');
  const { containers = [], initContainers = [] } = (template as Loose<JobSpec>['template'])?.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name = '' }) => name));
  return [
    ...(rules.length > rulesMax ? [fieldTooMany(rulesPath, rules.length, rulesMax)] : []),
    ...collect(rules, (rule, index) =>
      validateFailureRule(rule, rulesPath.index(index), { names, perIndex: backoffLimitPerIndex !== undefined }),
    ),
  ];
}

/** Validates the policy for success of an Indexed Job. */
export function validateSuccessPolicy(spec: Frozen<JobSpec>, path: FieldPath): FieldErrors {
  const rules: readonly Frozen<SuccessPolicyRule>[] =
    (spec.successPolicy as Loose<SuccessPolicy> | undefined)?.rules ?? [];
  const rulesPath = path.child('rules');
  return [
    ...(rules.length === 0
      ? [fieldRequired(rulesPath, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > rulesMax ? [fieldTooMany(rulesPath, rules.length, rulesMax)] : []),
    ...collect(rules, (rule, index) => validateSuccessRule(rule, rulesPath.index(index), spec.completions ?? 0)),
  ];
}

/** A policy for failed pods as errors print it: by Go's names, as it is inside Kubernetes. */
export function printedPodFailurePolicy(policy: Loose<PodFailurePolicy> | undefined): unknown {
  if (policy === undefined) return null;
  return {
    Rules:
      policy.rules?.map(({ action = '', onExitCodes, onPodConditions }) => ({
        Action: action,
        OnExitCodes:
          onExitCodes === undefined
            ? null
            : {
                ContainerName: onExitCodes.containerName ?? null,
                Operator: onExitCodes.operator ?? '',
                Values: onExitCodes.values ?? null,
              },
        OnPodConditions: onPodConditions?.map(({ type = '', status = '' }) => ({ Type: type, Status: status })) ?? null,
      })) ?? null,
  };
}

/** A policy for success likewise. */
export function printedSuccessPolicy(policy: Loose<SuccessPolicy> | undefined): unknown {
  if (policy === undefined) return null;
  const rules = policy.rules?.map(({ succeededIndexes = null, succeededCount = null }) => ({
    SucceededIndexes: succeededIndexes,
    SucceededCount: succeededCount,
  }));
  return { Rules: rules ?? null };
}

const rulesMax = 20;
const patternsMax = 20;
const exitCodesMax = 255;
const indexesBytesMax = 64 * 1024;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

function validateFailureRule(
  rule: Loose<PodFailurePolicyRule>,
  path: FieldPath,
  { names, perIndex }: { readonly names: ReadonlySet<string>; readonly perIndex: boolean },
): FieldErrors {
  const { action = '', onExitCodes, onPodConditions = [] } = rule;
  const errors: FieldError[] = [...validateWord(action, actions, path.child('action'))];
  if (action === 'FailIndex' && !perIndex)
    errors.push(fieldInvalid(path.child('action'), action, 'requires the backoffLimitPerIndex to be set'));
  if (onExitCodes !== undefined) errors.push(...validateExitCodes(onExitCodes, path.child('onExitCodes'), names));
  if (onPodConditions.length > 0) errors.push(...validatePatterns(onPodConditions, path.child('onPodConditions')));
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    errors.push(fieldInvalidUnprinted(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (onExitCodes === undefined && onPodConditions.length === 0) {
    errors.push(fieldInvalidUnprinted(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return errors;
}

/** A word that must be given and be one of a few. */
function validateWord(word: string, supported: readonly string[], path: FieldPath): FieldErrors {
  if (word === '') return [fieldRequired(path, `valid values: [${supported.map(quote).join(' ')}]`)];
  return supported.includes(word) ? [] : [fieldNotSupported(path, printedWord(word), supported)];
}

function validatePatterns(
  patterns: readonly Loose<PodFailurePolicyOnPodConditionsPattern>[],
  path: FieldPath,
): FieldErrors {
  return [
    ...(patterns.length > patternsMax ? [fieldTooMany(path, patterns.length, patternsMax)] : []),
    ...collect(patterns, ({ type = '', status = '' }, index) => [
      ...invalidEach(path.index(index).child('type'), type, isQualifiedName(type)),
      ...validateWord(status, statuses, path.index(index).child('status')),
    ]),
  ];
}

function validateExitCodes(
  requirement: Loose<PodFailurePolicyOnExitCodesRequirement>,
  path: FieldPath,
  names: ReadonlySet<string>,
): FieldErrors {
  const { operator = '', containerName, values = [] } = requirement;
  const valuesPath = path.child('values');
  const errors: FieldError[] = [...validateWord(operator, operators, path.child('operator'))];
  if (containerName !== undefined && !names.has(containerName)) {
    errors.push(
      fieldInvalid(
        path.child('containerName'),
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  }
  if (values.length === 0) errors.push(fieldInvalid(valuesPath, requirement.values, 'at least one value is required'));
  if (values.length > exitCodesMax) errors.push(fieldTooMany(valuesPath, values.length, exitCodesMax));
  const seen = new Set<number>();
  visitUntilFull(values, errors, (value, index) => {
    if (operator === 'In' && value === 0)
      errors.push(fieldInvalid(valuesPath.index(index), value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(fieldDuplicate(valuesPath.index(index), value));
    seen.add(value);
  });
  if (values.some((value, index) => value < (values[index - 1] ?? value)))
    errors.push(fieldInvalid(valuesPath, values, 'must be ordered'));
  return errors;
}

function validateSuccessRule(
  { succeededIndexes, succeededCount }: Frozen<SuccessPolicyRule>,
  path: FieldPath,
  completions: number,
): FieldErrors {
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(fieldRequired(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const indexesPath = path.child('succeededIndexes');
    if (utf8Length(succeededIndexes) > indexesBytesMax) errors.push(fieldTooLong(indexesPath, indexesBytesMax));
    try {
      total = countIndexes(succeededIndexes, completions);
    } catch (error) {
      if (!isParseError(error)) throw error;
      errors.push(fieldInvalid(indexesPath, succeededIndexes, `error parsing succeededIndexes: ${error.message}`));
    }
  }
  if (succeededCount !== undefined) {
    const countPath = path.child('succeededCount');
    const atMost = (limit: number, what: string): FieldErrors =>
      succeededCount > limit
        ? [fieldInvalid(countPath, succeededCount, `must be less than or equal to ${limit} (the number of ${what})`)]
        : [];
    errors.push(...validateNonNegative(succeededCount, countPath), ...atMost(completions, 'specified completions'));
    if (succeededIndexes !== undefined)
      errors.push(...atMost(total, 'indexes in the specified succeededIndexes field'));
  }
  return errors;
}
