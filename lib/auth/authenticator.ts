// Who is asking: the contract of authentication. An authenticator looks at the credentials of a request and answers
// with a user, with undefined when they are not its kind ("not mine"), or fails when they are but are wrong. The server
// asks several in order; the first user counts, and who failed is remembered: wrong credentials end in 401 unless a
// later authenticator takes them, and are never taken for no credentials.
// As apiserver/pkg/authentication/authenticator/interfaces.go.
import type { ObservableInput } from 'rxjs';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** Credentials as a request brings them. */
export interface Credentials {
  /** A header's value, by name in any case; of several the first. */
  header(name: string): string | undefined;
  /** The headers whose names begin so; names in lower case, one pair for each that was sent. */
  headersWith?(prefix: string): readonly (readonly [name: string, value: string])[];
  /** The path asked for, without its query. */
  readonly path?: string;
  /**
   * The client's certificate, where TLS asked for one and it was given; whether to trust it is the authenticator's to
   * say.
   */
  readonly certificate?: ClientCertificate | undefined;
  /** For whom the credentials should be: who asks for none of these is nobody here. Absent where nobody said. */
  readonly audiences?: readonly string[] | undefined;
  /** Tells the client something, whoever takes the credentials. What goes with a user is told by the answer instead. */
  warn?(text: string): void;
}

/** A certificate that a client presented, and whose key it proved to have. Nobody verified who signed it. */
export interface ClientCertificate {
  /** DER. */
  readonly raw: Uint8Array;
  /** What the client sent with it to lead to an authority, DER, in no order that could be relied on. */
  readonly intermediates: readonly Uint8Array[];
}

/** A user, and how far the proof goes. */
export interface Authenticated {
  readonly user: Frozen<UserInfo>;
  /** Of the audiences asked for, those that the credentials were made for. Absent for credentials that know none. */
  readonly audiences?: readonly string[];
  /** What the client should be told. */
  readonly warnings?: readonly string[];
  /** Notes for the audit event. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Answers who is asking, or undefined. */
export type Authenticator = (credentials: Credentials) => ObservableInput<Authenticated | undefined>;

/** The same for a bearer token alone: what the tokens of a host are plugged in as. */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[] | undefined,
) => ObservableInput<Authenticated | undefined>;
