// `vivarium serve`: from flags to a cluster on a port, with a kubeconfig, until it is stopped. Everything it touches
// outside of itself comes in through `CommandEnvironment`, so that tests run it without a process of its own.
import { randomBytes } from 'node:crypto';
import { parseTokenFile } from '../auth/index.js';
import { createCluster } from '../cluster/index.js';
import type { ClusterOptions } from '../cluster/index.js';
import { createCredentials } from '../cluster/node/index.js';
import { systemClock, systemRandom } from '../core/index.js';
import type { Clock } from '../core/index.js';
import { createAuthority, kubeconfig } from '../server/node/index.js';
import type { CertificateAuthority, KubeconfigUser } from '../server/node/index.js';
import { memoryStore } from '../storage/index.js';
import type { Store } from '../storage/index.js';
import { accountKey } from './account-key.js';
import { authenticationOf } from './authentication.js';
import { authorizationOf } from './authorization.js';
import type { CommandEnvironment } from './environment.js';
import type { ServeFlags, StorageFlag } from './flags.js';
import { activityLines } from './format-activity.js';
import { keptAuthority } from './kept-authority.js';
import { printLines } from './print-lines.js';
import { schedulerSetup } from './scheduler.js';
import { Teardown } from './teardown.js';

/** A cluster that the command serves. */
export interface ServedCluster {
  readonly url: string;
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/** Serves as the flags say. Rejects where a file, a port or a store cannot be opened; nothing is left running then. */
export async function serve(flags: ServeFlags, environment: CommandEnvironment): Promise<ServedCluster> {
  const teardown = new Teardown();
  try {
    const clock = systemClock();
    const authority = flags.http ? undefined : await openAuthority(flags, environment, clock);
    const admin = await createAdministrator(flags, authority, environment);
    const cluster = await createCluster(
      await clusterOptions(flags, { environment, clock, authority, admin, teardown }),
    );
    teardown.add(() => cluster.close());
    const listening = await cluster.listen({ port: flags.port, tls: !flags.http });
    const kubeconfigPath = flags.kubeconfigOut ?? environment.temporaryFile(`vivarium-${listening.port}.kubeconfig`);
    await environment.writeFile(
      kubeconfigPath,
      kubeconfig({ server: listening.url, ...(authority && { ca: authority.certificate }), user: admin.user }),
    );
    if (flags.readyFile !== undefined) {
      const { readyFile } = flags;
      await environment.writeFile(readyFile, `${listening.url}\n`);
      teardown.add(() => environment.removeFile(readyFile));
    }
    environment.print(`vivarium serves Kubernetes v1.36 on ${listening.url}`);
    environment.print(`kubeconfig: ${kubeconfigPath}`);
    environment.print(`try: kubectl --kubeconfig ${kubeconfigPath} get namespaces`);
    const printing = printLines(activityLines(cluster.activity$, 'problems'), environment);
    teardown.add(() => printing.unsubscribe());
    return { url: listening.url, kubeconfigPath, close: () => teardown.close() };
  } catch (error) {
    await teardown.close();
    throw error;
  }
}

interface Setup {
  readonly environment: CommandEnvironment;
  readonly clock: Clock;
  readonly authority: CertificateAuthority | undefined;
  readonly admin: Administrator;
  /** Closes what the options refer to. */
  readonly teardown: Teardown;
}

/** The options that the flags stand for. Rejects where a file cannot be read or makes no sense. */
async function clusterOptions(flags: ServeFlags, setup: Setup): Promise<ClusterOptions> {
  const { environment, clock, authority, admin, teardown } = setup;
  const { modes, modesGiven } = flags.authorization;
  const signing = { file: flags.authentication.accounts.signingKeyFile, folder: flags.certDir };
  const authentication = await authenticationOf(flags.authentication, {
    environment,
    clock,
    authority: authority?.certificate,
    accountKey: await accountKey(signing, environment),
    ownToken: admin.tokenLine,
    anonymous: !(modesGiven && modes.includes('AlwaysAllow')),
  });
  teardown.add(() => authentication.close());
  const authorization = await authorizationOf(flags.authorization, environment, clock);
  teardown.add(() => authorization.close());
  const scheduler = flags.scheduler.enabled
    ? await schedulerSetup(flags.scheduler.config, (configured) => configured ?? isShared(flags.storage), environment)
    : undefined;
  if (scheduler !== undefined) teardown.add(scheduler.close);
  const store = await openStore(flags.storage, clock);
  teardown.add(() => store.close());
  const { authenticators, tokens, apiAudiences, info: authenticationInfo, keys, clientAuthorities } = authentication;
  return {
    clock,
    random: systemRandom(),
    store,
    server: {
      authenticators,
      authorizers: authorization.authorizers,
      bootstrapPolicy: authorization.usesRbac,
      tokens,
      apiAudiences,
      authenticationInfo,
    },
    credentials: createCredentials({ clock, authority: authority ?? null, keys, clientAuthorities }),
    scheduler: scheduler?.options ?? false,
    nodes: flags.nodes,
    parts: authentication.parts.map((part) => () => part),
  };
}

function openAuthority(
  { certDir }: ServeFlags,
  environment: CommandEnvironment,
  clock: Clock,
): CertificateAuthority | Promise<CertificateAuthority> {
  const now = clock.now();
  return certDir === undefined ? createAuthority({ now }) : keptAuthority(certDir, environment, now);
}

/** The user of the kubeconfig. */
interface Administrator {
  readonly user: KubeconfigUser;
  /** A line for the token file, where the administrator has a token that is valid for this start only. */
  readonly tokenLine?: string;
}

/** Has a certificate; without TLS, a token of the token file or a new one. */
async function createAdministrator(
  { authentication }: ServeFlags,
  authority: CertificateAuthority | undefined,
  { readFile }: CommandEnvironment,
): Promise<Administrator> {
  const name = 'kubernetes-admin';
  if (authority !== undefined) return { user: { name, certificate: authority.client(name, ['system:masters']) } };
  const entries =
    authentication.tokenFile === undefined ? [] : parseTokenFile(await readFile(authentication.tokenFile));
  const known = entries.find(({ user }) => user.groups.includes('system:masters'));
  if (known !== undefined) return { user: { name: known.user.username, token: known.secret } };
  const token = randomBytes(32).toString('hex');
  return { user: { name, token }, tokenLine: `${token},${name},${name},system:masters` };
}

/** Backends that need more than the engine are loaded when a flag names them. */
async function openStore(storage: StorageFlag, clock: Clock): Promise<Store> {
  switch (storage.type) {
    case 'memory':
      return memoryStore({ clock });
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

/** Whether other processes may serve the same cluster and schedule for it. A SQLite file has one process at a time. */
function isShared({ type }: StorageFlag): boolean {
  return type === 'etcd';
}
