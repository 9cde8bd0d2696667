// The changes a client can ask for, typed by the kind they change. One member says which of the three patch formats is
// meant: the choice stands where one reads it, and no content type has to be remembered.
import { mediaTypes } from '../core/index.js';
import type { Frozen, JsonPatchOperation, JsonValue } from '../core/index.js';
import type { RequestBody } from './api-request.js';

/** A patch: exactly one of the three formats. */
export type Patch<T> =
  /** RFC 7386: members replace members, null removes them, lists are replaced whole. Every kind understands it. */
  | { readonly merge: MergePatch<T> }
  /**
   * The same, but lists whose items have a key are merged item by item. Kinds of Kubernetes only, not custom resources.
   */
  | { readonly strategic: StrategicPatch<T> }
  /** RFC 6902: operations in order, all or none of them. */
  | { readonly json: readonly JsonPatchOperation[] };

/** Some members of T, to any depth; null removes one. */
export type MergePatch<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly unknown[]
    ? Frozen<T>
    : T extends object
      ? { readonly [K in keyof T]?: MergePatch<T[K]> | null }
      : T;

/** Some members of T, items of lists as well, and directives (`$patch`, `$setElementOrder/containers`, …). */
export type StrategicPatch<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly StrategicPatch<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: StrategicPatch<T[K]> | null } & Readonly<Record<`$${string}`, JsonValue>>
      : T;

/** The patch as the body of a request. */
export function patchBody(patch: Patch<unknown>): RequestBody {
  if ('merge' in patch) return { object: patch.merge, patchType: mediaTypes.mergePatch };
  if ('strategic' in patch) return { object: patch.strategic, patchType: mediaTypes.strategicMergePatch };
  return { object: patch.json, patchType: mediaTypes.jsonPatch };
}
