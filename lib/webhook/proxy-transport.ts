// The transport of an aggregated API: sends the requests of users on to another API server. `vivarium/webhook/node`
// implements it with Node; a simulated network can provide its own.
import type { ServiceEndpoint } from './webhook-transport.js';

/**
 * Sends one request. Rejects with WebhookError if no response begins. Does not follow redirects. The transport presents
 * the client certificate that backends know the front proxy by.
 */
export type ProxyTransport = (request: ProxyRequest) => Promise<ProxyResponse>;

/** Names and values of headers, one pair for each header. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A request to a backend. */
export interface ProxyRequest {
  readonly method: string;
  /** The host name that the certificate is verified against, and the port of the service: the Host header. */
  readonly host: string;
  /** Path and query, sent unchanged: a URL parser would resolve dot segments, which were authorized as they are. */
  readonly path: string;
  readonly headers: HeaderPairs;
  readonly body?: Uint8Array;
  /** The address to connect to. */
  readonly endpoint: ServiceEndpoint;
  /** Authorities that may have signed the certificate, in PEM. Default: those of the platform. */
  readonly authorities?: string;
  /** Skips TLS verification (insecure). */
  readonly insecure?: boolean;
  /** Aborts the exchange, also while the body is read. */
  readonly signal: AbortSignal;
}

/** The status line and headers of a response. */
export interface ProxyResponse {
  readonly status: number;
  readonly headers: HeaderPairs;
  /** The body. Returning early from the iteration closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}
