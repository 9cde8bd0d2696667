// The port to issuers: discovery documents, key sets and distributed claims are fetched through it. https-documents.ts
// is the one for real issuers; a simulation answers from memory.

/** Fetches a document. Fails where no answer can be had, not because of an answer's status. */
export type FetchDocument = (request: DocumentRequest) => Promise<FetchedDocument>;

/** What is asked for. */
export interface DocumentRequest {
  /** Always https. */
  readonly url: string;
  /** A token to send along. */
  readonly bearer?: string | undefined;
  /** PEM of those who vouch for the server; the machine's unless given. */
  readonly certificateAuthority?: string | undefined;
  /** The way out of the cluster's network that the configuration asks for. */
  readonly egress?: EgressType | undefined;
  /** Ends the request when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** The ways out of a cluster's network that a configuration may name. */
export type EgressType = 'controlplane' | 'cluster';

/** An answer of any status. */
export interface FetchedDocument {
  readonly status: number;
  readonly body: string;
}
