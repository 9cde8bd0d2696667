// The ports behind a call: who carries bytes, and who knows where a service is. `vivarium/webhook/node` has the
// transport of Node; a simulated network brings its own.
import type { ObservableInput } from 'rxjs';

/**
 * Carries one request. Rejects where no answer begins; a WebhookError says why best, anything else counts as
 * `unreachable`. Follows no redirects. Adds whatever credentials it was made with, so it is made for one webhook, or
 * for many without any.
 */
export type WebhookTransport = (request: WebhookRequest) => Promise<WebhookResponse>;

/** A POST. */
export interface WebhookRequest {
  /** Always https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Where to connect, if not to the host of the URL. The certificate is still held against the name. */
  readonly endpoint?: ServiceEndpoint;
  /** In PEM: who may have signed the webhook's certificate, besides those the transport was made with. */
  readonly authorities?: string;
  /** Ends the exchange, also while the body is read. */
  readonly signal: AbortSignal;
}

/** The beginning of an answer. */
export interface WebhookResponse {
  readonly status: number;
  /** A header's value; null where there is none. */
  header(name: string): string | null;
  /** The rest. To stop reading early is to give up the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A service as configurations of webhooks name it. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** Default 443. */
  readonly port?: number;
}

/** A host and a port. */
export interface ServiceEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Answers where a service can be reached now. Asked before every call: endpoints come and go. */
export type ServiceResolver = (
  service: ServiceReference & { readonly port: number },
) => ObservableInput<ServiceEndpoint>;

/** Whom to call: an address, or a service of the cluster. */
export type WebhookTarget = { readonly url: string } | { readonly service: ServiceReference };
