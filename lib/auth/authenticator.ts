// The contract of authentication. An authenticator examines the credentials of a request and returns a user, returns
// undefined if they are of another kind, or fails if they are of its kind but invalid. The server calls authenticators
// in order and uses the first user. If there is none and one failed, the response is 401: invalid credentials never
// count as absent. As apiserver/pkg/authentication/authenticator/interfaces.go.
import type { ObservableInput } from 'rxjs';
import type { Frozen } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';

/** The credentials of a request. */
export interface Credentials {
  /** Returns the first value of a header; names are case-insensitive. */
  header(name: string): string | undefined;
  /** Returns the headers with this prefix, names in lower case, one pair per sent value. */
  headersWith?(prefix: string): readonly (readonly [name: string, value: string])[];
  /** The request path without its query. */
  readonly path?: string;
  /** The certificate that the client presented in TLS. It is not verified; that is up to the authenticator. */
  readonly certificate?: ClientCertificate | undefined;
  /** Accepted audiences; credentials issued for other audiences are not authenticated. Absent: any. */
  readonly audiences?: readonly string[] | undefined;
  /** Adds a warning to the response, also if another authenticator accepts the credentials. */
  warn?(text: string): void;
}

/** A certificate that a client presented in TLS, which proves possession of its key. Its issuer is not verified. */
export interface ClientCertificate {
  /** The certificate in DER. */
  readonly raw: Uint8Array;
  /** Further certificates that the client sent, in DER, in any order. */
  readonly intermediates: readonly Uint8Array[];
}

/** An authenticated user. */
export interface Authenticated {
  readonly user: Frozen<UserInfo>;
  /** The requested audiences that the credentials are issued for. Absent for credentials without audiences. */
  readonly audiences?: readonly string[];
  /** Warnings for the response. */
  readonly warnings?: readonly string[];
  /** Annotations of the audit event. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Authenticates a request: emits a user, or undefined if the credentials are of another kind. Fails if they are
 * invalid.
 */
export type Authenticator = (credentials: Credentials) => ObservableInput<Authenticated | undefined>;

/** Authenticates a bearer token: emits a user or undefined, or fails, as an `Authenticator`. */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[] | undefined,
) => ObservableInput<Authenticated | undefined>;
