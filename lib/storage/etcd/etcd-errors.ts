/**
 * What etcd's refusals mean. Its gRPC statuses are too coarse (OutOfRange is a compacted revision, one still to come,
 * or a lease too long), so the messages of etcd's api/v3rpc/rpctypes/error.go decide; clients have compared them for
 * years.
 *
 * The line that matters runs between what certainly did not happen and what may have: a commit fails with `unavailable`
 * only for the former. Permission, missing or wrong credentials are `unavailable` too: nothing happened, and trying
 * again is safe and works once an operator has granted what was missing; the message says what etcd said.
 */
import { StoreError, type StoreErrorCode } from '../store-error.js';
import type { LeaseId, Revision } from '../store.js';
import { GrpcError, grpcStatuses } from './grpc-error.js';

/** What kind of call failed: after a lost answer only a write leaves a question. */
export type CallKind = 'read' | 'write';

/**
 * The store's error for a failed call. A call that failed because the store was closed is `closed`. The callers that
 * know the revision of `compacted` and `future-revision` create those errors themselves.
 */
export function storeErrorOf(error: unknown, kind: CallKind, closing: AbortSignal): unknown {
  if (!(error instanceof GrpcError)) return error;
  const code = codeOf(error, kind);
  if (code === 'unavailable' && closing.aborted) return closedError(error);
  return new StoreError(code, `etcd: ${error.message}${consequences[code] ?? ''}`, { cause: error });
}

/** The revision is gone; the oldest that is left, if that is known. */
export function compactedError(revision: Revision, oldest: Revision | undefined, cause?: unknown): StoreError {
  if (oldest === undefined) return new StoreError('compacted', `etcd: revision ${revision} is compacted`, { cause });
  return new StoreError('compacted', `etcd: revision ${revision} is compacted, the oldest that is left is ${oldest}`, {
    revision: oldest,
    cause,
  });
}

/** The revision does not exist yet. */
export function futureRevisionError(revision: Revision, newest: Revision, cause: unknown): StoreError {
  return new StoreError('future-revision', `etcd: revision ${revision} is still to come, the newest is ${newest}`, {
    revision: newest,
    cause,
  });
}

/** There is no such lease. */
export function leaseNotFoundError(lease: LeaseId): StoreError {
  return new StoreError('lease-not-found', `etcd: there is no lease ${JSON.stringify(lease)}`);
}

/** The store was closed. */
export function closedError(cause?: unknown): StoreError {
  return new StoreError('closed', 'the store is closed', { cause });
}

/** Returns whether etcd refused for that reason, in the words of its API. */
export function isRefusal(error: unknown, reason: RefusalName): error is GrpcError {
  return error instanceof GrpcError && error.message.includes(refusals[reason].text);
}

/** Returns whether the call certainly changed nothing. */
export function nothingHappened(error: GrpcError): boolean {
  if (!error.reached) return true;
  const refusal = refusalIn(error.message);
  if (refusal !== undefined) return refusal.code !== 'no-space'; // EtcdStore looks
  return definite.has(error.status);
}

/** Returns whether trying again may help: a member without a leader, an overloaded one, a lost connection. */
export function isTransient(error: GrpcError): boolean {
  const refusal = refusalIn(error.message);
  return refusal === undefined ? transient.has(error.status) : refusal.transient === true;
}

/** Returns whether another member may do better: not where all are asked too much, nor where only the token is old. */
export function isTroubleOfMember(error: GrpcError): boolean {
  return isTransient(error) && !isRefusal(error, 'tooManyRequests');
}

/** Returns whether the error is final: a retry cannot succeed unless permissions or configuration change. */
export function isFinal(error: GrpcError): boolean {
  const refusal = refusalIn(error.message);
  return refusal === undefined ? definite.has(error.status) : refusal.transient !== true;
}

interface Refusal {
  readonly text: string;
  readonly code: StoreErrorCode;
  /** Another try, perhaps at another member, may go better. */
  readonly transient?: boolean;
}

/** What etcd refuses, by names of ours. */
export type RefusalName =
  | 'compacted'
  | 'futureRevision'
  | 'noSpace'
  | 'leaseNotFound'
  | 'leaseExists'
  | 'leaseTooLong'
  | 'tooManyOperations'
  | 'requestTooLarge'
  | 'messageTooLarge'
  | 'duplicateKey'
  | 'emptyKey'
  | 'corrupt'
  | 'proposalDropped'
  | 'noLeader'
  | 'tooManyRequests'
  | 'notCapable'
  | 'learner'
  | 'invalidToken'
  | 'oldAuthRevision'
  | 'authNotEnabled'
  | 'authenticationFailed'
  | 'noUser'
  | 'permissionDenied';

const refusals: Readonly<Record<RefusalName, Refusal>> = {
  compacted: { text: 'required revision has been compacted', code: 'compacted' },
  futureRevision: { text: 'required revision is a future revision', code: 'future-revision' },
  noSpace: { text: 'database space exceeded', code: 'no-space' },
  leaseNotFound: { text: 'requested lease not found', code: 'lease-not-found' },
  leaseExists: { text: 'lease already exists', code: 'invalid' },
  leaseTooLong: { text: 'too large lease TTL', code: 'invalid' },
  tooManyOperations: { text: 'too many operations in txn request', code: 'too-large' },
  requestTooLarge: { text: 'request is too large', code: 'too-large' },
  messageTooLarge: { text: 'message larger than max', code: 'too-large' },
  duplicateKey: { text: 'duplicate key given in txn request', code: 'invalid' },
  emptyKey: { text: 'key is not provided', code: 'invalid' },
  corrupt: { text: 'corrupt cluster', code: 'corrupt' },
  proposalDropped: { text: 'raft proposal dropped', code: 'unavailable', transient: true },
  noLeader: { text: 'etcdserver: no leader', code: 'unavailable', transient: true },
  tooManyRequests: { text: 'too many requests', code: 'unavailable', transient: true },
  notCapable: { text: 'etcdserver: not capable', code: 'unavailable', transient: true },
  learner: { text: 'rpc not supported for learner', code: 'unavailable', transient: true },
  invalidToken: { text: 'invalid auth token', code: 'unavailable' },
  oldAuthRevision: { text: 'revision of auth store is old', code: 'unavailable' },
  authNotEnabled: { text: 'authentication is not enabled', code: 'unavailable' },
  authenticationFailed: { text: 'authentication failed', code: 'unavailable' },
  noUser: { text: 'user name is empty', code: 'unavailable' },
  permissionDenied: { text: 'permission denied', code: 'unavailable' },
};

const allRefusals: readonly Refusal[] = Object.values(refusals);

/** Statuses that say that the request makes no sense. */
const malformed: ReadonlySet<number> = new Set([
  grpcStatuses.invalidArgument,
  grpcStatuses.notFound,
  grpcStatuses.failedPrecondition,
  grpcStatuses.outOfRange,
]);

/** Statuses that etcd and gRPC give before anything is done. */
const definite: ReadonlySet<number> = new Set([
  ...malformed,
  grpcStatuses.permissionDenied,
  grpcStatuses.unimplemented,
  grpcStatuses.unauthenticated,
]);

/** Besides lost connections: etcd's own time-outs, a server that stops, a leader that changed. */
const transient: ReadonlySet<number> = new Set([grpcStatuses.unavailable, grpcStatuses.deadlineExceeded]);

const consequences: Partial<Record<StoreErrorCode, string>> = {
  'unknown-outcome': '; whether the change was made is not known',
};

function codeOf(error: GrpcError, kind: CallKind): StoreErrorCode {
  const refusal = refusalIn(error.message);
  if (refusal !== undefined) return refusal.code;
  if (!error.reached) return 'unavailable';
  if (kind === 'write' && !nothingHappened(error)) return 'unknown-outcome';
  if (error.status === grpcStatuses.dataLoss) return 'corrupt';
  return malformed.has(error.status) ? 'invalid' : 'unavailable';
}

function refusalIn(message: string): Refusal | undefined {
  return allRefusals.find(({ text }) => message.includes(text));
}
