// Objects to bytes in every form a client can ask for. Compact JSON and protobuf of stored objects go through the cache
// of encoded bytes, so that gets, lists and watches of one revision share them; everything else is printed for the
// occasion. Compact JSON always begins with kind and apiVersion, which lets lists cut both off cached bytes
// (encode-list.ts).
import type { EncodedBytes } from '../../cacher/index.js';
import type {
  ApiObject,
  Frozen,
  GroupVersionKind,
  JsonObject,
  Negotiated,
  Scheme,
  StructType,
} from '../../core/index.js';
import {
  encodeJson,
  encodeObject,
  encodePrettyJson,
  groupVersionKindOf,
  mediaTypes,
  printYaml,
} from '../../core/index.js';

/** What encoding needs to know. */
export interface ObjectEncoding {
  /** The kinds of the moment. */
  readonly scheme: () => Scheme;
  readonly encoded: Pick<EncodedBytes, 'get'>;
}

/** An object as the body of an answer. */
export function encodeBody(
  object: Frozen<ApiObject>,
  form: Pick<Negotiated, 'mediaType' | 'pretty'>,
  encoding: ObjectEncoding,
): Uint8Array {
  switch (form.mediaType) {
    case mediaTypes.protobuf:
      return protobufBytes(object, encoding);
    case mediaTypes.yaml:
      return utf8.encode(printYaml(asJson(object)));
    default:
      return form.pretty ? utf8.encode(encodePrettyJson(kindFirst(object))) : jsonBytes(object, encoding);
  }
}

/** Compact JSON with kind and apiVersion in front and a newline behind. */
export function jsonBytes(object: Frozen<ApiObject>, { encoded }: Pick<ObjectEncoding, 'encoded'>): Uint8Array {
  const encode = (): Uint8Array => utf8.encode(encodeJson(kindFirst(object)));
  return isStored(object) ? encoded.get(object, 'json', encode) : encode();
}

/** Protobuf in its envelope. */
export function protobufBytes(object: Frozen<ApiObject>, { encoded, scheme }: ObjectEncoding): Uint8Array {
  const encode = (): Uint8Array => encodeObject(typeOf(groupVersionKindOf(object), scheme()), asJson(object));
  return isStored(object) ? encoded.get(object, 'protobuf', encode) : encode();
}

/** The object with kind and apiVersion as its first properties, which it nearly always is. */
export function kindFirst(object: Frozen<ApiObject>): Frozen<ApiObject> {
  let place = 0;
  for (const name in object) {
    if (name !== order[place]) break;
    place++;
    if (place === order.length) return object;
  }
  const { kind, apiVersion, ...content } = object;
  return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }), ...content };
}

const order = ['kind', 'apiVersion'] as const;
const utf8 = new TextEncoder();

/** Whether anybody will ask for the same object again. */
function isStored({ metadata }: Frozen<ApiObject>): boolean {
  return metadata?.uid !== undefined && metadata.resourceVersion !== undefined;
}

function typeOf(gvk: GroupVersionKind, scheme: Scheme): StructType {
  return scheme.typeOf(gvk);
}

/** Objects of the API are JSON; their types just do not say so. */
function asJson(object: Frozen<ApiObject>): JsonObject {
  return object;
}
