// What other folders import of the API server. Users import public.ts; what needs Node is in ./node.
export type { AggregationOptions } from './aggregation/backend.js';
export type { AuditEvent } from './audit/audit-event.js';
export type { AuditPolicy, AuditRule } from './audit/audit-policy.js';
export type { AuthenticationInfo } from './bootstrap/authentication-info.js';
export { authenticationConfigMap } from './bootstrap/authentication-info.js';
export type { ServerIdentity } from './bootstrap/bootstrap-objects.js';
export { resourceMetricsKinds } from './subresources/resource-metrics.js';
export { gitVersion } from './documents/version.js';
export { createServer } from './start/create-server.js';
export type { ApiServer, RequestFailed, ServerOptions } from './start/server-options.js';
export type { Commit } from './writes/commit.js';
export { fetchHandler } from './http/fetch-handler.js';
export type { FetchExtras, FetchHandler } from './http/fetch-handler.js';
export type { WireServer } from './http/wire.js';
export type { DefinedKind } from '../core/index.js';
export { defineKind } from '../core/index.js';
