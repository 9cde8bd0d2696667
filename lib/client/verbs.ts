// The verbs as questions: what objects and subresources are asked alike, each a function of the place.
import { mediaTypes, printGroupVersion } from '../core/index.js';
import type { ApiObject, Frozen, ResourceEntry } from '../core/index.js';
import type { RequestBody } from './api-request.js';
import type { Place, Question } from './calls.js';
import { ask } from './calls.js';
import type { Patch } from './patch.js';
import { patchBody } from './patch.js';
import type { ApplyOptions, GetOptions, WriteOptions } from './request-options.js';
import { writeQuery } from './request-options.js';
import type { Name } from './resource-client.js';

/** Asks, and takes the answer for what the server promises it to be. */
export function askFor<A>(place: Place, question: Question): Promise<A> {
  return ask(place, question) as Promise<unknown> as Promise<A>;
}

/** get */
export function getObject<A>(place: Place, name: Name, options: GetOptions | undefined): Promise<A> {
  if (options === undefined) return askFor(place, { verb: 'get', name });
  const { resourceVersion, signal } = options;
  return askFor(place, {
    verb: 'get',
    name,
    options: resourceVersion === undefined ? undefined : { resourceVersion },
    signal,
  });
}

/** update */
export function replaceObject<A>(
  place: Place,
  object: Frozen<ApiObject>,
  options: WriteOptions | undefined,
): Promise<A> {
  return askFor(place, {
    verb: 'update',
    ...subjectOf(object),
    options: writeQuery(options),
    body: objectBody(place, object),
    signal: options?.signal,
    cause: options?.cause,
  });
}

/** patch */
export function patchObject<A>(
  place: Place,
  name: Name,
  patch: Patch<unknown>,
  options: WriteOptions | undefined,
): Promise<A> {
  return askFor(place, {
    verb: 'patch',
    name,
    options: writeQuery(options),
    body: patchBody(patch),
    signal: options?.signal,
    cause: options?.cause,
  });
}

/** apply, which is a patch to HTTP. */
export function applyObject<A>(place: Place, object: Frozen<ApiObject>, options: ApplyOptions): Promise<A> {
  const body = (endpoint: ResourceEntry): RequestBody => ({
    object: completed(place, object, endpoint),
    patchType: mediaTypes.applyPatch,
  });
  return askFor(place, {
    verb: 'patch',
    ...subjectOf(object),
    options: writeQuery(options),
    body,
    signal: options.signal,
    cause: options.cause,
  });
}

/** An object as a body. One that does not say what it is gets told: servers of custom resources insist on it. */
export function objectBody(place: Place, object: Frozen<ApiObject>): Question['body'] {
  return object.kind !== undefined && object.apiVersion !== undefined
    ? { object }
    : (endpoint) => ({ object: completed(place, object, endpoint) });
}

/** What stands below an object is mostly of another kind, of which nothing is known here. */
function completed({ subresource }: Place, object: Frozen<ApiObject>, endpoint: ResourceEntry): Frozen<ApiObject> {
  if (subresource !== '' && subresource !== 'status') return object;
  const { kind = endpoint.kind, apiVersion = printGroupVersion(endpoint), ...rest } = object;
  return { kind, apiVersion, ...rest };
}

function subjectOf({
  metadata: { name = '', namespace } = {},
}: Frozen<ApiObject>): Pick<Question, 'name' | 'namespace'> {
  return { name, namespace };
}
