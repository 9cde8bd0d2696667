// `vivarium controller-manager`: runs the controllers of the cluster of a kubeconfig, until it is stopped. Of several
// processes one runs its controllers; when it stops or dies, another takes over.
import { hostname } from 'node:os';
import { filter, map, tap } from 'rxjs';
import { serviceAccountKeys } from '../auth/node/index.js';
import { httpClient, userAgentOf } from '../client/index.js';
import type { Client } from '../client/index.js';
import { connect, loadKubeconfig } from '../client/node/index.js';
import type { ClusterAccess } from '../client/node/index.js';
import { completeControllerSettings, electedControllers, runParts, selectControllers } from '../cluster/index.js';
import type { ControllerCredentials, ControllerName, ControllersActivity } from '../cluster/index.js';
import { createCredentials } from '../cluster/node/index.js';
import { Outlet, errorText, isApiError, systemClock, systemRandom } from '../core/index.js';
import type { Clock, NamespacedName } from '../core/index.js';
import type { UserInfo } from '../core/types/index.js';
import { restoreAuthority } from '../pki/index.js';
import { accountAuthorization } from './account-tokens.js';
import type { ControllersFlags } from './controllers-flags.js';
import { ControllersMetrics } from './controllers-metrics.js';
import type { CommandEnvironment, CommandLogEntry } from './environment.js';
import { FlagError } from './flag-table.js';
import { serveMetrics } from './metrics-page.js';
import { printLog } from './print-log.js';
import { checkReachable } from './scheduler.js';
import { Teardown } from './teardown.js';

/** Running controllers. */
export interface RunningControllers {
  /** The address of `/metrics` and health; undefined if there is none. */
  readonly metricsUrl: string | undefined;
  close(): Promise<void>;
}

/**
 * Runs the controllers of the flags. Rejects if a flag names no controller, a file cannot be read, a port cannot be
 * opened or the cluster is unreachable; everything opened is closed then.
 */
export async function runControllers(
  flags: ControllersFlags,
  environment: CommandEnvironment,
): Promise<RunningControllers> {
  const teardown = new Teardown();
  try {
    const { clock = systemClock() } = environment;
    const random = systemRandom();
    const controllers = selectedControllers(flags, environment);
    const settings = completeControllerSettings(flags.settings);
    const access = await loadKubeconfig(flags.kubeconfig === undefined ? {} : { path: flags.kubeconfig });
    const credentials = await readCredentials(flags, access, environment, clock);
    const metrics = new ControllersMetrics(controllers, {
      lock: flags.leaderElection.resourceName ?? 'kube-controller-manager',
      isElected: flags.leaderElect,
    });
    const clientOf = connectedClients(access, { clock, metrics, teardown });
    const client = clientOf(undefined);
    await checkReachable(client, access.server);
    let metricsUrl: string | undefined;
    let isReady = !flags.leaderElect;
    if (flags.metricsAddress !== undefined) {
      const page = await serveMetrics(
        { metrics: () => metrics.text(), isReady: () => isReady, readinessCheck: 'leaderElection' },
        flags.metricsAddress,
      );
      teardown.add(() => page.close());
      metricsUrl = page.url;
    }
    environment.print(`vivarium runs ${controllers.size} controllers of ${access.server}`);
    if (metricsUrl !== undefined) environment.print(`metrics: ${metricsUrl}/metrics`);
    const stopping = new Outlet<void>();
    const part = electedControllers({
      controllers,
      client,
      as: (user) => (flags.useServiceAccountCredentials ? clientOf(accountOf(user)) : client),
      clock,
      random,
      credentials: { load: () => Promise.resolve(credentials), loaded: Promise.resolve(credentials) },
      settings,
      leaderElection: flags.leaderElect ? flags.leaderElection : undefined,
      instance: hostname(),
      stopping$: stopping.values$,
    });
    const running = runParts([part], stopping);
    teardown.add(() => running.stop());
    const entries$ = running.activity$.pipe(
      map(({ activity }) => activity as ControllersActivity), // the only part
      tap((activity) => {
        metrics.record(activity);
        isReady ||= activity.type === 'leading' || activity.type === 'leader';
      }),
      map(entryOf),
      filter((entry) => entry !== undefined),
    );
    const printing = printLog(entries$, environment);
    teardown.add(() => printing.unsubscribe());
    return { metricsUrl, close: () => teardown.close() };
  } catch (error) {
    await teardown.close();
    throw error;
  }
}

/** Returns the selected controllers, without those that lack the files they need, which is printed. */
function selectedControllers(
  { controllers, serviceAccountPrivateKeyFile }: ControllersFlags,
  { print }: CommandEnvironment,
): ReadonlySet<ControllerName> {
  let selected: ReadonlySet<ControllerName>;
  try {
    selected = selectControllers(controllers);
  } catch (error) {
    throw new FlagError(`--controllers: ${errorText(error)}`, { cause: error });
  }
  if (serviceAccountPrivateKeyFile !== undefined || !selected.has(tokenController)) return selected;
  print(`${tokenController} does not run: there is no --service-account-private-key-file`);
  return new Set([...selected].filter((name) => name !== tokenController));
}

const tokenController: ControllerName = 'serviceaccount-token-controller';

async function readCredentials(
  flags: ControllersFlags,
  { tls }: ClusterAccess,
  { readFile }: CommandEnvironment,
  clock: Clock,
): Promise<ControllerCredentials> {
  const { rootCaFile, serviceAccountPrivateKeyFile, clusterSigningCertFile, clusterSigningKeyFile } = flags;
  if ((clusterSigningCertFile === undefined) !== (clusterSigningKeyFile === undefined))
    throw new FlagError('--cluster-signing-cert-file and --cluster-signing-key-file are given together');
  const rootCa = rootCaFile === undefined ? tls.authorities : await readFile(rootCaFile);
  const authority =
    clusterSigningCertFile === undefined || clusterSigningKeyFile === undefined
      ? null
      : restoreAuthority(
          { certificate: await readFile(clusterSigningCertFile), key: await readFile(clusterSigningKeyFile) },
          { now: clock.now() },
        );
  const created = createCredentials({
    clock,
    authority,
    ...(serviceAccountPrivateKeyFile !== undefined && {
      keys: serviceAccountKeys({ signing: await readFile(serviceAccountPrivateKeyFile) }),
    }),
  });
  return { ...created, rootCa };
}

/**
 * Returns the client of the kubeconfig's user (undefined) and of service accounts. Accounts have connections of their
 * own, without the user's certificate: a server believes a certificate before a token.
 */
function connectedClients(
  access: ClusterAccess,
  options: { readonly clock: Clock; readonly metrics: ControllersMetrics; readonly teardown: Teardown },
): (account: NamespacedName | undefined) => Client {
  const { clock, metrics, teardown } = options;
  const userAgent = userAgentOf('kube-controller-manager');
  const connected = (to: ClusterAccess, authorization?: () => Promise<string>): Client => {
    const connection = connect(to, { clock });
    teardown.add(() => connection.close());
    const transport = connection.transport && metrics.counted(connection.transport);
    return httpClient({
      ...connection,
      userAgent,
      ...(transport !== undefined && { transport }),
      ...(authorization !== undefined && { authorization }),
    });
  };
  const own = connected(access);
  const { certificate: _certificate, ...tls } = access.tls;
  const anonymous: ClusterAccess = { server: access.server, namespace: access.namespace, tls };
  const known = new Map<string, Client>();
  return (account) => {
    if (account === undefined) return own;
    const client = known.get(account.name) ?? connected(anonymous, accountAuthorization(own, account, clock));
    known.set(account.name, client);
    return client;
  };
}

/** Returns the service account of a user; undefined for another user, which the kubeconfig stands for. */
function accountOf({ username = '' }: UserInfo): NamespacedName | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Returns the line of an activity; undefined if it is not printed. Conflicts are retried and are no problem. */
function entryOf(activity: ControllersActivity): CommandLogEntry | undefined {
  const part = 'kube-controller-manager';
  const info = (message: string): CommandLogEntry => ({ level: 'info', part, message });
  const problem = (message: string): CommandLogEntry => ({ level: 'error', part, message });
  switch (activity.type) {
    case 'leader':
      return info(`waits: ${activity.identity} runs the controllers`);
    case 'leading':
      return info('runs the controllers now');
    case 'lost':
      if (activity.reason === 'stopped') return undefined;
      return problem(`the lease is ${activity.reason === 'taken' ? 'no longer held' : 'not renewed in time'}; waits`);
    case 'election-failed':
      return problem(`cannot request the lease: ${errorText(activity.error)}`);
    case 'controller': {
      const { part: name, activity: did } = activity;
      if (!('error' in did) || isApiError(did.error, 'Conflict')) return undefined;
      return { level: 'error', part: name, message: `${name}: ${errorText(did.error)}` };
    }
  }
}
