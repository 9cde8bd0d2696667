// Annotations that mean something for pods: mirrors of static pods, deletion cost, and the ancestors of some fields.
// As pkg/apis/core/validation/validation.go, ValidatePodSpecificAnnotations and ValidatePodSpecificAnnotationUpdates.
import { findingsMax } from '../../errors/collect.js';
import { unmarshalTypeError } from '../../go/encoding-json.js';
import { fieldForbidden, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isJsonObject } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import { DecodeError } from '../../schema/decode-error.js';
import { parseJson } from '../../codec/json.js';
import type { Pod, PodSpec, Toleration } from '../../types/core-v1.generated.js';
import { noErrors } from './field-checks.js';
import type { FieldErrors } from './field-checks.js';
import type { PodValidationOptions } from './pod-validation-options.js';
import {
  appArmorAnnotationPrefix,
  validateAppArmorAnnotations,
  validateSeccompAnnotations,
} from './security-profile-validation.js';
import { validateTolerations } from './toleration-validation.js';

/** Marks the mirror of a static pod. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

type Annotations = Readonly<Record<string, string>>;

/** Annotations of a pod or a template. */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: Frozen<PodSpec>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  const errors: FieldError[] = [];
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec.nodeName ?? '') === '') {
    errors.push(
      fieldInvalid(path.key(mirrorAnnotation), mirror, 'must set spec.nodeName if mirror pod annotation is set'),
    );
  }
  errors.push(...validateTolerationAnnotation(annotations[tolerationsAnnotation] ?? '', path, options));
  const cost = annotations[deletionCostAnnotation];
  if (options.allowInvalidDeletionCost !== true && cost !== undefined && !isDeletionCost(cost)) {
    errors.push(fieldInvalid(path.key(deletionCostAnnotation), cost, 'must be a 32bit integer'));
  }
  return [
    ...errors,
    ...validateSeccompAnnotations(annotations, path),
    ...validateAppArmorAnnotations(annotations, spec, path),
  ];
}

/** What may not change about annotations, and what may not be in them anyway. */
export function validatePodAnnotationUpdate(
  pod: Frozen<Pod>,
  old: Frozen<Pod>,
  path: FieldPath,
  options: PodValidationOptions,
): FieldErrors {
  const annotations = pod.metadata?.annotations ?? {};
  const before = old.metadata?.annotations ?? {};
  const errors: FieldError[] = [];
  for (const key of Object.keys(before)) {
    if (errors.length > findingsMax) break;
    if (annotations[key] === before[key]) continue;
    if (key.startsWith(appArmorAnnotationPrefix))
      errors.push(fieldForbidden(path.key(key), 'may not remove or update AppArmor annotations'));
    if (key === mirrorAnnotation)
      errors.push(fieldForbidden(path.key(key), 'may not remove or update mirror pod annotation'));
  }
  for (const key of Object.keys(annotations)) {
    if (errors.length > findingsMax) break;
    if (Object.hasOwn(before, key)) continue;
    if (key.startsWith(appArmorAnnotationPrefix))
      errors.push(fieldForbidden(path.key(key), 'may not add AppArmor annotations'));
    if (key === mirrorAnnotation) errors.push(fieldForbidden(path.key(key), 'may not add mirror pod annotation'));
  }
  return pod.spec === undefined ? errors : [...errors, ...validatePodAnnotations(annotations, pod.spec, path, options)];
}

/** Returns whether the annotation for the cost of deleting the pod, if it is there, holds a cost. */
export function hasValidDeletionCost(annotations: Annotations): boolean {
  const cost = annotations[deletionCostAnnotation];
  return cost === undefined || isDeletionCost(cost);
}

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';

/** An int32 without a plus sign or leading zeros; after a minus sign zeros are fine. */
function isDeletionCost(text: string): boolean {
  if (!/^(?:0|[1-9][0-9]*|-[0-9]+)$/.test(text)) return false;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31;
}

function validateTolerationAnnotation(text: string, path: FieldPath, options: PodValidationOptions): FieldErrors {
  if (text === '') return noErrors;
  try {
    const tolerations = readTolerations(parseJson(text));
    return validateTolerations(tolerations, path.child(tolerationsAnnotation), {
      allowComparisons: options.allowTolerationComparisons === true,
    });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [fieldInvalid(path, tolerationsAnnotation, error.message)];
  }
}

/**
 * Reads the list of tolerations that an annotation holds. Go reads names of fields in any case. `goPackage` is that of
 * the type in messages. Throws DecodeError.
 */
export function readTolerations(document: unknown, goPackage: 'core' | 'v1' = 'core'): Toleration[] {
  if (document === null) return [];
  if (!Array.isArray(document))
    throw new DecodeError(unmarshalTypeError(document, `value of type []${goPackage}.Toleration`));
  return document.map((item: unknown) => {
    if (!isJsonObject(item)) throw new DecodeError(unmarshalTypeError(item, `value of type ${goPackage}.Toleration`));
    const fields = new Map(Object.entries(item).map(([name, value]) => [name.toLowerCase(), value]));
    const toleration: Record<string, unknown> = {};
    for (const field of ['key', 'operator', 'value', 'effect', 'tolerationSeconds']) {
      const value = fields.get(field.toLowerCase()) ?? undefined;
      const expected = field === 'tolerationSeconds' ? 'number' : 'string';
      if (value === undefined) continue;
      if (typeof value !== expected)
        throw new DecodeError(unmarshalTypeError(value, `struct field Toleration.${field}`));
      toleration[field] = value;
    }
    return toleration;
  });
}
