// `vivarium controller-manager`: its flags, its connection to a cluster over HTTP, metrics and health, service accounts
// of its own, and two processes of which the second takes over when the first is killed.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { NEVER } from 'rxjs';
import t from 'tap';
import type { Test } from 'tap';
import { leaderElection, resourceLocks } from '../../lib/client/index.js';
import { controllerDefinitions, controllerNames, controllerSettings } from '../../lib/cluster/index.js';
import { parseCommandLine, run, runControllers, usage } from '../../lib/command/index.js';
import type { CommandEnvironment, ControllersFlags } from '../../lib/command/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { createAuthority, generatePrivateKey } from '../../lib/pki/index.js';
import { observe } from '../support/observe.js';
import { simulatedKubelet } from '../support/simulated-kubelet.js';

function flagsOf(...args: readonly string[]): ControllersFlags {
  const line = parseCommandLine(['controller-manager', ...args]);
  if (line.command !== 'controller-manager') throw new Error('another command');
  return line.flags;
}

t.test('flags', async (t) => {
  t.match(flagsOf(), { controllers: ['*'], settings: {}, leaderElect: true, useServiceAccountCredentials: false });
  t.match(
    flagsOf(
      '--kubeconfig=k',
      '--controllers=*,-job',
      '--concurrent-gc-syncs=3',
      '--pvclaimbinder-sync-period=1m',
      '--leader-elect=false',
      '--leader-elect-lease-duration=30s',
      '--leader-elect-renew-deadline=20s',
      '--leader-elect-retry-period=1s',
      '--leader-elect-resource-lock=endpoints',
      '--leader-elect-resource-name=n',
      '--leader-elect-resource-namespace=ns',
      '--use-service-account-credentials',
      '--metrics-address=[::1]:8080',
    ),
    {
      kubeconfig: 'k',
      controllers: ['*', '-job'],
      settings: { concurrentGcSyncs: 3, pvclaimbinderSyncPeriod: 60_000 },
      leaderElect: false,
      leaderElection: {
        leaseDurationMs: 30_000,
        renewDeadlineMs: 20_000,
        retryPeriodMs: 1_000,
        resourceLock: 'endpoints',
        resourceName: 'n',
        resourceNamespace: 'ns',
      },
      useServiceAccountCredentials: true,
      metricsAddress: { host: '::1', port: 8080 },
    },
  );
  for (const setting of Object.keys(controllerSettings)) {
    const flag = setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    t.ok(usage.includes(`--${flag} `), `${flag} is in the help`);
  }
  t.match(
    parseCommandLine([
      'serve',
      '--horizontal-pod-autoscaler-sync-period=5s',
      '--allocate-node-cidrs',
      '--cluster-cidr=10.8.0.0/16',
      '--service-cluster-ip-range=10.9.0.0/16',
    ]),
    {
      flags: {
        controllerSettings: {
          horizontalPodAutoscalerSyncPeriod: 5_000,
          allocateNodeCidrs: true,
          clusterCidr: '10.8.0.0/16',
        },
        serviceRanges: ['10.9.0.0/16'],
      },
    },
    'serve has the settings of its controllers as flags',
  );
  t.throws(() => flagsOf('--concurrent-gc-syncs=-1'), { name: 'FlagError' });
  t.throws(() => flagsOf('--leader-elect-resource-lock=secrets'), { name: 'FlagError' });
  t.throws(() => flagsOf('--leader-elect-resource-name='), { name: 'FlagError' });
});

/** A cluster without controllers that listens. */
async function listeningCluster(t: Test): Promise<Cluster & { readonly kubeconfigPath: string }> {
  const cluster = await createCluster({
    controllers: [],
    nodes: { count: 2, runtime: 'none' },
    admission: { enable: ['ServiceAccount'] },
    parts: [simulatedKubelet({ startMs: 50, stopMs: 50 })],
  });
  t.teardown(() => cluster.close());
  await cluster.listen();
  const kubeconfigPath = join(t.testdir({}), 'kubeconfig');
  await writeFile(kubeconfigPath, await cluster.kubeconfig());
  return Object.assign(cluster, { kubeconfigPath });
}

function environment(lines: string[]): CommandEnvironment {
  const unused = (): never => {
    throw new Error('not used by this command');
  };
  return {
    print: (line) => lines.push(line),
    readFile: (path) => readFile(path, 'utf8'),
    findFile: unused,
    findPrivateFile: unused,
    writeFile: unused,
    changeFile: unused,
    removeFile: unused,
    createPrivateFolder: unused,
    removeFolder: unused,
    userKubeconfigPath: unused,
    fileChanges: () => NEVER,
  };
}

const labels = { app: 'web' };
const deployment = (replicas: number, image = 'a') => ({
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    strategy: { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } },
  },
});

t.test('controllers run over HTTP as their own service accounts, with files of keys', async (t) => {
  const cluster = await listeningCluster(t);
  const { client } = cluster;
  const authority = createAuthority({ now: Date.now() });
  const folder = t.testdir({
    'ca.crt': authority.certificate,
    'ca.key': authority.key,
    'sa.key': generatePrivateKey(),
  });
  const kubeconfig = join(t.testdirName, 'kubeconfig');
  await writeFile(kubeconfig, await cluster.kubeconfig());
  const lines: string[] = [];
  const running = await runControllers(
    flagsOf(
      `--kubeconfig=${kubeconfig}`,
      '--metrics-address=0',
      '--use-service-account-credentials',
      `--root-ca-file=${folder}/ca.crt`,
      `--service-account-private-key-file=${folder}/sa.key`,
      `--cluster-signing-cert-file=${folder}/ca.crt`,
      `--cluster-signing-key-file=${folder}/ca.key`,
    ),
    environment(lines),
  );
  const deployments = client.kind('apps/v1', 'Deployment').in('default');
  await deployments.create(deployment(2));
  await deployments.waitFor('web', (web) => web?.status?.availableReplicas === 2);
  const published = await client
    .kind('v1', 'ConfigMap')
    .in('default')
    .waitFor('kube-root-ca.crt', (map) => map !== undefined);
  t.equal(published.data?.['ca.crt'], authority.certificate);
  const secrets = client.kind('v1', 'Secret').in('default');
  const annotations = { 'kubernetes.io/service-account.name': 'default' };
  await secrets.create({ metadata: { name: 's', annotations }, type: 'kubernetes.io/service-account-token' });
  await secrets.waitFor('s', (secret) => secret?.data?.token !== undefined);
  const accounts = await client.kind('v1', 'ServiceAccount').in('kube-system').list();
  t.ok(
    accounts.items.some(({ metadata }) => metadata.name === 'replicaset-controller'),
    'missing accounts are created',
  );
  const metrics = await (await fetch(`${running.metricsUrl}/metrics`)).text();
  t.match(metrics, /^leader_election_master_status\{name="kube-controller-manager"\} 1$/m);
  t.match(
    metrics,
    /^running_managed_controllers\{manager="kube-controller-manager",name="deployment-controller"\} 1$/m,
  );
  t.match(
    metrics,
    /^controller_runtime_reconcile_total\{controller="replicaset-controller",result="success"\} [0-9]+$/m,
  );
  t.match(metrics, /^rest_client_requests_total\{code="201",.*method="POST"\} [0-9]+$/m);
  for (const path of ['healthz', 'livez', 'readyz'])
    t.equal(await (await fetch(`${running.metricsUrl}/${path}`)).text(), 'ok');
  await running.close();
  t.equal(
    lines[0],
    `vivarium runs ${controllerNames.length - offByDefault} controllers of ${serverOf(await readFile(kubeconfig, 'utf8'))}`,
  );
  const lease = await client.kind('coordination.k8s.io/v1', 'Lease').in('kube-system').get('kube-controller-manager');
  t.equal(lease.spec?.holderIdentity ?? '', '', 'the lease is released');
});

/** How many controllers `*` does not select. */
const offByDefault = controllerNames.filter((name) => controllerDefinitions[name].isOffByDefault === true).length;

function serverOf(kubeconfig: string): string {
  return /server: (\S+)/.exec(kubeconfig)?.[1] ?? '';
}

t.test('what cannot work is refused', async (t) => {
  const cluster = await listeningCluster(t);
  const { kubeconfigPath } = cluster;
  const started = (...args: readonly string[]): Promise<unknown> =>
    runControllers(flagsOf(`--kubeconfig=${kubeconfigPath}`, ...args), environment([]));
  await t.rejects(started('--controllers=nonsense'), /is not in the list of known controllers/);
  await t.rejects(started('--leader-elect-lease-duration=1s'), /leaseDuration must be greater than renewDeadline/);
  await t.rejects(started('--cluster-signing-cert-file=x'), /are given together/);
  await t.rejects(started('--root-ca-file=/does/not/exist'), /ENOENT/);
  const complaints: string[] = [];
  const code = await run({
    args: ['controller-manager', '--kubeconfig=/does/not/exist'],
    version: 'test',
    stdout: { write: () => undefined },
    stderr: { write: (text) => complaints.push(text) },
    signals: new EventEmitter(),
  });
  t.equal(code, 1);
  t.match(complaints.join(''), /vivarium: .*does.not.exist/);
});

t.test('an election by the annotation of a ConfigMap or of Endpoints keeps their content', async (t) => {
  for (const resourceLock of resourceLocks.filter((lock) => lock !== 'leases')) {
    const clock = virtualClock({ start: Date.UTC(2026, 0, 1) });
    const cluster = await createCluster({ clock, random: random(1), controllers: [], scheduler: false });
    const kind = resourceLock === 'configmaps' ? 'ConfigMap' : 'Endpoints';
    const objects = cluster.client.resource({ apiVersion: 'v1', kind }).in('kube-system');
    await objects.create({ metadata: { name: 'lock', labels: { kept: 'yes' } } });
    const seen: string[] = [];
    const stand = (identity: string) =>
      observe(
        leaderElection({
          client: cluster.client,
          clock,
          random: random(identity),
          lease: { namespace: 'kube-system', name: 'lock' },
          identity,
          resourceLock,
        }),
        ({ type }) => seen.push(`${identity} ${type}`),
      );
    const first = stand('first');
    await cluster.advance('5s');
    const second = stand('second');
    await cluster.advance('30s');
    t.ok(seen.includes('first leading') && !seen.includes('second leading'));
    const { metadata } = await objects.get('lock');
    t.same(metadata.labels, { kept: 'yes' });
    t.match(JSON.parse(metadata.annotations?.['control-plane.alpha.kubernetes.io/leader'] ?? ''), {
      holderIdentity: 'first',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00Z',
      renewTime: /^2026-01-01T00:00:3\dZ$/,
      leaderTransitions: 1,
    });
    first.unsubscribe();
    await cluster.advance('1m');
    t.ok(seen.includes('second leading'), 'takes over when the record is no longer renewed');
    second.unsubscribe();
    await cluster.close();
  }
});

/** A process of the command line. */
interface Manager {
  readonly child: ChildProcess;
  /** Resolves when it has printed a line with these words. */
  said(words: string): Promise<void>;
}

t.test('a second process takes over when the first is killed during a rolling update', async (t) => {
  const cluster = await listeningCluster(t);
  const { client, kubeconfigPath } = cluster;
  const program = join(import.meta.dirname, '..', '..', 'bin', 'vivarium.js');
  const startManager = (): Manager => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn(
      process.execPath,
      [program, 'controller-manager', `--kubeconfig=${kubeconfigPath}`, '--use-service-account-credentials'],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    t.teardown(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    const printed = new EventEmitter();
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      printed.emit('line');
    });
    const said = async (words: string): Promise<void> => {
      while (!lines.some((line) => line.includes(words))) await once(printed, 'line');
    };
    return { child, said };
  };
  const first = startManager();
  await first.said('runs the controllers now');
  const second = startManager();
  await second.said('waits: ');
  const deployments = client.kind('apps/v1', 'Deployment').in('default');
  await deployments.create(deployment(6));
  await deployments.waitFor('web', (web) => web?.status?.availableReplicas === 6);

  const pods = client.kind('v1', 'Pod').in('default');
  const serving: number[] = [];
  const imagesOf = async (): Promise<readonly string[]> =>
    (await pods.list({ labelSelector: 'app=web' })).items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec }) => spec?.containers[0]?.image ?? '');
  await deployments.patch('web', {
    merge: { spec: { template: { spec: { containers: [{ name: 'c', image: 'b' }] } } } },
  });
  await deployments.waitFor('web', (web) => {
    const { updatedReplicas = 0, observedGeneration } = web?.status ?? {};
    return observedGeneration === 2 && updatedReplicas >= 1;
  });
  first.child.kill('SIGKILL');
  await once(first.child, 'close');
  await second.said('runs the controllers now');
  await deployments.waitFor('web', (web) => {
    const { updatedReplicas, availableReplicas, replicas } = web?.status ?? {};
    serving.push(availableReplicas ?? 0);
    return updatedReplicas === 6 && availableReplicas === 6 && replicas === 6;
  });
  t.same(
    await imagesOf(),
    Array.from({ length: 6 }, () => 'b'),
  );
  t.ok(Math.min(...serving) >= 6, 'maxUnavailable 0 holds across the change of processes');
  const lease = await client.kind('coordination.k8s.io/v1', 'Lease').in('kube-system').get('kube-controller-manager');
  t.ok((lease.spec?.leaseTransitions ?? 0) >= 1);
  second.child.kill('SIGTERM');
  const [code] = (await once(second.child, 'close')) as [number | null];
  t.equal(code, 0, 'stops on SIGTERM');
  const released = await client
    .kind('coordination.k8s.io/v1', 'Lease')
    .in('kube-system')
    .get('kube-controller-manager');
  t.equal(released.spec?.holderIdentity ?? '', '');
});
