// Who changed what, and why: the stream of commits, field managers, and the seam of field ownership.
import t, { type Test } from 'tap';
import { administrator } from '../../lib/auth/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { InProcessClientOptions } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { ApiObject } from '../../lib/core/index.js';
import { createServer, fetchHandler } from '../../lib/server/index.js';
import type { ApiServer, Commit } from '../../lib/server/index.js';
import { fieldManagerOf, isUnchanged } from '../../lib/server/writes/field-ownership.js';
import { memoryStore } from '../../lib/storage/index.js';

function cluster(test: Test): {
  readonly server: ApiServer;
  readonly commits: Commit[];
  client(options?: InProcessClientOptions): Client;
} {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const commits: Commit[] = [];
  const subscription = server.commits$.subscribe((commit) => commits.push(commit));
  test.teardown(async () => {
    subscription.unsubscribe();
    await server.close();
    await store.close();
  });
  return { server, commits, client: (options) => inProcessClient(server.handler, options) };
}

void t.test(
  'every commit of a request is emitted, with its revision, key, verb, user, manager and cause',
  async (test) => {
    const { commits, client } = cluster(test);
    const cause = { reason: 'Deployment default/web changed', resourceVersion: '7' };
    const maps = client({ user: administrator, manager: 'controller/v1 (linux)' })
      .kind('v1', 'ConfigMap')
      .in('default');
    const created = await maps.create({ metadata: { name: 'a' } }, { cause });
    const patched = await maps.patch('a', { merge: { data: { k: 'v' } } }, { cause });
    await maps.patch('a', { merge: { data: { k: 'v' } } });
    await maps.create({ metadata: { name: 'b' } }, { dryRun: true });
    await test.rejects(maps.create({ metadata: { name: 'a' } }), { message: 'configmaps "a" already exists' });
    await maps.delete('a', { cause });
    const common = { key: '/registry/configmaps/default/a', user: administrator, manager: 'controller', cause };
    test.strictSame(
      commits.map(({ revision: _, ...commit }) => commit),
      ['create', 'patch', 'delete'].map((verb) => ({ ...common, verb })),
      'nothing for writes that change nothing, dry runs and refusals',
    );
    test.strictSame(
      commits.slice(0, 2).map(({ revision }) => `${revision}`),
      [created.metadata.resourceVersion, patched.metadata.resourceVersion],
    );
  },
);

void t.test('a binding and an eviction commit pods and budgets', async (test) => {
  const { commits, client } = cluster(test);
  const pods = client().kind('v1', 'Pod').in('default');
  await pods.create({ metadata: { name: 'a' }, spec: { containers: [{ name: 'one', image: 'image' }] } });
  commits.length = 0;
  await pods.subresource('binding').create(
    'a',
    { metadata: { name: 'a' }, target: { name: 'node' } },
    {
      fieldManager: 'kube-scheduler',
    },
  );
  test.match(commits, [
    { key: '/registry/pods/default/a', verb: 'create', manager: 'kube-scheduler', cause: undefined },
  ]);
});

void t.test('the field manager is the named one, or else the program of the user agent', async (test) => {
  const { server, commits, client } = cluster(test);
  const manager = async (name: string, headers: Record<string, string>, query = ''): Promise<string | undefined> => {
    const request = new Request(`http://x/api/v1/namespaces/default/configmaps${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ metadata: { name } }),
    });
    test.equal((await fetchHandler(server)(request)).status, 201);
    return commits.at(-1)?.manager;
  };
  test.equal(await manager('a', { 'user-agent': 'kubectl/v1.36.0 (linux/amd64)' }), 'kubectl');
  test.equal(await manager('b', { 'user-agent': 'kubectl/v1.36.0' }, '?fieldManager=me'), 'me');
  await client()
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'c' } });
  test.equal(commits.at(-1)?.manager, 'vivarium', 'a client in process has a name, too');
  test.equal(fieldManagerOf(undefined, undefined), 'unknown');
  test.equal(fieldManagerOf('', 'a\u0007b\u200bc/1'), 'abc', 'what cannot be printed is left out');
  test.equal(fieldManagerOf('', 'ä'.repeat(100)), 'ä'.repeat(64), 'at most 128 bytes');
});

void t.test('commits$ completes when the server closes', async (test) => {
  const server = createServer({ store: memoryStore() });
  let isComplete = false;
  server.commits$.subscribe({ complete: () => (isComplete = true) });
  await server.close();
  test.ok(isComplete);
});

const entry = (manager: string, time: string): object => ({ manager, operation: 'Update', apiVersion: 'v1', time });
const owned = (data: object, ...managedFields: object[]): ApiObject =>
  ({ metadata: { name: 'a', ...(managedFields.length > 0 && { managedFields }) }, data }) as ApiObject;

void t.test('a write that changes only the times of managed fields changes nothing', (test) => {
  const [before, after] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
  test.ok(isUnchanged(owned({ a: '1' }, entry('me', after)), owned({ a: '1' }, entry('me', before))));
  test.notOk(isUnchanged(owned({ a: '2' }, entry('me', after)), owned({ a: '1' }, entry('me', before))));
  test.notOk(isUnchanged(owned({ a: '1' }, entry('you', after)), owned({ a: '1' }, entry('me', before))));
  test.notOk(isUnchanged(owned({ a: '1' }), owned({ a: '1' }, entry('me', before))));
  test.end();
});
