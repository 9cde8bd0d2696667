// The Status object: the response of Kubernetes to a request that failed, or that succeeded without an object to
// return.
//
// Invariants: a Status made here is deeply frozen; its keys are in the order in which a real server writes
// them; what is empty is left out, as Go's omitempty does, except `details`, which is written even when it has no
// fields. Only this folder creates failures.
// Shape as apimachinery/pkg/apis/meta/v1/types.go, Status.

/** The machine-readable reason of a failure. Servers and webhooks may send others. */
export type StatusReason =
  | 'AlreadyExists'
  | 'BadRequest'
  | 'Conflict'
  | 'Expired'
  | 'Forbidden'
  | 'Gone'
  | 'InternalError'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'NotFound'
  | 'RequestEntityTooLarge'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'StorageReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'Unauthorized'
  | 'UnsupportedMediaType';

/** The machine-readable reason of a single cause. */
export type CauseReason =
  | 'DisruptionBudget'
  | 'FieldManagerConflict'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueInvalid'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueRequired'
  | 'FieldValueTooFew'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooShort'
  | 'FieldValueTypeInvalid'
  | 'InternalError'
  | 'NamespaceTerminating'
  | 'ResourceVersionTooLarge'
  | 'UnexpectedServerResponse';

/** One cause of a failure; `field` is a path in the object the client sent. */
export interface StatusCause {
  readonly reason?: CauseReason | (string & {});
  readonly message?: string;
  readonly field?: string;
}

/** The subject of the failure or success; `kind` is the plural resource, or the Kind for validation errors. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  /** Whole seconds; also sent as the Retry-After header when above zero. */
  readonly retryAfterSeconds?: number;
}

/** The list metadata of a Status: `continue` accompanies the expiry of a paged list. */
export interface StatusMetadata {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** The response to a request that returns no object. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: StatusMetadata;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason | (string & {});
  readonly details?: StatusDetails;
  /** The HTTP status; a plain success carries none. */
  readonly code?: number;
}

/** The parts of a failure that vary; everything else about it is fixed. */
export interface Failure {
  readonly code: number;
  readonly reason?: Status['reason'];
  readonly message: string;
  /** Absent and empty differ on the wire: `{}` is written, undefined is not. */
  readonly details?: StatusDetails;
  readonly metadata?: StatusMetadata;
}

/** The Status of a request that succeeded without an object to return, such as a completed deletion. */
export function successStatus(details?: StatusDetails, code?: number): Status {
  const status: Writable<Status> = { kind: 'Status', apiVersion: 'v1', metadata: noMetadata, status: 'Success' };
  if (details) status.details = frozenDetails(details);
  if (code) status.code = code;
  return Object.freeze(status);
}

/** The Status of a request that failed. */
export function failureStatus({ code, reason, message, details, metadata }: Failure): Status {
  const status: Writable<Status> = { kind: 'Status', apiVersion: 'v1', metadata: noMetadata, status: 'Failure' };
  if (metadata) status.metadata = frozenMetadata(metadata);
  if (message) status.message = message;
  if (reason) status.reason = reason;
  if (details) status.details = frozenDetails(details);
  status.code = code;
  return Object.freeze(status);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const noMetadata: StatusMetadata = Object.freeze({});

function frozenMetadata({ resourceVersion, continue: token, remainingItemCount }: StatusMetadata): StatusMetadata {
  const metadata: Writable<StatusMetadata> = {};
  if (resourceVersion) metadata.resourceVersion = resourceVersion;
  if (token) metadata.continue = token;
  if (remainingItemCount !== undefined) metadata.remainingItemCount = remainingItemCount;
  return Object.freeze(metadata);
}

function frozenDetails({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): StatusDetails {
  const details: Writable<StatusDetails> = {};
  if (name) details.name = name;
  if (group) details.group = group;
  if (kind) details.kind = kind;
  if (uid) details.uid = uid;
  if (causes && causes.length > 0) details.causes = Object.freeze(causes.map(frozenCause));
  if (retryAfterSeconds) details.retryAfterSeconds = retryAfterSeconds;
  return Object.freeze(details);
}

function frozenCause({ reason, message, field }: StatusCause): StatusCause {
  const cause: Writable<StatusCause> = {};
  if (reason) cause.reason = reason;
  if (message) cause.message = message;
  if (field) cause.field = field;
  return Object.freeze(cause);
}

/**
 * The Status of a command that ended with an exit code. As pkg/kubelet's ServeExec: a failure has the reason
 * `NonZeroExitCode`, its code as a cause, and no HTTP status.
 */
export function exitStatus(code: number): Status {
  if (code === 0) return successStatus();
  return Object.freeze({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: Object.freeze({}),
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: nonZeroExitCode,
    details: Object.freeze({ causes: Object.freeze([Object.freeze({ reason: exitCodeCause, message: `${code}` })]) }),
  });
}

/** The exit code that a Status carries: 0 for success, undefined for any other failure. */
export function exitCodeOf({ status, reason, details }: Status): number | undefined {
  if (status === 'Success') return 0;
  const text = details?.causes?.find((cause) => cause.reason === exitCodeCause)?.message;
  return reason === nonZeroExitCode && text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}

const nonZeroExitCode = 'NonZeroExitCode';
const exitCodeCause = 'ExitCode';
