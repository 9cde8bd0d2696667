// Whether a request may take a route: does its path name an object where the verb needs one, a namespace where the
// resource has one, and a verb that the resource offers. As the routes that apiserver/pkg/endpoints/installer.go
// registers, and the refusals of paths that it does not register.
import { badRequest, methodNotAllowed, nameIsPathSegment, unknownResource } from '../../core/index.js';
import type { RequestInfo } from '../../client/index.js';
import { missingRoute } from '../http/request-info.js';
import type { ServedRoute } from './route.js';

/** Returns false where the path leads nowhere at all. Throws ApiError 400, 404 and 405 otherwise. */
export function isOpen(info: RequestInfo, route: ServedRoute): boolean {
  const missing = missingRoute(info);
  if (missing === 'page') return false;
  if (missing === 'status' || !isPlaced(info, route.namespaced) || !isRouted(info, route)) throw unknownResource();
  if (!isOffered(info, route.verbs) || !isWhole(info, route.namespaced)) throw methodNotAllowed();
  checkName(info);
  return true;
}

/** Throws for names that could lead out of the resource. What follows a proxy is a path, not a name. */
function checkName({ name, subresource }: RequestInfo): void {
  const [problem] = name === '' || subresource === 'proxy' ? [] : nameIsPathSegment(name, false);
  if (problem !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/**
 * Whether any method leads anywhere at such a path: kinds that are only created have no objects with names, and no
 * collection across namespaces.
 */
function isRouted({ verb, name, namespace, subresource }: RequestInfo, { verbs, namespaced }: ServedRoute): boolean {
  if (subresource !== '') return true;
  // A list may have a name, from its selector.
  const isNamed = name !== '' && verb !== 'list' && verb !== 'watch';
  const answering = isNamed ? ofObjects : namespaced && namespace === '' ? ofAllNamespaces : ofCollections;
  return answering.some((each) => verbs.has(each));
}

const ofObjects: readonly string[] = ['get', 'update', 'patch', 'delete'];
const ofAllNamespaces: readonly string[] = ['list', 'watch'];
const ofCollections: readonly string[] = ['list', 'watch', 'create', 'deletecollection'];

/** Whether the resource offers the verb. Proxies pass everything on, also methods that are no verbs. */
function isOffered({ verb, subresource }: RequestInfo, verbs: ReadonlySet<string>): boolean {
  return verbs.has(verb) || (subresource === 'proxy' && verb === '');
}

/**
 * Objects without a namespace have no place in one; objects with one are not found by name alone. A Namespace is in
 * itself, so that rights in it count, and in no other: rights there would count instead.
 */
function isPlaced(info: RequestInfo, namespaced: boolean): boolean {
  if (!namespaced)
    return (
      info.namespace === '' || (info.resource === 'namespaces' && info.namespace === info.name && info.verb !== 'list')
    );
  return info.namespace !== '' || info.name === '' || info.verb === 'watch' || info.verb === 'list';
}

/** Whether the path has a name where the verb needs one, and none where it does not. */
function isWhole({ verb, name, namespace, subresource }: RequestInfo, namespaced: boolean): boolean {
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
