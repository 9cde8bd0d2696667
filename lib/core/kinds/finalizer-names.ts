// Finalizers of built-in kinds: besides being qualified names they belong to somebody, or are one of the three that
// Kubernetes itself owns. As pkg/apis/core/validation/validation.go, validateKubeFinalizerName.
import type { FieldError } from '../errors/field-error.js';
import { fieldInvalid } from '../errors/field-error.js';
import { fieldPath } from '../errors/field-path.js';
import type { Frozen, ObjectMeta } from '../objects/meta.js';

/** What is wrong with the names of an object's finalizers, beyond their syntax. */
export function validateFinalizerNames({ finalizers = [] }: Frozen<ObjectMeta> = {}): readonly FieldError[] {
  return finalizers.flatMap((name, index) => {
    if (name.includes('/') || standardFinalizers.has(name)) return [];
    return [
      fieldInvalid(
        fieldPath('metadata', 'finalizers').index(index),
        name,
        'name is neither a standard finalizer name nor is it fully qualified',
      ),
    ];
  });
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
