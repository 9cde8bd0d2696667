// What is wrong with a Deployment. As pkg/apis/apps/validation/validation.go, ValidateDeployment and its parts.
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateNonNegative } from '../../objects/meta-validation.js';
import type { Frozen, ObjectMeta } from '../../objects/meta.js';
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../types/apps-v1.generated.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import type { PodValidationOptions } from '../pods/pod-validation-options.js';
import type { Loose } from '../loose.js';
import { printedSelector, printedWord } from '../printed-values.js';
import { rollbackAnnotation } from './deployment-defaults.js';
import { intOrPercentValue, validateAtMostWhole, validateIntOrPercent } from './int-or-percent.js';
import { validateCollisionCount, validateNotMore, validateNonNegatives } from './status-counts.js';
import {
  readSelector,
  validateImmutableSelector,
  validateReplicaTemplate,
  validateRequiredSelector,
} from './template-validation.js';

type FieldErrors = readonly FieldError[];

const specPath = fieldPath('spec');
const statusPath = fieldPath('status');

/** Validates a Deployment's specification; metadata carries the revision of a rollback. */
export function validateDeploymentSpec(
  { metadata, spec }: { readonly metadata: Frozen<ObjectMeta> | undefined; readonly spec: Frozen<DeploymentSpec> },
  options: PodValidationOptions,
): FieldErrors {
  const { replicas = 0, minReadySeconds = 0, revisionHistoryLimit = 0, progressDeadlineSeconds } = spec;
  const deadlinePath = specPath.child('progressDeadlineSeconds');
  const errors: FieldError[] = [
    ...validateNonNegative(replicas, specPath.child('replicas')),
    ...validateRequiredSelector(spec.selector, specPath.child('selector'), 'deployment'),
    ...validateTemplate(spec, options),
    ...validateStrategy(spec.strategy ?? {}, specPath.child('strategy')),
    ...validateNonNegative(minReadySeconds, specPath.child('minReadySeconds')),
    ...validateNonNegative(revisionHistoryLimit, specPath.child('revisionHistoryLimit')),
    ...validateNonNegative(
      Number(metadata?.annotations?.[rollbackAnnotation] ?? 0),
      specPath.child('rollback').child('version'),
    ),
  ];
  if (progressDeadlineSeconds !== undefined) {
    errors.push(...validateNonNegative(progressDeadlineSeconds, deadlinePath));
    if (progressDeadlineSeconds <= minReadySeconds) {
      errors.push(fieldInvalid(deadlinePath, progressDeadlineSeconds, 'must be greater than minReadySeconds'));
    }
  }
  return errors;
}

/** Validates an update: the selector keeps its first value. */
export function validateDeploymentUpdate({ metadata, spec }: Frozen<Deployment>, old: Frozen<Deployment>): FieldErrors {
  if (spec === undefined) return [];
  return [
    ...validateDeploymentSpec({ metadata, spec }, podTemplateValidationOptions(spec.template, old.spec?.template)),
    ...validateImmutableSelector(spec.selector, old.spec?.selector, specPath.child('selector')),
  ];
}

/** Validates an update of the status. As ValidateDeploymentStatusUpdate. */
export function validateDeploymentStatus(status: Frozen<DeploymentStatus>, old: Frozen<DeploymentStatus>): FieldErrors {
  const { replicas = 0, readyReplicas = 0 } = status;
  return [
    ...validateNonNegatives(status, statusPath, [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ]),
    ...validateNotMore(status, statusPath, {
      fields: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      than: 'status.replicas',
      count: replicas,
    }),
    ...validateNotMore(status, statusPath, {
      fields: ['availableReplicas'],
      than: 'readyReplicas',
      count: readyReplicas,
    }),
    ...validateCollisionCount(status, old, statusPath),
  ];
}

function validateTemplate({ selector, template }: Frozen<DeploymentSpec>, options: PodValidationOptions): FieldErrors {
  const read = readSelector(selector);
  if (read === undefined)
    return [fieldInvalid(specPath.child('selector'), printedSelector(selector), 'invalid label selector')];
  return validateReplicaTemplate(template, specPath.child('template'), { selector: read, kind: 'ReplicaSet', options });
}

function validateStrategy(strategy: Loose<DeploymentStrategy>, path: FieldPath): FieldErrors {
  const { type = '', rollingUpdate } = strategy;
  const below = path.child('rollingUpdate');
  switch (type) {
    case 'Recreate':
      return rollingUpdate === undefined
        ? []
        : [fieldForbidden(below, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [fieldRequired(below, 'this should be defaulted and never be nil')]
        : validateRollingUpdate(rollingUpdate, below);
    default:
      return [fieldNotSupported(path, printedStrategy(type, rollingUpdate), ['Recreate', 'RollingUpdate'])];
  }
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: Frozen<RollingUpdateDeployment>,
  path: FieldPath,
): FieldErrors {
  const unavailablePath = path.child('maxUnavailable');
  const errors = [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, path.child('maxSurge')),
  ];
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    const printed = typeof maxUnavailable === 'string' ? printedWord(maxUnavailable) : maxUnavailable;
    errors.push(fieldInvalid(unavailablePath, printed, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...validateAtMostWhole(maxUnavailable, unavailablePath)];
}

/** Kubernetes prints its internal type, by Go's names. */
function printedStrategy(type: string, rollingUpdate: Frozen<RollingUpdateDeployment> | undefined): unknown {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  return {
    Type: type,
    RollingUpdate: rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge },
  };
}
