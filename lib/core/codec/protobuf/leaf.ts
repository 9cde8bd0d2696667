/**
 * Leaves that are one value in JSON and a small message in protobuf: quantities, times, numbers or strings, and JSON
 * kept as text. The messages (apimachinery's generated.proto files):
 *
 *     Quantity {1 string}   IntOrString {1 type, 2 intVal, 3 strVal}   Time, MicroTime {1 seconds, 2 nanos}
 *     RawExtension, FieldsV1, JSON {1 raw}
 *
 * A Time keeps whole seconds, a MicroTime microseconds, and the zero time is the empty message, which JSON leaves out
 * (as apimachinery/pkg/apis/meta/v1/time_proto.go and micro_time_proto.go).
 */
import type { JsonValue } from '../../objects/json.js';
import { parseMicroTime, parseTime, printTime } from '../../objects/time.js';
import { DecodeError } from '../../schema/decode-error.js';
import type { ScalarKind } from '../../schema/type.js';
import type { WireReader } from './wire-reader.js';
import { wireTypes } from './wire-types.js';
import type { WireWriter } from './wire-writer.js';

/** The kinds of leaf that are messages. */
export type MessageLeaf = Extract<ScalarKind, 'quantity' | 'int-or-string' | 'time' | 'micro-time' | 'raw' | 'json'>;

/** Reads the content of a leaf's message, up to its end. Undefined is no value: a zero time, an empty raw. */
export function readLeaf(reader: WireReader, kind: MessageLeaf): JsonValue | undefined {
  const isZero = !reader.more;
  const textNumber = kind === 'int-or-string' ? 3 : 1;
  let text: string | undefined;
  let first = 0;
  let second = 0;
  while (reader.more) {
    const tag = reader.tag();
    if (tag === textNumber * 8 + wireTypes.bytes) text = reader.string();
    else if (tag === 1 * 8 + wireTypes.varint) first = reader.int64();
    else if (tag === 2 * 8 + wireTypes.varint) second = reader.int32();
    else reader.skip(tag & 7);
  }
  switch (kind) {
    case 'quantity':
      return text ?? '0';
    case 'int-or-string':
      if (first !== 0 && first !== 1) throw new DecodeError('impossible IntOrString.Type');
      return first === 1 ? (text ?? '') : second;
    case 'time':
      return isZero ? undefined : printSeconds(first);
    case 'micro-time':
      return isZero ? undefined : printMicros(first, second);
    case 'raw':
    case 'json':
      return text === undefined || text === '' ? undefined : parseText(text);
  }
}

/** Writes the content of a leaf's message; null is the zero value. Other values are taken to be of the right type. */
export function writeLeaf(writer: WireWriter, kind: MessageLeaf, value: JsonValue): void {
  switch (kind) {
    case 'quantity':
      writer.string(1, typeof value === 'string' ? value : '0');
      return;
    case 'int-or-string':
      writer.string(3, typeof value === 'string' ? value : '');
      writeNumber(writer, 2, typeof value === 'number' ? value : 0);
      writeNumber(writer, 1, typeof value === 'string' ? 1 : 0);
      return;
    case 'time':
      if (typeof value === 'string') writeTime(writer, parseTime(value), 0);
      return;
    case 'micro-time':
      // The text is canonical: six digits after the point at 19.
      if (typeof value === 'string') writeTime(writer, parseMicroTime(value), Number(value.slice(20, 26)) * 1000);
      return;
    case 'raw':
    case 'json':
      if (value !== null) writer.string(1, JSON.stringify(value));
  }
}

/** The years that JSON can express. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

function printSeconds(seconds: number): string {
  if (seconds < firstSecond || seconds > lastSecond)
    throw new DecodeError(`proto: timestamp ${seconds} is not within the years 1 to 9999`);
  return printTime(seconds * 1000);
}

/** Nanoseconds beyond one second count as seconds, as Go's time.Unix has it. */
function printMicros(seconds: number, nanos: number): string {
  const micros = Math.trunc(nanos / 1000);
  const carry = Math.floor(micros / 1e6);
  return `${printSeconds(seconds + carry).slice(0, -1)}.${String(micros - carry * 1e6).padStart(6, '0')}Z`;
}

function parseText(text: string): JsonValue | undefined {
  try {
    return (JSON.parse(text) as JsonValue) ?? undefined;
  } catch (cause) {
    throw new DecodeError('proto: an embedded object is not JSON', { cause });
  }
}

function writeTime(writer: WireWriter, epochMs: number, nanos: number): void {
  const seconds = Math.floor(epochMs / 1000);
  if (seconds === firstSecond && nanos === 0) return;
  writeNumber(writer, 2, nanos);
  writeNumber(writer, 1, seconds);
}

function writeNumber(writer: WireWriter, number: number, value: number): void {
  writer.int64(value);
  writer.tag(number, wireTypes.varint);
}
