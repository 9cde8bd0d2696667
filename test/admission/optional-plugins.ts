// Admission plugins that are off by default, each alone in front of a server.
import t from 'tap';
import type { AdmissionConfiguration } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import type { Client } from '../../lib/client/index.js';
import type { JsonObject } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { inProcessCall } from '../../lib/webhook/index.js';
import { admittingServer, podNamed } from '../support/admitting-server.js';
import type { AdmittingServer } from '../support/admitting-server.js';

const node = { username: 'system:node:a', groups: ['system:nodes', 'system:masters'] };

void t.test('NodeRestriction lets a node write itself, its pods and nothing else', async (test) => {
  const { client, as } = admittingServer(test, ['NodeRestriction']);
  const own = as(node);
  const nodes = own.kind('v1', 'Node');
  await test.rejects(nodes.create({ metadata: { name: 'b' } }), {
    message: 'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
  });
  await test.rejects(
    nodes.create({ metadata: { name: 'a', labels: { 'x.node-restriction.kubernetes.io/y': '1', 'k8s.io/z': '1' } } }),
    {
      message:
        'nodes "a" is forbidden: node "a" is not allowed to set the following labels: k8s.io/z, x.node-restriction.kubernetes.io/y',
    },
  );
  const { metadata } = await nodes.create({ metadata: { name: 'a', labels: { 'kubernetes.io/hostname': 'a' } } });
  await test.rejects(nodes.patch('a', { merge: { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } } }), {
    message: /node "a" is not allowed to modify taints$/,
  });
  await test.rejects(nodes.patch('a', { merge: { metadata: { labels: { 'kubernetes.io/x': '1' } } } }), {
    message: /is not allowed to modify labels: kubernetes.io\/x$/,
  });
  const mirror = (name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
    ...podNamed(name, { nodeName: 'a', ...spec }),
    metadata: {
      name,
      namespace: 'default',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: metadata.uid, controller: true }],
    },
  });
  const pods = own.kind('v1', 'Pod');
  await pods.create(mirror('fine'));
  for (const [pod, message] of [
    [podNamed('p', { nodeName: 'a' }), /can only create mirror pods$/],
    [mirror('p', { nodeName: 'b' }), /can only create pods with spec.nodeName set to itself$/],
    [mirror('p', { volumes: [{ name: 'v', configMap: { name: 'c' } }] }), /reference configmaps$/],
    [mirror('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }), /persistentvolumeclaims$/],
    [{ ...mirror('p'), metadata: { ...mirror('p').metadata, ownerReferences: [] } }, /with an owner reference/],
  ] as const)
    await test.rejects(pods.create(pod), { message });
  await client.kind('v1', 'Pod').create(podNamed('elsewhere', { nodeName: 'b' }));
  await test.rejects(pods.in('default').delete('elsewhere'), { message: /can only delete pods with spec.nodeName/ });
  await test.rejects(pods.in('default').status.patch('elsewhere', { merge: { status: { phase: 'Running' } } }), {
    message: /can only update pod status for pods with spec.nodeName set to itself$/,
  });
  await pods.in('default').status.patch('fine', { merge: { status: { phase: 'Running' } } });
  const leases = own.kind('coordination.k8s.io/v1', 'Lease');
  await leases.in('kube-node-lease').create({ metadata: { name: 'a' } });
  await test.rejects(leases.in('kube-node-lease').create({ metadata: { name: 'b' } }), { message: /same name/ });
  await test.rejects(leases.in('default').create({ metadata: { name: 'a' } }), {
    message: /can only access leases in/,
  });
  await client.kind('v1', 'Node').create({ metadata: { name: 'others', labels: { 'kubernetes.io/x': '1' } } });
});

void t.test('namespaces are created, or required', async (test) => {
  const provisioning = admittingServer(test, ['NamespaceAutoProvision', 'NamespaceLifecycle']).client;
  await provisioning
    .kind('v1', 'ConfigMap')
    .in('new')
    .create({ metadata: { name: 'a' } });
  test.ok(await provisioning.kind('v1', 'Namespace').get('new'));
  const { client } = admittingServer(test, ['NamespaceExists']);
  await test.rejects(
    client
      .kind('v1', 'ConfigMap')
      .in('new')
      .create({ metadata: { name: 'a' } }),
    {
      message: 'namespaces "new" not found',
    },
  );
  await client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'a' } });
});

void t.test('images are always pulled, and extended resources tolerated', async (test) => {
  const { client } = admittingServer(test, ['AlwaysPullImages', 'ExtendedResourceToleration']);
  const resources = { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } };
  const container = { name: 'c', image: 'i:1', imagePullPolicy: 'Never' as const };
  const { spec } = await client
    .kind('v1', 'Pod')
    .create(
      podNamed('a', { containers: [{ ...container, resources }], initContainers: [{ ...container, name: 'd' }] }),
    );
  test.equal(spec?.containers[0]?.imagePullPolicy, 'Always');
  test.equal(spec?.initContainers?.[0]?.imagePullPolicy, 'Always');
  test.same(spec?.tolerations, [{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
});

void t.test('zones cannot be reserved, addresses not taken over, and AlwaysDeny denies', async (test) => {
  const { client } = admittingServer(test, ['LimitPodHardAntiAffinityTopology', 'DenyServiceExternalIPs']);
  const keepAway = (topologyKey: string): Pod =>
    podNamed('p', {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { a: 'b' } } }],
        },
      },
    });
  await test.rejects(client.kind('v1', 'Pod').create(keepAway('zone')), {
    message:
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  });
  await client.kind('v1', 'Pod').create(keepAway('kubernetes.io/hostname'));
  const services = client.kind('v1', 'Service').in('default');
  const ports = [{ port: 80 }];
  await test.rejects(services.create({ metadata: { name: 's' }, spec: { ports, externalIPs: ['192.0.2.1'] } }), {
    message: 'services "s" is forbidden: Use of external IPs is denied by admission control',
  });
  await services.create({ metadata: { name: 's' }, spec: { ports } });

  const denying = admittingServer(test, ['AlwaysAdmit', 'AlwaysDeny']).client;
  await test.rejects(
    denying
      .kind('v1', 'ConfigMap')
      .in('default')
      .create({ metadata: { name: 'a' } }),
    {
      message: 'configmaps "a" is forbidden: admission control is denying all modifications',
    },
  );
});

const pluginNamed = (name: string, configuration: object): AdmissionConfiguration => ({
  plugins: [{ name, configuration }],
});

void t.test(
  'PodNodeSelector merges the selector of the namespace and keeps pods within what is permitted',
  async (test) => {
    const { client } = admittingServer(
      test,
      ['PodNodeSelector'],
      pluginNamed('PodNodeSelector', {
        podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'pool=shared', bounded: 'pool=shared,disk=ssd' },
      }),
    );
    const namespaces = client.kind('v1', 'Namespace');
    const key = 'scheduler.alpha.kubernetes.io/node-selector';
    await namespaces.create({ metadata: { name: 'own', annotations: { [key]: 'pool=own, zone = a' } } });
    await namespaces.create({ metadata: { name: 'bounded' } });
    await namespaces.create({ metadata: { name: 'wrong', annotations: { [key]: 'a=b=c' } } });
    await namespaces.create({ metadata: { name: 'badkey', annotations: { [key]: '-=b' } } });
    const create = async (namespace: string, nodeSelector?: Record<string, string>): Promise<unknown> => {
      const pods = client.kind('v1', 'Pod').in(namespace);
      const created = await pods.create({
        ...podNamed('p', nodeSelector && { nodeSelector }),
        metadata: { generateName: 'p-' },
      });
      return created.spec?.nodeSelector;
    };
    test.same(await create('default'), { pool: 'shared' });
    test.same(await create('own', { disk: 'ssd' }), { pool: 'own', zone: 'a', disk: 'ssd' });
    await test.rejects(create('own', { pool: 'other' }), {
      message: 'pods is forbidden: pod node label selector conflicts with its namespace node label selector',
    });
    test.same(await create('bounded', { disk: 'ssd' }), { pool: 'shared', disk: 'ssd' });
    await test.rejects(create('bounded', { disk: 'hdd' }), {
      message: 'pods is forbidden: pod node label selector labels conflict with its namespace whitelist',
    });
    await test.rejects(create('wrong'), { message: 'invalid selector: [a b c]', status: { code: 500 } });
    await test.rejects(create('badkey'), { message: /^<nil>: Invalid value: "-": name part must consist of/ });
    test.throws(
      () =>
        admittingServer(test, ['PodNodeSelector'], pluginNamed('PodNodeSelector', { podNodeSelectorPluginConfig: 1 })),
      {
        message: /^couldn't init admission plugin "PodNodeSelector": /,
      },
    );
  },
);

void t.test('PodTolerationRestriction adds default tolerations and permits no others', async (test) => {
  const { client } = admittingServer(
    test,
    ['PodTolerationRestriction'],
    pluginNamed('PodTolerationRestriction', {
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      default: [{ key: 'cluster', operator: 'Exists' }],
      whitelist: [
        { key: 'cluster', operator: 'Exists' },
        { operator: 'Exists', effect: 'NoSchedule' },
      ],
    }),
  );
  const namespaces = client.kind('v1', 'Namespace');
  const [defaultKey, allowedKey] = ['defaultTolerations', 'tolerationsWhitelist'].map(
    (name) => `scheduler.alpha.kubernetes.io/${name}`,
  ) as [string, string];
  await namespaces.create({
    metadata: { name: 'own', annotations: { [defaultKey]: '[{"Key":"own","operator":"Exists"}]', [allowedKey]: '' } },
  });
  await namespaces.create({ metadata: { name: 'wrong', annotations: { [defaultKey]: '{"key":"a"}' } } });
  const create = async (namespace: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Promise<unknown> => {
    const pods = client.kind('v1', 'Pod').in(namespace);
    const created = await pods.create({ ...podNamed('p', spec), metadata: { generateName: 'p-' } });
    return created.spec?.tolerations;
  };
  test.same(await create('default'), [{ key: 'cluster', operator: 'Exists' }]);
  const resources = { requests: { cpu: '1' } };
  test.same(await create('default', { containers: [{ name: 'c', image: 'i', resources }] }), [
    { key: 'cluster', operator: 'Exists' },
    { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  ]);
  const tolerations = [{ key: 'x', operator: 'Exists' as const }];
  await test.rejects(create('default', { tolerations }), {
    message: 'pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist',
    status: { code: 500 },
  });
  test.same(await create('own', { tolerations }), [...tolerations, { key: 'own', operator: 'Exists' }]);
  await test.rejects(create('wrong'), {
    message: 'json: cannot unmarshal object into Go value of type []v1.Toleration',
  });
  const pods = client.kind('v1', 'Pod');
  await pods.create(podNamed('updated'));
  const { spec } = await pods.in('default').patch('updated', { merge: { metadata: { labels: { a: 'b' } } } });
  test.same(spec?.tolerations, [{ key: 'cluster', operator: 'Exists' }], 'updates get no defaults, but keep theirs');
  test.throws(
    () =>
      admittingServer(
        test,
        ['PodTolerationRestriction'],
        pluginNamed('PodTolerationRestriction', {
          apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
          kind: 'Configuration',
          default: [{ key: 'a', operator: 'Is' }],
        }),
      ),
    { message: /: invalid config: \[podtolerationrestriction\.default\[0\]\.operator: Unsupported value: "Is"/ },
  );
});

void t.test('EventRateLimit lets through a burst, and then the rate', async (test) => {
  const limits = (...of: readonly object[]): AdmissionConfiguration =>
    pluginNamed('EventRateLimit', {
      apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      limits: of,
    });
  const { client, as, clock } = admittingServer(
    test,
    ['EventRateLimit'],
    limits({ type: 'Namespace', qps: 1, burst: 2 }, { type: 'User', qps: 10, burst: 3 }),
  );
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'other' } });
  const record = (namespace: string, by: Client = client, dryRun = false): Promise<unknown> =>
    by
      .kind('v1', 'Event')
      .in(namespace)
      .create({ metadata: { generateName: 'e-' }, involvedObject: { namespace } }, { dryRun });
  await record('default', client, true);
  await record('default');
  await record('default');
  await record('other', as({ username: 'eve', groups: ['system:masters'] }));
  await test.rejects(record('default'), {
    message: 'Too many requests: limit reached on type Namespace for key default',
    status: { code: 429, reason: 'TooManyRequests' },
  });
  const both = `[limit reached on type Namespace for key default, limit reached on type User for key ${administrator.username ?? ''}]`;
  await test.rejects(record('default'), { message: `Too many requests: ${both}` }, 'refused Events are charged');
  await clock.advance(1000);
  await record('default');
  await test.rejects(record('default'), { message: /type Namespace for key default$/ });
  for (const [configuration, message] of [
    [undefined, /limits: Invalid value: .*must not be empty$/],
    [limits({ type: 'Cluster', qps: 0, burst: 0 }), /limits\[0\]\.type: Unsupported value: "Cluster"/],
    [limits({ type: 'User', qps: 1, burst: 1, cacheSize: -1 }), /cacheSize: Invalid value: -1: must not be negative/],
  ] as const)
    test.throws(() => admittingServer(test, ['EventRateLimit'], configuration), { message });
});

void t.test('OwnerReferencesPermissionEnforcement requires delete and the finalizers of owners', async (test) => {
  const { client, as } = admittingServer(test, ['OwnerReferencesPermissionEnforcement']);
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update', 'patch', 'get'] }];
  await client.kind('rbac.authorization.k8s.io/v1', 'ClusterRole').create({ metadata: { name: 'w' }, rules });
  await client.kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding').create({
    metadata: { name: 'w' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'w' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'eve' }],
  });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '1' };
  const secrets = as({ username: 'eve' }).kind('v1', 'Secret').in('default');
  await secrets.create({ metadata: { name: 'owned', ownerReferences: [owner] } });
  await test.rejects(secrets.patch('owned', { merge: { metadata: { ownerReferences: [] } } }), {
    message: 'secrets "owned" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
  });
  await secrets.patch('owned', { merge: { metadata: { labels: { a: 'b' } } } });
  const blocking = (reference: object): Promise<unknown> =>
    secrets.create({
      metadata: { name: 'b', ownerReferences: [{ ...owner, ...reference, blockOwnerDeletion: true }] },
    });
  await test.rejects(blocking({}), {
    message:
      'secrets "b" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>',
  });
  await test.rejects(blocking({ kind: 'Nothing' }), {
    message:
      'secrets "b" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Nothing: no matches for kind "Nothing" in version "v1"',
  });
  await client
    .kind('v1', 'Secret')
    .in('default')
    .create({ metadata: { name: 'b', ownerReferences: [{ ...owner, blockOwnerDeletion: true }] } });
});

void t.test('ImagePolicyWebhook obeys a service, keeps its answers, and fails as configured', async (test) => {
  const asked: JsonObject[] = [];
  const service = (review: JsonObject): object => {
    asked.push(review);
    const { containers } = review.spec as { readonly containers: readonly { readonly image: string }[] };
    if (containers.some(({ image }) => image === 'crash')) throw new Error('no such service');
    const allowed = containers.every(({ image }) => image !== 'bad');
    return { ...review, status: { allowed, ...(allowed ? {} : { reason: 'untrusted' }) } };
  };
  const serverWith = (settings: object): AdmittingServer =>
    admittingServer(test, ['ImagePolicyWebhook'], pluginNamed('ImagePolicyWebhook', { imagePolicy: settings }), {
      imagePolicy: inProcessCall(service),
    });
  const { client, clock } = serverWith({ allowTTL: 60 });
  const create = (image: string, by: Client = client): Promise<unknown> =>
    by.kind('v1', 'Pod').create({
      ...podNamed('p', { containers: [{ name: 'c', image }] }),
      metadata: { generateName: 'p-', namespace: 'default', annotations: { 'a.image-policy.k8s.io/b': 'c', d: 'e' } },
    });
  await create('good');
  await create('good');
  test.match(asked.splice(0), [
    {
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      kind: 'ImageReview',
      spec: { containers: [{ image: 'good' }], annotations: { 'a.image-policy.k8s.io/b': 'c' }, namespace: 'default' },
    },
  ]);
  await clock.advance(60_001);
  await create('good');
  test.equal(asked.splice(0).length, 1, 'answers are kept for a minute');
  await test.rejects(create('bad'), {
    message: /is forbidden: image policy webhook backend denied one or more images: untrusted$/,
  });
  await test.rejects(create('crash'), { message: /is forbidden: no such service$/ });
  await create('crash', serverWith({ defaultAllow: true }).client);
  test.throws(() => serverWith({ denyTTL: 86_400 }), { message: /valid value is between 1s and 30m0s, got 24h0m0s$/ });
  test.throws(() => admittingServer(test, ['ImagePolicyWebhook']), { message: /no config specified$/ });
});
