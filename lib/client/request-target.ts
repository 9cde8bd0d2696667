// A call as path and query of a URL. Every part is escaped, and none can climb out of its place. As
// client-go/rest/request.go.
import { badRequest, isPathSegment, quote } from '../core/index.js';
import type { RequestInfo, RequestOptions } from './api-request.js';

/** Path and query of a request. Throws ApiError 400 where a part cannot be a part of a path. */
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
  // The name of a list is only what its field selector says.
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
