// The template of pods in workloads and PodTemplates. As pkg/apis/core/validation/validation.go, ValidatePodTemplateSpec.
// Note the paths: labels and annotations of a template are reported without `metadata`.
import { fieldForbidden } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateAnnotations, validateLabels } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import type { PodTemplateSpec } from '../../types/core-v1.generated.js';
import { podTemplateValidationOptions } from './pod-validation-options.js';
import type { PodValidationOptions } from './pod-validation-options.js';

/**
 * Everything wrong with a template. Updates pass `podTemplateValidationOptions(template, old)`; without options the
 * template is taken as new.
 */
export function validatePodTemplateSpec(
  template: Frozen<PodTemplateSpec>,
  path: FieldPath,
  _options: PodValidationOptions = podTemplateValidationOptions(template),
): readonly FieldError[] {
  const { metadata = {}, spec } = template;
  const errors: FieldError[] = [
    ...validateLabels(metadata.labels ?? {}, path.child('labels')),
    ...validateAnnotations(metadata.annotations ?? {}, path.child('annotations')),
  ];
  if ((spec?.ephemeralContainers ?? []).length > 0) {
    errors.push(fieldForbidden(path.child('spec').child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}
