// Decodes watch events from a stream of bytes: one JSON document per line. Parts of a line are kept as received and
// joined once. As apimachinery/pkg/watch/streamwatcher.go over client-go/rest/watch.
import { apiErrorFrom, deepFreeze, isJsonObject, parseJson } from '../../core/index.js';
import type { ApiObject, Frozen, RawEvent } from '../../core/index.js';
import { ConnectionError } from './connection-error.js';

/**
 * Yields the lines of a stream without line ends; empty lines are skipped. Throws ConnectionError for a line that is
 * too long or incomplete.
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
    // A copy: the producer may reuse the memory of the chunk.
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

/** Parses an event. Throws ApiError for an event of type ERROR, ConnectionError for anything that is not an event. */
export function readEvent(line: string): RawEvent<Frozen<ApiObject>> {
  const event = parsed(line);
  if (!isJsonObject(event) || !isJsonObject(event.object))
    throw new ConnectionError('the watch sent a line that is not an event');
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
      throw apiErrorFrom(object) ?? new ConnectionError('the watch sent an ERROR event without a Status');
    default:
      throw new ConnectionError('the watch sent an event of an unknown type');
  }
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch (cause) {
    throw new ConnectionError('the watch sent a line that is not JSON', { cause });
  }
}

function bookmarkOf(metadata: unknown): RawEvent<Frozen<ApiObject>> {
  const { resourceVersion, annotations } = isJsonObject(metadata) ? metadata : {};
  if (typeof resourceVersion !== 'string')
    throw new ConnectionError('the watch sent a bookmark without a resourceVersion');
  const isEnd = isJsonObject(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return isEnd ? { type: 'BOOKMARK', resourceVersion, initialEventsEnd: true } : { type: 'BOOKMARK', resourceVersion };
}
