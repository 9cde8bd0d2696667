// patch: an update computed from the current object. The patch is applied to the endpoint's version, the result is
// decoded and defaulted again and then passes the write pipeline as an update. As
// apiserver/pkg/endpoints/handlers/patch.go.
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
  withMembers,
} from '../../core/index.js';
import type {
  ApiObject,
  FieldValidation,
  GroupVersionKind,
  JsonObject,
  JsonValue,
  ManagedFieldsEntry,
  Scheme,
  StructType,
  TypeMeta,
  ObjectResponse,
  RequestBody,
} from '../../core/index.js';
import type { Exchange } from '../pipeline.js';
import { fieldValidationOf, openPatch } from '../requests/open-write.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';
import { refOf } from '../registry/endpoint.js';
import type { StoredObject } from '../registry/stored-kind.js';
import { ensureNamespace, statusHalf, writesOnlyStatus } from '../writes/prepare.js';
import type { WriteTools } from '../writes/write.js';
import { Write } from '../writes/write.js';
import { updateObject } from '../writes/write-pipeline.js';
import { applyConfig } from './apply.js';
import { checkName } from './create-update-delete.js';

/** A parsed patch, which can be applied to several objects. */
export interface ParsedPatch {
  /** Unknown and duplicate members of the patch itself. */
  readonly problems: readonly string[];
  /** Whether the patched document may name another kind. A strategic merge patch cannot change it. */
  readonly claims: boolean;
  /** Throws PatchError. */
  apply(document: JsonObject): JsonValue;
}

/** Responds with the patched object. */
export async function patch(
  endpoint: ResourceEndpoint,
  exchange: Exchange,
  tools: WriteTools,
): Promise<ObjectResponse> {
  const opened = await openPatch(exchange, endpoint.offer);
  const { body, patchType, form, options } = opened;
  const write = new Write(endpoint, exchange, options, tools);
  if (patchType === mediaTypes.applyPatch) return applyConfig(write, opened);
  let change: ParsedPatch | undefined;
  const { object } = await updateObject(write, {
    next(old) {
      // A missing object is refused before an invalid patch.
      if (old === undefined) throw notFound(refOf(endpoint, exchange.request.info.name));
      change ??= translated(() => readPatch(patchType, body, endpoint.served.type()));
      return patched(write, change, old, fieldValidationOf(options));
    },
  });
  return { type: 'object', code: 200, object: endpoint.fromHub(object), form };
}

const utf8 = new TextDecoder();

/** Parses a patch. Throws PatchError and ApiError. */
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
  const entries = old.metadata?.managedFields;
  const isKept = entries !== undefined && managedFieldsOf(document) === managedFieldsOf(base);
  const object = decodedPatch(
    exchange,
    { scheme, gvk, type: endpoint.served.type(), kept: keptMembers(write, document, base) },
    isKept ? withoutManagedFields(document) : document,
    change,
    validation,
  );
  // Decoding would copy them, which is costly, and field ownership recognizes the stored entries.
  if (isKept) object.metadata = withMembers(object.metadata ?? {}, { managedFields: entries as ManagedFieldsEntry[] });
  ensureNamespace(object, info.namespace, endpoint.stored);
  checkName(object, info.name);
  return object;
}

function managedFieldsOf(document: JsonValue): JsonValue | undefined {
  const metadata = isJsonObject(document) ? document.metadata : undefined;
  return isJsonObject(metadata) ? metadata.managedFields : undefined;
}

function withoutManagedFields(document: JsonValue): JsonValue {
  const metadata = isJsonObject(document) ? document.metadata : undefined;
  if (!isJsonObject(document) || !isJsonObject(metadata)) return document;
  const { managedFields: _kept, ...rest } = metadata;
  return { ...document, metadata: rest };
}

/**
 * Members that a write of status ignores and that the patch left unchanged: they need not be decoded again. Members
 * that a patch does not touch are identical in document and base.
 */
function keptMembers({ exchange, stored }: Write, document: JsonValue, base: JsonObject): JsonObject {
  const kept: Record<string, JsonValue> = {};
  if (stored.strategy.defaultsStatusFromSpec === true) return kept;
  if (!writesOnlyStatus(stored, exchange.request.info.subresource) || !isJsonObject(document)) return kept;
  for (const [key, value] of Object.entries(base)) {
    if (!statusHalf.has(key) && typeof value === 'object' && document[key] === value) setOwn(kept, key, value);
  }
  return kept;
}

/** The kind that a patched document must have. */
export interface PatchTarget {
  readonly scheme: Scheme;
  readonly gvk: GroupVersionKind;
  readonly type: StructType;
  /** Members of the document that are decoded and defaulted already. */
  readonly kept?: JsonObject;
}

/** Decodes and defaults a patched document. Throws ApiError 422. */
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
    // A patch must not change kind and apiVersion: an object is stored under the key of its kind.
    return withMembers(withMembers(object, kept), { kind: gvk.kind, apiVersion: printGroupVersion(gvk) });
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

/** Throws DecodeError where a document names another kind. */
function checkClaim({ apiVersion = '', kind = '' }: TypeMeta, gvk: GroupVersionKind, scheme: Scheme): void {
  const claimed = { ...(apiVersion === '' ? gvk : parseGroupVersion(apiVersion)), kind: kind === '' ? gvk.kind : kind };
  const [from, to] = [scheme.typeOf(claimed), scheme.typeOf(gvk)];
  if (claimed.kind !== gvk.kind)
    throw new DecodeError(
      `converting (${from.goType}) to (${to.name.slice(0, to.name.indexOf('/'))}.${gvk.kind}): unknown conversion`,
    );
}

/** Runs a step and translates PatchError to ApiError. */
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
