// patch: an update made from the object as it is. The patch is applied to the endpoint's version, decoded and defaulted
// again, and then goes the way of every update. As apiserver/pkg/endpoints/handlers/patch.go.
import {
  DecodeError,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  applyValidation,
  badRequest,
  decodeValue,
  fieldInvalid,
  fieldPath,
  invalid,
  isDecodeError,
  isJsonObject,
  isNotRegisteredError,
  isParseError,
  isPatchError,
  jsonPatchProblems,
  mediaTypes,
  notFound,
  parseGroupVersion,
  parseJson,
  parseJsonPatch,
  parseMergePatch,
  parseStrategicMergePatch,
  patchRejected,
  printGroupVersion,
  requestEntityTooLarge,
  setOwn,
  typeMetaOf,
  unclassifiedError,
} from '../../core/index.js';
import type {
  ApiObject,
  FieldValidation,
  GroupVersionKind,
  JsonObject,
  JsonValue,
  Scheme,
  StructType,
  TypeMeta,
} from '../../core/index.js';
import type { ObjectResponse, RequestBody } from '../../client/index.js';
import type { Exchange } from '../requests/exchange.js';
import { fieldValidationOf, openPatch } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { ensureNamespace } from '../writes/prepare.js';
import { statusHalf, writesOnlyStatus } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { updateObject } from '../writes/write-pipeline.js';
import { checkName } from './write.js';

/** A patch of a known type, ready to be applied to one object after the other. */
export interface ParsedPatch {
  /** Unknown and repeated members of the patch itself. */
  readonly problems: readonly string[];
  /**
   * Whether the patched document is read by the kind it claims. A strategic merge patch cannot change what it patches.
   */
  readonly claims: boolean;
  /** Throws PatchError. */
  apply(document: JsonObject): JsonValue;
}

/** Answers with the object as it is now. */
export async function patch(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const { body, patchType, form, options } = await openPatch(exchange, endpoint.offer);
  const write = new Write(endpoint, exchange, options, tools);
  let change: ParsedPatch | undefined;
  const { object } = await updateObject(write, {
    next(old) {
      // A missing object is refused before a patch that makes no sense.
      if (old === undefined) throw notFound(refOf(endpoint, exchange.request.info.name));
      change ??= translated(() => readPatch(patchType, body, endpoint.served.type()));
      return patched(write, change, old, fieldValidationOf(options));
    },
  });
  return { type: 'object', code: 200, object: endpoint.fromHub(object), form };
}

const utf8 = new TextDecoder();

/** Reads a patch. Throws PatchError and ApiError. */
export function readPatch(patchType: string, body: RequestBody | undefined, type: StructType): ParsedPatch {
  const value =
    body === undefined
      ? undefined
      : 'bytes' in body
        ? parsedText(utf8.decode(body.bytes), patchType)
        : (body.object as JsonValue);
  if (value === undefined) throw badRequest('error decoding patch: unexpected end of JSON input');
  if (patchType === mediaTypes.jsonPatch) {
    const operations = parseJsonPatch(value);
    return {
      problems: jsonPatchProblems(operations),
      claims: true,
      apply: (document) => applyJsonPatch(document, operations),
    };
  }
  if (patchType === mediaTypes.mergePatch) {
    const merge = parseMergePatch(value);
    return { problems: [], claims: true, apply: (document) => applyMergePatch(document, merge) };
  }
  const strategic = parseStrategicMergePatch(value);
  return { problems: [], claims: false, apply: (document) => applyStrategicMergePatch(document, strategic, type) };
}

function parsedText(text: string, patchType: string): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw badRequest(
      patchType === mediaTypes.strategicMergePatch ? error.message : `error decoding patch: ${error.message}`,
    );
  }
}

function patched(write: Write, change: ParsedPatch, old: StoredObject, validation: FieldValidation): ApiObject {
  const { endpoint, exchange } = write;
  const { info } = exchange.request;
  const base = endpoint.fromHub(old) as JsonObject;
  const document = translated(() => change.apply(base));
  const { scheme, gvk } = endpoint;
  const object = decodedPatch(
    exchange,
    { scheme, gvk, type: endpoint.served.type(), kept: keptMembers(write, document, base) },
    document,
    change,
    validation,
  );
  ensureNamespace(object, info.namespace, endpoint.stored);
  checkName(object, info.name);
  return object;
}

/**
 * What a patch left as it was, of the members that a write of status does not write: they need not be decoded again.
 * What a patch does not touch is the very same in document and base.
 */
function keptMembers({ exchange, stored }: Write, document: JsonValue, base: JsonObject): JsonObject {
  const kept: Record<string, JsonValue> = {};
  if (!writesOnlyStatus(stored, exchange.request.info.subresource) || !isJsonObject(document)) return kept;
  for (const [key, value] of Object.entries(base)) {
    if (!statusHalf.has(key) && typeof value === 'object' && document[key] === value) setOwn(kept, key, value);
  }
  return kept;
}

/** What a patched document is to be. */
export interface PatchTarget {
  readonly scheme: Scheme;
  readonly gvk: GroupVersionKind;
  readonly type: StructType;
  /** Members of the document that are decoded and defaulted already. */
  readonly kept?: JsonObject;
}

/** A patched document as an object, decoded and defaulted. Throws ApiError 422. */
export function decodedPatch(
  exchange: Exchange,
  { scheme, gvk, type, kept = {} }: PatchTarget,
  document: JsonValue,
  { problems, claims }: Pick<ParsedPatch, 'problems' | 'claims'>,
  validation: FieldValidation,
): ApiObject {
  try {
    if (claims) checkClaim(typeMetaOf(document), gvk, scheme);
    const decoded = decodeValue(type, isJsonObject(document) ? without(document, kept) : document);
    const { object, warnings } = applyValidation(
      { object: decoded.object, problems: [...problems, ...decoded.problems] },
      validation,
    );
    for (const warning of warnings) exchange.warn(warning);
    scheme.setDefaults(object, gvk);
    // Whatever was patched into them: an object in the store is of the kind of its key.
    return { ...object, ...kept, kind: gvk.kind, apiVersion: printGroupVersion(gvk) };
  } catch (error) {
    if (!isDecodeError(error) && !isParseError(error) && !isNotRegisteredError(error)) throw error;
    throw invalid({ group: '', kind: '' }, '', [
      fieldInvalid(fieldPath('patch'), JSON.stringify(document), error.message),
    ]);
  }
}

function without(document: JsonObject, members: JsonObject): JsonObject {
  const rest: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(document)) if (!Object.hasOwn(members, key)) setOwn(rest, key, value);
  return rest;
}

/** Throws where a document says that it is of another kind. */
function checkClaim({ apiVersion = '', kind = '' }: TypeMeta, gvk: GroupVersionKind, scheme: Scheme): void {
  const claimed = { ...(apiVersion === '' ? gvk : parseGroupVersion(apiVersion)), kind: kind === '' ? gvk.kind : kind };
  const [from, to] = [scheme.typeOf(claimed), scheme.typeOf(gvk)];
  if (claimed.kind !== gvk.kind)
    throw new DecodeError(
      `converting (${from.goType}) to (${to.name.slice(0, to.name.indexOf('/'))}.${gvk.kind}): unknown conversion`,
    );
}

/** What a refused patch is answered with. */
export function translated<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!isPatchError(error)) throw error;
    switch (error.code) {
      case 'malformed':
        throw badRequest(error.message);
      case 'tooLarge':
        throw requestEntityTooLarge(error.message);
      case 'invalid':
        throw patchRejected();
      case 'internal':
        throw unclassifiedError(error.message);
    }
  }
}
