// Encodes the events of watches: a line of JSON each, or a length-prefixed protobuf frame. Watchers of one event
// request the same bytes right after one another, so the last frame is cached.
import type { ApiObject, Frozen, RawEvent, Status, WatchResponse } from '../../core/index.js';
import { encodeWatchFrame, joinBytes, mediaTypes } from '../../core/index.js';
import type { ObjectEncoding } from './object-encoder.js';
import { jsonBytes, protobufBytes } from './object-encoder.js';

/** Encodes the events of all watches of a server. */
export interface WatchEncoder {
  /** Encodes an event. */
  event(event: RawEvent<Frozen<ApiObject>>, watch: WatchedKind): Uint8Array;
  /** Encodes the failure that ends a watch. */
  failure(status: Status, watch: WatchedKind): Uint8Array;
}

/** The kind and form of a watch. */
export type WatchedKind = Pick<WatchResponse, 'bookmark' | 'form'>;

/** The Content-Type of a watch (as apiserver/pkg/endpoints/handlers/watch.go). */
export function watchContentType(mediaType: string): string {
  return mediaType === mediaTypes.json ? mediaType : `${mediaType};stream=watch`;
}

/** Creates the encoder of a server. */
export function watchEncoder(encoding: ObjectEncoding): WatchEncoder {
  const keptJson = lastFrame();
  const keptProtobuf = lastFrame();
  const json = (type: string, object: Frozen<ApiObject>): Uint8Array =>
    keptJson(type, object, () => joinBytes([jsonStart(type), jsonBytes(object, encoding).subarray(0, -1), jsonEnd]));
  const protobuf = (type: string, object: Frozen<ApiObject>): Uint8Array =>
    keptProtobuf(type, object, () => encodeWatchFrame({ type, object: protobufBytes(object, encoding) }));
  const frame = (type: string, object: Frozen<ApiObject>, { form }: WatchedKind): Uint8Array =>
    (form.mediaType === mediaTypes.protobuf ? protobuf : json)(type, object);
  return {
    event: (event, watch) => frame(event.type, event.type === 'BOOKMARK' ? watch.bookmark(event) : event.object, watch),
    failure: (status, watch) => frame('ERROR', status, watch),
  };
}

const utf8 = new TextEncoder();
const jsonEnd = utf8.encode('}\n');
const starts: ReadonlyMap<string, Uint8Array> = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [
    type,
    utf8.encode(`{"type":"${type}","object":`),
  ]),
);

function jsonStart(type: string): Uint8Array {
  return starts.get(type) ?? utf8.encode(`{"type":${JSON.stringify(type)},"object":`);
}

/** Caches one frame, by identity of the frozen object. */
function lastFrame(): (type: string, object: object, make: () => Uint8Array) => Uint8Array {
  let kept: { readonly type: string; readonly object: object; readonly frame: Uint8Array } | undefined;
  return (type, object, make) => {
    if (kept?.object !== object || kept.type !== type) kept = { type, object, frame: make() };
    return kept.frame;
  };
}
