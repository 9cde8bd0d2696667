// Finalizers of built-in kinds: they are qualified names with a domain, or one of the three that
// Kubernetes itself owns. As pkg/apis/core/validation/validation.go, validateKubeFinalizerName.
import { collect } from '../errors/collect.js';
import type { FieldError } from '../errors/field-error.js';
import { fieldInvalid } from '../errors/field-error.js';
import { fieldPath } from '../errors/field-path.js';
import type { Frozen, ObjectMeta } from '../objects/meta.js';

/** Validates the names of an object's finalizers, beyond their syntax. */
export function validateFinalizerNames({ finalizers = [] }: Frozen<ObjectMeta> = {}): readonly FieldError[] {
  return collect(finalizers, (name, index) => {
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
