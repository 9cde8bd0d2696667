// The port to issuers, through which discovery documents, key sets and distributed claims are fetched.
// https-documents.ts implements it; a simulation can respond from memory.

/** Fetches a document. Fails if there is no response; an error status is a response. */
export type FetchDocument = (request: DocumentRequest) => Promise<FetchedDocument>;

/** A request for a document. */
export interface DocumentRequest {
  /** URL of the document; its scheme is https. */
  readonly url: string;
  /** Bearer token to send. */
  readonly bearer?: string | undefined;
  /** Authorities of the server's certificate, in PEM. Default: those of the system. */
  readonly certificateAuthority?: string | undefined;
  /** The egress type of the configuration. */
  readonly egress?: EgressType | undefined;
  /** Aborts the request when no caller awaits it any more. */
  readonly signal: AbortSignal;
}

/** Egress types that a configuration may name. */
export type EgressType = 'controlplane' | 'cluster';

/** A response of any status. */
export interface FetchedDocument {
  readonly status: number;
  readonly body: string;
}
