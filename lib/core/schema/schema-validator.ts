// Validation and defaults by JSON Schema, for the kinds that a host defines. Validation uses ajv: a violation becomes a
// field error in the words in which Kubernetes refuses a custom resource. ajv is loaded when the first kind is defined.
// Each schema has a validator of its own, since ajv keeps every schema it compiled and would never release the kinds
// that are removed. It is compiled on the first write.
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { FieldError } from '../errors/field-error.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTypeInvalid,
} from '../errors/field-error.js';
import { FieldPath } from '../errors/field-path.js';
import type { JsonObject, JsonValue } from '../objects/json.js';
import { isJsonObject, setOwn, deepCopy } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';

/** Returns everything that is wrong with an object. */
export type SchemaValidator = (object: Frozen<ApiObject>) => readonly FieldError[];

/** A validator by a JSON Schema. Rejects with Error where the schema is not valid. */
export async function schemaValidator(schema: JsonObject): Promise<SchemaValidator> {
  const { Ajv } = await import('ajv');
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, verbose: true });
  if (ajv.validateSchema(schema) !== true) throw new Error(`not a JSON Schema: ${ajv.errorsText()}`);
  const named = new Set([...Object.keys(objectOf(schema.properties)), ...textsOf(schema.required)]);
  let compiled: ValidateFunction | undefined;
  return (object) => {
    compiled ??= ajv.compile(schema);
    return compiled(contentOf(object, named)) ? [] : (compiled.errors ?? []).flatMap(errorOf);
  };
}

/** Type metadata and metadata are the server's to check, unless the schema names them. */
function contentOf(object: Frozen<ApiObject>, named: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(object as JsonObject).filter(([name]) => named.has(name) || !serverFields.has(name)),
  );
}

const serverFields: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

/** As kube-openapi/pkg/validation/errors and apiextensions-apiserver/pkg/apiserver/validation/validation.go. */
function errorOf({ keyword, instancePath, params, message = '', data }: ErrorObject): readonly FieldError[] {
  const path = pathOf(instancePath);
  const where = `${path.toString()} in body`;
  const limit = typeof params.limit === 'number' ? params.limit : 0;
  switch (keyword) {
    case 'required':
      return [fieldRequired(path.child(String(params.missingProperty)))];
    case 'additionalProperties':
      return [fieldForbidden(path.child(String(params.additionalProperty)), 'unknown field')];
    case 'type':
      return [fieldTypeInvalid(path, data, `${where} must be of type ${String(params.type)}: ${printed(data)}`)];
    case 'enum':
      return [
        fieldNotSupported(path, data, Array.isArray(params.allowedValues) ? params.allowedValues.map(String) : []),
      ];
    case 'minimum':
      return [fieldInvalid(path, data, `${where} should be greater than or equal to ${limit}`)];
    case 'maximum':
      return [fieldInvalid(path, data, `${where} should be less than or equal to ${limit}`)];
    case 'exclusiveMinimum':
      return [fieldInvalid(path, data, `${where} should be greater than ${limit}`)];
    case 'exclusiveMaximum':
      return [fieldInvalid(path, data, `${where} should be less than ${limit}`)];
    case 'multipleOf':
      return [fieldInvalid(path, data, `${where} should be a multiple of ${String(params.multipleOf)}`)];
    case 'pattern':
      return [fieldInvalid(path, data, `${where} should match '${String(params.pattern)}'`)];
    case 'minLength':
      return [fieldInvalid(path, data, `${where} should be at least ${limit} chars long`)];
    case 'maxLength':
      return [fieldTooLongCharacters(path, limit)];
    case 'minItems':
      return [
        fieldInvalid(path, Array.isArray(data) ? data.length : 0, `${where} should have at least ${limit} items`),
      ];
    case 'maxItems':
      return [fieldTooMany(path, Array.isArray(data) ? data.length : 0, limit)];
    case 'uniqueItems': {
      const later = Math.max(Number(params.i), Number(params.j));
      return [fieldDuplicate(path.index(later), Array.isArray(data) ? data[later] : undefined)];
    }
    // What they wrap is in the list itself.
    case 'if':
      return [];
    default:
      return [fieldInvalid(path, data, `${where} ${message}`)];
  }
}

/** `/spec/volumes/0` as a path. A step of digits is taken for an index. */
function pathOf(pointer: string): FieldPath {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? path.index(Number(step)) : path.child(step)), FieldPath.nil);
}

function printed(value: unknown): string {
  return JSON.stringify(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Fills in the schema's defaults, in place, where a property is absent, at every level of the value. Idempotent. */
export function applySchemaDefaults(schema: JsonValue | undefined, value: unknown): void {
  if (!isJsonObject(schema)) return;
  if (Array.isArray(value)) {
    for (const item of value) applySchemaDefaults(schema.items, item);
    return;
  }
  if (!isJsonObject(value)) return;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  for (const [name, property] of Object.entries(properties)) {
    const absent = isJsonObject(property) && property.default !== undefined && !Object.hasOwn(value, name);
    if (absent) setOwn(value, name, deepCopy(property.default));
    applySchemaDefaults(property, value[name]);
  }
  for (const [name, each] of Object.entries(value))
    if (!Object.hasOwn(properties, name)) applySchemaDefaults(schema.additionalProperties, each);
}
