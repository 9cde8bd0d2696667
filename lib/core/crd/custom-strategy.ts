// What is particular to the objects of one version of a custom resource: validation by its schema, the half that each
// endpoint writes, generations, selectable fields, columns. As apiextensions-apiserver/pkg/registry/customresource:
// strategy.go, status_strategy.go and validator.go.
import { fieldErrorText, fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import { FieldPath, fieldPath } from '../errors/field-path.js';
import { quote } from '../go/format.js';
import { Correlation } from '../kinds/apiextensions/correlation.js';
import { validateEmbeddedResources } from '../kinds/apiextensions/embedded-resource.js';
import { validateValue } from '../kinds/apiextensions/schema-value.js';
import type { Schema } from '../kinds/apiextensions/schema-value.js';
import { someSchema } from '../kinds/apiextensions/schema-walk.js';
import { SchemaWork } from '../kinds/apiextensions/schema-work.js';
import type { KindStrategy, UpdateStrategy } from '../kinds/kind-strategy.js';
import type { KindTable } from '../kinds/kind-table.js';
import { kindColumns } from '../kinds/printer-columns.js';
import type { PrinterColumn } from '../kinds/printer-columns.js';
import { deepEqual } from '../objects/json.js';
import type { JsonObject } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { isQualifiedName, nameIsDnsSubdomain } from '../objects/names.js';
import { jsonPath } from '../objects/json-path.js';
import type { ScalePaths } from '../scheme/kind-definition.js';
import { hasUniqueLists, validateUniqueItems } from './list-uniqueness.js';
import { nestedInteger, nestedText } from './nested-fields.js';
import type { SchemaDefaulter } from './schema-defaults.js';

type Resource = Frozen<ApiObject>;
type FieldErrors = readonly FieldError[];

/** What the rules in CEL of a schema find. */
export interface RuleFindings {
  readonly errors: FieldErrors;
  /** Errors of values that the update did not change: the client is warned of them. */
  readonly tolerated: FieldErrors;
}

/** Validates the rules in CEL of a schema. `old` is the object that an update replaces. */
export type RuleValidator = (object: Resource, old: Resource | undefined) => RuleFindings;

/** Compiles the rules in CEL of a schema; undefined where it has none. */
export type RuleCompiler = (schema: Schema) => RuleValidator | undefined;

/** One version of a custom resource. */
export interface CustomVersion {
  readonly schema: Schema | undefined;
  readonly defaulter: () => SchemaDefaulter | undefined;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly PrinterColumn[] | undefined;
  /** Fields that selectors may name, such as `.spec.color`. */
  readonly selectableFields: readonly string[];
  readonly compileRules: RuleCompiler | undefined;
}

/** Returns the strategy of a version. Schemas are compiled when the first object is written. */
export function customStrategy(version: CustomVersion): KindStrategy {
  const { defaulter, hasStatus, columns, selectableFields } = version;
  let validation: CustomValidation | undefined;
  const rules = (): CustomValidation => (validation ??= new CustomValidation(version));
  const status: UpdateStrategy = {
    prepareForUpdate(object, old) {
      // Only status and its managed fields are written.
      const { managedFields } = object.metadata ?? {};
      const { managedFields: _old, ...metadata } = (old as ApiObject).metadata ?? {};
      object.metadata = { ...metadata, ...(managedFields && { managedFields }) };
    },
    validateUpdate: (object, old) => rules().statusUpdate(object, old),
    warningsOnUpdate: (object) => rules().warnings(object),
  };
  const update: UpdateStrategy = {
    validateUpdate: (object, old) => rules().update(object, old),
    warningsOnUpdate: (object, old) => [...rules().warnings(object), ...finalizerWarnings(object, old)],
  };
  return {
    ...update,
    nameRule: nameIsDnsSubdomain,
    requiresResourceVersion: true,
    prepareForCreate(object: ApiObject & { status?: unknown }) {
      if (hasStatus) delete object.status;
      defaulter()?.apply(object);
    },
    validate: (object) => rules().create(object),
    warningsOnCreate: (object) => finalizerWarnings(object, undefined),
    changesGeneration: (object, old) => !deepEqual(contentOf(object), contentOf(old)),
    // A write of the scale is one of the object.
    subresources: { scale: update, ...(hasStatus && { status }) },
    ...(!hasStatus && { keepsStatus: true }),
    get table() {
      return tableOf(columns);
    },
    ...(selectableFields.length > 0 && {
      selectableFields: Object.fromEntries(
        selectableFields.map((path) => [path.replace(/^\./, ''), selectableReader(path)] as const),
      ),
    }),
  };
}

/** The checks of a version, in the order of Kubernetes. */
class CustomValidation {
  readonly #version: CustomVersion;
  readonly #rules: RuleValidator | undefined;
  readonly #hasUniqueLists: boolean;
  readonly #hasEmbedded: boolean;
  readonly #work = new SchemaWork();
  /** What the rules tolerated in an object, until its warnings are read. */
  readonly #tolerated = new WeakMap<Resource, readonly string[]>();

  constructor(version: CustomVersion) {
    const { schema, compileRules } = version;
    this.#version = version;
    this.#rules = schema && compileRules?.(schema);
    this.#hasUniqueLists = schema !== undefined && hasUniqueLists(schema);
    this.#hasEmbedded =
      schema !== undefined && someSchema(schema, (inner) => inner['x-kubernetes-embedded-resource'] === true);
  }

  /** Returns the warnings about values that an update may keep. */
  warnings(object: Resource): readonly string[] {
    return this.#tolerated.get(object) ?? [];
  }

  create(object: Resource): FieldErrors {
    return this.#withRules(
      [
        ...this.#schema(object, undefined),
        ...this.#specScale(object),
        ...this.#statusScale(object),
        ...this.#embedded(object),
        ...this.#unique(object),
      ],
      object,
      undefined,
    );
  }

  update(object: Resource, old: Resource): FieldErrors {
    return this.#withRules(
      [
        ...this.#schema(object, old),
        ...this.#specScale(object),
        ...this.#statusScale(object),
        ...this.#embedded(object),
        ...(this.#unique(old).length === 0 ? this.#unique(object) : []),
      ],
      object,
      old,
    );
  }

  statusUpdate(object: Resource, old: Resource): FieldErrors {
    const { properties = {} } = this.#version.schema ?? {};
    const schema = Object.hasOwn(properties, 'status') ? properties.status : undefined;
    const status = statusOf(object);
    const errors =
      schema === undefined || status === undefined
        ? []
        : validateValue(
            schema,
            status,
            fieldPath('status'),
            this.#work.renewed(),
            new Correlation(schema, status, statusOf(old)),
          );
    const unique = this.#unique(object);
    return this.#withRules(
      [...errors, ...this.#statusScale(object), ...(unique.length > 0 && this.#unique(old).length === 0 ? unique : [])],
      object,
      old,
    );
  }

  #schema(object: Resource, old: Resource | undefined): FieldErrors {
    const { schema } = this.#version;
    if (schema === undefined) return [];
    const correlation = old && new Correlation(schema, object, old);
    return validateValue(schema, object, FieldPath.nil, this.#work.renewed(), correlation);
  }

  #embedded(object: Resource): FieldErrors {
    return this.#hasEmbedded ? validateEmbeddedResources(object, this.#version.schema, false, FieldPath.nil) : [];
  }

  #unique(object: Resource): FieldErrors {
    return this.#hasUniqueLists ? validateUniqueItems(this.#version.schema, object, FieldPath.nil) : [];
  }

  #specScale(object: Resource): FieldErrors {
    const { scale } = this.#version;
    return scale === undefined ? [] : validateReplicas(object, scale.specReplicasPath);
  }

  #statusScale(object: Resource): FieldErrors {
    const { scale } = this.#version;
    if (scale === undefined) return [];
    const { labelSelectorPath = '' } = scale;
    const selector = labelSelectorPath === '' ? { value: undefined } : nestedText(object, labelSelectorPath);
    return [
      ...validateReplicas(object, scale.statusReplicasPath),
      ...('error' in selector ? [fieldInvalid(fieldPath(labelSelectorPath), '', selector.error)] : []),
    ];
  }

  /** Rules are not evaluated on objects of the wrong shape. */
  #withRules(errors: FieldErrors, object: Resource, old: Resource | undefined): FieldErrors {
    if (this.#rules === undefined) return errors;
    if (errors.some(({ reason }) => blockingReasons.has(reason)))
      return [
        ...errors,
        fieldInvalid(
          FieldPath.nil,
          null,
          'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
        ),
      ];
    const { errors: found, tolerated } = this.#rules(object, old);
    if (tolerated.length > 0) this.#tolerated.set(object, tolerated.map(fieldErrorText));
    return [...errors, ...found];
  }
}

const blockingReasons: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function validateReplicas(object: Resource, path: string): FieldErrors {
  const found = nestedInteger(object, path);
  const at = fieldPath(path);
  if ('error' in found) return [fieldInvalid(at, 0, found.error)];
  const { value = 0 } = found;
  if (value < 0) return [fieldInvalid(at, value, 'should be a non-negative integer')];
  return value > int32Max ? [fieldInvalid(at, value, `should be less than or equal to ${int32Max}`)] : [];
}

const int32Max = 2 ** 31 - 1;

function statusOf(object: Resource): unknown {
  return (object as { readonly status?: unknown }).status;
}

/** What a generation counts: all but metadata. Where status is written apart, it is the same in both objects. */
function contentOf(object: Resource): JsonObject {
  const { metadata: _metadata, ...content } = object as JsonObject;
  return content;
}

/** Columns that cannot be read end the table. As tableconvertor.New, which keeps those before the first such one. */
function tableOf(columns: readonly PrinterColumn[] | undefined): KindTable {
  const readable: PrinterColumn[] = [];
  for (const column of columns ?? []) {
    if (!isPath(column.jsonPath)) break;
    readable.push(column);
  }
  return kindColumns(columns === undefined || columns.length === 0 ? undefined : readable);
}

function isPath(text: string): boolean {
  try {
    jsonPath(text);
    return true;
  } catch {
    return false;
  }
}

function selectableReader(path: string): (object: Resource) => string {
  const find = jsonPath(path);
  return (object) => {
    const [value = null] = find(object);
    if (value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
}

/** Finalizers that were added and that other programs may mistake for theirs. */
function finalizerWarnings(object: Resource, old: Resource | undefined): readonly string[] {
  const known = new Set(old?.metadata?.finalizers);
  const added = [...new Set(object.metadata?.finalizers)].filter((name) => !known.has(name)).sort();
  return added.flatMap((name) => {
    const start = `metadata.finalizers: ${quote(name)}: `;
    const wrong = isQualifiedName(name).map((rule) => start + rule);
    if (name.includes('/') || standardFinalizers.has(name)) return wrong;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...wrong, start + advice];
  });
}

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
