// A kind of the host, from a JSON Schema: `server.kinds.add(await defineKind({ group, version, kind, schema }))`. It is
// served as Kubernetes serves a custom resource: in JSON and YAML, with `status` and `scale` where they are wanted,
// printed by columns, selected by fields, and refused with 422 and one cause per violation of the schema.
//
// JSON Schema says what is wrong with an object; it does not prune: unknown fields below the top level are kept unless
// the schema refuses them. CustomResourceDefinitions, whose structural schemas prune, have their own validator.
import type { KindStrategy, UpdateStrategy } from '../kinds/kind-strategy.js';
import { kindColumns } from '../kinds/printer-columns.js';
import type { PrinterColumn } from '../kinds/printer-columns.js';
import { deepEqual, isJsonObject } from '../objects/json.js';
import { fieldReader } from '../objects/field-text.js';
import type { JsonObject } from '../objects/json.js';
import type { ApiObject, Frozen } from '../objects/meta.js';
import { nameIsDnsSubdomain } from '../objects/names.js';
import { builtinSchema } from '../schema/builtin.js';
import { applySchemaDefaults, schemaValidator } from '../schema/schema-validator.js';
import { field, scalars, structType } from '../schema/type.js';
import type { KindOptions, ResourceOptions, Subresource } from './kind-definition.js';

/** A kind with its JSON Schema. */
export interface DefinedKind extends Pick<KindOptions, 'group' | 'version' | 'kind' | 'conversion' | 'storage'> {
  /**
   * The JSON Schema (draft-07) of an object, with `spec`, `status` and others as its properties. `apiVersion`, `kind`
   * and `metadata` need not be named. Defaults are filled in; formats are documentation.
   */
  readonly schema: JsonObject;
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Default the kind in lower case with an `s`. */
  readonly plural?: string;
  /** Default the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /**
   * `status` is written apart from the rest; `scale` reads and writes `.spec.replicas` and reads `.status.replicas`.
   * Default neither.
   */
  readonly subresources?: readonly ('status' | 'scale')[];
  /** Columns that `kubectl get` prints after the name. Default the age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Fields that selectors may name, such as `.spec.color`. Metadata's name and namespace always are. */
  readonly selectableFields?: readonly string[];
}

/** Makes a kind of a JSON Schema. Loads the validator on first use. Rejects where the schema is not valid. */
export async function defineKind(options: DefinedKind): Promise<KindOptions> {
  const { group, version, kind, schema, conversion, storage } = options;
  const validate = await schemaValidator(schema);
  const type = structType(
    `${group}/${version}.${kind}`,
    () => [
      field('kind', scalars.string),
      field('apiVersion', scalars.string),
      field('metadata', builtinSchema.struct('meta/v1.ObjectMeta') ?? scalars.json, { presence: 'always' }),
      ...Object.keys(propertiesOf(schema)).flatMap((name) => (typeMeta.has(name) ? [] : [field(name, scalars.json)])),
    ],
    { published: schema },
  );
  return {
    group,
    version,
    kind,
    ...(conversion && { conversion }),
    ...(storage && { storage }),
    type: () => type,
    resource: resourceOf(options),
    setDefaults: (object) => applySchemaDefaults(schema, object),
    strategy: strategyOf(options, validate),
  };
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function resourceOf(options: DefinedKind): ResourceOptions {
  const { group, version, kind, scope = 'Namespaced', plural = `${kind.toLowerCase()}s`, subresources = [] } = options;
  const { singular, shortNames, categories } = options;
  const kinds = { status: { group, version, kind }, scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' } };
  return {
    plural,
    namespaced: scope === 'Namespaced',
    ...(singular !== undefined && { singular }),
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    subresources: subresources.map((name): Subresource => ({
      name,
      kind: kinds[name],
      verbs: ['get', 'patch', 'update'],
    })),
  };
}

function strategyOf(options: DefinedKind, validate: Awaited<ReturnType<typeof schemaValidator>>): KindStrategy {
  const { subresources = [], printerColumns, selectableFields = [] } = options;
  const update: UpdateStrategy = { validateUpdate: validate, checksMetadataOnce: true };
  const hasStatus = subresources.includes('status');
  return {
    ...update,
    nameRule: nameIsDnsSubdomain,
    validate,
    changesGeneration: (object, old) => !deepEqual(contentOf(object, hasStatus), contentOf(old, hasStatus)),
    ...(hasStatus ? { subresources: { status: update }, prepareForCreate: dropStatus } : { keepsStatus: true }),
    table: kindColumns(printerColumns),
    ...(selectableFields.length > 0 && {
      selectableFields: Object.fromEntries(
        selectableFields.map((path) => [path.replace(/^\./, ''), fieldReader(path)] as const),
      ),
    }),
    answersDeleted: true,
  };
}

/** A new object has no status: it is written through the subresource. */
function dropStatus(object: ApiObject & { status?: unknown }): void {
  delete object.status;
}

/** What a generation counts: all but metadata, and but status where it is written apart. */
function contentOf(object: Frozen<ApiObject>, withoutStatus: boolean): JsonObject {
  const { metadata: _metadata, ...content } = object as JsonObject;
  if (!withoutStatus) return content;
  const { status: _status, ...rest } = content;
  return rest;
}
