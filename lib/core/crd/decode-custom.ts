// Decodes custom resources: metadata by its type, everything else pruned by the structural schema of the version, with
// the metadata of embedded resources in canonical form. Types of other fields are not checked here: validation reports
// them, all at once. As apiextensions-apiserver/pkg/apiserver/customresource_handler.go, unstructuredSchemaCoercer, and
// pkg/apiserver/schema/objectmeta/coerce.go.
import { fieldErrorText, fieldInvalid } from '../errors/field-error.js';
import type { FieldError } from '../errors/field-error.js';
import { FieldPath } from '../errors/field-path.js';
import { formatGo, goType } from '../go/json-value.js';
import { sortedJson } from '../go/struct-form.js';
import { isJsonObject, setOwn } from '../objects/json.js';
import type { JsonValue } from '../objects/json.js';
import type { Schema } from '../kinds/apiextensions/schema-value.js';
import { itemSchema, someSchema, valueSchema } from '../kinds/apiextensions/schema-walk.js';
import { builtinSchema } from '../schema/builtin.js';
import { decodeValue, problemsMax } from '../schema/decode.js';
import { DecodeError, isDecodeError, typeMismatch } from '../schema/decode-error.js';
import type { Decoded, StructType } from '../schema/type.js';
import { scalars } from '../schema/type.js';
import { isParseError } from '../objects/parse-error.js';
import { pruneResource } from './prune.js';

/** How strictly a custom resource is decoded. */
export interface CustomDecoding {
  /**
   * For stored objects: fields of metadata that are not valid are dropped instead of refused, and a missing generation
   * is 1, as in objects of old servers.
   */
  readonly repairs: boolean;
}

/** Decodes custom resources of one version. */
export type CustomDecoder = (value: unknown, decoding: CustomDecoding) => Decoded;

/** Returns the decoder of a schema. Without one nothing is pruned. `type` is named where a document is no object. */
export function customDecoder(schema: Schema | undefined, type: () => StructType): CustomDecoder {
  const hasEmbedded =
    schema !== undefined && someSchema(schema, (inner) => inner['x-kubernetes-embedded-resource'] === true);
  return (value, decoding) => {
    if (!isJsonObject(value)) throw typeMismatch({ root: type(), steps: [] }, scalars.json, value);
    const { value: pruned, unknown, members } = pruneResource(schema, value);
    const object = pruned as Record<string, unknown>;
    const coercion = new Coercion(decoding.repairs);
    for (const name of ['kind', 'apiVersion']) {
      const given = object[name] as JsonValue | undefined;
      if (given !== undefined && typeof given !== 'string')
        throw new DecodeError(
          `.${name} accessor error: ${formatGo(given)} is of the type ${goType(given)}, expected string`,
        );
    }
    if (object.metadata !== undefined) {
      const metadata = coercion.metadata(object.metadata, '');
      if (decoding.repairs) metadata.generation ??= 1;
      object.metadata = metadata;
    }
    const paths = [...coercion.unknown, ...unknown];
    if (hasEmbedded) {
      const inner = new Coercion(decoding.repairs);
      const problem = inner.resources(object, schema, FieldPath.nil);
      if (problem !== undefined) throw new DecodeError(fieldErrorText(problem));
      paths.push(...inner.unknown.sort());
    }
    return { object, members, problems: paths.slice(0, problemsMax).map((path) => `unknown field "${path}"`) };
  };
}

/** Brings metadata into canonical form, in place, and collects the unknown fields in it. */
class Coercion {
  readonly unknown: string[] = [];
  readonly #repairs: boolean;

  constructor(repairs: boolean) {
    this.#repairs = repairs;
  }

  /** Returns metadata in canonical form. Throws DecodeError, unless fields are to be dropped. */
  metadata(value: unknown, parent: string): Record<string, unknown> {
    try {
      return this.#decoded(value, parent);
    } catch (error) {
      if (!this.#repairs || !isJsonObject(value)) throw error;
      let kept: Record<string, unknown> = {};
      for (const [name, member] of Object.entries(value)) {
        try {
          kept = { ...kept, ...this.#decoded({ [name]: member }, parent) };
        } catch (each) {
          if (!isDecodeError(each) && !isParseError(each)) throw each;
        }
      }
      return kept;
    }
  }

  /** Visits embedded resources below a value. Returns the first thing that keeps one from being a resource. */
  resources(value: unknown, schema: Schema | undefined, path: FieldPath): FieldError | undefined {
    if (schema === undefined) return undefined;
    if (Array.isArray(value)) {
      const items = itemSchema(schema);
      return firstOf(value, (item, index) => this.resources(item, items, path.index(index)));
    }
    if (!isJsonObject(value)) return undefined;
    const own = schema['x-kubernetes-embedded-resource'] === true ? this.#resource(value, path) : undefined;
    if (own !== undefined) return own;
    const { properties = {} } = schema;
    const values = valueSchema(schema);
    return firstOf(Object.entries(value), ([key, member]) =>
      Object.hasOwn(properties, key)
        ? this.resources(member, properties[key], path.child(key))
        : this.resources(member, values, path.key(key)),
    );
  }

  #resource(resource: Record<string, unknown>, path: FieldPath): FieldError | undefined {
    for (const name of ['apiVersion', 'kind']) {
      if (!Object.hasOwn(resource, name) || typeof resource[name] === 'string') continue;
      if (!this.#repairs) return fieldInvalid(path.child(name), sortedJson(resource[name]), 'must be a string');
      delete resource[name];
    }
    if (!Object.hasOwn(resource, 'metadata')) return undefined;
    try {
      setOwn(resource, 'metadata', this.metadata(resource.metadata, path.toString()));
    } catch (error) {
      if (!isDecodeError(error) && !isParseError(error)) throw error;
      if (!this.#repairs) return fieldInvalid(path.child('metadata'), sortedJson(resource.metadata), error.message);
    }
    return undefined;
  }

  #decoded(value: unknown, parent: string): Record<string, unknown> {
    const { object, problems } = decodeValue(objectMeta(), value);
    const prefix = parent === '' || parent === '<nil>' ? 'metadata.' : `${parent}.metadata.`;
    for (const problem of problems) this.unknown.push(problem.replace(/^unknown field "(.*)"$/s, `${prefix}$1`));
    return object;
  }
}

function objectMeta(): StructType {
  const type = builtinSchema.struct('meta/v1.ObjectMeta');
  if (type === undefined) throw new Error('the built-in schema lacks meta/v1.ObjectMeta');
  return type;
}

function firstOf<T>(
  items: Iterable<T>,
  find: (item: T, index: number) => FieldError | undefined,
): FieldError | undefined {
  let index = 0;
  for (const item of items) {
    const found = find(item, index++);
    if (found !== undefined) return found;
  }
  return undefined;
}
