// The `ephemeralcontainers` subresource: more containers to look at a pod with, and nothing else. Those that are there
// stay. As pkg/registry/core/pod/strategy.go, podEphemeralContainersStrategy, and
// pkg/apis/core/validation/validation.go, ValidatePodEphemeralContainersUpdate.
import { collect } from '../../errors/collect.js';
import { fieldForbidden } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import { quote } from '../../go/format.js';
import type { Frozen } from '../../objects/meta.js';
import type { Pod, PodSpec, PodStatus } from '../../types/core-v1.generated.js';
import type { UpdateStrategy } from '../kind-strategy.js';
import { keepMetadata } from '../status-metadata.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import { mirrorAnnotation, validatePodAnnotationUpdate } from './pod-annotation-validation.js';
import { semanticEqual, withField } from './pod-equality.js';
import { ephemeralContainerDifference } from './pod-spec-difference.js';
import { podValidationOptions } from './pod-validation-options.js';
import { metadataPath, podSpecOf, specPath, validatePodAgain } from './pod-validation.js';

/** How ephemeral containers come. */
export const podEphemeralContainers: UpdateStrategy<Pod> = {
  prepareForUpdate(pod, old) {
    const { ephemeralContainers } = podSpecOf(pod);
    pod.spec = withField(podSpecOf(old), 'ephemeralContainers', ephemeralContainers) as PodSpec;
    if (old.status === undefined) delete pod.status;
    else pod.status = old.status as PodStatus;
    keepMetadata(pod, old);
  },

  validateUpdate(pod, old) {
    // This answer stands alone.
    if (Object.hasOwn(old.metadata?.annotations ?? {}, mirrorAnnotation)) {
      return [fieldForbidden(fieldPath(''), 'static pods do not support ephemeral containers')];
    }
    const options = podValidationOptions(old);
    return [
      ...validateFinalizerNames(pod.metadata),
      ...validatePodAgain(pod, options),
      ...validatePodAnnotationUpdate(pod, old, metadataPath.child('annotations'), options),
      ...validateOldOnesStay(pod, old),
    ];
  },
};

function validateOldOnesStay(pod: Frozen<Pod>, old: Frozen<Pod>): readonly FieldError[] {
  const path = specPath.child('ephemeralContainers');
  const now = new Map((podSpecOf(pod).ephemeralContainers ?? []).map((container) => [container.name, container]));
  return collect(podSpecOf(old).ephemeralContainers ?? [], (before) => {
    const after = now.get(before.name);
    const subject = `existing ephemeral containers ${quote(before.name)} may not be`;
    if (after === undefined) return [fieldForbidden(path, `${subject} removed\n`)];
    if (semanticEqual(before, after)) return [];
    return [fieldForbidden(path, `${subject} changed\n${ephemeralContainerDifference(before, after)}`)];
  });
}
