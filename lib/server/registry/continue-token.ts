// The continue token of a paged list: the revision of the first page and the last key. Opaque to clients, but in the
// format of apiserver/pkg/storage/continue.go, so that a client may continue at another server.
import {
  badRequest,
  decodeBase64,
  encodeBase64,
  errorText,
  isApiError,
  isJsonObject,
  parseJson,
  unmarshalTypeError,
} from '../../core/index.js';
import type { ApiError, JsonObject, JsonValue } from '../../core/index.js';
import { storeLimits } from '../../storage/index.js';
import type { Revision } from '../../storage/index.js';

/** Where a list continues. */
export interface ContinueToken {
  /** The revision of the previous pages; -1 continues at the newest, which may be inconsistent with them. */
  readonly revision: Revision;
  /** The last key of the previous page, relative to the prefix. */
  readonly after: string;
}

/** Prints a token; `scope` is the common prefix of all keys of the list, such as `default/`. */
export function printContinueToken({ revision, after }: ContinueToken, scope: string): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after.slice(scope.length)}\0` });
  return encodeBase64(utf8Encoder.encode(text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Parses a token, which is untrusted. Throws ApiError 400. */
export function parseContinueToken(token: string, scope: string): ContinueToken {
  const { v, rv, start } = decodeToken(token);
  if (v !== 'meta.k8s.io/v1') throw malformed(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw malformed('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (start === '') throw malformed('encoded start key empty (version meta.k8s.io/v1)');
  // A key outside the scope of the list would return objects that the request is not authorized for.
  const key = start.startsWith('/') ? start.slice(1) : start;
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) throw malformed(start);
  // No key contains U+0000: the keys after `a\0…` are those after `a`.
  const [after = ''] = key.split('\0', 1);
  const wellFormed = after.replaceAll(/\p{Surrogate}/gu, '\ufffd');
  if (utf8Encoder.encode(wellFormed).length > keyBytesMax) throw malformed('encoded start key too long');
  return { revision: rv, after: scope + wellFormed };
}

/** The longest key in a resource: the store counts the prefix of the resource too. */
const keyBytesMax = storeLimits.keyBytesMax - 512;
const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder();

/** The members of a token; zero values for those it lacks. */
interface DecodedToken {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

function decodeToken(token: string): DecodedToken {
  const invalidAt = token.search(/[^A-Za-z0-9_-]/);
  if (invalidAt >= 0 || token.length % 4 === 1)
    throw malformed(`illegal base64 data at input byte ${invalidAt >= 0 ? invalidAt : token.length - 1}`);
  const padded = token.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (token.length % 4)) % 4);
  try {
    const value = parseJson(utf8Decoder.decode(decodeBase64(padded))) ?? {};
    if (!isJsonObject(value)) throw malformed(unmarshalTypeError(value, 'value of type storage.continueToken'));
    return { v: textOf(value, 'v'), rv: numberOf(value, 'rv'), start: textOf(value, 'start') };
  } catch (error) {
    throw isApiError(error) ? error : malformed(errorText(error));
  }
}

function textOf(token: JsonObject, name: string): string {
  const value = token[name] ?? '';
  if (typeof value !== 'string') throw malformed(mismatch(value, name, 'string'));
  return value;
}

function numberOf(token: JsonObject, name: string): number {
  const value = token[name] ?? 0;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw malformed(mismatch(value, name, 'int64'));
}

/** As encoding/json words it: numbers that do not fit are quoted. */
function mismatch(value: JsonValue, name: string, type: string): string {
  const text = unmarshalTypeError(value, `struct field continueToken.${name} of type ${type}`);
  return typeof value === 'number' && type === 'int64' ? text.replace('number', `number ${value}`) : text;
}

function malformed(detail: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${detail}`);
}
