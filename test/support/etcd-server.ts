// A real etcd for tests: one member or several on loopback, free ports, data in directories that go with them. Each can
// be killed and started again on the same data and ports. Where etcd is not installed, `etcdBinary` is undefined and
// tests say so and skip; ETCD names another binary than Debian's.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where etcd is, if it is. */
export const etcdBinary: string | undefined = [process.env.ETCD, '/usr/bin/etcd', '/usr/local/bin/etcd'].find(
  (path) => path !== undefined && existsSync(path),
);

/** What to say when it is not. */
export const etcdMissing = 'etcd is not installed (apt-get install etcd-server): the etcd store is not tested';

/** How to start it. */
export interface EtcdServerOptions {
  /** Further flags. */
  readonly flags?: readonly string[];
  /** Serves TLS with these. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
}

/** A running etcd. */
export interface EtcdServer {
  /** The URL for clients. */
  readonly endpoint: string;
  /** Where its data is. */
  readonly directory: string;
  /** Ends it as a power cut would; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again, and waits until it serves. */
  start(): Promise<void>;
  /** Stops the process where it stands, and lets it go on: it neither answers nor closes anything. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

/** Starts an etcd of one member and waits until it serves. */
export async function startEtcd(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(1, options);
  if (server === undefined) throw new Error('a cluster of one has one');
  return server;
}

/** Starts the members of one cluster and waits until they serve. */
export async function startEtcdCluster(size: number, options: EtcdServerOptions = {}): Promise<EtcdServer[]> {
  const ports = await freePorts(2 * size);
  const scheme = options.tls === undefined ? 'http' : 'https';
  const members = Array.from({ length: size }, (_, n): Member => ({
    name: `m${n}`,
    endpoint: `${scheme}://127.0.0.1:${ports[2 * n]}`,
    peer: `http://127.0.0.1:${ports[2 * n + 1]}`,
    directory: mkdtempSync(join(tmpdir(), 'vivarium-etcd-')),
  }));
  const servers = members.map((member) =>
    memberServer(member, [...flagsOf(member, members), ...tlsFlags(options), ...(options.flags ?? [])]),
  );
  try {
    await Promise.all(servers.map((server) => server.start()));
  } catch (error) {
    await Promise.all(servers.map((server) => server.dispose()));
    throw error;
  }
  return servers;
}

interface Member {
  readonly name: string;
  readonly endpoint: string;
  readonly peer: string;
  readonly directory: string;
}

function flagsOf({ name, endpoint, peer, directory }: Member, members: readonly Member[]): string[] {
  return [
    `--name=${name}`,
    `--data-dir=${directory}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${members.map((member) => `${member.name}=${member.peer}`).join()}`,
    '--logger=zap',
    '--log-outputs=stderr',
  ];
}

function tlsFlags({ tls }: EtcdServerOptions): string[] {
  return tls === undefined
    ? []
    : [`--cert-file=${tls.cert}`, `--key-file=${tls.key}`, `--trusted-ca-file=${tls.ca}`, '--client-cert-auth'];
}

function memberServer({ endpoint, directory }: Member, flags: readonly string[]): EtcdServer {
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    const dying = child;
    child = undefined;
    if (dying?.exitCode !== null || dying.signalCode !== null) return;
    const gone = once(dying, 'exit');
    dying.kill('SIGKILL');
    await gone;
  };
  return {
    endpoint,
    directory,
    kill,
    start: async () => {
      child = spawn(etcdBinary ?? 'etcd', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
      await serving(child);
    },
    freeze() {
      child?.kill('SIGSTOP');
      // Threads that run when the signal is sent may respond until they are stopped.
      while (child?.pid !== undefined && !isStopped(child.pid));
    },
    thaw: () => child?.kill('SIGCONT'),
    dispose: async () => {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when etcd says that it serves; rejects with what it said when it ended instead. */
function serving(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      if (said === 'serving') return;
      said += chunk.toString();
      if (!said.includes('serving client traffic')) return;
      said = 'serving'; // what comes after is read and dropped, so that the pipe never fills
      resolve();
    });
    child.once('exit', () => reject(new Error(`etcd ended: ${said.slice(-2000)}`)));
    child.once('error', reject);
  });
}

/** Ports that are free at the moment. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Returns whether all threads of a process are stopped; true where the system has no /proc. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((task) => {
    try {
      return /\) [Tt] /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
    } catch {
      return true; // the thread has ended
    }
  });
}
