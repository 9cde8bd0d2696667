// The port between the typed client and the way requests reach a server: in process or over HTTP. Everything above it
// (typed views, validation of names, discovery) exists once.
import type { Observable } from 'rxjs';
import type {
  ApiObject,
  Frozen,
  RawEvent,
  RequestBody,
  RequestCause,
  RequestInfo,
  RequestOptions,
  StreamResponse,
} from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import type { KeepAliveWhile } from './resources/watch-events.js';

/** A request that a client sends. */
export interface OutgoingRequest {
  readonly info: RequestInfo;
  readonly options?: RequestOptions | undefined;
  /** An object; never bytes. */
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The cause. HTTP does not carry it. */
  readonly cause?: RequestCause | undefined;
}

/** Sends requests to a server and returns its responses. */
export interface RequestSender {
  /** True where the server runs in this process; see ListWatch. */
  readonly isInProcess: boolean;
  /** Sends a request. Resolves with an object, a list or a Status of success, frozen. Rejects with ApiError. */
  send(call: OutgoingRequest): Promise<Frozen<ApiObject>>;
  /** Emits the events of a watch. Cold. Errors with ApiError. */
  watch(call: OutgoingRequest): Observable<RawEvent<Frozen<ApiObject>>>;
  /** Emits the bytes of a response that is not an object, such as a log. Cold. Errors with ApiError. */
  bytes(call: OutgoingRequest): Observable<Uint8Array>;
  /** Opens the stream of an exec, attach or port-forward. Rejects with ApiError. */
  stream(call: OutgoingRequest): Promise<StreamResponse>;
  /** Reads a document that is not a resource: parsed if it is JSON, otherwise as text. */
  read(path: string, options: ReadOptions): Promise<unknown>;
  /** Keeps the process alive until the promise settles, where the sender can and connections do not. */
  readonly keepAliveWhile?: KeepAliveWhile | undefined;
  /** Returns a sender that acts as another user. */
  as(user: Frozen<UserInfo>): RequestSender;
}

/** Options for reading a document. */
export interface ReadOptions {
  /** Requests aggregated discovery, where the server supports it. */
  readonly aggregated?: boolean;
  readonly signal?: AbortSignal | undefined;
}
