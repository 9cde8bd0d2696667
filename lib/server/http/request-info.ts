// What a request is about, read from its method, path and query alone: before anybody knows which resources exist. So a
// path that no resource has still gets an answer here (authorization is asked about it first) and its 404 later, from
// `missingRoute` and from the scheme. As apiserver/pkg/endpoints/request/requestinfo.go, NewRequestInfo.
import type { RequestInfo } from '../../client/index.js';
import { isParseError, isPathSegment, parseFieldSelector, parseLabelSelector, requiresExact } from '../../core/index.js';
import type { Query } from './query.js';
import { firstValue } from './query.js';
import { isTrue, parseInt64 } from './query-options.js';

/** Reads a request; undefined where the path names a verb and nothing after it, which a real server answers with 500. */
export function readRequestInfo(method: string, path: string, query: Query): RequestInfo | undefined {
  const parts = splitPath(path);
  const [prefix, ...afterPrefix] = parts;
  const isCore = prefix === 'api';
  if (parts.length < 3 || !(isCore || (prefix === 'apis' && parts.length > 3))) return { ...nothing, verb: method.toLowerCase(), path };
  const group = isCore ? '' : (afterPrefix[0] ?? '');
  const [version = '', ...rest] = isCore ? afterPrefix : afterPrefix.slice(1);

  const verbInPath = rest[0] === 'watch' || rest[0] === 'proxy';
  if (verbInPath && rest.length < 2) return undefined;
  const verb = verbInPath ? (rest.shift() ?? '') : (verbs.get(method) ?? '');
  return completed({ verb, isResource: true, path, group, version, ...readParts(rest, verb) }, query);
}

/**
 * How a real server's router answers a path that can lead to no resource, whatever is registered: with a Status, or, where
 * not even a group could be meant, with a bare page. To be asked once the request was authorized.
 */
export function missingRoute({ isResource, path, group, name, subresource, rest }: RequestInfo): 'status' | 'page' | undefined {
  if (!isResource) return undefined;
  if (path.startsWith('//') || (group === '' && path.startsWith('/apis/'))) return 'page';
  if (name === '' && subresource !== '') return 'status';
  return rest !== undefined && subresource !== 'proxy' ? 'status' : undefined;
}

/** Whether a request may take as long as it likes (as pkg/server/filters/longrunning.go with the kube-apiserver's lists). */
export function isLongRunning({ verb, isResource, subresource, path }: RequestInfo): boolean {
  if (verb === 'watch' || verb === 'proxy') return true;
  return isResource ? longRunningSubresources.has(subresource) : path.startsWith('/debug/pprof/');
}

const nothing = { isResource: false, group: '', version: '', namespace: '', resource: '', subresource: '', name: '' } as const;

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Slashes at either end do not count. */
function splitPath(path: string): string[] {
  let from = 0;
  let to = path.length;
  while (from < to && path[from] === '/') from++;
  while (to > from && path[to - 1] === '/') to--;
  return from === to ? [] : path.slice(from, to).split('/');
}

type Parts = Pick<RequestInfo, 'namespace' | 'resource' | 'name' | 'subresource' | 'rest'>;

/** `[namespaces/⟨ns⟩/]⟨resource⟩[/⟨name⟩[/⟨subresource⟩[/⟨rest⟩]]]`. */
function readParts(parts: readonly string[], verb: string): Parts {
  const namespaced = parts[0] === 'namespaces' && parts.length > 1;
  const namespace = namespaced ? (parts[1] ?? '') : '';
  const own = namespaced && parts.length > 2 && parts[2] !== 'status' && parts[2] !== 'finalize' ? parts.slice(2) : parts;
  const [resource = '', name = '', subresource = '', ...rest] = own;
  if (verb === 'proxy') return { namespace, resource, name, subresource: '', ...(own.length > 2 && { rest: own.slice(2).join('/') }) };
  return { namespace, resource, name, subresource, ...(rest.length > 0 && { rest: rest.join('/') }) };
}

/** Without a name, a get is a list or a watch and a delete is one of all. */
function completed(info: RequestInfo, query: Query): RequestInfo {
  if (info.name !== '') return info;
  if (info.verb === 'delete') return { ...info, verb: 'deletecollection' };
  if (info.verb !== 'get') return info;
  const verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  return { ...info, verb, name: selectedName(query) };
}

/** The one name that a field selector leaves, for rules about names; none where any list option makes no sense. */
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
