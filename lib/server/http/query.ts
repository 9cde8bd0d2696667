// The query of a request as Go reads it: pairs that make no sense (a broken escape, a semicolon) are dropped in
// silence, never refused. As net/url, ParseQuery. Looked up by Map, so that no name means anything but itself. Bounded:
// of ten thousand pairs the rest is not looked at, and the wire refuses what is longer than any honest query.
//
// Its options are each read the way Kubernetes converts query parameters: numbers as Go parses them and refuses them,
// booleans by what they are not, texts by their first value. Only the options that the verb knows are read, so that
// `limit=abc` harms no get. As apimachinery/pkg/runtime/conversion.go and apis/meta/v1, whose order of fields decides
// which refusal comes first.
import type { RequestInfo, RequestOptions } from '../../client/index.js';
import { ParseError, badRequest, isParseError, quote } from '../../core/index.js';

/** The values of a query by name, in the order they were sent. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** Parses what follows the question mark. */
export function parseQuery(text: string): Query {
  if (text === '') return nothing;
  const values = new Map<string, string[]>();
  for (const pair of text.split('&', pairsMax)) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : unescapeQuery(pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

/** The first value of that name. */
export function firstValue(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/**
 * Resolves percent escapes; undefined where one is broken. Bytes that are no UTF-8 become U+FFFD, as they do wherever
 * Go prints them as JSON.
 */
export function unescapePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (brokenEscape.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBytes(text);
  }
}

const nothing: Query = new Map();
const pairsMax = 10_000;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

function unescapeQuery(text: string): string | undefined {
  return unescapePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function unescapeBytes(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    const bytes = Uint8Array.from({ length: escapes.length / 3 }, (_, index) =>
      Number.parseInt(escapes.slice(index * 3 + 1, index * 3 + 3), 16),
    );
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  });
}

/** The options of a request. Throws ApiError 400. */
export function readOptions(
  { verb, isResource, subresource }: Pick<RequestInfo, 'verb' | 'isResource' | 'subresource'>,
  query: Query,
): RequestOptions {
  if (query.size === 0) return none;
  const read = isResource && subresource === '' ? (readers.get(verb) ?? readEverything) : readEverything;
  try {
    return { ...read(query), ...text(query, 'includeObject'), parameters: parameters(query) };
  } catch (error) {
    throw isParseError(error) ? badRequest(error.message) : error;
  }
}

/** A boolean: everything is true but absence, `0` and `false` in any case. */
export function isTrue(values: readonly string[] | undefined): boolean {
  const [value] = values ?? [];
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * A whole number of 64 bits. Throws ParseError in the words of strconv.ParseInt; beyond 2^53 the last digits are lost.
 */
export function parseInt64(value: string): number {
  const syntax = /^[+-]?[0-9]{1,512}$/.test(value);
  const number = syntax ? BigInt(value.startsWith('+') ? value.slice(1) : value) : 0n;
  if (syntax && BigInt.asIntN(64, number) === number) return Number(number);
  throw new ParseError(
    `strconv.ParseInt: parsing ${quote(value)}: ${syntax ? 'value out of range' : 'invalid syntax'}`,
  );
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Names<T> = {
  [K in keyof RequestOptions]-?: NonNullable<RequestOptions[K]> extends T ? K : never;
}[keyof RequestOptions];

const none: RequestOptions = Object.freeze({});

const readers: ReadonlyMap<string, (query: Query) => RequestOptions> = new Map([
  ['get', (query: Query) => text(query, 'resourceVersion')],
  ['list', readList],
  ['watch', readList],
  ['deletecollection', (query: Query) => ({ ...readList(query), ...readDelete(query) })],
  ['create', readWrite],
  ['update', readWrite],
  ['patch', readPatch],
  ['delete', (query: Query) => ({ ...readDelete(query), ...text(query, 'resourceVersion') })],
]);

function readList(query: Query): RequestOptions {
  return {
    ...text(query, 'labelSelector'),
    ...text(query, 'fieldSelector'),
    ...boolean(query, 'allowWatchBookmarks'),
    ...text(query, 'resourceVersion'),
    ...text(query, 'resourceVersionMatch'),
    ...number(query, 'timeoutSeconds'),
    ...number(query, 'limit'),
    ...text(query, 'continue'),
    ...boolean(query, 'sendInitialEvents'),
  };
}

function readDelete(query: Query): RequestOptions {
  return {
    ...number(query, 'gracePeriodSeconds'),
    ...boolean(query, 'orphanDependents'),
    ...text(query, 'propagationPolicy'),
    ...dryRun(query),
    ...text(query, 'uid'),
    ...boolean(query, 'ignoreStoreReadErrorWithClusterBreakingPotential'),
  };
}

function readWrite(query: Query): RequestOptions {
  return { ...dryRun(query), ...text(query, 'fieldManager'), ...text(query, 'fieldValidation') };
}

function readPatch(query: Query): RequestOptions {
  return { ...readWrite(query), ...boolean(query, 'force') };
}

/** For subresources, whose own options are texts by name: what is no number there is nobody's business but theirs. */
function readEverything(query: Query): RequestOptions {
  return { ...readPatch(query), ...text(query, 'resourceVersion') };
}

function text(query: Query, name: Names<string>): RequestOptions {
  const value = firstValue(query, name);
  return value === undefined ? none : { [name]: value };
}

function number(query: Query, name: Names<number>): RequestOptions {
  const value = firstValue(query, name);
  return value === undefined ? none : { [name]: parseInt64(value) };
}

function boolean(query: Query, name: Names<boolean>): RequestOptions {
  const values = query.get(name);
  return values === undefined ? none : { [name]: isTrue(values) };
}

function dryRun(query: Query): RequestOptions {
  const values = query.get('dryRun');
  return values === undefined ? none : { dryRun: values };
}

/** By name on an object without a prototype: whatever the names are, they find only what was sent. */
function parameters(query: Query): Readonly<Record<string, readonly string[]>> {
  const found = Object.create(null) as Writable<Record<string, readonly string[]>>;
  for (const [name, values] of query) found[name] = values;
  return found;
}
