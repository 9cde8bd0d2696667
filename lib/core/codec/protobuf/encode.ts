/**
 * JSON objects to protobuf messages, driven by the schema and shaped like the output of Kubernetes' generated
 * marshalers: fields in order of their number, map entries in order of their key, every non-pointer scalar and every
 * embedded structure present even when zero. The object is a completed one; properties that the schema does not know
 * are left out, a value of the wrong type is a defect of the caller (TypeError).
 *
 * Everything is written backwards, see wire-writer.ts.
 */
import type { JsonObject, JsonValue } from '../../objects/json.js';
import { isJsonObject } from '../../objects/json.js';
import type { StructType } from '../../schema/type.js';
import { decodeBase64 } from '../../go/base64.js';
import type { MessageLeaf } from './leaf.js';
import { writeLeaf } from './leaf.js';
import type { MessageLayout, Slot, ValueLayout } from './message-layout.js';
import { messageDepthMax, messageLayout } from './message-layout.js';
import { WireWriter } from './wire-writer.js';

/** Encodes an object of the given type as a bare message. */
export function encodeMessage(type: StructType, object: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, type, object);
  return writer.finish();
}

/** Writes the fields of an object in front of what the writer holds already. */
export function writeMessage(writer: WireWriter, type: StructType, object: JsonObject): void {
  new MessageEncoder(writer).fields(messageLayout(type), object);
}

/** Where it is: what has been written and how many messages are around it. */
class MessageEncoder {
  readonly #writer: WireWriter;
  #depth = 0;

  constructor(writer: WireWriter) {
    this.#writer = writer;
  }

  fields(layout: MessageLayout, object: JsonObject): void {
    if (this.#depth > messageDepthMax)
      throw new TypeError(`${layout.name} is nested more than ${messageDepthMax} messages deep`);
    this.#depth++;
    for (const slot of layout.descending) {
      if (slot.form === 'embedded') {
        this.#value(slot.value, slot.tag, object);
        continue;
      }
      const value = object[slot.name];
      if (value !== undefined && value !== null) this.#slot(slot, value);
      else if (slot.writesZero) this.#value(slot.value, slot.tag, null);
    }
    this.#depth--;
  }

  #slot({ form, value: layout, tag }: Slot, value: JsonValue): void {
    if (form === 'one') this.#value(layout, tag, value);
    else if (form === 'map') this.#map(layout, tag, value);
    else {
      if (!Array.isArray(value)) unexpected(value, layout);
      for (let i = value.length - 1; i >= 0; i--) this.#value(layout, tag, (value as readonly JsonValue[])[i] ?? null);
    }
  }

  #map(values: ValueLayout, tag: number, map: JsonValue): void {
    if (!isJsonObject(map)) unexpected(map, values);
    const keys = Object.keys(map).sort();
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] ?? '';
      const before = this.#writer.length;
      this.#value(values, 2, map[key] ?? null);
      this.#writer.string(1, key);
      this.#writer.delimited(tag, before);
    }
  }

  /** A single value with its tag. Null is the zero value. */
  #value(layout: ValueLayout, tag: number, value: JsonValue): void {
    const writer = this.#writer;
    const before = writer.length;
    switch (layout.kind) {
      case 'string':
        writer.string(tag, value === null ? '' : typeof value === 'string' ? value : unexpected(value, layout));
        return;
      case 'bool':
        writer.varint(value === true ? 1 : 0);
        writer.tag(tag, layout.wireType);
        return;
      case 'int32':
      case 'int64':
        writer.int64(value === null ? 0 : Number.isInteger(value) ? (value as number) : unexpected(value, layout));
        writer.tag(tag, layout.wireType);
        return;
      case 'double':
        writer.double(value === null ? 0 : typeof value === 'number' ? value : unexpected(value, layout));
        writer.tag(tag, layout.wireType);
        return;
      default:
        this.#delimited(layout, layout.kind, value);
        writer.delimited(tag, before);
    }
  }

  #delimited(
    layout: ValueLayout,
    kind: MessageLeaf | 'struct' | 'bytes' | 'union' | 'wrapped-list',
    value: JsonValue,
  ): void {
    switch (kind) {
      case 'struct':
        this.fields(layout.message(), value === null ? {} : isJsonObject(value) ? value : unexpected(value, layout));
        break;
      case 'bytes':
        this.#writer.raw(
          decodeBase64(value === null ? '' : typeof value === 'string' ? value : unexpected(value, layout)),
        );
        break;
      case 'union':
      case 'wrapped-list':
        if (value !== null) this.#option(layout, value);
        break;
      default:
        writeLeaf(this.#writer, kind, value);
    }
  }

  /** An alternative beside a boolean sets the boolean as well (as apiextensions/v1/marshal.go, UnmarshalJSON). */
  #option(layout: ValueLayout, value: JsonValue): void {
    const flag = layout.options.find((option) => option.value.kind === 'bool');
    const chosen = layout.options.find(
      (option) => option !== flag && (option.form === 'list') === Array.isArray(value),
    );
    if (typeof value !== 'boolean') this.#slot(chosen ?? unexpected(value, layout), value);
    if (flag !== undefined) this.#value(flag.value, flag.tag, value !== false);
  }
}

function unexpected(value: JsonValue, { goType }: ValueLayout): never {
  throw new TypeError(`cannot encode ${JSON.stringify(value).slice(0, 100)} as ${goType}`);
}
