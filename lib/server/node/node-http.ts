// Requests and responses of node:http as input and output of the wire. NodeInput is created for every request and
// therefore does as little as possible: no Web objects, no listeners before they are needed. Small responses are sent
// in one write, lists block by block as the socket accepts them, streams as values arrive until either side ends.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DetailedPeerCertificate } from 'node:tls';
import { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../auth/index.js';
import { badRequest, requestEntityTooLarge } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { WireInput } from '../http/wire-request.js';
import { createGzip } from 'node:zlib';
import type { Pump } from '../http/stream-pump.js';
import type { StartStream, WireOutput } from '../http/wire-output.js';

/** The input of a node request. */
export class NodeInput implements WireInput {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse | undefined;

  /** Without a response for a request that is being upgraded. */
  constructor(message: IncomingMessage, response?: ServerResponse) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? 'GET';
    this.target = message.url ?? '/';
  }

  get certificate(): ClientCertificate | undefined {
    const { socket } = this.#message;
    return socket instanceof TLSSocket ? clientCertificateOf(socket) : undefined;
  }

  get remoteAddress(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    const { rawHeaders } = this.#message;
    let found: string | undefined;
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at] ?? '';
      if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
      if (found !== undefined) return joinedHeader(this.#message, name);
      found = rawHeaders[at + 1] ?? '';
    }
    return found;
  }

  headersWith(prefix: string): readonly (readonly [string, string])[] {
    const { rawHeaders } = this.#message;
    const found: [string, string][] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      // Called for every request and rarely successful: names are lower-cased only where the first letter matches.
      if (
        prefix === '' ||
        ((name.charCodeAt(0) | 0x20) === prefix.charCodeAt(0) && name.toLowerCase().startsWith(prefix))
      )
        found.push([name.toLowerCase(), rawHeaders[at + 1] ?? '']);
    }
    return found;
  }

  onGone(callback: () => void): void {
    const response = this.#response;
    if (response === undefined) this.#message.socket.once('close', callback);
    else response.once('close', () => response.writableFinished || callback());
  }

  readBody(bytesMax: number): Promise<Uint8Array> {
    const message = this.#message;
    if (Number(message.headers['content-length'] ?? 0) > bytesMax)
      return Promise.reject(requestEntityTooLarge(`limit is ${bytesMax}`));
    if (hasNoBody(message)) return Promise.resolve(nothing);
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let size = 0;
      const onData = (part: Buffer): void => {
        size += part.length;
        if (size <= bytesMax) parts.push(part);
        else settle(() => reject(requestEntityTooLarge(`limit is ${bytesMax}`)));
      };
      const onEnd = (): void =>
        settle(() => resolve(parts.length === 1 ? (parts[0] ?? nothing) : Buffer.concat(parts, size)));
      const onBroken = (): void => settle(() => reject(badRequest('unexpected EOF')));
      const settle = (finish: () => void): void => {
        message.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
        finish();
      };
      message.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
    });
  }
}

const nothing = new Uint8Array();

/**
 * Returns a repeated header as node selects or joins it. Node then parses all headers, which is not worth it for a
 * single one.
 */
function joinedHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

/**
 * Returns whether a request has a transfer coding besides `chunked`, which Go's server does not support either.
 * Called for every request, so that headers are not parsed for it.
 */
export function hasUnknownTransferCoding({ rawHeaders }: IncomingMessage): boolean {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === transferEncoding.length && name.toLowerCase() === transferEncoding)
      if ((rawHeaders[at + 1] ?? '').trim().toLowerCase() !== 'chunked') return true;
  }
  return false;
}

const transferEncoding = 'transfer-encoding';

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

/**
 * Returns the certificate that a client presented in its TLS handshake; undefined without one. The handshake accepts
 * any and proves only possession of its key; authenticators decide whether it names a user. Read once per connection.
 */
function clientCertificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const known = presented.get(socket);
  if (known !== undefined) return known;
  const found = readCertificate(socket);
  if (found !== undefined) presented.set(socket, found);
  return found;
}

const presented = new WeakMap<TLSSocket, ClientCertificate>();

function readCertificate(socket: TLSSocket): ClientCertificate | undefined {
  // Undefined once the socket is closed, and empty without a certificate; the type does not state it.
  let next = socket.getPeerCertificate(true) as Partial<DetailedPeerCertificate> | undefined;
  const chain: Uint8Array[] = [];
  const seen = new Set<unknown>();
  // A self-signed authority is its own issuer.
  for (; next?.raw !== undefined && !seen.has(next); next = next.issuerCertificate) {
    seen.add(next);
    chain.push(next.raw);
  }
  const [raw, ...intermediates] = chain;
  return raw === undefined ? undefined : { raw, intermediates };
}

/** Callbacks and limits of writing a response. */
export interface Writing {
  /** Called when a stream starts, which must end when the server closes. */
  readonly opened: (pump: Pump) => void;
  /** Called when a stream ended. */
  readonly ended: (pump: Pump) => void;
  /** How long a client may stop reading its response, in milliseconds. */
  readonly stallMs: number;
  /** The clock of time limits within a stream. */
  readonly clock: Clock;
  /** Receives errors after the first byte, which cannot be reported to the client. */
  readonly onDefect: (error: unknown) => void;
}

/** Writes a response. */
export function writeOutput(output: WireOutput, response: ServerResponse, writing: Writing): void {
  const { code, body, gzip, close } = output;
  if (response.destroyed) return;
  const headers = [...output.headers];
  if (gzip) headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding');
  if (body.type === 'bytes' && !gzip && code !== 304) headers.push('Content-Length', `${body.bytes.length}`);
  if (close) headers.push('Connection', 'close');
  response.writeHead(code, headers);
  // The response to HEAD has no body.
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  if (body.type === 'stream') writeStream(body.start, response, writing);
  else if (body.type === 'bytes' && !gzip) {
    endWith(body.bytes, response);
    // Nearly every response fits into the socket at once and needs no timer.
    if ((response.socket?.writableLength ?? 0) > 0) cutAfter(writing.stallMs, response);
  } else writeBlocks(body.type === 'bytes' ? [body.bytes] : body.blocks, response, { ...writing, gzip });
}

/**
 * Ends a response with bytes. Node sends a string together with the headers in one write, but bytes in a second one,
 * which costs a tenth of a small response. Converting costs as much as it saves, so it is done for bytes that are sent
 * repeatedly, such as those of one revision of an object, and cached as long as they live.
 */
function endWith(bytes: Uint8Array, response: ServerResponse): void {
  const text = bytes.length > textBytesMax ? undefined : texts.get(bytes);
  if (text !== undefined) {
    response.end(text, 'latin1');
    return;
  }
  response.end(bytes);
  if (bytes.length > textBytesMax) return;
  if (!sent.has(bytes)) sent.add(bytes);
  else texts.set(bytes, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));
}

/** The size up to which node sends in one write without buffering. */
const textBytesMax = 8192;
/** Bytes that were sent at least once. */
const sent = new WeakSet<Uint8Array>();
/** Bytes as latin1 strings. */
const texts = new WeakMap<Uint8Array, string>();

function writeStream(start: StartStream, response: ServerResponse, { opened, ended }: Writing): void {
  response.flushHeaders();
  const pump = start(
    {
      write: (bytes) => response.write(bytes),
      end: () => response.end(),
      cut: () => response.destroy(),
    },
    'row',
  );
  response.on('drain', () => pump.drain());
  response.on('close', () => {
    pump.stop();
    ended(pump);
  });
  opened(pump);
}

/** Closes the connection of a client that reads nothing for so long. Node restores the socket's own timeout later. */
function cutAfter(stallMs: number, response: ServerResponse): void {
  response.setTimeout(stallMs, () => response.destroy());
}

/**
 * Writes blocks. A block is encoded when the socket has room: each turn of the event loop encodes at most what it can
 * send.
 */
function writeBlocks(
  blocks: Iterable<Uint8Array>,
  response: ServerResponse,
  { gzip, onDefect, stallMs }: Writing & { readonly gzip: boolean },
): void {
  const rest = blocks[Symbol.iterator]();
  cutAfter(stallMs, response);
  const sink = gzip ? createGzip({ level: 1 }) : response;
  if (sink !== response) sink.pipe(response);
  const writeMore = (): void => {
    try {
      for (;;) {
        const next = rest.next();
        if (next.done === true) {
          sink.end();
          return;
        }
        if (!sink.write(next.value)) break;
      }
      sink.once('drain', writeMore);
    } catch (error) {
      // The headers are sent: closing the connection is the only way to report the failure.
      response.destroy();
      onDefect(error);
    }
  };
  response.once('close', () => {
    if (sink !== response) sink.destroy();
  });
  writeMore();
}
