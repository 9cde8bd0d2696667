// Prints TypeScript interfaces for every structure of the model: one file per group-version, and their index.
import type { FieldModel, Model, StructModel } from './model.js';
import { gvOf, localName } from './model.js';
import { sorted } from './schema-text.js';

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'string',
  time: 'string',
  'micro-time': 'string',
  quantity: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  'int-or-string': 'number | string',
  raw: 'JsonValue',
  json: 'JsonValue',
};

/** File name (without ending) by group-version: `core/v1` → `core-v1`. */
export function fileOf(gv: string): string {
  return gv.replace('/', '-');
}

/** File text by group-version. */
export function typeFiles(model: Model): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const groupVersions = [...new Set([...model.structs.keys()].map(gvOf))].sort();
  for (const gv of groupVersions) {
    const imports = new Map<string, Set<string>>();
    const refer = (from: string, name: string): string => {
      if (from === gv) return name;
      const names = imports.get(from) ?? new Set();
      imports.set(from, names.add(name));
      return name;
    };
    const body: string[] = [];
    for (const [id, values] of sorted(model.enums)) {
      if (gvOf(id) === gv)
        body.push(
          `/** Enumeration of ${gv}. */\nexport type ${localName(id)} =\n${values.map((value) => `  | '${value}'`).join('\n')};`,
        );
    }
    for (const [id, struct] of sorted(model.structs))
      if (gvOf(id) === gv) body.push(interfaceOf(struct, model.descriptions, (type) => render(type, gv, refer)));
    const head = [...imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([from, names]) =>
          `import type { ${[...names].sort().join(', ')} } from '${from === 'json' ? '../objects/json.js' : `./${fileOf(from)}.generated.js`}';`,
      );
    files.set(gv, [...head, ...(head.length === 0 ? [] : ['']), body.join('\n\n')].join('\n'));
  }
  return files;

  function render(type: string, gv: string, refer: (from: string, name: string) => string): string {
    const inner = type.slice(1, -1);
    if (type.startsWith('[') || type.startsWith('<')) return arrayOf(render(inner, gv, refer));
    if (type.startsWith('{')) return `Record<string, ${render(inner, gv, refer)}>`;
    const scalar = scalarTypes[type];
    if (scalar !== undefined) return scalar === 'JsonValue' ? refer('json', 'JsonValue') : scalar;
    const id = type.includes('.') ? type : `${gv}.${type}`;
    if (model.aliases.has(id)) return 'string';
    const options = model.unions.get(id);
    if (options !== undefined)
      return options
        .split(' ')
        .map((option) => render(option.slice(option.indexOf(':') + 1), gvOf(id), refer))
        .join(' | ');
    return refer(gvOf(id), localName(id));
  }
}

/** The index: every name of the preferred version of its group once, other versions as namespaces. */
export function typeIndex(model: Model, preferred: readonly string[]): string {
  const taken = new Map<string, string>();
  const namespaces: string[] = [];
  const groupVersions = [...new Set([...model.structs.keys()].map(gvOf))].sort();
  const ordered = [...preferred, ...groupVersions.filter((gv) => !preferred.includes(gv))];
  const lines: string[] = [];
  for (const gv of ordered.filter((each) => groupVersions.includes(each))) {
    namespaces.push(`export type * as ${namespaceOf(gv)} from './${fileOf(gv)}.generated.js';`);
    if (!preferred.includes(gv)) continue;
    const names = [...model.structs.keys(), ...model.enums.keys()].filter((id) => gvOf(id) === gv).map(localName);
    const fresh = [...new Set(names)].filter((name) => !taken.has(name)).sort();
    for (const name of fresh) taken.set(name, gv);
    lines.push(
      `export type {\n${fresh.map((name) => `  ${name},`).join('\n')}\n} from './${fileOf(gv)}.generated.js';`,
    );
  }
  return [...lines, "export type { KindTypes } from './kinds.generated.js';", ...namespaces].join('\n');
}

/** The types of all kinds that have an endpoint, by apiVersion and kind: what a client is typed with. */
export function kindTypes(model: Model): string {
  const imports = new Map<string, string>();
  const sections = new Map<string, string[]>();
  for (const { group, version, kind, resource } of model.resources) {
    if (resource.includes('/')) continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const struct = [...model.structs.values()].find(({ gvk }) => gvk?.apiVersion === apiVersion && gvk.kind === kind);
    if (struct === undefined) throw new Error(`no type of ${apiVersion} ${kind} is known`);
    const gv = gvOf(struct.id);
    imports.set(namespaceOf(gv), `import type * as ${namespaceOf(gv)} from './${fileOf(gv)}.generated.js';`);
    sections.set(apiVersion, [
      ...(sections.get(apiVersion) ?? []),
      `    ${kind}: ${namespaceOf(gv)}.${localName(struct.id)};`,
    ]);
  }
  const body = [...sections].map(([apiVersion, kinds]) => `  '${apiVersion}': {\n${kinds.join('\n')}\n  };`);
  const head = [...imports.values()].sort();
  return `${head.join('\n')}\n\n/** The types of kinds, by apiVersion and kind. */\nexport interface KindTypes {\n${body.join('\n')}\n}`;
}

/** How a group-version is called among types: `core/v1` → `coreV1`. */
function namespaceOf(gv: string): string {
  return gv.replace(/\/v/, 'V').replace(/^./, (letter) => letter.toLowerCase());
}

function interfaceOf(
  struct: StructModel,
  descriptions: ReadonlyMap<string, string>,
  render: (type: string) => string,
): string {
  const described = struct.id.replace(/\/[^.]*/, '');
  const fields = struct.fields.map((field) => {
    const text = descriptions.get(`${described}.${field.name}`);
    const property = `  ${propertyName(field.name)}${field.required ? '' : '?'}: ${propertyType(field, struct, render)};`;
    return text === undefined ? property : `  /** ${text} */\n${property}`;
  });
  const name = localName(struct.id);
  const place =
    struct.gvk === undefined ? `Part of ${gvOf(struct.id)}.` : `${struct.gvk.kind} in ${struct.gvk.apiVersion}.`;
  const text = descriptions.get(described);
  return (
    (text === undefined ? `/** ${place} */\n` : `/**\n * ${text}\n *\n * ${place}\n */\n`) +
    (fields.length === 0
      ? `export type ${name} = Record<string, never>;`
      : `export interface ${name} {\n${fields.join('\n')}\n}`)
  );
}

function propertyType(field: FieldModel, struct: StructModel, render: (type: string) => string): string {
  if (struct.gvk !== undefined && field.name === 'kind') return `'${struct.gvk.kind}'`;
  if (struct.gvk !== undefined && field.name === 'apiVersion') return `'${struct.gvk.apiVersion}'`;
  return render(field.type);
}

function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
}

function arrayOf(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}
