// Event of audit.k8s.io/v1: one request at one stage. Members are in the order in which Kubernetes prints them, so that
// `JSON.stringify` returns a line of an audit log.
import type { Frozen, Status } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { AuditLevel, AuditStage } from './audit-policy.js';

/** An audit event. Its objects are shared and read-only. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  /** The id of the request: the same for all its events and in the Audit-Id header of the response. */
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  /** The authenticated user; empty where the credentials were refused. */
  readonly user: Frozen<UserInfo>;
  readonly impersonatedUser?: Frozen<UserInfo>;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  /** Addresses from the client to the last proxy; only the last, that of the connection, is verified. */
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectReference;
  readonly responseStatus?: AuditResponseStatus;
  /** The decoded and defaulted body, or the patch; from level Request on. */
  readonly requestObject?: unknown;
  /** The object of the response; at level RequestResponse. */
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** Annotations of steps and admission plugins. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The object or collection of a request. */
export interface AuditObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The bounded fields of a Status; only the code of other responses. */
export type AuditResponseStatus = Pick<Status, 'metadata'> &
  Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;
