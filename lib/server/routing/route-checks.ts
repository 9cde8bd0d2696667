// Checks whether a request may take a route: the path names an object where the verb needs one, a namespace where the
// resource has one, and a verb that the resource offers. As the routes that apiserver/pkg/endpoints/installer.go
// registers, and the responses to paths that it does not register.
import { badRequest, methodNotAllowed, nameIsPathSegment, unknownResource } from '../../core/index.js';
import type { RequestInfo } from '../../core/index.js';
import { missingRoute } from '../http/request-info.js';
import type { ServedRoute } from './route.js';

/**
 * Whether the request may take the route; false where no route can exist at its path. Throws ApiError 400, 404 and 405.
 */
export function mayTakeRoute(info: RequestInfo, route: ServedRoute): boolean {
  const missing = missingRoute(info);
  if (missing === 'page') return false;
  if (route.isCustom && missing !== 'status' && !fitsCustomScope(info, route.namespaced)) return false;
  if (missing === 'status' || !fitsScope(info, route.namespaced) || !isRouted(info, route)) throw unknownResource();
  if (!isOffered(info, route.verbs) || !isComplete(info, route.namespaced)) throw methodNotAllowed();
  checkName(info);
  return true;
}

/** Throws ApiError 400 for names that are no path segment. After `proxy` follows a path, not a name. */
function checkName({ name, subresource }: RequestInfo): void {
  const [problem] = name === '' || subresource === 'proxy' ? [] : nameIsPathSegment(name, false);
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/**
 * Whether any verb is served at the path: kinds that are only created have neither named objects nor collections across
 * namespaces.
 */
function isRouted({ verb, name, namespace, subresource }: RequestInfo, { verbs, namespaced }: ServedRoute): boolean {
  if (subresource !== '') return true;
  // A list may have a name, from its selector.
  const isNamed = name !== '' && verb !== 'list' && verb !== 'watch';
  const candidates = isNamed ? ofObjects : namespaced && namespace === '' ? ofAllNamespaces : ofCollections;
  return candidates.some((each) => verbs.has(each));
}

const ofObjects: readonly string[] = ['get', 'update', 'patch', 'delete'];
const ofAllNamespaces: readonly string[] = ['list', 'watch'];
const ofCollections: readonly string[] = ['list', 'watch', 'create', 'deletecollection'];

/** Whether the resource offers the verb. Proxies accept all methods, also those without a verb. */
function isOffered({ verb, subresource }: RequestInfo, verbs: ReadonlySet<string>): boolean {
  return verbs.has(verb) || (subresource === 'proxy' && verb === '');
}

/**
 * Whether the path fits the scope of the resource. Cluster-scoped objects are not in a namespace; namespaced ones need
 * one. A Namespace is in its own namespace, so that permissions in that namespace apply.
 */
function fitsScope(info: RequestInfo, namespaced: boolean): boolean {
  if (!namespaced)
    return (
      info.namespace === '' || (info.resource === 'namespaces' && info.namespace === info.name && info.verb !== 'list')
    );
  return info.namespace !== '' || info.name === '' || info.verb === 'watch' || info.verb === 'list';
}

/** Whether the path fits the scope of a custom resource. Only lists and watches span all namespaces. */
function fitsCustomScope({ namespace, verb }: RequestInfo, namespaced: boolean): boolean {
  return namespaced ? namespace !== '' || verb === 'list' || verb === 'watch' : namespace === '';
}

/** Whether the path has a name exactly where the verb needs one. */
function isComplete({ verb, name, namespace, subresource }: RequestInfo, namespaced: boolean): boolean {
  switch (verb) {
    case 'create':
      return subresource !== '' ? name !== '' : name === '' && (namespace !== '' || !namespaced);
    case 'deletecollection':
      return namespace !== '' || !namespaced;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return name !== '';
    default:
      return true;
  }
}
