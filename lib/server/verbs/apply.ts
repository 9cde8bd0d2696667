// Server-side apply: a patch that is a partial object, merged by the rules of field ownership (core/ownership). The
// object is created where it does not exist. As apiserver/pkg/endpoints/handlers/patch.go, applyPatcher.
import {
  FieldTypeError,
  ItemKeyError,
  badRequest,
  conflict,
  decodeValue,
  deepCopy,
  groupVersionKindOf,
  isDecodeError,
  isJsonObject,
  isParseError,
  parseYaml,
  printGroupVersion,
  printGroupVersionKind,
  printTime,
  sameGroupVersionKind,
  unclassifiedError,
  unmarshalTypeError,
} from '../../core/index.js';
import type {
  ApiObject,
  FieldFilter,
  FieldOwnership,
  Frozen,
  GroupVersionKind,
  JsonObject,
  JsonValue,
  ObjectMeta,
  ObjectResponse,
  RequestBody,
  Scheme,
  StructType,
} from '../../core/index.js';
import { refOf } from '../registry/endpoint.js';
import type { OpenedPatch } from '../requests/open-write.js';
import { fieldValidationOf } from '../requests/open-write.js';
import { ensureNamespace } from '../writes/prepare.js';
import { resetFieldsOf } from '../writes/reset-fields.js';
import type { Write } from '../writes/write.js';
import { updateObject } from '../writes/write-pipeline.js';
import { checkName } from './create-update-delete.js';

/** Responds with the object that a configuration was applied to. */
export async function applyConfig(write: Write, { body, form }: OpenedPatch): Promise<ObjectResponse> {
  const { endpoint, exchange, stored } = write;
  const { namespace, name, subresource } = exchange.request.info;
  const read = configReader(write, body);
  const target: ApplyTarget = {
    ownership: stored.ownership,
    scheme: endpoint.scheme,
    gvk: endpoint.gvk,
    type: endpoint.served.type(),
    filter: resetFieldsOf(stored, subresource),
  };
  const { object, fate } = await updateObject(write, {
    isApply: true,
    async next(old) {
      const applied = applyTo(target, write, await read(), old && endpoint.fromHub(old));
      const { uid = '' } = applied.metadata ?? {};
      if (old === undefined && uid !== '')
        throw conflict(
          refOf(endpoint, name),
          `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        );
      ensureNamespace(applied, namespace, stored);
      checkName(applied, name);
      return applied;
    },
  });
  return { type: 'object', code: fate === 'created' ? 201 : 200, object: endpoint.fromHub(object), form };
}

/** A configuration as it was sent. */
export interface Configuration {
  readonly document: JsonObject;
  /** Reports members that occur twice: refuses them, or adds a warning, once the configuration is applied. */
  readonly reportDuplicates: () => void;
}

/** Returns a function that parses the body once, on its first call. Rejects with ApiError 400. */
export function configReader(write: Write, body: RequestBody | undefined): () => Promise<Configuration> {
  let config: Promise<Configuration> | undefined;
  return () => (config ??= readConfig(write, body));
}

async function readConfig({ exchange, options }: Write, body: RequestBody | undefined): Promise<Configuration> {
  const { value, problems } = await parsedBody(body);
  if (!isJsonObject(value))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${unmarshalTypeError(value, 'value of type map[string]interface {}')}`,
    );
  const validation = fieldValidationOf(options);
  return {
    document: value,
    reportDuplicates() {
      for (const problem of validation === 'Ignore' ? [] : problems) {
        if (validation === 'Strict')
          throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
        exchange.warn(`error converting YAML to JSON: ${problem}`);
      }
    },
  };
}

async function parsedBody(
  body: RequestBody | undefined,
): Promise<{ readonly value: JsonValue; readonly problems: readonly string[] }> {
  if (body === undefined) return { value: {}, problems: [] };
  if ('object' in body) return { value: body.object as JsonValue, problems: [] };
  try {
    const parsed = await parseYaml(new TextDecoder().decode(body.bytes));
    return parsed.value === null ? { ...parsed, value: {} } : parsed;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** What a configuration is applied to. */
export interface ApplyTarget {
  readonly ownership: FieldOwnership;
  readonly scheme: Scheme;
  readonly gvk: GroupVersionKind;
  readonly type: StructType;
  readonly filter?: FieldFilter | undefined;
}

/**
 * Returns the object with the configuration applied, complete and with its managed fields; the caller owns it. Throws
 * ApiError 400, 409 and 500.
 */
export function applyTo(
  { ownership, scheme, gvk, type, filter }: ApplyTarget,
  { context, exchange, options }: Write,
  { document: config, reportDuplicates }: Configuration,
  old: Frozen<ApiObject> | undefined,
): ApiObject {
  checkConfig(config, gvk);
  const shown = `(${shownObject(config, gvk)})`;
  const document = explained(shown, () =>
    ownership.apply({
      old,
      config,
      manager: context.manager,
      subresource: exchange.request.info.subresource,
      apiVersion: printGroupVersion(gvk),
      time: printTime(context.now),
      isForced: options.force === true,
      filter,
    }),
  );
  const object = document.isUnchanged
    ? (deepCopy(document.document) as ApiObject)
    : decoded(document.document, { scheme, gvk, type }, shown);
  reportDuplicates();
  return object;
}

/** Throws ApiError 400 for a configuration of another kind, or one with managed fields. */
function checkConfig(config: JsonObject, gvk: GroupVersionKind): void {
  const claimed = claimOf(config);
  if (!sameGroupVersionKind(claimed, gvk)) throw badRequest(`invalid object type: ${printGroupVersionKind(claimed)}`);
  const { metadata } = config;
  if (isJsonObject(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw badRequest('metadata.managedFields must be nil');
}

function claimOf({ apiVersion, kind }: JsonObject): GroupVersionKind {
  try {
    return groupVersionKindOf({
      apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
      kind: typeof kind === 'string' ? kind : '',
    });
  } catch (error) {
    if (!isParseError(error)) throw error;
    return { group: '', version: '', kind: '' };
  }
}

function shownObject(config: JsonObject, gvk: GroupVersionKind): string {
  const { namespace = '', name = '' } = (isJsonObject(config.metadata) ? config.metadata : {}) as ObjectMeta;
  return `${namespace}/${name}; ${printGroupVersionKind(gvk)}`;
}

/** Runs an apply and translates failures of types, which Kubernetes reports as bare text. */
function explained<T>(shown: string, apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    if (error instanceof FieldTypeError)
      throw unclassifiedError(`failed to create typed patch object ${shown}: ${error.message}`);
    if (error instanceof ItemKeyError)
      throw unclassifiedError(`failed to create typed live object ${shown}: ${error.message}`);
    throw error;
  }
}

function decoded(
  document: JsonObject,
  { scheme, gvk, type }: Pick<ApplyTarget, 'scheme' | 'gvk' | 'type'>,
  shown: string,
): ApiObject {
  try {
    const object: ApiObject = decodeValue(type, document).object;
    object.kind = gvk.kind;
    object.apiVersion = printGroupVersion(gvk);
    scheme.setDefaults(object, gvk);
    return object;
  } catch (error) {
    if (!isDecodeError(error) && !isParseError(error)) throw error;
    throw unclassifiedError(`failed to convert new object ${shown} to proper version: ${error.message}`);
  }
}
