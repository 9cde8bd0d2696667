// Who makes the tokens of ServiceAccounts: the contract between the server, which checks what is asked for and finds
// the objects, and the issuer, which decides how long a token lives, writes its claims and signs them.
import type { Frozen } from '../../core/index.js';
import type { Node, Pod, Secret, ServiceAccount } from '../../core/types/index.js';

/** What a token shall say. */
export interface TokenSubject {
  readonly serviceAccount: Frozen<ServiceAccount>;
  readonly audiences: readonly string[];
  /** What was asked for; the issuer may grant less. */
  readonly expirationSeconds: number;
  /** The object with which the token ends. */
  readonly boundTo?: BoundObject;
}

/** An object that a token is bound to. Of a pod also its node, without a uid where that has gone. */
export type BoundObject =
  | {
      readonly kind: 'Pod';
      readonly object: Frozen<Pod>;
      readonly node?: { readonly name: string; readonly uid?: string };
    }
  | { readonly kind: 'Secret'; readonly object: Frozen<Secret> }
  | { readonly kind: 'Node'; readonly object: Frozen<Node> };

/** A token, and what whoever asked for it is told. */
export interface IssuedToken {
  readonly token: string;
  /** How long it is good for, as far as the client should know. */
  readonly expirationSeconds: number;
  readonly expirationTimestamp: string;
  /** By which the token is found in audit logs, `JTI=…`. */
  readonly credentialId: string;
  readonly warnings?: readonly string[];
}

/** Makes tokens. */
export interface TokenIssuer {
  /** For whom tokens are that name nobody. */
  readonly defaultAudiences: readonly string[];
  /** Makes one. The server has checked all that can be checked without a key. */
  issue(subject: TokenSubject): IssuedToken | Promise<IssuedToken>;
  /** What strangers need to verify tokens. Without it they cannot. */
  readonly discovery?: TokenDiscovery;
}

/** What the server publishes about an issuer, for OpenID Connect discovery. */
export interface TokenDiscovery {
  /** An https URL. */
  readonly issuer: string;
  /** Where the keys are published; the server's own address unless said otherwise. */
  readonly jwksUri?: string;
  /** The keys in use. Asked each time, for keys are rotated. */
  keys(): readonly PublicJwk[] | Promise<readonly PublicJwk[]>;
}

/** A public key as JSON Web Key sets publish it. */
export type PublicJwk = { readonly use: 'sig'; readonly kid: string; readonly alg: string } & (
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'EC'; readonly crv: string; readonly x: string; readonly y: string }
);
