// Builds one request from a verb, a name and a namespace. Names that no server would accept are rejected here with the
// messages of client-go/rest/request.go, so that the error is the same in process and over HTTP, and no name can become
// part of another path.
import {
  badRequest,
  isParseError,
  isPathSegment,
  namespaceMismatch,
  parseFieldSelector,
  quote,
  requiresExact,
} from '../../core/index.js';
import type {
  ApiError,
  ApiObject,
  Frozen,
  ResourceEntry,
  RequestBody,
  RequestCause,
  RequestInfo,
  RequestOptions,
} from '../../core/index.js';
import type { OutgoingRequest, RequestSender } from '../request-sender.js';
import type { Name } from './resource-client.js';

/** The target of requests: a sender, a resource, a namespace and a subresource. */
export interface RequestTarget {
  readonly sender: RequestSender;
  /** The resource, or a function that discovers it. */
  readonly endpoint: ResourceEntry | (() => Promise<ResourceEntry>);
  /** Empty for all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty for the objects themselves. */
  readonly subresource: string;
}

/** The part of a request that the caller chooses. */
export interface RequestSpec {
  readonly verb: string;
  /** The name of the object; undefined for lists and creates. */
  readonly name?: Name;
  /** The namespace in the object's own metadata. */
  readonly namespace?: string | undefined;
  readonly options?: RequestOptions | undefined;
  readonly body?: RequestBody | ((endpoint: ResourceEntry) => RequestBody) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly cause?: RequestCause | undefined;
}

/** Sends a request, after discovery if the target needs it. */
export function sendRequest(target: RequestTarget, spec: RequestSpec): Promise<Frozen<ApiObject>> {
  const { sender, endpoint } = target;
  if (typeof endpoint === 'function')
    return endpoint().then((found) => sendRequest({ ...target, endpoint: found }, spec));
  const call = buildRequest(endpoint, target, spec);
  return 'info' in call ? sender.send(call) : Promise.reject(call);
}

/** Builds the request, or returns why it is invalid. */
export function buildRequest(
  endpoint: ResourceEntry,
  target: RequestTarget,
  spec: RequestSpec,
): OutgoingRequest | ApiError {
  const { name, options, body, signal, cause } = spec;
  const isPlaced = typeof name === 'object';
  const given = isPlaced ? name.namespace : (spec.namespace ?? '');
  const namespace = target.namespace === '' ? given : target.namespace;
  // Servers return the same error for an object in another namespace than the request.
  if (isPlaced && given !== '' && given !== namespace) return namespaceMismatch();
  const own = isPlaced ? name.name : (name ?? '');
  const { group, version, resource } = endpoint;
  const info: RequestInfo = {
    verb: spec.verb,
    isResource: true,
    path: '',
    group,
    version,
    // A Namespace counts as an object in itself, for authorization. As apiserver's requestinfo.go.
    namespace: own !== '' && resource === 'namespaces' && group === '' ? own : namespace,
    resource,
    subresource: target.subresource,
    name: own === '' && options?.fieldSelector !== undefined ? selectedName(options.fieldSelector) : own,
  };
  return (
    validationError(endpoint, info, name !== undefined) ?? {
      info,
      options,
      body: typeof body === 'function' ? body(endpoint) : body,
      signal,
      cause,
    }
  );
}

/** Returns the name that a field selector requires, for authorization by name. */
function selectedName(fieldSelector: string): string {
  try {
    const name = requiresExact(parseFieldSelector(fieldSelector), 'metadata.name');
    return name !== undefined && isPathSegment(name).length === 0 ? name : '';
  } catch (error) {
    // The server returns a better error.
    if (isParseError(error)) return '';
    throw error;
  }
}

function validationError(
  { namespaced }: ResourceEntry,
  { verb, name, namespace }: RequestInfo,
  isNamed: boolean,
): ApiError | undefined {
  if (isNamed && name === '') return badRequest('resource name may not be empty');
  if (namespaced && namespace === '') {
    if (isNamed) return badRequest('an empty namespace may not be set when a resource name is provided');
    if (verb === 'create') return badRequest('an empty namespace may not be set during creation');
  }
  if (isInvalidSegment(name))
    return badRequest(`invalid resource name ${quote(name)}: [${isPathSegment(name).join(' ')}]`);
  return isInvalidSegment(namespace)
    ? badRequest(`invalid namespace ${quote(namespace)}: [${isPathSegment(namespace).join(' ')}]`)
    : undefined;
}

/** Checked for every request; the message is only built for the error. */
function isInvalidSegment(text: string): boolean {
  return invalidSegment.test(text);
}

const invalidSegment = /[/%]|^\.{1,2}$/;
