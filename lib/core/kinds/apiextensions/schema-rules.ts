// The rules of schemas beyond their being structural: what of OpenAPI is not supported, which extensions go together.
// Rules in CEL are handed to the check once everything at and below them is in order.
// As apiextensions-apiserver/pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
import { collect } from '../../errors/collect.js';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import type { FieldPath } from '../../errors/field-path.js';
import type { ExpressionCheck } from '../expression-check.js';
import { printedWord } from '../printed-values.js';
import { hasLineBreak, isBlank, trimSpace } from '../../go/trim-space.js';
import { findField } from './field-path-rules.js';
import type { RuleCosts } from './rule-costs.js';
import { validateListAndMapTypes } from './list-types.js';
import type { Schema } from './schema-value.js';
import { isSchema, isSchemaList } from './schema-walk.js';
import { structuralProblem } from './structural.js';

type FieldErrors = readonly FieldError[];

/** What depends on where a schema stands and on what the old definition had. */
export interface SchemaScope {
  /** Why there may be no defaults here; undefined where there may be. */
  readonly noDefaults?: string;
  /** Inside of metadata, kind or apiVersion of a resource. */
  readonly insideMeta: boolean;
  readonly isRoot: boolean;
  readonly requireKnownTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
  /** How to check rules in CEL; undefined inside of logic and where the schema is not structural. */
  readonly check: ExpressionCheck | undefined;
  readonly costs: RuleCosts;
  /** How many values of the schema an object has at most; undefined where there is no bound. */
  readonly valuesMax: number | undefined;
  /** The schema around this one in which old values cannot be found. */
  readonly uncorrelatable: FieldPath | undefined;
  /** Rules and message expressions that the definition already had. */
  readonly stored: ReadonlySet<string>;
  /** The definition already had this schema. */
  readonly unchanged: boolean;
}

/** Errors of the schema itself, followed by those of its rules. */
export interface SchemaErrors {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/** The types that OpenAPI knows. */
export const knownTypes: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Validates a schema and those inside it. */
export function validateSchema(schema: Schema, path: FieldPath, scope: SchemaScope): SchemaErrors {
  const errors: SchemaErrors = { schema: [...validateSupported(schema, path, scope)], rules: [] };
  const { check: _, ...rest } = scope;
  const inLogic: SchemaScope = { ...rest, check: undefined, isRoot: false };
  const below: SchemaScope = { ...scope, isRoot: false };
  const visit = (inner: Schema, at: FieldPath, innerScope: SchemaScope): void => {
    const found = validateSchema(inner, at, innerScope);
    errors.schema.push(...found.schema);
    errors.rules.push(...found.rules);
  };

  if (schema.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.schema.push(fieldForbidden(path.child('uniqueItems'), why));
  }
  visitProperties(schema, path, { scope, below, errors, visit });
  if (schema.not !== undefined) visit(schema.not, path.child('not'), inLogic);
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[name]?.forEach((inner, index) => visit(inner, path.child(name).index(index), inLogic));
  }
  for (const [name, inner] of Object.entries(schema.definitions ?? {}))
    visit(inner, path.child('definitions').key(name), inLogic);
  if (schema.items !== undefined) {
    const at = path.child('items');
    const isMap = schema['x-kubernetes-list-type'] === 'map';
    const items = repeated(below, schema.maxItems, isMap ? undefined : path);
    if (isSchemaList(schema.items)) schema.items.forEach((inner, index) => visit(inner, at.index(index), items));
    else visit(schema.items, at, items);
  }
  for (const [name, inner] of Object.entries(schema.dependencies ?? {})) {
    if (isSchema(inner)) visit(inner, path.child('dependencies').key(name), inLogic);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.schema.push(
      fieldInvalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
    );
  }
  errors.schema.push(...validateListAndMapTypes(schema, path, scope), ...validateRules(schema, path));
  if (
    (schema['x-kubernetes-validations'] ?? []).length > 0 &&
    errors.schema.length === 0 &&
    scope.check !== undefined
  ) {
    const { stored, unchanged, costs, valuesMax, uncorrelatable } = scope;
    const isResource = scope.isRoot || schema['x-kubernetes-embedded-resource'] === true;
    errors.rules.push(
      ...scope.check({ kind: 'schema', schema, path, stored, unchanged, costs, valuesMax, uncorrelatable, isResource }),
    );
  }
  return errors;
}

/** The scope of what a list or map holds several of. */
function repeated(scope: SchemaScope, count: number | undefined, uncorrelatable: FieldPath | undefined): SchemaScope {
  const { valuesMax } = scope;
  return {
    ...scope,
    valuesMax: valuesMax === undefined || count === undefined ? undefined : valuesMax * count,
    uncorrelatable: scope.uncorrelatable ?? uncorrelatable,
  };
}

interface Visit {
  readonly scope: SchemaScope;
  readonly below: SchemaScope;
  readonly errors: SchemaErrors;
  readonly visit: (schema: Schema, path: FieldPath, scope: SchemaScope) => void;
}

/** Properties are for structures and additionalProperties for maps: a schema has one or the other. */
function visitProperties(schema: Schema, path: FieldPath, { scope, below, errors, visit }: Visit): void {
  const { properties = {}, additionalProperties } = schema;
  const names = Object.keys(properties);
  if (names.length > 0 && additionalProperties !== undefined && additionalProperties !== true) {
    errors.schema.push(
      fieldForbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (typeof additionalProperties === 'object') {
    const noDefaults = 'inside additionalProperties applying to object metadata';
    const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
    const values = repeated(below, schema.maxProperties, isAtomic ? path : undefined);
    visit(
      additionalProperties,
      path.child('additionalProperties'),
      scope.insideMeta ? { ...values, noDefaults } : values,
    );
  }
  const ofResource = scope.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of Object.entries(properties)) {
    const meta = ofResource && (name === 'metadata' || name === 'kind' || name === 'apiVersion');
    const inner = {
      ...below,
      ...(meta && { insideMeta: true }),
      ...(meta && scope.isRoot && { noDefaults: `in top-level ${name}` }),
    };
    visit(property, path.child('properties').key(name), inner);
  }
}

function validateSupported(
  schema: Schema,
  path: FieldPath,
  { requireKnownTypes, noDefaults, insideMeta }: SchemaScope,
): FieldErrors {
  const { type = '' } = schema;
  const errors: FieldError[] = [];
  const forbid = (name: string, wrong: boolean, detail = `${name} is not supported`): void => {
    if (wrong) errors.push(fieldForbidden(path.child(name), detail));
  };
  if (requireKnownTypes && type !== '' && !knownTypes.includes(type))
    errors.push(fieldNotSupported(path.child('type'), type, knownTypes));
  forbid('default', schema.default !== undefined && noDefaults !== undefined, `must not be set ${noDefaults ?? ''}`);
  forbid('id', schema.id !== undefined);
  forbid('additionalItems', schema.additionalItems !== undefined);
  forbid('patternProperties', schema.patternProperties !== undefined);
  forbid('definitions', schema.definitions !== undefined);
  forbid('dependencies', schema.dependencies !== undefined);
  forbid('$ref', schema.$ref !== undefined);
  forbid('type', type === 'null', 'type cannot be set to null, use nullable as an alternative');
  forbid(
    'items',
    schema.items !== undefined && isSchemaList(schema.items),
    'items must be a schema object and not an array',
  );
  forbid(
    'x-kubernetes-embedded-resource',
    insideMeta && schema['x-kubernetes-embedded-resource'] === true,
    'must not be used inside of resource meta',
  );
  return errors;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Rules, apart from their expressions. */
function validateRules(schema: Schema, path: FieldPath): FieldErrors {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return collect(rules, ({ rule, message = '', messageExpression = '', reason, fieldPath = '' }, index) => {
    const at = path.child('x-kubernetes-validations').index(index);
    const errors: FieldError[] = [];
    if (isBlank(rule)) errors.push(fieldRequired(at.child('rule'), 'rule is not specified'));
    else if (message !== '' && isBlank(message))
      errors.push(fieldInvalid(at.child('message'), message, 'must be non-empty if specified'));
    else if (hasLineBreak(trimSpace(message)))
      errors.push(fieldInvalid(at.child('message'), message, 'must not contain line breaks'));
    else if (hasLineBreak(trimSpace(rule)) && isBlank(message)) {
      errors.push(fieldRequired(at.child('message'), 'message must be specified if rule contains line breaks'));
    }
    if (messageExpression !== '' && isBlank(messageExpression)) {
      errors.push(fieldRequired(at.child('messageExpression'), 'messageExpression must be non-empty if specified'));
    }
    if (reason !== undefined && !reasons.includes(reason))
      errors.push(fieldNotSupported(at.child('reason'), printedWord(reason), reasons));
    if (fieldPath === '') return errors;
    const place = at.child('fieldPath');
    if (isBlank(fieldPath)) errors.push(fieldInvalid(place, fieldPath, 'must be non-empty if specified'));
    if (hasLineBreak(fieldPath)) errors.push(fieldInvalid(place, fieldPath, 'must not contain line breaks'));
    if (!leadsSomewhere(schema, fieldPath)) errors.push(fieldInvalid(place, fieldPath, 'must be a valid path'));
    return errors;
  });
}

function leadsSomewhere(schema: Schema, fieldPath: string): boolean {
  return structuralProblem(schema) !== undefined || !('error' in findField(fieldPath, schema, { allowBrackets: true }));
}
