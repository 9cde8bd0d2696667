// Defaults in schemas: they must fit the schema they are in, have no fields it does not know, and where they are
// resources or metadata, be valid ones. As apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go with
// the packages pruning and objectmeta.
import { findingsMax } from '../../errors/collect.js';
import { fieldErrorText, fieldErrorsText, fieldInvalid } from '../../errors/field-error.js';
import type { FieldError } from '../../errors/field-error.js';
import { FieldPath } from '../../errors/field-path.js';
import { isJsonObject } from '../../objects/json.js';
import { sortedJson } from '../../go/struct-form.js';
import { coercionProblem, validateEmbeddedResources } from './embedded-resource.js';
import { validateValue } from './schema-value.js';
import type { Schema } from './schema-value.js';
import type { SchemaWork } from './schema-work.js';
import { itemSchema, someSchema, valueSchema } from './schema-walk.js';

type FieldErrors = readonly FieldError[];

/**
 * Validates the defaults of a structural schema. Those under additionalProperties are not allowed at all.
 */
export function validateDefaults(
  root: Schema,
  path: FieldPath,
  options: { readonly requirePruned: boolean; readonly work: SchemaWork },
): FieldErrors {
  const resource: Schema = { ...root, 'x-kubernetes-embedded-resource': true };
  return visit(resource, path, { root: resource, steps: [], insideMeta: false, ...options });
}

/** Returns whether some default has fields that its schema does not know. */
export function hasUnknownDefaults(root: Schema): boolean {
  return someSchema(
    root,
    (schema) => schema.default !== undefined && hasUnknownFields(schema.default, schema, isEmbedded(schema)),
  );
}

interface Place {
  /** The resource around the schema: the root, or the nearest that is embedded. */
  readonly root: Schema;
  /** The way from there: names of properties, or zero for an item. */
  readonly steps: readonly (string | 0)[];
  /** Inside of metadata, kind or apiVersion of that resource. */
  readonly insideMeta: boolean;
  readonly requirePruned: boolean;
  readonly work: SchemaWork;
}

function visit(schema: Schema, path: FieldPath, outer: Place): FieldErrors {
  const place: Place = isEmbedded(schema) ? { ...outer, root: schema, steps: [], insideMeta: false } : outer;
  const errors =
    schema.default === undefined ? [] : [...validateDefault(schema, schema.default, path.child('default'), place)];
  const items = itemSchema(schema);
  if (items !== undefined) errors.push(...visit(items, path.child('items'), { ...place, steps: [...place.steps, 0] }));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (errors.length > findingsMax) break;
    const insideMeta = place.insideMeta || (isEmbedded(schema) && metaFields.has(name));
    errors.push(
      ...visit(property, path.child('properties').key(name), { ...place, insideMeta, steps: [...place.steps, name] }),
    );
  }
  return errors;
}

function validateDefault(schema: Schema, value: unknown, path: FieldPath, place: Place): FieldErrors {
  if (place.insideMeta) {
    const resource = surround(value, place.steps);
    const problem = coercionProblem(resource, place.root, true, FieldPath.nil);
    const wrong = problem === undefined ? validateEmbeddedResources(resource, place.root, true, FieldPath.nil) : [];
    if (problem === undefined && wrong.length === 0) return validateValue(schema, value, path, place.work);
    const why = problem === undefined ? fieldErrorsText(wrong) : fieldErrorText(problem);
    return [fieldInvalid(path, sortedJson(value), `must result in valid metadata: ${why}`)];
  }
  const embedded = isEmbedded(schema);
  const unknown = place.requirePruned && hasUnknownFields(value, schema, embedded);
  const errors = unknown ? [fieldInvalid(path, sortedJson(value), 'must not have unknown fields')] : [];
  const problem = coercionProblem(value, schema, embedded, path);
  if (problem !== undefined) return [...errors, problem];
  const wrong = validateEmbeddedResources(value, schema, embedded, path);
  return [...errors, ...(wrong.length > 0 ? wrong : validateValue(schema, value, path, place.work))];
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

/** A resource with the value at its place and nothing else. */
function surround(value: unknown, steps: readonly (string | 0)[]): unknown {
  const inner = steps.reduceRight<unknown>((content, step) => (step === 0 ? [content] : { [step]: content }), value);
  return isJsonObject(inner) ? { kind: 'Validation', apiVersion: 'validation/v1', ...inner } : inner;
}

/**
 * Returns whether pruning would take something away; `resource` says the value is one, whose metadata is checked
 * elsewhere.
 */
function hasUnknownFields(value: unknown, schema: Schema | undefined, resource: boolean): boolean {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) return hasUnknownInside(value, schema, resource);
  if (Array.isArray(value)) return value.some((item) => hasUnknownFields(item, schema && itemSchema(schema), false));
  if (!isJsonObject(value)) return false;
  if (schema === undefined) return Object.keys(value).length > 0;
  return Object.entries(value).some(([key, item]) =>
    hasUnknownMember(key, item, { schema, resource, preserving: false }),
  );
}

/** The same where unknown fields are preserved: only below what the schema names are others unknown again. */
function hasUnknownInside(value: unknown, schema: Schema | undefined, resource: boolean): boolean {
  if (schema === undefined) return false;
  if (Array.isArray(value)) return value.some((item) => hasUnknownInside(item, itemSchema(schema), false));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) =>
    hasUnknownMember(key, item, { schema, resource, preserving: true }),
  );
}

interface Members {
  readonly schema: Schema;
  readonly resource: boolean;
  readonly preserving: boolean;
}

function hasUnknownMember(key: string, value: unknown, { schema, resource, preserving }: Members): boolean {
  const { properties = {}, additionalProperties } = schema;
  if ((resource || isEmbedded(schema)) && metaFields.has(key)) return false;
  if (Object.hasOwn(properties, key)) return hasUnknownFields(value, properties[key], false);
  return additionalProperties === undefined ? !preserving : hasUnknownFields(value, valueSchema(schema), false);
}
