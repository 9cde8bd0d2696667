// The ports of a webhook call: the transport, which sends requests, and the service resolver. `vivarium/webhook/node`
// implements the transport with Node; a simulated network can provide its own.
import type { ObservableInput } from 'rxjs';

/**
 * Sends one request. Rejects if no response begins; errors other than WebhookError count as `unreachable`. Does not
 * follow redirects. A transport created with credentials sends them with every request, so use it for one webhook only.
 */
export type WebhookTransport = (request: WebhookRequest) => Promise<WebhookResponse>;

/** A POST request. */
export interface WebhookRequest {
  /** The URL; its scheme is https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * The address to connect to, if it is not the host of the URL. The certificate is still verified against the host
   * name.
   */
  readonly endpoint?: ServiceEndpoint;
  /** Authorities that may have signed the webhook's certificate, in PEM, besides those of the transport. */
  readonly authorities?: string;
  /** Aborts the exchange, also while the body is read. */
  readonly signal: AbortSignal;
}

/** The status line and headers of a response. */
export interface WebhookResponse {
  readonly status: number;
  /** Returns the value of a header; null if it is absent. */
  header(name: string): string | null;
  /** The body. Returning early from the iteration closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A reference to a service, as in webhook configurations. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** Port of the service. Default 443. */
  readonly port?: number;
}

/** A host and a port. */
export interface ServiceEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Resolves a service to an endpoint that is reachable now. Called before every request, because endpoints change. */
export type ServiceResolver = (
  service: ServiceReference & { readonly port: number },
) => ObservableInput<ServiceEndpoint>;

/** The target of a call: a URL, or a service of the cluster. */
export type WebhookTarget = { readonly url: string } | { readonly service: ServiceReference };
