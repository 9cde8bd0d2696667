// Requests to an API server and its responses, as values: what a client in process and the wire adapters have in
// common. In process both carry objects and nothing is encoded. On the wire, options, body and media type are parsed
// from query, bytes and headers when the server reads them, in the order of a real API server; each may then throw an
// ApiError.
import type { Observable } from 'rxjs';
import type { ApiObject, Frozen } from '../objects/meta.js';
import type { Negotiated, Offer } from '../codec/media-type.js';
import type { RawEvent } from '../streams/list-watch.js';
import type { UserInfo } from '../types/index.js';
import type { StreamResponse } from './stream-response.js';

/** The resource or path that a request addresses. Absent parts are empty strings. */
export interface RequestInfo {
  /**
   * A verb of the API (`get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`), or the
   * method in lower case for other paths.
   */
  readonly verb: string;
  /** True for a resource, false for a path such as `/version`. */
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path after the subresource, of a proxy request. */
  readonly rest?: string;
  /** Selectors of list, watch and deletecollection as sent on the wire, if any. In process they are options. */
  readonly selectorTexts?: SelectorTexts;
}

/** Unparsed selectors. */
export type SelectorTexts = Pick<RequestOptions, 'fieldSelector' | 'labelSelector'>;

/** All options that requests can have. Which apply depends on the verb; the server refuses contradictory ones. */
export interface RequestOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly timeoutSeconds?: number;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  readonly force?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  /** The uid that the object to delete must have. */
  readonly uid?: string;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** `None`, `Metadata` or `Object`: what the rows of a Table include. */
  readonly includeObject?: string;
  /** Parameters of subresources such as log and exec, by name, each value as sent. */
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
}

/** A request body: an object of this process, or encoded bytes with their media type. */
export type RequestBody =
  | { readonly object: unknown; readonly patchType?: string }
  | {
      readonly bytes: Uint8Array;
      /** The Content-Type header as sent; empty without one. */ readonly contentType: string;
    };

/** The reason for a request: the change that its sender reacts to. Recorded with the commits that it causes. */
export interface RequestCause {
  /** A description by the sender, such as `Deployment default/web changed`. */
  readonly reason: string;
  /** The resourceVersion of the object that the sender reacts to. */
  readonly resourceVersion?: string | undefined;
}

/** A request. */
export interface ApiRequest {
  readonly info: RequestInfo;
  /** The user, where the caller vouches for it. A request from the wire has none before authentication. */
  readonly user?: Frozen<UserInfo>;
  /** Aborts the request. A watch is ended by unsubscribing. */
  readonly signal?: AbortSignal;
  /** The cause, if the sender names one. Requests from the wire have none. */
  readonly cause?: RequestCause;
  /** Returns the value of a header. Names are case-insensitive. */
  header(name: string): string | undefined;
  /** Returns the options. Throws ApiError 400 if the query is invalid. */
  options(): RequestOptions;
  /**
   * Returns the body, synchronously if it is available; undefined if there is none. Rejects with ApiError 413 if it is
   * too large, 400 if it ends early.
   */
  body(): RequestBody | undefined | Promise<RequestBody | undefined>;
  /** Returns the media type of the response, one of those offered. Throws ApiError 406. */
  negotiate(offer: Offer): Negotiated;

  // The members below exist only on requests from the wire.

  /** The identifier in the audit log and in the Audit-Id header of the response. */
  readonly auditId?: string;
  /** Path and query as sent. */
  readonly uri?: string;
  /** The address of the client. */
  readonly remoteAddress?: string | undefined;
  /** Returns the headers whose names have a prefix: lower-case names, one pair per header sent. */
  headersWith?(prefix: string): readonly (readonly [name: string, value: string])[];
  /**
   * Adds warnings and headers to the response, also if it is an error. Requests without this method receive warnings
   * with the response.
   */
  addNotes?(notes: ResponseNotes): void;
}

/** Warnings and headers that steps of the pipeline add to a response. */
export interface ResponseNotes {
  /** Texts of Warning headers. */
  readonly warnings?: readonly string[];
  /** Alternating names and values. None of them is a header of the response itself. */
  readonly headers?: readonly string[];
}

/** Warnings and headers of a response. */
export interface ResponseExtras {
  /** Texts of Warning headers. */
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An object, a list or a Status. Frozen, and not encoded in process. */
export interface ObjectResponse extends ResponseExtras {
  readonly type: 'object';
  readonly code: number;
  readonly object: Frozen<ApiObject>;
  /** The negotiated media type and version. */
  readonly form: Negotiated;
}

/** A watch event without an object. */
export type BookmarkEvent = Extract<RawEvent<Frozen<ApiObject>>, { readonly type: 'BOOKMARK' }>;

/** A watch. `events` errors with ApiError. */
export interface WatchResponse extends ResponseExtras {
  readonly type: 'watch';
  readonly events: Observable<RawEvent<Frozen<ApiObject>>>;
  /** Returns a bookmark as an object: an empty one of the watched kind, at that resourceVersion. */
  bookmark(event: BookmarkEvent): Frozen<ApiObject>;
  readonly form: Negotiated;
}

/** Text or bytes: documents that are not API objects, and logs. */
export interface RawResponse extends ResponseExtras {
  readonly type: 'raw';
  readonly code: number;
  readonly contentType: string;
  readonly content: string | Uint8Array | Observable<Uint8Array>;
}

/** A response. Errors are thrown as ApiError, see `Handler`. */
export type ApiResponse = ObjectResponse | WatchResponse | RawResponse | StreamResponse;

/** Handles requests; returns synchronously where nothing is awaited. Throws or rejects with ApiError. */
export type Handler = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;
