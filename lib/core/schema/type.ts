// What the engine knows about the shape of an object: the run-time form of a schema. The decoder, the protobuf
// codec, the strategic merge patch and later server-side apply, OpenAPI and validation all read this one form.
//
// A type is data. Built-in types are parsed on first use from the compact text of `builtin.generated.ts`; a host
// makes its own with `structType`.
import type { JsonObject, JsonValue } from '../objects/json.js';

/** Everything a value may be. A struct is its own shape, so that types refer to each other directly. */
export type Shape = ScalarShape | ListShape | MapShape | UnionShape | StructType;

/**
 * A leaf. `bytes` is base64 text in JSON; `raw` is an embedded object of any kind (RawExtension, FieldsV1) and
 * `json` any JSON at all.
 */
export interface ScalarShape {
  readonly kind: ScalarKind;
  /** The name Kubernetes' decoder uses for this type in its messages, for instance `v1.RestartPolicy`. */
  readonly goType: string;
  /** The known values of a closed enumeration. Decoding does not check them: validation words that refusal. */
  readonly values?: readonly string[];
}

/** The kinds of leaf. */
export type ScalarKind =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'int-or-string'
  | 'time'
  | 'micro-time'
  | 'raw'
  | 'json';

/** A list. */
export interface ListShape {
  readonly kind: 'list';
  readonly items: Shape;
  readonly goType: string;
  /** In protobuf the list is a message of its own with the items as field 1 (ExtraValue, Verbs). */
  readonly wrapped: boolean;
}

/** A map from strings. */
export interface MapShape {
  readonly kind: 'map';
  readonly values: Shape;
  readonly goType: string;
}

/** One of several shapes, chosen by the JSON type of the value (JSONSchemaPropsOrBool and its kin). */
export interface UnionShape {
  readonly kind: 'union';
  readonly goType: string;
  readonly options: readonly UnionOption[];
}

/** One alternative of a union, with its protobuf field number. */
export interface UnionOption {
  readonly tag: number;
  readonly shape: Shape;
}

/** A structure with named fields. */
export interface StructType {
  readonly kind: 'struct';
  /** Unique name such as `core/v1.Pod`. */
  readonly name: string;
  /** The name in Kubernetes' messages, for instance `v1.Pod`. */
  readonly goType: string;
  /** Server-side apply treats the structure as one leaf. */
  readonly atomic: boolean;
  /** The JSON Schema that OpenAPI shows instead of one made from the fields. */
  readonly published?: JsonObject;
  /**
   * Decodes documents of the type instead of the walker: custom resources, whose fields are pruned by their own schema.
   */
  readonly decode?: (value: unknown) => Decoded;
  /** All fields by JSON name, in Kubernetes' order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The same fields as a record without prototype: a third of the cost of a Map for the decoder's inner loop. */
  readonly named: Readonly<Record<string, Field | undefined>>;
  /** The position of each field in Kubernetes' order, as a record without prototype. */
  readonly positions: Readonly<Record<string, number | undefined>>;
  /** The fields that a decoded object always has: those Kubernetes prints even when zero and those with a default. */
  readonly completions: readonly Completion[];
}

/** A decoded object and the fields that its type does not have. */
export interface Decoded {
  readonly object: Record<string, unknown>;
  /** `unknown field "spec.foo"` and the like, in document order, at most a hundred. */
  readonly problems: readonly string[];
  /** How many members the objects of the document have in all, reported or not. */
  readonly members: number;
}

/** A field that is filled in when absent. */
export interface Completion {
  readonly field: Field;
  /**
   * What it is filled with, where that is a plain value; otherwise the decoder makes it from the default or from zero.
   */
  readonly plain: string | number | boolean | undefined;
}

/**
 * How absence and the zero value relate.
 * - `value`: zero is absent (Go: a value with omitempty); a default replaces both.
 * - `pointer`: zero is a value of its own; a default replaces absence only.
 * - `always`: absence is zero, and zero is printed.
 */
export type Presence = 'value' | 'pointer' | 'always';

/** One field of a structure. */
export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly presence: Presence;
  /** The published schema demands the field. */
  readonly required: boolean;
  /** The default that does not depend on other fields. */
  readonly default?: JsonValue;
  /** How server-side apply merges a list; undefined is atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  /** The key fields of a `map` list. */
  readonly mapKeys: readonly string[];
  /** A map that server-side apply takes as one leaf. */
  readonly atomicMap: boolean;
  /** How a strategic merge patch treats the field. */
  readonly patch: PatchRule;
  /** Protobuf field numbers from the outermost message inwards; several when Go embeds a structure inline. */
  readonly tags: readonly number[];
  /** Names of the embedded Go structures on the way to the field, which Kubernetes' messages mention. */
  readonly embedded: readonly string[];
}

/** The strategic merge patch rule of a field. */
export interface PatchRule {
  /** What happens to a list or structure. By default a list is replaced and a structure merged. */
  readonly strategy?: 'replace' | 'merge';
  /** The field identifying an element of a merged list of objects. */
  readonly mergeKey?: string;
  /** Only the keys of the patch and those in `$retainKeys` survive. */
  readonly retainKeys: boolean;
}

/** Scalars by kind with the names of Go's basic types. */
export const scalars: Readonly<Record<ScalarKind, ScalarShape>> = {
  string: { kind: 'string', goType: 'string' },
  bool: { kind: 'bool', goType: 'bool' },
  int32: { kind: 'int32', goType: 'int32' },
  int64: { kind: 'int64', goType: 'int64' },
  double: { kind: 'double', goType: 'float64' },
  bytes: { kind: 'bytes', goType: '[]uint8' },
  quantity: { kind: 'quantity', goType: 'resource.Quantity' },
  'int-or-string': { kind: 'int-or-string', goType: 'intstr.IntOrString' },
  time: { kind: 'time', goType: 'v1.Time' },
  'micro-time': { kind: 'micro-time', goType: 'v1.MicroTime' },
  raw: { kind: 'raw', goType: 'runtime.RawExtension' },
  json: { kind: 'json', goType: 'interface {}' },
};

/** What `structType` needs to know of a field; the rest has defaults. */
export type FieldOptions = Partial<Omit<Field, 'name' | 'shape'>>;

/** Makes a field. A structure is a pointer by default: for it, {} is a value. */
export function field(name: string, shape: Shape, options: FieldOptions = {}): Field {
  const presence = pointers.has(shape.kind) ? 'pointer' : 'value';
  return {
    name,
    shape,
    presence,
    required: false,
    mapKeys: [],
    atomicMap: false,
    patch: unruled,
    tags: [],
    embedded: [],
    ...options,
  };
}

/** Makes a list shape. */
export function listOf(
  items: Shape,
  options: { readonly wrapped?: boolean; readonly goType?: string } = {},
): ListShape {
  return { kind: 'list', items, goType: options.goType ?? `[]${items.goType}`, wrapped: options.wrapped ?? false };
}

/** Makes a map shape. */
export function mapOf(values: Shape, options: { readonly goType?: string } = {}): MapShape {
  return { kind: 'map', values, goType: options.goType ?? `map[string]${values.goType}` };
}

/** Returns a function that calls `make` on first use and returns its result every time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Makes a structure. `fields` is called once, on first use, so that types may refer to each other and to themselves.
 */
export function structType(
  name: string,
  fields: () => readonly Field[],
  options: Partial<Pick<StructType, 'atomic' | 'published' | 'decode'>> = {},
): StructType {
  let known: Pick<StructType, 'fields' | 'named' | 'positions' | 'completions'> | undefined;
  const resolve = (): NonNullable<typeof known> => {
    const list = fields();
    const named = Object.create(null) as Record<string, Field>;
    const positions = Object.create(null) as Record<string, number>;
    for (const [position, each] of list.entries()) {
      named[each.name] = each;
      positions[each.name] = position;
    }
    known = {
      fields: new Map(list.map((each) => [each.name, each])),
      named,
      positions,
      completions: list.filter(completes).map(completion),
    };
    return known;
  };
  return {
    kind: 'struct',
    name,
    goType: name.replace(/^.*\/(?=[^/]*$)/, ''),
    atomic: options.atomic ?? false,
    ...(options.published && { published: options.published }),
    ...(options.decode && { decode: options.decode }),
    get fields() {
      return (known ?? resolve()).fields;
    },
    get named() {
      return (known ?? resolve()).named;
    },
    get positions() {
      return (known ?? resolve()).positions;
    },
    get completions() {
      return (known ?? resolve()).completions;
    },
  };
}

/**
 * Returns whether objects of the type have a protobuf form: whether its fields are numbered. Custom resources have
 * none.
 */
export function hasProtobuf({ fields }: StructType): boolean {
  for (const { tags } of fields.values()) if (tags.length > 0) return true;
  return fields.size === 0;
}

const pointers: ReadonlySet<Shape['kind']> = new Set(['struct', 'union', 'raw', 'json']);

const unruled: PatchRule = { retainKeys: false };

/**
 * Lists and maps are never made up: Go prints a missing one as null, which clients read as absent. Neither are
 * times: a zero time has no RFC 3339 form and is printed as null.
 */
function completes({ presence, shape, ...rest }: Field): boolean {
  if ('default' in rest) return true;
  return presence === 'always' && !uncompleted.has(shape.kind);
}

function completion(missing: Field): Completion {
  const { shape, default: value } = missing;
  switch (shape.kind) {
    case 'string':
      return { field: missing, plain: typeof value === 'string' ? value : '' };
    case 'int32':
    case 'int64':
      return { field: missing, plain: typeof value === 'number' ? value : 0 };
    case 'bool':
      return { field: missing, plain: value === true };
    default:
      return { field: missing, plain: undefined };
  }
}

const uncompleted: ReadonlySet<Shape['kind']> = new Set([
  'list',
  'map',
  'union',
  'raw',
  'json',
  'bytes',
  'time',
  'micro-time',
]);
