// An answer on its way to the wire: code, headers and a body in one of three shapes. Adapters write it; they add what
// belongs to the connection (Date, Connection, Transfer-Encoding), compress where told to, and nothing else.
import type { StreamResponse } from '../../client/index.js';
import type { ByteSink, Pump } from './stream-pump.js';

/** The body of an answer. */
export type WireBody =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** Pieces made when they are asked for. */
  | { readonly type: 'blocks'; readonly blocks: Iterable<Uint8Array> }
  /** Pieces that come when they come. Starting it subscribes; each sink of one answer is started once. */
  | { readonly type: 'stream'; readonly start: StartStream };

/** Lets a stream flow. */
export type StartStream = (sink: ByteSink, framing: Framing) => Pump;

/** How a stream is framed: in a row, or one message each. */
export type Framing = 'row' | 'messages';

/** An answer. */
export interface WireOutput {
  readonly code: number;
  /** Names and values in turn, as `writeHead` takes them. Values are byte strings. */
  readonly headers: readonly string[];
  readonly body: WireBody;
  /** The client wants gzip and the body is worth it: to be said in Content-Encoding and Vary. */
  readonly gzip: boolean;
  /** The connection is of no further use. */
  readonly close: boolean;
  /** How a stream goes over a WebSocket: events as text or binary messages, or the bytes of a log. */
  readonly messages?: 'text' | 'binary' | 'log';
  /** A stream of channels, for adapters that can upgrade the connection. Others write the rest, which refuses. */
  readonly channels?: StreamResponse;
}

/** A body that is there already. */
export function bytesBody(bytes: Uint8Array): WireBody {
  return { type: 'bytes', bytes };
}

/** A short text. */
export function textOutput(
  code: number,
  text: string,
  extra: Partial<Pick<WireOutput, 'close'>> & { readonly headers?: readonly string[] } = {},
): WireOutput {
  const headers = ['Content-Type', 'text/plain; charset=utf-8', ...(extra.headers ?? [])];
  return { code, headers, body: bytesBody(utf8.encode(text)), gzip: false, close: extra.close === true };
}

const utf8 = new TextEncoder();
