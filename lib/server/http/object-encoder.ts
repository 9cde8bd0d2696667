// Encodes objects in every form that a client can request. Compact JSON and protobuf of stored objects are cached, so
// that gets, lists and watches of one revision share their bytes; other forms are encoded each time. Compact JSON
// of built-in kinds starts with kind and apiVersion, so that lists can cut both off cached bytes.
//
// Lists are joined from the bytes of their items in blocks, each encoded on demand: a list of a hundred thousand pods
// is neither one string nor one turn of the event loop. Items of built-in kinds lose kind and apiVersion, as in
// Kubernetes, where only unstructured items and partial metadata keep them.
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
  inNameOrder,
  inSchemaOrder,
  mediaTypes,
  openEnvelope,
  printYaml,
  joinBytes,
} from '../../core/index.js';
import { LRUCache } from 'lru-cache';

/** Dependencies of encoding. */
export interface ObjectEncoding {
  /** Returns the current scheme. */
  readonly scheme: () => Scheme;
  readonly encoded: Pick<EncodedBytes, 'get'>;
}

/** Encodes an object as the body of a response. */
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
      return form.pretty
        ? utf8.encode(encodePrettyJson(inPrintedOrder(object, encoding.scheme())))
        : jsonBytes(object, encoding);
  }
}

/** Encodes compact JSON, with a newline at the end. */
export function jsonBytes(object: Frozen<ApiObject>, { encoded, scheme }: ObjectEncoding): Uint8Array {
  const encode = (): Uint8Array => utf8.encode(encodeJson(inPrintedOrder(object, scheme())));
  return isStored(object) ? encoded.get(object, 'json', encode) : encode();
}

/** Encodes protobuf in its envelope. */
export function protobufBytes(object: Frozen<ApiObject>, { encoded, scheme }: ObjectEncoding): Uint8Array {
  const encode = (): Uint8Array => encodeObject(typeOf(groupVersionKindOf(object), scheme()), asJson(object));
  return isStored(object) ? encoded.get(object, 'protobuf', encode) : encode();
}

/**
 * Returns the object with its members in the order in which Kubernetes prints them: that of Go's types, or by name for
 * kinds without one. Kinds that are not registered start with kind and apiVersion.
 */
function inPrintedOrder(object: Frozen<ApiObject>, scheme: Scheme): Frozen<ApiObject> {
  const gvk = groupVersionKindOf(object);
  if (!scheme.recognizes(gvk)) {
    const { kind, apiVersion, ...content } = object;
    return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }), ...content };
  }
  const type = scheme.typeOf(gvk);
  return hasProtobuf(type) ? inSchemaOrder(type, object) : inNameOrder(object);
}

const utf8 = new TextEncoder();

/** Whether the object is stored, and so may be encoded again. */
function isStored({ metadata }: Frozen<ApiObject>): boolean {
  return metadata?.uid !== undefined && metadata.resourceVersion !== undefined;
}

function typeOf(gvk: GroupVersionKind, scheme: Scheme): StructType {
  return scheme.typeOf(gvk);
}

/** Casts an API object to JSON, which its type does not state. */
function asJson(object: Frozen<ApiObject>): JsonObject {
  return object;
}

/** Dependencies and limits of encoding lists. */
export interface ListEncoding extends ObjectEncoding {
  readonly blockBytes: number;
}

/** Whether an object is a list that is written item by item: nothing in it but metadata and items. */
export function isItemList(object: Frozen<ApiObject>): object is Frozen<ApiList> {
  if (!('items' in object) || !Array.isArray(object.items) || object.kind?.endsWith('List') !== true) return false;
  for (const name in object) if (!listFields.has(name)) return false;
  return true;
}

/** Encodes a list in blocks. Items are encoded when their block is requested. */
export function encodeList(
  list: Frozen<ApiList>,
  { mediaType, pretty }: Pick<Negotiated, 'mediaType' | 'pretty'>,
  encoding: ListEncoding,
): Iterable<Uint8Array> {
  const keepsKind = list.apiVersion === 'meta.k8s.io/v1' || !hasProtobufItems(list, encoding.scheme());
  if (mediaType === mediaTypes.protobuf) return blocks(protobufParts(list, encoding), encoding.blockBytes);
  if (mediaType === mediaTypes.yaml)
    return [utf8.encode(printYaml({ ...list, items: list.items.map((item) => bare(item, keepsKind)) }))];
  return blocks(
    pretty ? prettyParts(list, keepsKind, encoding) : jsonParts(list, keepsKind, encoding),
    encoding.blockBytes,
  );
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
    // Without the opening brace, kind, apiVersion and the newline.
    yield bytes.subarray(lead(item), -1);
    separator = commaBrace;
  }
  yield listEnd;
}

const brace = utf8.encode('{');
const commaBrace = utf8.encode(',{');
const listEnd = utf8.encode(']}\n');

/**
 * Returns the length of the prefix to cut off an item. Items of a list are nearly always of one kind, so the last
 * result is cached.
 */
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

function* prettyParts(list: Frozen<ApiList>, keepsKind: boolean, { scheme }: ObjectEncoding): Generator<Uint8Array> {
  const empty = list.items.length === 0;
  yield utf8.encode(`${encodePrettyJson(head(list)).slice(0, -2)},\n  "items": [${empty ? ']' : ''}`);
  let separator = '\n    ';
  for (const item of list.items) {
    yield utf8.encode(
      separator + encodePrettyJson(bare(inPrintedOrder(item, scheme()), keepsKind)).replaceAll('\n', '\n    '),
    );
    separator = ',\n    ';
  }
  yield utf8.encode(empty ? '\n}' : '\n  ]\n}');
}

function bare(item: Frozen<ApiObject>, keepsKind: boolean): Frozen<ApiObject> {
  if (keepsKind) return item;
  const { kind: _kind, apiVersion: _apiVersion, ...content } = item;
  return content;
}

/**
 * Encodes a list message: metadata is field 1, items are field 2. Lengths come first, so all items are encoded before.
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

/** Joins parts into blocks of at least `blockBytes`, except the last. */
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

/** Options of a cache of encoded bytes. */
export interface EncodedBytesOptions {
  /** The maximum size in bytes, including an estimate of the overhead per entry. */
  readonly bytesMax: number;
}

/** The size of a cache of encoded bytes, for metrics. */
export interface EncodedBytesFigures {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * A cache of encoded objects, bounded by bytes; least recently used first out. Keyed by the identity of the object,
 * since the cacher hands out one object per revision, and by form. Objects are not kept alive.
 */
export interface EncodedBytes {
  /**
   * Returns the bytes of a frozen object in a form (such as version and media type): cached ones, or those that
   * `encode` returns.
   */
  get(object: object, form: string, encode: () => Uint8Array): Uint8Array;
  figures(): EncodedBytesFigures;
}

/** The estimated overhead of an entry in bytes. */
const entryBytes = 200;

/** Creates an empty cache. Throws RangeError where `bytesMax` is no positive integer. */
export function encodedBytes({ bytesMax }: EncodedBytesOptions): EncodedBytes {
  if (!Number.isSafeInteger(bytesMax) || bytesMax < 1)
    throw new RangeError(`encoded bytes: bytesMax is a whole number from 1, not ${bytesMax}`);
  // Keys are texts rather than objects: the cache would keep whole pods alive.
  const keys = new WeakMap<object, CacheKey>();
  let lastNumber = 0;
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: bytesMax,
    sizeCalculation: (bytes) => bytes.byteLength + entryBytes,
  });

  const keyOf = (object: object, form: string): string => {
    const last = keys.get(object);
    if (last === undefined) {
      const number = ++lastNumber;
      const key = `${number} ${form}`;
      keys.set(object, { number, form, key });
      return key;
    }
    if (last.form !== form) {
      last.form = form;
      last.key = `${last.number} ${form}`;
    }
    return last.key;
  };
  return {
    get: (object, form, encode) => {
      const key = keyOf(object, form);
      const known = cache.get(key);
      if (known !== undefined) return known;
      const bytes = encode();
      cache.set(key, bytes); // skipped by the cache where too large
      return bytes;
    },
    figures: () => ({ entries: cache.size, bytes: cache.calculatedSize }),
  };
}

/** The last cache key of an object: most are requested in one form, and a new string would be hashed again. */
interface CacheKey {
  readonly number: number;
  form: string;
  key: string;
}
