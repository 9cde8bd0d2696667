// JSON Merge Patch (RFC 7386), as apiserver/pkg/endpoints/handlers/patch.go applies it with the merge of
// gopkg.in/evanphx/json-patch.v4: objects merge, null deletes, everything else replaces. One habit goes beyond the RFC:
// null members are also dropped from objects inside lists, unless the list takes the place of an object.
// Neither argument is touched; what did not change is shared with the document by reference, so a patch without effect
// returns the very same document. Linear in the patch and in the maps it touches.
import { deepEqual, isJsonObject, setOwn } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { depthMax } from '../schema/decode.js';
import { unmarshalTypeError } from '../go/encoding-json.js';
import { MapDraft, ownValue, unlessEqual } from './map-draft.js';
import { checkDepth } from './patch-depth.js';
import { PatchError } from './patch-error.js';
import { withoutNulls } from './without-nulls.js';

/** Checks that a decoded request body is a merge patch for an API object. */
export function parseMergePatch(body: JsonValue): JsonObject {
  if (isJsonObject(body)) return body;
  if (body === null) throw new PatchError('malformed', 'Invalid JSON Patch');
  const problem = unmarshalTypeError(body, 'value of type map[string]interface {}');
  throw new PatchError('malformed', `error decoding patch: ${problem}`);
}

/** The document with the patch applied. */
export function applyMergePatch(document: JsonObject, patch: JsonObject): JsonObject;
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue;
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  checkDepth(patch);
  return merged(document, patch);
}

/**
 * The patch that turns `original` into `modified`; `{}` when they are equal. Parts of it are parts of `modified`. A
 * merge patch cannot say "set to null": a member of `modified` that is null comes out as a deletion.
 */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject;
export function createMergePatch(original: JsonValue, modified: JsonValue): JsonValue;
export function createMergePatch(original: JsonValue, modified: JsonValue): JsonValue {
  return isJsonObject(original) && isJsonObject(modified) ? difference(original, modified, depthMax) : modified;
}

function merged(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(current)) {
    const value = withoutNulls(patch);
    return unlessEqual(current ?? value, value);
  }
  if (!isJsonObject(patch)) return patch;
  const draft = new MapDraft(current);
  for (const key in patch) {
    const value = patch[key];
    if (value === null) draft.delete(key);
    else if (value !== undefined) draft.set(key, merged(ownValue(current, key), value));
  }
  return draft.finish();
}

/** Goes only where both have a map and not the same one: revisions of one object share most of their tree. */
function difference(original: JsonObject, modified: JsonObject, levelsMax: number): JsonObject {
  if (levelsMax === 0) throw new PatchError('malformed', 'exceeded max depth');
  const patch: Record<string, JsonValue> = {};
  for (const key in original) if (!Object.hasOwn(modified, key)) setOwn(patch, key, null);
  for (const key in modified) {
    const before = ownValue(original, key);
    const after = modified[key];
    if (after === undefined || before === after) continue;
    if (!isJsonObject(before) || !isJsonObject(after)) {
      if (!deepEqual(before, after)) setOwn(patch, key, after);
      continue;
    }
    const inner = difference(before, after, levelsMax - 1);
    if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
  }
  return patch;
}
