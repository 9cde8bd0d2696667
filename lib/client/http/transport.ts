// The HTTP port of the client: sends a request, returns status, headers and a stream of bytes. A Web `Response`
// satisfies the response type. `nodeTransport` of ./node implements it on node:http.

/** Sends a request. Rejects if there is no response, with the signal's reason if it was aborted. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

/** An HTTP request. */
export interface TransportRequest {
  readonly method: string;
  /** A list is sent as several headers of the same name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Aborts the request and its response, and releases their resources. */
  readonly signal?: AbortSignal;
  /** Redirects are not followed, so that credentials are never sent to another server. */
  readonly redirect: 'manual';
}

/** An HTTP response, available as soon as its headers have arrived. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: {
    /** Returns the value of a header; several of one name are joined by commas. Names are case-insensitive. */
    get(name: string): string | null;
  };
  /** Fails if the response ends early. Ending the iteration releases its resources. */
  readonly body: ByteStream | null;
}

/** A Web stream or an async iterable. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/**
 * The transport of the platform's `fetch`. It cannot send several headers of one name, which only impersonation of
 * several groups needs.
 */
export const fetchTransport: Transport = async (url, { headers, ...request }) =>
  fetch(url, { ...request, headers: Object.entries(headers).map(single) });

function single([name, value]: [string, string | readonly string[]]): [string, string] {
  if (typeof value === 'string') return [name, value];
  if (value.length > 1) throw new Error(`fetch cannot send the header ${name} more than once`);
  return [name, value[0] ?? ''];
}

/** Iterates the chunks of a body. Some browsers cannot iterate streams. */
export async function* chunksOf(body: ByteStream | null): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  if (Symbol.asyncIterator in body) {
    yield* body;
    return;
  }
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
