// The schema of a version: structural, with defaults that fit it, and nothing at its root that would get lost when the
// status is taken out of it. As apiextensions-apiserver/pkg/apis/apiextensions/validation,
// validateCustomResourceDefinitionValidation.
import { fieldForbidden, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { fieldPath } from '../../errors/field-path.js';
import type { FieldPath } from '../../errors/field-path.js';
import { deepEqual } from '../../objects/json.js';
import type { Frozen } from '../../objects/meta.js';
import type { CustomResourceValidation } from '../../types/apiextensions-v1.generated.js';
import type { ExpressionCheck } from '../expression-check.js';
import { hasUnknownDefaults, validateDefaults } from './defaults-validation.js';
import { printedSchema } from './internal-form.js';
import { schemaOf, schemasOf } from './internal-spec.js';
import type { InternalSpec } from './internal-spec.js';
import { validateMapKeys, validateSetItems } from './list-types.js';
import { RuleCosts } from './rule-costs.js';
import { knownTypes, validateSchema } from './schema-rules.js';
import type { Schema } from './schema-value.js';
import { someSchema } from './schema-walk.js';
import { SchemaWork } from './schema-work.js';
import { structuralProblem, validateStructural } from './structural.js';

/** Which rules hold for the schemas of a definition. */
export interface SchemaOptions {
  readonly check: ExpressionCheck;
  /** Shared by the defaults of all versions. */
  readonly work: SchemaWork;
  readonly requireStructural: boolean;
  readonly requireKnownTypes: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
  readonly stored: ReadonlySet<string>;
  /** Versions whose schema is that of the old definition. */
  readonly unchanged: ReadonlySet<string>;
}

/** The rules for a definition that replaces `old`, if any. */
export function schemaOptions(
  spec: InternalSpec,
  old: InternalSpec | undefined,
  check: ExpressionCheck,
): SchemaOptions {
  const before = old === undefined ? [] : schemasOf(old);
  const none = (asked: (schema: Schema) => boolean): boolean => !before.some((schema) => someSchema(schema, asked));
  const needsStructure = schemasOf(spec).some((schema) =>
    someSchema(schema, (inner) => inner.default !== undefined || hasExtensions(inner)),
  );
  return {
    check,
    work: new SchemaWork(),
    requireStructural: spec.preserveUnknownFields !== true || needsStructure || !before.some(isNonStructural),
    requireKnownTypes: none(({ type = '' }) => type !== '' && !knownTypes.includes(type)),
    requirePrunedDefaults: !before.some((schema) => !isNonStructural(schema) && hasUnknownDefaults(schema)),
    requireAtomicSets: none((schema) => validateSetItems(schema, anywhere).length > 0),
    requireMapKeys: none((schema) => validateMapKeys(schema, anywhere).length > 0),
    stored: new Set(before.flatMap(expressionsIn)),
    unchanged: new Set(old === undefined ? [] : unchangedVersions(spec, old)),
  };
}

/** What depends on the version. */
export interface VersionOptions extends Omit<SchemaOptions, 'unchanged'> {
  readonly hasStatus: boolean;
  readonly unchanged: boolean;
}

/** Validates a schema. `path` is that of its wrapper. */
export function validateVersionSchema(
  validation: Frozen<CustomResourceValidation> | undefined,
  path: FieldPath,
  options: VersionOptions,
): readonly FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const at = path.child('openAPIV3Schema');
  const errors: FieldError[] = [];
  if (options.hasStatus) errors.push(...validateRoot(schema, path));
  if (schema.nullable === true)
    errors.push(fieldForbidden(path.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'));
  const problem = options.requireStructural ? structuralProblem(schema) : undefined;
  const structure =
    options.requireStructural && problem === undefined ? validateStructuralParts(schema, at, options) : undefined;
  const costs = new RuleCosts();
  const { schema: wrong, rules } = validateSchema(schema, at, {
    ...options,
    costs,
    valuesMax: 1,
    uncorrelatable: undefined,
    insideMeta: false,
    isRoot: true,
    check: structure?.length === 0 ? options.check : undefined,
  });
  errors.push(...(structure ?? []), ...wrong, ...rules, ...(options.unchanged ? [] : costs.validate(at)));
  // The other errors of a schema mostly say why it has no structural form, so that is reported only where there are
  // none.
  return errors.length === 0 && problem !== undefined ? [fieldInvalid(at, '', problem)] : errors;
}

const anywhere: FieldPath = fieldPath();

function validateStructuralParts(
  schema: Schema,
  path: FieldPath,
  { requirePrunedDefaults: requirePruned, work }: VersionOptions,
): readonly FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length > 0 ? errors : validateDefaults(schema, path, { requirePruned, work });
}

/** Only the first field that is not allowed is reported; the type comes before most. */
function validateRoot(schema: Schema, path: FieldPath): readonly FieldError[] {
  const { type = '' } = schema;
  const rule = 'at the root of the schema if the status subresource is enabled';
  for (const [json, go] of rootFields) {
    if (schema[json] === undefined) continue;
    if (json === 'type') {
      const only = `only "object" is allowed as the type ${rule}`;
      if (type !== 'object') return [fieldInvalid(path.child('openAPIV3Schema.type'), type, only)];
    } else if (!allowedAtRoot.includes(go)) {
      return [
        fieldInvalid(
          path.child('openAPIV3Schema'),
          printedSchema(schema),
          `only [${allowedAtRoot.join(' ')}] fields are allowed ${rule}`,
        ),
      ];
    }
  }
  return [];
}

/** The fields whose order matters: those not allowed, and the type among them. */
const rootFields: readonly (readonly [keyof Schema, string])[] = [
  ['id', 'ID'],
  ['$schema', 'Schema'],
  ['$ref', 'Ref'],
  ['type', 'Type'],
  ['nullable', 'Nullable'],
  ['default', 'Default'],
  ['enum', 'Enum'],
  ['maxProperties', 'MaxProperties'],
  ['minProperties', 'MinProperties'],
  ['allOf', 'AllOf'],
  ['oneOf', 'OneOf'],
  ['anyOf', 'AnyOf'],
  ['not', 'Not'],
  ['additionalProperties', 'AdditionalProperties'],
  ['patternProperties', 'PatternProperties'],
  ['dependencies', 'Dependencies'],
  ['additionalItems', 'AdditionalItems'],
  ['definitions', 'Definitions'],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource'],
  ['x-kubernetes-int-or-string', 'XIntOrString'],
  ['x-kubernetes-list-map-keys', 'XListMapKeys'],
  ['x-kubernetes-list-type', 'XListType'],
  ['x-kubernetes-map-type', 'XMapType'],
];

const allowedAtRoot = (
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems ' +
  'UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'
).split(' ');

function hasExtensions(schema: Schema): boolean {
  return (
    schema['x-kubernetes-embedded-resource'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-list-map-keys'] !== undefined ||
    schema['x-kubernetes-list-type'] !== undefined ||
    schema['x-kubernetes-validations'] !== undefined
  );
}

function isNonStructural(schema: Schema): boolean {
  return structuralProblem(schema) !== undefined || validateStructural(schema, anywhere).length > 0;
}

function expressionsIn(schema: Schema): readonly string[] {
  const found: string[] = [];
  someSchema(schema, ({ 'x-kubernetes-validations': rules = [] }) => {
    for (const { rule, messageExpression } of rules)
      found.push(rule, ...(messageExpression === undefined ? [] : [messageExpression]));
    return false;
  });
  return found;
}

function unchangedVersions(spec: InternalSpec, old: InternalSpec): readonly string[] {
  const before = new Map(old.versions.map((version) => [version.name, schemaOf(version) ?? schemaOf(old.shared)]));
  return spec.versions
    .filter(
      (version) =>
        before.has(version.name) && deepEqual(schemaOf(version) ?? schemaOf(spec.shared), before.get(version.name)),
    )
    .map(({ name }) => name);
}
