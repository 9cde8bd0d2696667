/**
 * YAML text to JSON values. What begins like JSON is tried as JSON first, a hundred times faster; else the `yaml`
 * package does the parsing, imported when first needed, and yaml-value.ts says what it means to Kubernetes. Syntax
 * errors are DecodeErrors that begin with `yaml: line N:` and use go-yaml's words where the package's code has one.
 *
 * Limits come before work: size, number of tokens and of documents, and depth, which is measured before the package's
 * recursive composer runs, because an overflow of the stack there can end the whole process. A token costs microseconds
 * and an error tens of them: without bounds a body of commas would keep the event loop for a minute.
 */
import type * as Yaml from 'yaml';
import { isJsonObject } from '../../objects/json.js';
import type { JsonValue } from '../../objects/json.js';
import { DecodeError } from '../../schema/decode-error.js';
import { wellFormed } from '../json.js';
import { countMembers } from '../../go/json-scanner.js';
import type { YamlLibrary } from './yaml-value.js';
import { yamlContent } from './yaml-value.js';

/** Bounds of what is parsed. */
export interface YamlLimits {
  /** Length of the text in UTF-16 units; 3 MiB, the size of a request body, by default. */
  readonly lengthMax?: number;
  /** Nesting of collections, 200 by default. */
  readonly depthMax?: number;
  /** Documents of one stream, 10,000 by default. */
  readonly documentsMax?: number;
  /**
   * Tokens, spaces and line ends among them: half a million by default, more than any object that fits into a store
   * has.
   */
  readonly tokensMax?: number;
}

/** A document. */
export interface ParsedYaml {
  readonly value: JsonValue;
  /** Keys that occur twice, all in one sentence of Kubernetes', or nothing. Strict decoding refuses them. */
  readonly problems: readonly string[];
}

/** Parses the first document of a text and, as Kubernetes does, ignores what follows it. */
export async function parseYaml(text: string, limits: YamlLimits = {}): Promise<ParsedYaml> {
  const bounds = complete(limits);
  checkText(text, bounds);
  const json = parseAsJson(text);
  if (json !== undefined) return json;
  const library = await import('yaml');
  return withoutStacks(() => {
    for (const document of documents(library, text, bounds)) return document;
    return { value: null, problems: [] };
  });
}

/** Parses all documents of a text, as kubectl reads a file of manifests: empty ones are left out. */
export async function parseYamlDocuments(text: string, limits: YamlLimits = {}): Promise<readonly ParsedYaml[]> {
  const bounds = complete(limits);
  checkText(text, bounds);
  const json = parseAsJson(text);
  if (json !== undefined) return [json];
  const library = await import('yaml');
  return withoutStacks(() => [...documents(library, text, bounds)]).filter(({ value }) => value !== null);
}

/**
 * The package makes an error of each mistake in a text: nine tenths of their cost are stacks that are never read.
 */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function complete({
  lengthMax = 3 * 1024 * 1024,
  depthMax = 200,
  documentsMax = 10_000,
  tokensMax = 500_000,
}: YamlLimits): Required<YamlLimits> {
  return { lengthMax, depthMax, documentsMax, tokensMax };
}

function checkText(text: string, { lengthMax }: Required<YamlLimits>): void {
  if (text.length > lengthMax)
    throw new DecodeError(`yaml: document of ${text.length} characters exceeds the limit of ${lengthMax}`);
  if (forbidden.test(text)) throw new DecodeError('yaml: control characters are not allowed');
}

/** All that go-yaml's reader refuses. */
const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ufffd]/;

/** Undefined where the text is no JSON, or where a key is lost in parsing and a report of it due. */
function parseAsJson(text: string): ParsedYaml | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value = JSON.parse(wellFormed(text)) as JsonValue;
    return countMembers(text) === membersOf(value) ? { value, problems: [] } : undefined;
  } catch {
    return undefined;
  }
}

/** With a stack of its own: JSON.parse knows no depth. */
function membersOf(root: JsonValue): number {
  let count = 0;
  const pending: JsonValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const members = isJsonObject(value) ? Object.values(value) : undefined;
    count += members?.length ?? 0;
    for (const item of members ?? (Array.isArray(value) ? (value as readonly JsonValue[]) : []))
      if (typeof item === 'object') pending.push(item);
  }
  return count;
}

function* documents(library: YamlLibrary, text: string, bounds: Required<YamlLimits>): Generator<ParsedYaml> {
  const lines = new library.LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const composer = new library.Composer({
    version: '1.1',
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
  });
  for (const document of composer.compose(guarded(parsed(library, text, lines, bounds), bounds))) {
    const [error] = document.errors;
    if (error !== undefined) throw syntaxError(error, lineAt(error.pos[0]));
    const { value, duplicates } = yamlContent(library, document, lineAt);
    yield {
      value,
      problems:
        duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicates.map((each) => `  ${each}`).join('\n')}`],
    };
  }
}

/** As the package's Parser.parse, but it stops in the middle of a document that is too deep or too long. */
function* parsed(
  library: YamlLibrary,
  text: string,
  lines: Yaml.LineCounter,
  { depthMax, tokensMax }: Required<YamlLimits>,
): Generator<Yaml.CST.Token> {
  const parser = new library.Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new library.Lexer().lex(text)) {
    if (++count > tokensMax) throw new DecodeError(`yaml: document has more than ${tokensMax} tokens`);
    // Every collection that is open stands there, and the document and a scalar besides.
    if (parser.stack.length > depthMax + 2) throw new DecodeError(`yaml: exceeded max depth of ${depthMax}`);
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function* guarded(
  tokens: Iterable<Yaml.CST.Token>,
  { depthMax, documentsMax }: Required<YamlLimits>,
): Generator<Yaml.CST.Token> {
  let count = 0;
  for (const token of tokens) {
    if (token.type === 'document' && ++count > documentsMax)
      throw new DecodeError(`yaml: stream has more than ${documentsMax} documents`);
    if (token.type === 'directive') checkDirective(token.source);
    if (isDeeper(token, depthMax)) throw new DecodeError(`yaml: exceeded max depth of ${depthMax}`);
    yield token;
  }
}

function checkDirective(source: string): void {
  const [name, version] = source.split(/\s+/, 2);
  if (name === '%YAML' && version !== '1.1') throw new DecodeError('yaml: found incompatible YAML document');
  if (name !== '%YAML' && name !== '%TAG') throw new DecodeError('yaml: found unknown directive name');
}

/** With a stack of its own. */
function isDeeper(root: Yaml.CST.Token, depthMax: number): boolean {
  const pending: { readonly token: Yaml.CST.Token | null | undefined; readonly depth: number }[] = [
    { token: root, depth: 0 },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next;
    if (token?.type === 'document') pending.push({ token: token.value, depth });
    if (!token || !('items' in token)) continue;
    if (depth === depthMax) return true;
    for (const item of token.items)
      pending.push({ token: item.key, depth: depth + 1 }, { token: item.value, depth: depth + 1 });
  }
  return false;
}

/** In go-yaml's words where it has the same error; it does not name the first line. */
function syntaxError({ code, message }: Yaml.YAMLParseError, line: number): DecodeError {
  const known = scannerWords[code];
  return new DecodeError(`yaml: ${known !== undefined && line === 1 ? '' : `line ${line}: `}${known ?? message}`);
}

const scannerWords: Readonly<Partial<Record<Yaml.ErrorCode, string>>> = {
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_SCALAR_START: 'found character that cannot start any token',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BAD_DQ_ESCAPE: 'found unknown escape character',
};
