// `vivarium types FILE...`: TypeScript types of the CustomResourceDefinitions in files, one interface per version and
// nested object. Fields are described by their schemas; what a schema does not type is `unknown`.
import { errorText, isJsonObject, parseYaml } from '../core/index.js';
import type { Frozen } from '../core/index.js';
import type { CustomResourceDefinition, JSONSchemaProps } from '../core/types/index.js';
import type { CommandEnvironment } from './environment.js';

type Schema = Frozen<JSONSchemaProps>;

/** Returns the types of all definitions in the files. Rejects where a file cannot be read, or holds no definition. */
export async function printTypes(
  files: readonly string[],
  { readFile }: Pick<CommandEnvironment, 'readFile'>,
): Promise<string> {
  const texts: string[] = [];
  for (const file of files) {
    const definitions = await definitionsIn(file, await readFile(file));
    if (definitions.length === 0) throw new Error(`${file} holds no CustomResourceDefinition`);
    texts.push(...definitions.map(definitionTypes));
  }
  return `${header}${texts.join('\n')}`;
}

const header = `// Made by \`vivarium types\` from CustomResourceDefinitions.
import type { ObjectMeta } from 'vivarium/types';

`;

async function definitionsIn(file: string, text: string): Promise<readonly Frozen<CustomResourceDefinition>[]> {
  try {
    const documents = text.split(/^---(?:\s.*)?$/m).filter((document) => document.trim() !== '');
    const parsed = await Promise.all(documents.map((document) => parseYaml(document)));
    return parsed.flatMap(({ value }) => (isDefinition(value) ? [value] : []));
  } catch (error) {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error });
  }
}

/** Whether a document is a definition, as far as types are concerned. The server validates the rest. */
function isDefinition(document: unknown): document is Frozen<CustomResourceDefinition> {
  if (!isJsonObject(document) || document.kind !== 'CustomResourceDefinition' || !isJsonObject(document.spec))
    return false;
  const { group, names, versions } = document.spec;
  return typeof group === 'string' && isJsonObject(names) && typeof names.kind === 'string' && Array.isArray(versions);
}

/** The interfaces of all versions of a definition. */
function definitionTypes({ spec }: Frozen<CustomResourceDefinition>): string {
  const { kind } = spec.names;
  const isSingle = spec.versions.length === 1;
  return spec.versions
    .map(({ name, schema }) => {
      const typeName = isSingle ? kind : `${kind}${pascal(name)}`;
      const apiVersion = `${spec.group}/${name}`;
      return rootTypes(typeName, kind, apiVersion, schema?.openAPIV3Schema ?? {});
    })
    .join('\n');
}

function rootTypes(typeName: string, kind: string, apiVersion: string, schema: Schema): string {
  const types = new InterfaceWriter();
  const { properties = {}, required = [] } = schema;
  const own = Object.fromEntries(Object.entries(properties).filter(([name]) => !resourceMembers.has(name)));
  const members = [
    `  apiVersion?: '${apiVersion}';`,
    `  kind?: '${kind}';`,
    '  metadata?: ObjectMeta;',
    ...types.members(typeName, { ...schema, properties: own, required }),
  ];
  const title = commentOf(schema.description ?? `${kind} in ${apiVersion}.`, '');
  return [`${title}export interface ${typeName} {\n${members.join('\n')}\n}\n`, ...types.interfaces].join('\n');
}

const resourceMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Collects the interfaces of nested objects. */
class InterfaceWriter {
  readonly interfaces: string[] = [];
  readonly #names = new Set<string>();

  /** The members of an object, one text each. */
  members(typeName: string, { properties = {}, required = [], ...schema }: Schema): readonly string[] {
    const members = Object.entries(properties).map(([name, property]) => {
      const optional = required.includes(name) ? '' : '?';
      const type = this.#type(`${typeName}${pascal(name)}`, property);
      return `${commentOf(property.description, '  ')}  ${propertyName(name)}${optional}: ${type};`;
    });
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
    return isOpen ? [...members, '  [name: string]: unknown;'] : members;
  }

  #type(typeName: string, schema: Schema): string {
    const type = this.#plain(typeName, schema);
    return schema.nullable === true ? `${type} | null` : type;
  }

  #plain(typeName: string, schema: Schema): string {
    const { type = '', enum: listed, items, properties = {}, additionalProperties } = schema;
    if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
    if (listed !== undefined && listed.length > 0) return listed.map((value) => JSON.stringify(value)).join(' | ');
    switch (type) {
      case 'string':
      case 'boolean':
        return type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array': {
        const item = items === undefined || Array.isArray(items) ? 'unknown' : this.#type(typeName, items as Schema);
        return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
      }
      case 'object':
        if (Object.keys(properties).length > 0) return this.#nested(typeName, schema);
        return typeof additionalProperties === 'object'
          ? `Record<string, ${this.#type(typeName, additionalProperties)}>`
          : 'Record<string, unknown>';
      default:
        return 'unknown';
    }
  }

  #nested(typeName: string, schema: Schema): string {
    let name = typeName;
    for (let count = 2; this.#names.has(name); count += 1) name = `${typeName}${count}`;
    this.#names.add(name);
    const at = this.interfaces.length;
    this.interfaces.push('');
    const title = commentOf(schema.description, '');
    this.interfaces[at] = `${title}export interface ${name} {\n${this.members(name, schema).join('\n')}\n}\n`;
    return name;
  }
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** `spec-value` and `specValue` as `SpecValue`. */
function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_match, letter: string) => letter.toUpperCase());
}

function commentOf(text: string | undefined, indent: string): string {
  if (text === undefined || text.trim() === '') return '';
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ''} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
