// Plain text responses, in the words of Go's HTTP server.
import type { RawResponse } from '../../core/index.js';
import { quote } from '../../core/index.js';

/** Returns a plain text response with `nosniff`. */
export function textResponse(code: number, content: string): RawResponse {
  return {
    type: 'raw',
    code,
    contentType: 'text/plain; charset=utf-8',
    content,
    headers: { 'X-Content-Type-Options': 'nosniff' },
  };
}

/** Returns the response to a request that failed before it reached the API; HTML characters in the text are escaped. */
export function internalErrorText(uri: string, text: string): RawResponse {
  const escaped = `Internal Server Error: ${quote(uri)}: ${text}\n`
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
  return textResponse(500, escaped);
}

/** Returns the response to a path without a handler. */
export function pageNotFound(): RawResponse {
  return textResponse(404, '404 page not found\n');
}
