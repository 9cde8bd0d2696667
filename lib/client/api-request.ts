// A request to an API server as a value, and its answer: what a client in the same process and the wire have in common.
// In process both carry objects and nothing is encoded; on the wire options, body and form are read from query, bytes
// and headers when the server asks for them, in the order a real server does, and may then be refused with an ApiError.
import type { Observable } from 'rxjs';
import type { ApiObject, Frozen, Negotiated, Offer, RawEvent } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { StreamResponse } from './stream-response.js';

/** What a request is about. Absent parts are empty texts. */
export interface RequestInfo {
  /**
   * A verb of the API (`get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`), or the
   * method in lower case for other paths.
   */
  readonly verb: string;
  /** Whether it is about a resource, or about a path such as `/version`. */
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What follows the subresource: the path of a proxy request. */
  readonly rest?: string;
  /**
   * Of list, watch and deletecollection from the wire: the selectors as sent, where there are any. In process they are
   * options.
   */
  readonly selectorTexts?: SelectorTexts;
}

/** Selectors as text. */
export type SelectorTexts = Pick<RequestOptions, 'fieldSelector' | 'labelSelector'>;

/** All options that requests can have. Which apply depends on the verb; the server refuses what contradicts itself. */
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
  /** Of deletions: the uid that the object must have. */
  readonly uid?: string;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** Of tables: `None`, `Metadata` or `Object`. */
  readonly includeObject?: string;
  /** Of subresources such as log and exec, by name, each value as sent. */
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
}

/** A body: an object of this process, or bytes that say of what type they are. */
export type RequestBody =
  | { readonly object: unknown; readonly patchType?: string }
  | {
      readonly bytes: Uint8Array;
      /** The Content-Type header as sent; empty without one. */ readonly contentType: string;
    };

/** Why a request was made: what its sender reacts to. Recorded with what it commits. */
export interface RequestCause {
  /** What happened, in the words of the sender, such as `Deployment default/web changed`. */
  readonly reason: string;
  /** The resourceVersion of the object that the sender reacts to. */
  readonly resourceVersion?: string | undefined;
}

/** A request. */
export interface ApiRequest {
  readonly info: RequestInfo;
  /** Who asks, where the caller answers for it. A request from the wire has none until it was authenticated. */
  readonly user?: Frozen<UserInfo>;
  /** Ends the request; a watch is ended by unsubscribing. */
  readonly signal?: AbortSignal;
  /** Why it is made, where the sender says so. Only requests of this process say it. */
  readonly cause?: RequestCause;
  /** A header's value, by name in any case. */
  header(name: string): string | undefined;
  /** Throws ApiError 400 where the query makes no sense. */
  options(): RequestOptions;
  /**
   * Rejects with ApiError 413 where the body is too large, 400 where it breaks off. Undefined where there is none. At
   * once where it is at hand.
   */
  body(): RequestBody | undefined | Promise<RequestBody | undefined>;
  /** The form the answer shall have, of those offered; throws ApiError 406. */
  negotiate(offer: Offer): Negotiated;

  // What follows have only requests from the wire.

  /** What the request is known by in the audit log, and in the Audit-Id header of its answer. */
  readonly auditId?: string;
  /** Path and query as sent. */
  readonly uri?: string;
  /** Where the connection comes from. */
  readonly remoteAddress?: string | undefined;
  /** The headers whose names begin so; names in lower case, one pair for each that was sent. */
  headersWith?(prefix: string): readonly (readonly [name: string, value: string])[];
  /**
   * Takes what the answer shall say besides what it is, also if it is a refusal. Without it, warnings come with the
   * answer.
   */
  tell?(notes: AnswerNotes): void;
}

/** What the steps on the way add to an answer. */
export interface AnswerNotes {
  /** Texts of Warning headers. */
  readonly warnings?: readonly string[];
  /** Names and values in turn, none of which the answer has itself. */
  readonly headers?: readonly string[];
}

/** What every answer may have besides its content. */
export interface ResponseExtras {
  /** Texts of Warning headers. */
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** An object, a list, or a Status. Frozen; in process nobody encodes it. */
export interface ObjectResponse extends ResponseExtras {
  readonly type: 'object';
  readonly code: number;
  readonly object: Frozen<ApiObject>;
  /** The form that was negotiated. */
  readonly form: Negotiated;
}

/** The event that carries no object. */
export type BookmarkEvent = Extract<RawEvent<Frozen<ApiObject>>, { readonly type: 'BOOKMARK' }>;

/** The stream of a watch. Errors with ApiError. */
export interface WatchResponse extends ResponseExtras {
  readonly type: 'watch';
  readonly events: Observable<RawEvent<Frozen<ApiObject>>>;
  /** A bookmark as an object: an empty one of the kind that the events are of, at that resourceVersion. */
  bookmark(event: BookmarkEvent): Frozen<ApiObject>;
  readonly form: Negotiated;
}

/** Text or bytes: documents that are no objects, logs. */
export interface RawResponse extends ResponseExtras {
  readonly type: 'raw';
  readonly code: number;
  readonly contentType: string;
  readonly content: string | Uint8Array | Observable<Uint8Array>;
}

/** An answer. Refusals are ApiErrors, see `Handler`. */
export type ApiResponse = ObjectResponse | WatchResponse | RawResponse | StreamResponse;

/**
 * Answers requests, at once where nothing has to be waited for. Throws or rejects with ApiError where the answer is a
 * failure.
 */
export type Handler = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;
