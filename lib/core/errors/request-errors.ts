// The catalogue of API errors, first part: what is wrong with a request before it meets an object.
//
// Every exported function is a maker with a row in docs/errors.md. Messages are Kubernetes' own, to the letter.
// See object-errors.ts for errors about objects, server-errors.ts for the server's own. As
// apimachinery/pkg/api/errors/errors.go and apiserver/pkg/endpoints/handlers/negotiation/errors.go.

import { printGroupResource } from '../objects/gvk.js';
import { ApiError } from './api-error.js';
import { quote } from '../go/format.js';
import { printObject, resourceDetails } from './resource-ref.js';
import type { ResourceRef } from './resource-ref.js';
import { failureStatus } from './status.js';
import type { Failure, StatusCause } from './status.js';

/** A request that an authorizer refused: either to a resource or to a bare path. */
export type RefusedRequest = { readonly user: string; readonly verb: string } & (
  (ResourceRef & { readonly subresource?: string; readonly namespace?: string }) | { readonly path: string }
);

/** 400: the request cannot be understood. */
export function badRequest(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(failureStatus({ code: 400, reason: 'BadRequest', message }), options);
}

/** 400: the object names another namespace than the URL. */
export function namespaceMismatch(): ApiError {
  return badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** 400: the object has another name than the URL. */
export function nameMismatch(inObject: string, inUrl: string): ApiError {
  return badRequest(`the name of the object (${inObject}) does not match the name on the URL (${inUrl})`);
}

/** 400: the object is of another version than the endpoint. */
export function apiVersionMismatch(inObject: string, expected: string): ApiError {
  return badRequest(`the API version in the data (${inObject}) does not match the expected API version (${expected})`);
}

/** 401: no credentials, or none that an authenticator accepts. */
export function unauthorized(message = 'Unauthorized'): ApiError {
  return new ApiError(failureStatus({ code: 401, reason: 'Unauthorized', message }));
}

/** 403: the request is understood and refused, by an admission plugin or by a rule of the resource. */
export function forbidden(ref: ResourceRef, why: string, causes: readonly StatusCause[] = []): ApiError {
  return new ApiError(failureStatus(refusedFailure(ref, why, causes)));
}

function refusedFailure(ref: ResourceRef, why: string, causes: readonly StatusCause[]): Failure {
  const subject = `${ref.name ? printObject(ref) : printGroupResource(ref)} is `;
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${ref.group === '' && ref.resource === '' ? '' : subject}forbidden: ${why}`,
    details: { ...resourceDetails(ref), causes },
  };
}

/** 403: no authorizer allows the request; `reason` is theirs. */
export function accessDenied(request: RefusedRequest, reason = ''): ApiError {
  const ref = 'path' in request ? { group: '', resource: '' } : request;
  // As apiserver/pkg/endpoints/handlers/responsewriters/errors.go: the response must not look like HTML.
  const text = refusal(request).replace(/[&<>]/g, (character) => htmlEntities.get(character) ?? character);
  return forbidden(ref, reason === '' ? text : `${text}: ${reason}`);
}

/**
 * 403, 413 or 422, by the reason: a ValidatingAdmissionPolicy denied the request. The message says forbidden whatever
 * the reason, as in Kubernetes.
 */
export function deniedByPolicy(ref: ResourceRef, why: string, reason: PolicyDenialReason): ApiError {
  const failure = refusedFailure(ref, why, [{ message: why }]);
  return new ApiError(failureStatus({ ...failure, code: codesOfDenials[reason], reason }));
}

/** The reasons that policies may give. */
export type PolicyDenialReason = 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge' | 'Unauthorized';

const codesOfDenials: Readonly<Record<PolicyDenialReason, number>> = {
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
  Unauthorized: 401,
};

/** 403, also where the reason is Invalid: a MutatingAdmissionPolicy failed. The message does not name the object. */
export function mutationDenied(ref: ResourceRef, why: string, reason: 'Forbidden' | 'Invalid'): ApiError {
  return new ApiError(failureStatus({ ...refusedFailure(ref, why, [{ message: why }]), reason, message: why }));
}

/** 403: nothing new may be created in a namespace that is going away. */
export function namespaceTerminating(ref: ResourceRef, namespace: string): ApiError {
  return forbidden(ref, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/** 405: the resource exists but its storage has no such verb. */
export function methodNotSupported(ref: ResourceRef, verb: string): ApiError {
  return new ApiError(
    failureStatus({
      code: 405,
      reason: 'MethodNotAllowed',
      message: `${verb} is not supported on resources of kind ${quote(printGroupResource(ref))}`,
      details: { group: ref.group, kind: ref.resource },
    }),
  );
}

/** 406: none of the media types the client accepts can be written. */
export function notAcceptable(accepted: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return new ApiError(failureStatus({ code: 406, reason: 'NotAcceptable', message }));
}

/** 406: the object cannot take the form that the client requested. */
export function wrongForm(message: string): ApiError {
  return new ApiError(failureStatus({ code: 406, reason: 'NotAcceptable', message }));
}

/** 413: the body or what it requests is too large; the detail says what the limit is. */
export function requestEntityTooLarge(detail: string): ApiError {
  const message = `Request entity too large: ${detail}`;
  return new ApiError(failureStatus({ code: 413, reason: 'RequestEntityTooLarge', message }));
}

/** 415: the body is in a media type that cannot be read. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const types = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${types}`;
  return new ApiError(failureStatus({ code: 415, reason: 'UnsupportedMediaType', message }));
}

const htmlEntities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

function refusal(request: RefusedRequest): string {
  const refused = `User ${quote(request.user)} cannot ${request.verb}`;
  if ('path' in request) return `${refused} path ${quote(request.path)}`;
  const { group, resource, subresource, namespace } = request;
  const what = quote(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${quote(namespace)}` : 'at the cluster scope';
  return `${refused} resource ${what} in API group ${quote(group)} ${where}`;
}
