// The API server: the registry behind a pipeline, and the wire in Web-standard form. What needs Node stands in ./node.
export type { AuditEvent, AuditObjectReference, AuditResponseStatus } from './audit/audit-event.js';
export type { AuditLevel, AuditPolicy, AuditResources, AuditRule, AuditStage } from './audit/audit-policy.js';
export type { AuthenticationInfo, RequestHeaderInfo } from './bootstrap/authentication-info.js';
export { authenticationConfigMap } from './bootstrap/authentication-info.js';

export type { DefinedKind, Kinds, MutableKinds, PrinterColumn, SchemeChange } from '../core/index.js';
export { createKinds, defineKind } from '../core/index.js';
export { createServer } from './create-server.js';
export type { Commit } from './writes/commit.js';
export type { ApiServer, ServerActivity, ServerOptions } from './server-options.js';
export type { FetchExtras, FetchHandler } from './http/fetch-handler.js';
export { fetchHandler } from './http/fetch-handler.js';
export type { WireLimits, WireOptions, WireServer } from './http/wire.js';
export type { NodeConnectors } from './subresources/node-connectors.js';
