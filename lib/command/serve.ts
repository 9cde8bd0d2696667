// `vivarium serve`: creates a cluster from flags, listens on a port and writes a kubeconfig, until it is stopped. Files
// and output are accessed through `CommandEnvironment`, so that tests run it without a process.
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { firstValueFrom } from 'rxjs';
import { parseTokenFile } from '../auth/index.js';
import { createCluster } from '../cluster/index.js';
import type { ClusterOptions } from '../cluster/index.js';
import { createCredentials } from '../cluster/node/index.js';
import { systemClock, systemRandom } from '../core/index.js';
import type { Clock } from '../core/index.js';
import { createAuthority, generatePrivateKey, openStoredAuthority } from '../pki/index.js';
import type { CertificateAuthority } from '../pki/index.js';
import type { AggregationOptions, ServerIdentity } from '../server/index.js';
import { kubeconfig } from '../server/node/index.js';
import type { KubeconfigOptions, KubeconfigUser } from '../server/node/index.js';
import { memoryStore } from '../storage/index.js';
import type { Store } from '../storage/index.js';
import { admissionOf } from './admission-flags.js';
import { createAuthentication } from './authentication.js';
import { createAuthorization } from './authorization.js';
import type { CommandEnvironment } from './environment.js';
import type { ServeFlags, StorageFlag } from './flags.js';
import { activityEntries } from './format-activity.js';
import { joinKubeconfigs, mergeKubeconfig } from './merge-kubeconfig.js';
import { printLog } from './print-log.js';
import { schedulerSetup } from './scheduler.js';
import { nodeProxyTransport } from '../webhook/node/index.js';
import { Teardown } from './teardown.js';

/** A cluster that the command serves. */
export interface ServedCluster {
  readonly url: string;
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/**
 * Serves the cluster of the flags. Rejects if a file, port or store cannot be opened; everything opened is closed then.
 */
export async function serve(flags: ServeFlags, environment: CommandEnvironment): Promise<ServedCluster> {
  const teardown = new Teardown();
  try {
    const { clock = systemClock() } = environment;
    // Without TLS the authority still signs requests for certificates and is published to pods.
    const authority = await openAuthority(flags, environment, clock);
    const servingAuthority = flags.http ? undefined : authority;
    const admin = await createAdministrator(flags, servingAuthority, environment);
    const cluster = await createCluster(
      await clusterOptions(flags, { environment, clock, authority, admin, teardown }),
    );
    teardown.add(() => cluster.close());
    const { port, bindAddress, shutdownDelayMs } = flags;
    const listening = await cluster.listen({
      port,
      tls: !flags.http,
      idleGraceMs,
      ...(bindAddress !== undefined && { host: bindAddress }),
    });
    teardown.add(async () => {
      cluster.server.beginShutdown();
      listening.drain();
      if (shutdownDelayMs > 0) await firstValueFrom(clock.timer(shutdownDelayMs), { defaultValue: 0 });
      await listening.close();
    });
    const access: Access = {
      server: clientUrl(listening.url),
      ...(servingAuthority && { ca: servingAuthority.certificate }),
      ...admin,
    };
    const kubeconfigPath = flags.kubeconfigOut ?? (await privateFile('kubeconfig', { environment, teardown }));
    await environment.writeFile(kubeconfigPath, await kubeconfigText(access));
    if (flags.readyFile !== undefined) {
      const { readyFile } = flags;
      await environment.writeFile(readyFile, `${listening.url}\n`);
      teardown.add(() => environment.removeFile(readyFile));
    }
    environment.print(`vivarium serves Kubernetes v1.36 on ${listening.url}`);
    environment.print(`kubeconfig: ${kubeconfigPath}`);
    if (flags.http)
      environment.print(`kubectl sends no token without TLS: the context ${kubectlContext} works with it`);
    if (flags.mergeKubeconfig) {
      const { name, path, remove } = await mergeKubeconfig(
        kubeconfig(forKubectl(access, `vivarium-${listening.port}`)),
        environment.userKubeconfigPath(),
        environment,
      );
      teardown.add(remove);
      environment.print(`context ${name} is in ${path} and is the current one until the server stops`);
      environment.print('try: kubectl get namespaces');
    } else
      environment.print(
        `try: kubectl --kubeconfig ${kubeconfigPath}${flags.http ? ` --context ${kubectlContext}` : ''} get namespaces`,
      );
    const printing = printLog(activityEntries(cluster.activity$, 'problems'), environment);
    teardown.add(() => printing.unsubscribe());
    return { url: listening.url, kubeconfigPath, close: () => teardown.close() };
  } catch (error) {
    await teardown.close();
    throw error;
  }
}

/** How long connections stay open for a next request after the port was closed. */
const idleGraceMs = 1_000;

/** The context of the kubeconfig whose URL contains a password, since kubectl drops users of servers without TLS. */
const kubectlContext = 'vivarium-kubectl';

/** The address of the server and the credentials of the administrator. */
interface Access extends Administrator {
  readonly server: string;
  readonly ca?: string;
}

/** Returns a path in a new folder that is removed when the command ends. */
async function privateFile(
  name: string,
  { environment, teardown }: Pick<Setup, 'environment' | 'teardown'>,
): Promise<string> {
  const folder = await environment.createPrivateFolder();
  teardown.add(() => environment.removeFolder(folder));
  return `${folder}/${name}`;
}

/** Returns the URL under which clients of this machine reach a server that may listen on all addresses. */
function clientUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Returns the kubeconfig that is written; without TLS with a second context, for kubectl. */
async function kubeconfigText({ server, ca, user, password }: Access): Promise<string> {
  const main = kubeconfig({ server, user, ...(ca !== undefined && { ca }) });
  if (password === undefined) return main;
  return joinKubeconfigs(main, kubeconfig(forKubectl({ server, user, password }, kubectlContext)));
}

/**
 * Returns the content of a kubeconfig whose entries all have one name. Without TLS the password is in the URL, from
 * where Go's HTTP client sends it; kubectl sends no other credentials without TLS. As client-go/tools/clientcmd,
 * ClientConfig, which reads the user only where the transport is TLS.
 */
function forKubectl({ server, ca, user, password }: Access, name: string): KubeconfigOptions {
  if (password === undefined) return { name, server, user: { ...user, name }, ...(ca !== undefined && { ca }) };
  const withPassword = server.replace('//', `//${encodeURIComponent(adminName)}:${password}@`);
  return { name, server: withPassword, user: { name } };
}

interface Setup {
  readonly environment: CommandEnvironment;
  readonly clock: Clock;
  readonly authority: CertificateAuthority;
  readonly admin: Administrator;
  /** Closes what the options refer to. */
  readonly teardown: Teardown;
}

/** Returns the cluster options of the flags. Rejects if a file cannot be read or is invalid. */
async function clusterOptions(flags: ServeFlags, setup: Setup): Promise<ClusterOptions> {
  const { environment, clock, authority, admin, teardown } = setup;
  const { modes, modesGiven } = flags.authorization;
  const { compactionIntervalMs, serviceRanges, nodePorts } = flags;
  const authentication = await createAuthentication(flags.authentication, {
    environment,
    clock,
    authority: flags.http ? undefined : authority.certificate,
    serviceAccountKey: await openServiceAccountKey(flags, environment),
    adminTokenLine: admin.tokenLine,
    adminPasswordLine: admin.password && `${admin.password},${adminName},${adminName},system:masters`,
    allowsAnonymous: !(modesGiven && modes.includes('AlwaysAllow')),
  });
  teardown.add(() => authentication.close());
  const authorization = await createAuthorization(flags.authorization, environment, clock);
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
    compaction:
      compactionIntervalMs === 0
        ? false
        : {
            isShared: isShared(flags.storage),
            ...(compactionIntervalMs !== undefined && { intervalMs: compactionIntervalMs }),
          },
    server: {
      authenticators,
      authorizers: authorization.authorizers,
      bootstrapPolicy: authorization.usesRbac,
      tokens,
      apiAudiences,
      authenticationInfo,
      aggregation: await aggregationOptions(flags, setup),
      ...(serviceRanges !== undefined && { serviceRanges }),
      ...(nodePorts !== undefined && { nodePorts }),
      identity: identityOf(hostname()),
    },
    admission: await admissionOf(flags.admission, environment, setup),
    credentials: createCredentials({ clock, authority, keys, clientAuthorities }),
    scheduler: scheduler?.options ?? false,
    nodes: flags.nodes,
    controllers: flags.controllers,
    controllerSettings: flags.controllerSettings,
    parts: authentication.parts.map((part) => () => part),
  };
}

/** The transport to the servers behind APIServices, which presents the certificate of the flags. */
async function aggregationOptions(
  { authentication: { proxy } }: ServeFlags,
  { environment, teardown }: Setup,
): Promise<AggregationOptions> {
  const { certFile, keyFile } = proxy;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new Error('--proxy-client-cert-file and --proxy-client-key-file are given together');
  const certificate =
    certFile === undefined || keyFile === undefined
      ? undefined
      : { certificate: await environment.readFile(certFile), key: await environment.readFile(keyFile) };
  const node = nodeProxyTransport(certificate && { certificate });
  teardown.add(() => node.close());
  return { transport: node.transport };
}

/** The identity of the server of a machine. As apiserver/pkg/server/config.go, NewConfig. */
function identityOf(machine: string): ServerIdentity {
  const hash = createHash('sha256');
  for (const text of [machine, 'kube-apiserver']) {
    const bytes = new TextEncoder().encode(text);
    hash.update(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff)).update(bytes);
  }
  const digest = hash.digest();
  const bits = Array.from(digest.subarray(0, 16), (byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  const name = digits.map((digit) => 'abcdefghijklmnopqrstuvwxyz234567'[parseInt(digit.padEnd(5, '0'), 2)]).join('');
  return { name: `apiserver-${name}`, hostname: machine };
}

function openAuthority(
  { certDir }: ServeFlags,
  environment: CommandEnvironment,
  clock: Clock,
): CertificateAuthority | Promise<CertificateAuthority> {
  const now = clock.now();
  return certDir === undefined
    ? createAuthority({ now })
    : openStoredAuthority(certDir, { findFile: environment.findPrivateFile, writeFile: environment.writeFile }, now);
}

/**
 * Returns the private key that signs service account tokens, in PEM: from `--service-account-signing-key-file`, else
 * stored in the folder of `--cert-dir`, else a new one for this run.
 */
async function openServiceAccountKey(
  { authentication, certDir }: ServeFlags,
  { readFile, findPrivateFile, writeFile }: CommandEnvironment,
): Promise<string> {
  const { signingKeyFile } = authentication.accounts;
  if (signingKeyFile !== undefined) return readFile(signingKeyFile);
  if (certDir === undefined) return generatePrivateKey();
  const path = `${certDir}/sa.key`;
  const stored = await findPrivateFile(path);
  if (stored !== undefined) return stored;
  const created = generatePrivateKey();
  await writeFile(path, created);
  return created;
}

/** The user of the written kubeconfig. */
interface Administrator {
  readonly user: KubeconfigUser;
  /** Line for the token file, if the administrator has a token that is valid for this run only. */
  readonly tokenLine?: string;
  /** Without TLS: the password of the administrator for this run. */
  readonly password?: string;
}

const adminName = 'kubernetes-admin';

/** Returns a user with a certificate; without TLS, with a token of the token file or a new one. */
async function createAdministrator(
  { authentication }: ServeFlags,
  authority: CertificateAuthority | undefined,
  { readFile }: CommandEnvironment,
): Promise<Administrator> {
  const name = adminName;
  if (authority !== undefined)
    return { user: { name, certificate: authority.issueClientCertificate(name, ['system:masters']) } };
  const entries =
    authentication.tokenFile === undefined ? [] : parseTokenFile(await readFile(authentication.tokenFile));
  const known = entries.find(({ user }) => user.groups.includes('system:masters'));
  const [token, password] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  if (known !== undefined) return { user: { name: known.user.username, token: known.secret }, password };
  return { user: { name, token }, tokenLine: `${token},${name},${name},system:masters`, password };
}

/** Opens the store. Backends with further dependencies are imported when a flag names them. */
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

/** Returns true if other processes may serve the same cluster. A SQLite file has one process at a time. */
function isShared({ type }: StorageFlag): boolean {
  return type === 'etcd';
}
