// Event of audit.k8s.io/v1: what happened to one request at one stage. Its members stand in the order in which
// Kubernetes prints them, so that `JSON.stringify` gives a line of an audit log.
import type { Frozen, Status } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';
import type { AuditLevel, AuditStage } from './audit-policy.js';

/** An event. Objects in it are shared with whoever else has them: read-only. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  /** Of the request: the same for all its events, and the Audit-Id header of its answer. */
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  /** Whom the credentials name; empty where they were refused. */
  readonly user: Frozen<UserInfo>;
  readonly impersonatedUser?: Frozen<UserInfo>;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  /** From the client's own to that of the connection; only the last is certain. */
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectReference;
  readonly responseStatus?: AuditResponseStatus;
  /** The body, decoded and defaulted, or a patch as it came; from level Request on. */
  readonly requestObject?: unknown;
  /** From level RequestResponse on. */
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  /** What steps and admission plugins noted. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a request is about. */
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

/** The parts of a Status that are bounded; of an answer that is none, the code alone. */
export type AuditResponseStatus = Pick<Status, 'metadata'> &
  Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;
