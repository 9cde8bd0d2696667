// The port between what a client means and how it gets there: in this process or over HTTP. Everything above it (typed
// views, checks of names, discovery) exists once.
import type { Observable } from 'rxjs';
import type { ApiObject, Frozen, RawEvent } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { RequestBody, RequestCause, RequestInfo, RequestOptions } from './api-request.js';
import type { StreamResponse } from './stream-response.js';

/** One request of a client. */
export interface Call {
  readonly info: RequestInfo;
  readonly options?: RequestOptions | undefined;
  /** An object, never bytes. */
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Why it is made. Only requests of this process carry it. */
  readonly cause?: RequestCause | undefined;
}

/** Carries requests to a server, and its answers back. */
export interface Carrier {
  /** Answers with an object, a list or a Status of success; frozen. Rejects with ApiError. */
  send(call: Call): Promise<Frozen<ApiObject>>;
  /** The events of a watch. Cold. Errors with ApiError. */
  watch(call: Call): Observable<RawEvent<Frozen<ApiObject>>>;
  /** The bytes of an answer that is no object: a log. Cold. Errors with ApiError. */
  bytes(call: Call): Observable<Uint8Array>;
  /** The stream of an exec, attach or port-forward. Rejects with ApiError. */
  stream(call: Call): Promise<StreamResponse>;
  /** The document at a path that is no resource, parsed where it is JSON and as text where it is not. */
  read(path: string, options: ReadOptions): Promise<unknown>;
  /** The same way, as somebody else. */
  as(user: Frozen<UserInfo>): Carrier;
}

/** How to read a document. */
export interface ReadOptions {
  /** Asks for discovery in one document, where the server has that. */
  readonly aggregated?: boolean;
  readonly signal?: AbortSignal | undefined;
}
