// The three lists of containers of a pod, and what each allows: regular containers, init containers (with sidecars
// among them) and ephemeral ones. As pkg/apis/core/validation/validation.go, validateContainers, validateInitContainers
// and validateEphemeralContainers.
import { visitUntilFull } from '../../errors/collect.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
  fieldTooMany,
} from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { Container, ContainerRestartRule, EphemeralContainer, PodSpec } from '../../types/core-v1.generated.js';
import { validateContainerParts, validateImageOfPod } from './container-validation.js';
import type { ContainerContext } from './container-validation.js';
import { each, noErrors, validateOneOf } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { isSidecar, regularContainers } from './pod-containers.js';
import { validateLifeAndProbes } from './probe-validation.js';

/** The containers that make the pod: at least one. */
export function validateContainers(
  containers: readonly Frozen<Container>[],
  path: FieldPath,
  context: ContainerContext,
): FieldErrors {
  if (containers.length === 0) return [fieldRequired(path)];
  const names = new Set<string>();
  return [
    ...each(containers, path, (container, at) => {
      const errors: FieldError[] = [...validateContainerParts(container, at, context)];
      if (names.has(container.name)) errors.push(fieldDuplicate(at.child('name'), container.name));
      names.add(container.name);
      errors.push(...validateLifeAndProbes(container, at, context.gracePeriod));
      errors.push(...validateRestartPolicy(container, at));
      return errors;
    }),
    ...validateHostPorts(containers, path),
  ];
}

/** The containers that run before, one by one; those of restart policy Always keep running. */
export function validateInitContainers(spec: Frozen<PodSpec>, path: FieldPath, context: ContainerContext): FieldErrors {
  if (spec.initContainers === undefined) return noErrors;
  const names = new Set(regularContainers(spec).map(({ name }) => name));
  return each(spec.initContainers, path, (container, at) => {
    const errors: FieldError[] = [...validateContainerParts(container, at, context)];
    // Rules without a policy are not looked at here, unlike those of regular containers.
    const { restartPolicy, restartPolicyRules = [] } = container;
    if (restartPolicy === undefined && restartPolicyRules.length > 0) errors.push(restartPolicyMissing(at));
    else errors.push(...validateRestartPolicy(container, at));
    if (names.has(container.name)) errors.push(fieldDuplicate(at.child('name'), container.name));
    else if (container.name !== '') names.add(container.name);
    // Each alone, and always as if it were the first.
    errors.push(...validateHostPorts([container], path));
    if (isSidecar(container)) return [...errors, ...validateLifeAndProbes(container, at, context.gracePeriod)];

    for (const field of sidecarFields) {
      if (container[field] !== undefined)
        errors.push(fieldForbidden(at.child(field), 'may not be set for init containers without restartPolicy=Always'));
    }
    if (context.options.allowInitContainerRestarts === true) return errors;
    visitUntilFull(container.resizePolicy ?? [], errors, ({ restartPolicy }, index) => {
      if (restartPolicy !== 'RestartContainer') return;
      const where = at.child('resizePolicy').index(index).child('restartPolicy');
      errors.push(
        fieldInvalid(where, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers"),
      );
    });
    return errors;
  });
}

/** Containers that came later, to look at the others: no part of the work, so most fields are refused. */
export function validateEphemeralContainers(
  spec: Frozen<PodSpec>,
  path: FieldPath,
  context: ContainerContext,
): FieldErrors {
  if (spec.ephemeralContainers === undefined) return noErrors;
  const others = new Set([...regularContainers(spec), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return each(spec.ephemeralContainers, path, (container, at) => {
    const { name, targetContainerName = '', volumeMounts = [] } = container;
    const errors: FieldError[] = [
      ...validateContainerParts(container, at, context),
      ...validateImageOfPod(container, at),
    ];
    if (names.has(name)) errors.push(fieldDuplicate(at.child('name'), name));
    names.add(name);
    if (targetContainerName !== '' && !others.has(targetContainerName)) {
      errors.push(fieldNotFound(at.child('targetContainerName'), targetContainerName));
    }
    for (const field of refusedFields) {
      if (isSet(container, field)) errors.push(fieldForbidden(at.child(field), refusal));
    }
    visitUntilFull(volumeMounts, errors, ({ subPath = '', subPathExpr = '' }, index) => {
      const mount = at.child('volumeMounts').index(index);
      if (subPath !== '') errors.push(fieldForbidden(mount.child('subPath'), refusal));
      if (subPathExpr !== '') errors.push(fieldForbidden(mount.child('subPathExpr'), refusal));
    });
    return errors;
  });
}

const sidecarFields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

const refusal = 'cannot be set for an Ephemeral Container';

/** In the order of the Go type. */
const refusedFields = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

function isSet(container: Frozen<EphemeralContainer>, field: (typeof refusedFields)[number]): boolean {
  if (field !== 'resources') return container[field] !== undefined;
  // Always there once decoded; set if anything is in it.
  const { limits, requests, claims } = container.resources ?? {};
  return limits !== undefined || requests !== undefined || claims !== undefined;
}

const ruleCountMax = 20;
const exitCodeCountMax = 255;

/** When a container starts again, other than its pod says. */
function validateRestartPolicy(
  { restartPolicy, restartPolicyRules = [] }: Frozen<Container>,
  path: FieldPath,
): FieldErrors {
  if (restartPolicy === undefined && restartPolicyRules.length === 0) return noErrors;
  const rulesPath = path.child('restartPolicyRules');
  const policy =
    restartPolicy === undefined
      ? [restartPolicyMissing(path)]
      : validateOneOf(restartPolicy, ['Always', 'Never', 'OnFailure'], path.child('restartPolicy'));
  const tooMany =
    restartPolicyRules.length > ruleCountMax
      ? [fieldTooMany(rulesPath, restartPolicyRules.length, ruleCountMax)]
      : noErrors;
  return [...policy, ...tooMany, ...each(restartPolicyRules, rulesPath, validateRestartRule)];
}

function restartPolicyMissing(path: FieldPath): FieldError {
  return fieldRequired(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
}

/** The types promise action and operator; empty ones are absent once decoded. */
function validateRestartRule(rule: Partial<Frozen<ContainerRestartRule>>, path: FieldPath): FieldErrors {
  const exitCodes: Partial<NonNullable<typeof rule.exitCodes>> | undefined = rule.exitCodes;
  const wrongAction = validateOneOf(rule.action ?? '', ['Restart', 'RestartAllContainers'], path.child('action'));
  const at = path.child('exitCodes');
  if (exitCodes === undefined) return [...wrongAction, fieldRequired(at, 'must be specified')];
  const { values = [] } = exitCodes;
  return [
    ...wrongAction,
    ...validateOneOf(exitCodes.operator ?? '', ['In', 'NotIn'], at.child('operator')),
    ...(values.length > exitCodeCountMax
      ? [fieldTooMany(at.child('values'), values.length, exitCodeCountMax)]
      : noErrors),
  ];
}

/** A port of the node goes to one container only. */
function validateHostPorts(containers: readonly Frozen<Container>[], path: FieldPath): FieldErrors {
  const taken = new Set<string>();
  return each(containers, path, ({ ports }, at) =>
    each(ports, at.child('ports'), ({ protocol = '', hostIP = '', hostPort = 0 }, portPath) => {
      if (hostPort === 0) return noErrors;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) return [fieldDuplicate(portPath.child('hostPort'), key)];
      taken.add(key);
      return noErrors;
    }),
  );
}
