/**
 * The envelope around an object in protobuf: the four bytes `k8s\0`, then a runtime.Unknown that names the kind and
 * holds the message (as apimachinery/pkg/runtime/serializer/protobuf).
 *
 *     Unknown {1 typeMeta {1 apiVersion, 2 kind}, 2 raw, 3 contentEncoding, 4 contentType}
 */
import type { JsonObject, JsonValue } from '../../objects/json.js';
import { DecodeError } from '../../schema/decode-error.js';
import type { StructType } from '../../schema/type.js';
import { writeMessage } from './encode.js';
import { WireReader } from './wire-reader.js';
import { wireTypes } from './wire-types.js';
import { WireWriter } from './wire-writer.js';

/** An object's kind and its message, not yet decoded. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message: a view of the bytes that were given. */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** Encodes an object with its envelope, which the object's own apiVersion and kind name. */
export function encodeObject(type: StructType, object: JsonObject): Uint8Array {
  const writer = new WireWriter(4096);
  writer.string(4, '');
  writer.string(3, '');
  const beforeRaw = writer.length;
  writeMessage(writer, type, object);
  writer.delimited(2, beforeRaw);
  const beforeMeta = writer.length;
  writer.string(2, textOf(object.kind));
  writer.string(1, textOf(object.apiVersion));
  writer.delimited(1, beforeMeta);
  writer.raw(magic);
  return writer.finish();
}

/** Opens an envelope. The refusals are Kubernetes' own (as protobuf.go, Serializer.Decode). */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new DecodeError('empty data');
  if (!magic.every((byte, i) => bytes[i] === byte)) {
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`,
    );
  }
  if (bytes.length === magic.length) throw new DecodeError('empty body');
  const envelope: Writable<Envelope> = {
    apiVersion: '',
    kind: '',
    raw: new Uint8Array(),
    contentEncoding: '',
    contentType: '',
  };
  const reader = new WireReader(bytes.subarray(magic.length));
  while (reader.more) {
    const tag = reader.tag();
    if (tag === 1 * 8 + wireTypes.bytes) readTypeMeta(reader, envelope);
    else if (tag === 2 * 8 + wireTypes.bytes) envelope.raw = reader.bytes();
    else if (tag === 3 * 8 + wireTypes.bytes) envelope.contentEncoding = reader.string();
    else if (tag === 4 * 8 + wireTypes.bytes) envelope.contentType = reader.string();
    else reader.skip(tag & 7);
  }
  return envelope;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const magic: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0);

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function readTypeMeta(reader: WireReader, envelope: Writable<Envelope>): void {
  const outer = reader.enter();
  while (reader.more) {
    const tag = reader.tag();
    if (tag === 1 * 8 + wireTypes.bytes) envelope.apiVersion = reader.string();
    else if (tag === 2 * 8 + wireTypes.bytes) envelope.kind = reader.string();
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
}
