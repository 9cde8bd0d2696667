// Descriptions of types and fields in OpenAPI documents. The texts (scripts/generate/facts/descriptions.txt) are loaded
// with the first document; fields that have none are described by their type and constraints.
import type { Field, Shape, StructType } from '../../../core/index.js';

/** Describes types and their fields. */
export interface Descriptions {
  /** Returns the description of a type; undefined where there is none. */
  type(type: StructType): string | undefined;
  /** Returns the description of a field, which may be derived from its type. */
  field(type: StructType, field: Field): string;
}

/** Loads the texts. */
export async function loadDescriptions(): Promise<Descriptions> {
  const { descriptionText } = await import('./descriptions.generated.js');
  const texts = new Map(
    descriptionText
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
  // `core/v1.Pod` is described as `core.Pod`: names mean the same in all versions of a group.
  const keyOf = ({ name }: StructType): string => name.replace(/\/[^.]*/, '');
  return {
    type: (type) => texts.get(keyOf(type)),
    field: (type, field) => texts.get(`${keyOf(type)}.${field.name}`) ?? everywhere[field.name] ?? describeField(field),
  };
}

/** Fields that mean the same in every type. */
const everywhere: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version of the schema of this object.',
  kind: 'Kind of this object.',
  metadata: 'Metadata of the object.',
  items: 'Objects of the list.',
};

/** Describes a field by its type and constraints. */
function describeField({ shape, required, default: fallback, listType, mapKeys }: Field): string {
  const uniqueness =
    mapKeys.length > 0 ? `, unique by ${mapKeys.join(' and ')}` : listType === 'set' ? ', each once' : '';
  const sentences = [
    `${capitalize(describeShape(shape))}${uniqueness}.`,
    ...(fallback === undefined ? [] : [`Default: ${JSON.stringify(fallback)}.`]),
    ...(required ? ['Required.'] : []),
  ];
  return sentences.join(' ');
}

function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'struct':
    case 'union':
      return localName(shape.goType);
    case 'list':
      return `list of ${describeShape(shape.items)}`;
    case 'map':
      return `map from names to ${describeShape(shape.values)}`;
    default:
      return shape.values === undefined ? leaves[shape.kind] : `one of ${shape.values.join(', ')}`;
  }
}

const leaves = {
  string: 'text',
  bool: 'true or false',
  int32: 'whole number',
  int64: 'whole number',
  double: 'number',
  bytes: 'bytes as base64',
  quantity: 'quantity, such as 500m or 2Gi',
  'int-or-string': 'whole number or text',
  time: 'time, such as 2026-01-31T12:00:00Z',
  'micro-time': 'time with microseconds',
  raw: 'object of any kind',
  json: 'any JSON value',
} as const;

function localName(goType: string): string {
  return goType.slice(goType.lastIndexOf('.') + 1);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
