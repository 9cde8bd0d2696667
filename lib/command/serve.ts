// `vivarium serve`: a server, a port, a kubeconfig, until it is told to stop. Everything it touches outside of itself comes
// in through `Surroundings`, so that tests run it without a process of its own.
import { bearerTokens, orAnonymous, parseTokenFile, tokenFile, withAuthenticatedGroup, unionAuthenticator } from '../auth/index.js';
import type { Authenticator, CredentialsEntry } from '../auth/index.js';
import { clientCertificates } from '../auth/node/index.js';
import type { Handler } from '../client/index.js';
import { serviceUnavailable, systemClock } from '../core/index.js';
import { createServer } from '../server/index.js';
import { apiServerHosts, createAuthority, kubeconfig, listen } from '../server/node/index.js';
import type { CertificateAuthority, KubeconfigUser, Listening } from '../server/node/index.js';
import { memoryStore } from '../storage/index.js';
import type { Store } from '../storage/index.js';
import type { ServeFlags, StorageFlag } from './flags.js';

/** What a command needs of the world. */
export interface Surroundings {
  /** One line for people. */
  readonly print: (line: string) => void;
  readonly readFile: (path: string) => Promise<string>;
  /** Writes a file that only its owner reads. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly removeFile: (path: string) => Promise<void>;
  /** A place for a file that nobody gave a name. */
  readonly temporaryFile: (name: string) => string;
}

/** A server that the command started. */
export interface Serving {
  readonly url: string;
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/** Starts what the flags say. Rejects where a file, a port or a store cannot be had; nothing is left running then. */
export async function serve(flags: ServeFlags, surroundings: Surroundings): Promise<Serving> {
  const tokens = flags.tokenAuthFile === undefined ? undefined : await surroundings.readFile(flags.tokenAuthFile);
  const entries = tokens === undefined ? undefined : parseTokenFile(tokens);
  const ending: (() => Promise<void>)[] = [];
  // In this order: the ready file, the port, the server, the store.
  const close = async (): Promise<void> => {
    for (const step of ending.splice(0)) await step();
  };
  try {
    const store = await openStore(flags.storage);
    ending.unshift(() => store.close());
    const authority = flags.http ? undefined : createAuthority({ now: systemClock().now() });
    const authenticators = authenticatorsOf(tokens, authority);
    // The port before the server, which tells its address; nobody knows either before the kubeconfig is there.
    const door: { handler: Handler } = { handler: () => Promise.reject(serviceUnavailable('the server is starting')) };
    const listening = await listenOn((request) => door.handler(request), flags, authority);
    ending.unshift(() => listening.close());
    const server = createServer({ store, authenticators, serverAddress: `${listening.host}:${listening.port}` });
    door.handler = server.handler;
    ending.splice(1, 0, () => server.close());
    const kubeconfigPath = flags.kubeconfigOut ?? surroundings.temporaryFile(`vivarium-${listening.port}.kubeconfig`);
    await surroundings.writeFile(kubeconfigPath, configOf(listening, authority, entries));
    if (flags.readyFile !== undefined) {
      const { readyFile } = flags;
      await surroundings.writeFile(readyFile, `${listening.url}\n`);
      ending.unshift(() => surroundings.removeFile(readyFile));
    }
    surroundings.print(`vivarium serves Kubernetes v1.36 on ${listening.url}`);
    surroundings.print(`kubeconfig: ${kubeconfigPath}`);
    surroundings.print(`try: kubectl --kubeconfig ${kubeconfigPath} get namespaces`);
    return { url: listening.url, kubeconfigPath, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Without tokens everybody is an administrator. */
function authenticatorsOf(tokens: string | undefined, authority: CertificateAuthority | undefined): readonly Authenticator[] {
  if (tokens === undefined) return [];
  const byCertificate = authority === undefined ? [] : [clientCertificates({ authorities: authority.certificate, clock: systemClock() })];
  return [orAnonymous([withAuthenticatedGroup(unionAuthenticator([...byCertificate, bearerTokens([tokenFile(tokens)])]))])];
}

/** Backends that need more than the engine are loaded when they are asked for. */
async function openStore(storage: StorageFlag): Promise<Store> {
  switch (storage.type) {
    case 'memory':
      return memoryStore();
    case 'sqlite': {
      const { sqliteStore } = await import('../storage/sqlite/index.js');
      return sqliteStore({ path: storage.path });
    }
    case 'etcd': {
      const { etcdStore } = await import('../storage/etcd/index.js');
      return etcdStore({ endpoints: storage.endpoints });
    }
  }
}

function listenOn(handler: Handler, { port }: ServeFlags, authority: CertificateAuthority | undefined): Promise<Listening> {
  if (authority === undefined) return listen(handler, { port });
  return listen(handler, { port, tls: { ...authority.serving(apiServerHosts), clientAuthorities: authority.certificate } });
}

/** An administrator by certificate, or by token where there is no TLS to present one in. */
function configOf({ url }: Listening, authority: CertificateAuthority | undefined, entries: readonly CredentialsEntry[] = []): string {
  if (authority !== undefined) {
    const user = { name: 'kubernetes-admin', certificate: authority.client('kubernetes-admin', ['system:masters']) };
    return kubeconfig({ server: url, ca: authority.certificate, user });
  }
  const entry = entries.find(({ user }) => user.groups.includes('system:masters')) ?? entries[0];
  const user: KubeconfigUser = entry === undefined ? { name: 'kubernetes-admin', token: 'any' } : { name: entry.user.username, token: entry.secret };
  return kubeconfig({ server: url, user });
}
