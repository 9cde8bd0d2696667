// Server-side apply: merges a configuration into an object for a manager. See ownership.ts for the rules. As
// structured-merge-diff/v6/merge/update.go and apimachinery/pkg/util/managedfields/internal/structuredmerge.go.
import type { JsonObject } from '../objects/json.js';
import type { ApplyType } from './apply-type.js';
import { checkFields } from './check-fields.js';
import { compareFields } from './compare-fields.js';
import type { FieldConflict } from './conflicts.js';
import { conflictError } from './conflicts.js';
import type { FieldOwner, FieldOwners } from './field-owners.js';
import { ownerKey } from './field-owners.js';
import type { FieldSet } from './field-set.js';
import { differenceOf, emptySet, intersectionOf, isEmptySet, unionOf } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { mergeFields } from './merge-fields.js';
import type { OwnedKind, VersionedDocument, Writer } from './ownership.js';
import { VersionedComparison, converted, ownableFields, withoutChanged } from './ownership.js';
import { removeFields, withNamedFields } from './remove-fields.js';

/** A configuration to be applied. It was checked to have the type of its kind. */
export interface FieldApply extends Writer {
  /** The object, complete and in the version of the writer; of a new object, its zero value. */
  readonly live: JsonObject;
  readonly config: JsonObject;
  /** Whether fields of other managers are taken from them. */
  readonly isForced: boolean;
}

/** The result of an apply. */
export interface AppliedDocument {
  /** The merged document: the live object itself where nothing changed. */
  readonly object: JsonObject;
  readonly owners: FieldOwners;
}

/** Merges a configuration. Throws ApiError 409 for conflicts, ItemKeyError, and what conversions throw. */
export function applyFields(kind: OwnedKind, owners: FieldOwners, apply: FieldApply): AppliedDocument {
  const applied = tryApply(kind, owners, apply);
  if (!('conflicts' in applied)) return applied;
  const { conflicts } = applied;
  if (apply.manager !== 'kubectl') throw conflictError(conflicts);
  const allowed = lastAppliedFields(kind, apply);
  if (allowed === undefined) throw conflictError(conflicts);
  const others = conflicts
    .map(({ owner, fields }) => ({ owner, fields: differenceOf(fields, allowed) }))
    .filter(({ fields }) => !isEmptySet(fields));
  if (others.length > 0) throw conflictError(others);
  const forced = tryApply(kind, owners, { ...apply, isForced: true });
  if ('conflicts' in forced) throw conflictError(forced.conflicts);
  return forced;
}

function tryApply(
  kind: OwnedKind,
  owners: FieldOwners,
  apply: FieldApply,
): AppliedDocument | { readonly conflicts: readonly FieldConflict[] } {
  const { live, config, manager, subresource, apiVersion, time, filter, isForced } = apply;
  const type = typeOf(kind, apiVersion);
  const self = { manager, operation: 'Apply', apiVersion, subresource } as const;
  const key = ownerKey(self);
  const last = owners.get(key);
  const set = fieldsOf(config, type);
  const fields = filter === undefined ? set : filter(set);
  const next = new Map(owners).set(key, { ...self, time: last?.time, fields });
  const merged = mergeFields(live, config, type) as JsonObject;
  const pruned = last === undefined ? merged : prune(kind, merged, next, key, last);
  const comparison = new VersionedComparison(
    kind,
    { object: live, apiVersion },
    { object: pruned, apiVersion },
    { filter, complete: 'old' },
  );
  const { owners: left, conflicts } = withoutChanged(next, comparison, key);
  if (conflicts.length > 0 && !isForced) return { conflicts };
  const own = ownableFields(fields);
  if (isEmptySet(own)) left.delete(key);
  else {
    const at = pruned === live ? last?.time : time;
    const isSame = last !== undefined && last.time === at && last.fields === own && last.apiVersion === apiVersion;
    left.set(key, isSame ? last : { ...self, time: at, fields: own });
  }
  return { object: pruned, owners: left };
}

function typeOf(kind: OwnedKind, apiVersion: string): ApplyType {
  const found = kind.typeIn(apiVersion);
  if (found === undefined) throw new Error(`no type in version ${apiVersion}`);
  return found.type;
}

/**
 * Removes what the manager applied last time and omits now, where no other manager owns it. Fields are compared in the
 * version of the last apply.
 */
function prune(kind: OwnedKind, merged: JsonObject, owners: FieldOwners, key: string, last: FieldOwner): JsonObject {
  const self = owners.get(key);
  if (self === undefined || isEmptySet(last.fields)) return merged;
  if (self.apiVersion === last.apiVersion && isEmptySet(differenceOf(last.fields, self.fields))) return merged;
  const type = kind.typeIn(last.apiVersion)?.type;
  if (type === undefined) return merged;
  const whole = converted(kind, { object: merged, apiVersion: self.apiVersion }, last.apiVersion);
  const applied = withNamedFields(last.fields, type);
  const bare = { object: without(whole, applied, type), apiVersion: last.apiVersion };
  const kept = addBackOwned(kind, { object: whole, apiVersion: last.apiVersion }, bare, owners);
  // What is neither applied last time nor owned stays: defaults, and fields that no manager owns any more.
  const gone = differenceOf(
    withNamedFields(fieldsOf(whole, type), type),
    withNamedFields(fieldsOf(converted(kind, kept, last.apiVersion), type), type),
  );
  const dropped = intersectionOf(gone, applied);
  if (isEmptySet(dropped)) return merged;
  const object = without(whole, dropped, type);
  return converted(kind, { object, apiVersion: last.apiVersion }, self.apiVersion);
}

/**
 * Returns the pruned document with the fields that are owned in any version, by other managers or by the new
 * configuration.
 */
function addBackOwned(
  kind: OwnedKind,
  merged: VersionedDocument,
  pruned: VersionedDocument,
  owners: FieldOwners,
): VersionedDocument {
  const byVersion = new Map<string, FieldSet>([[pruned.apiVersion, emptySet]]);
  for (const { apiVersion, fields } of owners.values())
    byVersion.set(apiVersion, unionOf(byVersion.get(apiVersion) ?? emptySet, fields));
  let left = pruned;
  for (const [apiVersion, owned] of byVersion) {
    const type = kind.typeIn(apiVersion)?.type;
    if (type === undefined) continue;
    const whole = converted(kind, merged, apiVersion);
    const rest = fieldsOf(converted(kind, left, apiVersion), type);
    const unowned = differenceOf(
      withNamedFields(fieldsOf(whole, type), type),
      unionOf(withNamedFields(rest, type), withNamedFields(owned, type)),
    );
    left = { object: without(whole, unowned, type), apiVersion };
  }
  return left;
}

function without(object: JsonObject, fields: FieldSet, type: ApplyType): JsonObject {
  return isEmptySet(fields) ? object : ((removeFields(object, fields, type) ?? {}) as JsonObject);
}

/** The annotation in which `kubectl apply` keeps the configuration of client-side apply. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the fields that client-side apply set and that nothing changed since: `kubectl` may take them from the
 * manager of client-side apply. Undefined where the object has no such annotation, or one of another version.
 */
function lastAppliedFields(kind: OwnedKind, { live, apiVersion }: FieldApply): FieldSet | undefined {
  const type = typeOf(kind, apiVersion);
  const config = lastAppliedConfig(live);
  if (config?.apiVersion !== apiVersion) return undefined;
  try {
    checkFields(live, type);
    checkFields(config, type);
  } catch {
    return undefined;
  }
  const { changed, removed } = compareFields(config, live, type, 'none');
  return differenceOf(differenceOf(fieldsOf(config, type), changed), removed);
}

function lastAppliedConfig(live: JsonObject): JsonObject | undefined {
  const { metadata } = live as { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } };
  const text = metadata?.annotations?.[lastAppliedAnnotation] ?? '';
  if (text === '') return undefined;
  try {
    const config: unknown = JSON.parse(text);
    return typeof config === 'object' && config !== null && !Array.isArray(config) ? (config as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
