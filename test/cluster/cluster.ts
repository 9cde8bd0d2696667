// A whole cluster in process: the contract of createCluster.
import { Observable, filter, firstValueFrom, map, merge, take, tap, toArray } from 'rxjs';
import t from 'tap';
import { createCluster } from '../../lib/index.js';
import type { Cluster, ClusterActivity, ClusterOptions, ClusterSnapshot } from '../../lib/index.js';
import { administrator } from '../../lib/auth/index.js';
import type { Commit } from '../../lib/server/index.js';
import { httpClient, informers } from '../../lib/client/index.js';
import { defineKind, random, systemClock, virtualClock } from '../../lib/core/index.js';
import type { Activity, Part } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import type { Store } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';

const pod = (name: string): Pod => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });

const nodeOf = async (cluster: Cluster, name: string): Promise<string | undefined> =>
  (await cluster.client.kind('v1', 'Pod').in('default').get(name)).spec?.nodeName;

const contents = async (store: Store): Promise<string> => JSON.stringify((await store.list('/')).entries);

t.test('a pod is bound to a node without any further wiring', async (t) => {
  const cluster = await createCluster({ nodes: 3 });
  const pods = cluster.client.kind('v1', 'Pod').in('default');
  const bound = firstValueFrom(cluster.activity$.pipe(filter(({ activity }) => activity.type === 'bound')), {
    defaultValue: undefined,
  });
  await pods.create(pod('web'));
  t.match(await bound, { part: 'scheduler' });
  t.match(await nodeOf(cluster, 'web'), /^node-[123]$/);
  await cluster.close();
});

t.test('commits name the user, the field manager and the cause of every part', async (t) => {
  const cluster = await createCluster({ clock: virtualClock(), random: random(1), nodes: 1 });
  const commits: Commit[] = [];
  const activities: ClusterActivity[] = [];
  const subscription = merge(
    cluster.server.commits$.pipe(tap((commit) => commits.push(commit))),
    cluster.activity$.pipe(tap((activity) => activities.push(activity))),
  ).subscribe();
  const { client } = cluster;
  const created = await client.kind('v1', 'Pod').in('default').create(pod('web'));
  await client.kind('rbac.authorization.k8s.io/v1', 'ClusterRole').create({
    metadata: { name: 'reader', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] }],
  });
  await cluster.settled();

  const commitOf = (key: string, by: string | undefined): Commit | undefined =>
    commits.find((commit) => commit.key === key && commit.user.username === by);
  t.match(commitOf('/registry/pods/default/web', administrator.username), {
    verb: 'create',
    manager: 'vivarium',
    cause: undefined,
  });
  t.match(commitOf('/registry/pods/default/web', 'system:kube-scheduler'), {
    verb: 'create',
    manager: 'kube-scheduler',
    cause: { reason: 'scheduled to node-1', resourceVersion: created.metadata.resourceVersion },
  });
  const aggregation = 'clusterrole-aggregation-controller';
  t.match(commitOf('/registry/clusterroles/view', `system:serviceaccount:kube-system:${aggregation}`), {
    verb: 'patch',
    manager: aggregation,
    cause: { reason: `${aggregation} reconciles view` },
  });
  const claimed = pod('claimed');
  await client
    .kind('v1', 'Pod')
    .in('default')
    .create({
      ...claimed,
      spec: {
        containers: claimed.spec?.containers ?? [],
        volumes: [
          {
            name: 'scratch',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
      },
    });
  await cluster.settled();
  t.match(
    commits.find(({ key }) => key === '/registry/persistentvolumeclaims/default/claimed-scratch'),
    {
      verb: 'create',
      user: { username: 'system:serviceaccount:kube-system:ephemeral-volume-controller' },
      manager: 'kube-controller-manager',
      cause: { reason: 'ephemeral-volume-controller reconciles default/claimed' },
    },
  );

  const ofServer = activities.filter(({ part }) => part === 'apiserver').map(({ activity }) => activity);
  t.strictSame(
    ofServer,
    commits.map((commit) => ({ type: 'committed', ...commit })),
    'the activity of the server is its commits',
  );
  t.ok(activities.some(({ part, activity }) => part === 'scheduler' && activity.type === 'bound'));
  await cluster.close();
  t.ok(subscription.closed, 'commits and activity end with the cluster');
});

t.test('a virtual clock moves a cluster', async (t) => {
  const cluster = await createCluster({ clock: virtualClock(), random: random(1), nodes: 1 });
  await cluster.client.kind('v1', 'Pod').in('default').create(pod('web'));
  await cluster.settled();
  t.equal(await nodeOf(cluster, 'web'), 'node-1', 'what needs no time is done without moving it');

  const events = cluster.client.kind('v1', 'Event').in('default');
  await events.create({
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
  });
  const start = cluster.clock.now();
  await cluster.advanceUntil(async () => (await events.list()).items.length === 0, '2h');
  const elapsedMinutes = (cluster.clock.now() - start) / 60_000;
  t.ok(elapsedMinutes >= 60 && elapsedMinutes < 120, 'Events expire after an hour');
  await t.rejects(
    cluster.advanceUntil(() => false, '1m'),
    { message: 'the condition does not hold after 1m' },
  );
  await cluster.advance('1d');
  await cluster.close();
  t.equal(cluster.clock.pending, 0, 'no timer is left');
});

t.test('functions that need a virtual clock or a memory store reject without one', async (t) => {
  const inner = memoryStore();
  const store = new Proxy(inner, {
    has: (target, key) => key !== 'fork' && key in target,
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const cluster = await createCluster({ store });
  await t.rejects(cluster.advance('1s'), TypeError);
  await t.rejects(
    cluster.advanceUntil(() => true),
    TypeError,
  );
  await t.rejects(cluster.fork(), TypeError);
  await t.rejects(cluster.at(1), TypeError);
  await t.rejects(cluster.kubeconfig(), { message: /call listen\(\) first/ });
  await cluster.settled();
  await cluster.close();
  t.ok(await inner.revision(), 'a store that was given stays open');
  await inner.close();
});

t.test('invalid options are refused by name', async (t) => {
  const refused: readonly (readonly [ClusterOptions, RegExp])[] = [
    [{ nodes: -1 }, /^nodes is a whole number/],
    [{ nodes: 1.5 }, /^nodes is a whole number/],
    [{ controllers: ['x'] }, /^"x" is not in the list of known controllers: .*ephemeral-volume-controller/],
    [{ controllers: ['*', '-x'] }, /^"x" is not in the list/],
  ];
  for (const [options, message] of refused) await t.rejects(createCluster(options), { name: 'RangeError', message });
});

t.test('parts are left out, chosen and added by options', async (t) => {
  const names = async (options: ClusterOptions): Promise<readonly string[]> => {
    const cluster = await createCluster(options);
    await cluster.close();
    return cluster.parts.map(({ name }) => name);
  };
  t.strictSame((await names({})).slice(0, 2), ['apiserver', 'scheduler']);
  t.strictSame(await names({ scheduler: false, controllers: [] }), ['apiserver']);
  t.strictSame(await names({ scheduler: false, controllers: ['ephemeral-volume-controller'] }), [
    'apiserver',
    'ephemeral-volume-controller',
  ]);
  t.notOk(
    (await names({ controllers: ['*', '-ephemeral-volume-controller'] })).includes('ephemeral-volume-controller'),
  );

  let running = 0;
  const counter: Part = {
    name: 'counter',
    run: () =>
      new Observable<Activity>((subscriber) => {
        running += 1;
        subscriber.next({ type: 'counted' });
        return () => (running -= 1);
      }),
  };
  const failing: Part = {
    name: 'failing',
    run: () =>
      new Observable((subscriber) => {
        subscriber.error(new Error('broken'));
      }),
  };
  const cluster = await createCluster({ scheduler: false, controllers: [], parts: [() => failing, () => counter] });
  t.match(await firstValueFrom(cluster.activity$.pipe(take(2), toArray()), { defaultValue: [] }), [
    { part: 'failing', activity: { type: 'part-failed', error: { message: 'broken' } } },
    { part: 'counter', activity: { type: 'counted' } },
  ]);
  t.equal(running, 1, 'one part that fails does not stop another');
  await cluster.close();
  t.equal(running, 0);
});

t.test('users have the rights that roles and bindings give them', async (t) => {
  const cluster = await createCluster({ scheduler: false, controllers: [] });
  const asAda = cluster.as('ada').kind('v1', 'ConfigMap').in('default');
  await t.rejects(asAda.list(), { message: /is forbidden/ });
  await cluster.client
    .kind('rbac.authorization.k8s.io/v1', 'RoleBinding')
    .in('default')
    .create({
      metadata: { name: 'ada' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ada' }],
    });
  t.strictSame((await asAda.list()).items, []);
  t.ok(
    await cluster
      .as({ username: 'eve', groups: ['system:masters'] })
      .kind('v1', 'Secret')
      .list(),
  );
  await cluster.close();
});

t.test('a fork is independent', async (t) => {
  const cluster = await createCluster({ clock: virtualClock(), random: random(2), nodes: 2 });
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const first = await maps.create({ metadata: { name: 'a' } });
  await cluster.advance('1m');
  const fork = await cluster.fork();
  t.equal(fork.clock.now(), cluster.clock.now());
  await fork.client.kind('v1', 'ConfigMap').in('default').delete('a');
  await fork.client.kind('v1', 'Pod').in('default').create(pod('web'));
  await fork.settled();
  t.match(await nodeOf(fork, 'web'), /^node-/, 'its scheduler works');
  t.ok(await maps.get('a'));
  await t.rejects(nodeOf(cluster, 'web'), { message: /not found/ });

  const second = await maps.create({ metadata: { name: 'b' } });
  const then = await cluster.at(Number(first.metadata.resourceVersion));
  const names = (await then.client.kind('v1', 'ConfigMap').in('default').list()).items.map(
    ({ metadata }) => metadata.name,
  );
  t.strictSame(names, ['a'], 'a cluster can be seen as it was at a revision');
  t.ok(second);
  for (const each of [then, fork, cluster]) await each.close();
  t.strictSame([fork.clock.pending, then.clock.pending, cluster.clock.pending], [0, 0, 0]);
});

t.test('a snapshot, written as JSON and read again, is a cluster with the same objects', async (t) => {
  const cluster = await createCluster({ clock: virtualClock(), random: random(5), nodes: 1 });
  await cluster.client.kind('v1', 'Pod').in('default').create(pod('web'));
  await cluster.advanceUntil(async () => (await nodeOf(cluster, 'web')) !== undefined);
  await cluster.settled();
  const snapshot = JSON.parse(JSON.stringify(await cluster.snapshot())) as ClusterSnapshot;
  t.equal(snapshot.time, new Date(cluster.clock.now()).toISOString());
  t.notOk(
    snapshot.entries.some(({ key }) => key.startsWith('/registry/events/')),
    'without Events, whose leases a store does not reveal',
  );

  const clock = virtualClock({ start: Date.parse(snapshot.time) });
  const parts = { scheduler: false, controllers: [] } as const;
  const restored = await createCluster({ clock, random: random(6), snapshot, ...parts });
  const read = (of: Cluster) => of.client.kind('v1', 'Pod').in('default').get('web');
  t.strictSame(await read(restored), await read(cluster), 'to the revision of each object');
  const { resourceVersion } = await restored.client.kind('v1', 'Pod').in('default').list();
  t.ok(Number(resourceVersion) >= snapshot.revision, 'revisions go on from there');
  await restored.client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'later' } });
  const fork = await restored.fork();
  t.ok(await fork.client.kind('v1', 'ConfigMap').in('default').get('later'), 'it can be forked');
  await t.rejects(cluster.client.kind('v1', 'ConfigMap').in('default').get('later'), { message: /not found/ });
  for (const each of [fork, restored, cluster]) await each.close();
  await t.rejects(restored.snapshot(), { message: 'the cluster is closed' });
});

t.test('a snapshot that is none is refused with the name of the option', async (t) => {
  const entry = { key: '/registry/a', value: {}, createRevision: 2, modRevision: 3 };
  for (const snapshot of [
    { revision: 0, entries: [] },
    { revision: 2, entries: [entry] },
    { revision: 5, entries: [{ ...entry, createRevision: 4 }] },
    { revision: 5, entries: [entry, entry] },
    { revision: 5, entries: [{ ...entry, key: '/registry/b' }, entry] },
    { revision: 5, entries: [{ ...entry, key: '' }] },
  ])
    await t.rejects(createCluster({ snapshot }), { name: 'RangeError', message: /option snapshot/ });
  const store = memoryStore();
  await t.rejects(createCluster({ snapshot: { revision: 5, entries: [entry] }, store }), /option snapshot/);
  await store.close();
});

t.test('a fork serves the kinds of its moment', async (t) => {
  const cluster = await createCluster({ clock: virtualClock(), scheduler: false, controllers: [] });
  const define = (kind: string): ReturnType<typeof defineKind> =>
    defineKind({ group: 'example.com', version: 'v1', kind, schema: { type: 'object' } });
  cluster.server.kinds.add(await define('Before'));
  await cluster.client
    .resource({ apiVersion: 'example.com/v1', kind: 'Before' })
    .in('default')
    .create({ metadata: { name: 'a' } });
  const fork = await cluster.fork();
  cluster.server.kinds.add(await define('After'));
  t.ok(await fork.client.resource({ apiVersion: 'example.com/v1', kind: 'Before' }).in('default').get('a'));
  await t.rejects(fork.client.resource({ apiVersion: 'example.com/v1', kind: 'After' }).in('default').list());
  t.strictSame(
    (await cluster.client.resource({ apiVersion: 'example.com/v1', kind: 'After' }).in('default').list()).items,
    [],
  );
  await fork.close();
  await cluster.close();
});

t.test('a cluster is a function of store, clock and seed', async (t) => {
  const history = async (origin?: Cluster<ReturnType<typeof virtualClock>>): Promise<string> => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    const cluster =
      origin === undefined ? await createCluster({ clock, store, random: random(3), nodes: 3 }) : await origin.fork();
    for (const name of ['a', 'b', 'c']) {
      await cluster.client.kind('v1', 'Pod').in('default').create(pod(name));
      await cluster.advance('10s');
    }
    const kinds = ['Pod', 'Event', 'Node'] as const;
    const lists = await Promise.all(kinds.map((kind) => cluster.client.kind('v1', kind).list()));
    const text = origin === undefined ? await contents(store) : JSON.stringify(lists);
    await cluster.close();
    await store.close();
    return text;
  };
  t.equal(await history(), await history(), 'the same seed gives the same history, byte for byte');
  const origin = await createCluster({ clock: virtualClock(), random: random(4), nodes: 3 });
  // Its controllers write at the start: a moment is the same for two forks when nothing happens between them.
  await origin.settled();
  t.equal(await history(origin), await history(origin), 'so do two forks of one moment');
  await origin.close();
});

t.test('closing leaves nothing behind, at any time', async (t) => {
  const handles = (): number => process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length;
  const before = handles();
  const cluster = await createCluster({ nodes: 1 });
  let isCompleted = false;
  observe(cluster.activity$.pipe(map(({ part }) => part)));
  cluster.activity$.subscribe({ complete: () => (isCompleted = true) });
  await Promise.all([cluster.close(), cluster.close()]);
  t.equal(isCompleted, true, 'activity completes');
  t.equal(handles(), before, 'also right after the start, before its parts have begun');
  {
    await using short = await createCluster();
    await short.settled();
  }
  t.equal(handles(), before);
});

t.test('many clusters fit in one process', async (t) => {
  const count = 50;
  const clusters = await Promise.all(
    Array.from({ length: count }, () => createCluster({ clock: virtualClock(), scheduler: false, controllers: [] })),
  );
  await Promise.all(
    clusters.map(({ client }, index) => client.kind('v1', 'Namespace').create({ metadata: { name: `n${index}` } })),
  );
  for (const [index, cluster] of clusters.entries()) {
    const names = (await cluster.client.kind('v1', 'Namespace').list()).items.map(({ metadata }) => metadata.name);
    t.strictSame(
      names.filter((name) => name.startsWith('n')),
      [`n${index}`],
    );
    await cluster.close();
  }
});

t.test('an idle cluster without nodes has no timers, so that thirty days pass at once', async (t) => {
  const clock = virtualClock();
  const cluster = await createCluster({ clock, random: random(1) });
  await cluster.settled();
  t.equal(clock.pending, 0, 'watches in process have no time limit and send no bookmarks');
  const start = clock.now();
  await cluster.advance('30d');
  t.equal(clock.now() - start, 30 * 24 * 3_600_000);
  const ready = { type: 'Ready', status: 'True' } as const;
  const status = { conditions: [ready], allocatable: { cpu: '1', memory: '1Gi', pods: '9' } };
  await cluster.client.kind('v1', 'Node').create({ metadata: { name: 'node-1' }, status });
  await cluster.client.kind('v1', 'Pod').in('default').create(pod('web'));
  await cluster.settled();
  t.match(await nodeOf(cluster, 'web'), /^node-/, 'the watches still deliver');
  await cluster.close();
});

t.test('informers over HTTP request watches with a time limit and bookmarks', async (t) => {
  const [clock, urls] = [virtualClock(), new Array<string>()];
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] };
  const client = httpClient({
    server: 'https://cluster',
    clock,
    transport: async (url) => {
      urls.push(url);
      return new Response(JSON.stringify(list), { headers: { 'content-type': 'application/json' } });
    },
  });
  const { events$ } = informers(client, { clock, random: random(1) }).kind('v1', 'ConfigMap');
  await firstValueFrom(events$.pipe(filter(({ type }) => type === 'failed')), { defaultValue: undefined });
  t.match(urls[1], /watch=true.*resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=[3-6][0-9][0-9]$/);
});

t.test('a cluster with a virtual clock and a seeded random never uses the system’s', async (t) => {
  const used: string[] = [];
  const record =
    <A extends readonly unknown[], R>(name: string, original: (...given: A) => R) =>
    (...given: A): R => {
      const { stack = '' } = new Error();
      if (/core.time.(system-clock|random)\.ts/.test(stack)) used.push(`${name} ${stack}`);
      return original(...given);
    };
  t.intercept(Date, 'now', { value: record('Date.now', Date.now) });
  t.intercept(globalThis, 'setTimeout', { value: record('setTimeout', setTimeout) });
  t.intercept(crypto, 'getRandomValues', { value: record('random', crypto.getRandomValues.bind(crypto)) });
  systemClock().now();
  t.not(used.splice(0).length, 0, 'which would be noticed');
  const cluster = await createCluster({ clock: virtualClock(), random: random(1), nodes: 2 });
  await cluster.client.kind('v1', 'Pod').in('default').create(pod('web'));
  await cluster.advance('1h');
  await (await cluster.fork()).close();
  await cluster.close();
  t.strictSame(used, []);
});
