// Webhooks of configurations: which writes they are called for, what they are sent, what their answers do, and how
// their failures follow the failure policy. Functions of this process take the place of servers.
import t, { type Test } from 'tap';
import { admissionPlugins } from '../../lib/admission/index.js';
import type { AdmissionOptions } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { isApiError, random, virtualClock } from '../../lib/core/index.js';
import type { JsonObject, VirtualClock } from '../../lib/core/index.js';
import type {
  AdmissionRequest,
  AdmissionResponse,
  ConfigMap,
  MutatingWebhook,
  ValidatingWebhook,
} from '../../lib/core/types/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { WebhookError } from '../../lib/webhook/index.js';
import type { WebhookFunction } from '../../lib/webhook/index.js';

interface Served {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly server: ApiServer;
}

/** A server on which only webhooks run, with these functions. */
function served(test: Test, functions: Readonly<Record<string, WebhookFunction>>, more: AdmissionOptions = {}): Served {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({
    store,
    clock,
    random: random(1),
    audit: { rules: [{ level: 'Request' }] },
    admission: admissionPlugins({ ...more, disable: [], webhooks: { functions, ...more.webhooks } }),
  });
  test.teardown(async () => {
    await server.close();
    await store.close();
  });
  return { client: inProcessClient(server.handler, { user: administrator }), clock, server };
}

const onConfigMaps = [
  { operations: ['CREATE' as const], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
];

type Webhook = MutatingWebhook & ValidatingWebhook;

function webhookOf(name: string, fields: Partial<Webhook> = {}): Webhook {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: `process://${name}` },
    rules: onConfigMaps,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  };
}

async function configure(
  client: Client,
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  name: string,
  webhooks: readonly Webhook[],
): Promise<void> {
  await client
    .kind('admissionregistration.k8s.io/v1', kind)
    .create({ metadata: { name }, webhooks: webhooks as Webhook[] });
}

/** Answers a review; `respond` returns what is particular. */
function answering(
  respond: (request: AdmissionRequest) => AdmissionResponse | Promise<AdmissionResponse>,
): WebhookFunction {
  return async (review) => {
    const { request = {} } = review as unknown as { readonly request?: AdmissionRequest };
    return {
      apiVersion: review.apiVersion,
      kind: 'AdmissionReview',
      response: { uid: request.uid, ...(await respond(request)) },
    };
  };
}

const patchOf = (...operations: readonly JsonObject[]): AdmissionResponse => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

const configMap = (name: string, more: Partial<ConfigMap> = {}): ConfigMap => ({
  ...more,
  metadata: { name, namespace: 'default', ...more.metadata },
});

async function refusalOf(
  promise: Promise<unknown>,
): Promise<{ readonly code: number; readonly message: string; readonly reason: string }> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isApiError(error)) throw new Error('the request was not refused', { cause: error });
  const { code = 0, message = '', reason = '' } = error.status;
  return { code, message, reason };
}

void t.test('a mutating webhook receives the review of Kubernetes and its patch is applied', async (test) => {
  const seen: JsonObject[] = [];
  const label = answering(() => patchOf({ op: 'add', path: '/data', value: { a: 'b' } }));
  const { client } = served(test, {
    label: (review, signal) => {
      seen.push(review);
      return label(review, signal);
    },
  });
  await configure(client, 'MutatingWebhookConfiguration', 'm', [webhookOf('label')]);
  const created = await client.kind('v1', 'ConfigMap').create(configMap('one'));
  test.same(created.data, { a: 'b' });
  test.match(seen[0], {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: /^[0-9a-f-]{36}$/,
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'one',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: administrator.username },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' } },
      oldObject: null,
      dryRun: false,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
    },
  });
});

void t.test('rules, selectors and scope decide which writes are sent', async (test) => {
  const calls: string[] = [];
  const record = (of: string): WebhookFunction =>
    answering(({ operation, name, subResource = '' }) => {
      calls.push(`${of} ${operation} ${name ?? ''}${subResource}`);
      return { allowed: true };
    });
  const { client } = served(test, { all: record('all'), labelled: record('labelled'), cluster: record('cluster') });
  const everything = { operations: ['*' as const], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [
    webhookOf('all', { rules: [everything], namespaceSelector: { matchLabels: { called: 'yes' } } }),
    webhookOf('labelled', { objectSelector: { matchLabels: { a: 'b' } } }),
    webhookOf('cluster', { rules: [{ ...everything, operations: ['CREATE'], scope: 'Cluster' }] }),
  ]);
  const namespaces = client.kind('v1', 'Namespace');
  await namespaces.create({ metadata: { name: 'called', labels: { called: 'yes' } } });
  test.same(calls.splice(0), ['all CREATE called', 'cluster CREATE called'], 'a namespace has its own new labels');
  await client.kind('v1', 'ConfigMap').create(configMap('plain'));
  test.same(calls.splice(0), [], 'no selector matches');
  await client
    .kind('v1', 'ConfigMap')
    .create(configMap('x', { metadata: { labels: { a: 'b' }, namespace: 'default' } }));
  test.same(calls.splice(0), ['labelled CREATE x']);
  await client
    .kind('v1', 'ConfigMap')
    .in('called')
    .create({ metadata: { name: 'in' } });
  await client.kind('v1', 'ConfigMap').in('called').delete('in');
  test.same(calls.splice(0), ['all CREATE in', 'all DELETE in']);
  await client.kind('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration').delete('v');
  test.same(calls.splice(0), [], 'configurations are exempt');
});

void t.test('each failure of a webhook follows its failure policy, in the words of Kubernetes', async (test) => {
  const failing: Readonly<Record<string, readonly [answer: WebhookFunction, text: string]>> = {
    crashing: [
      () => {
        throw new Error('boom');
      },
      'failed to call webhook: boom',
    ],
    unreachable: [
      () => {
        throw new WebhookError('unreachable', 'dial tcp 127.0.0.1:1: connect: connection refused');
      },
      'failed to call webhook: dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    text: [
      () => 'text' as unknown as object,
      'failed to call webhook: the webhook answered with something else than an object',
    ],
    empty: [() => ({}), 'received invalid webhook response: webhook response was absent'],
    foreign: [
      (review) => ({
        response: { uid: (review.request as JsonObject).uid, allowed: true },
      }),
      'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    ],
    halfPatch: [
      answering(() => ({ allowed: true, patchType: 'JSONPatch' })),
      'received invalid webhook response: webhook returned response.patchType but not response.patch',
    ],
    patchType: [
      answering(() => ({ ...patchOf({ op: 'add', path: '/data', value: {} }), patchType: 'MergePatch' })),
      'unsupported patch type "MergePatch"',
    ],
  };
  const functions = Object.fromEntries(Object.entries(failing).map(([name, [answer]]) => [name.toLowerCase(), answer]));
  const { client } = served(test, functions);
  for (const [key, [, text]] of Object.entries(failing)) {
    const name = key.toLowerCase();
    const configurations = client.kind('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration');
    await configure(client, 'MutatingWebhookConfiguration', name, [webhookOf(name)]);
    test.same(await refusalOf(client.kind('v1', 'ConfigMap').create(configMap(name))), {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: failed calling webhook "${name}.example.com": ${text}`,
    });
    await configurations.delete(name);
    await configure(client, 'MutatingWebhookConfiguration', name, [webhookOf(name, { failurePolicy: 'Ignore' })]);
    await client.kind('v1', 'ConfigMap').create(configMap(name));
    await configurations.delete(name);
  }
});

void t.test('a webhook that does not answer fails after its own time limit', async (test) => {
  const { client, clock } = served(test, { slow: () => new Promise<object>(() => undefined) });
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [webhookOf('slow', { timeoutSeconds: 3 })]);
  const creating = refusalOf(client.kind('v1', 'ConfigMap').create(configMap('one')));
  let settled = false;
  void creating.finally(() => (settled = true));
  await clock.advance(2999);
  test.notOk(settled);
  await clock.advance(1);
  test.same(await creating, {
    code: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: context deadline exceeded',
  });
});

void t.test('a patch that cannot be applied refuses the request whatever the failure policy', async (test) => {
  const patches: Readonly<Record<string, readonly [patch: AdmissionResponse, message: string]>> = {
    invalid: [patchOf({ op: 'remove', path: '/nothing' }), 'Unable to remove nonexistent key: nothing'],
    kind: [
      patchOf({ op: 'replace', path: '/kind', value: 'Secret' }),
      'converting (v1.Secret) to (v1.ConfigMap): unknown conversion',
    ],
    version: [
      patchOf({ op: 'replace', path: '/apiVersion', value: 'v7' }),
      'no kind "ConfigMap" is registered for version "v7" in scheme',
    ],
  };
  const { client } = served(
    test,
    Object.fromEntries(Object.entries(patches).map(([name, [patch]]) => [name, answering(() => patch)])),
  );
  for (const [name, [, message]] of Object.entries(patches)) {
    await configure(client, 'MutatingWebhookConfiguration', name, [webhookOf(name, { failurePolicy: 'Ignore' })]);
    const refusal = await refusalOf(client.kind('v1', 'ConfigMap').create(configMap(name)));
    test.equal(refusal.code, 500, name);
    test.ok(refusal.message.startsWith(`Internal error occurred: ${message}`), refusal.message);
    await client.kind('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration').delete(name);
  }
});

void t.test('a denial passes code, reason and message on', async (test) => {
  const denials: readonly (readonly [AdmissionResponse, object])[] = [
    [
      { allowed: false },
      { code: 400, reason: '', message: 'admission webhook "deny.example.com" denied the request without explanation' },
    ],
    [
      { allowed: false, status: { reason: 'Bad', code: 200 } },
      { code: 400, reason: 'Bad', message: 'admission webhook "deny.example.com" denied the request: Bad' },
    ],
    [
      { allowed: false, status: { message: 'no', reason: 'Forbidden', code: 403 }, warnings: ['careful'] },
      { code: 403, reason: 'Forbidden', message: 'admission webhook "deny.example.com" denied the request: no' },
    ],
  ];
  let answer: AdmissionResponse = {};
  const { client } = served(test, { deny: answering(() => answer) });
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [webhookOf('deny', { failurePolicy: 'Ignore' })]);
  for (const [given, expected] of denials) {
    answer = given;
    test.same(await refusalOf(client.kind('v1', 'ConfigMap').create(configMap('one'))), expected);
  }
});

void t.test('webhooks that change an object are followed by one more round of those that allow it', async (test) => {
  const calls: string[] = [];
  const adding = (key: string): WebhookFunction =>
    answering(({ object }) => {
      calls.push(key);
      const { data } = object as { readonly data?: Readonly<Record<string, string>> };
      if (data?.[key] !== undefined) return { allowed: true };
      return patchOf({ op: 'add', path: '/data', value: { ...data, [key]: 'x' } });
    });
  const { client } = served(test, { first: adding('first'), never: adding('never'), last: adding('last') });
  await configure(client, 'MutatingWebhookConfiguration', 'm', [
    webhookOf('first', { reinvocationPolicy: 'IfNeeded' }),
    webhookOf('never'),
    webhookOf('last', { reinvocationPolicy: 'IfNeeded' }),
  ]);
  const { data } = await client.kind('v1', 'ConfigMap').create(configMap('one'));
  test.same(data, { first: 'x', never: 'x', last: 'x' });
  test.same(calls, ['first', 'never', 'last', 'first'], 'the last one has seen the last change');
});

void t.test('validating webhooks run at the same time; the first refusal is the answer', async (test) => {
  let open = 0;
  let most = 0;
  const { client, clock } = served(test, {
    slow: answering(async () => {
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => clock.timer(2000).subscribe(() => resolve()));
      open -= 1;
      return { allowed: false, status: { message: 'slow' } };
    }),
    fast: answering(async () => {
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => clock.timer(1000).subscribe(() => resolve()));
      open -= 1;
      return { allowed: false, status: { message: 'fast' } };
    }),
  });
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [webhookOf('slow'), webhookOf('fast')]);
  const creating = refusalOf(client.kind('v1', 'ConfigMap').create(configMap('one')));
  await clock.advance(2000);
  test.match(await creating, { message: 'admission webhook "fast.example.com" denied the request: fast' });
  test.equal(most, 2);
});

void t.test('an equivalent version is matched, converted and converted back', async (test) => {
  const kinds: unknown[] = [];
  const { client } = served(test, {
    hpa: answering(({ kind, requestKind, object }) => {
      kinds.push(kind, requestKind, (object as JsonObject).apiVersion);
      return patchOf({ op: 'replace', path: '/spec/maxReplicas', value: 7 });
    }),
  });
  const rules = [
    { operations: ['CREATE' as const], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] },
  ];
  await configure(client, 'MutatingWebhookConfiguration', 'm', [webhookOf('hpa', { rules })]);
  const created = await client.kind('autoscaling/v2', 'HorizontalPodAutoscaler').create({
    metadata: { name: 'one', namespace: 'default' },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  });
  test.equal(created.spec.maxReplicas, 7);
  test.equal(created.apiVersion, 'autoscaling/v2');
  test.match(kinds, [{ version: 'v1' }, { version: 'v2' }, 'autoscaling/v1']);
});

void t.test('calls, rejections and ignored failures are counted', async (test) => {
  const { client, server } = served(test, {
    deny: answering(() => ({ allowed: false })),
    crash: () => {
      throw new Error('boom');
    },
  });
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [
    webhookOf('deny'),
    webhookOf('crash', { failurePolicy: 'Ignore' }),
  ]);
  await refusalOf(client.kind('v1', 'ConfigMap').create(configMap('one')));
  const text = await (await fetchHandler(server)(new Request('http://vivarium/metrics'))).text();
  for (const line of [
    'apiserver_admission_webhook_request_total{code="400",name="deny.example.com",operation="CREATE",rejected="true",type="validating"} 1',
    'apiserver_admission_webhook_request_total{code="503",name="crash.example.com",operation="CREATE",rejected="false",type="validating"} 1',
    'apiserver_admission_webhook_rejection_count{error_type="no_error",name="deny.example.com",operation="CREATE",rejection_code="400",type="validating"} 1',
    'apiserver_admission_webhook_fail_open_count{name="crash.example.com",type="validating"} 1',
    'apiserver_admission_webhook_admission_duration_seconds_count{name="deny.example.com",operation="CREATE",rejected="true",type="validating"} 1',
  ])
    test.ok(text.includes(`${line}\n`), line);
});

void t.test('match conditions decide whether a webhook is called', async (test) => {
  const { client } = served(test, { deny: answering(() => ({ allowed: false, status: { message: 'no' } })) });
  const conditions = (...expressions: readonly string[]) => ({
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [
    webhookOf('deny', conditions("object.metadata.name.startsWith('x')", "request.userInfo.username != 'alice'")),
  ]);
  const create = (name: string) => client.kind('v1', 'ConfigMap').create(configMap(name));
  test.equal((await refusalOf(create('x1'))).message, 'admission webhook "deny.example.com" denied the request: no');
  await create('y1');
});

void t.test('a match condition that fails follows the failure policy, unless another one excludes', async (test) => {
  const { client } = served(test, { deny: answering(() => ({ allowed: false })) });
  const named = (name: string) => ({ name, expression: `object.metadata.name.startsWith('${name}')` });
  const fails = { name: 'fails', expression: "object.data.no == 'x'" };
  await configure(client, 'ValidatingWebhookConfiguration', 'v', [
    webhookOf('fail', { clientConfig: { url: 'process://deny' }, matchConditions: [fails, named('fail')] }),
    webhookOf('ignore', {
      clientConfig: { url: 'process://deny' },
      failurePolicy: 'Ignore',
      matchConditions: [fails, named('ignore')],
    }),
  ]);
  const create = (name: string) => client.kind('v1', 'ConfigMap').create(configMap(name));
  test.same(await refusalOf(create('fail')), {
    code: 403,
    message: `configmaps "fail" is forbidden: expression 'object.data.no == 'x'' resulted in error: no such key: data`,
    reason: 'Forbidden',
  });
  await create('ignore');
  await create('other');
});

void t.test('match conditions that do not compile are refused', async (test) => {
  const { client } = served(test, {});
  const refusal = await refusalOf(
    configure(client, 'ValidatingWebhookConfiguration', 'v', [
      webhookOf('a', { matchConditions: [{ name: 'c', expression: 'params == null' }] }),
    ]),
  );
  test.equal(refusal.code, 422);
  test.match(refusal.message, /matchConditions\[0\]\.expression: .*undeclared reference to 'params'/);
});
