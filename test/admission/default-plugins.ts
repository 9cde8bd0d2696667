// The admission plugins that are on by default, each alone in front of a server.
import t from 'tap';
import { createCluster } from '../../lib/index.js';
import { virtualClock } from '../../lib/core/index.js';
import type { Frozen } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { admittingServer, podNamed } from '../support/admitting-server.js';

void t.test('NamespaceLifecycle refuses writes into namespaces that are missing or being deleted', async (test) => {
  const { client, clock } = admittingServer(test, ['NamespaceLifecycle']);
  const [namespaces, maps] = [client.kind('v1', 'Namespace'), client.kind('v1', 'ConfigMap')];
  await test.rejects(maps.in('none').create({ metadata: { name: 'a' } }), {
    status: { code: 404, reason: 'NotFound' },
    message: 'namespaces "none" not found',
  });
  await namespaces.create({ metadata: { name: 'n' } });
  const created = await maps.in('n').create({ metadata: { name: 'a', finalizers: ['example.com/held'] } });
  await namespaces.delete('n');
  const terminating = {
    status: { code: 403, details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } },
    message: 'configmaps "b" is forbidden: unable to create new content in namespace n because it is being terminated',
  };
  await test.rejects(
    maps.in('n').create({ metadata: { name: 'b' } }),
    terminating,
    'at once, whatever the cache shows',
  );
  await clock.advance('1m');
  await test.rejects(maps.in('n').create({ metadata: { name: 'b' } }), terminating, 'and later');
  await maps.in('n').update({ ...created, data: { a: '1' } });
  await maps.in('n').delete('a');
  for (const name of ['default', 'kube-system', 'kube-public'])
    await test.rejects(namespaces.delete(name), {
      status: { code: 403 },
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
  await namespaces.delete('kube-node-lease');
  await client.kind('v1', 'Node').create({ metadata: { name: 'cluster-scoped' } });
});

void t.test('ServiceAccount gives pods an account, its token and its pull secrets', async (test) => {
  const { client } = admittingServer(test, ['ServiceAccount']);
  const [pods, accounts] = [client.kind('v1', 'Pod'), client.kind('v1', 'ServiceAccount').in('default')];
  await accounts.create({ metadata: { name: 'default' }, imagePullSecrets: [{ name: 'pull' }] });
  await accounts.create({ metadata: { name: 'closed' }, automountServiceAccountToken: false });

  const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
  const own = { name: 'own', mountPath };
  const { spec } = await pods.create(
    podNamed('a', {
      volumes: [{ name: 'own', emptyDir: {} }],
      initContainers: [{ name: 'init', image: 'i' }],
      containers: [
        { name: 'one', image: 'i' },
        { name: 'two', image: 'i', volumeMounts: [own] },
      ],
    }),
  );
  const volume = spec?.volumes?.[1]?.name ?? '';
  test.match(volume, /^kube-api-access-[a-z0-9]{5}$/);
  const mounts = [{ name: volume, readOnly: true, mountPath }];
  test.match(spec, { serviceAccountName: 'default', serviceAccount: 'default', imagePullSecrets: [{ name: 'pull' }] });
  test.same(spec?.initContainers?.[0]?.volumeMounts, mounts);
  test.same(
    spec?.containers.map(({ volumeMounts }) => volumeMounts),
    [mounts, [own]],
  );
  test.match(spec?.volumes?.[1]?.projected, {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
      { configMap: {} },
      { downwardAPI: {} },
    ],
  });

  const first = await pods.create(podNamed('r1'));
  test.equal(first.spec?.volumes?.[0]?.name, volume, 'pods of one account have one name for it');
  const [second, third] = [await pods.create(podNamed('r2')), await pods.create(podNamed('r3'))];
  test.equal(second.spec, third.spec, 'so that replicas share their specification');

  const closed = await pods.create(podNamed('b', { serviceAccountName: 'closed' }));
  test.notOk(closed.spec?.volumes, 'the account decides');
  const opened = await pods.create(podNamed('c', { serviceAccountName: 'closed', automountServiceAccountToken: true }));
  test.ok(opened.spec?.volumes, 'unless the pod does');
  const secret = await pods.create(podNamed('d', { imagePullSecrets: [{ name: 'mine' }] }));
  test.same(secret.spec?.imagePullSecrets, [{ name: 'mine' }]);
  const named = await pods.create(podNamed('e', { volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }] }));
  test.equal(named.spec?.containers[0]?.volumeMounts?.[0]?.name, 'kube-api-access-mine');
  test.equal(named.spec?.volumes?.length, 1, 'a volume of that name is used');
  await test.rejects(pods.create(podNamed('f', { serviceAccountName: 'ghost' })), {
    status: { code: 403 },
    message: 'pods "f" is forbidden: error looking up service account default/ghost: serviceaccount "ghost" not found',
  });
});

void t.test('ServiceAccount leaves the refusal of incomplete pods to validation', async (test) => {
  const { client } = admittingServer(test, ['ServiceAccount']);
  await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: { name: 'default' } });
  const pods = client.resource({ apiVersion: 'v1', kind: 'Pod' }).in('default');
  for (const spec of [{}, { containers: [] }, { containers: [{}], volumes: [{}] }, { initContainers: [{}] }])
    await test.rejects(pods.create({ metadata: { name: 'p' }, spec }), { message: /^Pod "p" is invalid: / });
});

void t.test('ServiceAccount waits for the default account, and not for ever', async (test) => {
  const { client, clock } = admittingServer(test, ['ServiceAccount']);
  const pods = client.kind('v1', 'Pod');
  const early = pods.create(podNamed('early'));
  await clock.settled();
  await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: { name: 'default' } });
  test.equal((await early).spec?.serviceAccountName, 'default', 'no time has to pass');

  const late = test.rejects(
    pods.create({ ...podNamed('late'), metadata: { name: 'late', namespace: 'kube-public' } }),
    {
      message: /serviceaccount "default" not found$/,
    },
  );
  await clock.settled();
  await clock.advance('2s');
  await late;
});

void t.test('ServiceAccount restricts mirror pods, and accounts that enforce it restrict secrets', async (test) => {
  const { client } = admittingServer(test, ['ServiceAccount']);
  const pods = client.kind('v1', 'Pod');
  const mirror = (name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
    ...podNamed(name, { nodeName: 'n', ...spec }),
    metadata: { name, namespace: 'default', annotations: { 'kubernetes.io/config.mirror': 'x' } },
  });
  test.notOk((await pods.create(mirror('fine'))).spec?.serviceAccountName);
  const token = { serviceAccountToken: { path: 'token' } };
  for (const [spec, message] of [
    [{ serviceAccountName: 'default' }, 'a mirror pod may not reference service accounts'],
    [{ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, 'a mirror pod may not reference secrets'],
    [{ imagePullSecrets: [{ name: 's' }] }, 'a mirror pod may not reference secrets'],
    [
      { volumes: [{ name: 'v', projected: { sources: [token] } }] },
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ] as const)
    await test.rejects(pods.create(mirror('m', spec as Partial<NonNullable<Pod['spec']>>)), {
      message: `pods "m" is forbidden: ${message}`,
    });

  const enforcing = { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } };
  await client
    .kind('v1', 'ServiceAccount')
    .in('default')
    .create({ metadata: enforcing, secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'pull' }] });
  const strict = (spec: Partial<NonNullable<Pod['spec']>>): Pod =>
    podNamed('p', { serviceAccountName: 'strict', automountServiceAccountToken: false, ...spec });
  const reason = 'is not allowed because service account strict does not reference that';
  const env = { name: 'E', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } };
  for (const [spec, message] of [
    [
      { volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
      `volume with secret.secretName="other" ${reason} secret`,
    ],
    [
      { containers: [{ name: 'c', image: 'i', env: [env] }] },
      `container c with envVar E referencing secret.secretName="other" ${reason} secret`,
    ],
    [
      { initContainers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'other' } }] }] },
      `init container c with envFrom referencing secret.secretName="other" ${reason} secret`,
    ],
    [{ imagePullSecrets: [{ name: 'other' }] }, `imagePullSecrets[0].name="other" ${reason} imagePullSecret`],
  ] as const)
    await test.rejects(pods.create(strict(spec as unknown as Partial<NonNullable<Pod['spec']>>)), {
      message: `pods "p" is forbidden: ${message}`,
    });
  await pods.create(strict({ volumes: [{ name: 'v', secret: { secretName: 'mine' } }] }));
});

void t.test('new nodes are tainted, and pods tolerate unready nodes for five minutes', async (test) => {
  const { client } = admittingServer(test, ['TaintNodesByCondition', 'DefaultTolerationSeconds']);
  const nodes = client.kind('v1', 'Node');
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;
  test.same((await nodes.create({ metadata: { name: 'a' } })).spec?.taints, [notReady]);
  const taints = [{ key: 'k', effect: 'NoExecute' as const }, notReady];
  test.same((await nodes.create({ metadata: { name: 'b' }, spec: { taints } })).spec?.taints, taints);

  const pods = client.kind('v1', 'Pod');
  const keysOf = (pod: Frozen<Pod>): unknown => pod.spec?.tolerations?.map(({ key }) => key);
  const [unready, unreachable] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
  const plain = await pods.create(podNamed('plain'));
  test.same(keysOf(plain), [unready, unreachable]);
  test.match(plain.spec?.tolerations?.[0], { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  const all = [{ operator: 'Exists' as const }];
  test.same((await pods.create(podNamed('all', { tolerations: all }))).spec?.tolerations, all);
  const one = [{ key: unready, operator: 'Exists' as const, effect: 'NoSchedule' as const }];
  test.same(keysOf(await pods.create(podNamed('one', { tolerations: one }))), [unready, unready, unreachable]);
});

void t.test('claims and ingresses without a class get the default one', async (test) => {
  const { client, clock } = admittingServer(test, ['DefaultStorageClass', 'DefaultIngressClass']);
  const classes = client.kind('storage.k8s.io/v1', 'StorageClass');
  const claims = client.kind('v1', 'PersistentVolumeClaim').in('default');
  const claim = (name: string, storageClassName?: string): Parameters<typeof claims.create>[0] => ({
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  });
  test.notOk((await claims.create(claim('none'))).spec?.storageClassName);
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await classes.create({ metadata: { name: 'old', annotations }, provisioner: 'p' });
  await clock.advance('2s');
  await classes.create({ metadata: { name: 'new', annotations }, provisioner: 'p' });
  test.equal((await claims.create(claim('a'))).spec?.storageClassName, 'new');
  test.equal((await claims.create(claim('b', 'old'))).spec?.storageClassName, 'old');
  test.equal((await claims.create(claim('c', ''))).spec?.storageClassName, '', 'the empty class is one');

  const ingresses = client.kind('networking.k8s.io/v1', 'Ingress').in('default');
  const backend = { service: { name: 's', port: { number: 80 } } };
  await client.kind('networking.k8s.io/v1', 'IngressClass').create({
    metadata: { name: 'usual', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'example.com/c' },
  });
  const ingress = await ingresses.create({ metadata: { name: 'a' }, spec: { defaultBackend: backend } });
  test.equal(ingress.spec?.ingressClassName, 'usual');
  const legacy = { name: 'b', annotations: { 'kubernetes.io/ingress.class': 'nginx' } };
  const old = await ingresses.create({ metadata: legacy, spec: { defaultBackend: backend } });
  test.notOk(old.spec?.ingressClassName);
});

void t.test('storage in use is protected, and grows only where its class allows it', async (test) => {
  const { client } = admittingServer(test, ['StorageObjectInUseProtection', 'PersistentVolumeClaimResize']);
  const classes = client.kind('storage.k8s.io/v1', 'StorageClass');
  await classes.create({ metadata: { name: 'fixed' }, provisioner: 'p' });
  await classes.create({ metadata: { name: 'growing' }, provisioner: 'p', allowVolumeExpansion: true });
  const claims = client.kind('v1', 'PersistentVolumeClaim').in('default');
  for (const storageClassName of ['fixed', 'growing']) {
    const { metadata } = await claims.create({
      metadata: { name: storageClassName },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName },
    });
    test.same(metadata.finalizers, ['kubernetes.io/pvc-protection']);
  }
  const larger = { merge: { spec: { resources: { requests: { storage: '2Gi' } } } } };
  for (const name of ['fixed', 'growing']) await claims.status.patch(name, { merge: { status: { phase: 'Bound' } } });
  await test.rejects(claims.patch('fixed', larger), {
    message:
      'persistentvolumeclaims "fixed" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  });
  test.equal((await claims.patch('growing', larger)).spec?.resources?.requests?.storage, '2Gi');

  const volume = await client.kind('v1', 'PersistentVolume').create({
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } },
  });
  test.same(volume.metadata.finalizers, ['kubernetes.io/pv-protection']);
  const held = { name: 'a', finalizers: ['kubernetes.io/vac-protection'] };
  const attributes = client.kind('storage.k8s.io/v1', 'VolumeAttributesClass');
  const created = await attributes.create({ metadata: held, driverName: 'd', parameters: { a: 'b' } });
  test.same(created.metadata.finalizers, held.finalizers, 'once');
});

void t.test('RuntimeClass merges overhead, selector and tolerations into pods', async (test) => {
  const { client } = admittingServer(test, ['RuntimeClass']);
  const pods = client.kind('v1', 'Pod');
  const toleration = { key: 'rc', operator: 'Exists' as const, effect: 'NoSchedule' as const };
  await client.kind('node.k8s.io/v1', 'RuntimeClass').create({
    metadata: { name: 'sandbox' },
    handler: 'h',
    overhead: { podFixed: { memory: '1Mi' } },
    scheduling: { nodeSelector: { rc: 'x' }, tolerations: [toleration] },
  });
  const narrower = { key: 'rc', operator: 'Equal' as const, value: 'v', effect: 'NoSchedule' as const };
  const { spec } = await pods.create(
    podNamed('a', { runtimeClassName: 'sandbox', nodeSelector: { own: 'y' }, tolerations: [narrower] }),
  );
  test.match(spec, { overhead: { memory: '1Mi' }, nodeSelector: { own: 'y', rc: 'x' } });
  test.same(spec?.tolerations, [toleration], 'the wider one is kept');
  await pods.create(podNamed('same', { runtimeClassName: 'sandbox', overhead: { memory: '1024Ki' } }));
  const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  for (const [given, message] of [
    [{ runtimeClassName: 'ghost' }, 'pod rejected: RuntimeClass "ghost" not found'],
    [{ runtimeClassName: 'sandbox', overhead: { memory: '2Mi' } }, mismatch],
    [
      { overhead: { memory: '2Mi' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      { runtimeClassName: 'sandbox', nodeSelector: { rc: 'other' } },
      'conflict: runtimeClass.scheduling.nodeSelector[rc] = x; pod.spec.nodeSelector[rc] = other',
    ],
  ] as const)
    await test.rejects(pods.create(podNamed('b', given)), { message: `pods "b" is forbidden: ${message}` });
});

void t.test('pods carry the zone and region of their node', async (test) => {
  const { client } = admittingServer(test, ['PodTopologyLabels']);
  const [zone, region] = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];
  const labels = { [zone]: 'z', [region]: 'r', 'topology.kubernetes.io/rack': 'k' };
  await client.kind('v1', 'Node').create({ metadata: { name: 'n', labels } });
  const pods = client.kind('v1', 'Pod');
  const placed = await pods.create(podNamed('placed', { nodeName: 'n' }));
  test.same(placed.metadata.labels, { [zone]: 'z', [region]: 'r' });
  await pods.create({ ...podNamed('p'), metadata: { name: 'p', namespace: 'default', labels: { [zone]: 'mine' } } });
  await pods.in('default').binding.create('p', { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } });
  test.same((await pods.in('default').get('p')).metadata.labels, { [zone]: 'z', [region]: 'r' });
});

void t.test('resizing a pod needs a node that can follow', async (test) => {
  const { client } = admittingServer(test, ['PodResizeValidator', 'NodeDeclaredFeatureValidator']);
  const node = (name: string, os: string, cpu: string): object => ({
    metadata: { name, labels: { 'kubernetes.io/os': os } },
    status: { allocatable: { cpu, memory: '1Gi' }, capacity: { cpu, memory: '1Gi' } },
  });
  for (const [name, os] of [
    ['linux', 'linux'],
    ['windows', 'windows'],
  ] as const)
    await client.kind('v1', 'Node').create(node(name, os, '2'));
  const pods = client.kind('v1', 'Pod').in('default');
  const resources = (cpu: string): { requests: Record<string, string>; limits: Record<string, string> } => ({
    requests: { cpu, memory: '1Mi' },
    limits: { cpu, memory: '1Mi' },
  });
  for (const name of ['linux', 'windows'])
    await pods.create(
      podNamed(name, { nodeName: name, containers: [{ name: 'c', image: 'i', resources: resources('1') }] }),
    );
  const resize = (name: string, cpu: string): Promise<unknown> =>
    pods.resize.patch(name, { strategic: { spec: { containers: [{ name: 'c', resources: resources(cpu) }] } } });
  await resize('linux', '1500m');
  await test.rejects(resize('linux', '3'), {
    status: { code: 403, details: { causes: [{ reason: 'NodeCapacity' }] } },
    message:
      'pods "linux" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3000, allocatable: 2000',
  });
  await test.rejects(resize('windows', '1500m'), {
    message: /only supported on linux nodes, node "windows" is "windows"$/,
  });
});

void t.test('signing requires its own verb, and a request for system:masters is refused', async (test) => {
  const { client, as } = admittingServer(test, [
    'CertificateApproval',
    'CertificateSigning',
    'CertificateSubjectRestriction',
  ]);
  const requests = client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest');
  const create = (name: string, request: string): Promise<unknown> =>
    requests.create({
      metadata: { name },
      spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    });
  await test.rejects(create('evil', mastersRequest), {
    message:
      'certificatesigningrequests.certificates.k8s.io "evil" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  });
  await create('jane', ordinaryRequest);
  const grant = async (name: string, rule: object): Promise<void> => {
    const rbac = 'rbac.authorization.k8s.io';
    await client
      .kind(`${rbac}/v1`, 'ClusterRole')
      .create({ metadata: { name }, rules: [{ apiGroups: ['certificates.k8s.io'], verbs: [], ...rule }] });
    await client.kind(`${rbac}/v1`, 'ClusterRoleBinding').create({
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'alice' }],
    });
  };
  const alice = as({ username: 'alice', groups: ['system:authenticated'] }).kind(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
  );
  await grant('write', {
    resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    verbs: ['update', 'patch'],
  });
  const approve = (): Promise<unknown> =>
    alice.approval.patch('jane', {
      merge: { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'R', message: 'm' }] } },
    });
  const sign = (): Promise<unknown> =>
    alice.status.patch('jane', {
      merge: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'R', message: 'm' }] } },
    });
  await test.rejects(approve(), {
    message: /user not permitted to approve requests with signerName "kubernetes.io\/kube-apiserver-client"$/,
  });
  await test.rejects(sign(), { message: /user not permitted to sign requests with signerName/ });
  await grant('signer', { resources: ['signers'], resourceNames: ['kubernetes.io/*'], verbs: ['approve', 'sign'] });
  await approve();
});

void t.test('a new cluster takes pods at once, also in a new namespace', async (test) => {
  const cluster = await createCluster({ clock: virtualClock(), nodes: 1 });
  test.teardown(() => cluster.close());
  const pods = cluster.client.kind('v1', 'Pod');
  test.equal((await pods.create(podNamed('first'))).spec?.serviceAccountName, 'default');
  await cluster.client.kind('v1', 'Namespace').create({ metadata: { name: 'fresh' } });
  const pod = await pods.create({ ...podNamed('second'), metadata: { name: 'second', namespace: 'fresh' } });
  test.equal(pod.spec?.serviceAccountName, 'default');
  await cluster.settled();
  test.equal((await pods.in('fresh').get('second')).spec?.nodeName, 'node-1');
});

void t.test('without the controllers that they wait for, two plugins are left out', async (test) => {
  const cluster = await createCluster({ clock: virtualClock(), controllers: [] });
  test.teardown(() => cluster.close());
  test.notOk((await cluster.client.kind('v1', 'Pod').create(podNamed('a'))).spec?.serviceAccountName);
  test.notOk((await cluster.client.kind('v1', 'Node').create({ metadata: { name: 'n' } })).spec?.taints);
  await test.rejects(
    cluster.client
      .kind('v1', 'ConfigMap')
      .in('none')
      .create({ metadata: { name: 'a' } }),
    {
      message: 'namespaces "none" not found',
    },
  );
});

/** O=system:masters, CN=evil. */
const mastersRequest = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ2JUQ0NBVlVDQVFBd0tERVhNQlVHQTFVRUNnd09jM2x6ZEdW',
  'dE9tMWhjM1JsY25NeERUQUxCZ05WQkFNTQpCR1YyYVd3d2dnRWlNQTBHQ1NxR1NJYjNEUUVCQVFVQUE0SUJEd0F3Z2dFS0FvSUJB',
  'UURJVWo3NXNkNGJDQ2M3CnBaWFREK0tPcURwUkhWTm1RZmEycWtQM0ZCNENpYmRIaEtlOU5DTnBXR2hBSGhSRjBlWkl0L3hCaVAx',
  'VmxhbEkKeFc2TS9yNjA1ZTNDNGdEb2s5YVN2RWRwL1QzZWNIclBWUFBFVUN3ajhtQUc1TDI0YjRkQVRTazZhL1pFYWl3RgpTaFZL',
  'VCtxZ3lBcTB4MXJZajl5QTRXVkN5NnozZjMxTStJZXRNd2xJRE1udEhlTGZzQkszd2FlTHJ1b2VBT1l1CmF5UnJFQ0s5eFE5OThz',
  'c2dpQXN6ZHZ1ZjQ3QU9CMk1yVVRjVS9BSVBLVTFMRkRzQ2xtQnR5UTFra08rMks5bjEKREU4VkFFQklpc2IwVG9Kam9Oc1IzUjMx',
  'Qnp1b3RwVjU3NXR3MmFXeWRSSEJBTzIrblljRktpa09XNUwrem5SegpEZ3dteG9nckFnTUJBQUdnQURBTkJna3Foa2lHOXcwQkFR',
  'c0ZBQU9DQVFFQVNLUGJmNWRPbGhzUEQwaGJieGF1ClhLazFFQzNRWFVWYTNsWURUZFhOYjRpOGVWL3RPZUVnbUJEdGxYWkk3Ti9I',
  'R1VtWms4MEpNOU04d044dUhseHoKM1BSNXNwZTdlSFhjMGVHUlN6RnBoanhhODVRdGcvV3BrWEsvV1ZhZklCTlZ0cW9Vb0UzaEx0',
  'VDgxdU44eWRCZwppdHV5NjZHL0E4YU51RmlZcGs4VCs2TkdxN0piNXA3WllwN0d0OWZtcDZ2N0QrVmNTTWd0bytFbE83NjZNNDRM',
  'CmhneFZiUTkwWW1reGthWWpHeXZpWU1JK0loc2NPbHV3emFVMC8wRjZ5dFhtdTRBa0tKL2Zsb0V0amVxNzZNNlYKSVpYREpzZGpx',
  'cHZCcG50Qy9XTWlUU2plcnV4ZDRHQzBjZVBlMU9pNFhENnEzTFZ0L3pwdkhPRU9nUTg0K1JjSQovUT09Ci0tLS0tRU5EIENFUlRJ',
  'RklDQVRFIFJFUVVFU1QtLS0tLQo=',
].join('');

/** CN=jane, O=devs. */
const ordinaryRequest = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ1l6Q0NBVXNDQVFBd0hqRU5NQXNHQTFVRUF3d0VhbUZ1WlRF',
  'Tk1Bc0dBMVVFQ2d3RVpHVjJjekNDQVNJdwpEUVlKS29aSWh2Y05BUUVCQlFBRGdnRVBBRENDQVFvQ2dnRUJBTVJFdkVjN2NwbnRP',
  'ajk4WTh2cm9ZNy94MHM3CkpDYnVNN1d5dklRcmtXVFpSQUdCbzFYUFUwN0JMYlhPamZGTHlIOVpLL2dwMTRFZ3EzbUJpNU9zbDk4',
  'V3IxZFcKcGhSNHZXdENXTHZPOXU0YzNRRGc5TFBJYS9VWWE5Q2t0dkRud1Y4QjhPZGRUdEdjMTdUMG9hcXpKSWkwZXVqdwpQbTdN',
  'aWhoUzN3QTB4MCtIMGpaV08wbkVhNnFTeENSWFZaL1hVbXlXQXFlVHRaRlhJK1hDVHJrOVZvS1FKUzVRCjNzbm1XamRBVFZZNS9G',
  'Q1dQZms4T09KazlVSGJjM2tSU1pYRnJWd29tRkNEdzNlbGd3VitERXZmZmdva3NNYngKa0l0M3ZvQ3ZIVUY3bmxPUEhhMlNNUXdo',
  'Z0lUSVI0RnhndU1QZG90eFFkZFlqc21zVjlCd2NEMHA4eTBDQXdFQQpBYUFBTUEwR0NTcUdTSWIzRFFFQkN3VUFBNElCQVFBdHd6',
  'UW55ZExjVnlnaHg1M21TOFpoMWNkaWZ0T3dSUW9MCjJ1RzNXakZWeGJUczF0dWdhMTEvc3FmeHVjVk01bkkxcnREYTRpRC9xQVZM',
  'SHRaSkticHRHbFFXWk5ZdDBNbzUKNTVSRU5xcTlpaFlOSFNXUU9ETC9rNFhGZ3kzZlJrWk1MbFRkeFV3VmdldE9WL0RnMjJ4Y3h2',
  'aXdjRXVQLzFhUQpNaUZOQ2g0bW9QelJRN0srSG1NRWh6ZHJxVmI2VmxHSEplTkluenBvM0lBNy96QW4weHBoUUR1OXFZbVFoNzJx',
  'CkVaeGErbE9qTm1MS0tOM0VWbGhSa2czNVNoMTRFS0RPYVg4TWFtc2gyNWREZ3lKRjV0aUZqVjlpZEhrRWF0bjQKNHlmbU9EcFJM',
  'dGNuMWtiekRUQUtGMEtybTBtQmNHY3prODVjYzlNOUFtOFdnN0FEcmFQbAotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0t',
  'LS0K',
].join('');
