// Each controller runs with the rights that Kubernetes' bootstrap roles give its service account, and needs no more:
// all of them have work to do, and no request is denied. Informers read as system:kube-controller-manager.
import { NEVER, from, lastValueFrom } from 'rxjs';
import t from 'tap';
import { nodeAuthorizer, rbacAuthorizer } from '../../lib/auth/index.js';
import type { AccessAttributes, Authorizer, Decision } from '../../lib/auth/index.js';
import type { Client } from '../../lib/client/index.js';
import {
  completeControllerSettings,
  controllerDefinitions,
  controllerNames,
  electedControllers,
  selectControllers,
} from '../../lib/cluster/index.js';
import type { ControllerName } from '../../lib/cluster/index.js';
import { createCredentials } from '../../lib/cluster/node/index.js';
import { encodeBase64, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { PersistentVolumeClaimSpec } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { commonName, organization, requestCertificate } from '../support/certificates.js';
import { simulatedKubelet } from '../support/simulated-kubelet.js';

const start = Date.UTC(2026, 10, 18);

/** A cluster whose controllers run as their own users, and the requests of these. */
interface Watched {
  readonly cluster: Cluster<VirtualClock>;
  /** `user verb resource` of what was denied. */
  readonly denied: string[];
  /** `user verb resource` of what was allowed, each once. */
  readonly allowed: Set<string>;
}

const noOpinion: Decision = { decision: 'noOpinion', reason: '' };
const accountPrefix = 'system:serviceaccount:kube-system:';
const isOfController = ({ user: { username = '' } }: AccessAttributes): boolean =>
  username.startsWith(accountPrefix) || username === 'system:kube-controller-manager';

async function watchedCluster(): Promise<Watched> {
  const denied: string[] = [];
  const allowed = new Set<string>();
  const recorded =
    (authorizer: Authorizer): Authorizer =>
    async (attributes) => {
      const decision = await lastValueFrom(from(authorizer(attributes)), { defaultValue: noOpinion });
      if (isOfController(attributes)) {
        const { user, verb, resource, subresource } = attributes;
        const request = `${user.username} ${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
        if (decision.decision === 'allow') allowed.add(request);
        else denied.push(`${request}: ${decision.reason}`);
      }
      return decision;
    };
  const clock = virtualClock({ start });
  const credentials = createCredentials({ clock });
  const cluster = await createCluster({
    clock,
    random: random(1),
    nodes: { count: 2, runtime: 'none' },
    controllers: [],
    admission: { enable: ['ServiceAccount', 'TaintNodesByCondition'] },
    server: {
      authorizers: (tools) => [nodeAuthorizer(tools), recorded(rbacAuthorizer(tools.rbac()))],
    },
    parts: [
      simulatedKubelet(),
      (tools) =>
        electedControllers({
          controllers: selectControllers(['*', ...controllerNames]),
          client: tools.as('system:kube-controller-manager'),
          as: (user) => tools.as(user),
          clock,
          random: tools.random,
          credentials: { load: () => Promise.resolve(credentials), loaded: Promise.resolve(credentials) },
          settings: completeControllerSettings({
            legacyServiceAccountTokenCleanUpPeriod: 0,
            pvclaimbinderSyncPeriod: 3_600_000,
            resourceQuotaSyncPeriod: 3_600_000,
          }),
          leaderElection: undefined,
          stopping$: NEVER,
        }),
    ],
  });
  await cluster.settled();
  return { cluster, denied, allowed };
}

const labels = { app: 'a' };
const pod = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: labels };
const claimSpec: PersistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
};

/** Gives every controller something to write. */
async function causeWork(cluster: Cluster<VirtualClock>): Promise<void> {
  const { client } = cluster;
  await causeWorkloads(client);
  await causeStorage(client);
  await causeIdentities(client);
  await cluster.advance('30s');
  await causeChanges(client);
  await cluster.advance('30s');
  await client.kind('apps/v1', 'Deployment').in('default').delete('d', { propagationPolicy: 'Foreground' });
  await client.kind('apps/v1', 'ReplicaSet').in('default').delete('r', { propagationPolicy: 'Orphan' });
  await client.kind('v1', 'Namespace').delete('gone');
  await client.kind('v1', 'PersistentVolumeClaim').in('default').delete('claim');
  await client.kind('storage.k8s.io/v1', 'VolumeAttributesClass').delete('fast');
  await client.kind('v1', 'Secret').in('default').delete('listed');
  await client.kind('v1', 'Service').in('default').delete('s');
  await client.kind('networking.k8s.io/v1', 'ServiceCIDR').delete('more');
  await cluster.advance('1m');
  await client.kind('v1', 'PersistentVolume').delete('volume');
  await cluster.advance('49h');
}

async function causeWorkloads(client: Client): Promise<void> {
  const meta = (name: string) => ({ metadata: { name } });
  await client.kind('v1', 'Namespace').create(meta('gone'));
  await client.kind('v1', 'ConfigMap').in('gone').create(meta('content'));
  const apps = 'apps/v1' as const;
  await client
    .kind(apps, 'Deployment')
    .in('default')
    .create({ ...meta('d'), spec: { replicas: 2, selector, template: pod } });
  await client
    .kind(apps, 'ReplicaSet')
    .in('default')
    .create({ ...meta('r'), spec: { replicas: 1, selector: { matchLabels: { app: 'r' } }, template: labelled('r') } });
  await client
    .kind('v1', 'ReplicationController')
    .in('default')
    .create({ ...meta('rc'), spec: { replicas: 1, selector: { app: 'rc' }, template: labelled('rc') } });
  await client
    .kind(apps, 'StatefulSet')
    .in('default')
    .create({
      ...meta('set'),
      spec: {
        serviceName: 's',
        replicas: 2,
        selector: { matchLabels: { app: 'set' } },
        template: labelled('set'),
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
      },
    });
  await client
    .kind(apps, 'DaemonSet')
    .in('default')
    .create({
      ...meta('daemon'),
      spec: { selector: { matchLabels: { app: 'daemon' } }, template: labelled('daemon') },
    });
  await client
    .kind('batch/v1', 'Job')
    .in('default')
    .create({
      ...meta('job'),
      spec: { completions: 2, parallelism: 1, template: { spec: { ...pod.spec, restartPolicy: 'Never' } } },
    });
  await client
    .kind('v1', 'Service')
    .in('default')
    .create({ ...meta('s'), spec: { selector: labels, ports: [{ port: 80 }] } });
  await client
    .kind('v1', 'Service')
    .in('default')
    .create({ ...meta('manual'), spec: { ports: [{ port: 80 }] } });
  await client
    .kind('v1', 'Endpoints')
    .in('default')
    .create({ ...meta('manual'), subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] });
  await client
    .kind('policy/v1', 'PodDisruptionBudget')
    .in('default')
    .create({ ...meta('budget'), spec: { selector, minAvailable: 1 } });
  await client
    .kind('v1', 'ResourceQuota')
    .in('default')
    .create({ ...meta('quota'), spec: { hard: { pods: '100' } } });
}

function labelled(app: string) {
  return { ...pod, metadata: { labels: { app } } };
}

async function causeStorage(client: Client): Promise<void> {
  await client.kind('v1', 'PersistentVolume').create({
    metadata: { name: 'volume' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp/volume' },
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace: 'default', name: 'claim' },
    },
  });
  await client
    .kind('v1', 'PersistentVolumeClaim')
    .in('default')
    .create({ metadata: { name: 'claim' }, spec: claimSpec });
  await client
    .kind('v1', 'Pod')
    .in('default')
    .create({
      metadata: { name: 'ephemeral' },
      spec: { ...pod.spec, volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }] },
    });
  await client
    .kind('storage.k8s.io/v1', 'VolumeAttributesClass')
    .create({ metadata: { name: 'fast' }, driverName: 'd.example', parameters: { a: 'b' } });
}

async function causeIdentities(client: Client): Promise<void> {
  const secrets = client.kind('v1', 'Secret');
  const annotations = { 'kubernetes.io/service-account.name': 'a' };
  await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: { name: 'a' }, secrets: [{ name: 'listed' }, { name: 'unused' }] });
  for (const name of ['listed', 'unused'])
    await secrets
      .in('default')
      .create({ metadata: { name, annotations }, type: 'kubernetes.io/service-account-token' });
  await client
    .kind('v1', 'ConfigMap')
    .in('kube-public')
    .create({ metadata: { name: 'cluster-info' }, data: { kubeconfig: 'apiVersion: v1\n' } });
  const token = {
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-signing': 'true',
    expiration: '2026-11-18T00:10:00Z',
  };
  await secrets.in('kube-system').create({
    metadata: { name: 'bootstrap-token-signer' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { ...token, 'token-id': 'signer' },
  });
  const csr = requestCertificate({
    name: [
      [organization, 'system:nodes'],
      [commonName, 'system:node:n1'],
    ],
  });
  await client
    .as({ username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated', 'system:masters'] })
    .kind('certificates.k8s.io/v1', 'CertificateSigningRequest')
    .create({
      metadata: { name: 'request' },
      spec: {
        request: encodeBase64(new TextEncoder().encode(csr)),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      },
    });
  await client.kind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy').create({
    metadata: { name: 'policy' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      validations: [{ expression: 'object.data.size() < 10' }],
    },
  });
  await client.kind('rbac.authorization.k8s.io/v1', 'ClusterRole').create({
    metadata: { name: 'more-view', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }],
  });
  await client
    .kind('networking.k8s.io/v1', 'ServiceCIDR')
    .create({ metadata: { name: 'more' }, spec: { cidrs: ['10.200.0.0/24'] } });
}

async function causeChanges(client: Client): Promise<void> {
  const image = (name: string) => ({
    merge: { spec: { template: { spec: { containers: [{ name: 'c', image: name }] } } } },
  });
  await client.kind('apps/v1', 'Deployment').in('default').patch('d', image('new'));
  await client.kind('apps/v1', 'DaemonSet').in('default').patch('daemon', image('new'));
  await client
    .kind('apps/v1', 'StatefulSet')
    .in('default')
    .patch('set', { merge: { spec: { replicas: 1 } } });
  await client.kind('v1', 'Node').patch('node-2', { merge: { spec: { unschedulable: true } } });
  const pods = await client.kind('v1', 'Pod').in('default').list();
  for (const each of pods.items.filter(({ metadata }) => metadata.name.startsWith('job-')))
    await client
      .kind('v1', 'Pod')
      .in('default')
      .status.patch(each.metadata.name, { merge: { status: { phase: 'Succeeded' } } });
  const [web] = pods.items.filter(({ metadata }) => metadata.labels?.app === 'a');
  await client
    .kind('v1', 'Pod')
    .in('default')
    .eviction.create(web?.metadata.name ?? '', { metadata: { name: web?.metadata.name ?? '' } });
}

/** Controllers that this test gives no work. Their requests must not be denied either. */
const unexercised: readonly string[] = [
  'cronjob-controller',
  'device-taint-eviction-controller',
  'horizontal-pod-autoscaler-controller',
  'node-ipam-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-expander-controller',
  'pod-garbage-collector-controller',
  'resourceclaim-controller',
  'taint-eviction-controller',
  'ttl-after-finished-controller',
];

t.test('every controller works with the rights of its own account, and none is denied a request', async (t) => {
  const { cluster, denied, allowed } = await watchedCluster();
  await using _closing = cluster;
  await causeWork(cluster);
  t.strictSame([...new Set(denied)].sort(), []);
  const writes = [...allowed].filter((request) => / (create|update|patch|delete|deletecollection) /.test(request));
  const idle = controllerNames.filter((name) => {
    if (unexercised.includes(name)) return false;
    const { username = '' } = controllerDefinitions[name].user;
    return !writes.some((request) => request.startsWith(`${username} `) && !request.endsWith(' create events'));
  });
  t.strictSame(idle, [], 'every controller had something to write');
});

t.test('a controller whose role is taken away is refused, and the others work on', async (t) => {
  const { cluster, denied } = await watchedCluster();
  await using _closing = cluster;
  const { client } = cluster;
  await client
    .kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding')
    .delete('system:controller:deployment-controller');
  await cluster.settled();
  await client
    .kind('apps/v1', 'Deployment')
    .in('default')
    .create({ metadata: { name: 'd' }, spec: { selector, template: pod } });
  await client
    .kind('apps/v1', 'ReplicaSet')
    .in('default')
    .create({ metadata: { name: 'r' }, spec: { selector: { matchLabels: { app: 'r' } }, template: labelled('r') } });
  await cluster.advance('1m');
  const users = new Set(denied.map((request) => request.split(' ')[0]));
  t.strictSame([...users], [`${accountPrefix}deployment-controller`]);
  t.strictSame(
    (await client.kind('apps/v1', 'ReplicaSet').in('default').list()).items.map(({ metadata }) => metadata.name),
    ['r'],
  );
  t.equal((await client.kind('v1', 'Pod').in('default').list()).items.length, 1);
});

t.test('every controller has an account or is kube-controller-manager itself', (t) => {
  const names: readonly ControllerName[] = controllerNames;
  for (const name of names) {
    const { username = '' } = controllerDefinitions[name].user;
    t.ok(username.startsWith(accountPrefix) || name === 'serviceaccount-token-controller', `${name}: ${username}`);
  }
  t.end();
});
