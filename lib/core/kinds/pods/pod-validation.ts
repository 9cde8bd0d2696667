// New pods, and what holds for pods at any time but not for templates.
// As pkg/apis/core/validation/validation.go, ValidatePodCreate and validatePodMetadataAndSpec.
import { fieldForbidden } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { validateObjectMeta } from '../../objects/meta-validation.js';
import type { Frozen } from '../../objects/meta.js';
import { nameIsDnsSubdomain } from '../../objects/names.js';
import type { Pod, PodSpec } from '../../types/core-v1.generated.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { validateImageOfPod } from './container-validation.js';
import { each, noErrors } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import { validatePodAnnotations } from './pod-annotation-validation.js';
import { regularContainers } from './pod-containers.js';
import { validatePodSpec } from './pod-spec-validation.js';
import { podValidationOptions } from './pod-validation-options.js';
import type { PodValidationOptions } from './pod-validation-options.js';
import { validateAppArmorAgreement, validateSeccompAgreement } from './security-profile-validation.js';

/** Where metadata stands. */
export const metadataPath: FieldPath = fieldPath('metadata');

/** Where the specification stands. */
export const specPath: FieldPath = fieldPath('spec');

/** Where the status stands. */
export const statusPath: FieldPath = fieldPath('status');

/** Validates a new pod, beyond its metadata. */
export function validateNewPod(pod: Frozen<Pod>): readonly FieldError[] {
  const spec = podSpecOf(pod);
  const annotations = pod.metadata?.annotations ?? {};
  const errors: FieldError[] = [
    ...validateFinalizerNames(pod.metadata),
    ...validateAnnotationsAndSpec(pod, podValidationOptions()),
  ];
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(fieldForbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    errors.push(
      fieldForbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'),
    );
  }
  return [
    ...errors,
    ...validateSeccompAgreement(annotations, spec, specPath),
    ...validateAppArmorAgreement(annotations, spec, specPath),
  ];
}

/** What updates check once more of the whole pod, metadata included. As validatePodMetadataAndSpec. */
export function validatePodAgain(pod: Frozen<Pod>, options: PodValidationOptions): FieldErrors {
  return [
    ...validateObjectMeta(pod.metadata ?? {}, { namespaced: true, nameRule: nameIsDnsSubdomain }),
    ...validateFinalizerNames(pod.metadata),
    ...validateAnnotationsAndSpec(pod, options),
  ];
}

/** The specification; an object without one decodes to an object without one. */
export function podSpecOf({ spec }: Frozen<Pod>): Frozen<PodSpec> {
  return spec ?? noSpec;
}

const noSpec: Frozen<PodSpec> = { containers: [] };

function validateAnnotationsAndSpec(pod: Frozen<Pod>, options: PodValidationOptions): FieldErrors {
  const spec = podSpecOf(pod);
  return [
    ...validatePodAnnotations(pod.metadata?.annotations ?? {}, spec, metadataPath.child('annotations'), options),
    ...validatePodSpec(spec, specPath, { metadata: pod.metadata, options }),
    ...validateTokensHaveAccount(spec),
    ...each(regularContainers(spec), specPath.child('containers'), validateImageOfPod),
    ...each(spec.initContainers, specPath.child('initContainers'), validateImageOfPod),
  ];
}

/** Tokens are those of an account. */
function validateTokensHaveAccount(spec: Frozen<PodSpec>): FieldErrors {
  if ((spec.serviceAccountName ?? '') !== '') return noErrors;
  return each(spec.volumes, specPath.child('volumes'), ({ projected }, at) =>
    each(projected?.sources, at.child('projected').child('sources'), ({ serviceAccountToken }, source) =>
      serviceAccountToken === undefined
        ? noErrors
        : [
            fieldForbidden(
              source.child('serviceAccountToken'),
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
}
