// The wire in Web-standard form: a function from Request to Response. It runs in process without a socket or in a web
// worker, and mounts on any framework that supports fetch. Paths arrive normalised by the URL standard: dot segments
// are resolved.
import type { ClientCertificate } from '../../auth/index.js';
import { badRequest, joinBytes, requestEntityTooLarge } from '../../core/index.js';
import type { Pump } from './stream-pump.js';
import type { StartStream, WireBody, WireOutput } from './wire-output.js';
import type { WireOptions, WireServer } from './wire.js';
import { wire } from './wire.js';
import type { WireInput } from './wire-request.js';

/** Data about a request that a Request does not carry. */
export interface FetchExtras {
  readonly certificate?: ClientCertificate;
  readonly remoteAddress?: string;
}

/** Serves requests. */
export type FetchHandler = (request: Request, extras?: FetchExtras) => Promise<Response>;

/** Returns a function that serves requests with a server. */
export function fetchHandler(server: WireServer, options: WireOptions = {}): FetchHandler {
  const { answer } = wire(server, options);
  return async (request, extras = {}) => toResponse(await answer(inputOf(request, extras)), request.method === 'HEAD');
}

function inputOf(request: Request, extras: FetchExtras): WireInput {
  const { url } = request;
  const origin = url.indexOf('/', url.indexOf('//') + 2);
  const hash = url.indexOf('#');
  return {
    ...extras,
    method: request.method,
    target: origin < 0 ? '/' : url.slice(origin, hash < 0 ? undefined : hash),
    header: (name) => request.headers.get(name) ?? undefined,
    headersWith: (prefix) => headersWith(request.headers, prefix),
    readBody: (bytesMax) => readStream(request.body, bytesMax),
    onGone: (callback) => request.signal.addEventListener('abort', callback, { once: true }),
  };
}

/** Returns the headers whose names start with a prefix; repeated headers are split into one pair each. */
function headersWith(headers: Headers, prefix: string): readonly (readonly [string, string])[] {
  return [...headers].flatMap(([name, value]) =>
    name.startsWith(prefix) ? value.split(', ').map((each): [string, string] => [name, each]) : [],
  );
}

async function readStream(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of body ?? []) {
      size += part.length;
      if (size > bytesMax) throw requestEntityTooLarge(`limit is ${bytesMax}`);
      parts.push(part);
    }
  } catch (error) {
    throw size > bytesMax ? error : badRequest('unexpected EOF', { cause: error });
  }
  return joinBytes(parts);
}

function toResponse({ code, headers, body, gzip }: WireOutput, isHead: boolean): Response {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? '']);
  if (gzip) pairs.push(['Content-Encoding', 'gzip'], ['Vary', 'Accept-Encoding']);
  else if (body.type === 'bytes' && !bodiless.has(code)) pairs.push(['Content-Length', `${body.bytes.length}`]);
  if (isHead || bodiless.has(code)) return new Response(null, { status: code, headers: pairs });
  return new Response(gzip ? compressed(body) : bodyOf(body), { status: code, headers: pairs });
}

/** Status codes without a body; a Response with one throws. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function bodyOf(body: WireBody): Uint8Array | ReadableStream<Uint8Array> {
  switch (body.type) {
    case 'bytes':
      return body.bytes;
    case 'blocks':
      return blockStream(body.blocks);
    case 'stream':
      return pushedStream(body.start);
  }
}

function compressed(body: WireBody): ReadableStream<Uint8Array> {
  const plain = body.type === 'bytes' ? blockStream([body.bytes]) : bodyOf(body);
  return (plain as ReadableStream<Uint8Array>).pipeThrough(new CompressionStream('gzip'));
}

function blockStream(blocks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const rest = blocks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const next = rest.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

const readAheadBytes = 65_536;

function pushedStream(start: StartStream): ReadableStream<Uint8Array> {
  let pump: Pump | undefined;
  return new ReadableStream(
    {
      start(controller) {
        const size = (): number => controller.desiredSize ?? 0;
        const sink = {
          write(bytes: Uint8Array) {
            controller.enqueue(bytes);
            return size() > 0;
          },
          end() {
            pump?.stop();
            controller.close();
          },
          cut() {
            controller.error(new Error('the stream was cut off'));
          },
        };
        pump = start(sink, 'row');
      },
      pull: () => pump?.drain(),
      cancel: () => pump?.stop(),
    },
    { highWaterMark: readAheadBytes, size: (bytes) => bytes.length },
  );
}
