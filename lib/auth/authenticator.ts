// Who is asking: the contract of authentication. An authenticator looks at the credentials of a request and answers
// with a user, with nothing when they are not its kind, or fails when they are but are wrong. The server asks them in
// order; the first answer counts.
import type { ObservableInput } from 'rxjs';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** Credentials as a request brings them. */
export interface Credentials {
  /** A header's value, by name in any case. */
  header(name: string): string | undefined;
  /** The client's certificate, where TLS asked for one and it was given; whether to trust it is the authenticator's to say. */
  readonly certificate?: ClientCertificate;
}

/** A certificate that a client presented. */
export interface ClientCertificate {
  /** DER. */
  readonly raw: Uint8Array;
  /** Whether the chain was verified against the authority that the server trusts for clients. */
  readonly verified: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** A user, and how far the proof goes. */
export interface Authenticated {
  readonly user: Frozen<UserInfo>;
  /** What the credentials were made for. */
  readonly audiences?: readonly string[];
}

/** Answers who is asking, or undefined. */
export type Authenticator = (credentials: Credentials) => ObservableInput<Authenticated | undefined>;

/** The user that requests run as until a host plugs authentication in. */
export const administrator: Frozen<UserInfo> = Object.freeze({ username: 'system:admin', groups: Object.freeze(['system:masters', 'system:authenticated']) });

/** Requests without credentials are nobody's; those with credentials that nobody knew are refused. */
export const anonymous: Authenticator = (credentials) => (credentials.header('Authorization') === undefined ? nobody : []);

const nobody: readonly Authenticated[] = Object.freeze([
  Object.freeze({ user: Object.freeze({ username: 'system:anonymous', groups: Object.freeze(['system:unauthenticated']) }) }),
]);
