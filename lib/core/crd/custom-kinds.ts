// The kinds that a CustomResourceDefinition defines: one per version that is served or stored. Made from data only:
// schemas are read, and compiled, when something of the version is first used. As
// apiextensions-apiserver/pkg/apiserver/customresource_handler.go, getOrCreateServingInfoFor.
import type { Schema } from '../kinds/apiextensions/schema-value.js';
import type { GroupVersionKind } from '../objects/gvk.js';
import { printGroupVersion } from '../objects/gvk.js';
import type { JsonObject } from '../objects/json.js';
import type { Frozen } from '../objects/meta.js';
import { builtinSchema } from '../schema/builtin.js';
import { field, once, scalars, structType } from '../schema/type.js';
import type { Field, StructType } from '../schema/type.js';
import type {
  ConvertObjects,
  KindOptions,
  ResourceOptions,
  Subresource,
  VersionStorage,
} from '../scheme/kind-definition.js';
import { sameShape } from '../scheme/kind-definition.js';
import { compareVersions } from '../scheme/version-order.js';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '../types/apiextensions-v1.generated.js';
import type { PrinterColumn } from '../kinds/printer-columns.js';
import { customStrategy } from './custom-strategy.js';
import type { RuleCompiler } from './custom-strategy.js';
import { customDecoder } from './decode-custom.js';
import type { CustomDecoder } from './decode-custom.js';
import { resourceFields } from './prune.js';
import { schemaDefaulter } from './schema-defaults.js';
import type { SchemaDefaulter } from './schema-defaults.js';

type Definition = Frozen<CustomResourceDefinition>;
type Version = Frozen<CustomResourceDefinitionVersion>;

/** What the server adds to a definition. */
export interface CustomKindOptions {
  /** Compiles rules in CEL. Undefined: they are not checked. */
  readonly compileRules?: RuleCompiler | undefined;
  /** Converts objects between versions. Undefined: versions differ in their name only. */
  readonly convert?: ConvertObjects | undefined;
}

/**
 * Returns the kinds of a definition, by its accepted names. Versions that are neither served nor stored are not among
 * them; the storage version is the hub of the others.
 */
export function customKinds(definition: Definition, options: CustomKindOptions = {}): readonly KindOptions[] {
  const { spec, status } = definition;
  const names = status?.acceptedNames ?? spec.names;
  const stored = spec.versions.find(({ storage }) => storage)?.name;
  if (stored === undefined) return [];
  const hub: GroupVersionKind = { group: spec.group, version: stored, kind: names.kind };
  const codecs = new Map(
    spec.versions.map((version) => {
      const codec = versionCodec(definition, version, names.kind);
      return [codec.apiVersion, codec] as const;
    }),
  );
  return spec.versions
    .filter(({ served, storage }) => served || storage)
    .map((version) => customKind(definition, version, { names, hub, codecs, ...options }));
}

interface Family extends CustomKindOptions {
  readonly names: Frozen<CustomResourceDefinitionNames>;
  readonly hub: GroupVersionKind;
  /** By apiVersion, of all versions: objects may be stored in any. */
  readonly codecs: ReadonlyMap<string, VersionCodec>;
}

/** What reads objects of one version. */
interface VersionCodec {
  readonly apiVersion: string;
  readonly type: StructType;
  readonly decode: () => CustomDecoder;
  readonly defaulter: () => SchemaDefaulter | undefined;
}

function versionCodec({ spec }: Definition, { name, schema: validation }: Version, kind: string): VersionCodec {
  const published = validation?.openAPIV3Schema;
  const schema = spec.preserveUnknownFields === true ? undefined : published;
  const gvk = { group: spec.group, version: name, kind };
  const decode: () => CustomDecoder = once(() => customDecoder(schema, () => type));
  const type: StructType = customType(gvk, published, decode);
  return { apiVersion: printGroupVersion(gvk), type, decode, defaulter: once(() => schemaDefaulter(schema)) };
}

function customKind(definition: Definition, version: Version, family: Family): KindOptions {
  const { names, hub, compileRules, codecs } = family;
  const { spec } = definition;
  const { subresources = {}, selectableFields = [] } = version;
  const gvk: GroupVersionKind = { group: spec.group, version: version.name, kind: names.kind };
  const codec = codecs.get(printGroupVersion(gvk)) ?? versionCodec(definition, version, names.kind);
  const { type, defaulter } = codec;
  return {
    ...gvk,
    type: () => type,
    ...(version.name !== hub.version && { conversion: sameShape(hub) }),
    ...(version.served && { resource: resourceOf(definition, version, gvk, names) }),
    setDefaults: (object) => defaulter()?.apply(object),
    strategy: customStrategy({
      schema: version.schema?.openAPIV3Schema,
      defaulter,
      hasStatus: subresources.status !== undefined,
      scale: subresources.scale,
      columns: version.additionalPrinterColumns?.map(columnOf),
      selectableFields: selectableFields.map(({ jsonPath }) => jsonPath),
      compileRules,
    }),
    versionStorage: versionStorage(codec, family),
  };
}

/**
 * Objects are decoded and defaulted in the version they are stored in. Then they are converted and pruned by the schema
 * of the other version, whose defaults are not filled in.
 */
function versionStorage(own: VersionCodec, { names, codecs, convert }: Family): VersionStorage {
  const converted = new WeakSet<JsonObject>();
  const decoded = (value: JsonObject, { apiVersion, decode, defaulter }: VersionCodec): JsonObject => {
    const { object } = decode()({ ...value, kind: names.kind, apiVersion }, { repairs: true });
    defaulter()?.apply(object);
    return object as JsonObject;
  };
  const pruned = (object: JsonObject, { apiVersion, decode }: VersionCodec): JsonObject =>
    decode()({ ...object, apiVersion }, { repairs: true }).object as JsonObject;
  const codecOf = (value: JsonObject): VersionCodec =>
    (typeof value.apiVersion === 'string' ? codecs.get(value.apiVersion) : undefined) ?? own;
  return {
    read(value) {
      if (converted.has(value)) return value;
      const stored = codecOf(value);
      const object = decoded(value, stored);
      return stored === own ? object : pruned(object, own);
    },
    write: (object, apiVersion) => pruned(object, codecs.get(apiVersion) ?? own),
    ...(convert && {
      async convert(objects, apiVersion) {
        const results = await convert(
          objects.map((object) => decoded(object, codecOf(object))),
          apiVersion,
        );
        const target = codecs.get(apiVersion) ?? own;
        return results.map((result) => {
          const object = pruned(result, target);
          converted.add(object);
          return object;
        });
      },
    }),
  };
}

/** The type of a version: decoded, owned and published by the schema. Its fields are for those that name them. */
function customType(
  { group, version, kind }: GroupVersionKind,
  published: Schema | undefined,
  decoder: () => CustomDecoder,
): StructType {
  const name = `${group}/${version}.${kind}`;
  return structType(name, () => resourceFieldsOf(published), {
    published: published ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    decode: (value) => decoder()(value, { repairs: false }),
  });
}

function resourceFieldsOf(schema: Schema | undefined): readonly Field[] {
  const metadata = builtinSchema.struct('meta/v1.ObjectMeta') ?? scalars.json;
  const others = Object.keys(schema?.properties ?? {}).filter((name) => !resourceFields.has(name));
  return [
    field('kind', scalars.string),
    field('apiVersion', scalars.string),
    field('metadata', metadata, { presence: 'always' }),
    ...others.map((name) => field(name, scalars.json)),
  ];
}

function columnOf({ type, ...column }: Frozen<CustomResourceColumnDefinition>): PrinterColumn {
  // Validation accepts no other types.
  return { ...column, type: type as PrinterColumn['type'] };
}

function resourceOf(
  { spec }: Definition,
  version: Version,
  gvk: GroupVersionKind,
  names: Frozen<CustomResourceDefinitionNames>,
): ResourceOptions {
  const { plural, singular, shortNames = [], categories = [], listKind } = names;
  const { status, scale } = version.subresources ?? {};
  const subresource = (name: string, kind: GroupVersionKind): Subresource => ({
    name,
    kind,
    verbs: ['get', 'patch', 'update'],
  });
  return {
    plural,
    namespaced: spec.scope === 'Namespaced',
    ...(singular !== undefined && { singular }),
    ...(listKind !== undefined && { listKind }),
    shortNames,
    categories,
    verbs: customVerbs,
    subresources: [
      ...(status === undefined ? [] : [subresource('status', gvk)]),
      ...(scale === undefined ? [] : [subresource('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' })]),
    ],
    deprecation: deprecationOf(spec, version, names.kind),
    scale,
  };
}

/** In the order of discovery. As the list of apiextensions-apiserver/pkg/apiserver/customresource_discovery. */
const customVerbs: readonly string[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/** The warning of a deprecated version: its own, or one that names the best version to use instead. */
function deprecationOf(
  { group, versions }: Definition['spec'],
  { name, deprecated, deprecationWarning }: Version,
  kind: string,
): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [best] = versions
    .filter((other) => other.served && other.deprecated !== true && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .sort(compareVersions);
  return `${group}/${name} ${kind} is deprecated${best === undefined ? '' : `; use ${group}/${best} ${kind}`}`;
}
