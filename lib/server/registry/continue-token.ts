// The token that carries a paged list from one page to the next: the revision of the first page and the last key.
// Opaque to clients, but laid out as apiserver/pkg/storage/continue.go, so that a client may go on at another server.
import {
  badRequest,
  decodeBase64,
  encodeBase64,
  errorText,
  isApiError,
  isJsonObject,
  parseJson,
} from '../../core/index.js';
import type { ApiError, JsonObject } from '../../core/index.js';
import type { Revision } from '../../storage/index.js';

/** Where a list goes on. */
export interface ContinueToken {
  /** The revision of the pages before; -1 goes on at the newest, which may not be consistent with them. */
  readonly revision: Revision;
  /** The last key of the page before, relative to the prefix. */
  readonly after: string;
}

/** Writes a token; `scope` is what all keys of the list begin with, such as `default/`. */
export function printContinueToken({ revision, after }: ContinueToken, scope: string): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after.slice(scope.length)}\0` });
  return encodeBase64(utf8Encoder.encode(text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads a token. Throws ApiError 400: tokens come from clients and are not trusted. */
export function parseContinueToken(token: string, scope: string): ContinueToken {
  const { v, rv, start } = parsed(token);
  if (v !== 'meta.k8s.io/v1')
    throw malformed(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (rv === 0 || typeof rv !== 'number' || !Number.isSafeInteger(rv))
    throw malformed('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw malformed('encoded start key empty (version meta.k8s.io/v1)');
  // A key that leaves the scope of the list would show what the request may not see.
  if (start.startsWith('/') || start.split('/').includes('..')) throw malformed(start);
  return { revision: rv, after: scope + start.replace(/\0$/, '') };
}

const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder();

function parsed(token: string): JsonObject {
  const stranger = token.search(/[^A-Za-z0-9_-]/);
  if (stranger >= 0 || token.length % 4 === 1)
    throw malformed(`illegal base64 data at input byte ${stranger >= 0 ? stranger : token.length - 1}`);
  const padded = token.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (token.length % 4)) % 4);
  try {
    const value = parseJson(utf8Decoder.decode(decodeBase64(padded)));
    if (isJsonObject(value)) return value;
    throw malformed(
      `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type storage.continueToken`,
    );
  } catch (error) {
    throw isApiError(error) ? error : malformed(errorText(error));
  }
}

function malformed(detail: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${detail}`);
}
