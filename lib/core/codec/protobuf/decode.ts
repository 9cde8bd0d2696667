/**
 * Protobuf messages to JSON objects, driven by the schema. The result is what the JSON decoder returns: zero values
 * that JSON omits are dropped (Go's marshalers write them all), a zero time is absent, bytes are base64, embedded
 * messages are merged into the object. What protobuf cannot tell apart, an empty list and no list, is no list. The
 * schema's decoder has the last word: it completes the object and makes quantities canonical.
 *
 * Input is hostile: a message is decoded or refused with a DecodeError, in time and memory linear to its size.
 */
import type { JsonObject, JsonValue } from '../../objects/json.js';
import { isJsonObject, setOwn } from '../../objects/json.js';
import { DecodeError } from '../../schema/decode-error.js';
import { zeroLeaf } from '../../schema/leaves.js';
import type { StructType } from '../../schema/type.js';
import { encodeBase64 } from '../../go/base64.js';
import type { MessageLeaf } from './leaf.js';
import { readLeaf } from './leaf.js';
import type { MessageLayout, Slot, ValueLayout } from './message-layout.js';
import { messageDepthMax, messageLayout } from './message-layout.js';
import { WireReader } from './wire-reader.js';
import { wireTypes } from './wire-types.js';

/** Decodes a message of the given type. The object has neither kind nor apiVersion: the envelope has them. */
export function decodeMessage(type: StructType, bytes: Uint8Array): JsonObject {
  const object: Target = {};
  new MessageDecoder(bytes).fields(messageLayout(type), object);
  return object;
}

/** An object being filled. */
type Target = Record<string, JsonValue>;

/** What the message of a union or of a wrapped list holds. */
interface Found {
  readonly list: JsonValue[];
  value: JsonValue | undefined;
  flag: boolean;
}

/** Where it is: the position in the bytes and how many messages are around it. */
class MessageDecoder {
  readonly #reader: WireReader;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#reader = new WireReader(bytes);
  }

  /** Reads fields up to the end of the current message. */
  fields(layout: MessageLayout, object: Target): void {
    const reader = this.#reader;
    while (reader.more) {
      const tag = reader.tag();
      const wireType = tag & 7;
      const slot = layout.byTag[tag >>> 3];
      if (wireType === wireTypes.endGroup)
        throw new DecodeError(`proto: ${layout.name}: wiretype end group for non-group`);
      if (slot === undefined) reader.skip(wireType);
      else if (slot.form === 'one') this.#single(slot, wireType, object);
      else if (slot.form === 'list') this.#items(slot, wireType, listAt(object, slot.name));
      else {
        expectWire(wireTypes.bytes, wireType, slot.name);
        if (slot.form === 'map') this.#entry(slot.value, objectAt(object, slot.name));
        else this.#message(slot.value.message(), object);
      }
    }
  }

  #single({ name, value: layout, keepsZero }: Slot, wireType: number, object: Target): void {
    expectWire(layout.wireType, wireType, name);
    // A message that comes twice is merged, as protobuf requires; any other value is replaced.
    const value =
      layout.kind === 'struct'
        ? this.#message(layout.message(), (object[name] as Target | undefined) ?? {})
        : this.#value(layout);
    if (value !== undefined && (keepsZero || !isZero(value))) object[name] = value;
    else if (object[name] !== undefined) delete object[name];
  }

  #message(layout: MessageLayout, object: Target): JsonValue {
    if (this.#depth >= messageDepthMax)
      throw new DecodeError(`proto: ${layout.name} is nested more than ${messageDepthMax} messages deep`);
    this.#depth++;
    const outer = this.#reader.enter();
    this.fields(layout, object);
    this.#reader.leave(outer);
    this.#depth--;
    return object;
  }

  /** One item of a list; or any number of them, when numbers or booleans come packed. */
  #items({ name, value }: Slot, wireType: number, items: JsonValue[]): void {
    if (wireType !== wireTypes.bytes || value.wireType === wireTypes.bytes) {
      expectWire(value.wireType, wireType, name);
      items.push(this.#value(value) ?? null);
      return;
    }
    const outer = this.#reader.enter();
    while (this.#reader.more) items.push(this.#value(value) ?? null);
    this.#reader.leave(outer);
  }

  /** An entry without a key or without a value has the zero one. */
  #entry(values: ValueLayout, map: Target): void {
    const reader = this.#reader;
    const outer = reader.enter();
    let key = '';
    let value: JsonValue | undefined;
    while (reader.more) {
      const tag = reader.tag();
      if (tag === 1 * 8 + wireTypes.bytes) key = reader.string();
      else if (tag === 2 * 8 + values.wireType) value = this.#value(values);
      else reader.skip(tag & 7);
    }
    reader.leave(outer);
    setOwn(map, key, value ?? zeroOf(values));
  }

  /** A single value; undefined where JSON has none, as for a zero time. */
  #value(layout: ValueLayout): JsonValue | undefined {
    const reader = this.#reader;
    switch (layout.kind) {
      case 'string':
        return reader.string();
      case 'struct':
        return this.#message(layout.message(), {});
      case 'bool':
        return reader.bool();
      case 'int32':
        return reader.int32();
      case 'int64':
        return reader.int64();
      case 'double':
        return reader.double();
      case 'bytes':
        return encodeBase64(reader.bytes());
      default:
        return this.#nested(layout, layout.kind);
    }
  }

  /** Small messages that are no structures. */
  #nested(layout: ValueLayout, kind: MessageLeaf | 'union' | 'wrapped-list'): JsonValue | undefined {
    const outer = this.#reader.enter();
    const value =
      kind === 'union'
        ? this.#union(layout)
        : kind === 'wrapped-list'
          ? this.#options(layout).list
          : readLeaf(this.#reader, kind);
    this.#reader.leave(outer);
    return value;
  }

  /**
   * A boolean beside another alternative only says that there is one; alone it is the value, and missing it is false
   * (as apiextensions/v1/marshal.go, JSONSchemaPropsOrBool).
   */
  #union(layout: ValueLayout): JsonValue | undefined {
    const { list, value, flag } = this.#options(layout);
    if (list.length > 0) return list;
    return value ?? (layout.options.some((option) => option.value.kind === 'bool') ? flag : undefined);
  }

  /** Reads up to the end of a message in which each alternative has its number. */
  #options({ options, goType }: ValueLayout): Found {
    const found: Found = { list: [], value: undefined, flag: false };
    while (this.#reader.more) {
      const tag = this.#reader.tag();
      const option = options.find((each) => each.tag === tag >>> 3);
      if (option === undefined) this.#reader.skip(tag & 7);
      else if (option.form === 'list') this.#items(option, tag & 7, found.list);
      else {
        expectWire(option.value.wireType, tag & 7, goType);
        if (option.value.kind === 'bool') found.flag = this.#reader.bool();
        else found.value = this.#value(option.value);
      }
    }
    return found;
  }
}

/** The list that a former item of the same field began, or a new one. */
function listAt(object: Target, name: string): JsonValue[] {
  const known = object[name];
  if (known !== undefined) return known as JsonValue[];
  const made: JsonValue[] = [];
  object[name] = made;
  return made;
}

function objectAt(object: Target, name: string): Target {
  const known = object[name];
  if (known !== undefined) return known as Target;
  const made: Target = {};
  object[name] = made;
  return made;
}

function expectWire(expected: number, actual: number, name: string): void {
  if (expected !== actual) throw new DecodeError(`proto: wrong wireType = ${actual} for field ${name}`);
}

function zeroOf({ kind }: ValueLayout): JsonValue {
  if (kind === 'wrapped-list') return [];
  if (kind === 'struct') return {};
  return kind === 'union' ? null : zeroLeaf(kind);
}

function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false || (isJsonObject(value) && Object.keys(value).length === 0);
}
