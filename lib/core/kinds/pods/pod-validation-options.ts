// What passes in an update although it would be refused in a new object, because the old object already has it.
// As pkg/api/pod/util.go, GetValidationOptionsFromPodSpecAndMeta; switches that are always on in v1.36 are left out.
import type { Frozen } from '../../objects/meta.js';
import type { PodTemplateSpec } from '../../types/core-v1.generated.js';

/** Leniencies of one validation of a pod specification. */
export interface PodValidationOptions {
  /** The object is a pod, not a template. */
  readonly isPod?: boolean;
}

/** The options for a template that replaces another, or is new. As GetValidationOptionsFromPodTemplate. */
export function podTemplateValidationOptions(
  _template: Frozen<PodTemplateSpec> | undefined,
  _old?: Frozen<PodTemplateSpec>,
): PodValidationOptions {
  return {};
}
