// The contract of the issuer of service account tokens. The server validates the request and reads the objects; the
// issuer decides the lifetime, writes the claims and signs them.
import type { Frozen } from '../../core/index.js';
import type { Node, Pod, Secret, ServiceAccount } from '../../core/types/index.js';

/** The requested content of a token. */
export interface TokenSubject {
  readonly serviceAccount: Frozen<ServiceAccount>;
  readonly audiences: readonly string[];
  /** Requested lifetime in seconds; the issuer may shorten it. */
  readonly expirationSeconds: number;
  /** The object that the token is bound to; the token is invalid once it is deleted. */
  readonly boundTo?: BoundObject;
}

/** An object that a token is bound to. For a pod also its node, without a UID if the node no longer exists. */
export type BoundObject =
  | {
      readonly kind: 'Pod';
      readonly object: Frozen<Pod>;
      readonly node?: { readonly name: string; readonly uid?: string };
    }
  | { readonly kind: 'Secret'; readonly object: Frozen<Secret> }
  | { readonly kind: 'Node'; readonly object: Frozen<Node> };

/** An issued token and its metadata. */
export interface IssuedToken {
  readonly token: string;
  /** Expiration that the client is given. */
  readonly expirationSeconds: number;
  readonly expirationTimestamp: string;
  /** Identifier of the token in audit logs, `JTI=…`. */
  readonly credentialId: string;
  readonly warnings?: readonly string[];
}

/** Issues service account tokens. */
export interface TokenIssuer {
  /** Audiences of tokens that request none. */
  readonly defaultAudiences: readonly string[];
  /** Issues a token. The server has validated the request. */
  issue(subject: TokenSubject): IssuedToken | Promise<IssuedToken>;
  /** The published data with which others verify tokens; absent if nothing is published. */
  readonly discovery?: TokenDiscovery;
}

/** The data that the server publishes for OpenID Connect discovery. */
export interface TokenDiscovery {
  /** The issuer: an https URL. */
  readonly issuer: string;
  /** URL of the key set. Default: the server's own address. */
  readonly jwksUri?: string;
  /** Returns the current keys. Called for each request, because keys are rotated. */
  keys(): readonly PublicJwk[] | Promise<readonly PublicJwk[]>;
}

/** A public key as in JSON Web Key sets. */
export type PublicJwk = { readonly use: 'sig'; readonly kid: string; readonly alg: string } & (
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'EC'; readonly crv: string; readonly x: string; readonly y: string }
);
