// The members of a strategic merge patch that are instructions, not data, and the refusals of them. As
// apimachinery/pkg/util/strategicpatch/patch.go and apimachinery/pkg/util/mergepatch/errors.go.
import { isJsonObject } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { formatGo, goType } from '../go/json-value.js';
import type { GoType } from '../go/json-value.js';
import { MapDraft, ownValue } from './map-draft.js';
import { PatchError } from './patch-error.js';
import { unlessSame } from './without-nulls.js';

/** In a map: take the map as it is, or empty it. In an element of a list: replace the list, or delete the element. */
export const patchDirective = '$patch';
/** Names the only members of a map that survive. */
export const retainKeysDirective = '$retainKeys';
/** Followed by `/` and the name of a list: scalars to take out of it. */
export const deleteFromListPrefix = '$deleteFromPrimitiveList';
/** Followed by `/` and the name of a list: the order its elements shall have. */
export const setElementOrderPrefix = '$setElementOrder';

/** What a patch map with `$patch` makes of the map it meets. */
export function followPatchDirective(patch: JsonObject): JsonObject {
  const directive = patch[patchDirective] ?? null;
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownPatchType(directive, patch);
  const draft = new MapDraft(patch);
  draft.delete(patchDirective);
  return draft.finish();
}

/** Obeys `$retainKeys`, wherever it stands: every member the patch sets must be on the list. */
export function retainKeys(draft: MapDraft, patch: JsonObject): void {
  const keys = ownValue(patch, retainKeysDirective);
  if (keys === undefined) return;
  if (!isList(keys)) throw malformed('retainKeys');
  const retained = new Set<JsonValue>(keys);
  if (keys.some(isContainer)) throw panicked();
  for (const key of Object.keys(patch)) {
    const directs =
      key === retainKeysDirective || key.startsWith(deleteFromListPrefix) || key.startsWith(setElementOrderPrefix);
    if (!directs && patch[key] !== null && !retained.has(key)) throw malformed('retainKeys');
  }
  draft.retain((key) => retained.has(key));
}

/** The name of the list that a directive with a prefix is about. */
export function directedList(
  directive: string,
  prefix: typeof deleteFromListPrefix | typeof setElementOrderPrefix,
): string {
  if (directive.startsWith(`${prefix}/`)) return directive.slice(prefix.length + 1);
  throw malformed(prefix === setElementOrderPrefix ? 'setElementOrder list' : 'primitive list');
}

/**
 * The value without maps that carry `$patch`, undefined when it is one. The other directives stay, as in Kubernetes.
 */
export function withoutPatchDirectives(value: JsonValue): JsonValue | undefined {
  if (!isContainer(value)) return value;
  if (isList(value))
    return unlessSame(
      value,
      value.map(withoutPatchDirectives).filter((item) => item !== undefined),
    );
  if (Object.hasOwn(value, patchDirective)) return undefined;
  const draft = new MapDraft(value);
  for (const key of Object.keys(value)) {
    const member = withoutPatchDirectives(value[key] ?? null);
    if (member === undefined) draft.delete(key);
    else draft.set(key, member);
  }
  return draft.finish();
}

/** Returns whether a value is a list. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns whether a value has no identity in Go: comparing two of a kind ends the request there. */
export function isContainer(value: JsonValue | undefined): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null;
}

/** A list element, or one that a directive names, lacks the merge key. */
export function noMergeKey(map: JsonObject, mergeKey: string): PatchError {
  return new PatchError('internal', `map: ${formatGo(map)} does not contain declared merge key: ${mergeKey}`);
}

/** A `$patch` of no known meaning. */
export function unknownPatchType(directive: JsonValue, map: JsonObject): PatchError {
  return new PatchError('internal', `unknown patch type: ${formatGo(directive, 's')} in map: ${formatGo(map)}`);
}

/** A value of another type than the place demands. */
export function wrongType(expected: GoType, value: JsonValue): PatchError {
  return new PatchError('internal', `expected a ${expected}, but received a ${goType(value)}`);
}

/** What a client of a real server reads where its patch code ends in a run-time panic. */
export function panicked(): PatchError {
  return new PatchError('internal', 'This request caused apiserver to panic. Look in the logs for details.');
}

/** The map in a place where only a map may be. */
export function asMap(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrongType('map[string]interface {}', value);
}

/** The list in a place where only a list may be. */
export function asList(value: JsonValue): readonly JsonValue[] {
  if (isList(value)) return value;
  throw wrongType('[]interface {}', value);
}

function malformed(what: string): PatchError {
  return new PatchError('malformed', `invalid patch format of ${what}`);
}
