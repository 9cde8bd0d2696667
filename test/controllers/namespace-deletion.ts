// The namespace controller: what a terminating namespace loses, in which order and when, and what it reports.
import t from 'tap';
import { deletionConditions } from '../../lib/controllers/namespace-deletion/deletion-conditions.js';
import { random, virtualClock } from '../../lib/core/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import { fc, runs } from '../support/properties.js';

const controllers = ['namespace-controller', 'serviceaccount-controller'];
const container = { name: 'c', image: 'i' };

async function newCluster(): Promise<Cluster<VirtualClock>> {
  const clock = virtualClock();
  const cluster = await createCluster({ clock, random: random(1), controllers, scheduler: false });
  await cluster.client.kind('v1', 'Namespace').create({ metadata: { name: 'x' } });
  await cluster.settled();
  return cluster;
}

/** Of each condition what it is about, its status and its message. */
async function conditionsOf(cluster: Cluster<VirtualClock>): Promise<readonly string[]> {
  const { status } = await cluster.client.kind('v1', 'Namespace').get('x');
  return (status?.conditions ?? []).map(
    ({ type, status: is, reason, message }) => `${type} ${is} ${reason}: ${message}`,
  );
}

t.test('a namespace is emptied five seconds after its deletion, and then removed', async (t) => {
  await using cluster = await newCluster();
  const { client } = cluster;
  const maps = client.kind('v1', 'ConfigMap').in('x');
  await maps.create({ metadata: { name: 'a' } });
  await client
    .kind('v1', 'Service')
    .in('x')
    .create({ metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  await client.kind('v1', 'Namespace').delete('x');
  await cluster.advance(4_999);
  t.ok(await maps.find('a'));
  await cluster.advance(1);
  t.equal(await maps.find('a'), undefined);
  t.equal(await client.kind('v1', 'Namespace').find('x'), undefined);
});

t.test('pods go first, and nothing else while one is left', async (t) => {
  await using cluster = await newCluster();
  const { client } = cluster;
  const maps = client.kind('v1', 'ConfigMap').in('x');
  const pods = client.kind('v1', 'Pod').in('x');
  await maps.create({ metadata: { name: 'a' } });
  await pods.create({ metadata: { name: 'p', finalizers: ['example.com/f'] }, spec: { containers: [container] } });
  await client.kind('v1', 'Namespace').delete('x');
  await cluster.advance('5s');
  t.ok((await pods.get('p')).metadata.deletionTimestamp);
  t.ok(await maps.find('a'));
  t.same(await conditionsOf(cluster), [
    'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered',
    'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed',
    'NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    'NamespaceContentRemaining False ContentRemoved: All content successfully removed',
    'NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished',
  ]);
  await pods.patch('p', { merge: { metadata: { finalizers: null } } });
  await cluster.advance('30s');
  t.equal(await client.kind('v1', 'Namespace').find('x'), undefined);
});

t.test('finalizers of objects are waited for, and named in conditions', async (t) => {
  await using cluster = await newCluster();
  const maps = cluster.client.kind('v1', 'ConfigMap').in('x');
  for (const name of ['a', 'b']) await maps.create({ metadata: { name, finalizers: ['example.com/f'] } });
  await cluster.client.kind('v1', 'Namespace').delete('x');
  await cluster.advance('5s');
  const conditions = await conditionsOf(cluster);
  t.equal(
    conditions[3],
    'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances',
  );
  t.equal(
    conditions[4],
    'NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/f in 2 resource instances',
  );
  for (const name of ['a', 'b']) await maps.patch(name, { merge: { metadata: { finalizers: null } } });
  await cluster.advance('8s');
  t.equal(await cluster.client.kind('v1', 'Namespace').find('x'), undefined);
});

t.test('finalizers of the namespace that belong to others stay', async (t) => {
  await using cluster = await newCluster();
  const namespaces = cluster.client.kind('v1', 'Namespace');
  const namespace = await namespaces.get('x');
  const finalizers = ['kubernetes', 'example.com/f'];
  await namespaces.subresource('finalize').update({ ...namespace, spec: { finalizers } });
  await namespaces.delete('x');
  await cluster.advance('1m');
  t.same((await namespaces.get('x')).spec, { finalizers: ['example.com/f'] });
});

t.test('a condition changes its time only with its status', async (t) => {
  const round = (count: number) => ({
    contentFailures: [],
    remaining: { resources: new Map([['configmaps.', count]]), finalizers: new Map<string, number>() },
  });
  const first = deletionConditions([], round(2), 0);
  const second = deletionConditions(first, round(1), 60_000);
  t.equal(second[3]?.lastTransitionTime, '1970-01-01T00:00:00Z');
  t.match(second[3]?.message, /has 1 resource/);
  t.equal(deletionConditions(second, round(1), 60_000), second);
  t.equal(deletionConditions(second, round(0), 60_000)[3]?.lastTransitionTime, '1970-01-01T00:00:00Z');
});

t.test('whatever happens meanwhile, a deleted namespace ends empty and is gone', async () => {
  const action = fc.record({
    afterMs: fc.nat(12_000),
    kind: fc.constantFrom('ConfigMap' as const, 'Secret' as const, 'Pod' as const),
    what: fc.constantFrom('create' as const, 'hold' as const, 'release' as const, 'delete' as const),
    name: fc.constantFrom('a', 'b', 'c'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 12 }), fc.nat(12), async (actions, deleteAt) => {
      await using cluster = await newCluster();
      const { client } = cluster;
      const remove = (): Promise<unknown> => client.kind('v1', 'Namespace').delete('x');
      if (actions.length <= deleteAt) await remove();
      for (const [index, { afterMs, kind, what, name }] of actions.entries()) {
        if (index === deleteAt) await remove();
        await cluster.advance(afterMs);
        const objects = client.resource({ apiVersion: 'v1', kind }).in('x');
        const metadata = { name, ...(what === 'hold' && { finalizers: ['example.com/f'] }) };
        const object = { metadata, ...(kind === 'Pod' && { spec: { containers: [container] } }) };
        const done =
          what === 'release'
            ? objects.patch(name, { merge: { metadata: { finalizers: null } } })
            : what === 'delete'
              ? objects.delete(name)
              : objects.create(object);
        await done.catch(() => undefined); // some are refused
      }
      for (const kind of ['ConfigMap', 'Secret', 'Pod']) {
        const all = client.resource({ apiVersion: 'v1', kind });
        for (const { metadata } of (await all.in('x').list()).items)
          await all.patch({ namespace: 'x', name: metadata.name }, { merge: { metadata: { finalizers: null } } });
      }
      await cluster.advance('2m');
      const left = await Promise.all(
        ['ConfigMap', 'Secret', 'Pod'].map((kind) => client.resource({ apiVersion: 'v1', kind }).in('x').list()),
      );
      if ((await client.kind('v1', 'Namespace').find('x')) !== undefined) throw new Error('the namespace is left');
      if (left.some(({ items }) => items.length > 0)) throw new Error('objects are left');
    }),
    { numRuns: runs(100) },
  );
});
