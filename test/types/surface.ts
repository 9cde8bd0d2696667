// What the types promise to a caller. Checked by tstyche, never run.
import { expect, test } from 'tstyche';
import type { Observable } from 'rxjs';
import type {
  ApiObject,
  Clock,
  Frozen,
  JsonObject,
  ListWatch,
  Persisted,
  Status,
  WatcherEvent,
} from '../../lib/core/index.js';
import { isApiError, random, setIn, snapshotWriter, updateIn, virtualClock } from '../../lib/core/index.js';
import type {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Pod,
  RestartPolicy,
  TokenRequest,
  autoscalingV1,
  eventsV1,
} from '../../lib/core/types/index.js';
import type {
  ServerTools,
  Authenticated,
  Authenticator,
  Authorizer,
  Decision,
  TokenAuthenticator,
} from '../../lib/auth/index.js';
import { bearerTokens, bootstrapTokens, rbacAuthorizer } from '../../lib/auth/index.js';
import { crd } from '../../lib/client/index.js';
import type { Client, KindClient, Patch, ResourceClient, Stored } from '../../lib/client/index.js';
import { withTime } from '../../lib/cluster/with-time.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import type { Batch, Store } from '../../lib/storage/index.js';
import { inProcessCall } from '../../lib/webhook/index.js';
import type { WebhookCall } from '../../lib/webhook/index.js';

declare const pod: Pod;
declare const stored: Frozen<Persisted<Pod>>;
declare const caught: unknown;
declare const client: Client;
declare const store: Store;

test('kinds are typed to the leaf, without any', () => {
  expect<Pod['kind']>().type.toBe<'Pod' | undefined>();
  expect<RestartPolicy>().type.toBe<'Always' | 'OnFailure' | 'Never'>();
  expect(pod.spec?.containers[0]?.resources?.limits?.cpu).type.toBe<string | undefined>();
  expect<Pod>().type.not.toBeAssignableFrom<{ spec: { containers: { nam: string }[] } }>();
  expect<Deployment>().type.toBeAssignableTo<ApiObject>();
});

test('the preferred version has the plain name, the others stand in a namespace', () => {
  expect<HorizontalPodAutoscaler['apiVersion']>().type.toBe<'autoscaling/v2' | undefined>();
  expect<autoscalingV1.HorizontalPodAutoscaler['apiVersion']>().type.toBe<'autoscaling/v1' | undefined>();
  expect<eventsV1.Event['regarding']>().type.toBeAssignableFrom<{ kind: string }>();
});

test('a stored object has its identity and cannot be changed', () => {
  expect(stored.metadata.uid).type.toBe<string>();
  expect(stored.metadata.resourceVersion).type.toBe<string>();
  expect<typeof stored>().type.not.toBeAssignableTo<{ metadata: { labels: Record<string, string> } }>();
});

test('paths are checked', () => {
  expect(setIn(pod, ['spec', 'nodeName'], 'node-1')).type.toBe<Pod>();
  expect(setIn).type.not.toBeCallableWith(pod, ['spec', 'nodeName'], 7);
  expect(updateIn(pod, ['spec', 'priority'], (priority) => (priority ?? 0) + 1)).type.toBe<Pod>();
});

test('an error is narrowed to what it carries', () => {
  if (isApiError(caught, 'Conflict')) expect(caught.status.code).type.toBe<number | undefined>();
});

test('streams are Observables of unions that a switch can exhaust', () => {
  expect<ReturnType<Clock['timer']>>().type.toBeAssignableTo<Observable<unknown>>();
  expect<WatcherEvent<Frozen<Pod>>['type']>().type.toBe<
    'init' | 'listed' | 'synced' | 'applied' | 'deleted' | 'bookmark' | 'failed'
  >();
  expect<ReturnType<Store['watch']>>().type.toBe<Observable<Batch>>();
});

test('an index of a snapshot is known by name', () => {
  const writer = snapshotWriter<Frozen<Pod>, 'node'>({ node: ({ spec }) => [spec?.nodeName ?? ''] });
  expect(writer.snapshot.by('node', 'a')).type.toBe<Frozen<Pod>[]>();
  expect(writer.snapshot.by).type.not.toBeCallableWith('zone', 'a');
});

test('stored values are JSON objects', () => {
  expect<Awaited<ReturnType<Store['get']>>['entry']>().type.toBeAssignableTo<
    { readonly value: JsonObject } | undefined
  >();
});

test('a client knows the kinds of Kubernetes by name', () => {
  expect(client.kind('v1', 'Pod')).type.toBeAssignableTo<ResourceClient<Pod>>();
  expect(client.kind('autoscaling/v1', 'HorizontalPodAutoscaler')).type.toBe<
    ResourceClient<autoscalingV1.HorizontalPodAutoscaler>
  >();
  expect(client.kind).type.not.toBeCallableWith('v1', 'Deployment');
  expect(client.kind).type.not.toBeCallableWith('apps/v2', 'Deployment');
  expect(client.kind('v1', 'Pod').get('a')).type.toBe<Promise<Stored<Pod>>>();
  expect(client.kind('v1', 'Pod').create).type.not.toBeCallableWith({ kind: 'Deployment' });
  expect(client.kind('v1', 'Pod').create).type.toBeCallableWith(stored);
});

test('a kind shows the subresources that it has', () => {
  const pods = client.kind('v1', 'Pod').in('default');
  expect(pods).type.toBe<KindClient<'v1', 'Pod'>>();
  expect(pods.log('a', { follow: true })).type.toBe<Observable<string>>();
  expect(pods.eviction.create('a', {})).type.toBe<Promise<Status>>();
  expect(pods.binding.create).type.toBeCallableWith('a', { target: { name: 'node' } });
  expect(pods.binding.create).type.not.toBeCallableWith('a', {});
  expect(pods).type.not.toHaveProperty('token');
  const token = client.kind('v1', 'ServiceAccount').token.create('a', { spec: { audiences: [] } });
  expect(token).type.toBe<Promise<Frozen<TokenRequest>>>();
  expect(client.kind('certificates.k8s.io/v1', 'CertificateSigningRequest')).type.toHaveProperty('approval');
  expect(client.kind('v1', 'ConfigMap')).type.toBe<ResourceClient<ConfigMap>>();
  expect(client.kind('v1', 'ConfigMap')).type.not.toHaveProperty('log');
  expect(client.kind('v1', 'ConfigMap')).type.not.toHaveProperty('exec');
});

test('the objects of a kind are a ListWatch', () => {
  expect<ResourceClient<Pod>>().type.toBeAssignableTo<ListWatch<Stored<Pod>>>();
});

test('fields of a kind without a type are unknown', () => {
  expect(client.resource({ apiVersion: 'example.com/v1', kind: 'Widget' })).type.toBe<ResourceClient>();
  expect<Awaited<ReturnType<ResourceClient['get']>>['spec']>().type.toBe<unknown>();
  expect<Awaited<ReturnType<ResourceClient['get']>>['metadata']['uid']>().type.toBe<string>();
});

test('a patch is one of three, and of the kind that it changes', () => {
  expect<Patch<Pod>>().type.toBeAssignableFrom<{ merge: { metadata: { labels: null }; spec: { nodeName: string } } }>();
  expect<Patch<Pod>>().type.toBeAssignableFrom<{
    strategic: { spec: { containers: { name: string; $patch: 'delete' }[] } };
  }>();
  expect<Patch<Pod>>().type.not.toBeAssignableFrom<{ merge: { spec: { nodename: string } } }>();
  expect<Patch<Pod>>().type.not.toBeAssignableFrom<{ merge: { spec: { containers: { image: string }[] } } }>();
});

test('an authorizer answers with an array, a promise or an Observable', () => {
  expect<Authorizer>().type.toBeAssignableFrom<() => readonly Decision[]>();
  expect<Authorizer>().type.toBeAssignableFrom<() => Promise<Decision>>();
  expect<Authorizer>().type.toBeAssignableFrom<() => Observable<Decision>>();
  expect<Authorizer>().type.not.toBeAssignableFrom<() => Decision>();
  expect<Authorizer>().type.not.toBeAssignableFrom<() => readonly boolean[]>();
  expect<Decision['decision']>().type.toBe<'allow' | 'deny' | 'noOpinion'>();
});

test('a lambda in the options of a server is guided by them', () => {
  expect(
    createServer({
      store,
      authorizers: [
        ({ user, verb }) => [
          { decision: verb === 'get' && user.username === 'ada' ? 'allow' : 'noOpinion', reason: '' },
        ],
      ],
    }),
  ).type.toBe<ApiServer>();
  expect(
    createServer({
      store,
      authenticators: [
        (credentials) => Promise.resolve({ user: { username: credentials.header('x-user') ?? 'nobody' } }),
      ],
    }),
  ).type.toBe<ApiServer>();
  expect(createServer).type.not.toBeCallableWith({ store, authorizers: [() => [{ decision: 'maybe', reason: '' }]] });
  expect(createServer).type.not.toBeCallableWith({ store, authenticators: [() => [{ username: 'ada' }]] });
});

test('parts that read objects are made by a function of tools', () => {
  expect(createServer({ store, authorizers: ({ rbac }) => [rbacAuthorizer(rbac())] })).type.toBe<ApiServer>();
  expect(
    createServer({ store, authenticators: (tools) => [bearerTokens([bootstrapTokens(tools)])] }),
  ).type.toBe<ApiServer>();
  expect(createServer).type.not.toBeCallableWith({ store, authorizers: rbacAuthorizer });
  expect<ServerTools['closed$']>().type.toBe<Observable<void>>();
});

test('the user of a request is a read-only value', () => {
  expect<Authenticated['user']>().type.not.toBeAssignableTo<{ groups: string[] }>();
  expect<Authenticator>().type.not.toBeAssignableFrom<TokenAuthenticator>();
});

test('a webhook is a function from object to object', () => {
  expect(inProcessCall).type.toBeCallableWith(() => ({ status: { allowed: true } }));
  expect(inProcessCall).type.not.toBeCallableWith(() => 'yes');
  expect(inProcessCall(() => ({}))).type.toBe<WebhookCall>();
});

test('parts of a cluster are created with its clock and its random', () => {
  const [clock, chance] = [virtualClock(), random(1)];
  expect(withTime(createServer, { store, clock, random: chance })).type.toBe<ApiServer>();
  expect(withTime<ServerOptions, ApiServer>).type.not.toBeCallableWith(createServer, { store, clock });
  expect(withTime<ServerOptions, ApiServer>).type.not.toBeCallableWith(createServer, { store, random: chance });
});

test('the type of a custom resource follows from its schema literal', () => {
  const widgetKind = crd({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    schema: {
      type: 'object',
      required: ['spec'],
      properties: {
        spec: {
          type: 'object',
          required: ['color'],
          properties: {
            color: { type: 'string', enum: ['red', 'blue'] },
            sizes: { type: 'array', items: { type: 'integer' } },
            port: { 'x-kubernetes-int-or-string': true },
            labels: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
          },
        },
      },
    },
  });
  expect(widgetKind.client).type.toBeCallableWith(client);
  type Widget = Parameters<ReturnType<typeof widgetKind.client>['create']>[0];
  expect<Widget['spec']['color']>().type.toBe<'red' | 'blue'>();
  expect<Widget['spec']['port']>().type.toBe<string | number | undefined>();
  expect<Widget>().type.toBeAssignableFrom<{ spec: { color: 'red' } }>();
  expect<Widget>().type.not.toBeAssignableFrom<{ spec: { color: 'green' } }>();
  expect<Widget>().type.not.toBeAssignableFrom<{ metadata: { name: string } }>();
});
