// A response on its way to the wire: code, headers and a body in one of three forms. Adapters write it and add only
// what belongs to the connection (Date, Connection, Transfer-Encoding) and, where requested, compression.
import type { StreamResponse } from '../../core/index.js';
import type { ByteSink, Pump } from './stream-pump.js';

/** The body of a response. */
export type WireBody =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** Chunks that are produced on demand. */
  | { readonly type: 'blocks'; readonly blocks: Iterable<Uint8Array> }
  /** Chunks that arrive over time. Starting subscribes; each response is started once per sink. */
  | { readonly type: 'stream'; readonly start: StartStream };

/** Starts a stream. */
export type StartStream = (sink: ByteSink, framing: Framing) => Pump;

/** The framing of a stream: concatenated, or one message per frame. */
export type Framing = 'row' | 'messages';

/** A response on the wire. */
export interface WireOutput {
  readonly code: number;
  /** Names and values alternate, as `writeHead` takes them. Values are byte strings. */
  readonly headers: readonly string[];
  readonly body: WireBody;
  /** Whether to compress the body with gzip, announced in Content-Encoding and Vary. */
  readonly gzip: boolean;
  /** Whether to close the connection after the response. */
  readonly close: boolean;
  /** The messages of a stream over a WebSocket: events as text or binary, or the bytes of a log. */
  readonly messages?: 'text' | 'binary' | 'log';
  /**
   * A stream of channels, for adapters that can upgrade the connection. Others write the rest of the output, a refusal.
   */
  readonly channels?: StreamResponse;
}

/** Creates a plain text response. */
export function textOutput(
  code: number,
  text: string,
  extra: Partial<Pick<WireOutput, 'close'>> & { readonly headers?: readonly string[] } = {},
): WireOutput {
  const headers = ['Content-Type', 'text/plain; charset=utf-8', ...(extra.headers ?? [])];
  return { code, headers, body: { type: 'bytes', bytes: utf8.encode(text) }, gzip: false, close: extra.close === true };
}

const utf8 = new TextEncoder();
