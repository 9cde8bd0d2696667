// The object that the patch of a mutating webhook results in: decoded and defaulted again, in the version of the
// request. A patch that cannot be applied is an internal error whatever the failure policy.
// As apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go, callAttrMutatingHook.
import {
  applyJsonPatch,
  deepEqual,
  internalError,
  parseJson,
  parseJsonPatch,
  quote,
  sameGroupVersionKind,
} from '../../core/index.js';
import type { ApiObject, Frozen, JsonValue, Scheme } from '../../core/index.js';
import { decodedObject } from '../decoded-object.js';
import type { MatchedWrite, VerifiedResponse } from './review-exchange.js';
import { CallFailure } from './webhook-dispatcher.js';

/** A patched object. */
export interface PatchedObject {
  /** In the version of the request, not frozen. */
  readonly object: Frozen<ApiObject>;
  readonly patch: JsonValue;
  readonly isChanged: boolean;
}

/** Applies the patch of a response; undefined for none. Throws ApiError and CallFailure. */
export function patchedObject(
  { patch: text, patchType }: VerifiedResponse,
  { review, object }: MatchedWrite,
  name: string,
  scheme: Scheme,
): PatchedObject | undefined {
  if (text === '') return undefined;
  const patch = internally(() => parseJson(text) as JsonValue);
  const operations = internally(() => parseJsonPatch(patch));
  if (operations.length === 0) return undefined;
  if (object === undefined)
    throw internalError(
      `admission webhook ${quote(name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== 'JSONPatch') throw new CallFailure(`unsupported patch type ${quote(patchType)}`);
  return internally(() => {
    // Objects of the API are JSON.
    const document = applyJsonPatch(object, operations);
    const patched = decodedObject(document, review.kind, scheme);
    const isChanged = !deepEqual(patched, object);
    scheme.setDefaults(patched, review.kind);
    return {
      object: sameGroupVersionKind(review.kind, review.requestKind)
        ? patched
        : scheme.converter(review.kind, review.requestKind)(patched),
      patch,
      isChanged,
    };
  });
}

function internally<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof CallFailure ? error : internalError(error);
  }
}
