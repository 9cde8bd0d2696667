// The plugin PodSecurity in front of a server: which policy applies, what is exempt, and which warnings and audit
// annotations result.
import t, { type Test } from 'tap';
import { podSecurityAdmission } from '../../lib/admission/index.js';
import { podSecuritySettings } from '../../lib/admission/pod-security/configuration.js';
import { podEvaluator } from '../../lib/admission/pod-security/evaluation.js';
import { existingPodsWarnings } from '../../lib/admission/pod-security/existing-pods.js';
import { policyOf, printLevelVersion } from '../../lib/admission/pod-security/policy.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { ObjectMeta, Pod, PodTemplateSpec } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';

const prefix = 'pod-security.kubernetes.io/';

interface Cluster {
  readonly client: Client;
  /** What the plugin said since it was last asked: warnings, and annotations without their prefix. */
  said(): { readonly warnings: readonly string[]; readonly annotations: Readonly<Record<string, string>> };
}

function clusterOf(test: Test, configuration?: unknown): Cluster {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  let warnings: string[] = [];
  let annotations: Record<string, string> = {};
  const server = createServer({
    store,
    clock,
    random: random(1),
    admission: (tools) => {
      const plugin = podSecurityAdmission(tools, configuration);
      return [
        {
          ...plugin,
          validate: (review) =>
            plugin.validate?.({
              ...review,
              warn: (text) => void warnings.push(text),
              annotate: (key, value) => void (annotations[key.slice(prefix.length)] = value),
            }),
        },
      ];
    },
  });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return {
    client: inProcessClient(server.handler, { user: administrator }),
    said() {
      const all = { warnings, annotations };
      [warnings, annotations] = [[], {}];
      return all;
    },
  };
}

function labels(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [`${prefix}${name}`, value]));
}

async function namespace(
  { client, said }: Cluster,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<void> {
  await client.kind('v1', 'Namespace').create({ metadata: { name, labels: labels(given) } });
  said();
}

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'a' } },
  spec: { hostPID: true, containers: [{ name: 'c', image: 'i' }] },
};

function hostPod(name: string, metadata: ObjectMeta = {}, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  return { metadata: { name, ...metadata }, spec: { hostPID: true, containers: [{ name: 'c', image: 'i' }], ...spec } };
}

const violation = 'host namespaces (hostPID=true)';

void t.test('a pod is refused, audited and warned about as its namespace says', async (test) => {
  const cluster = clusterOf(test);
  const { client, said } = cluster;
  await namespace(cluster, 'enforced', { enforce: 'baseline' });
  await namespace(cluster, 'observed', { audit: 'baseline', 'audit-version': 'v1.30', warn: 'baseline' });
  await namespace(cluster, 'free', {});
  const pods = client.kind('v1', 'Pod');

  await test.rejects(pods.in('enforced').create(hostPod('p')), {
    status: { code: 403, reason: 'Forbidden', details: { kind: 'pods', name: 'p' } },
    message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}`,
  });
  test.strictSame(
    said(),
    { warnings: [], annotations: { 'enforce-policy': 'baseline:latest' } },
    'what is refused is not warned about too',
  );
  await pods.in('observed').create(hostPod('p'));
  test.strictSame(said(), {
    warnings: [`would violate PodSecurity "baseline:latest": ${violation}`],
    annotations: {
      'enforce-policy': 'privileged:latest',
      'audit-violations': `would violate PodSecurity "baseline:v1.30": ${violation}`,
    },
  });
  await pods.in('free').create(hostPod('p'));
  test.strictSame(said(), { warnings: [], annotations: { 'enforce-policy': 'privileged:latest' } });

  await client
    .kind('v1', 'Namespace')
    .patch('free', { merge: { metadata: { labels: labels({ enforce: 'baseline' }) } } });
  await test.rejects(
    pods.in('free').create(hostPod('q')),
    { message: /violates PodSecurity/ },
    'a new label applies at once',
  );
});

void t.test('updates are evaluated where they change a container or its image', async (test) => {
  const cluster = clusterOf(test);
  const { client, said } = cluster;
  await namespace(cluster, 'n', {});
  const pods = client.kind('v1', 'Pod').in('n');
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } }];
  await pods.create(hostPod('p', {}, { containers }));
  await client.kind('v1', 'Namespace').patch('n', { merge: { metadata: { labels: labels({ enforce: 'baseline' }) } } });
  said();

  await pods.patch('p', { merge: { metadata: { labels: { a: 'b' } } } });
  await pods.patch('p', { strategic: { spec: { activeDeadlineSeconds: 5 } } });
  test.strictSame(said().annotations, {}, 'such an update is not evaluated');
  await test.rejects(pods.patch('p', { strategic: { spec: { containers: [{ name: 'c', image: 'other' }] } } }), {
    status: { code: 403 },
    message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}`,
  });
  await test.rejects(
    pods
      .subresource<Pod>('ephemeralcontainers')
      .patch('p', { strategic: { spec: { ephemeralContainers: [{ name: 'debug', image: 'i' }] } } }),
    { status: { code: 403 }, message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}` },
  );
  await pods.subresource<Pod>('resize').patch('p', {
    strategic: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } },
  });
  test.equal((await pods.get('p')).spec?.containers[0]?.resources?.requests?.cpu, '1', 'a resize changes no check');
});

void t.test('workloads are warned about and audited by their template, and never refused', async (test) => {
  const cluster = clusterOf(test);
  const { client, said } = cluster;
  await namespace(cluster, 'n', { enforce: 'baseline', audit: 'baseline' });
  const metadata = { name: 'w', namespace: 'n' };
  const selector = { matchLabels: { app: 'a' } };
  const restarting = {
    ...template,
    spec: { ...template.spec, containers: template.spec?.containers ?? [], restartPolicy: 'Never' as const },
  };
  const creations: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'ReplicationController',
      () => client.kind('v1', 'ReplicationController').create({ metadata, spec: { selector: { app: 'a' }, template } }),
    ],
    ['PodTemplate', () => client.kind('v1', 'PodTemplate').create({ metadata, template })],
    ['ReplicaSet', () => client.kind('apps/v1', 'ReplicaSet').create({ metadata, spec: { selector, template } })],
    ['Deployment', () => client.kind('apps/v1', 'Deployment').create({ metadata, spec: { selector, template } })],
    [
      'StatefulSet',
      () => client.kind('apps/v1', 'StatefulSet').create({ metadata, spec: { selector, template, serviceName: 's' } }),
    ],
    ['DaemonSet', () => client.kind('apps/v1', 'DaemonSet').create({ metadata, spec: { selector, template } })],
    ['Job', () => client.kind('batch/v1', 'Job').create({ metadata, spec: { template: restarting } })],
    [
      'CronJob',
      () =>
        client
          .kind('batch/v1', 'CronJob')
          .create({ metadata, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: restarting } } } }),
    ],
  ];
  const sentence = `would violate PodSecurity "baseline:latest": ${violation}`;
  for (const [kind, create] of creations) {
    await create();
    test.strictSame(said(), { warnings: [sentence], annotations: { 'audit-violations': sentence } }, kind);
  }
  await client
    .kind('v1', 'ReplicationController')
    .create({ metadata: { name: 'bare', namespace: 'n' }, spec: { replicas: 0, selector: { app: 'a' }, template } });
  said();
  await client
    .kind('apps/v1', 'Deployment')
    .in('n')
    .scale.patch('w', { merge: { spec: { replicas: 3 } } });
  test.strictSame(said().warnings, [], 'scaling is no change of the template');
});

void t.test('namespaces, users and runtime classes can be exempt', async (test) => {
  const cluster = clusterOf(test, {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: 'baseline', 'enforce-version': 'v1.30' },
    exemptions: { usernames: ['trusted'], namespaces: ['spared'], runtimeClasses: ['sandbox'] },
  });
  const { client, said } = cluster;
  const pods = client.kind('v1', 'Pod');
  await test.rejects(pods.in('default').create(hostPod('p')), {
    message: `pods "p" is forbidden: violates PodSecurity "baseline:v1.30": ${violation}`,
  });
  said();
  const trusted = client.as({ username: 'trusted', groups: ['system:masters'] }).kind('v1', 'Pod');
  await trusted.in('default').create(hostPod('p'));
  test.strictSame(said().annotations, { exempt: 'user' });
  await pods.in('default').create(hostPod('q', {}, { runtimeClassName: 'sandbox' }));
  test.strictSame(said().annotations, { exempt: 'runtimeClass' });

  await client.kind('v1', 'Namespace').create({
    metadata: { name: 'spared', labels: labels({ enforce: 'restricted', warn: 'baseline', audit: 'privileged' }) },
  });
  test.strictSame(said().warnings, [
    'namespace "spared" is exempt from Pod Security, and the policy (enforce=restricted:v1.30, warn=baseline:latest) will be ignored',
  ]);
  await pods.in('spared').create(hostPod('p'));
  test.strictSame(said().annotations, { exempt: 'namespace' });
});

void t.test('labels of namespaces must be valid when they are set, and not later', async (test) => {
  const { client } = clusterOf(test);
  const namespaces = client.kind('v1', 'Namespace');
  await test.rejects(
    namespaces.create({ metadata: { name: 'n', labels: labels({ enforce: 'strict', 'warn-version': 'v1' }) } }),
    {
      message: /^Namespace "n" is invalid: /,
      status: {
        code: 422,
        details: {
          kind: 'Namespace',
          name: 'n',
          causes: [
            {
              reason: 'FieldValueInvalid',
              field: `metadata.labels[${prefix}enforce]`,
              message: 'Invalid value: "strict": must be one of privileged, baseline, restricted',
            },
            {
              reason: 'FieldValueInvalid',
              field: `metadata.labels[${prefix}warn-version]`,
              message: 'Invalid value: "v1": must be "latest" or "v1.x"',
            },
          ],
        },
      },
    },
  );
  await namespaces.create({ metadata: { name: 'n', labels: labels({ enforce: 'baseline' }) } });
  await test.rejects(namespaces.patch('n', { merge: { metadata: { labels: labels({ audit: '' }) } } }), {
    message: /is invalid/,
  });
});

void t.test('labels that are invalid all the same are read as the safe side', (test) => {
  const { defaults } = podSecuritySettings(undefined);
  const read = (given: Readonly<Record<string, string>>): string => {
    const { policy, errors } = policyOf(labels(given), defaults);
    return [policy.enforce, policy.audit, policy.warn].map(printLevelVersion).concat(`${errors.length}`).join(' ');
  };
  test.equal(read({}), 'privileged:latest privileged:latest privileged:latest 0');
  test.equal(read({ enforce: 'x', audit: 'x', warn: 'x' }), 'restricted:latest privileged:latest privileged:latest 3');
  test.equal(
    read({ enforce: 'x' }),
    'restricted:latest privileged:latest privileged:latest 1',
    'no warning by a wrong level',
  );
  test.equal(
    read({ enforce: 'baseline', 'enforce-version': 'v1.20' }),
    'baseline:v1.20 privileged:latest baseline:v1.20 0',
  );
  test.equal(
    read({ enforce: 'baseline', 'enforce-version': 'v1.20', 'warn-version': 'v1.30' }),
    'baseline:v1.20 privileged:latest baseline:v1.30 0',
  );
  test.equal(
    read({ enforce: 'baseline', warn: 'privileged' }),
    'baseline:latest privileged:latest privileged:latest 0',
  );
  for (const version of ['v1.01', 'v2.0', '1.20', 'v1.', 'Latest', 'v1.9223372036854775808'])
    test.equal(
      read({ 'enforce-version': version }),
      'privileged:latest privileged:latest privileged:latest 1',
      version,
    );
  test.equal(read({ 'enforce-version': 'v1.99' }), 'privileged:v1.99 privileged:latest privileged:latest 0');
  test.end();
});

void t.test('a stricter level is answered with warnings about existing pods', async (test) => {
  const cluster = clusterOf(test);
  const { client, said } = cluster;
  await namespace(cluster, 'n', {});
  const pods = client.kind('v1', 'Pod').in('n');
  for (const name of ['c', 'b', 'a']) await pods.create(hostPod(name));
  await pods.create(
    hostPod('d', {}, { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] }),
  );
  said();
  const label = async (given: Record<string, string | null>): Promise<readonly string[]> => {
    await client
      .kind('v1', 'Namespace')
      .patch('n', { merge: { metadata: { labels: labels(given as Record<string, string>) } } });
    return said().warnings;
  };
  test.strictSame(await label({ enforce: 'baseline' }), [
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 2 other pods): host namespaces',
    'd: host namespaces, privileged',
  ]);
  test.strictSame(await label({ enforce: 'privileged' }), [], 'nothing can violate it');
  test.strictSame(await label({ enforce: 'baseline', 'enforce-version': 'v1.30' }), [
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:v1.30"',
    'a (and 2 other pods): host namespaces',
    'd: host namespaces, privileged',
  ]);
  test.strictSame(await label({ audit: 'restricted' }), [], 'only the level to enforce counts');
});

void t.test('existing pods are evaluated within bounds, one of each controller first', async (test) => {
  const owned = (name: string, uid: string): Pod =>
    hostPod(name, {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }],
    });
  const warningsOf = (pods: readonly Pod[], elapsedMs = 0): Promise<readonly string[]> => {
    const clock = virtualClock();
    let now = 0;
    return existingPodsWarnings({
      namespace: 'n',
      enforce: { level: 'baseline', version: 'latest' },
      evaluate: podEvaluator(),
      clock: { ...clock, elapsed: () => (now += elapsedMs) },
      exemptRuntimeClasses: new Set(['sandbox']),
      listPods: () => Promise.resolve(pods),
    });
  };
  test.strictSame(await warningsOf([]), []);
  test.strictSame(await warningsOf([hostPod('a', {}, { runtimeClassName: 'sandbox' })]), []);
  const replicas = Array.from({ length: 3000 }, (_, index) => owned(`a${index}`, 'one'));
  test.strictSame(
    await warningsOf([...replicas, owned('z', 'two')]),
    [
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      'a0 (and 2999 other pods): host namespaces',
    ],
    'the last replica is left out',
  );
  test.strictSame(
    await warningsOf([owned('b', 'one'), owned('c', 'one'), owned('a', 'two')], 600),
    [
      'new PodSecurity enforce level only checked against the first 2 of 3 existing pods',
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): host namespaces',
    ],
    'after a second, with the first pod of both controllers',
  );
  const failing = existingPodsWarnings({
    namespace: 'n',
    enforce: { level: 'baseline', version: 'latest' },
    evaluate: podEvaluator(),
    clock: virtualClock(),
    exemptRuntimeClasses: new Set(),
    listPods: () => Promise.reject(new Error('closed')),
  });
  test.strictSame(await failing, ['failed to list pods while checking new PodSecurity enforce level']);
});

void t.test('a wrong configuration is refused with all that is wrong', (test) => {
  const document = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' };
  test.throws(
    () =>
      podSecuritySettings({
        ...document,
        defaults: { enforce: 'x', 'warn-version': 'y' },
        exemptions: { namespaces: ['A', 'b', 'b'], usernames: [''], runtimeClasses: ['r', 'r'] },
      }),
    /defaults\.enforce: Invalid value: "x".*defaults\.warn-version: Invalid value: "y".*exemptions\.namespaces\[0\]: Invalid value: "A".*exemptions\.namespaces\[2\]: Duplicate value: "b".*exemptions\.runtimeClasses\[1\]: Duplicate value: "r".*exemptions\.usernames\[0\]: Invalid value: "": username must not be empty/,
  );
  test.throws(() => podSecuritySettings({ ...document, exemption: {} }), /unknown field "exemption"/);
  test.throws(() => podSecuritySettings({ ...document, apiVersion: 'v1' }), /no kind "PodSecurityConfiguration"/);
  test.strictSame(podSecuritySettings({ ...document, defaults: { audit: 'restricted' } }).defaults.audit, {
    level: 'restricted',
    version: 'latest',
  });
  test.end();
});
