// The Kubernetes client of Node against our server, over TLS with the kubeconfig that the server writes.
import {
  ApiException,
  AppsV1Api,
  AuthenticationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  RbacAuthorizationV1Api,
  Watch,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { V1ConfigMap, V1CronJob, V1Deployment } from '@kubernetes/client-node';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { filter, firstValueFrom } from 'rxjs';
import t, { type Test } from 'tap';
import { httpClient } from '../../lib/client/index.js';
import { connect, inClusterAccess } from '../../lib/client/node/index.js';
import { systemClock, systemRandom, watcher } from '../../lib/core/index.js';
import { eventQueue } from '../support/event-queue.js';
import { fewControllers, startServer } from '../support/served.js';

const server = await startServer(fewControllers);
t.teardown(() => server.close());
const config = new KubeConfig();
config.loadFromString(server.kubeconfig);
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): V1ConfigMap => ({ metadata: { name, labels }, data });

/** A namespace of the test's own. */
async function makeNamespace(name: string): Promise<string> {
  await core.createNamespace({ body: { metadata: { name } } });
  return name;
}

t.test('objects are created, read, replaced and deleted', async (t) => {
  const namespace = await makeNamespace('verbs');
  const created = await core.createNamespacedConfigMap({ namespace, body: configMap('a', { k: 'v' }) });
  t.match(created, {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace, uid: /^[-0-9a-f]{36}$/, creationTimestamp: Date },
    data: { k: 'v' },
  });
  t.strictSame(await core.readNamespacedConfigMap({ namespace, name: 'a' }), created);

  const replaced = await core.replaceNamespacedConfigMap({
    namespace,
    name: 'a',
    body: { metadata: { name: 'a', resourceVersion: created.metadata?.resourceVersion ?? '' }, data: { k: 'w' } },
  });
  t.same(replaced.data, { k: 'w' });
  t.equal(replaced.metadata?.uid, created.metadata?.uid);
  t.ok(
    Number(replaced.metadata?.resourceVersion) > Number(created.metadata?.resourceVersion),
    'a write has a later resourceVersion',
  );

  t.match(await core.deleteNamespacedConfigMap({ namespace, name: 'a' }), {
    status: 'Success',
    details: { name: 'a', kind: 'configmaps', uid: created.metadata?.uid },
  });
  t.same((await core.listNamespacedConfigMap({ namespace })).items, []);

  for (const name of ['b', 'c', 'd'])
    await core.createNamespacedConfigMap({ namespace, body: configMap(name, {}, { half: name < 'd' ? '1' : '2' }) });
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'half=1' });
  t.same(
    (await core.listNamespacedConfigMap({ namespace })).items.map(({ metadata }) => metadata?.name),
    ['d'],
  );
});

t.test('dry runs change nothing', async (t) => {
  const namespace = await makeNamespace('dry');
  t.match(await core.createNamespacedConfigMap({ namespace, body: configMap('a'), dryRun: 'All' }), {
    metadata: { name: 'a', uid: String },
  });
  t.same((await core.listNamespacedConfigMap({ namespace })).items, []);
});

t.test('patches of each kind', async (t) => {
  const namespace = await makeNamespace('patches');
  const body: V1Deployment = {
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            { name: 'a', image: 'a:1' },
            { name: 'b', image: 'b:1' },
          ],
        },
      },
    },
  };
  t.match(
    await apps.createNamespacedDeployment({ namespace, body }),
    { spec: { replicas: 1, strategy: { type: 'RollingUpdate' } } },
    'with defaults',
  );
  const patch = (kind: PatchStrategy, what: unknown): Promise<V1Deployment> =>
    apps.patchNamespacedDeployment({ name: 'web', namespace, body: what }, setHeaderOptions('Content-Type', kind));
  const strategic = await patch(PatchStrategy.StrategicMergePatch, {
    spec: { template: { spec: { containers: [{ name: 'b', image: 'b:2' }] } } },
  });
  t.same(
    strategic.spec?.template.spec?.containers.map(({ image }) => image),
    ['a:1', 'b:2'],
    'a strategic patch merges lists by their keys',
  );
  const merged = await patch(PatchStrategy.MergePatch, {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'c:1' }] } } },
  });
  t.same(
    merged.spec?.template.spec?.containers.map(({ name }) => name),
    ['c'],
    'a merge patch replaces lists',
  );
  const json = await patch(PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 4 }]);
  t.equal(json.spec?.replicas, 4);
  t.equal(json.metadata?.generation, 4);
  const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace });
  scale.spec = { replicas: 7 };
  const scaled = await apps.replaceNamespacedDeploymentScale({ name: 'web', namespace, body: scale });
  t.match(scaled, { kind: 'Scale', spec: { replicas: 7 }, status: { replicas: 0, selector: 'app=web' } });
  const status = await apps.patchNamespacedDeploymentStatus(
    { name: 'web', namespace, body: { status: { replicas: 3 } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  t.match(status, { status: { replicas: 3 }, spec: { replicas: 7 }, metadata: { generation: 5 } });
});

t.test('lists come in pages and by selectors', async (t) => {
  const namespace = await makeNamespace('lists');
  for (let n = 0; n < 7; n++)
    await core.createNamespacedConfigMap({
      namespace,
      body: configMap(`c${n}`, {}, { parity: n % 2 === 0 ? 'even' : 'odd' }),
    });
  const names: string[] = [];
  const versions = new Set<string | undefined>();
  let next: string | undefined;
  do {
    const page = await core.listNamespacedConfigMap({
      namespace,
      limit: 3,
      ...(next !== undefined && { _continue: next }),
    });
    names.push(...page.items.map(({ metadata }) => metadata?.name ?? ''));
    versions.add(page.metadata?.resourceVersion);
    next = page.metadata?._continue;
    if (names.length === 3) {
      t.equal(page.metadata?.remainingItemCount, 4);
      await core.createNamespacedConfigMap({ namespace, body: configMap('c9') });
    }
  } while (next !== undefined && next !== '');
  t.same(names, ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'], 'what came after the first page is on none');
  t.equal(versions.size, 1, 'all pages are of one state');
  const labelled = await core.listNamespacedConfigMap({ namespace, labelSelector: 'parity in (odd)' });
  t.same(
    labelled.items.map(({ metadata }) => metadata?.name),
    ['c1', 'c3', 'c5'],
  );
  const one = await core.listConfigMapForAllNamespaces({
    fieldSelector: `metadata.namespace=${namespace},metadata.name=c4`,
  });
  t.same(
    one.items.map(({ metadata }) => metadata?.name),
    ['c4'],
  );
});

t.test('refusals are ApiExceptions with a Status', async (t) => {
  const namespace = await makeNamespace('refusals');
  await core.createNamespacedConfigMap({ namespace, body: configMap('a') });
  const refused = async (call: Promise<unknown>, code: number, status: object): Promise<void> => {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof ApiException)) return void t.fail(`not an ApiException: ${String(error)}`);
    t.equal(error.code, code);
    t.match(JSON.parse(String(error.body)), { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...status });
  };
  await refused(core.readNamespacedConfigMap({ namespace, name: 'none' }), 404, {
    reason: 'NotFound',
    message: 'configmaps "none" not found',
    details: { name: 'none', kind: 'configmaps' },
  });
  await refused(core.createNamespacedConfigMap({ namespace, body: configMap('a') }), 409, {
    reason: 'AlreadyExists',
    message: 'configmaps "a" already exists',
  });
  await refused(
    core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { metadata: { name: 'a', resourceVersion: '1' } } }),
    409,
    {
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    },
  );
  await refused(
    core.createNamespacedPod({ namespace, body: { metadata: { name: 'p' }, spec: { containers: [] } } }),
    422,
    {
      reason: 'Invalid',
      message: 'Pod "p" is invalid: spec.containers: Required value',
      details: {
        name: 'p',
        kind: 'Pod',
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' }],
      },
    },
  );
  await refused(core.listNamespacedConfigMap({ namespace, labelSelector: 'a in (' }), 400, { reason: 'BadRequest' });
  await refused(core.listNamespacedConfigMap({ namespace, _continue: 'nonsense' }), 400, { reason: 'BadRequest' });
});

t.test('a watch emits changes, and ends when it is aborted', async (t) => {
  const namespace = await makeNamespace('watches');
  const { metadata } = await core.createNamespacedConfigMap({ namespace, body: configMap('before') });
  const events = eventQueue<string>();
  let ended: (reason: unknown) => void = () => undefined;
  const end = new Promise<unknown>((resolve) => (ended = resolve));
  const controller = await new Watch(config).watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    { resourceVersion: metadata?.resourceVersion, labelSelector: 'seen=yes' },
    (type, object: V1ConfigMap) => events.push(`${type} ${object.metadata?.name}`),
    ended,
  );
  await core.createNamespacedConfigMap({ namespace, body: configMap('hidden') });
  await core.createNamespacedConfigMap({ namespace, body: configMap('shown', {}, { seen: 'yes' }) });
  t.equal(await events.next(), 'ADDED shown');
  await core.replaceNamespacedConfigMap({
    namespace,
    name: 'shown',
    body: configMap('shown', { k: 'v' }, { seen: 'yes' }),
  });
  t.equal(await events.next(), 'MODIFIED shown');
  await core.replaceNamespacedConfigMap({ namespace, name: 'before', body: configMap('before', {}, { seen: 'yes' }) });
  t.equal(await events.next(), 'ADDED before', 'it comes into the selection');
  await core.replaceNamespacedConfigMap({ namespace, name: 'before', body: configMap('before') });
  t.equal(await events.next(), 'DELETED before', 'and leaves it');
  await core.deleteNamespacedConfigMap({ namespace, name: 'shown' });
  t.equal(await events.next(), 'DELETED shown');
  controller.abort();
  await end;

  const over = new Promise<unknown>(
    (resolve) =>
      void new Watch(config).watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        { timeoutSeconds: 1 },
        (type) => events.push(type),
        resolve,
      ),
  );
  t.equal(await events.next(), 'ADDED', 'without a version it begins with what there is');
  t.equal(await over, null, 'the server ends it in good order');
});

t.test('an informer keeps up, also when its connection ends', async (t) => {
  const namespace = await makeNamespace('informed');
  await core.createNamespacedConfigMap({ namespace, body: configMap('a') });
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
  );
  t.teardown(() => informer.stop());
  const events = eventQueue<string>();
  informer.on('add', ({ metadata }) => events.push(`add ${metadata?.name}`));
  informer.on('update', ({ metadata }) => events.push(`update ${metadata?.name}`));
  informer.on('delete', ({ metadata }) => events.push(`delete ${metadata?.name}`));
  informer.on('error', (error) => events.push(`error ${String(error)}`));
  await informer.start();
  t.equal(await events.next(), 'add a');
  await core.createNamespacedConfigMap({ namespace, body: configMap('b') });
  t.equal(await events.next(), 'add b');
  await informer.stop();
  await core.replaceNamespacedConfigMap({ namespace, name: 'a', body: configMap('a', { k: 'v' }) });
  await core.deleteNamespacedConfigMap({ namespace, name: 'b' });
  await core.createNamespacedConfigMap({ namespace, body: configMap('c') });
  const errors = await startAgain(informer, events);
  t.same(
    [await events.next(), await events.next(), await events.next()],
    ['update a', 'delete b', 'add c'],
    'it resumes where it was',
  );
  t.comment(errors);
  t.same(
    informer
      .list(namespace)
      .map(({ metadata }) => metadata?.name)
      .sort(),
    ['a', 'c'],
  );
});

/** Starts an informer that was stopped. Its old connection ends with an error, which is consumed here. */
async function startAgain(informer: { start(): Promise<void> }, events: { next(): Promise<string> }): Promise<string> {
  const error = await events.next();
  await informer.start();
  return error;
}

t.test('objects of any kind', async (t) => {
  const namespace = await makeNamespace('objects');
  const any = KubernetesObjectApi.makeApiClient(config);
  const job: V1CronJob = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'j', namespace },
    spec: {
      schedule: '@daily',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
    },
  };
  const created = await any.create(job);
  t.match(created, { spec: { schedule: '@daily', concurrencyPolicy: 'Allow', suspend: false } });
  const ref = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'j', namespace } };
  t.match(await any.read(ref), { kind: 'CronJob', metadata: { uid: created.metadata?.uid } });
  const patched = await any.patch(
    { ...ref, ...{ spec: { suspend: true } } },
    undefined,
    undefined,
    undefined,
    undefined,
    PatchStrategy.MergePatch,
  );
  t.match(patched, { spec: { suspend: true, schedule: '@daily' } });
  t.match(
    await any.replace({ ...patched, metadata: { ...patched.metadata, name: 'j', namespace, labels: { l: 'v' } } }),
    { metadata: { labels: { l: 'v' } } },
  );
  t.equal(
    (await any.list('batch/v1', 'CronJob', namespace, undefined, undefined, undefined, undefined, 'l=v')).items.length,
    1,
  );
  t.match(await any.delete(ref), { status: 'Success' });
  await t.rejects(any.read(ref), { code: 404 });
  await t.rejects(any.create({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' } }), {
    message: 'Unrecognized API version and kind: v1 Thing',
  });
});

/** A ServiceAccount and the files that a kubelet would give its pods. */
interface PodLike {
  readonly namespace: string;
  /** What the paths begin with. */
  readonly prefix: string;
  readonly folder: string;
  readonly environment: Readonly<Record<'KUBERNETES_SERVICE_HOST' | 'KUBERNETES_SERVICE_PORT', string>>;
  /** Writes a new token into the file and returns its identity. */
  renew(): Promise<string>;
  /** Lets it get, list and watch ConfigMaps. */
  allow(): Promise<void>;
  refuse(): Promise<void>;
}

async function podLike(t: Test, name: string): Promise<PodLike> {
  const namespace = await makeNamespace(name);
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'robot' } } });
  await core.createNamespacedConfigMap({ namespace, body: configMap('a') });
  const prefix = mkdtempSync(join(tmpdir(), 'vivarium-pod-'));
  t.teardown(() => rmSync(prefix, { recursive: true }));
  const folder = join(prefix, 'var/run/secrets/kubernetes.io/serviceaccount');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ca.crt'), Buffer.from(config.getCurrentCluster()?.caData ?? '', 'base64'));
  writeFileSync(join(folder, 'namespace'), namespace);
  const renew = async (): Promise<string> => {
    const { status } = await core.createNamespacedServiceAccountToken({
      namespace,
      name: 'robot',
      body: { spec: { audiences: [] } },
    });
    writeFileSync(join(folder, 'token'), status?.token ?? '');
    const claims = JSON.parse(Buffer.from(status?.token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly jti: string;
    };
    return `JTI=${claims.jti}`;
  };
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  await rbac.createNamespacedRole({
    namespace,
    body: {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
    },
  });
  return {
    namespace,
    prefix,
    folder,
    environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: `${server.port}` },
    renew,
    allow: async () => {
      await rbac.createNamespacedRoleBinding({
        namespace,
        body: {
          metadata: { name: 'readers' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
          subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
        },
      });
    },
    refuse: async () => {
      await rbac.deleteNamespacedRoleBinding({ namespace, name: 'readers' });
    },
  };
}

const refusal = (namespace: string): string =>
  `configmaps is forbidden: User "system:serviceaccount:${namespace}:robot" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`;

t.test('client-node as in a pod: a ServiceAccount with a token that is renewed', async (t) => {
  const { namespace, prefix, environment, renew, allow, refuse } = await podLike(t, 'in-cluster');
  const first = await renew();
  for (const [name, value] of Object.entries(environment)) {
    process.env[name] = value;
    t.teardown(() => delete process.env[name]);
  }
  const pod = new KubeConfig();
  pod.loadFromCluster(prefix);
  t.equal(pod.getContextObject(pod.getCurrentContext())?.namespace, namespace);
  const own = pod.makeApiClient(CoreV1Api);
  const list = (): ReturnType<typeof own.listNamespacedConfigMap> => own.listNamespacedConfigMap({ namespace });
  const refused = async (): Promise<void> => {
    const error: unknown = await list().catch((reason: unknown) => reason);
    t.ok(error instanceof ApiException && error.code === 403);
    t.match(JSON.parse(String((error as ApiException<unknown>).body)), {
      reason: 'Forbidden',
      message: refusal(namespace),
    });
  };
  await refused();
  const informer = makeInformer(pod, `/api/v1/namespaces/${namespace}/configmaps`, list);
  t.teardown(() => informer.stop());
  const events = eventQueue<string>();
  informer.on('add', ({ metadata }) => events.push(`add ${metadata?.name}`));
  informer.on('error', (error: unknown) => events.push(error instanceof ApiException ? `error ${error.code}` : 'end'));
  await informer.start();
  t.equal(await events.next(), 'error 403');
  await allow();
  await informer.start();
  t.equal(await events.next(), 'add a');
  await core.createNamespacedConfigMap({ namespace, body: configMap('b') });
  t.equal(await events.next(), 'add b', 'it watches as the ServiceAccount');
  await informer.stop();

  const identity = async (): Promise<string | undefined> =>
    (await pod.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })).status?.userInfo?.extra?.[
      'authentication.kubernetes.io/credential-id'
    ]?.[0];
  t.equal(await identity(), first);
  const second = await renew();
  t.equal(await identity(), first, 'the token is believed to be good for a minute');
  aMinuteLater(t);
  t.equal(await identity(), second);
  t.equal((await list()).items.length, 2);
  await refuse();
  await refused();
});

/** For those who look at the time by `new Date()`, which the server does not. */
function aMinuteLater(t: Test): void {
  const shiftedMs = 61_000;
  const Later = class extends Date {
    constructor(...args: readonly [] | readonly [number | string | Date]) {
      super(args[0] ?? Date.now() + shiftedMs);
    }
  };
  t.intercept(globalThis, 'Date', { value: Later, configurable: true, writable: true });
}

t.test('our own client as in a pod', async (t) => {
  const { namespace, folder, environment, renew, allow, refuse } = await podLike(t, 'in-our-cluster');
  const first = await renew();
  const access = await inClusterAccess({ environment, folder });
  t.equal(access.namespace, namespace);
  let passedMs = 0;
  const system = systemClock();
  using connection = connect(access, { clock: { ...system, now: () => system.now() + passedMs } });
  const client = httpClient(connection);
  const configMaps = client.kind('v1', 'ConfigMap').in(connection.namespace);
  await t.rejects(configMaps.list(), { name: 'ApiError', message: refusal(namespace) });
  const applied = firstValueFrom(
    watcher(configMaps, { clock: system, random: systemRandom() }).pipe(
      filter((event) => event.type === 'listed' || event.type === 'applied'),
    ),
    { defaultValue: undefined },
  );
  await allow();
  t.match(
    await applied,
    { object: { metadata: { name: 'a' } } },
    'a watcher that was refused goes on once it is allowed',
  );

  const identity = async (): Promise<unknown> =>
    (
      await client
        .kind('authentication.k8s.io/v1', 'SelfSubjectReview')
        .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
    ).status?.userInfo?.extra?.['authentication.kubernetes.io/credential-id'];
  t.strictSame(await identity(), [first]);
  const second = await renew();
  passedMs = 61_000;
  t.strictSame(await identity(), [second]);
  await refuse();
  await t.rejects(configMaps.list(), { name: 'ApiError', message: refusal(namespace) });
});
