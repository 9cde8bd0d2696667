// The WebSocket port of the client: exec, attach and port-forward need one connection in both directions, which a
// request and its response are not. `nodeTransport` of ./node implements it on node:http.
import type { Observable } from 'rxjs';
import type { TransportRequest, TransportResponse } from './transport.js';

/** Opens a WebSocket. Rejects if there is no response, with the signal's reason if it was aborted. */
export type SocketTransport = (url: string, request: SocketRequest) => Promise<SocketAnswer>;

/** The handshake of a WebSocket. */
export interface SocketRequest extends Pick<TransportRequest, 'headers' | 'signal'> {
  /** The subprotocols that the client offers, preferred ones first. */
  readonly protocols: readonly string[];
}

/** An open WebSocket, or the response of a server that did not open one. */
export type SocketAnswer =
  | { readonly socket: ClientSocket; readonly response?: undefined }
  | { readonly socket?: undefined; readonly response: TransportResponse };

/** An open WebSocket. */
export interface ClientSocket {
  /** The subprotocol that the server chose; empty without one. */
  readonly protocol: string;
  /**
   * Emits the messages of the server. Reading begins with the subscription; there is at most one. Completes when the
   * server closes the connection, errors when it breaks off. Unsubscribing closes it.
   */
  readonly messages$: Observable<Uint8Array>;
  /** Emits when a full connection has room again. */
  readonly drained$: Observable<void>;
  /** Sends a binary message; false where the connection is full, until `drained$` emits. */
  send(message: Uint8Array): boolean;
  /** Stops reading until `resume`. */
  pause(): void;
  /** Reads again. */
  resume(): void;
  /** Closes the connection after what was sent. Idempotent. */
  close(): void;
}
