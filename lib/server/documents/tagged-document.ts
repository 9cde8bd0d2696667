// A large document that rarely changes: made on demand, kept as long as what it is made from is the same, and named by
// a hash of its content, so that clients which have it need not fetch it again.
import type { RawResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';

/** Responds with the document, or with 304 where the client has it. It is made anew when `source` returns another. */
export function taggedDocument<S>(
  source: () => S,
  make: (source: S) => string | Uint8Array,
  contentType: string,
): (exchange: Exchange) => Promise<RawResponse> {
  let made: { readonly source: S; readonly document: Promise<HashedDocument> } | undefined;
  return async ({ request }) => {
    const current = source();
    if (made?.source !== current) made = { source: current, document: hashed(make(current)) };
    const { content, hash } = await made.document;
    const headers = { ETag: `"${hash}"`, 'Cache-Control': 'public' };
    const isKnown = (request.header('If-None-Match') ?? '').split(',').some((tag) => tag.trim() === headers.ETag);
    return isKnown
      ? { type: 'raw', code: 304, contentType: '', content: '', headers }
      : { type: 'raw', code: 200, contentType, content, headers };
  };
}

/** A document with the SHA-512 of its bytes in upper-case hexadecimal digits. */
export interface HashedDocument {
  readonly content: string | Uint8Array;
  readonly hash: string;
}

/** Hashes a document. */
export async function hashed(content: string | Uint8Array): Promise<HashedDocument> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  const digest = await crypto.subtle.digest('SHA-512', bytes);
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { content, hash: hash.toUpperCase() };
}
