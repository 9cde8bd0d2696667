// Objects to bytes in every form a client can ask for. Compact JSON and protobuf of stored objects go through the cache
// of encoded bytes, so that gets, lists and watches of one revision share them; everything else is printed for the
// occasion. Compact JSON always begins with kind and apiVersion, which lets lists cut both off cached bytes.
//
// Lists are joined from the bytes of their items in blocks, each when it is asked for: a list of a hundred thousand
// pods is neither one string nor one turn of the event loop. Items of built-in kinds lose kind and apiVersion on the
// way, as in Kubernetes, where only unstructured items and partial metadata keep them.
import type { EncodedBytes } from '../../cacher/index.js';
import type {
  ApiList,
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
  encodeMessage,
  encodeObject,
  encodePrettyJson,
  groupVersionKindOf,
  hasProtobuf,
  mediaTypes,
  openEnvelope,
  printYaml,
} from '../../core/index.js';
import { joinBytes } from './join-bytes.js';

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
function kindFirst(object: Frozen<ApiObject>): Frozen<ApiObject> {
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

/** How lists are written. */
export interface ListEncoding extends ObjectEncoding {
  readonly blockBytes: number;
}

/** Whether an object is a list that is written item by item: nothing in it but metadata and items. */
export function isItemList(object: Frozen<ApiObject>): object is Frozen<ApiList> {
  if (!('items' in object) || !Array.isArray(object.items) || object.kind?.endsWith('List') !== true) return false;
  for (const name in object) if (!listFields.has(name)) return false;
  return true;
}

/** The blocks of a list. Items are encoded when their block is asked for. */
export function encodeList(
  list: Frozen<ApiList>,
  { mediaType, pretty }: Pick<Negotiated, 'mediaType' | 'pretty'>,
  encoding: ListEncoding,
): Iterable<Uint8Array> {
  const keepsKind = list.apiVersion === 'meta.k8s.io/v1' || !hasProtobufItems(list, encoding.scheme());
  if (mediaType === mediaTypes.protobuf) return blocks(protobufParts(list, encoding), encoding.blockBytes);
  if (mediaType === mediaTypes.yaml)
    return [utf8.encode(printYaml({ ...list, items: list.items.map((item) => bare(item, keepsKind)) }))];
  return blocks(pretty ? prettyParts(list, keepsKind) : jsonParts(list, keepsKind, encoding), encoding.blockBytes);
}

/** Items of kinds without protobuf keep their kind, as those of custom resources do. */
function hasProtobufItems(list: Frozen<ApiList>, scheme: Scheme): boolean {
  const gvk = groupVersionKindOf(list);
  const shape = scheme.recognizes(gvk) ? scheme.typeOf(gvk).fields.get('items')?.shape : undefined;
  return shape?.kind !== 'list' || shape.items.kind !== 'struct' || hasProtobuf(shape.items);
}

const listFields: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'items']);

/** Everything before the items, without the brace that closes it. */
function head({ kind, apiVersion, metadata = {} }: Frozen<ApiList>): Frozen<ApiObject> {
  return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }), metadata };
}

function* jsonParts(list: Frozen<ApiList>, keepsKind: boolean, encoding: ListEncoding): Generator<Uint8Array> {
  yield utf8.encode(`${encodeJson(head(list)).slice(0, -2)},"items":[`);
  const lead = keepsKind ? () => 1 : kindLength();
  let separator = brace;
  for (const item of list.items) {
    yield separator;
    const bytes = jsonBytes(item, encoding);
    // Without its own opening brace, its kind and its newline.
    yield bytes.subarray(lead(item), -1);
    separator = commaBrace;
  }
  yield listEnd;
}

const brace = utf8.encode('{');
const commaBrace = utf8.encode(',{');
const listEnd = utf8.encode(']}\n');

/** How many bytes to cut off the front of an item: nearly all of a list are of one kind, so the last answer is kept. */
function kindLength(): (item: Frozen<ApiObject>) => number {
  let last:
    { readonly kind: string | undefined; readonly apiVersion: string | undefined; readonly length: number } | undefined;
  return ({ kind, apiVersion, metadata }) => {
    if (last !== undefined && last.kind === kind && last.apiVersion === apiVersion) return last.length;
    const named = encodeJson({ kind, apiVersion });
    // `{"kind":…,"apiVersion":…,` has a comma where the printed text has a brace and a newline; without metadata there
    // is nothing after it to separate, and such an item is no API object.
    const length = named === '{}\n' || metadata === undefined ? 1 : utf8.encode(named).length - 1;
    last = { kind, apiVersion, length };
    return length;
  };
}

function* prettyParts(list: Frozen<ApiList>, keepsKind: boolean): Generator<Uint8Array> {
  const empty = list.items.length === 0;
  yield utf8.encode(`${encodePrettyJson(head(list)).slice(0, -2)},\n  "items": [${empty ? ']' : ''}`);
  let separator = '\n    ';
  for (const item of list.items) {
    yield utf8.encode(separator + encodePrettyJson(bare(item, keepsKind)).replaceAll('\n', '\n    '));
    separator = ',\n    ';
  }
  yield utf8.encode(empty ? '\n}' : '\n  ]\n}');
}

function bare(item: Frozen<ApiObject>, keepsKind: boolean): Frozen<ApiObject> {
  if (keepsKind) return kindFirst(item);
  const { kind: _kind, apiVersion: _apiVersion, ...content } = item;
  return content;
}

/**
 * A list message is its metadata, field 1, and its items, field 2; lengths stand in front, so all items are encoded
 * first.
 */
function* protobufParts(list: Frozen<ApiList>, encoding: ListEncoding): Generator<Uint8Array> {
  const { kind = '', apiVersion = '', metadata = {} } = list;
  const meta = encodeMessage(encoding.scheme().typeOf(groupVersionKindOf(list)), { metadata, items: [] });
  const items = list.items.map((item) => openEnvelope(protobufBytes(item, encoding)).raw);
  const length = items.reduce((total, item) => total + 1 + varint(item.length).length + item.length, meta.length);
  const typeMeta = joinBytes([delimited(1, utf8.encode(apiVersion)), delimited(2, utf8.encode(kind))]);
  yield joinBytes([magic, delimited(1, typeMeta), Uint8Array.of(tag(2)), varint(length), meta]);
  for (const item of items) {
    yield Uint8Array.of(tag(2), ...varint(item.length));
    yield item;
  }
  yield Uint8Array.of(tag(3), 0, tag(4), 0);
}

const magic: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0);

function tag(field: number): number {
  return field * 8 + 2;
}

function delimited(field: number, bytes: Uint8Array): Uint8Array {
  return joinBytes([Uint8Array.of(tag(field)), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.of(...bytes, rest);
}

/** Joins parts until they are a block: all but the last are at least of that size. */
function* blocks(parts: Iterable<Uint8Array>, blockBytes: number): Generator<Uint8Array> {
  let block: Uint8Array[] = [];
  let size = 0;
  for (const part of parts) {
    block.push(part);
    size += part.length;
    if (size < blockBytes) continue;
    yield joinBytes(block);
    block = [];
    size = 0;
  }
  if (block.length > 0) yield joinBytes(block);
}
