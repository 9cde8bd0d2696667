// Informers over a client: parts of one process share their watches. Counted at the server.
import { defer, finalize, merge } from 'rxjs';
import t from 'tap';
import { awaitChange, controller, informers, inProcessClient } from '../../lib/client/index.js';
import {
  clusterRoleAggregation,
  ephemeralVolumes,
  persistentVolumes,
  serviceAccountSecrets,
} from '../../lib/controllers/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock, Handler } from '../../lib/core/index.js';
import { createScheduler } from '../../lib/scheduling/public.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';

/** A server that counts the watches that are open, by resource. */
function counted(clock: VirtualClock): {
  readonly handler: Handler;
  readonly open: Map<string, number>;
  opened: number;
  listed: number;
  close(): Promise<void>;
} {
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const open = new Map<string, number>();
  const count = (resource: string, by: number): void => {
    const now = (open.get(resource) ?? 0) + by;
    if (now === 0) open.delete(resource);
    else open.set(resource, now);
  };
  const counting = {
    open,
    opened: 0,
    listed: 0,
    handler: async (request: Parameters<Handler>[0]) => {
      if (request.info.verb === 'list') counting.listed += 1;
      const response = await server.handler(request);
      if (response.type !== 'watch') return response;
      const { resource } = request.info;
      return {
        ...response,
        events: defer(() => {
          counting.opened += 1;
          count(resource, 1);
          return response.events.pipe(finalize(() => count(resource, -1)));
        }),
      };
    },
    close: async () => {
      await server.close();
      await store.close();
    },
  };
  return counting;
}

t.test('a scheduler, four controllers and one more part open one watch per resource', async (t) => {
  const clock = virtualClock();
  const server = counted(clock);
  const client = inProcessClient(server.handler);
  const shared = informers(client, { clock, random: random(2) });
  const environment = { client, informers: shared, clock, random: random(3) };
  const seen: string[] = [];
  const pods = shared.kind('v1', 'Pod');
  const parts = [
    createScheduler(environment),
    clusterRoleAggregation(environment),
    serviceAccountSecrets({ ...environment, sign: () => 'token' }),
    persistentVolumes(environment),
    ephemeralVolumes(environment),
    controller({
      name: 'one more',
      clock,
      for: pods,
      owns: [shared.kind('v1', 'PersistentVolumeClaim')],
      reconcile: async ({ name }) => {
        seen.push(`${name} ${pods.get(`default/${name}`)?.spec?.nodeName ?? 'nowhere'}`);
        return awaitChange;
      },
    }),
  ];
  const running = observe(merge(...parts.map((part) => part.run())));
  await clock.settled();
  const resources = server.open.size;
  t.ok(resources >= 18, 'everything that the scheduler reads');
  t.same(new Set(server.open.values()), new Set([1]), 'each resource once');
  t.equal(server.opened, resources);
  await client.kind('v1', 'Node').create({
    metadata: { name: 'n' },
    status: { capacity: { cpu: '4', pods: '10' }, allocatable: { cpu: '4', pods: '10' } },
  });
  await client
    .kind('v1', 'Pod')
    .in('default')
    .create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await clock.advance('1s');
  t.equal(seen.at(-1), 'p n', 'and all of them work');
  running.unsubscribe();
  await clock.settled();
  t.same([...server.open], [], 'no watch is left');
  await server.close();
});

t.test('finished pods are deleted for the scheduler, although it shares the watch of all pods', async (t) => {
  const clock = virtualClock();
  const server = counted(clock);
  const client = inProcessClient(server.handler);
  const pods = client.kind('v1', 'Pod').in('default');
  await client.kind('v1', 'Node').create({
    metadata: { name: 'n' },
    status: { capacity: { cpu: '4', pods: '1' }, allocatable: { cpu: '4', pods: '1' } },
  });
  const pod = (name: string): Parameters<typeof pods.create>[0] => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  const scheduler = createScheduler({ client, clock, random: random(2) });
  const running = observe(scheduler.run());
  await pods.create(pod('first'));
  await clock.advance('1s');
  await pods.create(pod('second'));
  await clock.advance('1s');
  t.equal((await pods.get('second')).spec?.nodeName, undefined, 'the node is full');
  await pods.status.patch('first', { merge: { status: { phase: 'Succeeded' } } });
  await clock.advance('30s');
  t.equal((await pods.get('second')).spec?.nodeName, 'n');
  running.unsubscribe();
  const again = observe(scheduler.run());
  await clock.settled();
  t.same(
    scheduler.parts?.cache.pods.list().map(({ metadata }) => metadata?.name),
    ['second'],
    'also in a new list',
  );
  again.unsubscribe();
  await server.close();
});

t.test('informers share by kind, namespace and selection, however the kind is named', async (t) => {
  const clock = virtualClock();
  const server = counted(clock);
  const client = inProcessClient(server.handler);
  const shared = informers(client, { clock, random: random(2) });
  const maps = shared.kind('v1', 'ConfigMap');
  t.equal(maps, shared.resource({ apiVersion: 'v1', kind: 'ConfigMap' }));
  const entry = (await client.discover()).mapper.kind({ group: '', kind: 'ConfigMap' }, ['v1']);
  t.equal(maps, shared.resource(entry));
  t.not(maps, shared.kind('v1', 'ConfigMap', { namespace: 'default' }));
  t.not(maps, shared.kind('v1', 'ConfigMap', { labelSelector: 'a=b' }));
  t.equal(
    shared.kind('v1', 'ConfigMap', { labelSelector: 'a=b' }),
    shared.kind('v1', 'ConfigMap', { labelSelector: 'a=b' }),
  );
  await client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'm', labels: { a: 'b' } } });
  await client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name: 'n' } });
  const selected = shared.kind('v1', 'ConfigMap', { namespace: 'default', labelSelector: 'a=b' });
  const subscription = observe(selected.events$);
  subscription.add(observe(selected.events$));
  await selected.ready;
  await clock.settled();
  t.same(
    selected.list().map(({ metadata }) => metadata.name),
    ['m'],
  );
  t.equal(server.opened, 1);
  const lists = server.listed;
  subscription.add(observe(selected.events$));
  await clock.settled();
  t.same([server.opened, server.listed], [1, lists], 'a late subscriber costs no request');
  subscription.unsubscribe();
  t.equal(server.open.size, 0);
  await server.close();
});
