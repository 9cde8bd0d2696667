// From the way to a cluster to what an HTTP client is made of.
import { readFile } from 'node:fs/promises';
import { encodeBase64, systemClock } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { HttpClientOptions } from '../index.js';
import type { ClusterAccess, ClientCredentials } from './cluster-access.js';
import { nodeTransport } from './node-transport.js';

/** What a client is made of, and the connections behind it. */
export interface Connection extends HttpClientOptions {
  /** Where the owner of the access works. */
  readonly namespace: string;
  /** Closes all connections. */
  close(): void;
  /** The same. */
  [Symbol.dispose](): void;
}

/**
 * Everything an HTTP client needs: `httpClient(connect(await loadKubeconfig()))`. No connection is made before the
 * first request.
 */
export function connect(access: ClusterAccess, { clock = systemClock() }: { readonly clock?: Clock } = {}): Connection {
  const { server, namespace, tls, credentials, impersonate } = access;
  const { transport, close } = nodeTransport(tls);
  return {
    server,
    namespace,
    transport,
    clock,
    ...(credentials !== undefined && { authorization: authorizationOf(credentials, clock) }),
    ...(impersonate !== undefined && { impersonate }),
    close,
    [Symbol.dispose]: close,
  };
}

function authorizationOf(credentials: ClientCredentials, clock: Clock): string | (() => Promise<string>) {
  if ('token' in credentials) return `Bearer ${credentials.token}`;
  if ('username' in credentials)
    return `Basic ${encodeBase64(new TextEncoder().encode(`${credentials.username}:${credentials.password}`))}`;
  return tokenOf(credentials.tokenFile, clock);
}

/** How long a token is taken for what the file says. As client-go/transport/token_source.go. */
const tokenMs = 60_000;

/** The token in a file, read again every minute; one that cannot be read just now does not end the one before. */
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
