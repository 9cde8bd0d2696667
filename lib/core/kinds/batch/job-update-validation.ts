// What is wrong with an update of a Job. Most of a Job is fixed; while it is suspended and none of its pods run, where
// its pods may run and what they request may still change.
// As pkg/registry/batch/job/strategy.go, ValidateUpdate, and pkg/apis/batch/validation/validation.go,
// ValidateJobUpdate.
import { fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { validateImmutable, validateObjectMeta } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Job, JobSpec } from '../../types/batch-v1.generated.js';
import type { Container, PodSpec } from '../../types/core-v1.generated.js';
import { validateImmutableSelector } from '../apps/template-validation.js';
import { internalForm } from '../internal-form.js';
import { hasInvalidLabelValue } from '../label-selector-validation.js';
import { podTemplateValidationOptions } from '../pods/pod-validation-options.js';
import { printedWord } from '../printed-values.js';
import { hasCondition } from './job-conditions.js';
import { printedPodFailurePolicy, printedSuccessPolicy } from './job-policies.js';
import { hasPrefixedLabels } from './job-selector.js';
import { validateJob, validateJobSpec } from './job-validation.js';
import type { JobLeniency } from './job-validation.js';

type FieldErrors = readonly FieldError[];

const path = fieldPath('spec');

/** Validates an update. What is wrong with the Job as it stands is reported twice, as Kubernetes does. */
export function validateJobUpdate(job: Frozen<Job>, old: Frozen<Job>): FieldErrors {
  const { metadata = {}, spec } = job;
  if (spec === undefined || old.spec === undefined) return [];
  const leniency: JobLeniency = {
    pods: podTemplateValidationOptions(spec.template, old.spec.template),
    allowInvalidValues: hasInvalidLabelValue(old.spec.selector),
    legacyLabels: !hasPrefixedLabels(old),
  };
  return [
    ...validateObjectMeta(metadata, { namespaced: true, nameRule: nameIsDnsSubdomain }),
    ...validateJob(job, leniency),
    ...validateJobSpec(spec, path, leniency),
    ...validateCompletions(spec, old.spec),
    ...validateImmutableSelector(spec.selector, old.spec.selector, path.child('selector')),
    ...validateTemplateUpdate(spec, old),
    ...fixed('completionMode', spec, old.spec, (mode) => (mode === undefined ? null : printedWord(mode))),
    ...fixed('podFailurePolicy', spec, old.spec, printedPodFailurePolicy),
    ...fixed('backoffLimitPerIndex', spec, old.spec, (limit) => limit ?? null),
    ...fixed('managedBy', spec, old.spec, (manager) => (manager === undefined ? null : printedWord(manager))),
    ...fixed('successPolicy', spec, old.spec, printedSuccessPolicy),
  ];
}

function fixed<Name extends keyof JobSpec>(
  name: Name,
  spec: Frozen<JobSpec>,
  ...[old, print]: readonly [old: Frozen<JobSpec>, print: (value: Frozen<JobSpec>[Name]) => unknown]
): FieldErrors {
  return deepEqual(spec[name], old[name])
    ? []
    : [fieldInvalid(path.child(name), print(spec[name]), 'field is immutable')];
}

/** The completions of an Indexed Job may change, if its parallelism changes with them. */
function validateCompletions(
  { completions, parallelism, completionMode }: Frozen<JobSpec>,
  old: Frozen<JobSpec>,
): FieldErrors {
  const at = path.child('completions');
  if (completionMode !== 'Indexed') return validateImmutable(completions, old.completions, at);
  if (completions === undefined || completions === old.completions || completions === parallelism) return [];
  return [fieldInvalid(at, completions, 'can only be modified in tandem with spec.parallelism')];
}

function validateTemplateUpdate({ template }: Frozen<JobSpec>, old: Frozen<Job>): FieldErrors {
  const before = old.spec?.template;
  if (!isAdjustable(old)) {
    return deepEqual(template, before)
      ? []
      : [fieldInvalid(path.child('template'), internalForm('PodTemplateSpec', template), 'field is immutable')];
  }
  if (deepEqual(fixedPart(template.spec), fixedPart(before?.spec))) return [];
  return [
    fieldInvalid(path.child('template.spec'), internalForm('PodSpec', template.spec ?? {}), 'field is immutable'),
  ];
}

/** Returns whether the Job waits, with no pod left. As shouldAllowMutablePodTemplate. */
function isAdjustable(job: Frozen<Job>): boolean {
  const { startTime, active = 0 } = job.status ?? {};
  return job.spec?.suspend === true && (startTime === undefined || hasCondition(job, 'Suspended')) && active === 0;
}

/** What may not change even then: all but directives for the scheduler and resources of containers. */
function fixedPart(spec: Frozen<PodSpec> | undefined): unknown {
  if (spec === undefined) return undefined;
  const {
    nodeSelector: _1,
    tolerations: _2,
    schedulingGates: _3,
    affinity,
    containers,
    initContainers,
    ...rest
  } = spec;
  const { nodeAffinity: _4, ...otherAffinity } = affinity ?? {};
  return {
    ...rest,
    affinity: otherAffinity,
    containers: withoutResources(containers),
    initContainers: withoutResources(initContainers),
  };
}

function withoutResources(containers: readonly Frozen<Container>[] | undefined): unknown {
  return containers?.map(({ resources: _resources, ...container }) => container);
}
