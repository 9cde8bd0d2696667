// From what a caller says (a verb, a name, a namespace) to one call of a carrier. What can be refused without asking a
// server is refused here, in the words of Kubernetes' own clients (as client-go/rest/request.go), so that a wrong name
// gets the same answer in process and over HTTP, and none ever becomes a part of somebody else's path.
import {
  badRequest,
  isParseError,
  isPathSegment,
  namespaceMismatch,
  parseFieldSelector,
  quote,
  requiresExact,
} from '../core/index.js';
import type { ApiError, ApiObject, Frozen, ResourceEntry } from '../core/index.js';
import type { RequestBody, RequestCause, RequestInfo, RequestOptions } from './api-request.js';
import type { Call, Carrier } from './carrier.js';
import type { Name } from './resource-client.js';

/** Where calls go. */
export interface Place {
  readonly carrier: Carrier;
  /** Where the kind is served, or a question that discovery answers. */
  readonly endpoint: ResourceEntry | (() => Promise<ResourceEntry>);
  /** Empty for all namespaces, and for kinds that have none. */
  readonly namespace: string;
  /** Empty for the objects themselves. */
  readonly subresource: string;
}

/** What a caller asks for. */
export interface Question {
  readonly verb: string;
  /** The object; none for lists and new objects. */
  readonly name?: Name;
  /** The namespace that the object itself names. */
  readonly namespace?: string | undefined;
  readonly options?: RequestOptions | undefined;
  readonly body?: RequestBody | ((endpoint: ResourceEntry) => RequestBody) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly cause?: RequestCause | undefined;
}

/** Asks, once it is known where. */
export function ask(place: Place, question: Question): Promise<Frozen<ApiObject>> {
  const { carrier, endpoint } = place;
  if (typeof endpoint === 'function') return endpoint().then((found) => ask({ ...place, endpoint: found }, question));
  const call = callOf(endpoint, place, question);
  return 'info' in call ? carrier.send(call) : Promise.reject(call);
}

/** The call for a question, or why there is none. */
export function callOf(endpoint: ResourceEntry, place: Place, question: Question): Call | ApiError {
  const { name, options, body, signal, cause } = question;
  const isPlaced = typeof name === 'object';
  const given = isPlaced ? name.namespace : (question.namespace ?? '');
  const namespace = place.namespace === '' ? given : place.namespace;
  // Of an object that names another namespace than the request a server says the same.
  if (isPlaced && given !== '' && given !== namespace) return namespaceMismatch();
  const own = isPlaced ? name.name : (name ?? '');
  const { group, version, resource } = endpoint;
  const info: RequestInfo = {
    verb: question.verb,
    isResource: true,
    path: '',
    group,
    version,
    // A namespace is in itself, for those who decide what may be done there. As apiserver's requestinfo.go.
    namespace: own !== '' && resource === 'namespaces' && group === '' ? own : namespace,
    resource,
    subresource: place.subresource,
    name: own === '' && options?.fieldSelector !== undefined ? selectedName(options.fieldSelector) : own,
  };
  return (
    refusalOf(endpoint, info, name !== undefined) ?? {
      info,
      options,
      body: typeof body === 'function' ? body(endpoint) : body,
      signal,
      cause,
    }
  );
}

/** The one name that a field selector leaves, for rules about names. */
function selectedName(fieldSelector: string): string {
  try {
    const name = requiresExact(parseFieldSelector(fieldSelector), 'metadata.name');
    return name !== undefined && isPathSegment(name).length === 0 ? name : '';
  } catch (error) {
    // The server says so, better than we could.
    if (isParseError(error)) return '';
    throw error;
  }
}

function refusalOf(
  { namespaced }: ResourceEntry,
  { verb, name, namespace }: RequestInfo,
  isNamed: boolean,
): ApiError | undefined {
  if (isNamed && name === '') return badRequest('resource name may not be empty');
  if (namespaced && namespace === '') {
    if (isNamed) return badRequest('an empty namespace may not be set when a resource name is provided');
    if (verb === 'create') return badRequest('an empty namespace may not be set during creation');
  }
  if (isUnfit(name)) return badRequest(`invalid resource name ${quote(name)}: [${isPathSegment(name).join(' ')}]`);
  return isUnfit(namespace)
    ? badRequest(`invalid namespace ${quote(namespace)}: [${isPathSegment(namespace).join(' ')}]`)
    : undefined;
}

/** No segment of a path. Asked of every request, so without the words. */
function isUnfit(text: string): boolean {
  return unfit.test(text);
}

const unfit = /[/%]|^\.{1,2}$/;
