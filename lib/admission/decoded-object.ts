// An object of the API from a document that a webhook or a policy changed: decoded by its type, so that what the kind
// does not have is dropped, and with the defaults of its kind.
import {
  decodeValue,
  groupVersionKindOf,
  isJsonObject,
  printGroupVersion,
  quote,
  sameGroupVersionKind,
} from '../core/index.js';
import type { ApiObject, GroupVersionKind, JsonValue, Scheme } from '../core/index.js';

/** Decodes a changed document, which must still be of the kind that was changed. Throws Error. */
export function decodedObject(document: JsonValue, expected: GroupVersionKind, scheme: Scheme): ApiObject {
  if (!isJsonObject(document)) throw new Error('the patched document is no object');
  const { object } = decodeValue(scheme.typeOf(expected), document);
  const kind = groupVersionKindOf(object);
  if (!sameGroupVersionKind(kind, expected)) {
    if (!scheme.recognizes(kind))
      throw new Error(
        `no kind ${quote(kind.kind)} is registered for version ${quote(printGroupVersion(kind))} in scheme ${quote(scheme.name)}`,
      );
    throw new Error(
      `converting (${printGroupVersion(kind)}.${kind.kind}) to (${printGroupVersion(expected)}.${expected.kind}): unknown conversion`,
    );
  }
  return object;
}
