// HTTP form of requests: path and query, impersonation headers, User-Agent; and the warnings of responses. Every path
// segment is escaped. As client-go/rest/request.go.
import { badRequest, isPathSegment, quote } from '../../core/index.js';
import type { RequestInfo, RequestOptions, Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { TransportRequest, TransportResponse } from './transport.js';

/** Returns path and query of a request. Throws ApiError 400 for a name that cannot be a path segment. */
export function requestTarget(info: RequestInfo, options: RequestOptions = {}): string {
  const query = queryOf(info, options);
  return query === '' ? pathOf(info) : `${pathOf(info)}?${query}`;
}

function pathOf(info: RequestInfo): string {
  if (!info.isResource) return info.path;
  const { group, version, namespace, resource, name, subresource, verb } = info;
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const isNamespace = resource === 'namespaces' && group === '';
  const scope = namespace === '' || isNamespace ? [] : ['namespaces', namespace];
  // The name of a list request comes from its field selector and is not part of the path.
  const own = name === '' || verb === 'list' || verb === 'watch' || verb === 'deletecollection' ? [] : [name];
  const parts = [...root, ...scope, resource, ...own, ...(subresource === '' ? [] : subresource.split('/'))];
  return parts.map(segment).join('');
}

function segment(part: string): string {
  const wrong = part === '' ? ['may not be empty'] : isPathSegment(part);
  if (wrong.length > 0) throw badRequest(`invalid path segment ${quote(part)}: [${wrong.join(' ')}]`);
  return `/${encodeURIComponent(part)}`;
}

function queryOf({ verb }: RequestInfo, options: RequestOptions): string {
  const { parameters = {}, ...known } = options;
  const pairs = verb === 'watch' ? ['watch=true'] : [];
  for (const [name, value] of Object.entries({ ...known, ...parameters }) as [string, OptionValue][]) {
    if (value === undefined) continue;
    for (const each of typeof value === 'object' ? value : [value])
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(each)}`);
  }
  return pairs.join('&');
}

type OptionValue = string | number | boolean | readonly string[] | undefined;

/** Returns the headers that impersonate a user. As client-go/transport/round_trippers.go, impersonatingRoundTripper. */
export function impersonationHeaders({
  username = '',
  uid = '',
  groups = [],
  extra = {},
}: Frozen<UserInfo>): TransportRequest['headers'] {
  const headers: Record<string, string | readonly string[]> = { 'Impersonate-User': username };
  if (uid !== '') headers['Impersonate-Uid'] = uid;
  if (groups.length > 0) headers['Impersonate-Group'] = groups;
  for (const [key, values] of Object.entries(extra))
    headers[`Impersonate-Extra-${encodeURIComponent(key).replace(/[!'()*]/g, escaped)}`] = values;
  return headers;
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Returns the texts of Warning headers with code 299, the code that API servers use. */
export function warningsOf({ headers }: TransportResponse): readonly string[] {
  const header = headers.get('warning');
  if (header === null) return [];
  return [...header.slice(0, headerMax).matchAll(warning)].map(([, text = '']) => text.replace(/\\(.)/gs, '$1'));
}

const headerMax = 65_536;
const warning = /(?:^|,)\s*299 [^\s"]{1,256} "((?:[^"\\]|\\.)*)"/gs;

/** The version of this package, equal to package.json. */
const packageVersion = '0.1.0';

/** Returns the User-Agent of a program of this package, such as `kube-scheduler`. */
export function userAgentOf(program: string): string {
  return `${program}/${packageVersion}`;
}
