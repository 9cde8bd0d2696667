// Answers in plain text, as Go's own HTTP server words them.
import type { RawResponse } from '../../client/index.js';
import { quote } from '../../core/index.js';

/** Plain text that no browser shall take for anything else. */
export function textResponse(code: number, content: string): RawResponse {
  return {
    type: 'raw',
    code,
    contentType: 'text/plain; charset=utf-8',
    content,
    headers: { 'X-Content-Type-Options': 'nosniff' },
  };
}

/** The answer to a request that failed before anything of the API was asked; the text must not look like HTML. */
export function internalErrorText(uri: string, text: string): RawResponse {
  const escaped = `Internal Server Error: ${quote(uri)}: ${text}\n`
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
  return textResponse(500, escaped);
}

/** The answer for paths nobody serves. */
export function pageNotFound(): RawResponse {
  return textResponse(404, '404 page not found\n');
}
