// Creates the options of an HTTP client from the access to a cluster.
import { readFile } from 'node:fs/promises';
import { encodeBase64, systemClock } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { HttpClientOptions } from '../index.js';
import type { ClusterAccess, ClientCredentials } from './cluster-access.js';
import { nodeTransport } from './node-transport.js';

/** The options of an HTTP client, and its connections. */
export interface Connection extends HttpClientOptions {
  /** The default namespace of the user. */
  readonly namespace: string;
  /** Closes all connections. */
  close(): void;
  /** Closes all connections, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * Returns the options of an HTTP client: `httpClient(connect(await loadKubeconfig()))`. No connection is opened before
 * the first request.
 */
export function connect(access: ClusterAccess, { clock = systemClock() }: { readonly clock?: Clock } = {}): Connection {
  const { server, namespace, tls, credentials, impersonate } = access;
  const { transport, socketTransport, close } = nodeTransport(tls);
  return {
    server,
    namespace,
    transport,
    socketTransport,
    clock,
    ...(credentials !== undefined && { authorization: createAuthorization(credentials, clock) }),
    ...(impersonate !== undefined && { impersonate }),
    close,
    [Symbol.dispose]: close,
  };
}

function createAuthorization(credentials: ClientCredentials, clock: Clock): string | (() => Promise<string>) {
  if ('token' in credentials) return `Bearer ${credentials.token}`;
  if ('username' in credentials)
    return `Basic ${encodeBase64(new TextEncoder().encode(`${credentials.username}:${credentials.password}`))}`;
  return tokenOf(credentials.tokenFile, clock);
}

/** The time for which a token is cached. As client-go/transport/token_source.go. */
const tokenMs = 60_000;

/**
 * Returns a function that reads the token of a file, at most once a minute. If a later read fails, the previous token
 * is used.
 */
function tokenOf(path: string, clock: Clock): () => Promise<string> {
  let known: { readonly header: string; readonly readAt: number } | undefined;
  return async () => {
    if (known !== undefined && clock.now() - known.readAt < tokenMs) return known.header;
    try {
      known = { header: `Bearer ${(await readFile(path, 'utf8')).trim()}`, readAt: clock.now() };
    } catch (error) {
      if (known === undefined) throw error;
    }
    return known.header;
  };
}
