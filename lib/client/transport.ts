// The port to HTTP: a request goes out, a status, headers and a stream of bytes come back. Shaped so that a Response of
// the Web is an answer as it is; `nodeTransport` of ./node needs no Web.

/** Sends a request. Rejects where no answer came, with the signal's reason where that ended it. */
export type Transport = (url: string, request: TransportRequest) => Promise<TransportResponse>;

/** What is sent. */
export interface TransportRequest {
  readonly method: string;
  /** A list is sent as several headers of one name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** Ends the request and the stream of its answer, and frees what they hold. */
  readonly signal?: AbortSignal;
  /** A redirect is an answer like any other: nobody is sent where the credentials do not belong. */
  readonly redirect: 'manual';
}

/** What comes back, as soon as the headers are there. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: {
    /** A header's value, by name in any case; several of one name are joined by commas. */
    get(name: string): string | null;
  };
  /** Fails where the answer breaks off. Ending the iteration early frees what the answer holds. */
  readonly body: ByteStream | null;
}

/** A stream of the Web, or anything that can be iterated. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/**
 * The platform's `fetch`. It cannot send several headers of one name, which only impersonation of several groups needs.
 */
export const fetchTransport: Transport = async (url, { headers, ...request }) =>
  fetch(url, { ...request, headers: Object.entries(headers).map(single) });

function single([name, value]: [string, string | readonly string[]]): [string, string] {
  if (typeof value === 'string') return [name, value];
  if (value.length > 1) throw new Error(`fetch cannot send the header ${name} more than once`);
  return [name, value[0] ?? ''];
}

/** The pieces of a body. Not every browser can iterate its streams. */
export async function* piecesOf(body: ByteStream | null): AsyncGenerator<Uint8Array, void> {
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
