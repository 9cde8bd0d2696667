// JSON bodies: text to an object of a known type and back. Knows what each level of field validation does with
// unknown and duplicate fields, and how Kubernetes spells JSON.
import type { Decoded } from '../schema/decode.js';
import { decodeJson, decodeJsonDocument, parseJson } from '../schema/decode-json.js';
import { DecodeError, isDecodeError } from '../schema/decode-error.js';
import type { StructType } from '../schema/type.js';
import { isJsonObject } from '../objects/json.js';
import type { TypeMeta } from '../objects/meta.js';

/** What to do about unknown and duplicate fields: drop them, drop and report them, or refuse the body. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A decoded body. */
export interface DecodedBody {
  /** Freshly made and not yet frozen: whoever decoded it may still fill in defaults. */
  readonly object: Record<string, unknown>;
  /** What to tell the client, one `Warning` header each. */
  readonly warnings: readonly string[];
}

/** Decodes a body against its type. Throws `DecodeError` in Kubernetes' words. */
export function decodeJsonBody(type: StructType, text: string, validation: FieldValidation = 'Warn'): DecodedBody {
  return applyValidation(decodeJson(type, text), validation);
}

/** Turns the problems of a decoded document into what the validation level says. Serves the other codecs too. */
export function applyValidation(
  { object, problems }: Pick<Decoded, 'object' | 'problems'>,
  validation: FieldValidation,
): DecodedBody {
  if (validation === 'Strict' && problems.length > 0)
    throw new DecodeError(`strict decoding error: ${problems.join(', ')}`);
  return { object, warnings: validation === 'Warn' ? problems : [] };
}

/**
 * Decodes a body whose type depends on the apiVersion and kind it claims. Throws `DecodeError`, and what `typeOf`
 * throws.
 */
export function decodeJsonClaim(
  text: string,
  typeOf: (claim: TypeMeta) => StructType,
  validation: FieldValidation = 'Warn',
): DecodedBody {
  const document = parsed(text);
  return applyValidation(decodeJsonDocument(typeOf(typeMetaOf(document)), text, document), validation);
}

/** The apiVersion and kind that a body claims, each absent where it claims none. */
export function readTypeMeta(text: string): TypeMeta {
  return typeMetaOf(parsed(text));
}

/** The same of a parsed document. */
export function typeMetaOf(found: unknown): TypeMeta {
  if (!isJsonObject(found))
    throw noTypeMeta(
      `json: cannot unmarshal ${Array.isArray(found) ? 'array' : typeof found} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const apiVersion = claim(found, 'apiVersion');
  const kind = claim(found, 'kind');
  if (apiVersion === undefined) return kind === undefined ? {} : { kind };
  return kind === undefined ? { apiVersion } : { apiVersion, kind };
}

/** Encodes as Kubernetes does: characters that HTML gives a meaning are escaped, and a newline ends the document. */
export function encodeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return `${special.test(text) ? text.replace(specials, escaped) : text}\n`;
}

/** The indented form that people ask for with `?pretty=true`: two spaces, no newline at the end. */
export function encodePrettyJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(specials, escaped);
}

const special = /[<>&\u2028\u2029]/;
const specials = new RegExp(special, 'g');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw isDecodeError(error) ? noTypeMeta(error.message) : error;
  }
}

function claim(object: Readonly<Record<string, unknown>>, name: 'apiVersion' | 'kind'): string | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string')
    throw noTypeMeta(
      `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value} into Go struct field .${name} of type string`,
    );
  return value;
}

function noTypeMeta(message: string): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: ${message}`);
}
