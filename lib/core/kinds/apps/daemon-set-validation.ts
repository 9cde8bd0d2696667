// What is wrong with a DaemonSet. As pkg/apis/apps/validation/validation.go, ValidateDaemonSet and its parts. The rules
// of the template's generation are left out: only the strategy sets it.
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../types/apps-v1.generated.js';
import type { LabelSelector } from '../../types/meta-v1.generated.js';
import { hasInvalidLabelValue, validateLabelSelector } from '../label-selector-validation.js';
import type { Loose } from '../loose.js';
import { validatePodTemplateSpec } from '../pods/pod-template-validation.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import { printedSelector, printedWord } from '../printed-values.js';
import { intOrPercentValue, validateAtMostWhole, validateIntOrPercent } from './int-or-percent.js';
import { validateCollisionCount, validateNonNegatives } from './status-counts.js';
import {
  isEmptySelector,
  readSelector,
  validateImmutableSelector,
  validateRunsForever,
  validateTemplateLabels,
} from './template-validation.js';

type FieldErrors = readonly FieldError[];

const specPath = fieldPath('spec');
const selectorPath = specPath.child('selector');
const templatePath = specPath.child('template');

/** Validates a DaemonSet's specification. */
export function validateDaemonSetSpec(
  spec: Frozen<DaemonSetSpec>,
  options: PodValidationOptions,
  allowInvalidValues = false,
): FieldErrors {
  const { selector, template, minReadySeconds = 0, updateStrategy = {}, revisionHistoryLimit = 0 } = spec;
  const read = readSelector(selector);
  return [
    ...validateLabelSelector(selector, selectorPath, { allowInvalidValues }),
    ...(read === undefined ? [] : validateTemplateLabels(template, read, templatePath)),
    ...validateNotEmpty(selector),
    ...validatePodTemplateSpec(template, templatePath, options),
    ...validateRunsForever(template, templatePath, 'DaemonSet'),
    ...validateNonNegative(minReadySeconds, specPath.child('minReadySeconds')),
    ...validateUpdateStrategy(updateStrategy, specPath.child('updateStrategy')),
    ...validateNonNegative(revisionHistoryLimit, specPath.child('revisionHistoryLimit')),
  ];
}

/** Validates an update: the selector keeps its first value, wrong as it may be. */
export function validateDaemonSetUpdate({ spec }: Frozen<DaemonSet>, { spec: old }: Frozen<DaemonSet>): FieldErrors {
  if (spec === undefined) return [];
  return [
    ...validateImmutableSelector(spec.selector, old?.selector, selectorPath),
    ...validateDaemonSetSpec(
      spec,
      podTemplateValidationOptions(spec.template, old?.template),
      hasInvalidLabelValue(old?.selector),
    ),
  ];
}

/** Validates an update of the status. */
export function validateDaemonSetStatus(status: Loose<DaemonSetStatus>, old: Loose<DaemonSetStatus>): FieldErrors {
  const path = fieldPath('status');
  return [
    ...validateNonNegatives(status, path, [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ]),
    ...validateCollisionCount(status, old, path),
  ];
}

/** An absent selector is no error of its own: it selects nothing, so the template's labels do not match. */
function validateNotEmpty(selector: Frozen<LabelSelector> | undefined): FieldErrors {
  if (selector === undefined || !isEmptySelector(selector)) return [];
  return [fieldInvalid(selectorPath, printedSelector(selector), 'empty selector is invalid for daemonset')];
}

function validateUpdateStrategy(
  { type = '', rollingUpdate }: Loose<DaemonSetUpdateStrategy>,
  path: FieldPath,
): FieldErrors {
  switch (type) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [fieldRequired(path.child('rollingUpdate'))]
        : validateRollingUpdate(rollingUpdate, path.child('rollingUpdate'));
    default:
      return [fieldNotSupported(path, printedStrategy(type, rollingUpdate), ['RollingUpdate', 'OnDelete'])];
  }
}

/** Exactly one of the two is above zero: a node makes room for the new pod, or holds both for a while. */
function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: Frozen<RollingUpdateDaemonSet>,
  path: FieldPath,
): FieldErrors {
  const unavailablePath = path.child('maxUnavailable');
  const surgePath = path.child('maxSurge');
  const errors = [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, surgePath),
    ...validateAtMostWhole(maxUnavailable, unavailablePath),
    ...validateAtMostWhole(maxSurge, surgePath),
  ];
  const unavailable = intOrPercentValue(maxUnavailable) !== 0;
  const surge = intOrPercentValue(maxSurge) !== 0;
  if (unavailable && surge) {
    const printed = typeof maxSurge === 'string' ? printedWord(maxSurge) : maxSurge;
    errors.push(fieldInvalid(surgePath, printed, 'may not be set when maxUnavailable is non-zero'));
  } else if (!unavailable && !surge) {
    errors.push(fieldRequired(unavailablePath, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

/** Kubernetes prints its internal type, by Go's names. */
function printedStrategy(type: string, rollingUpdate: Frozen<RollingUpdateDaemonSet> | undefined): unknown {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  return {
    Type: type,
    RollingUpdate: rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge },
  };
}
