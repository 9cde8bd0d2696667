// Paths to fields of a schema: `.spec.replicas`, `.labels['a.b']`. As apiextensions-apiserver/pkg/apiserver/schema/cel,
// ValidFieldPath.
import { FieldPath } from '../../errors/field-path.js';
import type { Schema } from './schema-value.js';
import { valueSchema } from './schema-walk.js';

/** Where a path leads, or why it leads nowhere. */
export type FoundField =
  | { readonly error: string }
  | {
      /** The path as errors print it. */
      readonly path: string;
      /** Its first step. */
      readonly root: string;
      readonly schema: Schema;
    };

/** Follows a path through a structural schema. */
export function findField(
  text: string,
  root: Schema,
  { allowBrackets }: { readonly allowBrackets: boolean },
): FoundField {
  const tokens = tokenize(text);
  const steps: string[] = [];
  let path = FieldPath.nil;
  let schema: Schema | undefined = root;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token !== '[' && token !== '.') return { error: `expected [ or . but got: ${token ?? ''}` };
    if (token === '[' && !allowBrackets) return { error: 'array notation is not allowed' };
    i += 1;
    const written = tokens[i];
    if (written === undefined) return { error: 'unexpected end of JSON path' };
    const name: Unquoted = token === '[' ? unquote(written) : { name: written };
    if ('error' in name) return name;
    const named: boolean = schema?.properties !== undefined;
    if (!named && schema?.additionalProperties === undefined) return { error: 'does not refer to a valid field' };
    const found: Schema | undefined = named ? property(schema, name.name) : schema && valueSchema(schema);
    if (named && found === undefined) return { error: 'does not refer to a valid field' };
    path = named ? path.child(name.name) : path.key(name.name);
    steps.push(name.name);
    schema = found;
    if (token === '.') continue;
    i += 1;
    const close = tokens[i];
    if (close === undefined) return { error: 'unexpected end of JSON path' };
    if (close !== ']') return { error: `expected ] but got ${close}` };
  }
  return { path: path.toString(), root: steps[0] ?? '', schema: schema ?? {} };
}

type Unquoted = { readonly name: string } | { readonly error: string };

function property(schema: Schema | undefined, name: string): Schema | undefined {
  const { properties = {} } = schema ?? {};
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Dots and brackets are tokens, and what stands between them; a text in single quotes is one whatever it holds. */
function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = text[at] === "'" ? quotedEnd(text, at) : plainEnd(text, at);
    tokens.push(text.slice(at, end));
    at = end;
  }
  return tokens;
}

function plainEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !'.[]'.includes(text[end] ?? '')) end++;
  return Math.max(end, at + 1);
}

function quotedEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) if (text[end] === "'" && text[end - 1] !== '\\') return end + 1;
  return text.length;
}

function unquote(token: string): Unquoted {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return { error: `expected single quoted string but got ${token}` };
  let error: string | undefined;
  const name = token.slice(1, -1).replace(/\\(.)/gu, (escape, letter: string) => {
    const character = escapes.get(letter);
    if (character === undefined) error = `invalid string literal: invalid escape char ${escape}`;
    return character ?? '';
  });
  return error === undefined ? { name } : { error };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);
