// Patches, typed by the kind that they change. The name of the one member selects the patch format, so callers name no
// content type.
import { mediaTypes } from '../../core/index.js';
import type { ApiObject, Frozen, JsonPatchOperation, JsonValue, RequestBody } from '../../core/index.js';

/** A patch: exactly one of the three formats. */
export type Patch<T> =
  /**
   * JSON merge patch (RFC 7386): members replace members, null removes them, lists are replaced whole. Works for every
   * kind.
   */
  | { readonly merge: MergePatch<T> }
  /** Strategic merge patch: lists whose items have a key are merged item by item. Built-in kinds only. */
  | { readonly strategic: StrategicPatch<T> }
  /** JSON patch (RFC 6902): operations in order, all or none. */
  | { readonly json: readonly JsonPatchOperation[] };

/** A merge patch of T: some members, to any depth; null removes one. */
export type MergePatch<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly unknown[]
    ? Frozen<T>
    : T extends object
      ? { readonly [K in keyof T]?: MergePatch<T[K]> | null }
      : T;

/**
 * A strategic merge patch of T: some members, also of list items, and directives (`$patch`,
 * `$setElementOrder/containers`, …).
 */
export type StrategicPatch<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly StrategicPatch<Item>[]
    : T extends object
      ? { readonly [K in keyof T]?: StrategicPatch<T[K]> | null } & Readonly<Record<`$${string}`, JsonValue>>
      : T;

/** A configuration of server-side apply for T: some members, to any depth, also of list items. */
export type AppliedObject<T extends ApiObject> = Frozen<ApiObject> & AppliedFields<Omit<T, keyof ApiObject>>;

type AppliedFields<T> = string extends keyof T
  ? Frozen<T>
  : { readonly [K in keyof T]?: AppliedValue<NonNullable<T[K]>> };

type AppliedValue<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly AppliedValue<Item>[]
    : T extends object
      ? AppliedFields<T>
      : T;

/** Returns the patch as the body of a request. */
export function patchBody(patch: Patch<unknown>): RequestBody {
  if ('merge' in patch) return { object: patch.merge, patchType: mediaTypes.mergePatch };
  if ('strategic' in patch) return { object: patch.strategic, patchType: mediaTypes.strategicMergePatch };
  return { object: patch.json, patchType: mediaTypes.jsonPatch };
}
