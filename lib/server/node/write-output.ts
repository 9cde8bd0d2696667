// Writes an answer to a node response. Small answers leave in one write; lists block by block as the socket takes them;
// streams as they come, until the client or the server has enough.
import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import type { Pump } from '../http/stream-pump.js';
import type { StartStream, WireOutput } from '../http/wire-output.js';

/** What writing tells the server. */
export interface Writing {
  /** A stream began: it is to be ended when the server closes. */
  readonly opened: (pump: Pump) => void;
  /** It ended, whoever wanted it. */
  readonly ended: (pump: Pump) => void;
  /** How long a client may take nothing of an answer that waits for it. */
  readonly stallMs: number;
  /** Told of errors after the first byte, when nobody else can be. */
  readonly onDefect: (error: unknown) => void;
}

/** Writes an answer. Headers and connection are node's business from here. */
export function writeOutput(output: WireOutput, response: ServerResponse, writing: Writing): void {
  const { code, body, gzip, close } = output;
  if (response.destroyed) return;
  const headers = [...output.headers];
  if (gzip) headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding');
  if (body.type === 'bytes' && !gzip && code !== 304) headers.push('Content-Length', `${body.bytes.length}`);
  if (close) headers.push('Connection', 'close');
  response.writeHead(code, headers);
  // What a client asked for with HEAD is described, not sent.
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  if (body.type === 'stream') writeStream(body.start, response, writing);
  else if (body.type === 'bytes' && !gzip) endWith(body.bytes, response);
  else writeBlocks(body.type === 'bytes' ? [body.bytes] : body.blocks, response, { ...writing, gzip });
}

/**
 * A text leaves together with its head, in one piece; bytes are a second piece, which costs node and the kernel a tenth
 * of a small answer more. To make a text costs as much as it spares: it is made for bytes that are sent again, such as
 * those of one revision of an object, and kept for as long as they are.
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

/** Node tries to send so much at once, without a buffer of its own. */
const textBytesMax = 8192;
/** What was sent before. */
const sent = new WeakSet<Uint8Array>();
/** The bytes of a body as characters, each of which is one of them. */
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

/** Blocks are made when the socket wants one: each turn of the event loop encodes at most what it can send. */
function writeBlocks(
  blocks: Iterable<Uint8Array>,
  response: ServerResponse,
  { gzip, onDefect, stallMs }: Writing & { readonly gzip: boolean },
): void {
  const rest = blocks[Symbol.iterator]();
  // Node gives the socket its own limit back when the answer is out.
  response.setTimeout(stallMs, () => response.destroy());
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
      // The head is gone: this is the only way to say that the rest does not come.
      response.destroy();
      onDefect(error);
    }
  };
  response.once('close', () => {
    if (sink !== response) sink.destroy();
  });
  writeMore();
}
