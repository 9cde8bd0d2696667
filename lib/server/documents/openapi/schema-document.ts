// Schemas of types as OpenAPI has them, made from the one form the engine keeps (core/schema/type.ts). Only types that
// are referred to get in, each once. Descriptions are left out: the names are Kubernetes' own.
import { isJsonObject } from '../../../core/index.js';
import type { Field, GroupVersionKind, JsonObject, JsonValue, Scheme, Shape, StructType } from '../../../core/index.js';

/** A schema, or any other part of an OpenAPI document. */
export type DocumentPart = Readonly<Record<string, unknown>>;

/** How references look, which differs between versions of OpenAPI. */
export interface SchemaStyle {
  readonly refPrefix: string;
  /** Version 3 wraps a reference that has siblings in `allOf`; version 2 allows none and merges them. */
  readonly wrapsRefs: boolean;
  readonly quantity: DocumentPart;
  readonly intOrString: DocumentPart;
  /** The keywords of a JSON Schema that the version has. */
  readonly keywords: ReadonlySet<string>;
}

/** Collects the schemas that a document needs. */
export class SchemaCollection {
  readonly #schemas = new Map<string, DocumentPart>();
  readonly #scheme: Scheme;
  readonly #style: SchemaStyle;

  constructor(scheme: Scheme, style: SchemaStyle) {
    this.#scheme = scheme;
    this.#style = style;
  }

  /** All schemas so far, by name. */
  get schemas(): Readonly<Record<string, DocumentPart>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to a type, which is taken in with all it refers to. */
  ref(type: StructType): DocumentPart {
    const name = openApiName(type.name);
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, {}); // before its fields: types refer to themselves
      this.#schemas.set(name, this.#struct(type));
    }
    return this.#refTo(name);
  }

  /** A reference to a schema of a fixed form. */
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

  /** A schema that the kind's author wrote, with what every object has. */
  #published(type: StructType, schema: JsonObject): DocumentPart {
    const own = publishedPart(schema, this.#style.keywords);
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
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map((each) => [each.name, this.#property(each)])),
      }),
      ...(gvks.length > 0 && { 'x-kubernetes-group-version-kind': gvks }),
      ...(type.atomic && { 'x-kubernetes-map-type': 'atomic' }),
    };
  }

  #property(field: Field): DocumentPart {
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
    return this.#with(schema, { ...defaultOf(field), ...extras });
  }

  #with(schema: DocumentPart, extras: DocumentPart): DocumentPart {
    if (Object.keys(extras).length === 0) return schema;
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

/** Keywords that only describe and bound a value: what combines schemas is not published. */
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

/** As much of a JSON Schema as OpenAPI has. References lead nowhere there: what they stand for may be anything. */
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

/** Version 3 says what a field is where it is absent; a structure that is always there is empty then. */
function defaultOf(field: Field): DocumentPart {
  const value: JsonValue | undefined = field.default;
  if (value !== undefined) return { default: value };
  return field.shape.kind === 'struct' && field.presence !== 'pointer' ? { default: {} } : {};
}

/**
 * The public name of a type: `core/v1.Pod` is `io.k8s.api.core.v1.Pod`. A group with a domain is turned round, as for
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
