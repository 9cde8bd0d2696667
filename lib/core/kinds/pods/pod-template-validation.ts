// The template of pods in workloads and PodTemplates. As pkg/apis/core/validation/validation.go,
// ValidatePodTemplateSpec. Note the paths: labels and annotations of a template are reported without `metadata`.
import { fieldForbidden } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateAnnotations, validateLabels } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { PodSpec, PodTemplateSpec } from '../../types/core-v1.generated.js';
import { validatePodAnnotations } from './pod-annotation-validation.js';
import { validatePodSpec } from './pod-spec-validation.js';
import { podTemplateValidationOptions } from './pod-validation-options.js';
import type { PodValidationOptions } from './pod-validation-options.js';
import { validateAppArmorAgreement, validateSeccompAgreement } from './security-profile-validation.js';

/**
 * Validates a template. Updates pass `podTemplateValidationOptions(template, old)`; without options the
 * template is taken as new.
 */
export function validatePodTemplateSpec(
  template: Frozen<PodTemplateSpec>,
  path: FieldPath,
  options: PodValidationOptions = podTemplateValidationOptions(template),
): readonly FieldError[] {
  const { metadata = {}, spec = noSpec } = template;
  const { labels = {}, annotations = {} } = metadata;
  const specPath = path.child('spec');
  const errors: FieldError[] = [
    ...validateLabels(labels, path.child('labels')),
    ...validateAnnotations(annotations, path.child('annotations')),
    ...validatePodAnnotations(annotations, spec, path.child('annotations'), options),
    ...validatePodSpec(spec, specPath, { options }),
    ...validateSeccompAgreement(annotations, spec, specPath),
    ...validateAppArmorAgreement(annotations, spec, specPath),
  ];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(
      fieldForbidden(specPath.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
  }
  return errors;
}

const noSpec: Frozen<PodSpec> = { containers: [] };
