// Reads the RequestInfo of a request from method, path and query alone, before it is known which resources exist. A
// path without a resource is therefore authorized first and refused with 404 later, by `missingRoute` and the scheme.
// As apiserver/pkg/endpoints/request/requestinfo.go, NewRequestInfo.
import type { Query, RequestInfo } from '../../core/index.js';
import {
  firstValue,
  isParseError,
  isPathSegment,
  parseFieldSelector,
  parseLabelSelector,
  parseQuery,
  quote,
  requiresExact,
  unescapePercent,
} from '../../core/index.js';
import { selectingVerbs } from '../access/access-selectors.js';
import { isTrue, parseInt64 } from './query.js';
import type { WireOutput } from './wire-output.js';
import { textOutput } from './wire-output.js';
import type { WireInput } from './wire-request.js';

/** Reads a request; undefined where the path ends after a verb, to which a real server responds with 500. */
export function readRequestInfo(method: string, path: string, query: Query): RequestInfo | undefined {
  const parts = splitPath(path);
  const isCore = parts[0] === 'api';
  if (parts.length < 3 || !(isCore || (parts[0] === 'apis' && parts.length > 3)))
    return { ...nothing, verb: method.toLowerCase(), path };
  const versionAt = isCore ? 1 : 2;
  const first = parts[versionAt + 1];
  const verbInPath = first === 'watch' || first === 'proxy';
  const from = verbInPath ? versionAt + 2 : versionAt + 1;
  if (from === parts.length) return undefined;
  const verb = verbInPath ? first : (verbs.get(method) ?? '');
  const { namespace, resource, name, subresource, rest } = readParts(parts, from, verb);
  const info = {
    verb,
    isResource: true,
    path,
    group: isCore ? '' : (parts[1] ?? ''),
    version: parts[versionAt] ?? '',
    namespace,
    resource,
    subresource,
    name,
  };
  const whole = completed(rest === undefined ? info : { ...info, rest }, query);
  return verbInPath || query.size === 0 || !selectingVerbs.has(whole.verb) ? whole : withSelectors(whole, query);
}

/**
 * How a real server's router responds to a path that can be no resource, whatever is registered: with a Status, or with
 * a plain page where not even a group is named. To be called after authorization.
 */
export function missingRoute({
  isResource,
  verb,
  path,
  group,
  resource,
  name,
  subresource,
  rest,
}: RequestInfo): 'status' | 'page' | undefined {
  if (!isResource) return undefined;
  if (path.startsWith('//') || (group === '' && path.startsWith('/apis/'))) return 'page';
  // The legacy `proxy` path is a verb for authorizers only.
  if (verb === 'proxy' || (name === '' && subresource !== '')) return 'status';
  // A Namespace is in its own namespace for authorizers, but not in a path.
  if (resource === 'namespaces' && /\/namespaces\/[^/]+\/namespaces(?:\/|$)/.test(path)) return 'status';
  return rest !== undefined && subresource !== 'proxy' ? 'status' : undefined;
}

/** Whether a request has no time limit (as pkg/server/filters/longrunning.go with the kube-apiserver's lists). */
export function isLongRunning({ verb, isResource, subresource, path }: RequestInfo): boolean {
  if (verb === 'watch' || verb === 'proxy') return true;
  return isResource ? longRunningSubresources.has(subresource) : path.startsWith('/debug/pprof/');
}

const nothing = {
  isResource: false,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
} as const;

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Splits a path; leading and trailing slashes are ignored. */
function splitPath(path: string): string[] {
  const parts = path.split('/');
  while (parts.at(-1) === '') parts.pop();
  let from = 0;
  while (parts[from] === '') from++;
  return parts.slice(from);
}

type Parts = Pick<RequestInfo, 'namespace' | 'resource' | 'name' | 'subresource'> & {
  readonly rest: string | undefined;
};

/** `[namespaces/⟨ns⟩/]⟨resource⟩[/⟨name⟩[/⟨subresource⟩[/⟨rest⟩]]]`, beginning at an index. */
function readParts(parts: readonly string[], from: number, verb: string): Parts {
  const namespaced = parts[from] === 'namespaces' && parts.length > from + 1;
  const third = parts[from + 2];
  const at = namespaced && third !== undefined && third !== 'status' && third !== 'finalize' ? from + 2 : from;
  // The legacy proxy has no subresources: the rest is its path.
  const restAt = verb === 'proxy' ? at + 2 : at + 3;
  return {
    namespace: namespaced ? (parts[from + 1] ?? '') : '',
    resource: parts[at] ?? '',
    name: parts[at + 1] ?? '',
    subresource: verb === 'proxy' ? '' : (parts[at + 2] ?? ''),
    rest: parts.length > restAt ? parts.slice(restAt).join('/') : undefined,
  };
}

/** Completes the verb: without a name, get becomes list or watch and delete becomes deletecollection. */
function completed(info: RequestInfo, query: Query): RequestInfo {
  if (info.name !== '') return info;
  if (info.verb === 'delete') return { ...info, verb: 'deletecollection' };
  if (info.verb !== 'get') return info;
  const verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  return { ...info, verb, name: selectedName(query) };
}

/** Adds the texts of the selectors; the first of several wins. */
function withSelectors(info: RequestInfo, query: Query): RequestInfo {
  const fieldSelector = firstValue(query, 'fieldSelector') ?? '';
  const labelSelector = firstValue(query, 'labelSelector') ?? '';
  if (fieldSelector === '' && labelSelector === '') return info;
  return { ...info, selectorTexts: { fieldSelector, labelSelector } };
}

/** The only name that a field selector matches, for rules about names; empty where a list option is invalid. */
function selectedName(query: Query): string {
  const text = firstValue(query, 'fieldSelector');
  if (text === undefined || text === '') return '';
  try {
    for (const number of ['timeoutSeconds', 'limit']) parseInt64(firstValue(query, number) ?? '0');
    parseLabelSelector(firstValue(query, 'labelSelector') ?? '');
    const name = requiresExact(parseFieldSelector(text), 'metadata.name');
    return name !== undefined && isPathSegment(name).length === 0 ? name : '';
  } catch (error) {
    if (isParseError(error)) return '';
    throw error;
  }
}

/** A request target that was read. */
export interface Target {
  readonly info: RequestInfo;
  readonly query: Query;
}

/**
 * Reads targets and caches the results, bounded in number and length: clients repeat the same few, and parsing a path
 * costs as much as a look-up of its object. Targets that are too long respond with 431.
 */
export function targetCache(charactersMax: number): (input: WireInput) => Target | WireOutput {
  const byMethod = new Map<string, Map<string, Target>>();
  return ({ method, target }) => {
    const known = byMethod.get(method);
    const found = known?.get(target);
    if (found !== undefined) return found;
    if (target.length > charactersMax) return textOutput(431, '431 Request Header Fields Too Large', { close: true });
    const fresh = readTarget(method, target);
    if ('code' in fresh || target.length > rememberedLengthMax) return fresh;
    if (known === undefined) {
      if (byMethod.size < methodsMax) byMethod.set(method, new Map([[target, fresh]]));
    } else {
      if (known.size >= rememberedMax) known.clear();
      known.set(target, fresh);
    }
    return fresh;
  };
}

const methodsMax = 16;
const rememberedMax = 1024;
const rememberedLengthMax = 512;

/** Reads a target. Returns a response for targets that Go's HTTP server itself refuses. */
function readTarget(method: string, target: string): Target | WireOutput {
  if (target === '*' && method === 'OPTIONS')
    return { code: 200, headers: [], body: { type: 'bytes', bytes: new Uint8Array() }, gzip: false, close: false };
  const relative = target.startsWith('/') || target === '*' ? target : absoluteForm.exec(target)?.[1];
  const question = relative?.indexOf('?') ?? -1;
  const path =
    relative === undefined ? undefined : unescapePercent(question < 0 ? relative : relative.slice(0, question));
  if (relative === undefined || path === undefined) return textOutput(400, '400 Bad Request', { close: true });
  const query = parseQuery(question < 0 ? '' : relative.slice(question + 1));
  const info = readRequestInfo(method, path === '' ? '/' : path, query);
  return info === undefined ? infoFailure(target) : { info, query };
}

const absoluteForm = /^https?:\/\/[^/?]*([^]*)$/i;

/** As responsewriters.InternalError: the text must not look like HTML. */
function infoFailure(target: string): WireOutput {
  const text = `Internal Server Error: ${quote(target)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${target}\n`;
  return textOutput(500, text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'), {
    headers: ['X-Content-Type-Options', 'nosniff'],
  });
}
