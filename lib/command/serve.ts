// `vivarium serve`: a server, a port, a kubeconfig, until it is told to stop. Everything it touches outside of itself
// comes in through `Surroundings`, so that tests run it without a process of its own.
import { randomBytes } from 'node:crypto';
import { EMPTY, ignoreElements, merge } from 'rxjs';
import type { Observable } from 'rxjs';
import { priorityAdmission } from '../admission/index.js';
import { administrator, allAuthenticated, parseTokenFile, serviceAccountGroups } from '../auth/index.js';
import { legacyToken } from '../auth/node/index.js';
import { inProcessClient, informers } from '../client/index.js';
import type { Client, Handler } from '../client/index.js';
import {
  clusterRoleAggregation,
  ephemeralVolumes,
  persistentVolumes,
  serviceAccountSecrets,
} from '../controllers/index.js';
import type { ControllerEnvironment } from '../controllers/index.js';
import { createKinds, namespacedName, serviceUnavailable, systemClock, systemRandom } from '../core/index.js';
import type { Part } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { createServer } from '../server/index.js';
import type { ApiServer, WireServer } from '../server/index.js';
import { apiServerHosts, createAuthority, kubeconfig, listen } from '../server/node/index.js';
import type { CertificateAuthority, KubeconfigUser, Listening } from '../server/node/index.js';
import { memoryStore } from '../storage/index.js';
import type { Store } from '../storage/index.js';
import { accountKey } from './account-key.js';
import { authenticationOf } from './authentication.js';
import type { Authentication } from './authentication.js';
import { authorizationOf } from './authorization.js';
import type { ServeFlags, StorageFlag } from './flags.js';
import { keptAuthority } from './kept-authority.js';
import { commandedScheduler, told, trouble } from './scheduler.js';
import type { CommandedScheduler } from './scheduler.js';
import { registerNodes } from './simulated-nodes.js';
import type { Surroundings } from './surroundings.js';

/** A server that the command started. */
export interface Serving {
  readonly url: string;
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/** Starts what the flags say. Rejects where a file, a port or a store cannot be had; nothing is left running then. */
export async function serve(flags: ServeFlags, surroundings: Surroundings): Promise<Serving> {
  const clock = systemClock();
  const ending: (() => Promise<void> | void)[] = [];
  // The last thing begun is the first to end.
  const close = async (): Promise<void> => {
    for (let step = ending.pop(); step !== undefined; step = ending.pop()) await step();
  };
  try {
    const authority = flags.http ? undefined : await authorityOf(flags, surroundings);
    const admin = await administratorOf(flags, authority, surroundings);
    const signing = await accountKey(
      { file: flags.authentication.accounts.signingKeyFile, folder: flags.certDir },
      surroundings,
    );
    const { modes, modesGiven } = flags.authorization;
    const anonymous = !(modesGiven && modes.includes('AlwaysAllow'));
    const door: { handler: Handler } = { handler: () => Promise.reject(serviceUnavailable('the server is starting')) };
    // Made after the server, on whose page its figures stand.
    const scheduling: { made?: CommandedScheduler } = {};
    const secrets = inProcessClient((request) => door.handler(request), { user: administrator }).kind('v1', 'Secret');
    const authentication = await authenticationOf(flags.authentication, {
      surroundings,
      clock,
      authority: authority?.certificate,
      accountKey: signing,
      ownToken: admin.tokenLine,
      anonymous,
      markUsed: (secret, day) =>
        secrets.patch(namespacedName(secret), {
          merge: { metadata: { labels: { 'kubernetes.io/legacy-token-last-used': day } } },
        }),
    });
    ending.push(() => authentication.close());
    const authorization = await authorizationOf(flags.authorization, surroundings, clock);
    ending.push(() => authorization.close());
    const kinds = createKinds();
    const store = await openStore(flags.storage);
    ending.push(() => store.close());
    // The port before the server, which tells its address; nobody knows either before the kubeconfig is there.
    const listening = await listenOn(
      { handler: (request) => door.handler(request), kinds },
      flags,
      authority,
      authentication,
    );
    const { authenticators, tokens, apiAudiences, info: authenticationInfo } = authentication;
    const { authorizers, usesRbac: bootstrapPolicy } = authorization;
    const server = createServer({
      store,
      kinds,
      clock,
      admission: (tools) => [priorityAdmission(tools)],
      authenticators,
      authorizers,
      bootstrapPolicy,
      tokens,
      apiAudiences,
      authenticationInfo,
      serverAddress: `${listening.host}:${listening.port}`,
    });
    ending.push(
      () => server.close(),
      () => listening.close(),
    );
    door.handler = server.handler;
    if (flags.scheduler.enabled)
      scheduling.made = await commandedScheduler(
        schedulerClient(server),
        { config: flags.scheduler.config, elects: (said) => said ?? isShared(flags.storage) },
        surroundings,
      );
    server.addMetrics(() => scheduling.made?.scheduler.metricFamilies() ?? []);
    ending.push(() => scheduling.made?.close());
    await registerNodes(inProcessClient(server.handler, { user: administrator }), flags.nodes, clock.now());
    const kubeconfigPath = flags.kubeconfigOut ?? surroundings.temporaryFile(`vivarium-${listening.port}.kubeconfig`);
    await surroundings.writeFile(
      kubeconfigPath,
      kubeconfig({ server: listening.url, ...(authority && { ca: authority.certificate }), user: admin.user }),
    );
    if (flags.readyFile !== undefined) {
      const { readyFile } = flags;
      await surroundings.writeFile(readyFile, `${listening.url}\n`);
      ending.push(() => surroundings.removeFile(readyFile));
    }
    surroundings.print(`vivarium serves Kubernetes v1.36 on ${listening.url}`);
    surroundings.print(`kubeconfig: ${kubeconfigPath}`);
    surroundings.print(`try: kubectl --kubeconfig ${kubeconfigPath} get namespaces`);
    // Who works in it begins when people know where it is: what there is to complain of comes after that.
    const running = merge(
      authentication.running$,
      controllers(server, authentication, authority),
      told(scheduling.made?.activity$ ?? EMPTY, trouble),
    ).subscribe({
      next: (line) => surroundings.print(line),
      error: (error: unknown) =>
        surroundings.print(`vivarium: ${error instanceof Error ? error.message : String(error)}`),
    });
    ending.push(
      () => running.unsubscribe(),
      () => scheduling.made?.stop(),
    );
    return { url: listening.url, kubeconfigPath, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function authorityOf(
  { certDir }: ServeFlags,
  surroundings: Surroundings,
): CertificateAuthority | Promise<CertificateAuthority> {
  const now = systemClock().now();
  return certDir === undefined ? createAuthority({ now }) : keptAuthority(certDir, surroundings, now);
}

/** Whom the kubeconfig is for. */
interface Administrator {
  readonly user: KubeconfigUser;
  /** A line for the token file, where the administrator is known by a token of this start only. */
  readonly tokenLine?: string;
}

/** By certificate; where there is no TLS to present one in, by a token of the file or by one made on the spot. */
async function administratorOf(
  { authentication }: ServeFlags,
  authority: CertificateAuthority | undefined,
  { readFile }: Surroundings,
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

/** Whether other processes may serve the same cluster, and schedule for it. A SQLite file has one process at a time. */
function isShared({ type }: StorageFlag): boolean {
  return type === 'etcd';
}

function listenOn(
  server: WireServer,
  { port }: ServeFlags,
  authority: CertificateAuthority | undefined,
  { clientAuthorities }: Authentication,
): Promise<Listening> {
  if (authority === undefined) return listen(server, { port });
  return listen(server, { port, tls: { ...authority.serving(apiServerHosts), clientAuthorities } });
}

/** The scheduler may do what its role says, and no more. */
function schedulerClient({ handler }: ApiServer): Client {
  return inProcessClient(handler, { user: { username: 'system:kube-scheduler', groups: [allAuthenticated] } });
}

/**
 * The controllers: those that authentication and authorization depend on, and claims to storage. Each writes as its own
 * user; all read through informers that they share, as the controller manager. Emits nothing.
 */
function controllers(
  { handler }: ApiServer,
  { keys }: Authentication,
  authority: CertificateAuthority | undefined,
): Observable<never> {
  const [clock, random] = [systemClock(), systemRandom()];
  const managing: UserInfo = { username: 'system:kube-controller-manager', groups: [allAuthenticated] };
  const shared = informers(inProcessClient(handler, { user: managing }), { clock, random: random.stream('informers') });
  const environment = (name: string, user: UserInfo): ControllerEnvironment => ({
    client: inProcessClient(handler, { user }),
    informers: shared,
    clock,
    random: random.stream(name),
  });
  const account = (name: string): UserInfo => ({
    username: `system:serviceaccount:kube-system:${name}`,
    groups: [...serviceAccountGroups('kube-system'), allAuthenticated],
  });
  const parts: readonly Part[] = [
    clusterRoleAggregation(environment('cluster-role-aggregation', account('clusterrole-aggregation-controller'))),
    serviceAccountSecrets({
      ...environment('service-account-secrets', managing),
      sign: (secret, account) => legacyToken(keys, secret, account),
      ...(authority && { rootCa: authority.certificate }),
    }),
    persistentVolumes(environment('persistent-volumes', account('persistent-volume-binder'))),
    ephemeralVolumes(environment('ephemeral-volumes', account('ephemeral-volume-controller'))),
  ];
  return merge(...parts.map((part) => part.run())).pipe(ignoreElements());
}
