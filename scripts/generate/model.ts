// Joins the published facts of a Kubernetes release into one model: the schemas (types, required, list and merge
// rules), the protobuf field numbers (whose order is the order of the Go structures) and our own fact files beside
// this one (presence, enumerations, defaults that do not depend on other fields, descriptions).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FieldModel {
  readonly name: string;
  /** Compact type text, see lib/core/schema/compact-form.ts. */
  readonly type: string;
  /** Protobuf place: `-`, `3`, or `2.1:VolumeSource`. */
  readonly place: string;
  readonly marks: readonly string[];
  readonly required: boolean;
}

export interface StructModel {
  readonly id: string;
  readonly atomic: boolean;
  readonly fields: readonly FieldModel[];
  /** apiVersion and kind where the structure is a kind of its own. */
  readonly gvk?: { readonly apiVersion: string; readonly kind: string };
}

export interface Model {
  readonly structs: ReadonlyMap<string, StructModel>;
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** Open named strings that messages mention. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly unions: ReadonlyMap<string, string>;
  readonly resources: readonly ResourceFact[];
  /** Texts of types (`core.Pod`) and fields (`core.PodSpec.volumes`): the same in all versions of a group. */
  readonly descriptions: ReadonlyMap<string, string>;
}

export interface ResourceFact {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly responseGroup?: string | null;
  readonly responseVersion?: string | null;
  readonly namespaced: boolean;
  readonly singular: string;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
}

interface SchemaField {
  readonly type?: 'string' | 'integer' | 'boolean' | 'number' | 'array' | 'object';
  readonly format?: string;
  readonly ref?: string;
  readonly items?: SchemaField;
  readonly values?: SchemaField;
  readonly default?: unknown;
  readonly listType?: string;
  readonly mapKeys?: readonly string[];
  readonly mapType?: string;
  readonly mergeKey?: string;
  readonly patchStrategy?: string;
}

interface Schema {
  readonly fields?: Readonly<Record<string, SchemaField>>;
  readonly required?: readonly string[];
  readonly mapType?: string;
  readonly gvk?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

type ProtoMessage = Readonly<Record<string, readonly [tag: number, type: string]>>;

/** Types that are leaves of ours, by the id they would otherwise have. */
const leaves: Readonly<Record<string, string>> = {
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'int-or-string',
  'runtime.RawExtension': 'raw',
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'micro-time',
  'meta/v1.FieldsV1': 'raw',
  'meta/v1.Patch': 'raw',
  'meta/v1.Duration': 'int64',
  'apiextensions/v1.JSON': 'json',
};

/** Distinguished by the JSON type of the value; protobuf keeps each alternative in a field of its own. */
const unions: Readonly<Record<string, string>> = {
  'apiextensions/v1.JSONSchemaPropsOrArray': '1:JSONSchemaProps 2:[JSONSchemaProps]',
  'apiextensions/v1.JSONSchemaPropsOrBool': '1:bool 2:JSONSchemaProps',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': '1:JSONSchemaProps 2:[string]',
};

/** Kinds of the wire that the published schemas leave out but protobuf describes. */
const wireOnly = [
  /^admission\/v1\./,
  /^apidiscovery\/v2\./,
  /^core\/v1\.(Pod|Node|Service)\w*Options$/,
  /^meta\/v1\.(Create|Update|Patch|List|Get|Table)Options$/,
  /^meta\/v1\.PartialObjectMetadata(List)?$/,
  /^meta\/v1\.GroupVersion(Kind|Resource)$/,
];

export function readModel(released: string, facts: string): Model {
  const json = (name: string): unknown => JSON.parse(readFileSync(join(released, name), 'utf8'));
  const lines = (name: string): readonly string[][] =>
    readFileSync(join(facts, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '));
  const schemas = new Map(
    Object.entries(json('schemas.json') as Record<string, Schema>).map(([name, schema]) => [idOf(name), schema]),
  );
  const messages = new Map(
    Object.entries(json('protobuf.json') as Record<string, ProtoMessage>).map(([name, message]) => [
      idOf(name),
      message,
    ]),
  );
  const presence = new Map(
    lines('presence.txt').map(([id = '', ...fields]) => [id, new Map(fields.map(splitPresence))]),
  );
  const defaults = new Map(lines('defaults.txt').map(([name = '', ...value]) => [name, value.join(' ')]));
  const enums = new Map(lines('enums.txt').map(([id = '', ...rest]) => [id, rest.join(' ').split('|')]));
  const aliases = new Map<string, string>();
  const resources = json('resources.json') as ResourceFact[];
  const structs = new Map<string, StructModel>();

  for (const [id, schema] of schemas) {
    if (leaves[id] !== undefined || unions[id] !== undefined || id.startsWith('version.')) continue;
    structs.set(id, structOf(id, schema));
  }
  for (const [id, message] of messages) {
    if (structs.has(id) || !wireOnly.some((pattern) => pattern.test(id))) continue;
    structs.set(id, structOf(id, schemaOfMessage(id, message)));
  }
  const descriptions = readDescriptions(readFileSync(join(facts, 'descriptions.txt'), 'utf8'));
  for (const name of descriptions.keys()) {
    const [group, type = '', field] = name.split('.');
    const isKnown = [...structs.values()].some(
      ({ id, fields }) =>
        localName(id) === type &&
        id.startsWith(`${group}/`) &&
        (field === undefined || fields.some((each) => each.name === field)),
    );
    if (!isKnown) throw new Error(`descriptions.txt describes ${name}, which does not exist`);
  }
  return { structs, enums, aliases, unions: new Map(Object.entries(unions)), resources, descriptions };

  function structOf(id: string, schema: Schema): StructModel {
    const places = placesOf(id);
    const order = new Map([...places.keys()].map((name, index) => [name, index]));
    const own = Object.entries(schema.fields ?? {});
    const rank = (name: string): number => order.get(name) ?? (name === 'kind' ? -2 : -1);
    own.sort(([a], [b]) => rank(a) - rank(b));
    const gvk = schema.gvk?.length === 1 ? schema.gvk[0] : undefined;
    return {
      id,
      atomic: schema.mapType === 'atomic',
      fields: own.map(([name, facts]) => fieldOf({ id, name, schema, facts, place: places.get(name) ?? '-' })),
      ...(gvk === undefined
        ? {}
        : { gvk: { apiVersion: gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`, kind: gvk.kind } }),
    };
  }

  function fieldOf(given: { id: string; name: string; schema: Schema; facts: SchemaField; place: string }): FieldModel {
    const { id, name, schema, facts, place } = given;
    const { flags, goName } = presence.get(id)?.get(name) ?? { flags: '', goName: undefined };
    const marks: string[] = [];
    const fallback =
      defaults.get(`${id}.${name}`) ??
      (isExplicit(facts.default, flags.includes('*')) ? JSON.stringify(facts.default) : undefined);
    if (flags.includes('*')) marks.push('*');
    else if (flags.includes('!')) marks.push('!');
    const required = schema.required?.includes(name) ?? false;
    if (required) marks.push('r');
    if (fallback !== undefined) marks.push(`=${fallback}`);
    if (facts.listType === 'map') marks.push(`map(${facts.mapKeys?.join(',') ?? ''})`);
    else if (facts.listType !== undefined) marks.push(facts.listType);
    if (facts.mapType === 'atomic') marks.push('atomic-map');
    const strategies = facts.patchStrategy?.split(',') ?? [];
    if (strategies.includes('merge')) marks.push(facts.mergeKey === undefined ? 'merge' : `merge(${facts.mergeKey})`);
    if (strategies.includes('replace')) marks.push('replace');
    if (strategies.includes('retainKeys')) marks.push('retain-keys');
    let type = typeOf(facts, gvOf(id));
    if (messages.get(id)?.[name]?.[1].endsWith('.Verbs') === true) type = '<string>';
    if (goName !== undefined && !type.startsWith('<')) {
      const full = goName.includes('/') ? goName : goName.includes('.') ? goName : `${gvOf(id)}.${goName}`;
      if (type.startsWith('{') || (type.startsWith('[') && goName.endsWith('List'))) {
        if (!type.includes('string')) marks.push(`as:${gvOf(id).split('/')[1] ?? ''}.${goName}`);
      } else if (full.startsWith('types.')) {
        aliases.set(`meta/v1.${full.slice(6)}`, full);
        type = type.replace('string', shorten(`meta/v1.${full.slice(6)}`, gvOf(id)));
      } else if (type.includes('string')) {
        if (!enums.has(full)) aliases.set(full, '');
        type = type.replace('string', shorten(full, gvOf(id)));
      }
    }
    if (id === 'apiextensions/v1.JSONSchemaProps' && type === 'json')
      marks.splice(0, marks.length, ...marks.filter((mark) => mark !== '!'));
    return { name, type, place, marks, required };
  }

  /** Protobuf place by JSON name; a message field without JSON counterpart is a Go structure embedded inline. */
  function placesOf(id: string): ReadonlyMap<string, string> {
    const known = new Set(Object.keys(schemas.get(id)?.fields ?? messages.get(id) ?? {}));
    const places = new Map<string, string>();
    const visit = (message: string, path: readonly number[], embedded: readonly string[]): void => {
      for (const [protoName, [tag, type]] of Object.entries(messages.get(message) ?? {})) {
        const name = jsonName(protoName, known);
        if (name !== undefined) places.set(name, [[...path, tag].join('.'), ...embedded].join(':'));
        else if (messages.has(idOf(type))) visit(idOf(type), [...path, tag], [...embedded, localName(idOf(type))]);
      }
    };
    visit(id, [], []);
    return places;
  }

  function schemaOfMessage(id: string, message: ProtoMessage): Schema {
    const fields: Record<string, SchemaField> = {};
    const kinds = /Options$|Review$|PartialObjectMetadata|DiscoveryList$|\.APIGroupDiscovery$/;
    if (kinds.test(id)) {
      fields.kind = { type: 'string' };
      fields.apiVersion = { type: 'string' };
    }
    for (const [name, [, type]] of Object.entries(message)) fields[name] = schemaOfProto(type);
    return { fields };
  }

  function typeOf(facts: SchemaField, gv: string): string {
    if (facts.ref !== undefined) {
      const id = idOf(facts.ref);
      return leaves[id] ?? shorten(id, gv);
    }
    switch (facts.type) {
      case 'array':
        return `[${typeOf(facts.items ?? {}, gv)}]`;
      case 'object':
        return facts.values?.type === 'array'
          ? `{<${typeOf(facts.values.items ?? {}, gv)}>}`
          : facts.values === undefined
            ? 'raw'
            : `{${typeOf(facts.values, gv)}}`;
      case 'integer':
        return facts.format ?? 'int64';
      case 'number':
        return 'double';
      case 'boolean':
        return 'bool';
      default:
        return facts.format === 'byte' ? 'bytes' : 'string';
    }
  }
}

function splitPresence(text: string): [name: string, facts: { flags: string; goName: string | undefined }] {
  const [, name = '', flags = '', goName] = /^([^*!?=]+)([*!?]*)(?:=(.+))?$/.exec(text) ?? [];
  return [name, { flags, goName }];
}

/** `io.k8s.api.core.v1.Pod` and `k8s.io.api.core.v1.Pod` → `core/v1.Pod`. */
export function idOf(name: string): string {
  const parts = name.replace(/^\./, '').split('.');
  const local = parts.at(-1) ?? '';
  const version = parts.at(-2) ?? '';
  return /^v\d/.test(version) ? `${parts.at(-3) ?? ''}/${version}.${local}` : `${version}.${local}`;
}

export function gvOf(id: string): string {
  return id.slice(0, id.indexOf('.', id.indexOf('/')));
}

export function localName(id: string): string {
  return id.slice(gvOf(id).length + 1);
}

function shorten(id: string, gv: string): string {
  return gvOf(id) === gv ? localName(id) : id;
}

/** Protobuf spells some names differently: `Webhooks`, `uID`, `aPIGroup`, `xKubernetesListType`, `ref`. */
function jsonName(protoName: string, known: ReadonlySet<string>): string | undefined {
  const spelled = [
    protoName,
    protoName.charAt(0).toLowerCase() + protoName.slice(1),
    `$${protoName}`,
    protoName.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    protoName.toLowerCase(),
    protoName.replace(/^aPI/, 'api'),
  ];
  return spelled.find((name) => known.has(name));
}

function schemaOfProto(type: string): SchemaField {
  const repeated = /^repeated (.+)$/.exec(type)?.[1];
  if (repeated !== undefined) return { type: 'array', items: schemaOfProto(repeated) };
  const values = /^map<string,(.+)>$/.exec(type)?.[1];
  if (values !== undefined)
    return values === 'ExtraValue'
      ? { type: 'object', values: { type: 'array', items: { type: 'string' } } }
      : { type: 'object', values: schemaOfProto(values) };
  switch (type) {
    case 'string':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'double':
      return { type: 'number' };
    default:
      return { ref: type };
  }
}

/**
 * The published schema gives zero as default of every field that is no pointer, which says nothing. A pointer has a
 * default only where one is intended.
 */
function isExplicit(value: unknown, pointer: boolean): boolean {
  return value !== undefined && (pointer || !['""', '0', 'false', '{}'].includes(JSON.stringify(value)));
}

/** Reads texts of types and fields. The version of a type is not part of its name. */
function readDescriptions(text: string): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>();
  let type = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const isField = line.startsWith('  ');
    const [name = '', ...words] = line.trim().split(' ');
    if (!isField) type = name.replace(/\/[^.]*/, '');
    const key = isField ? `${type}.${name}` : type;
    if (descriptions.has(key)) throw new Error(`descriptions.txt describes ${key} twice`);
    descriptions.set(key, words.join(' '));
  }
  return descriptions;
}
