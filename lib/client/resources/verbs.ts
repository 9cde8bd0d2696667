// The verbs that objects and subresources have in common, each a function of the target.
import { mediaTypes, printGroupVersion } from '../../core/index.js';
import type { ApiObject, Frozen, ResourceEntry, RequestBody } from '../../core/index.js';
import type { RequestTarget, RequestSpec } from './request-builder.js';
import { sendRequest } from './request-builder.js';
import type { Patch } from './patch.js';
import { patchBody } from './patch.js';
import type { ApplyOptions, GetOptions, WriteOptions } from './request-options.js';
import { writeQuery } from './request-options.js';
import type { Name } from './resource-client.js';

/** Sends a request and types the response as the server guarantees it. */
export function requestObject<A>(target: RequestTarget, spec: RequestSpec): Promise<A> {
  return sendRequest(target, spec) as Promise<unknown> as Promise<A>;
}

/** Reads an object. */
export function getObject<A>(target: RequestTarget, name: Name, options: GetOptions | undefined): Promise<A> {
  if (options === undefined) return requestObject(target, { verb: 'get', name });
  const { resourceVersion, parameters, signal } = options;
  const isPlain = resourceVersion === undefined && parameters === undefined;
  return requestObject(target, {
    verb: 'get',
    name,
    options: isPlain
      ? undefined
      : { ...(resourceVersion !== undefined && { resourceVersion }), ...(parameters !== undefined && { parameters }) },
    signal,
  });
}

/** Replaces an object. */
export function replaceObject<A>(
  target: RequestTarget,
  object: Frozen<ApiObject>,
  options: WriteOptions | undefined,
): Promise<A> {
  return requestObject(target, {
    verb: 'update',
    ...subjectOf(object),
    options: writeQuery(options),
    body: objectBody(target, object),
    signal: options?.signal,
    cause: options?.cause,
  });
}

/** Patches an object. */
export function patchObject<A>(
  target: RequestTarget,
  name: Name,
  patch: Patch<unknown>,
  options: WriteOptions | undefined,
): Promise<A> {
  return requestObject(target, {
    verb: 'patch',
    name,
    options: writeQuery(options),
    body: patchBody(patch),
    signal: options?.signal,
    cause: options?.cause,
  });
}

/** Applies an object: over HTTP a PATCH. */
export function applyObject<A>(target: RequestTarget, object: Frozen<ApiObject>, options: ApplyOptions): Promise<A> {
  const body = (endpoint: ResourceEntry): RequestBody => ({
    object: withTypeMeta(target, object, endpoint),
    patchType: mediaTypes.applyPatch,
  });
  return requestObject(target, {
    verb: 'patch',
    ...subjectOf(object),
    options: writeQuery(options),
    body,
    signal: options.signal,
    cause: options.cause,
  });
}

/**
 * Returns the object as a body. A missing kind and apiVersion are filled in: servers of custom resources require them.
 */
export function objectBody(target: RequestTarget, object: Frozen<ApiObject>): RequestSpec['body'] {
  return object.kind !== undefined && object.apiVersion !== undefined
    ? { object }
    : (endpoint) => ({ object: withTypeMeta(target, object, endpoint) });
}

/** Adds kind and apiVersion. Most subresources have a kind of their own, which is unknown here. */
function withTypeMeta(
  { subresource }: RequestTarget,
  object: Frozen<ApiObject>,
  endpoint: ResourceEntry,
): Frozen<ApiObject> {
  if (subresource !== '' && subresource !== 'status') return object;
  const { kind = endpoint.kind, apiVersion = printGroupVersion(endpoint), ...rest } = object;
  return { kind, apiVersion, ...rest };
}

function subjectOf({
  metadata: { name = '', namespace } = {},
}: Frozen<ApiObject>): Pick<RequestSpec, 'name' | 'namespace'> {
  return { name, namespace };
}
