// Events of a watch from a stream of bytes: a line of JSON each. Pieces of a line are kept as they came and joined
// once. As apimachinery/pkg/watch/streamwatcher.go over client-go/rest/watch.
import { apiErrorFrom, deepFreeze, isJsonObject, parseJson } from '../core/index.js';
import type { ApiObject, Frozen, RawEvent } from '../core/index.js';
import { ConnectionError } from './connection-error.js';

/**
 * The lines of a stream, without their ends; empty ones are left out. Throws ConnectionError for one that is too long
 * or breaks off.
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let begun: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      const line = joined(begun, piece.subarray(from, end));
      from = end + 1;
      begun = [];
      size = 0;
      if (line.length > bytesMax) throw tooLong(bytesMax);
      const text = decoder.decode(line).trim();
      if (text !== '') yield text;
    }
    if (from === piece.length) continue;
    size += piece.length - from;
    if (size > bytesMax) throw tooLong(bytesMax);
    // A copy: who made the piece may use its memory again.
    begun.push(piece.slice(from));
  }
  if (begun.length > 0 && decoder.decode(joined(begun, new Uint8Array())).trim() !== '')
    throw new ConnectionError('the watch broke off in the middle of an event');
}

const newline = 0x0a;

function tooLong(bytesMax: number): ConnectionError {
  return new ConnectionError(`an event of the watch is longer than ${bytesMax} bytes`);
}

function joined(begun: readonly Uint8Array[], end: Uint8Array): Uint8Array {
  if (begun.length === 0) return end;
  const whole = new Uint8Array(begun.reduce((sum, { length }) => sum + length, end.length));
  let at = 0;
  for (const part of [...begun, end]) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The event of a line. Throws ApiError for what the wire calls ERROR, ConnectionError for what is no event. */
export function readEvent(line: string): RawEvent<Frozen<ApiObject>> {
  const event = parsed(line);
  if (!isJsonObject(event) || !isJsonObject(event.object))
    throw new ConnectionError('the watch told something that is no event');
  const { type } = event;
  const object = event.object as Frozen<ApiObject> & typeof event.object;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: deepFreeze(object) };
    case 'BOOKMARK':
      return bookmarkOf(object.metadata);
    case 'ERROR':
      throw apiErrorFrom(object) ?? new ConnectionError('the watch told of an error without saying which');
    default:
      throw new ConnectionError('the watch told an event of an unknown type');
  }
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch (cause) {
    throw new ConnectionError('the watch told something that is no JSON', { cause });
  }
}

function bookmarkOf(metadata: unknown): RawEvent<Frozen<ApiObject>> {
  const { resourceVersion, annotations } = isJsonObject(metadata) ? metadata : {};
  if (typeof resourceVersion !== 'string')
    throw new ConnectionError('the watch told a bookmark without a resourceVersion');
  const isEnd = isJsonObject(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return isEnd ? { type: 'BOOKMARK', resourceVersion, initialEventsEnd: true } : { type: 'BOOKMARK', resourceVersion };
}
