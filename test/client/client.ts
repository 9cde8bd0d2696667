// One client over three transports to the same server: in process, through the wire without a socket, and over TLS with
// a kubeconfig. Their behaviour must be the same.
import { setImmediate as turn } from 'node:timers/promises';
import { Subject, defer, finalize, firstValueFrom, lastValueFrom, map, of, take, tap, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import t, { type Test } from 'tap';
import type { Authorizer, TokenIssuer } from '../../lib/auth/index.js';
import type { Client } from '../../lib/client/index.js';
import { addFinalizer, httpClient, inProcessClient, removeFinalizer } from '../../lib/client/index.js';
import { connect, loadKubeconfig } from '../../lib/client/node/index.js';
import type { ApiError, ApiObject, Frozen, KindOptions, Page, Handler, NodeConnector } from '../../lib/core/index.js';
import {
  accessDenied,
  builtinSchema,
  builtinScheme,
  createKinds,
  field,
  isApiError,
  isDeepFrozen,
  isNoMatchError,
  namespacedName,
  objectKey,
  random,
  reflect,
  scalars,
  snapshotWriter,
  structType,
  systemClock,
  virtualClock,
  watcher,
} from '../../lib/core/index.js';
import type { Binding, ConfigMap, Deployment, Pod } from '../../lib/core/types/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import { apiServerHosts, createAuthority, kubeconfig, listen } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';

interface Widget extends ApiObject {
  spec?: { size?: number };
}
const widgetSpec = structType('example.com/v1.WidgetSpec', () => [field('size', scalars.int32)]);
const widget: KindOptions = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  resource: { plural: 'widgets', shortNames: ['wd'], namespaced: true },
  type: () =>
    structType('example.com/v1.Widget', () => [
      field('metadata', builtinSchema.struct('meta/v1.ObjectMeta')!),
      field('spec', widgetSpec),
    ]),
};
const scheme = builtinScheme({ kinds: [widget] });

interface Way {
  readonly client: Client;
  readonly close: () => Promise<void>;
}
type Open = (handler: Handler, onWarning: (text: string) => void) => Promise<Way>;

const inProcess: Open = async (handler, onWarning) => ({
  client: inProcessClient(handler, { onWarning }),
  close: async () => undefined,
});

const withoutSocket: Open = async (handler, onWarning) => {
  const answer = fetchHandler({ handler, kinds: createKinds(scheme) });
  const client = httpClient({
    server: 'http://vivarium/',
    onWarning,
    transport: (url, { headers, ...request }) =>
      answer(
        new Request(url, {
          ...request,
          headers: Object.entries(headers).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : value.join(', '),
          ]),
        }),
      ),
  });
  return { client, close: async () => undefined };
};

const overTls: Open = async (handler, onWarning) => {
  const authority = createAuthority({ now: systemClock().now() });
  const { key, certificate } = authority.issueServerCertificate(apiServerHosts);
  const listening = await listen({ handler, kinds: createKinds(scheme) }, { tls: { key, certificate } });
  const text = kubeconfig({
    server: listening.url,
    ca: authority.certificate,
    user: { name: 'me', token: 'secret' },
    namespace: 'here',
  });
  const connection = connect(await loadKubeconfig({ text }));
  const close = async (): Promise<void> => {
    connection.close();
    await listening.close();
  };
  return { client: httpClient({ ...connection, onWarning }), close };
};

const ways: readonly (readonly [string, Open])[] = [
  ['in process', inProcess],
  ['through the wire', withoutSocket],
  ['over TLS', overTls],
];

interface Scene {
  readonly client: Client;
  readonly server: ApiServer;
  readonly warnings: string[];
}

async function open(t: Test, way: Open, options: Partial<ServerOptions> = {}): Promise<Scene> {
  const store = memoryStore({ clock: systemClock() });
  const server = createServer({ store, kinds: createKinds(scheme), ...options });
  const warnings: string[] = [];
  const { client, close } = await way(server.handler, (text) => warnings.push(text));
  t.teardown(async () => {
    await close();
    await server.close();
    await store.close();
  });
  return { client, server, warnings };
}

async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const all = <T>(source$: Observable<T>): Promise<T[]> => lastValueFrom(source$.pipe(toArray()), { defaultValue: [] });
const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({ metadata: { name }, data });
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
const deployment: Deployment = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
};
const binding: Binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };
const pod = (name: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'nginx' }] },
});
const names = ({ items }: Page<Frozen<ApiObject>>): readonly (string | undefined)[] =>
  items.map(({ metadata }) => metadata?.name);

for (const [how, way] of ways) {
  t.test(`${how}: objects are created, read, changed and deleted`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    const given = configMap('a', { k: 'v' });
    const made = await maps.create(given);
    t.match(made, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default', uid: /^.{36}$/, resourceVersion: /^\d+$/ },
      data: { k: 'v' },
    });
    t.ok(isDeepFrozen(made), 'what comes out is frozen');
    t.notOk(Object.isFrozen(given) || Object.isFrozen(given.metadata), "what goes in stays the caller's");
    t.strictSame(given, configMap('a', { k: 'v' }));
    t.strictSame(await maps.get('a'), made);
    t.strictSame(await client.kind('v1', 'ConfigMap').get(namespacedName(made)), made);

    const updated = await maps.update({ ...made, data: { k: 'w' } });
    t.strictSame(updated.data, { k: 'w' });
    t.match((await refusal(maps.update({ ...made, data: { k: 'x' } }))).status, { reason: 'Conflict', code: 409 });
    t.strictSame((await maps.patch('a', { merge: { data: { k: null, l: '1' } } })).data, { l: '1' });
    t.strictSame((await maps.patch('a', { json: [{ op: 'add', path: '/data/m', value: '2' }] })).data, {
      l: '1',
      m: '2',
    });
    t.strictSame((await maps.patch('a', { strategic: { metadata: { labels: { tier: 'front' } } } })).metadata.labels, {
      tier: 'front',
    });

    t.match(await maps.delete('a'), { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    const gone = await refusal(maps.get('a'));
    t.ok(isApiError(gone, 'NotFound'));
    t.equal(gone.message, 'configmaps "a" not found');
  });

  t.test(`${how}: errors are those of a real server`, async (t) => {
    const { client, warnings } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    await maps.create(configMap('a'));
    t.match((await refusal(maps.create(configMap('a')))).status, {
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
    const invalid = await refusal(maps.create(configMap('A b')));
    t.match(invalid.status, { reason: 'Invalid', code: 422, details: { causes: [{ field: 'metadata.name' }] } });
    t.match(
      (await refusal(maps.create({ metadata: { name: 'b', namespace: 'other' } }))).message,
      /does not match the namespace/,
    );
    t.match((await refusal(maps.get({ namespace: 'other', name: 'b' }))).message, /does not match the namespace/);
    await maps.apply({ metadata: { name: 'owned' }, data: { k: '1' } }, { fieldManager: 'them' });
    t.match(
      (await refusal(maps.apply({ metadata: { name: 'owned' }, data: { k: '2' } }, { fieldManager: 'me' }))).status,
      {
        reason: 'Conflict',
        code: 409,
        details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.k', message: 'conflict with "them"' }] },
      },
    );
    const nowhere = client.kind('v1', 'ConfigMap');
    const wrong: readonly (readonly [Promise<unknown>, string])[] = [
      [maps.get(''), 'resource name may not be empty'],
      [maps.get('a/b'), `invalid resource name "a/b": [may not contain '/']`],
      [maps.delete('..'), `invalid resource name "..": [may not be '..']`],
      [nowhere.in('a%b').list(), `invalid namespace "a%b": [may not contain '%']`],
      [nowhere.get('a'), 'an empty namespace may not be set when a resource name is provided'],
      [nowhere.create(configMap('b')), 'an empty namespace may not be set during creation'],
      [all(nowhere.in('..').watch()), `invalid namespace "..": [may not be '..']`],
    ];
    for (const [promise, message] of wrong)
      t.match((await refusal(promise)).status, { code: 400, reason: 'BadRequest', message });

    t.equal(
      (
        await refusal(
          client
            .resource({ group: 'nobody.example', version: 'v1', kind: 'None', resource: 'nones', namespaced: false })
            .list(),
        )
      ).status.code,
      404,
    );
    t.match((await refusal(maps.subresource('status').get('a'))).status, { code: 404 });
    const odd = { metadata: { name: 'odd' }, odd: 1 } as ConfigMap;
    t.match((await refusal(maps.create(odd, { fieldValidation: 'Strict' }))).message, /unknown field "odd"/);
    await maps.create(odd, { dryRun: true });
    t.strictSame(warnings, ['unknown field "odd"']);
    await refusal(maps.create({ ...odd, metadata: { name: 'A b' } }));
    t.strictSame(warnings, ['unknown field "odd"', 'unknown field "odd"'], 'refusals warn too');
    t.equal((await refusal(maps.get('odd'))).status.code, 404, 'a dry run stores nothing');
  });

  t.test(`${how}: lists are paged`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap');
    for (const name of ['a', 'b', 'c'])
      await maps.in('default').create({ metadata: { name, labels: { odd: `${name !== 'b'}` } } });
    const first = await maps.in('default').list({ limit: 2 });
    t.strictSame(names(first), ['a', 'b']);
    t.equal(first.remainingItemCount, 1);
    const second = await maps.in('default').list({ limit: 2, continue: first.continue ?? '' });
    t.strictSame(names(second), ['c']);
    t.equal(second.continue, undefined);
    t.equal(second.resourceVersion, first.resourceVersion);
    const odd = await maps.list({ labelSelector: 'odd=true' });
    t.strictSame(names(odd), ['a', 'c']);
    t.match(odd.items[0], { kind: 'ConfigMap', apiVersion: 'v1' }, 'items say what they are');
    t.ok(isDeepFrozen(odd.items[0]));
    t.strictSame(odd.items[0], await maps.in('default').get('a'));
    t.strictSame(names(await maps.list({ fieldSelector: 'metadata.name=b' })), ['b']);
    t.match((await refusal(maps.list({ fieldSelector: 'spec.size=1' }))).status, { code: 400 });
    t.strictSame(names(await maps.in('default').deleteCollection({ labelSelector: 'odd=true' })), ['a', 'c']);
    t.strictSame(names(await maps.in('default').list()), ['b']);
    t.strictSame(names(await client.kind('v1', 'Secret').list()), []);
  });

  t.test(`${how}: deletions have options`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    const made = await maps.create({ metadata: { name: 'a', finalizers: ['example.com/keep'] } });
    t.match((await refusal(maps.delete('a', { preconditions: { uid: 'another' } }))).status, { reason: 'Conflict' });
    await maps.delete('a', { dryRun: true });
    t.equal((await maps.get('a')).metadata.deletionTimestamp, undefined);
    const waiting = await maps.delete('a', {
      preconditions: { uid: made.metadata.uid },
      propagationPolicy: 'Background',
    });
    t.match(waiting, { kind: 'ConfigMap', metadata: { deletionTimestamp: /Z$/ } });
    await maps.patch('a', { merge: { metadata: { finalizers: null } } });
    t.strictSame(names(await maps.list()), []);
    const pods = client.kind('v1', 'Pod');
    await pods.create(pod('p'));
    t.match(await pods.in('default').delete('p', { gracePeriodSeconds: 0 }), { kind: 'Pod', metadata: { name: 'p' } });
  });

  t.test(`${how}: status, scale and other subresources`, async (t) => {
    const { client } = await open(t, way);
    const deployments = client.kind('apps/v1', 'Deployment').in('default');
    const made = await deployments.create(deployment);
    const status = await deployments.status.update({
      ...made,
      status: { replicas: 1 },
      spec: { ...deployment.spec!, replicas: 9 },
    });
    t.equal(status.status?.replicas, 1);
    t.equal(status.spec?.replicas, 1, 'through status nothing else is written');
    t.equal(
      (await deployments.status.patch('web', { merge: { status: { readyReplicas: 1 } } })).status?.readyReplicas,
      1,
    );
    t.equal((await deployments.status.get('web')).status?.readyReplicas, 1);
    const scale = await deployments.scale.get('web');
    t.match(scale, { kind: 'Scale', spec: { replicas: 1 } });
    t.match(await deployments.scale.update({ ...scale, spec: { replicas: 3 } }), { spec: { replicas: 3 } });
    t.match(
      await client
        .kind('apps/v1', 'Deployment')
        .scale.in('default')
        .patch('web', { merge: { spec: { replicas: 4 } } }),
      { spec: { replicas: 4 } },
    );
    t.equal((await deployments.get('web')).spec?.replicas, 4);

    await client.kind('v1', 'Pod').create(pod('p'));
    const pods = client.kind('v1', 'Pod').in('default');
    t.match(await pods.binding.create('p', binding), {
      kind: 'Status',
      status: 'Success',
    });
    t.equal((await pods.get('p')).spec?.nodeName, 'n1');
    const applied = await deployments.apply(
      { metadata: { name: 'web' }, spec: { template: { spec: { containers: [{ name: 'main', args: ['x'] }] } } } },
      { fieldManager: 'me', force: true },
    );
    t.strictSame(applied.spec?.template.spec?.containers[0]?.args, ['x']);
    t.match(
      await deployments.status.apply(
        { metadata: { name: 'web' }, status: { replicas: 2 } },
        { fieldManager: 'me', force: true },
      ),
      { status: { replicas: 2 }, spec: { replicas: 4 } },
    );
  });

  t.test(`${how}: subresources of pods, service accounts and signing requests`, async (t) => {
    const tokens: TokenIssuer = {
      defaultAudiences: ['api'],
      issue: () => ({
        token: 'secret',
        expirationSeconds: 3600,
        expirationTimestamp: '2030-01-01T00:00:00Z',
        credentialId: 'JTI=1',
      }),
    };
    const { client } = await open(t, way, { tokens });
    const pods = client.kind('v1', 'Pod').in('default');
    const limited = { name: 'main', image: 'nginx', resources: { limits: { cpu: '10m' } } };
    await pods.create({ metadata: { name: 'p' }, spec: { containers: [limited] } });
    t.match(await pods.binding.in('default').create('p', binding), {
      kind: 'Status',
      status: 'Success',
    });
    const container = { name: 'debugger', image: 'busybox' };
    t.match(await pods.ephemeralContainers.patch('p', { strategic: { spec: { ephemeralContainers: [container] } } }), {
      spec: { ephemeralContainers: [container] },
    });
    const resized = { containers: [{ name: 'main', resources: { requests: { cpu: '20m' }, limits: { cpu: '20m' } } }] };
    t.match(await pods.resize.patch('p', { strategic: { spec: resized } }), { spec: resized });
    t.match(await pods.eviction.create('p', { metadata: { name: 'p' } }), { kind: 'Status', status: 'Success' });
    t.match(await pods.find('p'), { metadata: { deletionTimestamp: String } });

    const accounts = client.kind('v1', 'ServiceAccount').in('default');
    await accounts.create({ metadata: { name: 'robot' } });
    const { status } = await accounts.token.create('robot', { spec: { audiences: [] } });
    t.match(status, { token: 'secret', expirationTimestamp: '2030-01-01T00:00:00Z' });
  });

  t.test(`${how}: logs are emitted line by line`, async (t) => {
    const { client, server } = await open(t, way);
    const written = new Subject<Uint8Array>();
    const utf8 = new TextEncoder();
    const asked: unknown[] = [];
    let following = 0;
    const connector: NodeConnector = {
      log: ({ container }, options) => {
        asked.push([container, options]);
        if (!options.follow) return of(utf8.encode('on'), utf8.encode('e\n\nthr'), utf8.encode('ee'));
        return defer(() => {
          following += 1;
          return written.pipe(finalize(() => (following -= 1)));
        });
      },
    };
    server.nodes.register(connector);
    const pods = client.kind('v1', 'Pod').in('default');
    await client.kind('v1', 'Node').create({ metadata: { name: 'n1' } });
    await pods.create(pod('p'));
    t.strictSame(await all(pods.log('p')), [], 'nothing has run yet');
    await pods.binding.create('p', binding);
    t.strictSame(await all(pods.log('p', { tailLines: 3, container: 'main' })), ['one', '', 'three']);
    t.match(asked, [['main', { follow: false, tailLines: 3 }]]);
    t.match((await refusal(all(pods.log('q')))).status, { reason: 'NotFound' });
    t.match((await refusal(all(pods.log('p', { tailLines: -1 })))).status, { reason: 'Invalid' });

    const lines: string[] = [];
    const first = new Subject<void>();
    const subscription = pods
      .log('p', { follow: true })
      .pipe(
        tap((line) => {
          lines.push(line);
          first.next();
        }),
      )
      .subscribe();
    while (following === 0) await turn();
    const seen = firstValueFrom(first, { defaultValue: undefined });
    written.next(utf8.encode('a\nb'));
    await seen;
    t.strictSame(lines, ['a'], 'a line is emitted when it is complete');
    subscription.unsubscribe();
    // This transport does not cancel the body of an aborted request, as `fetch` does.
    if (way !== withoutSocket) while (following > 0) await turn();
    t.ok(subscription.closed, 'unsubscribing ends the request');
  });

  t.test(`${how}: a watch emits changes in order until it is unsubscribed`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    const first = await maps.create(configMap('a'));
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const events = all(
      maps.watch({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }).pipe(
        map((event) =>
          event.type === 'BOOKMARK'
            ? `BOOKMARK ${event.initialEventsEnd}`
            : `${event.type} ${objectKey(event.object)} ${event.object.kind} ${isDeepFrozen(event.object)}`,
        ),
        tap((line) => (line === 'BOOKMARK true' ? begin() : undefined)),
        take(5),
      ),
    );
    await begun;
    const later = all(
      maps.watch({ resourceVersion: first.metadata.resourceVersion }).pipe(
        map(({ type }) => type),
        take(3),
      ),
    );
    await maps.patch('a', { merge: { data: { k: 'v' } } });
    await maps.create(configMap('b'));
    await maps.delete('a');
    t.strictSame(await later, ['MODIFIED', 'ADDED', 'DELETED']);
    t.strictSame(await events, [
      'ADDED default/a ConfigMap true',
      'BOOKMARK true',
      'MODIFIED default/a ConfigMap true',
      'ADDED default/b ConfigMap true',
      'DELETED default/a ConfigMap true',
    ]);
    t.strictSame(
      await all(
        maps.watch({ fieldSelector: 'metadata.name=b' }).pipe(
          map(({ type }) => type),
          take(1),
        ),
      ),
      ['ADDED'],
    );
    const over = all(maps.watch({ timeoutSeconds: 1 }));
    t.equal((await over).length, 1, 'a watch with an end completes');
    t.match((await refusal(all(maps.watch({ labelSelector: '!!' })))).status, { code: 400 });
  });

  t.test(`${how}: a watch of a compacted revision errors with Expired`, async (t) => {
    const store = memoryStore({ clock: systemClock() });
    const before = createServer({ store, kinds: createKinds(scheme) });
    const maps = inProcessClient(before.handler).kind('v1', 'ConfigMap').in('default');
    const { metadata } = await maps.create(configMap('a'));
    for (const name of ['b', 'c']) await maps.create(configMap(name));
    await before.close();
    await store.compact(await store.revision());
    const server = createServer({ store, kinds: createKinds(scheme) });
    const { client, close } = await way(server.handler, () => undefined);
    t.teardown(async () => {
      await close();
      await server.close();
      await store.close();
    });
    const expired = await refusal(
      all(client.kind('v1', 'ConfigMap').watch({ resourceVersion: metadata.resourceVersion })),
    );
    t.ok(isApiError(expired, 'Expired'), expired.message);
    t.equal(expired.status.code, 410);
  });

  t.test(`${how}: find, modify and waitFor`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    t.equal(await maps.find('a'), undefined, 'no NotFound');
    await maps.create(configMap('a'));
    t.equal((await maps.find({ namespace: 'default', name: 'a' }))?.metadata.name, 'a');
    let tries = 0;
    const modified = await maps.modify('a', async (map) => {
      tries += 1;
      if (tries === 1) await maps.patch('a', { merge: { data: { other: 'write' } } });
      return addFinalizer({ ...map, data: { ...map.data, mine: `${tries}` } }, 'example.io/f');
    });
    t.equal(tries, 2, 'again after a conflict');
    t.match(modified, { data: { other: 'write', mine: '2' }, metadata: { finalizers: ['example.io/f'] } });
    const same = await maps.modify('a', (map) => addFinalizer(map, 'example.io/f'));
    t.equal(same.metadata.resourceVersion, modified.metadata.resourceVersion, 'nothing to write');
    const losing = maps.modify(
      'a',
      async (map) => {
        await maps.patch('a', { merge: { data: { other: `${(tries += 1)}` } } });
        return { ...map, data: {} };
      },
      { triesMax: 2 },
    );
    t.ok(isApiError(await refusal(losing), 'Conflict'));
    const changed = maps.waitFor('a', (map) => map?.data?.changed === 'yes');
    await maps.modify('a', (map) => ({ ...map, data: { ...map.data, changed: 'yes' } }));
    t.equal((await changed)?.data?.changed, 'yes');
    const gone = maps.waitFor('a', (map) => map === undefined);
    await maps.delete('a');
    await maps.modify('a', (map) => removeFinalizer(map, 'example.io/f'));
    await gone;
    t.equal(await maps.find('a'), undefined);
    const clock = virtualClock();
    const late = t.rejects(
      maps.waitFor('a', (map) => map !== undefined, { timeout: { ms: 1000, clock } }),
      {
        name: 'TimeoutError',
      },
    );
    await clock.advance(1000);
    await late;
    const signal = AbortSignal.abort(new Error('enough'));
    await t.rejects(
      maps.waitFor('a', (map) => map !== undefined, { signal }),
      { message: 'enough' },
    );
  });

  t.test(`${how}: watcher and reflect accept a resource client`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    await maps.create(configMap('a'));
    const writer = snapshotWriter<Frozen<ConfigMap>>({});
    const seen: string[] = [];
    const clock = systemClock();
    const applied = new Promise<void>((resolve) => {
      const subscription = observe(watcher(maps, { clock, random: random('test') }).pipe(reflect(writer)), (event) => {
        seen.push(event.type);
        if (event.type === 'synced') void maps.create(configMap('b'));
        if (event.type === 'applied') resolve();
      });
      t.teardown(() => subscription.unsubscribe());
    });
    await applied;
    t.strictSame(writer.snapshot.list().map(objectKey).sort(), ['default/a', 'default/b']);
    t.strictSame(seen.slice(0, 3), ['init', 'listed', 'synced']);
  });

  t.test(`${how}: a signal ends a call with its reason`, async (t) => {
    const { client } = await open(t, way);
    const maps = client.kind('v1', 'ConfigMap').in('default');
    const reason = new Error('enough');
    const early = AbortSignal.abort(reason);
    for (const promise of [
      maps.get('a', { signal: early }),
      maps.list({ signal: early }),
      maps.create(configMap('a'), { signal: early }),
      client.read('/version', { signal: early }),
      client.discover({ signal: early }),
    ]) {
      await t.rejects(promise, reason);
    }
    const controller = new AbortController();
    const list = maps.list({ signal: controller.signal });
    controller.abort(reason);
    await t.rejects(list, reason);
    t.strictSame(names(await maps.list({ signal: new AbortController().signal })), [], 'others are not disturbed');
  });

  t.test(`${how}: discovery lists the served resources`, async (t) => {
    const { client } = await open(t, way);
    const { resources, mapper, failed } = await client.discover();
    t.strictSame(failed, []);
    const pods = resources.find(({ kind }) => kind === 'Pod');
    t.match(pods, {
      group: '',
      version: 'v1',
      resource: 'pods',
      namespaced: true,
      shortNames: ['po'],
      categories: ['all'],
    });
    t.ok(pods?.verbs.includes('deletecollection'));
    t.match(
      pods?.subresources.find(({ name }) => name === 'eviction'),
      { kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
    );
    t.match(mapper.argument('deploy'), [{ group: 'apps', resource: 'deployments' }]);
    t.match(mapper.argument('wd'), [{ group: 'example.com', resource: 'widgets', namespaced: true }]);
    t.equal(await client.discover(), await client.discover(), 'it is kept');
    t.match(await client.read('/version'), { major: '1', minor: '36' });
    t.equal(await client.read('/readyz'), 'ok');
    t.match((await refusal(client.read('/nothing'))).status, { code: 404, reason: 'NotFound' });
  });

  t.test(`${how}: custom kinds are found by name`, async (t) => {
    const { client } = await open(t, way);
    const widgets = client.resource<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget' });
    const made = await widgets.in('default').create({ metadata: { name: 'w' }, spec: { size: 3 } });
    t.equal(made.spec?.size, 3);
    t.match(await all(widgets.watch().pipe(take(1))), [{ type: 'ADDED', object: { kind: 'Widget' } }]);
    const [entry] = (await client.discover()).mapper.argument('widgets');
    t.equal((await client.resource(entry!).in('default').get('w')).kind, 'Widget');
    t.equal((await client.resource({ apiVersion: 'v1', kind: 'Namespace' }).get('default')).metadata.name, 'default');
    await t.rejects(client.resource({ apiVersion: 'example.com/v1', kind: 'Gadget' }).list(), {
      name: 'NoMatchError',
      message: 'no matches for kind "Gadget" in version "example.com/v1"',
    });
    t.ok(
      await client
        .resource({ apiVersion: 'example.com/v2', kind: 'Widget' })
        .list()
        .then(() => false, isNoMatchError),
    );
  });
}

t.test('in process a client acts as another user, and authorizers see user, verb and resource', async (t) => {
  const asked: string[] = [];
  const authorizer: Authorizer = ({ user, verb, resource, namespace, name, subresource }) => {
    asked.push([user.username, verb, namespace, resource, subresource, name].join(' '));
    return [{ decision: user.username === 'nobody' ? 'deny' : 'allow', reason: 'because' }];
  };
  const store = memoryStore({ clock: virtualClock() });
  const server = createServer({ store, authorizers: [authorizer] });
  t.teardown(async () => {
    await server.close();
    await store.close();
  });
  const client = inProcessClient(server.handler, { user: { username: 'me' } });
  await client.kind('v1', 'Namespace').get('default');
  await client.kind('v1', 'ConfigMap').list({ fieldSelector: 'metadata.name=a' });
  const other = client.as({ username: 'nobody', groups: ['system:authenticated'] });
  const denied = await refusal(other.kind('v1', 'Pod').in('default').status.get('p'));
  t.ok(isApiError(denied, 'Forbidden'));
  t.match(denied.message, /User "nobody" cannot get resource "pods\/status"/);
  t.match(
    denied.message,
    accessDenied(
      {
        user: 'nobody',
        verb: 'get',
        group: '',
        resource: 'pods',
        subresource: 'status',
        namespace: 'default',
        name: 'p',
      },
      'because',
    ).message,
  );
  t.strictSame(asked, [
    'me get default namespaces  default',
    'me list  configmaps  a',
    'nobody get default pods status p',
  ]);
});
