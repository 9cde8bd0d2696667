// The options of a request, read from its query the way Kubernetes converts query parameters: numbers as Go parses and
// refuses them, every boolean true but absence, `0` and `false`, texts by their first value. Only the options of the
// verb are read, so that `limit=abc` does not fail a get. As apimachinery/pkg/runtime/conversion.go and apis/meta/v1,
// whose order of fields decides which error comes first.
import type { Query, RequestInfo, RequestOptions } from '../../core/index.js';
import { ParseError, badRequest, firstValue, int64Of, isParseError, numError } from '../../core/index.js';

/** Reads the options of a request. Throws ApiError 400. */
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

/** Parses a boolean: true except for absence, `0` and `false` in any case. */
export function isTrue(values: readonly string[] | undefined): boolean {
  const [value] = values ?? [];
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * Parses a 64-bit integer. Throws ParseError in the words of strconv.ParseInt; beyond 2^53 the last digits are lost.
 */
export function parseInt64(value: string): number {
  const number = int64Of(value);
  if (number === undefined) throw new ParseError(numError('ParseInt', value));
  return Number(number);
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

/** Reads all options of a subresource, whose own parameters are texts by name; invalid numbers are ignored. */
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

/** Returns all parameters by name, in an object without a prototype. */
function parameters(query: Query): Readonly<Record<string, readonly string[]>> {
  const found = Object.create(null) as Writable<Record<string, readonly string[]>>;
  for (const [name, values] of query) found[name] = values;
  return found;
}
