// The contract of quota evaluators: how much of what a quota limits an object of one resource uses. Admission charges
// by it and the resource-quota controller recalculates by it, so that both agree. Evaluators are data and pure
// functions. As apiserver/pkg/quota/v1/interfaces.go and generic/evaluator.go.
import type { GroupResource } from '../objects/gvk.js';
import { printGroupResource } from '../objects/gvk.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../types/core-v1.generated.js';
import type { QuotaAmounts } from './quota-amounts.js';
import { oneObject } from './quota-amounts.js';

/** A write that may use more of a quota. */
export interface QuotaWrite {
  readonly operation: 'CREATE' | 'UPDATE';
  /** The empty text for the object itself. */
  readonly subresource: string;
  readonly object: Frozen<ApiObject>;
  /** The stored object; undefined for CREATE. */
  readonly oldObject: Frozen<ApiObject> | undefined;
}

/** Measures the objects of one resource. Objects are in the resource's stable version. */
export interface QuotaEvaluator {
  readonly resource: GroupResource;
  /** Whether it measures what has this name in `spec.hard` of a quota. */
  measures(name: string): boolean;
  /** What an object uses at a time, in milliseconds since 1970. */
  usageOf(object: Frozen<ApiObject>, nowMs: number): QuotaAmounts;
  /** Whether an object is of a scope. Absent: objects of this resource have no scopes. */
  isInScope?(object: Frozen<ApiObject>, requirement: Frozen<ScopedResourceSelectorRequirement>): boolean;
  /** Whether a write may change what is used; deletions never use more. */
  handles(write: QuotaWrite): boolean;
  /** Says what an object must have to be measured by these names, if it lacks anything. */
  missing?(object: Frozen<ApiObject>, names: readonly string[]): string | undefined;
  /** Whether a change may have given back something: quotas are then recalculated. */
  releases?(old: Frozen<ApiObject>, object: Frozen<ApiObject>, nowMs: number): boolean;
}

/** Counts the objects of a resource as `count/resource.group`, and under an older name where there is one. */
export function objectCountEvaluator(resource: GroupResource, alias?: string): QuotaEvaluator {
  const name = objectCountName(resource);
  const usage = new Map([name, ...(alias === undefined ? [] : [alias])].map((each) => [each, oneObject]));
  return {
    resource,
    measures: (each) => usage.has(each),
    usageOf: () => usage,
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
  };
}

/** `count/deployments.apps`. */
export function objectCountName(resource: GroupResource): string {
  return `${objectCountPrefix}${printGroupResource(resource)}`;
}

/** What the names of counts begin with. */
export const objectCountPrefix = 'count/';

/** The scopes of a quota: those of the list, as if each were required to exist, and those of the selector. */
export function scopesOf(
  spec: Frozen<ResourceQuotaSpec> | undefined,
): readonly Frozen<ScopedResourceSelectorRequirement>[] {
  const listed = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const }));
  return [...listed, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether an object is of all scopes of a quota. */
export function isInScopes(
  evaluator: QuotaEvaluator,
  object: Frozen<ApiObject>,
  scopes: readonly Frozen<ScopedResourceSelectorRequirement>[],
): boolean {
  return scopes.every((scope) => evaluator.isInScope?.(object, scope) === true);
}

/** Whether one of the values, or none if there are none, meets a requirement, as labels meet that of a selector. */
export function meetsRequirement(
  { operator, values = [] }: Frozen<ScopedResourceSelectorRequirement>,
  actual: readonly string[],
): boolean {
  switch (operator) {
    case 'Exists':
      return actual.length > 0;
    case 'DoesNotExist':
      return actual.length === 0;
    case 'In':
      return actual.some((value) => values.includes(value));
    case 'NotIn':
      return actual.length === 0 || actual.some((value) => !values.includes(value));
    default:
      return false;
  }
}
