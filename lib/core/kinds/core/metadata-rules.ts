// Rules for the metadata of core kinds beyond those of all kinds: finalizers have an owner. And how
// often an error is reported: Kubernetes checks the metadata of an update by the rules of updates and, for most kinds,
// once more by those of new objects, and a Status lists every finding. As ValidateObjectMeta and
// ValidateObjectMetaUpdate in pkg/apis/core/validation/validation.go.
import type { FieldError } from '../../errors/field-error.js';
import { validateObjectMeta } from '../../objects/meta-validation.js';
import type { ApiObject, Frozen } from '../../objects/meta.js';
import { validateFinalizerNames } from '../finalizer-names.js';
import type { KindStrategy, UpdateStrategy } from '../kind-strategy.js';

/** How metadata is checked. */
export interface MetadataRules {
  readonly namespaced: boolean;
  /** An update is also checked as if the object were new. */
  readonly checksUpdateAsNew: boolean;
}

/** The strategy with these rules before its own. */
export function withMetadataRules<T extends ApiObject>(
  strategy: KindStrategy<T>,
  rules: MetadataRules,
): KindStrategy<T> {
  const { subresources = {} } = strategy;
  return {
    ...strategy,
    validate: (object, context) => [...validateNames(object), ...(strategy.validate?.(object, context) ?? [])],
    validateUpdate: (object, old, context) => [
      ...validateNames(object),
      ...(rules.checksUpdateAsNew ? validateAsNew(object, strategy, rules) : []),
      ...(strategy.validateUpdate?.(object, old, context) ?? []),
    ],
    ...(strategy.subresources !== undefined && {
      subresources: Object.fromEntries(Object.entries(subresources).map(([name, update]) => [name, withNames(update)])),
    }),
  };
}

function withNames<T extends ApiObject>(update: UpdateStrategy<T>): UpdateStrategy<T> {
  return {
    ...update,
    validateUpdate: (object, old, context) => [
      ...validateNames(object),
      ...(update.validateUpdate?.(object, old, context) ?? []),
    ],
  };
}

function validateNames({ metadata = {} }: Frozen<ApiObject>): readonly FieldError[] {
  return validateFinalizerNames(metadata);
}

function validateAsNew<T extends ApiObject>(
  object: Frozen<T>,
  { nameRule }: KindStrategy<T>,
  { namespaced }: MetadataRules,
): readonly FieldError[] {
  const { metadata = {} }: Frozen<ApiObject> = object;
  return [...validateObjectMeta(metadata, { namespaced, nameRule }), ...validateFinalizerNames(metadata)];
}
