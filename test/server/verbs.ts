// The verbs of the registry, in process: what holds for every kind. Kinds have their own tests in test/core, the wire
// in wire.ts, and answers recorded from a real control plane are compared by `npm run conformance`.
import t from 'tap';
import type { AdmissionPlugin } from '../../lib/admission/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import { isApiError, isDeepFrozen, mediaTypes, random, virtualClock, InProcessRequest } from '../../lib/core/index.js';
import type {
  ApiObject,
  Frozen,
  RawEvent,
  ApiResponse,
  InProcessRequestOptions,
  RequestOptions,
} from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Outcome, Transaction } from '../../lib/storage/index.js';

interface Ask {
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly options?: RequestOptions;
  readonly object?: unknown;
  readonly patchType?: string;
  readonly form?: InProcessRequestOptions['form'];
}

type Answered = Frozen<ApiObject> & Readonly<Record<string, unknown>>;

interface Served {
  readonly server: ApiServer;
  readonly clock: ReturnType<typeof virtualClock>;
  response(verb: string, ask: Ask): Promise<ApiResponse>;
  object(verb: string, ask: Ask): Promise<Answered>;
  refusal(
    verb: string,
    ask: Ask,
  ): Promise<{ code: number | undefined; reason: string | undefined; message: string | undefined }>;
  watch(ask: Ask): Promise<{ readonly events: RawEvent<Frozen<ApiObject>>[]; stop(): void }>;
}

function served(options: Partial<ServerOptions> = {}): Served {
  const clock = virtualClock({ start: Date.parse('2026-01-01T00:00:00Z') });
  const server = createServer({ store: memoryStore({ clock }), clock, random: random('verbs'), ...options });
  const response = async (verb: string, ask: Ask): Promise<ApiResponse> => {
    const {
      group = '',
      version = 'v1',
      resource = 'configmaps',
      name = '',
      namespace = 'default',
      subresource = '',
      object,
      patchType,
    } = ask;
    const info = { verb, isResource: true, path: '', group, version, resource, name, namespace, subresource };
    const body = object === undefined ? {} : { body: patchType === undefined ? { object } : { object, patchType } };
    return await server.handler(
      new InProcessRequest({
        info,
        ...body,
        ...(ask.options && { options: ask.options }),
        ...(ask.form && { form: ask.form }),
      }),
    );
  };
  return {
    server,
    clock,
    response,
    async object(verb, ask) {
      const answer = await response(verb, ask);
      if (answer.type !== 'object') throw new Error(`${verb} answered with ${answer.type}`);
      return answer.object;
    },
    async refusal(verb, ask) {
      const error: unknown = await response(verb, ask).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!isApiError(error)) throw new Error(`${verb} was not refused`);
      const { code, reason, message } = error.status;
      return { code, reason, message };
    },
    async watch(ask) {
      const answer = await response('watch', ask);
      if (answer.type !== 'watch') throw new Error('no watch');
      const events: RawEvent<Frozen<ApiObject>>[] = [];
      const subscription = answer.events.subscribe((event) => events.push(event));
      return { events, stop: () => subscription.unsubscribe() };
    },
  };
}

const map = (name: string, data: Record<string, string> = {}): object => ({ metadata: { name }, data });
const names = (list: Answered): unknown[] => (list.items as Answered[]).map(({ metadata }) => metadata?.name);

t.test('what is created is stored, frozen, and given its identity', async (t) => {
  const { object, refusal, server } = served();
  const created = await object('create', {
    object: {
      ...map('a', { k: 'v' }),
      metadata: { name: 'a', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z' },
    },
  });
  t.ok(isDeepFrozen(created));
  t.match(created.metadata, {
    name: 'a',
    namespace: 'default',
    creationTimestamp: '2026-01-01T00:00:00Z',
    uid: /^[0-9a-f-]{36}$/,
  });
  t.same(await object('get', { name: 'a' }), created);
  t.match(await refusal('create', { object: map('a') }), {
    code: 409,
    reason: 'AlreadyExists',
    message: 'configmaps "a" already exists',
  });
  t.match(await refusal('create', { object: { metadata: { name: 'b', resourceVersion: '5' } } }), {
    code: 500,
    message: 'resourceVersion should not be set on objects to be created',
  });
  t.match(await refusal('get', { name: 'b' }), { code: 404, message: 'configmaps "b" not found' });
  const generated = await object('create', { object: { metadata: { generateName: 'gen-' } } });
  t.match(generated.metadata?.name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  await server.close();
});

t.test('a write that changes nothing keeps the resourceVersion and emits no event', async (t) => {
  const { object, watch, server } = served();
  const created = await object('create', { object: map('a', { k: 'v' }) });
  const { events, stop } = await watch({ options: { resourceVersion: created.metadata?.resourceVersion ?? '' } });
  const same = await object('update', { name: 'a', object: map('a', { k: 'v' }) });
  t.equal(same.metadata?.resourceVersion, created.metadata?.resourceVersion);
  const patched = await object('patch', { name: 'a', object: { data: { k: 'v' } }, patchType: mediaTypes.mergePatch });
  t.equal(patched.metadata?.resourceVersion, created.metadata?.resourceVersion);
  await object('update', { name: 'a', object: map('a', { k: 'w' }) });
  t.same(
    events.map(({ type }) => type),
    ['MODIFIED'],
  );
  stop();
  await server.close();
});

t.test('updates are refused on a stale resourceVersion, and patches try again until they win', async (t) => {
  const { object, refusal, server } = served();
  const first = await object('create', { object: map('a', { n: '0' }) });
  await object('update', { name: 'a', object: map('a', { n: '1' }) });
  const stale = { metadata: { name: 'a', resourceVersion: first.metadata?.resourceVersion }, data: { n: '2' } };
  t.match(await refusal('update', { name: 'a', object: stale }), { code: 409, reason: 'Conflict' });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      object('patch', { name: 'a', object: { data: { [`k${n}`]: 'x' } }, patchType: mediaTypes.mergePatch }),
    ),
  );
  const { data } = await object('get', { name: 'a' });
  t.equal(Object.keys(data as object).length, 21);
  await server.close();
});

t.test('a patch of status keeps everything else, and still says what is wrong with it', async (t) => {
  const meddler: AdmissionPlugin = {
    name: 'meddler',
    handles: { operations: ['UPDATE'], resources: '*', subresources: '*' },
    mutate: ({ object }) => ({ ...object, spec: { ...(object as Pod).spec, nodeName: 'meddled' } }),
  };
  for (const admission of [[], [meddler]]) {
    const { object, response, refusal, server } = served({ admission });
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };
    await object('create', { resource: 'pods', object: pod });
    const stored = await object('get', { resource: 'pods', name: 'p' });
    const patch = (patchType: string, object: object): Ask => ({
      resource: 'pods',
      name: 'p',
      subresource: 'status',
      object,
      patchType,
    });
    for (const [patchType, phase] of [
      [mediaTypes.mergePatch, 'Running'],
      [mediaTypes.strategicMergePatch, 'Succeeded'],
    ] as const) {
      const patched = await object('patch', patch(patchType, { status: { phase }, spec: { hostname: 'h' } }));
      t.equal(patched.spec, stored.spec, 'the very same');
      t.match(patched.status, { phase, qosClass: 'BestEffort' });
      t.strictSame(Object.keys(patched), Object.keys(stored), 'members stay in their order');
    }
    const warned = await response(
      'patch',
      patch(mediaTypes.mergePatch, { status: { nonsense: 1 }, spec: { folly: 1 } }),
    );
    t.strictSame(warned.warnings?.toSorted(), ['unknown field "spec.folly"', 'unknown field "status.nonsense"']);
    t.match(await refusal('patch', patch(mediaTypes.mergePatch, { status: { phase: 5 } })), {
      code: 422,
      message: /"spec\\*":.*cannot unmarshal number/,
    });
    await server.close();
  }
});

t.test('causes about metadata are repeated as by a real server', async (t) => {
  const { object, response, server } = served();
  await object('create', { object: map('a') });
  await object('create', {
    group: 'policy',
    resource: 'poddisruptionbudgets',
    object: { metadata: { name: 'a' }, spec: { minAvailable: 1 } },
  });
  const causes = async (ask: Ask): Promise<number | undefined> => {
    const change = { name: 'a', object: { metadata: { uid: 'x' } }, patchType: mediaTypes.mergePatch };
    const error: unknown = await response('patch', { ...change, ...ask }).catch((reason: unknown) => reason);
    return isApiError(error) ? error.status.details?.causes?.length : undefined;
  };
  t.equal(await causes({}), 2);
  t.equal(await causes({ group: 'policy', resource: 'poddisruptionbudgets' }), 1);
  t.equal(await causes({ group: 'policy', resource: 'poddisruptionbudgets', subresource: 'status' }), 1);
  await server.close();
});

t.test('pages show the state of the first page, and an expired one says where to go on', async (t) => {
  const { object, refusal, server } = served();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await object('create', { object: map(name) });
  const first = await object('list', { options: { limit: 2 } });
  t.same(names(first), ['a', 'b']);
  t.match(first.metadata, { remainingItemCount: 3 });
  await object('delete', { name: 'c' });
  await object('create', { object: map('cc') });
  const { continue: token = '', resourceVersion = '' } = first.metadata as {
    continue?: string;
    resourceVersion?: string;
  };
  const second = await object('list', { options: { limit: 2, continue: token } });
  t.same(names(second), ['c', 'd'], 'what was deleted meanwhile is still there, what was created is not');
  t.equal((second.metadata as { resourceVersion?: string }).resourceVersion, resourceVersion);
  t.same(names(await object('list', {})), ['a', 'b', 'cc', 'd', 'e']);
  t.match(await refusal('list', { options: { continue: '!' } }), { code: 400 });
  t.match(await refusal('list', { options: { continue: token, resourceVersion: '3' } }), {
    code: 400,
    message: 'specifying resource version is not allowed when using continue',
  });
  await server.close();
});

t.test('a watch starts with the current state, and emits objects that enter and leave its selector', async (t) => {
  const { object, watch, server } = served();
  await object('create', { object: { metadata: { name: 'a', labels: { app: 'x' } } } });
  await object('create', { object: { metadata: { name: 'b' } } });
  const { events, stop } = await watch({ options: { labelSelector: 'app=x', allowWatchBookmarks: true } });
  await object('list', {}); // what a watch begins with may take a turn
  await object('patch', {
    name: 'b',
    object: { metadata: { labels: { app: 'x' } } },
    patchType: mediaTypes.mergePatch,
  });
  const last = await object('patch', {
    name: 'a',
    object: { metadata: { labels: { app: 'y' } } },
    patchType: mediaTypes.mergePatch,
  });
  t.match(events, [
    { type: 'ADDED', object: { metadata: { name: 'a' } } },
    { type: 'BOOKMARK', initialEventsEnd: true },
    { type: 'ADDED', object: { metadata: { name: 'b' } } },
    {
      type: 'DELETED',
      object: { metadata: { name: 'a', labels: { app: 'x' }, resourceVersion: last.metadata?.resourceVersion } },
    },
  ]);
  stop();
  await server.close();
});

t.test('deletion waits for finalizers and grace periods', async (t) => {
  const { object, server, clock } = served();
  await object('create', { object: { metadata: { name: 'a', finalizers: ['example.com/hold'] } } });
  const held = await object('delete', { name: 'a' });
  t.match(held.metadata, { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
  await object('patch', { name: 'a', object: { metadata: { finalizers: null } }, patchType: mediaTypes.mergePatch });
  t.same(names(await object('list', {})), []);

  const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };
  await object('create', { resource: 'pods', object: pod });
  const going = await object('delete', { resource: 'pods', name: 'p' });
  t.match(going.metadata, { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 });
  await clock.advance('10s');
  const sooner = await object('delete', { resource: 'pods', name: 'p', options: { gracePeriodSeconds: 5 } });
  t.match(sooner.metadata, { deletionGracePeriodSeconds: 1, deletionTimestamp: '2026-01-01T00:00:10Z' });
  t.match(await object('delete', { resource: 'pods', name: 'p', options: { gracePeriodSeconds: 0 } }), { kind: 'Pod' });
  t.same(names(await object('list', { resource: 'pods' })), []);
  await server.close();
});

t.test('a deletion says which object it means, in the query or in a body of any version', async (t) => {
  const { object, refusal, server } = served();
  const { metadata } = await object('create', { object: map('a') });
  const meant = (options: object): Promise<unknown> => refusal('delete', { name: 'a', options });
  t.match(await meant({ uid: 'x' }), { code: 409, message: /the UID in the precondition \(x\) does not match/ });
  t.match(await meant({ resourceVersion: '1' }), {
    code: 409,
    message: /the ResourceVersion in the precondition \(1\) does not match/,
  });
  t.match(await refusal('deletecollection', { options: { resourceVersion: '0' } }), { code: 409 });
  const foreign = 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"';
  t.match(await refusal('delete', { name: 'a', object: { apiVersion: 'v1', kind: 'Pod' } }), {
    code: 400,
    message: foreign,
  });
  t.match(await refusal('delete', { name: 'a', object: { apiVersion: 'a/b/c', kind: 'DeleteOptions' } }), {
    code: 400,
    message: 'unexpected GroupVersion string: a/b/c',
  });
  await object('delete', {
    name: 'a',
    object: { apiVersion: 'none.example.com/v9', kind: 'DeleteOptions', preconditions: { uid: metadata?.uid } },
    options: { uid: 'of no account beside a body' },
  });
  t.same(names(await object('list', {})), []);
  await server.close();
});

t.test('a collection is deleted in pages, or as far as its limit', async (t) => {
  const { object, server } = served();
  for (const name of ['a', 'b', 'c']) await object('create', { object: map(name) });
  t.same(names(await object('deletecollection', { options: { limit: 2 } })), ['a', 'b']);
  t.same(names(await object('list', {})), ['c']);
  t.same(names(await object('deletecollection', { options: { dryRun: ['All'] } })), ['c']);
  t.same(names(await object('deletecollection', {})), ['c']);
  t.same(names(await object('list', {})), []);
  await server.close();
});

t.test('dry runs go all the way but the last step', async (t) => {
  const { object, refusal, server } = served();
  const options = { dryRun: ['All'] };
  const made = await object('create', { object: map('a'), options });
  t.ok(made.metadata?.uid);
  t.equal(made.metadata?.resourceVersion, undefined);
  t.match(await refusal('get', { name: 'a' }), { code: 404 });
  await object('create', { object: map('b') });
  await object('delete', { name: 'b', options });
  t.ok(await object('get', { name: 'b' }));
  t.match(await refusal('create', { object: map('c'), options: { dryRun: ['Some'] } }), { code: 422 });
  await server.close();
});

t.test('objects of one kind are one object in all its versions', async (t) => {
  const { object, server } = served();
  const spec = {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    targetCPUUtilizationPercentage: 50,
  };
  const hpa = { group: 'autoscaling', resource: 'horizontalpodautoscalers' };
  await object('create', { ...hpa, version: 'v1', object: { metadata: { name: 'h' }, spec } });
  t.match(await object('get', { ...hpa, version: 'v2', name: 'h' }), {
    apiVersion: 'autoscaling/v2',
    spec: { minReplicas: 1, metrics: [{ type: 'Resource' }] },
  });
  t.match(await object('get', { ...hpa, version: 'v1', name: 'h' }), {
    apiVersion: 'autoscaling/v1',
    spec: { targetCPUUtilizationPercentage: 50 },
  });
  await server.close();
});

t.test('tables and partial objects show what was asked for', async (t) => {
  const { object, server } = served();
  await object('create', { object: map('a', { k: 'v' }) });
  const transform = (kind: string): NonNullable<Ask['form']> => ({
    mediaType: mediaTypes.json,
    pretty: false,
    transform: { group: 'meta.k8s.io', version: 'v1', kind },
  });
  const table = await object('list', { form: transform('Table') });
  t.match(table, {
    kind: 'Table',
    columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
    rows: [{ cells: ['a', 1, '0s'], object: { kind: 'PartialObjectMetadata' } }],
  });
  const partial = await object('get', { name: 'a', form: transform('PartialObjectMetadata') });
  t.same(Object.keys(partial).sort(), ['apiVersion', 'kind', 'metadata']);
  await server.close();
});

t.test('events vanish after an hour of the clock', async (t) => {
  const { object, refusal, server, clock } = served();
  await object('create', {
    resource: 'events',
    object: { metadata: { name: 'e' }, involvedObject: { namespace: 'default', kind: 'Pod', name: 'p' } },
  });
  await clock.advance('59m');
  t.ok(await object('get', { resource: 'events', name: 'e' }));
  await clock.advance('10m');
  t.match(await refusal('get', { resource: 'events', name: 'e' }), { code: 404 });
  await server.close();
});

t.test('two servers share one store, and the second changes nothing of what it finds', async (t) => {
  const store = memoryStore();
  const one = served({ store });
  const created = await one.object('create', { object: map('a') });
  const revision = await store.revision();
  const two = served({ store });
  t.same(await two.object('get', { name: 'a' }), created);
  t.equal(await store.revision(), revision, 'the objects of a new cluster are there already');
  const { events, stop } = await two.watch({ options: { resourceVersion: created.metadata?.resourceVersion ?? '' } });
  await one.object('update', { name: 'a', object: map('a', { k: 'v' }) });
  t.match(events, [{ type: 'MODIFIED' }]);
  stop();
  await one.server.close();
  await two.server.close();
});

t.test('what a cluster begins with is written as it reads back', async (t) => {
  // The first server knows what it wrote; the second reads it from the store, through the schemas of its kinds.
  const store = memoryStore();
  const options = { store, bootstrapPolicy: true, serverAddress: '10.0.0.5:6443' };
  const first = served(options);
  const second = served(options);
  const kinds = [
    ['', 'namespaces'],
    ['', 'services'],
    ['', 'endpoints'],
    ['apiregistration.k8s.io', 'apiservices'],
    ['discovery.k8s.io', 'endpointslices'],
    ['flowcontrol.apiserver.k8s.io', 'flowschemas'],
    ['flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations'],
    ['networking.k8s.io', 'ipaddresses'],
    ['networking.k8s.io', 'servicecidrs'],
    ['rbac.authorization.k8s.io', 'clusterrolebindings'],
    ['rbac.authorization.k8s.io', 'clusterroles'],
    ['rbac.authorization.k8s.io', 'rolebindings'],
    ['rbac.authorization.k8s.io', 'roles'],
    ['scheduling.k8s.io', 'priorityclasses'],
  ] as const;
  for (const [group, resource] of kinds) {
    const known = await first.object('list', { group, resource, namespace: '' });
    t.not((known.items as readonly unknown[]).length, 0, resource);
    // Compared as text: the order of fields is part of what clients see.
    t.equal(
      JSON.stringify(known),
      JSON.stringify(await second.object('list', { group, resource, namespace: '' })),
      resource,
    );
  }
  await Promise.all([first.server.close(), second.server.close()]);
});

t.test('everything a cluster starts with is stored before the first request, whatever it asks for', async (t) => {
  const info = {
    verb: 'list',
    isResource: true,
    path: '',
    group: '',
    version: 'v1',
    resource: 'configmaps',
    name: '',
    namespace: 'default',
    subresource: '',
  };
  const stored: string[] = [];
  for (const options of [{ info }, { info: { ...info, isResource: false, verb: 'get', path: '/version' } }]) {
    const store = memoryStore();
    const { server } = served({ store, random: random(7), clock: virtualClock() });
    await server.handler(new InProcessRequest(options));
    const { entries, revision } = await store.list('/registry/');
    t.equal(revision, 2, 'in one commit');
    stored.push(JSON.stringify(entries));
    await server.close();
  }
  t.equal(stored[0], stored[1]);
});

t.test('a start that failed is tried again by the next request', async (t) => {
  const inner = memoryStore();
  let failures = 2;
  const commit = (transaction: Transaction): Promise<Outcome> =>
    failures-- > 0 ? Promise.reject(new Error('not now')) : inner.commit(transaction);
  const store = new Proxy(inner, {
    get(target, key) {
      const value: unknown = key === 'commit' ? commit : Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const { object, response, server } = served({ store });
  await t.rejects(response('list', { resource: 'services' }), { message: 'not now' });
  await t.rejects(response('get', { resource: 'namespaces', name: 'default', namespace: '' }), { message: 'not now' });
  failures = 0;
  t.match(names(await object('list', { resource: 'services' })), ['kubernetes']);
  await server.close();
});

t.test('ranges of addresses and ports that make no sense are refused when a server is made', async (t) => {
  for (const options of [
    { serviceRanges: ['x'] },
    { serviceRanges: ['10.0.0.0/8', '10.96.0.0/16'] },
    { nodePorts: [2, 1] },
  ] as const)
    t.throws(() => served(options), RangeError, JSON.stringify(options));
});

t.test('a Service brings its addresses, and takes them and its Endpoints along', async (t) => {
  const { object, refusal, watch, server } = served();
  const addresses = { group: 'networking.k8s.io', resource: 'ipaddresses', namespace: '' };
  t.same(names(await object('list', addresses)), ['10.96.0.1'], 'of the kubernetes Service');
  const { metadata } = await object('create', {
    resource: 'services',
    object: { metadata: { name: 's' }, spec: { clusterIP: '10.96.0.7', ports: [{ port: 80 }] } },
  });
  const address = await object('get', { ...addresses, name: '10.96.0.7' });
  t.match(address, {
    metadata: {
      resourceVersion: metadata?.resourceVersion,
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } },
  });
  await object('create', {
    resource: 'services',
    object: { metadata: { name: 'dry' }, spec: { ports: [{ port: 80 }] } },
    options: { dryRun: ['All'] },
  });
  t.same(names(await object('list', addresses)), ['10.96.0.1', '10.96.0.7'], 'a dry run leaves none');
  await object('patch', {
    resource: 'services',
    name: 's',
    object: { spec: { type: 'ExternalName', externalName: 'x.y', clusterIP: null, clusterIPs: null } },
    patchType: mediaTypes.mergePatch,
  });
  t.match(
    await refusal('get', { ...addresses, name: '10.96.0.7' }),
    { code: 404 },
    'one that no longer needs its address gives it back',
  );
  await object('patch', {
    resource: 'services',
    name: 's',
    object: { spec: { type: 'ClusterIP', externalName: null, clusterIP: '10.96.0.8' } },
    patchType: mediaTypes.mergePatch,
  });
  t.same(names(await object('list', addresses)), ['10.96.0.1', '10.96.0.8']);

  await object('create', { resource: 'endpoints', object: { metadata: { name: 's' } } });
  const { events, stop } = await watch({ resource: 'endpoints' });
  await object('delete', { resource: 'services', name: 's', options: { dryRun: ['All'] } });
  t.ok(await object('get', { resource: 'endpoints', name: 's' }));
  await object('delete', { resource: 'services', name: 's' });
  t.match(await refusal('get', { resource: 'endpoints', name: 's' }), { code: 404 });
  t.match(events.at(-1), { type: 'DELETED', object: { metadata: { name: 's' } } });
  t.same(names(await object('list', addresses)), ['10.96.0.1']);
  stop();
  await server.close();
});

t.test('the endpoints of the kubernetes Service follow the server to its address', async (t) => {
  const store = memoryStore();
  const said = async (serverAddress: string): Promise<readonly [Answered, Answered]> => {
    const { object, server } = served({ store, serverAddress });
    const endpoints = await object('get', { resource: 'endpoints', name: 'kubernetes' });
    const slice = await object('get', { group: 'discovery.k8s.io', resource: 'endpointslices', name: 'kubernetes' });
    await server.close();
    return [endpoints, slice];
  };
  const ports = [{ name: 'https', port: 7443, protocol: 'TCP' }];
  const first = await said('192.0.2.2:7443');
  t.match(first, [
    {
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: '192.0.2.2' }], ports }],
    },
    {
      metadata: { generation: 1, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.2'], conditions: { ready: true } }],
      ports,
    },
  ]);
  t.strictSame(await said('192.0.2.2:7443'), first, 'a server that comes back where it was writes nothing');
  t.match(await said('[fd00::5]:7444'), [
    {
      metadata: { uid: first[0].metadata?.uid },
      subsets: [{ addresses: [{ ip: 'fd00::5' }], ports: [{ port: 7444 }] }],
    },
    {
      metadata: { uid: first[1].metadata?.uid, generation: 2 },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['fd00::5'] }],
    },
  ]);
  const nowhere = served({ serverAddress: '0.0.0.0:6443' });
  t.match(
    await nowhere.refusal('get', { resource: 'endpoints', name: 'kubernetes' }),
    { code: 404 },
    'all addresses are none',
  );
  await nowhere.server.close();
});

t.test('a server that learns its address late publishes it', async (t) => {
  const { object, refusal, server } = served();
  const service = { resource: 'services', name: 'kubernetes' };
  const { metadata } = await object('get', service);
  t.match(await refusal('get', { resource: 'endpoints', name: 'kubernetes' }), { code: 404 });
  await server.publishAddress('192.0.2.2:7443');
  t.match(await object('get', service), { metadata: { uid: metadata?.uid }, spec: { ports: [{ targetPort: 7443 }] } });
  t.match(await object('get', { resource: 'endpoints', name: 'kubernetes' }), {
    subsets: [{ addresses: [{ ip: '192.0.2.2' }], ports: [{ port: 7443 }] }],
  });
  t.match(await inProcessClient(server.handler).read('/api'), {
    serverAddressByClientCIDRs: [{ serverAddress: '192.0.2.2:7443' }],
  });
  await server.close();
});

t.test('a revision that no store can reach is one of the future', async (t) => {
  const { clock, refusal, server } = served();
  const options = { resourceVersion: '9223372036854775807', limit: 500 };
  const refused = refusal('list', { options });
  await clock.advance('10s');
  t.match(await refused, { code: 504, message: /^Timeout: Too large resource version/ });
  await server.close();
});

t.test('a name that no key can hold is refused', async (t) => {
  const { refusal, server } = served();
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: '\0' } };
  t.match(await refusal('create', { group: 'rbac.authorization.k8s.io', resource: 'roles', object: role }), {
    code: 400,
    message: 'the key contains U+0000',
  });
  await server.close();
});

t.test('one seed is one history', async (t) => {
  const run = async (): Promise<string> => {
    const { object, server, clock } = served();
    await object('create', { object: { metadata: { generateName: 'x-' } } });
    await clock.advance('5s');
    await object('create', {
      resource: 'services',
      object: { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
    });
    const all = [
      await object('list', {}),
      await object('list', { resource: 'services' }),
      await object('list', { resource: 'namespaces', namespace: '' }),
    ];
    await server.close();
    return JSON.stringify(all);
  };
  t.equal(await run(), await run());
});

t.test('after close nothing is left, and requests are refused', async (t) => {
  const { watch, object, server, clock } = served();
  await object('create', { object: map('a') });
  await watch({ options: { allowWatchBookmarks: true } });
  await server.close();
  await server.close();
  t.equal(clock.pending, 0);
});

t.test('managed fields that admission made invalid are restored, with a warning', async (t) => {
  const broken = [{ manager: 'm', operation: 'Delete', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }];
  const plugin: AdmissionPlugin = {
    name: 'Outdated',
    handles: { operations: ['CREATE'], resources: ['configmaps'] },
    mutate: ({ object }) => ({ ...object, metadata: { ...object?.metadata, managedFields: broken } }),
  };
  const server = createServer({ store: memoryStore(), admission: [plugin] });
  t.teardown(() => server.close());
  const warnings: string[] = [];
  const client = inProcessClient(server.handler, { manager: 'bench', onWarning: (text) => warnings.push(text) });
  const made = await client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'a' }, data: { k: 'v' } });
  t.match(made.metadata.managedFields, [{ manager: 'bench', operation: 'Update' }]);
  t.match(
    warnings[0],
    /^\.metadata\.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: /,
  );
});
