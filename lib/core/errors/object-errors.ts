// The catalogue of API errors, second part: errors about the object of a request.
//
// Every exported function is a maker with a row in docs/errors.md. Messages are Kubernetes' own, to the letter.
// As apimachinery/pkg/api/errors/errors.go, apiserver/pkg/registry and apiserver/pkg/storage/etcd3/errors.go.

import { printGroupKind } from '../objects/gvk.js';
import type { GroupKind } from '../objects/gvk.js';
import { ApiError } from './api-error.js';
import { listedFindings } from './collect.js';
import { fieldErrorsText } from './field-error.js';
import type { FieldError } from './field-error.js';
import { quote } from '../go/format.js';
import { printObject, resourceDetails } from './resource-ref.js';
import type { ResourceRef } from './resource-ref.js';
import { failureStatus } from './status.js';
import type { StatusCause } from './status.js';

/** A precondition of a deletion that the stored object does not meet. */
export interface UnmetPrecondition {
  readonly field: 'UID' | 'ResourceVersion';
  readonly expected: string;
  readonly actual: string;
}

/** 404: there is no such object. */
export function notFound(ref: ResourceRef): ApiError {
  return new ApiError(
    failureStatus({
      code: 404,
      reason: 'NotFound',
      message: `${printObject(ref)} not found`,
      details: resourceDetails(ref),
    }),
  );
}

/** 409: the name is taken, perhaps by an object whose deletion is not complete. */
export function alreadyExists(ref: ResourceRef, { beingDeleted = false }: { beingDeleted?: boolean } = {}): ApiError {
  return new ApiError(
    failureStatus({
      code: 409,
      reason: 'AlreadyExists',
      message: `${beingDeleted ? 'object is being deleted: ' : ''}${printObject(ref)} already exists`,
      details: resourceDetails(ref),
    }),
  );
}

/** 409: every name generated from generateName was taken; the client may try again after a second. */
export function generateNameConflict(ref: ResourceRef): ApiError {
  const message =
    `${printObject(ref)} already exists, ` + 'the server was not able to generate a unique name for the object';
  return new ApiError(
    failureStatus({
      code: 409,
      reason: 'AlreadyExists',
      message,
      details: { ...resourceDetails(ref), retryAfterSeconds: 1 },
    }),
  );
}

/** 409: the object is not in the state the request counts on; by default, it was changed in the meantime. */
export function conflict(
  ref: ResourceRef,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): ApiError {
  return new ApiError(
    failureStatus({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${printObject(ref)}: ${why}`,
      details: resourceDetails(ref),
    }),
  );
}

/** 409: the object is not the one the client meant to delete. Here Kubernetes names the kind, not the resource. */
export function deletePreconditionFailed(kind: GroupKind, name: string, unmet: UnmetPrecondition): ApiError {
  const { field, expected, actual } = unmet;
  const guess = field === 'UID' ? 'deleted and then recreated' : 'modified';
  return conflict(
    { group: kind.group, resource: kind.kind, name },
    `the ${field} in the precondition (${expected}) does not match the ${field} in record (${actual}). ` +
      `The object might have been ${guess}`,
  );
}

/** 409: a server-side apply would take fields from other managers; one cause for each field. */
export function applyConflict(message: string, causes: readonly StatusCause[]): ApiError {
  return new ApiError(failureStatus({ code: 409, reason: 'Conflict', message, details: { causes } }));
}

/** 410: the requested resource version is no longer kept. */
export function resourceExpired(message: string): ApiError {
  return new ApiError(failureStatus({ code: 410, reason: 'Expired', message }));
}

/** 410: the watch cache no longer has the events right after the requested resource version. */
export function tooOldResourceVersion(requested: string, oldest: string): ApiError {
  return resourceExpired(`too old resource version: ${requested} (${oldest})`);
}

/** 410: the store has compacted the resource version that a list requested. */
export function listExpired(): ApiError {
  return resourceExpired('The resourceVersion for the provided list is too old.');
}

/** 410: the store has compacted the resource version that a watch requested. */
export function watchExpired(): ApiError {
  return resourceExpired('The resourceVersion for the provided watch is too old.');
}

/** 410: the snapshot of a paged list is gone; the token continues with what there is now. */
export function continueExpired(freshToken: string): ApiError {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
    'without the continue parameter, or use the continue token in this response to retrieve the remainder of the ' +
    'results. Continuing with the provided token results in an inconsistent list - objects that were created, ' +
    'modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return new ApiError(failureStatus({ code: 410, reason: 'Expired', message, metadata: { continue: freshToken } }));
}

/** 410: what was requested is gone for good. Kept for old clients; new code uses `resourceExpired`. */
export function gone(message: string): ApiError {
  return new ApiError(failureStatus({ code: 410, reason: 'Gone', message }));
}

/**
 * 422: the object breaks rules; one cause for each field error, equal errors once in the message. Where the
 * limits of findings are exceeded, the last cause says that there are more.
 */
export function invalid(kind: GroupKind, name: string, found: readonly FieldError[]): ApiError {
  const listed = listedFindings(found);
  const errors = listed < found.length ? [...found.slice(0, listed), moreErrors(listed)] : found;
  const subject = `${printGroupKind(kind)} ${quote(name)} is invalid`;
  return new ApiError(
    failureStatus({
      code: 422,
      reason: 'Invalid',
      message: errors.length === 0 ? subject : `${subject}: ${fieldErrorsText(errors)}`,
      details: { name, group: kind.group, kind: kind.kind, causes: errors },
    }),
  );
}

function moreErrors(listed: number): FieldError {
  const message = `Too many: only the first ${listed} errors are listed`;
  return Object.freeze({ reason: 'FieldValueTooMany', field: '<nil>', message });
}
