// Reads a Status that came over the wire, believing none of it: a field of the wrong type counts as absent.
// Used for responses of other servers: by the HTTP client, webhooks and watch ERROR events.

import type { Failure, StatusCause, StatusDetails, StatusMetadata } from './status.js';

/** The failure that a decoded JSON value reports, or undefined if it is no failed Status. */
export function parseFailure(value: unknown): Failure | undefined {
  if (!isRecord(value) || value.kind !== 'Status' || value.status === 'Success') return undefined;
  if (value.apiVersion !== 'v1' && value.apiVersion !== 'meta.k8s.io/v1') return undefined;
  const { reason, details, metadata } = value;
  return {
    code: numberOr(value.code, 0) || 500,
    message: textOr(value.message),
    reason: textOr(reason),
    ...(isRecord(details) && { details: parseDetails(details) }),
    ...(isRecord(metadata) && { metadata: parseMetadata(metadata) }),
  };
}

type JsonRecord = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function parseDetails(details: JsonRecord): StatusDetails {
  const causes: unknown[] = Array.isArray(details.causes) ? details.causes : [];
  return {
    name: textOr(details.name),
    group: textOr(details.group),
    kind: textOr(details.kind),
    uid: textOr(details.uid),
    causes: causes.filter(isRecord).map(parseCause),
    retryAfterSeconds: numberOr(details.retryAfterSeconds, 0),
  };
}

function parseCause(cause: JsonRecord): StatusCause {
  return { reason: textOr(cause.reason), message: textOr(cause.message), field: textOr(cause.field) };
}

function parseMetadata(metadata: JsonRecord): StatusMetadata {
  const remainingItemCount = numberOr(metadata.remainingItemCount, undefined);
  return {
    resourceVersion: textOr(metadata.resourceVersion),
    continue: textOr(metadata.continue),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
