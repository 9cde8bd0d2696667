// HTTP over a forwarded connection: how `proxy` reaches a port of a pod where the connector of its node has no way of
// its own. One request and one response per connection.
import { Observable, firstValueFrom, merge, of } from 'rxjs';
import {
  encodeHttpHead,
  errorText,
  httpHeader,
  httpReader,
  openSession,
  servedChannels,
  serviceUnavailable,
} from '../../core/index.js';
import type {
  ApiRequest,
  ApiResponse,
  HttpHead,
  HttpHeader,
  HttpPart,
  HttpReader,
  NodeConnectionChannels,
  StreamEnd,
} from '../../core/index.js';

/** What is requested. */
export interface ProxiedRequest {
  /** Connects to the port. */
  readonly connect: (channels: NodeConnectionChannels) => StreamEnd;
  /** Path and query. */
  readonly target: string;
  /** The Host header. */
  readonly host: string;
  /** The original request, without its credentials. */
  readonly request: ApiRequest;
}

const methods: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Sends the request. Rejects with ApiError 503 where the port cannot be reached or sends no HTTP. */
export async function proxiedHttp({ connect, target, host, request }: ProxiedRequest): Promise<ApiResponse> {
  const method = methods[request.info.verb] ?? 'GET';
  const sent = await request.body();
  const body = sent === undefined ? undefined : 'bytes' in sent ? sent.bytes : utf8.encode(JSON.stringify(sent.object));
  const { client, run$ } = servedChannels<'data', 'data'>(connect);
  const channels = await openSession(merge(of(client), run$));
  try {
    const headers: HttpHeader[] = [
      ['Host', host],
      ...(request.headersWith?.('') ?? []).filter(([name]) => !ownHeaders.has(name)),
      ['Connection', 'close'],
      ...(body === undefined ? [] : [['Content-Length', `${body.length}`] as const]),
    ];
    await channels.output('data', encodeHttpHead({ startLine: `${method} ${target} HTTP/1.1`, headers }));
    if (body !== undefined && body.length > 0) await channels.output('data', body);
    const reader = httpReader({ kind: 'response' });
    const { head, rest } = await readHead(channels, reader);
    return responseOf(head, bodyOf(channels, reader, rest));
  } catch (error) {
    channels.close();
    throw serviceUnavailable(`error trying to reach service: ${errorText(error)}`);
  }
}

const utf8 = new TextEncoder();

/** Headers that belong to the connection, or that are set here. */
const ownHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'accept-encoding',
]);

async function readHead(
  channels: NodeConnectionChannels,
  reader: HttpReader,
): Promise<{ readonly head: HttpHead; readonly rest: readonly HttpPart[] }> {
  for (;;) {
    const message = await firstValueFrom(channels.input$, { defaultValue: undefined });
    if (message?.type === 'close' && message.status.status === 'Failure') throw new Error(message.status.message);
    const parts = message?.type === 'data' ? reader.take(message.bytes) : reader.end();
    const [first, ...rest] = parts;
    if (first?.type === 'head') return { head: first.head, rest };
    if (message === undefined) throw new Error('EOF');
  }
}

/** Emits the body as it arrives. Unsubscribing closes the connection. */
function bodyOf(
  channels: NodeConnectionChannels,
  reader: HttpReader,
  first: readonly HttpPart[],
): Observable<Uint8Array> {
  return new Observable((subscriber) => {
    const take = (parts: readonly HttpPart[]): void => {
      for (const part of parts) {
        if (part.type === 'body') subscriber.next(part.bytes);
        else if (part.type === 'end') subscriber.complete();
      }
    };
    subscriber.add(() => channels.close());
    take(first);
    if (subscriber.closed) return;
    const guarded = (read: () => readonly HttpPart[]): void => {
      try {
        take(read());
      } catch (error) {
        subscriber.error(error);
      }
    };
    subscriber.add(
      channels.input$.subscribe({
        next: (message) => guarded(() => (message.type === 'data' ? reader.take(message.bytes) : reader.end())),
        error: (error: unknown) => subscriber.error(error),
        complete: () => guarded(() => reader.end()),
      }),
    );
  });
}

/** Headers of the response that are not passed on: those of the connection, and those that the wire sets. */
const hopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-type',
  'date',
]);

function responseOf(head: HttpHead, content: Observable<Uint8Array>): ApiResponse {
  const code = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.startLine)?.[1] ?? 502);
  const headers = Object.fromEntries(head.headers.filter(([name]) => !hopHeaders.has(name.toLowerCase())));
  return { type: 'raw', code, contentType: httpHeader(head, 'content-type') ?? '', content, headers };
}
