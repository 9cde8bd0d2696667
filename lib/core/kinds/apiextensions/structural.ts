// Structural schemas: every value has one known type, said outside of all logic, so that unknown fields can be dropped
// and defaults filled in. As apiextensions-apiserver/pkg/apiserver/schema: convert.go, validation.go and complete.go.
import { visitUntilFull } from '../../errors/collect.js';
import { fieldErrorText, fieldForbidden, fieldInvalid, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import { parseGoRegexp } from '../../go/regexp.js';
import type { Schema } from './schema-value.js';
import { isSchemaList, itemSchema, valueSchema } from './schema-walk.js';

type FieldErrors = readonly FieldError[];

/** Why a schema has no structural form at all; undefined if it may have one. */
export function structuralProblem(schema: Schema): string | undefined {
  for (const [name, isSet] of unsupported) if (isSet(schema)) return `OpenAPIV3Schema '${name}' is not supported`;
  const nested = [schema.not, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const inside = firstProblem(nested);
  if (inside !== undefined) return inside;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (schema.items !== undefined && isSchemaList(schema.items))
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return firstProblem([itemSchema(schema), ...Object.values(schema.properties ?? {}), valueSchema(schema)]);
}

/** What keeps a schema from being structural, in the order of the sentences. */
export function validateStructural(schema: Schema, path: FieldPath): FieldErrors {
  const errors = [...validateNode(schema, 'root', path), ...validateCompleteness(schema, schema, path, path)];
  return errors
    .map((error) => ({ error, text: fieldErrorText(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ error }) => error);
}

const unsupported: readonly (readonly [string, (schema: Schema) => boolean])[] = [
  ['id', ({ id = '' }) => id !== ''],
  ['schema', ({ $schema = '' }) => $schema !== ''],
  ['$ref', ({ $ref = '' }) => $ref !== ''],
  ['patternProperties', ({ patternProperties }) => patternProperties !== undefined],
  ['dependencies', ({ dependencies }) => dependencies !== undefined],
  ['additionalItems', ({ additionalItems }) => additionalItems !== undefined],
  ['definitions', ({ definitions }) => definitions !== undefined],
];

function firstProblem(schemas: readonly (Schema | undefined)[]): string | undefined {
  for (const schema of schemas) {
    const problem = schema && structuralProblem(schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

type Level = 'root' | 'item' | 'field';

const untyped: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateNode(schema: Schema, level: Level, path: FieldPath): FieldErrors {
  const { type = '', properties = {}, additionalProperties } = schema;
  const [items, values] = [itemSchema(schema), valueSchema(schema)];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserving = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const errors: FieldError[] = [];
  if (type === 'array' && items === undefined) errors.push(fieldRequired(path.child('items'), 'must be specified'));
  if (items !== undefined) errors.push(...validateNode(items, 'item', path.child('items')));
  for (const [name, property] of Object.entries(properties))
    errors.push(...validateNode(property, 'field', path.child('properties').key(name)));
  if (additionalProperties !== undefined && level === 'root')
    errors.push(fieldForbidden(path.child('additionalProperties'), 'must not be used at the root'));
  if (values !== undefined) errors.push(...validateNode(values, 'field', path.child('additionalProperties')));
  if (intOrString && preserving) {
    errors.push(
      fieldInvalid(
        path.child('x-kubernetes-preserve-unknown-fields'),
        true,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    );
  }
  if (intOrString && embedded) {
    errors.push(
      fieldInvalid(
        path.child('x-kubernetes-embedded-resource'),
        true,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    );
  }
  errors.push(
    ...validateLogic(schema, path, {
      anyOf: isIntOrString(schema.anyOf),
      firstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf),
    }),
  );
  if (embedded && type !== 'object') {
    const rule = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? fieldRequired(path.child('type'), rule) : fieldInvalid(path.child('type'), type, rule));
  } else if (type === '' && !intOrString && !preserving) errors.push(fieldRequired(path.child('type'), untyped[level]));
  if (embedded && additionalProperties !== undefined) {
    errors.push(
      fieldForbidden(path.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(fieldInvalid(path.child('type'), type, 'must be object at the root'));
  errors.push(...validateMetadata(schema, level, path));
  if (embedded && !preserving && Object.keys(properties).length === 0) {
    const rule =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(fieldRequired(path.child('properties'), rule));
  }
  return errors;
}

/** Kind, apiVersion and metadata have schemas of their own; at the root only names may be restricted further. */
function validateMetadata(schema: Schema, level: Level, path: FieldPath): FieldErrors {
  const { properties = {} } = schema;
  const ofResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const property = own(properties, name);
    if (property === undefined || !ofResource || property.type === 'string') continue;
    errors.push(fieldInvalid(path.child('properties').key(name).child('type'), property.type ?? '', 'must be string'));
  }
  const metadata = own(properties, 'metadata');
  if (metadata === undefined) return errors;
  const at = path.child('properties').key('metadata');
  if (ofResource && metadata.type !== 'object')
    errors.push(fieldInvalid(at.child('type'), metadata.type ?? '', 'must be object'));
  const names = Object.keys(metadata.properties ?? {});
  const plain = Object.keys(metadata).every((key) => key === 'type' || key === 'default' || key === 'properties');
  if (level === 'root' && !(plain && names.every((name) => name === 'name' || name === 'generateName'))) {
    errors.push(
      fieldForbidden(
        at,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  }
  return errors;
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The one way in which a type may stand inside of logic. */
function isIntOrString(anyOf: readonly Schema[] | undefined): boolean {
  return deepEqual(anyOf, [{ type: 'integer' }, { type: 'string' }]);
}

interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

function validateLogic(schema: Schema, path: FieldPath, skipped: Skipped): FieldErrors {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
  const none = { anyOf: false, firstAllOf: false };
  const errors: FieldError[] = [];
  if (!skipped.anyOf)
    visitUntilFull(anyOf, errors, (inner, index) =>
      errors.push(...validateNested(inner, path.child('anyOf').index(index), none)),
    );
  visitUntilFull(allOf, errors, (inner, index) => {
    const options = { anyOf: skipped.firstAllOf && index === 0, firstAllOf: false };
    errors.push(...validateNested(inner, path.child('allOf').index(index), options));
  });
  visitUntilFull(oneOf, errors, (inner, index) =>
    errors.push(...validateNested(inner, path.child('oneOf').index(index), none)),
  );
  if (not !== undefined) errors.push(...validateNested(not, path.child('not'), none));
  const parsed = pattern === '' ? undefined : parseGoRegexp(pattern);
  if (parsed !== undefined && 'error' in parsed) {
    errors.push(
      fieldInvalid(path.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${parsed.error}`),
    );
  }
  return errors;
}

/** Inside of logic a schema may restrict values, but not say what they are. */
function validateNested(schema: Schema, path: FieldPath, skipped: Skipped): FieldErrors {
  const none = { anyOf: false, firstAllOf: false };
  const items = itemSchema(schema);
  const { properties = {} } = schema;
  const errors = [...validateLogic(schema, path, skipped)];
  if (items !== undefined) errors.push(...validateNested(items, path.child('items'), none));
  for (const [name, property] of Object.entries(properties))
    errors.push(...validateNested(property, path.child('properties').key(name), none));
  for (const [name, must] of forbiddenInside) {
    const value = schema[name];
    if (value !== undefined && (value !== false || name === 'default'))
      errors.push(fieldForbidden(path.child(name), `must be ${must} to be structural`));
  }
  if (Object.hasOwn(properties, 'metadata'))
    errors.push(fieldForbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'));
  return errors;
}

const forbiddenInside = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
] as const;

/** Whatever logic speaks of must exist outside of it. `structural` is the part of the schema at `path`. */
function validateCompleteness(logic: Schema, structural: Schema, path: FieldPath, logicPath: FieldPath): FieldErrors {
  const { not, allOf = [], anyOf = [], oneOf = [] } = logic;
  const errors: FieldError[] = [];
  if (not !== undefined) errors.push(...validateNestedCompleteness(not, structural, path, logicPath.child('not')));
  for (const [name, schemas] of Object.entries({ allOf, anyOf, oneOf })) {
    visitUntilFull(schemas, errors, (inner, index) =>
      errors.push(...validateNestedCompleteness(inner, structural, path, logicPath.child(name).index(index))),
    );
  }
  return errors;
}

function validateNestedCompleteness(
  logic: Schema,
  structural: Schema,
  path: FieldPath,
  logicPath: FieldPath,
): FieldErrors {
  const errors = [...validateCompleteness(logic, structural, path, logicPath)];
  const visit = (inner: Schema, counterpart: Schema | undefined, step: (from: FieldPath) => FieldPath): void => {
    const [at, logicAt] = [step(path), step(logicPath)];
    if (counterpart === undefined) errors.push(fieldRequired(at, `because it is defined in ${logicAt.toString()}`));
    else errors.push(...validateNestedCompleteness(inner, counterpart, at, logicAt));
  };
  const items = itemSchema(logic);
  if (items !== undefined) visit(items, itemSchema(structural), (from) => from.child('items'));
  for (const [name, property] of Object.entries(logic.properties ?? {})) {
    visit(property, own(structural.properties ?? {}, name), (from) => from.child('properties').key(name));
  }
  return errors;
}
