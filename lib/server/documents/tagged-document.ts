// A large document that rarely changes: created on demand, cached while its source is the same, and tagged with a hash
// of its content, so that clients can revalidate their copy.
import type { RawResponse } from '../../core/index.js';
import type { Exchange } from '../pipeline.js';

/**
 * Responds with the document, or with 304 where the client's copy is current. It is created again when `source` returns
 * another value.
 */
export function taggedDocument<S>(
  source: () => S,
  make: (source: S) => string | Uint8Array | Promise<string | Uint8Array>,
  contentType: string,
): (exchange: Exchange) => Promise<RawResponse> {
  let made: { readonly source: S; readonly document: Promise<HashedDocument> } | undefined;
  return async ({ request }) => {
    const current = source();
    if (made?.source !== current) made = { source: current, document: Promise.resolve(make(current)).then(hashed) };
    const { content, hash } = await made.document;
    const headers = { ETag: `"${hash}"`, 'Cache-Control': 'public' };
    const isCurrent = (request.header('If-None-Match') ?? '').split(',').some((tag) => tag.trim() === headers.ETag);
    return isCurrent
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
