// The kinds of routes. A route is created once per group, version, resource and subresource (route-table.ts) and serves
// every request for them.
import type { KindTable, ApiResponse } from '../../core/index.js';
import type { Answer, Serve, Exchange } from '../pipeline.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';

/** A subresource with its own behaviour, such as scale or eviction. Others read and write a part of the object. */
export interface SpecialResource {
  /** How its responses are printed, where that differs from the parent. */
  readonly table?: KindTable;
  /** Responds to the verbs that the scheme lists. The endpoint is the parent's. */
  answer(exchange: Exchange, endpoint: ResourceEndpoint): Answer;
}

/** A resource without storage, such as a SubjectAccessReview. */
export type VirtualResource = (exchange: Exchange) => Promise<ApiResponse>;

/** A route of the table. */
export type Route = StoredRoute | VirtualRoute | DelegatedRoute;

/** Objects that this server stores, or a subresource of them. */
export interface StoredRoute extends ServedRoute {
  readonly type: 'stored';
  readonly endpoint: ResourceEndpoint;
  readonly special: SpecialResource | undefined;
}

/** A resource without storage. */
export interface VirtualRoute extends ServedRoute {
  readonly type: 'virtual';
  readonly virtual: VirtualResource;
}

/** A group-version that another server serves: an aggregated API. Its handler does all checks. */
export interface DelegatedRoute {
  readonly type: 'delegated';
  readonly serve: Serve;
}

/** What is checked before a request takes a route (route-checks.ts). */
export interface ServedRoute {
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  /** Whether the resource is custom: paths that do not fit it do not exist, instead of being refused with a Status. */
  readonly isCustom: boolean;
  /** The text of the Warning header; undefined for kinds that are not deprecated. */
  readonly deprecation: string | undefined;
}
