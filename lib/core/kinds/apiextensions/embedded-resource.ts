// Whole resources inside of values: their kind, apiVersion and metadata are checked as those of any object.
// As apiextensions-apiserver/pkg/apiserver/schema/objectmeta: coerce.go and validation.go.
import { collect } from '../../errors/collect.js';
import { fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { isJsonObject } from '../../objects/json.js';
import { validateObjectMeta } from '../../objects/meta-validation.js';
import type { ObjectMeta } from '../../objects/meta.js';
import { isDns1035Label, nameIsPathSegment } from '../../objects/names.js';
import { builtinSchema } from '../../schema/builtin.js';
import { decodeValue } from '../../schema/decode.js';
import { isDecodeError } from '../../schema/decode-error.js';
import type { Schema } from './schema-value.js';
import { itemSchema, valueSchema } from './schema-walk.js';

/** The first thing that keeps an embedded resource from being read as one; `resource` says the value itself is one. */
export function coercionProblem(
  value: unknown,
  schema: Schema | undefined,
  resource: boolean,
  path: FieldPath,
): FieldError | undefined {
  if (schema === undefined) return undefined;
  if (isJsonObject(value) && (resource || isEmbedded(schema))) {
    for (const name of ['apiVersion', 'kind']) {
      if (Object.hasOwn(value, name) && typeof value[name] !== 'string')
        return fieldInvalid(path.child(name), value[name], 'must be a string');
    }
    const problem = Object.hasOwn(value, 'metadata') ? readMetadata(value.metadata) : undefined;
    if (typeof problem === 'string') return fieldInvalid(path.child('metadata'), value.metadata, problem);
  }
  for (const [item, inner, at] of children(value, schema, path)) {
    const problem = coercionProblem(item, inner, false, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Validates embedded resources. */
export function validateEmbeddedResources(
  value: unknown,
  schema: Schema | undefined,
  resource: boolean,
  path: FieldPath,
): readonly FieldError[] {
  if (schema === undefined) return [];
  const own = isJsonObject(value) && (resource || isEmbedded(schema)) ? validateResource(value, path) : [];
  return [
    ...own,
    ...collect(children(value, schema, path), ([item, inner, at]) => validateEmbeddedResources(item, inner, false, at)),
  ];
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function children(
  value: unknown,
  schema: Schema,
  path: FieldPath,
): readonly (readonly [unknown, Schema | undefined, FieldPath])[] {
  if (Array.isArray(value)) return value.map((item, index) => [item, itemSchema(schema), path.index(index)] as const);
  if (!isJsonObject(value)) return [];
  const { properties = {} } = schema;
  return Object.entries(value).map(([key, item]) =>
    Object.hasOwn(properties, key)
      ? ([item, properties[key], path.child(key)] as const)
      : ([item, valueSchema(schema), path.key(key)] as const),
  );
}

function validateResource(resource: Readonly<Record<string, unknown>>, path: FieldPath): readonly FieldError[] {
  const errors = ['apiVersion', 'kind']
    .filter((name) => !Object.hasOwn(resource, name))
    .map((name) => fieldRequired(path.child(name)));
  const { apiVersion, kind } = resource;
  if (typeof apiVersion === 'string') {
    if (apiVersion === '') errors.push(fieldInvalid(path.child('apiVersion'), '', 'must not be empty'));
    else if (apiVersion.split('/', 3).length > 2)
      errors.push(fieldInvalid(path.child('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (typeof kind === 'string') {
    const wrong = kind === '' ? [] : isDns1035Label(kind.toLowerCase());
    if (kind === '') errors.push(fieldInvalid(path.child('kind'), '', 'must not be empty'));
    if (wrong.length > 0)
      errors.push(
        fieldInvalid(path.child('kind'), kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`),
      );
  }
  const metadata = Object.hasOwn(resource, 'metadata') ? readMetadata(resource.metadata) : undefined;
  if (metadata === undefined || typeof metadata === 'string') return errors;
  const { name = 'fakename', namespace = '' } = metadata;
  const rules = { namespaced: namespace !== '', nameRule: nameIsPathSegment, path: path.child('metadata') };
  return [...errors, ...validateObjectMeta({ ...metadata, name }, rules)];
}

/** Metadata as of any object, or why it is none. */
function readMetadata(value: unknown): ObjectMeta | string {
  const type = builtinSchema.struct('meta/v1.ObjectMeta');
  if (type === undefined) throw new Error('the built-in schema lacks meta/v1.ObjectMeta');
  try {
    return decodeValue(type, value).object;
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
}
