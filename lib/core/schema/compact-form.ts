// The compact text form of a schema, and its parser. One block per type, one line per field:
//
//     struct Container
//     1 name string ! r
//     6 ports [ContainerPort] map(containerPort,protocol) merge(containerPort)
//     2.4:VolumeSource secret SecretVolumeSource
//
// A field is its protobuf number (`-` for none; a path with the embedded Go names where Go embeds), its JSON name,
// its type (`[T]` list, `{T}` map, `<T>` a list that is a message in protobuf) and its marks: `!` always present,
// `*` pointer, `r` required, `=…` default as JSON, `as:Name` a Go name for messages, the list type, `atomic-map`,
// and the strategic merge rule `merge`, `merge(key)`, `replace`, `retain-keys`.
// Other blocks: `enum Name a|b`, `alias Name base`, `union Name tag:type tag:type`.
//
// Nothing is parsed before it is requested: a group-version is indexed on its first type, a type on its first field.
import type { JsonValue } from '../objects/json.js';
import type { Field, FieldOptions, PatchRule, Shape, StructType } from './type.js';
import { field, listOf, mapOf, scalars, structType } from './type.js';

/** A source of types by unique name, for instance `core/v1.Pod`. */
export interface SchemaSource {
  /** The structure of that name, or undefined. */
  struct(name: string): StructType | undefined;
  /** Names of all structures of a group-version such as `core/v1`, in order. */
  structs(groupVersion: string): readonly string[];
  /** All group-versions. */
  readonly groupVersions: readonly string[];
}

/** Reads compact texts, one per group-version. */
export function compactSchema(texts: Readonly<Record<string, string>>): SchemaSource {
  const blocks = new Map<string, Map<string, string>>();
  const shapes = new Map<string, Shape>();

  const blocksOf = (groupVersion: string): Map<string, string> | undefined => {
    const known = blocks.get(groupVersion);
    if (known !== undefined || !Object.hasOwn(texts, groupVersion)) return known;
    const index = new Map<string, string>();
    for (const block of texts[groupVersion]?.trim().split('\n\n') ?? [])
      index.set(block.split(/[ \n]/, 2)[1] ?? '', block);
    blocks.set(groupVersion, index);
    return index;
  };

  const shape = (name: string): Shape | undefined => {
    const known = shapes.get(name);
    if (known !== undefined) return known;
    const [groupVersion, local] = splitName(name);
    const block = blocksOf(groupVersion)?.get(local);
    if (block === undefined) return undefined;
    const made = parseBlock({ name, groupVersion, block, resolve: shape });
    shapes.set(name, made);
    return made;
  };

  return {
    struct(name) {
      const found = shape(name);
      return found?.kind === 'struct' ? found : undefined;
    },
    structs: (groupVersion) =>
      [...(blocksOf(groupVersion) ?? [])]
        .filter(([, block]) => block.startsWith('struct '))
        .map(([local]) => `${groupVersion}.${local}`),
    groupVersions: Object.keys(texts),
  };
}

interface BlockContext {
  readonly name: string;
  readonly groupVersion: string;
  readonly block: string;
  readonly resolve: (name: string) => Shape | undefined;
}

function splitName(name: string): [groupVersion: string, local: string] {
  const dot = name.indexOf('.', name.indexOf('/'));
  return [name.slice(0, dot), name.slice(dot + 1)];
}

function parseBlock(context: BlockContext): Shape {
  const [head = '', ...lines] = context.block.split('\n');
  const [keyword, local = '', ...marks] = head.split(' ');
  const goType = `${context.groupVersion.slice(context.groupVersion.indexOf('/') + 1)}.${local}`;
  switch (keyword) {
    case 'struct':
      return structType(context.name, () => lines.map((line) => parseField(line, context)), {
        atomic: marks.includes('atomic'),
      });
    case 'enum':
      return { kind: 'string', goType, values: marks.join(' ').split('|') };
    case 'alias':
      return { ...parseType(marks[0] ?? 'string', context), goType: marks[1] ?? goType };
    case 'union':
      return {
        kind: 'union',
        goType,
        options: marks.map((mark) => ({
          tag: Number.parseInt(mark, 10),
          shape: parseType(mark.slice(mark.indexOf(':') + 1), context),
        })),
      };
    default:
      throw new Error(`unknown schema block: ${head}`);
  }
}

function parseType(text: string, context: BlockContext): Shape {
  const inner = text.slice(1, -1);
  if (text.startsWith('[')) return listOf(parseType(inner, context));
  if (text.startsWith('<')) return listOf(parseType(inner, context), { wrapped: true });
  if (text.startsWith('{')) return mapOf(parseType(inner, context));
  if (isScalarKind(text)) return scalars[text];
  const found = context.resolve(text.includes('.') ? text : `${context.groupVersion}.${text}`);
  if (found === undefined) throw new Error(`${context.name} refers to the unknown type ${text}`);
  return found;
}

function isScalarKind(text: string): text is keyof typeof scalars {
  return Object.hasOwn(scalars, text);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function parseField(line: string, context: BlockContext): Field {
  const [place = '', name = '', type = '', ...marks] = line.split(' ');
  const options: Writable<FieldOptions> = {};
  let shape = parseType(type, context);
  let patch: PatchRule = { retainKeys: false };
  for (const mark of marks) {
    const [word = '', argument] = mark.split(/[(:]/, 2);
    const names = argument?.replace(')', '').split(',') ?? [];
    if (mark.startsWith('=')) options.default = JSON.parse(mark.slice(1)) as JsonValue;
    else if (word === '!') options.presence = 'always';
    else if (word === '*') options.presence = 'pointer';
    else if (word === 'r') options.required = true;
    else if (word === 'as') shape = { ...shape, goType: names[0] ?? shape.goType };
    else if (word === 'map' || word === 'set' || word === 'atomic') options.listType = word;
    else if (word === 'atomic-map') options.atomicMap = true;
    else if (word === 'merge')
      patch = { ...patch, strategy: 'merge', ...(names[0] === undefined ? {} : { mergeKey: names[0] }) };
    else if (word === 'replace') patch = { ...patch, strategy: word };
    else if (word === 'retain-keys') patch = { ...patch, retainKeys: true };
    else throw new Error(`unknown mark ${mark} in ${context.name}.${name}`);
    if (word === 'map') options.mapKeys = names;
  }
  const [numbers = '', ...embedded] = place.split(':');
  return field(name, shape, {
    ...options,
    patch,
    embedded,
    tags: numbers === '-' ? [] : numbers.split('.').map(Number),
  });
}
