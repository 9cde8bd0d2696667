// The ports of pods whose containers are functions: which function serves which port, and connections to it. An HTTP
// service is a function from Request to Response; on a connection it is one request and one response.
import { firstValueFrom } from 'rxjs';
import { encodeHttpHead, errorText, httpHeader, httpReader, pause } from '../../core/index.js';
import type { Clock, HttpHead, HttpPart, NodeConnectionChannels, StreamEnd } from '../../core/index.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type { NetworkProbe, NetworkProbeResult } from '../runtime/runtime-state.js';
import type { PortService } from './container-function.js';

/** The maximum size of a request body that a function gets, in bytes. */
const bodyBytesMax = 16 * 1024 * 1024;
/** The part of a response body that a probe reads, in bytes. */
const probeBytesMax = 10 * 1024;

/** The ports of one pod. */
export class PodPorts {
  readonly #services = new Map<number, PortService>();

  /** Serves a port until the returned function is called. Throws Error where it is in use. */
  listen(port: number, service: PortService): () => void {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`no port: ${port}`);
    if (this.#services.has(port)) throw new Error(`EADDRINUSE: address already in use, port ${port}`);
    this.#services.set(port, service);
    return () => {
      if (this.#services.get(port) === service) this.#services.delete(port);
    };
  }

  /** Connects to a port. */
  connect(port: number, channels: NodeConnectionChannels): StreamEnd {
    const service = this.#service(port);
    return 'connect' in service ? service.connect(channels) : serveHttp(service.fetch, channels);
  }

  /** Sends a probe. */
  async probe(probe: NetworkProbe, podIp: string, timeoutMs: number, clock: Clock): Promise<NetworkProbeResult> {
    const service = this.#service(probe.port);
    if (probe.type === 'tcp') return { type: 'tcp' };
    if (probe.type === 'grpc') throw new RuntimeError('Unimplemented', 'functions serve no gRPC');
    if (!('fetch' in service)) throw new RuntimeError('Unavailable', `port ${probe.port} serves no HTTP`);
    const { scheme, host, port, path, headers } = probe;
    const url = `${scheme}://${host === '' ? podIp : host}:${port}${path.startsWith('/') ? path : `/${path}`}`;
    const ended = new AbortController();
    try {
      const late = pause(clock, timeoutMs, ended.signal).then(() => {
        throw new RuntimeError('DeadlineExceeded', `Get "${url}": context deadline exceeded`);
      });
      late.catch(() => undefined);
      const request = new Request(url, { headers: headers.map(({ name, value }): [string, string] => [name, value]) });
      const { status, body } = await Promise.race([textOf(service.fetch(request)), late]);
      return { type: 'http', statusCode: status, body };
    } finally {
      ended.abort();
    }
  }

  #service(port: number): PortService {
    const service = this.#services.get(port);
    if (service === undefined)
      throw new RuntimeError('Unavailable', `dial tcp4 127.0.0.1:${port}: connect: connection refused`);
    return service;
  }
}

async function textOf(
  response: Response | Promise<Response>,
): Promise<{ readonly status: number; readonly body: string }> {
  const { status, body } = await response;
  let text = '';
  const decoder = new TextDecoder();
  if (body !== null)
    for await (const piece of piecesOf(body)) {
      text += decoder.decode(piece.subarray(0, probeBytesMax - text.length), { stream: true });
      if (text.length >= probeBytesMax) break;
    }
  return { status, body: text };
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** Serves one HTTP request of a connection. */
async function serveHttp(
  fetch: (request: Request) => Response | Promise<Response>,
  channels: NodeConnectionChannels,
): Promise<void> {
  const message = await readRequest(channels);
  if (message === undefined) return;
  let response: Response;
  try {
    response = await fetch(requestOf(message.head, message.body));
  } catch (error) {
    response = new Response(errorText(error), { status: 500 });
  }
  const headers = [...response.headers].filter(([name]) => !hopHeaders.has(name));
  const startLine = `HTTP/1.1 ${response.status} ${response.statusText === '' ? 'OK' : response.statusText}`;
  await channels.output('data', encodeHttpHead({ startLine, headers: [...headers, ['Connection', 'close']] }));
  if (response.body !== null)
    for await (const piece of piecesOf(response.body)) {
      if (channels.signal.aborted) return;
      await channels.output('data', piece);
    }
  channels.end('data');
}

/** Headers of a connection, which ends with the response. */
const hopHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

async function readRequest(
  channels: NodeConnectionChannels,
): Promise<{ readonly head: HttpHead; readonly body: Uint8Array<ArrayBuffer> } | undefined> {
  const reader = httpReader({ kind: 'request' });
  const pieces: Uint8Array[] = [];
  let size = 0;
  let head: HttpHead | undefined;
  for (;;) {
    const message = await firstValueFrom(channels.input$, { defaultValue: undefined });
    if (message === undefined || message.type === 'close') return undefined;
    const parts: readonly HttpPart[] = message.type === 'data' ? reader.take(message.bytes) : reader.end();
    for (const part of parts) {
      if (part.type === 'head') head = part.head;
      else if (part.type === 'body') {
        size += part.bytes.length;
        if (size > bodyBytesMax) throw new RuntimeError('InvalidArgument', 'the body of the request is too large');
        pieces.push(Uint8Array.from(part.bytes));
      } else if (head !== undefined) return { head, body: joined(pieces, size) };
    }
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function requestOf(head: HttpHead, body: Uint8Array<ArrayBuffer>): Request {
  const [method = 'GET', target = '/'] = head.startLine.split(' ');
  const url = target.startsWith('/') ? `http://${httpHeader(head, 'host') ?? 'localhost'}${target}` : target;
  const headers = head.headers.filter(([name]) => !hopHeaders.has(name.toLowerCase()));
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(hasBody && { body }),
  });
}
