// `vivarium/server`: an API server alone, served in Web-standard form, with kinds of the host. What only other folders
// of the package use is in index.ts and may change at any time.

// The server
export { createServer } from './start/create-server.js';
export type {
  ApiServer,
  ObjectCommitted,
  RequestFailed,
  ServerActivity,
  ServerOptions,
} from './start/server-options.js';
export type { AggregationOptions } from './aggregation/backend.js';
export type { Commit } from './writes/commit.js';
export type { AuthenticationInfo, RequestHeaderInfo } from './bootstrap/authentication-info.js';
export type { ServerIdentity } from './bootstrap/bootstrap-objects.js';
export type { NodeConnectors } from './subresources/node-connectors.js';

// Auditing
export type { AuditEvent, AuditObjectReference, AuditResponseStatus } from './audit/audit-event.js';
export type { AuditLevel, AuditPolicy, AuditResources, AuditRule, AuditStage } from './audit/audit-policy.js';

// Serving over fetch
export { fetchHandler } from './http/fetch-handler.js';
export type { FetchExtras, FetchHandler } from './http/fetch-handler.js';
export type { WireLimits, WireOptions, WireServer } from './http/wire.js';

// Kinds of the host
export { createKinds, defineKind } from '../core/index.js';
export type { DefinedKind, Kinds, MutableKinds, PrinterColumn, SchemeChange } from '../core/index.js';
