// Decodes request bodies: from bytes, or from an object of this process, to a decoded and defaulted object of the
// endpoint's version that the caller owns. Refusals are Kubernetes' own, as
// apiserver/pkg/endpoints/handlers/{create,rest}.go.
import {
  apiVersionMismatch,
  applyValidation,
  badRequest,
  decodeJsonClaim,
  decodeMessage,
  decodeValue,
  isDecodeError,
  isNotRegisteredError,
  isParseError,
  mediaTypes,
  openEnvelope,
  parseGroupVersion,
  parseMediaType,
  parseYaml,
  printGroupVersion,
  typeMetaOf,
  unsupportedMediaType,
} from '../../core/index.js';
import type {
  ApiObject,
  DecodedBody,
  FieldValidation,
  GroupVersionKind,
  Scheme,
  StructType,
  TypeMeta,
  RequestBody,
} from '../../core/index.js';
import type { Exchange } from '../pipeline.js';

/** What a body must be. */
export interface Expected {
  readonly scheme: Scheme;
  /** The kind of the endpoint, and of a body that names none. */
  readonly gvk: GroupVersionKind;
  readonly validation: FieldValidation;
  /** Other accepted kinds, such as an Eviction of another version. */
  readonly accepts?: (claimed: GroupVersionKind) => boolean;
}

/**
 * Decodes and defaults the body of a request; adds its warnings to the exchange and records it. Resolves to an object
 * that the caller owns. Rejects with ApiError 400 and 415.
 */
export async function decodeBody(
  body: RequestBody | undefined,
  expected: Expected,
  exchange: Exchange,
): Promise<ApiObject> {
  const claim = new Claim(expected);
  try {
    const read = readBody(body, claim.typeOf, expected.validation);
    const { object, warnings } = read instanceof Promise ? await read : read;
    const decoded: ApiObject = object;
    decoded.kind = claim.gvk.kind;
    decoded.apiVersion = printGroupVersion(claim.gvk);
    claim.check();
    expected.scheme.setDefaults(decoded, claim.gvk);
    for (const warning of warnings) exchange.warn(warning);
    exchange.recorder?.object(decoded);
    return decoded;
  } catch (error) {
    throw isDecodeError(error) || isNotRegisteredError(error) || isParseError(error)
      ? claim.refusal(error.message, body)
      : error;
  }
}

/** The media type of a body; default JSON. Throws ApiError 415 for one that endpoints do not read. */
export function bodyMediaType(contentType: string): string {
  if (contentType === '') return mediaTypes.json;
  const name = parseMediaType(contentType)?.name;
  if (name === undefined || !readable.includes(name)) throw unsupportedMediaType(readable);
  return name;
}

const readable: readonly string[] = [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf];
const utf8 = new TextDecoder();

/** Returns the schema for the apiVersion and kind that a body names. */
export type TypeFinder = (claim: TypeMeta) => StructType;

/**
 * Decodes a body by the apiVersion and kind that it names. Throws or rejects with ApiError 415, DecodeError, ParseError
 * and what the finder throws.
 */
export function readBody(
  body: RequestBody | undefined,
  typeOf: TypeFinder,
  validation: FieldValidation,
): DecodedBody | Promise<DecodedBody> {
  if (body === undefined) return decodeJsonClaim('', typeOf, validation);
  if ('object' in body) return applyValidation(decodeValue(typeOf(typeMetaOf(body.object)), body.object), validation);
  switch (bodyMediaType(body.contentType)) {
    case mediaTypes.protobuf: {
      const { apiVersion, kind, raw } = openEnvelope(body.bytes);
      const type = typeOf({ apiVersion, kind });
      return { object: decodeValue(type, decodeMessage(type, raw), { owned: true }).object, warnings: [] };
    }
    case mediaTypes.yaml:
      return parseYaml(utf8.decode(body.bytes)).then(({ value, problems }) => {
        const decoded = decodeValue(typeOf(typeMetaOf(value)), value);
        return applyValidation({ object: decoded.object, problems: [...problems, ...decoded.problems] }, validation);
      });
    default:
      return decodeJsonClaim(utf8.decode(body.bytes), typeOf, validation);
  }
}

/** The group, version and kind that a body names, completed by those of the endpoint. */
class Claim {
  readonly #expected: Expected;
  #claimed: GroupVersionKind | undefined;

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  get gvk(): GroupVersionKind {
    return this.#claimed ?? this.#expected.gvk;
  }

  /** The schema to decode with. Throws NotRegisteredError. */
  readonly typeOf = ({ apiVersion = '', kind = '' }: TypeMeta): StructType => {
    const { gvk, scheme } = this.#expected;
    const version = apiVersion === '' ? gvk : parseGroupVersion(apiVersion);
    // Kind and version default separately: a body may name one of them.
    this.#claimed = { group: version.group, version: version.version, kind: kind === '' ? gvk.kind : kind };
    return scheme.typeOf(this.#claimed);
  };

  /** Throws ApiError 400 for a kind or version that the endpoint does not accept. */
  check(): void {
    const { gvk, scheme, accepts } = this.#expected;
    const claimed = this.gvk;
    if (claimed.kind === gvk.kind && claimed.group === gvk.group && claimed.version === gvk.version) return;
    if (accepts?.(claimed) === true) return;
    const [from, to] = [scheme.typeOf(claimed), scheme.typeOf(gvk)];
    const sameFamily =
      scheme.kind(claimed)?.hub.kind === scheme.kind(gvk)?.hub.kind &&
      scheme.kind(claimed)?.hub.group === scheme.kind(gvk)?.hub.group;
    if (sameFamily) throw apiVersionMismatch(printGroupVersion(claimed), printGroupVersion(gvk));
    const internal = `${to.name.slice(0, to.name.indexOf('/'))}.${gvk.kind}`;
    throw this.#unfit(`converting (${from.goType}) to (${internal}): unknown conversion`);
  }

  refusal(message: string, body: RequestBody | undefined): Error {
    if (this.#claimed !== undefined) return this.#unfit(message);
    const bytes = body !== undefined && 'bytes' in body ? body.bytes : new Uint8Array();
    return badRequest(
      `the object provided is unrecognized (must be of type ${this.#expected.gvk.kind}): ${message} (${summary(bytes)})`,
    );
  }

  #unfit(message: string): Error {
    const { kind, version } = this.gvk;
    return badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${this.#expected.gvk.kind}: ${message}`,
    );
  }
}

const summaryBytesMax = 30;

/** The start of a body that could not be decoded: as text where it looks like JSON, otherwise in hexadecimal digits. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, summaryBytesMax);
  const text =
    bytes[0] === 0x7b ? utf8.decode(start) : Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > summaryBytesMax ? `${text} ...` : text;
}
