// JSON bodies: text to an object of a known type and back. Knows what each level of field validation does with
// unknown and duplicate fields, and how Kubernetes spells JSON.
// Text is decoded by `JSON.parse`, then by the schema walker (schema/decode.ts). `JSON.parse` silently keeps the last
// of several equal keys and has its own error messages; the slower scanner runs only when the number of members shows
// that a key was lost, or when parsing failed.
import { jsonType, unmarshalTypeError } from '../go/encoding-json.js';
import type { ScanVisitor } from '../go/json-scanner.js';
import { countMembers, membersAtMost, scanJson } from '../go/json-scanner.js';
import { isJsonObject } from '../objects/json.js';
import type { TypeMeta } from '../objects/meta.js';
import { decodeValue, depthMax, problemsMax } from '../schema/decode.js';
import type { RouteStep } from '../schema/decode-error.js';
import { DecodeError, isDecodeError, printSteps } from '../schema/decode-error.js';
import type { Decoded, Shape, StructType } from '../schema/type.js';

/** The treatment of unknown and duplicate fields: drop them, drop and report them, or refuse the body. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** A decoded body. */
export interface DecodedBody {
  /** New and not yet frozen: the caller may still fill in defaults. */
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
      `json: cannot unmarshal ${jsonType(found)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
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

/** The indented form of `?pretty=true`: two spaces, no newline at the end. */
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
  if (typeof value !== 'string') throw noTypeMeta(unmarshalTypeError(value, `struct field .${name} of type string`));
  return value;
}

function noTypeMeta(message: string): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: ${message}`);
}

/** Decodes JSON text; besides unknown fields, duplicate ones are among the problems. */
export function decodeJson(type: StructType, text: string): Decoded {
  return decodeJsonDocument(type, text, parseJson(text));
}

/**
 * The same where the text was parsed already, to see what type it claims to be of. The document is the decoder's to
 * change.
 */
export function decodeJsonDocument(type: StructType, text: string, document: unknown): Decoded {
  const decoded = decodeValue(type, document, { owned: true });
  if (decoded.members === membersAtMost(text) || decoded.members === countMembers(text)) return decoded;
  if (type.decode !== undefined)
    return { ...decoded, problems: [...duplicateFields(text), ...decoded.problems].slice(0, problemsMax) };
  return { ...decoded, problems: strictProblems(type, text) };
}

/** `JSON.parse` with Go's words for what is wrong. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(wellFormed(text));
  } catch (cause) {
    throw new DecodeError(scanJson(text, undefined, depthMax) ?? 'invalid JSON', { cause });
  }
}

/** JSON whose strings are Unicode: half of a surrogate pair becomes U+FFFD, as in Go. Few texts escape any. */
export function wellFormed(text: string): string {
  return surrogate.test(text)
    ? text.replace(escapes, (escape) => (escape.length === 6 && surrogate.test(escape) ? '\\ufffd' : escape))
    : text;
}

const surrogate = /\\u[dD][89a-fA-F]/;
/** A pair, a lone character, or any other escape: a backslash that is escaped itself begins nothing. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[^])/g;

/** Duplicate fields of a document, whatever its type. */
function duplicateFields(text: string): readonly string[] {
  const problems = new Set<string>();
  const visit = (path: readonly RouteStep[]): ScanVisitor => {
    const seen = new Set<string>();
    return {
      key(name) {
        if (seen.has(name) && problems.size < problemsMax) problems.add(`duplicate field "${printSteps(path, name)}"`);
        seen.add(name);
        return visit([...path, name]);
      },
      element: (index) => visit([...path, index]),
    };
  };
  scanJson(text, visit([]), depthMax);
  return [...problems];
}

/** Unknown and duplicate fields of a document in the order in which they stand there. */
function strictProblems(type: StructType, text: string): readonly string[] {
  const problems = new Set<string>();
  const report = (problem: string, path: readonly RouteStep[], key: string): void => {
    if (problems.size < problemsMax) problems.add(`${problem} field "${printSteps(path, key)}"`);
  };
  const visit = (shape: Shape, path: readonly RouteStep[]): ScanVisitor | undefined => {
    const seen = new Set<string>();
    const repeated = (key: string): void => {
      if (seen.has(key)) report('duplicate', path, key);
      seen.add(key);
    };
    switch (shape.kind) {
      case 'struct':
        return {
          key(name) {
            const known = shape.fields.get(name);
            if (known === undefined) report('unknown', path, name);
            else repeated(name);
            return known && visit(known.shape, [...path, known]);
          },
          element: () => undefined,
        };
      case 'map':
        return {
          key(name) {
            repeated(name);
            return visit(shape.values, [...path, name]);
          },
          element: () => undefined,
        };
      case 'list':
        return { key: () => undefined, element: (index) => visit(shape.items, [...path, index]) };
      default:
        return undefined;
    }
  };
  scanJson(text, visit(type, []), depthMax);
  return [...problems];
}
