// How to reach a cluster, and as whom: what a kubeconfig or the files of a service account come down to. Plain data,
// with everything in it but tokens that are read from a file anew as they are renewed.
import type { Frozen } from '../../core/index.js';
import type { UserInfo } from '../../core/types/index.js';

/** A way to a cluster. */
export interface ClusterAccess {
  readonly server: string;
  /** Where its owner works; `default` unless said otherwise. For callers: no client guesses namespaces. */
  readonly namespace: string;
  readonly tls: ClientTls;
  readonly credentials?: ClientCredentials;
  readonly impersonate?: Frozen<UserInfo>;
}

/** Whom a client trusts, and with what it proves itself. All in PEM. */
export interface ClientTls {
  /** Whose servers are trusted; without them those whom Node trusts. */
  readonly authorities?: string;
  /** The client's own. */
  readonly certificate?: { readonly key: string; readonly certificate: string };
  /** The name that the server's certificate must have, where it is not that of the address. */
  readonly serverName?: string;
  /** Trusts everybody, and so nobody. */
  readonly insecure?: boolean;
}

/** What a client says to be believed. */
export type ClientCredentials =
  | { readonly token: string }
  /** A file whose token is renewed by others. */
  | { readonly tokenFile: string }
  | { readonly username: string; readonly password: string };
