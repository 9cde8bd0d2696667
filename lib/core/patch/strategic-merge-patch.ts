// Strategic merge patch: a merge patch that knows from the schema which lists merge and by which key, with directives
// for what data alone cannot say. As apimachinery/pkg/util/strategicpatch/patch.go, StrategicMergeMapPatch, messages
// included. It works on JSON before decoding, so unknown fields and nulls of the patch may survive into the result, as
// they do there.
//
// Go walks maps at random; here the members of a patch apply in their order. Neither argument is touched; what did not
// change is shared with the document by reference, so a patch without effect returns the very same document.
import { isJsonObject } from '../objects/json.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import type { StructType } from '../schema/type.js';
import { unmarshalTypeError } from '../go/encoding-json.js';
import { goType } from '../go/json-value.js';
import { MapDraft, unlessEqual } from './map-draft.js';
import { checkDepth } from './patch-depth.js';
import { PatchError } from './patch-error.js';
import { setElementOrders } from './set-element-order.js';
import {
  deleteFromListPrefix,
  directedList,
  followPatchDirective,
  isList,
  patchDirective,
  retainKeys,
  retainKeysDirective,
  withoutPatchDirectives,
} from './strategic-directives.js';
import { deleteFromList, mergeLists } from './strategic-lists.js';
import { isReplacedMap, listMemberOf, memberOf } from './strategic-schema.js';
import type { Typed } from './strategic-schema.js';
import { withoutNulls } from './without-nulls.js';

/** Checks that a decoded request body is a strategic merge patch; null is one that changes nothing. */
export function parseStrategicMergePatch(body: JsonValue): JsonObject {
  if (body === null) return {};
  if (isJsonObject(body)) return body;
  throw new PatchError('malformed', unmarshalTypeError(body, 'value of type map[string]interface {}'));
}

/** The document with the patch applied. */
export function applyStrategicMergePatch(document: JsonObject, patch: JsonObject, type: StructType): JsonObject {
  checkDepth(patch);
  return mergeMaps(document, patch, { shape: type, presence: 'value' });
}

function mergeMaps(original: JsonObject, patch: JsonObject, type: Typed): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return unlessEqual(original, followPatchDirective(patch));
  const draft = new MapDraft(original);
  const done = hasDirectives(patch) ? followMapDirectives(draft, patch, type) : undefined;
  for (const key in patch) {
    if (done?.has(key) !== true) mergeMember({ draft, type, key, value: patch[key] ?? null });
  }
  return draft.finish();
}

/** The members of the patch that need no further treatment. */
function followMapDirectives(draft: MapDraft, patch: JsonObject, type: Typed): ReadonlySet<string> {
  retainKeys(draft, patch);
  return setElementOrders({ draft, patch, type, mergeMaps }).add(retainKeysDirective);
}

interface MemberPatch {
  readonly draft: MapDraft;
  readonly type: Typed;
  readonly key: string;
  readonly value: JsonValue;
}

function mergeMember({ draft, type, key: directive, value }: MemberPatch): void {
  const deletes = directive.startsWith(deleteFromListPrefix);
  const key = deletes ? directedList(directive, deleteFromListPrefix) || directive : directive;
  const current = draft.get(key);
  if (value === null) {
    draft.delete(key);
  } else if (isJsonObject(current) && isJsonObject(value)) {
    const member = memberOf(type, key);
    draft.set(key, isReplacedMap(type, key) ? unlessEqual(current, value) : mergeMaps(current, value, member));
  } else if (isList(current) && isList(value)) {
    const member = listMemberOf(type, key);
    const lists = { original: current, patch: value, member, mergeMaps };
    draft.set(
      key,
      unlessEqual(current, deletes ? deleteFromList(lists) : member.merges ? mergeLists(lists).merged : value),
    );
  } else if (!deletes || (current !== undefined && current !== null && goType(current) === goType(value))) {
    const data = withoutPatchDirectives(withoutNulls(value));
    if (data === undefined) draft.delete(key);
    else draft.set(key, data);
  }
}

function hasDirectives(patch: JsonObject): boolean {
  for (const key in patch) if (key.startsWith('$')) return true;
  return false;
}
