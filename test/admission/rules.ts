// Rules of a host as plain functions: in the chain, as functions of webhook configurations, and served over HTTPS, with
// the same results. Faults of the network between a server and its webhooks.
import { createServer as createHttpsServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { admissionPlugins } from '../../lib/admission/index.js';
import type { AdmissionOptions } from '../../lib/admission/index.js';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { invalid, isApiError, random, systemClock, virtualClock } from '../../lib/core/index.js';
import type { Clock } from '../../lib/core/index.js';
import type { ConfigMap, WebhookClientConfig } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import type { AuditEvent } from '../../lib/server/index.js';
import { createAuthority } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { mutating, validating, webhook, webhookConfigurations, webhookHandler } from '../../lib/webhook/index.js';
import type { AdmissionRule, WebhookTransport } from '../../lib/webhook/index.js';
import { nodeWebhookTransport, serveWebhooks } from '../../lib/webhook/node/index.js';

interface Served {
  readonly client: Client;
  readonly events: readonly AuditEvent[];
  /** Warnings of all responses. */
  readonly warnings: string[];
}

function served(test: Test, options: AdmissionOptions, clock: Clock = virtualClock()): Served {
  const store = memoryStore({ clock });
  const server = createServer({
    store,
    clock,
    random: random(1),
    audit: { rules: [{ level: 'Request' }] },
    admission: admissionPlugins(options),
  });
  const events: AuditEvent[] = [];
  const subscription = server.audit$.subscribe((event) => events.push(event));
  test.teardown(async () => {
    subscription.unsubscribe();
    await server.close();
    await store.close();
  });
  const warnings: string[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  return { client: inProcessClient(server.handler, { user: administrator, onWarning }), events, warnings };
}

const onConfigMaps = [
  {
    operations: ['CREATE' as const, 'UPDATE' as const],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
  },
];

/** Adds an entry, warns and annotates. */
const addOwner = mutating<ConfigMap>('owner.example.com', onConfigMaps, (configMap, review) => {
  if (configMap.data?.owner !== undefined) return undefined;
  review.warn('an owner was added');
  review.annotate('owner', review.user.username ?? '');
  return { ...configMap, data: { ...configMap.data, owner: 'host' } };
});

const noSecrets = validating<ConfigMap>('secrets.example.com', onConfigMaps, ({ data = {} }) => {
  if ('broken' in data) throw new TypeError('a defect');
  if ('typed' in data) throw invalid({ group: '', kind: 'ConfigMap' }, 'typed', []);
  return 'password' in data ? 'passwords belong into Secrets' : undefined;
});

const rules = [addOwner, noSecrets];

/** What a client sees of a create. */
async function outcomeOf({ client, warnings }: Served, data: Record<string, string>): Promise<object> {
  try {
    const created = await client
      .kind('v1', 'ConfigMap')
      .in('default')
      .create({ metadata: { generateName: 'c-' }, data });
    return { data: created.data, warnings: warnings.splice(0) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { code, reason, message } = error.status;
    return { code, reason, message };
  }
}

const requests = [{}, { a: 'b' }, { owner: 'me' }, { password: 'x' }, { typed: 'x' }];

async function outcomesOf(server: Served): Promise<readonly object[]> {
  const outcomes: object[] = [];
  for (const data of requests) outcomes.push(await outcomeOf(server, data));
  return outcomes;
}

async function register(
  client: Client,
  given: readonly AdmissionRule[],
  clientConfig: (path: string) => WebhookClientConfig,
): Promise<void> {
  for (const configuration of webhookConfigurations('rules', given, clientConfig))
    await client
      .kind('admissionregistration.k8s.io/v1', configuration.kind as 'ValidatingWebhookConfiguration')
      .create(configuration as never);
}

const authority = createAuthority({ now: Date.now() });
const caBundle = Buffer.from(authority.certificate).toString('base64');
const loopback = authority.issueServerCertificate(['127.0.0.1', 'hook.default.svc']);

void t.test('a rule decides the same in the chain, in a configuration and over HTTPS', async (test) => {
  const inChain = served(test, { plugins: rules });
  const expected = await outcomesOf(inChain);
  test.same(expected, [
    { data: { owner: 'host' }, warnings: ['an owner was added'] },
    { data: { a: 'b', owner: 'host' }, warnings: ['an owner was added'] },
    { data: { owner: 'me' }, warnings: [] },
    {
      code: 403,
      reason: 'Forbidden',
      message: 'admission webhook "secrets.example.com" denied the request: passwords belong into Secrets',
    },
    {
      code: 422,
      reason: 'Invalid',
      message: 'admission webhook "secrets.example.com" denied the request: ConfigMap "typed" is invalid',
    },
  ]);

  const configured = served(test, { webhooks: { functions: { owner: addOwner.answer, secrets: noSecrets.answer } } });
  await register(configured.client, rules, (path) => ({ url: `process://${path.slice(1).split('.')[0] ?? ''}` }));
  test.same(await outcomesOf(configured), expected, 'as process://name');

  const node = nodeWebhookTransport();
  const hooks = await serveWebhooks(rules, { tls: loopback });
  test.teardown(async () => {
    node.close();
    await hooks.close();
  });
  const overHttps = served(test, { webhooks: { transport: node.transport } }, systemClock());
  await register(overHttps.client, rules, (path) => ({ url: `${hooks.url}${path}`, caBundle }));
  test.same(await outcomesOf(overHttps), expected, 'over HTTPS');
});

void t.test('the patch of a rule and its annotations are audited', async (test) => {
  const server = served(test, { plugins: [addOwner] });
  await outcomeOf(server, { a: 'b' });
  const { annotations = {} } =
    server.events.find(({ verb, stage }) => verb === 'create' && stage === 'ResponseComplete') ?? {};
  test.equal(annotations['owner.example.com/owner'], administrator.username);
  test.same(JSON.parse(annotations['patch.webhook.admission.k8s.io/round_0_index_0'] ?? ''), {
    configuration: 'host',
    webhook: 'owner.example.com',
    patch: [{ op: 'add', path: '/data/owner', value: 'host' }],
    patchType: 'JSONPatch',
  });
  test.same(JSON.parse(annotations['mutation.webhook.admission.k8s.io/round_0_index_0'] ?? ''), {
    configuration: 'host',
    webhook: 'owner.example.com',
    mutated: true,
  });
});

void t.test('an error that is no refusal follows the failure policy', async (test) => {
  test.same(await outcomeOf(served(test, { plugins: [noSecrets] }), { broken: 'x' }), {
    code: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: failed calling webhook "secrets.example.com": failed to call webhook: a defect',
  });
  const ignoring = served(test, { plugins: [{ ...noSecrets, failurePolicy: 'Ignore' }] });
  test.match(await outcomeOf(ignoring, { broken: 'x' }), { data: { broken: 'x' } });
});

void t.test('names of rules are unique, and a rule may speak the protocol itself', async (test) => {
  test.throws(() => served(test, { plugins: [addOwner, addOwner] }), RangeError);
  test.throws(() => webhookHandler([addOwner, addOwner]), RangeError);
  const raw = webhook(
    { type: 'validating', name: 'raw.example.com', rules: onConfigMaps },
    ({ apiVersion, kind, request }) => ({
      apiVersion,
      kind,
      response: { uid: (request as { uid: string }).uid, allowed: false, status: { code: 418, message: 'no' } },
    }),
  );
  test.match(await outcomeOf(served(test, { plugins: [raw] }), {}), { code: 418 });
});

void t.test('requests with dry run reach rules, and webhooks only if they have no side effects', async (test) => {
  const seen: boolean[] = [];
  const record = validating('record.example.com', onConfigMaps, (_object, { dryRun }) => {
    seen.push(dryRun);
    return undefined;
  });
  const create = (client: Client): Promise<unknown> =>
    client
      .kind('v1', 'ConfigMap')
      .in('default')
      .create({ metadata: { name: 'c' } }, { dryRun: true });
  await create(served(test, { plugins: [record] }).client);
  test.same(seen, [true]);
  const { client } = served(test, {
    plugins: [{ ...record, sideEffects: 'Some' as 'None' }],
  });
  await test.rejects(create(client), {
    message: 'admission webhook "record.example.com" does not support dry run',
    status: { code: 400 },
  });
});

void t.test('a rule that writes is called for its own writes too', async (test) => {
  const depths: string[] = [];
  const clients: Client[] = [];
  const writing = validating<ConfigMap>('writing.example.com', onConfigMaps, async ({ metadata }) => {
    const name = metadata?.name ?? '';
    depths.push(name);
    if (name.length < 4)
      await clients[0]
        ?.kind('v1', 'ConfigMap')
        .in('default')
        .create({ metadata: { name: `${name}x` } });
    return undefined;
  });
  const { client } = served(test, { plugins: [writing] });
  clients.push(client);
  await client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'x' } });
  test.same(depths, ['x', 'xx', 'xxx', 'xxxx']);
  const { items } = await client.kind('v1', 'ConfigMap').in('default').list();
  test.same(items.map(({ metadata }) => metadata.name).sort(), ['x', 'xx', 'xxx', 'xxxx']);
});

void t.test('a rule cannot give an update another name', async (test) => {
  const rename = mutating<ConfigMap>(
    'rename.example.com',
    [{ ...onConfigMaps[0], operations: ['UPDATE'], resources: ['configmaps'] }] as typeof onConfigMaps,
    (object) => ({ ...object, metadata: { ...object.metadata, name: 'other' } }),
  );
  const { client } = served(test, { plugins: [rename] });
  const configMaps = client.kind('v1', 'ConfigMap').in('default');
  await configMaps.create({ metadata: { name: 'one' } });
  await test.rejects(configMaps.patch('one', { merge: { data: { a: 'b' } } }), {
    message: 'ConfigMap "other" is invalid: metadata.name: Invalid value: "other": field is immutable',
  });
});

/** A webhook server that answers as it likes. */
async function hostile(
  test: Test,
  answer: (message: IncomingMessage, response: ServerResponse, review: ReviewOf) => void,
  tls = loopback,
): Promise<number> {
  const server = createHttpsServer({ key: tls.key, cert: tls.certificate }, (message, response) => {
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.on('end', () => answer(message, response, JSON.parse(Buffer.concat(parts).toString()) as ReviewOf));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface ReviewOf {
  readonly request: { readonly uid: string };
}

const allowing = ({ request: { uid } }: ReviewOf): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } });

void t.test('each fault of the network follows the failure policy with the status of Kubernetes', async (test) => {
  let calls = 0;
  const elsewhere = await hostile(test, (_message, response, review) => {
    calls += 1;
    response.end(allowing(review));
  });
  const stranger = createAuthority({ now: Date.now() }).issueServerCertificate(['127.0.0.1']);
  const past = createAuthority({ now: Date.now() - 86_400_000, validMs: 3_600_000 });
  const other = authority.issueServerCertificate(['other.example']);
  const post = (port: number): string => `Post "https://127.0.0.1:${port}/?timeout=10s": `;
  const faults: Readonly<Record<string, readonly [config: WebhookClientConfig, message: string]>> = {
    redirect: await fault(
      (_message, response) => {
        response.writeHead(307, { Location: `https://127.0.0.1:${elsewhere}/` }).end();
      },
      (port) => `${post(port)}redirects are not followed (status 307)`,
    ),
    error: await fault(
      (_message, response) => void response.writeHead(500).end('sorry'),
      () => 'an error on the server ("sorry") has prevented the request from succeeding',
    ),
    html: await fault(
      (_message, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
      (port) => `${post(port)}the answer is no JSON object`,
    ),
    huge: await fault(
      (_message, response) => void response.end(`{"a":"${'x'.repeat(4 * 1024 * 1024)}"}`),
      (port) => `${post(port)}the answer is longer than 3145728 bytes`,
    ),
    cut: await fault(
      (_message, response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('{');
        setImmediate(() => response.destroy());
      },
      (port) => `${post(port)}aborted`,
    ),
    mismatch: await fault(
      (_message, response, review) => void response.end(allowing(review)),
      (port) =>
        `${post(port)}tls: failed to verify certificate: x509: certificate is valid for other.example, not 127.0.0.1`,
      other,
    ),
    stranger: await fault(
      (_message, response, review) => void response.end(allowing(review)),
      (port) => `${post(port)}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      stranger,
    ),
    expired: await fault(
      (_message, response, review) => void response.end(allowing(review)),
      (port) => `${post(port)}tls: failed to verify certificate: x509: certificate has expired or is not yet valid`,
      past.issueServerCertificate(['127.0.0.1']),
      Buffer.from(past.certificate).toString('base64'),
    ),
    refused: [
      { url: 'https://127.0.0.1:1', caBundle },
      'Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    noService: [
      { service: { namespace: 'default', name: 'hook' }, caBundle },
      'Post "https://hook.default.svc/?timeout=10s": service "hook" not found',
    ],
  };
  const node = nodeWebhookTransport();
  test.teardown(() => node.close());
  const { client } = served(test, { webhooks: { transport: node.transport } }, systemClock());
  const configurations = client.kind('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration');
  const configMaps = client.kind('v1', 'ConfigMap').in('default');
  for (const [name, [clientConfig, message]] of Object.entries(faults)) {
    const configure = (failurePolicy: 'Fail' | 'Ignore'): Promise<unknown> =>
      configurations.create({
        metadata: { generateName: 'v-' },
        webhooks: [
          {
            name: 'faulty.example.com',
            rules: onConfigMaps,
            clientConfig,
            failurePolicy,
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      });
    await configure('Fail');
    const failure: unknown = await configMaps
      .create({ metadata: { name: name.toLowerCase() } })
      .catch((error: unknown) => (isApiError(error) ? error.status : error));
    test.match(
      failure,
      {
        code: 500,
        reason: 'InternalError',
        message: `Internal error occurred: failed calling webhook "faulty.example.com": failed to call webhook: ${message}`,
      },
      name,
    );
    await configurations.deleteCollection();
    await configure('Ignore');
    await configMaps.create({ metadata: { name: name.toLowerCase() } });
    await configurations.deleteCollection();
  }
  test.equal(calls, 0, 'no redirect was followed');

  async function fault(
    answer: Parameters<typeof hostile>[1],
    text: (port: number) => string,
    tls = loopback,
    bundle = caBundle,
  ): Promise<readonly [WebhookClientConfig, string]> {
    const port = await hostile(test, answer, tls);
    return [{ url: `https://127.0.0.1:${port}`, caBundle: bundle }, text(port)];
  }
});

void t.test('a webhook of a service is reached at one of its ready endpoints', async (test) => {
  const hosts: (string | undefined)[] = [];
  const port = await hostile(test, ({ headers }, response, review) => {
    hosts.push(headers.host);
    response.end(allowing(review));
  });
  const node = nodeWebhookTransport();
  test.teardown(() => node.close());
  // Endpoints cannot have addresses of this machine.
  const endpoints: unknown[] = [];
  const transport: WebhookTransport = (request) => {
    endpoints.push(request.endpoint);
    return node.transport({ ...request, endpoint: { host: '127.0.0.1', port } });
  };
  const { client } = served(test, { webhooks: { transport } }, systemClock());
  await register(client, [{ ...noSecrets, failurePolicy: 'Fail' }], () => ({
    service: { namespace: 'default', name: 'hook', path: '/check' },
    caBundle,
  }));
  const create = (name: string): Promise<unknown> =>
    client.kind('v1', 'ConfigMap').in('default').create({ metadata: { name } });
  await client
    .kind('v1', 'Service')
    .in('default')
    .create({ metadata: { name: 'hook' }, spec: { ports: [{ name: 'https', port: 443 }] } });
  await test.rejects(create('one'), { message: /no endpoints available for service "hook"$/ });
  const slice = (name: string, address: string, ready: boolean): Promise<unknown> =>
    client
      .kind('discovery.k8s.io/v1', 'EndpointSlice')
      .in('default')
      .create({
        metadata: { name, labels: { 'kubernetes.io/service-name': 'hook' } },
        addressType: 'IPv4',
        ports: [{ name: 'https', port: 8443 }],
        endpoints: [{ addresses: [address], conditions: { ready } }],
      });
  await slice('unready', '192.0.2.1', false);
  await test.rejects(create('two'), { message: /no endpoints available for service "hook"$/ });
  await slice('ready', '192.0.2.2', true);
  await create('three');
  test.same(endpoints, [{ host: '192.0.2.2', port: 8443 }]);
  test.same(hosts, ['hook.default.svc'], 'with the name that the certificate is for');
});
