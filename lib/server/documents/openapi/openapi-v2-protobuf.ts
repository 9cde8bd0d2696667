// OpenAPI v2 as protobuf, the only form in which client-go reads it: kubectl before 1.28 needs it to create objects,
// later ones request it for lists and unknown kinds. The messages are those of gnostic (openapiv2/OpenAPIv2.proto), as
// far as our document uses them; a part that the table here does not name throws, so that nothing is omitted silently.
import type { DocumentPart } from './schema-document.js';

/** The media type of the protobuf form. */
export const openApiV2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Encodes a document. */
export function encodeOpenApiV2(document: DocumentPart): Uint8Array {
  return message('Document', document);
}

/** The encoding of a value: a leaf, a message by name, a list of either, or one of the forms of `wrapped`. */
type Form = 'text' | 'flag' | 'any' | MessageName | readonly [Form] | keyof typeof wrapped;
type MessageName =
  'Document' | 'Info' | 'PathItem' | 'Operation' | 'Body' | 'Query' | 'Path' | 'Response' | 'ApiKey' | 'Schema';

interface Message {
  /** Field numbers and encodings, by JSON name. */
  readonly fields: Readonly<Record<string, readonly [number, Form]>>;
  /** The field number of extensions (`x-…`). */
  readonly extensions: number;
}

const messages: Readonly<Record<MessageName, Message>> = {
  Document: {
    fields: {
      swagger: [1, 'text'],
      info: [2, 'Info'],
      paths: [8, 'paths'],
      definitions: [9, 'schemas'],
      securityDefinitions: [13, 'security'],
    },
    extensions: 16,
  },
  Info: { fields: { title: [1, 'text'], version: [2, 'text'] }, extensions: 7 },
  PathItem: {
    fields: {
      get: [2, 'Operation'],
      put: [3, 'Operation'],
      post: [4, 'Operation'],
      delete: [5, 'Operation'],
      patch: [8, 'Operation'],
      parameters: [9, ['parameter']],
    },
    extensions: 10,
  },
  Operation: {
    fields: {
      tags: [1, ['text']],
      operationId: [5, 'text'],
      produces: [6, ['text']],
      consumes: [7, ['text']],
      parameters: [8, ['parameter']],
      responses: [9, 'responses'],
      schemes: [10, ['text']],
    },
    extensions: 13,
  },
  Body: { fields: { name: [2, 'text'], in: [3, 'text'], required: [4, 'flag'], schema: [5, 'Schema'] }, extensions: 6 },
  Query: {
    fields: { required: [1, 'flag'], in: [2, 'text'], name: [4, 'text'], type: [6, 'text'], uniqueItems: [20, 'flag'] },
    extensions: 23,
  },
  Path: {
    fields: { required: [1, 'flag'], in: [2, 'text'], name: [4, 'text'], type: [5, 'text'], uniqueItems: [19, 'flag'] },
    extensions: 22,
  },
  Response: { fields: { description: [1, 'text'], schema: [2, 'responseSchema'] }, extensions: 5 },
  ApiKey: { fields: { type: [1, 'text'], name: [2, 'text'], in: [3, 'text'] }, extensions: 5 },
  Schema: {
    fields: {
      $ref: [1, 'text'],
      format: [2, 'text'],
      description: [4, 'text'],
      default: [5, 'any'],
      required: [19, ['text']],
      enum: [20, ['any']],
      additionalProperties: [21, 'nested'],
      type: [22, 'type'],
      items: [23, 'nested'],
      allOf: [24, ['Schema']],
      properties: [25, 'schemas'],
    },
    extensions: 31,
  },
};

/** Messages that wrap another message. */
const wrapped = {
  paths: (value: unknown) => named(2, value, (item) => message('PathItem', item)),
  schemas: (value: unknown) => named(1, value, (item) => message('Schema', item)),
  responses: (value: unknown) => named(1, value, (item) => field(1, message('Response', item))),
  security: (value: unknown) => named(1, value, (item) => field(2, message('ApiKey', item))),
  responseSchema: (value: unknown) => field(1, message('Schema', value)),
  nested: (value: unknown) => field(1, message('Schema', value)),
  type: (value: unknown) => field(1, text(value)),
  parameter: (value: unknown) => field(1, parameter(partOf(value))),
} as const;

function parameter(value: DocumentPart): Uint8Array {
  switch (value.in) {
    case 'body':
      return field(1, message('Body', value));
    case 'query':
      return field(2, field(3, message('Query', value)));
    case 'path':
      return field(2, field(4, message('Path', value)));
    default:
      throw new Error(`a parameter in ${String(value.in)} has no form in protobuf`);
  }
}

function message(name: MessageName, value: unknown): Uint8Array {
  const { fields, extensions } = messages[name];
  return join(
    Object.entries(partOf(value)).flatMap(([key, part]) => {
      if (part === undefined) return [];
      if (key.startsWith('x-')) return [field(extensions, join([field(1, text(key)), field(2, any(part))]))];
      const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (known === undefined) throw new Error(`${name} has no ${key} in protobuf`);
      const [number, form] = known;
      return typeof form === 'string'
        ? [encoded(number, form, part)]
        : listOf(part).map((item) => encoded(number, form[0], item));
    }),
  );
}

function encoded(number: number, form: Form, value: unknown): Uint8Array {
  if (typeof form !== 'string') throw new Error('lists of lists have no form in protobuf');
  if (form === 'flag') return value === true ? Uint8Array.of(...varint(number * 8), 1) : new Uint8Array();
  if (form === 'text') return field(number, text(value));
  if (form === 'any') return field(number, any(value));
  return field(
    number,
    form in messages ? message(form as MessageName, value) : wrapped[form as keyof typeof wrapped](value),
  );
}

/** Encodes a map as messages of name and value. */
function named(number: number, value: unknown, encode: (item: unknown) => Uint8Array): Uint8Array {
  return join(
    Object.entries(partOf(value)).map(([name, item]) =>
      field(number, join([field(1, text(name)), field(2, encode(item))])),
    ),
  );
}

/** Encodes any value as YAML, of which JSON is a subset. */
function any(value: unknown): Uint8Array {
  return field(2, text(`${JSON.stringify(value)}\n`));
}

function text(value: unknown): Uint8Array {
  return encoder.encode(String(value));
}

/** Encodes a length-delimited field. */
function field(number: number, content: Uint8Array): Uint8Array {
  return join([Uint8Array.from([...varint(number * 8 + 2), ...varint(content.length)]), content]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function partOf(value: unknown): DocumentPart {
  if (typeof value !== 'object' || value === null) throw new Error('a message is made of an object');
  return value as DocumentPart;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('a repeated field is made of a list');
  return value;
}

const encoder = new TextEncoder();
