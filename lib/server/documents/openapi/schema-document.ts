// OpenAPI schemas of types, created from the engine's own schemas (core/schema/type.ts). Only referenced types are
// included, each once.
import { isJsonObject } from '../../../core/index.js';
import type { Field, GroupVersionKind, JsonObject, JsonValue, Scheme, Shape, StructType } from '../../../core/index.js';
import type { Descriptions } from './descriptions.js';

/** A schema, or any other part of an OpenAPI document. */
export type DocumentPart = Readonly<Record<string, unknown>>;

/** Differences between the versions of OpenAPI. */
export interface SchemaStyle {
  readonly refPrefix: string;
  /** Version 3 wraps a reference that has siblings in `allOf`; version 2 allows none and merges them. */
  readonly wrapsRefs: boolean;
  readonly quantity: DocumentPart;
  readonly intOrString: DocumentPart;
  /** The JSON Schema keywords that the version supports. */
  readonly keywords: ReadonlySet<string>;
  /** Those of structural schemas of custom resources. */
  readonly customKeywords: ReadonlySet<string>;
}

/** Collects the schemas that a document references. */
export class SchemaCollection {
  readonly #schemas = new Map<string, DocumentPart>();
  readonly #scheme: Scheme;
  readonly #style: SchemaStyle;
  readonly #descriptions: Descriptions;

  constructor(scheme: Scheme, style: SchemaStyle, descriptions: Descriptions) {
    this.#scheme = scheme;
    this.#style = style;
    this.#descriptions = descriptions;
  }

  /** The schemas collected so far, by name. */
  get schemas(): Readonly<Record<string, DocumentPart>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns a reference to a type and adds the type with everything it references. */
  ref(type: StructType): DocumentPart {
    const name = openApiName(type.name);
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, {}); // before its fields: types may reference themselves
      this.#schemas.set(name, this.#struct(type));
    }
    return this.#refTo(name);
  }

  /** Returns a reference to a fixed schema and adds it. */
  fixed(name: string, schema: DocumentPart): DocumentPart {
    this.#schemas.set(name, schema);
    return this.#refTo(name);
  }

  #refTo(name: string): DocumentPart {
    return { $ref: this.#style.refPrefix + name };
  }

  #struct(type: StructType): DocumentPart {
    return type.published === undefined ? this.#fields(type) : this.#published(type, type.published);
  }

  /** The schema that the author of a kind published, with the fields of every object. */
  #published(type: StructType, schema: JsonObject): DocumentPart {
    const { keywords, customKeywords } = this.#style;
    const own = publishedPart(schema, type.decode === undefined ? keywords : customKeywords);
    const { properties: typeMeta, ...rest } = this.#fields(type);
    const { apiVersion, kind, metadata } = (typeMeta ?? {}) as DocumentPart;
    return {
      ...rest,
      ...own,
      properties: { apiVersion, kind, metadata, ...(own.properties as DocumentPart | undefined) },
    };
  }

  #fields(type: StructType): DocumentPart {
    const fields = [...type.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const required = fields.filter((each) => each.required).map(({ name }) => name);
    const gvks = this.#scheme
      .kindsOf(type)
      .map(({ group, kind, version }: GroupVersionKind) => ({ group, kind, version }));
    const description = this.#descriptions.type(type);
    return {
      ...(description !== undefined && { description }),
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map((each) => [each.name, this.#property(each, type)])),
      }),
      ...(gvks.length > 0 && { 'x-kubernetes-group-version-kind': gvks }),
      ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    };
  }

  #property(field: Field, type: StructType): DocumentPart {
    const { strategy, mergeKey, retainKeys } = field.patch;
    const strategies = [...(strategy === undefined ? [] : [strategy]), ...(retainKeys ? ['retainKeys'] : [])];
    const extras = {
      ...(field.listType !== undefined && { 'x-kubernetes-list-type': field.listType }),
      ...(field.mapKeys.length > 0 && { 'x-kubernetes-list-map-keys': field.mapKeys }),
      ...(field.atomicMap && { 'x-kubernetes-map-type': 'atomic' }),
      ...(mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': mergeKey }),
      ...(strategies.length > 0 && { 'x-kubernetes-patch-strategy': strategies.join(',') }),
    };
    const schema =
      field.name === 'fieldsV1'
        ? this.fixed('io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', { type: 'object' })
        : this.#shape(field.shape);
    return this.#with(schema, { ...defaultOf(field), description: this.#descriptions.field(type, field), ...extras });
  }

  #with(schema: DocumentPart, extras: DocumentPart): DocumentPart {
    return '$ref' in schema && this.#style.wrapsRefs ? { allOf: [schema], ...extras } : { ...schema, ...extras };
  }

  #shape(shape: Shape): DocumentPart {
    switch (shape.kind) {
      case 'struct':
        return this.ref(shape);
      case 'list':
        return { type: 'array', items: this.#shape(shape.items) };
      case 'map':
        return { type: 'object', additionalProperties: this.#shape(shape.values) };
      case 'union':
        return this.fixed(openApiName(`apiextensions/v1.${shape.goType.replace(/^.*\./, '')}`), {});
      case 'quantity':
        return this.fixed('io.k8s.apimachinery.pkg.api.resource.Quantity', this.#style.quantity);
      case 'int-or-string':
        return this.fixed('io.k8s.apimachinery.pkg.util.intstr.IntOrString', this.#style.intOrString);
      case 'time':
        return this.fixed('io.k8s.apimachinery.pkg.apis.meta.v1.Time', { type: 'string', format: 'date-time' });
      case 'micro-time':
        return this.fixed('io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', { type: 'string', format: 'date-time' });
      case 'raw':
        return this.fixed('io.k8s.apimachinery.pkg.runtime.RawExtension', { type: 'object' });
      case 'json':
        return this.fixed('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', {});
      default:
        return { ...leaves[shape.kind], ...(shape.values && { enum: shape.values }) };
    }
  }
}

/** Keywords that describe a value. Keywords that combine schemas are not published. */
export const describingKeywords: readonly string[] = [
  'type',
  'format',
  'description',
  'default',
  'required',
  'enum',
  'properties',
  'items',
  'additionalProperties',
];

/**
 * Returns the part of a JSON Schema that OpenAPI supports. References are not published: their value may be anything.
 */
function publishedPart(schema: JsonObject, keywords: ReadonlySet<string>): DocumentPart {
  const part: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!keywords.has(keyword) || (keyword === 'type' && typeof value !== 'string')) continue;
    if (keyword === 'properties' && isJsonObject(value))
      part[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, isJsonObject(each) ? publishedPart(each, keywords) : {}]),
      );
    else if (keyword === 'items' || keyword === 'additionalProperties') {
      if (isJsonObject(value)) part[keyword] = publishedPart(value, keywords);
    } else part[keyword] = value;
  }
  return part;
}

const leaves = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
} as const;

/** The default of a field; an empty object for a struct that is always present. */
function defaultOf(field: Field): DocumentPart {
  const value: JsonValue | undefined = field.default;
  if (value !== undefined) return { default: value };
  return field.shape.kind === 'struct' && field.presence !== 'pointer' ? { default: {} } : {};
}

/**
 * The published name of a type: `core/v1.Pod` is `io.k8s.api.core.v1.Pod`. The domain of a group is reversed, as for
 * custom resources: `example.com/v1.Widget` is `com.example.v1.Widget`.
 */
export function openApiName(name: string): string {
  const slash = name.indexOf('/');
  const [folder, rest] = [name.slice(0, slash), name.slice(slash + 1)];
  const own = folder.includes('.') ? folder.split('.').reverse().join('.') : `io.k8s.api.${folder}`;
  return `${packages[folder] ?? own}.${rest}`;
}

const packages: Readonly<Record<string, string>> = {
  meta: 'io.k8s.apimachinery.pkg.apis.meta',
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};
