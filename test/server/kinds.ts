// Kinds that come, change and go while a server runs.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import type { Test } from 'tap';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client, ResourceClient } from '../../lib/client/index.js';
import { builtinSchema, field, scalars, structType } from '../../lib/core/index.js';
import type { ApiObject, KindOptions } from '../../lib/core/index.js';
import { createServer, fetchHandler } from '../../lib/server/public.js';
import type { ApiServer, FetchHandler } from '../../lib/server/public.js';
import { memoryStore } from '../../lib/storage/index.js';

interface Scene {
  readonly server: ApiServer;
  readonly client: Client;
  readonly ask: FetchHandler;
  /** The document at a path. */
  document(path: string, accept?: string): Promise<Document>;
}

interface Document {
  readonly code: number;
  readonly etag: string | null;
  readonly text: string;
}

function open(t: Test): Scene {
  const server = createServer({ store: memoryStore() });
  t.teardown(() => server.close());
  const ask = fetchHandler(server);
  return {
    server,
    client: inProcessClient(server.handler),
    ask,
    async document(path, accept = 'application/json') {
      const response = await ask(new Request(`http://server${path}`, { headers: { accept } }));
      return { code: response.status, etag: response.headers.get('etag'), text: await response.text() };
    },
  };
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function widget(more: Partial<KindOptions> = {}): KindOptions {
  const type = structType('example.com/v1.Widget', () => [
    field('kind', scalars.string),
    field('apiVersion', scalars.string),
    field('metadata', builtinSchema.struct('meta/v1.ObjectMeta') ?? scalars.json, { presence: 'always' }),
    field('size', scalars.int32),
  ]);
  return {
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    type: () => type,
    resource: { plural: 'widgets', shortNames: ['wd'], namespaced: true },
    ...more,
  };
}

t.test('a kind that is added is served at once, and gone when it is removed', async (t) => {
  const { server, client, document } = open(t);
  const widgets = client.resource({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    resource: 'widgets',
    namespaced: true,
  });
  const paths = ['/apis', '/apis/example.com', '/apis/example.com/v1', '/openapi/v3', '/openapi/v2', '/'];
  for (const path of paths) t.notMatch((await document(path)).text, 'example.com', path);
  await t.rejects(widgets.in('default').list(), { message: /could not find the requested resource/ });

  server.kinds.add(widget());
  for (const path of paths) t.match((await document(path)).text, 'example.com', path);
  t.match((await document('/apis', aggregated)).text, '"resource":"widgets"');
  t.match((await document('/openapi/v3/apis/example.com/v1')).text, 'com.example.v1.Widget');
  t.equal((await client.discover({ fresh: true })).mapper.argument('wd')[0]?.kind, 'Widget');
  const made = await widgets.in('default').create({ metadata: { name: 'one' } });
  t.ok(made.metadata.uid);

  server.kinds.remove(widget());
  for (const path of paths) t.notMatch((await document(path)).text, 'example.com', path);
  t.equal((await document('/apis/example.com/v1')).code, 404);
  await t.rejects(widgets.in('default').list(), { message: /could not find the requested resource/ });

  server.kinds.add(widget());
  t.equal((await widgets.in('default').list()).items.length, 1, 'objects stay in the store');
});

t.test('a kind that changes or goes ends its own watches, cleanly, and no others', async (t) => {
  const { server, client } = open(t);
  const gadget = widget({
    kind: 'Gadget',
    type: () => structType('example.com/v1.Gadget', () => [...widget().type().fields.values()]),
    resource: { plural: 'gadgets', namespaced: true },
  });
  server.kinds.add(widget(), gadget);
  const seen: string[] = [];
  const objectsOf = (kind: string): ResourceClient<ApiObject> =>
    client.resource<ApiObject>({ apiVersion: 'example.com/v1', kind }).in('default');
  const follow = (kind: string): Promise<void> =>
    new Promise((resolve, reject) => {
      t.teardown(() => subscription.unsubscribe());
      const subscription = objectsOf(kind)
        .watch({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true })
        .subscribe({
          next: ({ type }) => {
            seen.push(`${kind} ${type}`);
            if (type === 'BOOKMARK') resolve();
          },
          complete: () => void seen.push(`${kind} ends`),
          error: reject,
        });
    });
  await Promise.all([follow('Widget'), follow('Gadget')]);
  seen.length = 0;

  server.kinds.replace(widget({ resource: { plural: 'widgets', namespaced: true, categories: ['all'] } }));
  t.strictSame(seen, ['Widget ends']);
  await objectsOf('Gadget').create({ metadata: { name: 'one' } });
  t.strictSame(seen, ['Widget ends', 'Gadget ADDED']);
  await follow('Widget');
  await objectsOf('Widget').create({ metadata: { name: 'one' } });
  server.kinds.remove(widget(), gadget);
  t.strictSame(seen.slice(2), ['Widget BOOKMARK', 'Widget ADDED', 'Widget ends', 'Gadget ends']);
});

t.test('a kind without protobuf is served as Kubernetes serves custom resources', async (t) => {
  const { server, ask } = open(t);
  server.kinds.add(widget());
  const path = 'http://server/apis/example.com/v1/namespaces/default/widgets';
  const call = (more: string, init: RequestInit): Promise<Response> => ask(new Request(path + more, init));
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name: 'one' }, size: 1 });
  t.equal((await call('', { method: 'POST', headers: json, body })).status, 201);

  const preferred = await call('', {
    headers: { accept: 'application/vnd.kubernetes.protobuf, application/json;q=0.5' },
  });
  t.equal(preferred.headers.get('content-type'), 'application/json', 'the next form that the client accepts');
  const list = (await preferred.json()) as { readonly items: readonly unknown[] };
  t.match(list.items[0], { kind: 'Widget', apiVersion: 'example.com/v1' }, 'items name their kind');
  const alone = await call('/one', { headers: { accept: 'application/vnd.kubernetes.protobuf' } });
  t.equal(alone.status, 406);
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  t.equal((await call('/one', { method: 'PATCH', headers: strategic, body: '{"size":2}' })).status, 415);
  const merge = { 'content-type': 'application/merge-patch+json' };
  t.match(await (await call('/one', { method: 'PATCH', headers: merge, body: '{"size":2}' })).json(), { size: 2 });
});

t.test('1,000 kinds that come, change and go leave nothing behind', async (t) => {
  const { server, client, document } = open(t);
  let bystanderReads = 0;
  const type = widget().type();
  server.kinds.add(
    widget({
      group: 'bystander.example.com',
      type: () => {
        bystanderReads += 1;
        return type;
      },
    }),
  );
  const shared = ['/apis', '/openapi/v3', '/openapi/v2'];
  const before = await Promise.all(shared.map((path) => document(path)));
  await document('/apis', aggregated);
  const readsBefore = bystanderReads;
  const bystander = client
    .resource({ apiVersion: 'bystander.example.com/v1', kind: 'Widget' })
    .in('default')
    .watch({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true });
  let isOpen = true;
  await new Promise<void>((resolve) => {
    const watching = bystander.subscribe({ next: () => resolve(), complete: () => void (isOpen = false) });
    t.teardown(() => watching.unsubscribe());
  });
  const readsOfWatch = bystanderReads - readsBefore;

  const gone: WeakRef<KindOptions>[] = [];
  const cycle = async (group: string, isRead: boolean): Promise<void> => {
    const kind = widget({ group, type: () => structType(`${group}/v1.Widget`, () => [...type.fields.values()]) });
    gone.push(new WeakRef(kind));
    server.kinds.add(kind);
    if (isRead) {
      for (const path of ['/apis', '/openapi/v3']) t.match((await document(path)).text, group);
      t.match((await document('/apis', aggregated)).text, group);
      t.match((await document(`/openapi/v3/apis/${group}/v1`)).text, 'Widget');
      await client
        .resource({ group, version: 'v1', kind: 'Widget', resource: 'widgets', namespaced: true })
        .in('default')
        .create({ metadata: { name: 'one' } });
    }
    server.kinds.replace({ ...kind, resource: { plural: 'widgets', namespaced: false } });
    server.kinds.remove(kind);
  };
  for (let at = 0; at < 1000; at++) await cycle(`g${at}.example.com`, at % 100 === 0);

  t.equal(bystanderReads - readsBefore, readsOfWatch, 'no document of another group was made again');
  // One document for all kinds: it is made anew when it is read after a change.
  for (const round of [1, 2, 3]) {
    const kind = widget({ group: `v2-${round}.example.com` });
    const path = `/apis/v2-${round}.example.com/v1/namespaces/{namespace}/widgets`;
    server.kinds.add(kind);
    t.ok((await document('/openapi/v2')).text.includes(path));
    server.kinds.remove(kind);
    t.notOk((await document('/openapi/v2')).text.includes(path));
  }
  t.ok(isOpen, 'no watch of another kind ended');
  const after = await Promise.all(shared.map((path) => document(path)));
  t.strictSame(after, before);
  t.notMatch((await document('/metrics')).text, /g\d+\.example\.com/);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await new Promise((resolve) => void setImmediate(resolve));
  collect();
  const alive = gone.filter((each) => each.deref() !== undefined).length;
  t.ok(alive <= 20, `${alive} of 1,000 definitions are still held`);
});
