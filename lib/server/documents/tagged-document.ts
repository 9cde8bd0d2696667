// A large document that rarely changes: made once, on demand, and named by a hash of its content, so that clients which
// have it need not fetch it again.
import type { RawResponse } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';

/** Answers with the document, or with 304 where the client has it. */
export function taggedDocument(
  make: () => string | Uint8Array,
  contentType: string,
): (exchange: Exchange) => Promise<RawResponse> {
  let made: Promise<{ readonly content: string | Uint8Array; readonly hash: string }> | undefined;
  return async ({ request }) => {
    made ??= hashed(make());
    const { content, hash } = await made;
    const headers = { ETag: `"${hash}"`, 'Cache-Control': 'public' };
    const isKnown = (request.header('If-None-Match') ?? '').split(',').some((tag) => tag.trim() === headers.ETag);
    return isKnown
      ? { type: 'raw', code: 304, contentType: '', content: '', headers }
      : { type: 'raw', code: 200, contentType, content, headers };
  };
}

/** A document with the SHA-512 of its bytes in upper-case hexadecimal digits. */
export async function hashed(
  content: string | Uint8Array,
): Promise<{ readonly content: string | Uint8Array; readonly hash: string }> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  const digest = await crypto.subtle.digest('SHA-512', bytes);
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { content, hash: hash.toUpperCase() };
}
