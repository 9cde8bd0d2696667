// HTTP/1.1 messages as bytes, for peers that share a stream of bytes instead of a socket of the platform: the proxy
// subresource over a port-forward, and HTTP services that are functions. One message per connection and direction.
// Heads are bounded; bodies are passed on in pieces.

/** The start line and the headers of a message. */
export interface HttpHead {
  /** `GET / HTTP/1.1` or `HTTP/1.1 200 OK`. */
  readonly startLine: string;
  /** In the order of the message, as sent. */
  readonly headers: readonly HttpHeader[];
}

/** Name and value of a header. */
export type HttpHeader = readonly [name: string, value: string];

/** A piece of a message. */
export type HttpPart =
  | { readonly type: 'head'; readonly head: HttpHead }
  | { readonly type: 'body'; readonly bytes: Uint8Array }
  | { readonly type: 'end' };

/** Reads one message. Both methods throw Error where the message is invalid or incomplete. */
export interface HttpReader {
  /** Takes bytes and returns the pieces they complete. What follows the message is ignored. */
  take(bytes: Uint8Array): readonly HttpPart[];
  /** Takes the end of the connection. */
  end(): readonly HttpPart[];
}

/** What the reader has to know about the message. */
export interface HttpReaderOptions {
  readonly kind: 'request' | 'response';
  /** Whether the response has no body whatever its headers are: it answers HEAD. Default false. */
  readonly hasNoBody?: boolean;
  /** The maximum size of the head in bytes. Default 64 KiB. */
  readonly headBytesMax?: number;
}

/** Returns the value of a header; the first of several. Names are case-insensitive. */
export function httpHeader({ headers }: HttpHead, name: string): string | undefined {
  const lower = name.toLowerCase();
  return headers.find(([each]) => each.toLowerCase() === lower)?.[1];
}

/** Encodes a head. Throws Error for line breaks within it. */
export function encodeHttpHead({ startLine, headers }: HttpHead): Uint8Array {
  const lines = [startLine, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (lines.some((line) => /[\r\n]/.test(line))) throw new Error('a header contains a line break');
  return latin1Bytes(`${lines.join('\r\n')}\r\n\r\n`);
}

/** Creates a reader of one message. */
export function httpReader({ kind, hasNoBody = false, headBytesMax = 65_536 }: HttpReaderOptions): HttpReader {
  let held = new Uint8Array();
  let body: BodyReader | undefined;
  let isOver = false;

  const readBody = (bytes: Uint8Array): readonly HttpPart[] => {
    const parts = body?.take(bytes) ?? [];
    isOver = parts.at(-1)?.type === 'end';
    return parts;
  };
  return {
    take(bytes) {
      if (isOver) return [];
      if (body !== undefined) return readBody(bytes);
      held = joined(held, bytes);
      const end = endOfHead(held);
      if (end === undefined) {
        if (held.length > headBytesMax) throw new Error('the head of an HTTP message is too long');
        return [];
      }
      const head = parseHead(held.subarray(0, end));
      const rest = held.subarray(end);
      held = new Uint8Array();
      // An interim response precedes the actual one.
      if (kind === 'response' && /^HTTP\/1\.[01] 1\d\d/.test(head.startLine)) return this.take(rest);
      body = bodyReader(head, kind, hasNoBody);
      return [{ type: 'head', head }, ...readBody(rest)];
    },
    end() {
      if (isOver) return [];
      isOver = true;
      if (body?.endsWithConnection !== true) throw new Error('unexpected EOF');
      return [{ type: 'end' }];
    },
  };
}

function endOfHead(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === lineFeed) return at + 3;
  }
  return undefined;
}

const lineFeed = 10;

function parseHead(bytes: Uint8Array): HttpHead {
  const [startLine = '', ...lines] = latin1Text(bytes).trimEnd().split(/\r?\n/);
  const headers = lines.map((line): HttpHeader => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`malformed HTTP header ${JSON.stringify(line.slice(0, 80))}`);
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { startLine, headers };
}

interface BodyReader {
  readonly endsWithConnection: boolean;
  take(bytes: Uint8Array): readonly HttpPart[];
}

const end: HttpPart = { type: 'end' };

/** As RFC 9112, section 6.3. */
function bodyReader(head: HttpHead, kind: HttpReaderOptions['kind'], hasNoBody: boolean): BodyReader {
  const isEmpty = hasNoBody || (kind === 'response' && /^HTTP\/1\.[01] (204|304)/.test(head.startLine));
  if (isEmpty) return { endsWithConnection: false, take: () => [end] };
  if (httpHeader(head, 'transfer-encoding')?.toLowerCase().includes('chunked') === true) return chunkedBody();
  const length = httpHeader(head, 'content-length');
  if (length === undefined && kind === 'response')
    return { endsWithConnection: true, take: (bytes) => (bytes.length === 0 ? [] : [{ type: 'body', bytes }]) };
  if (!/^\d{1,15}$/.test(length ?? '0')) throw new Error('invalid Content-Length');
  let left = Number(length ?? '0');
  return {
    endsWithConnection: false,
    take(bytes) {
      const piece = bytes.subarray(0, left);
      left -= piece.length;
      return [...(piece.length > 0 ? [{ type: 'body', bytes: piece } as const] : []), ...(left === 0 ? [end] : [])];
    },
  };
}

/** The maximum length of the line before a chunk, with its extensions. */
const chunkLineMax = 4096;

function chunkedBody(): BodyReader {
  let held = new Uint8Array();
  /** Bytes of the current chunk that are still to come; undefined before its line. */
  let left: number | undefined;
  let isTrailer = false;
  const take = (bytes: Uint8Array): readonly HttpPart[] => {
    const parts: HttpPart[] = [];
    held = joined(held, bytes);
    for (;;) {
      if (left !== undefined && left > 0) {
        const piece = held.subarray(0, left);
        if (piece.length > 0) parts.push({ type: 'body', bytes: piece });
        left -= piece.length;
        held = held.subarray(piece.length);
        if (left > 0) return parts;
      }
      const feed = held.indexOf(lineFeed);
      if (feed < 0) {
        if (held.length > chunkLineMax) throw new Error('malformed chunked encoding');
        return parts;
      }
      const line = latin1Text(held.subarray(0, feed)).trim();
      held = held.subarray(feed + 1);
      // The line end after a chunk.
      if (left === 0 && line === '') left = undefined;
      else if (isTrailer) {
        if (line === '') return [...parts, end];
      } else {
        const size = /^([0-9A-Fa-f]{1,8})\s*(;.*)?$/.exec(line)?.[1];
        if (size === undefined || left !== undefined) throw new Error('malformed chunked encoding');
        const length = parseInt(size, 16);
        isTrailer = length === 0;
        left = isTrailer ? undefined : length;
      }
    }
  };
  return { endsWithConnection: false, take };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function latin1Text(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
