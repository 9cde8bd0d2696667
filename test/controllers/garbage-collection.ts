// The garbage collector: its dependency graph as a data structure, its decisions, and what becomes of objects in a
// cluster.
import assert from 'node:assert/strict';
import t from 'tap';
import { decideCollection } from '../../lib/controllers/garbage-collection/collection-decision.js';
import type { OwnerState } from '../../lib/controllers/garbage-collection/collection-decision.js';
import { DependencyGraph } from '../../lib/controllers/garbage-collection/dependency-graph.js';
import type { GraphNode } from '../../lib/controllers/garbage-collection/dependency-graph.js';
import { defineKind, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Stored } from '../../lib/client/index.js';
import type { OwnerReference } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { fc, runs } from '../support/properties.js';

const kind = { apiVersion: 'v1', kind: 'ConfigMap' };

interface Made {
  readonly uid: string;
  readonly owners?: readonly string[];
  readonly blocking?: readonly string[];
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
}

/** An object that is named after its uid. */
function made({ uid, owners = [], blocking = [], namespace = 'ns', finalizers = [], isDeleted = false }: Made): Stored {
  const ownerReferences = owners.map((owner) => ({
    ...kind,
    name: owner,
    uid: owner,
    ...(blocking.includes(owner) && { blockOwnerDeletion: true }),
  }));
  return {
    ...kind,
    metadata: {
      name: uid,
      uid,
      namespace,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences,
      finalizers: [...finalizers],
      ...(isDeleted && { deletionTimestamp: '2026-01-01T00:00:01Z' }),
    },
  };
}

const uids = (nodes: Iterable<GraphNode>): string[] => Array.from(nodes, ({ identity }) => identity.uid).toSorted();

t.test('a graph that took any events is the graph of the objects that are left', (t) => {
  const uid = fc.constantFrom<string>('a', 'b', 'c', 'd', 'e');
  const event = fc.oneof(
    fc.record({
      type: fc.constant('observe' as const),
      uid,
      owners: fc.uniqueArray(uid, { maxLength: 3 }),
      blocking: fc.subarray(['a', 'b', 'c', 'd', 'e']),
      finalizers: fc.subarray(['orphan', 'foregroundDeletion', 'x']),
      isDeleted: fc.boolean(),
    }),
    fc.record({ type: fc.constant('forget' as const), uid }),
    fc.record({ type: fc.constant('absent' as const), uid }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const graph = new DependencyGraph();
      // The same, slowly: all objects, and all edges as `dependent owner`. A node that goes takes its edges along.
      const objects = new Map<string, Made>();
      const edges = new Set<string>();
      const drop = (uid: string): void => {
        objects.delete(uid);
        for (const edge of edges) if (edge.split(' ').includes(uid)) edges.delete(edge);
      };
      for (const each of events) {
        const { owners: before = [] } = objects.get(each.uid) ?? {};
        if (each.type === 'observe') {
          for (const owner of before) if (!each.owners.includes(owner)) edges.delete(`${each.uid} ${owner}`);
          for (const owner of each.owners) if (!before.includes(owner)) edges.add(`${each.uid} ${owner}`);
          objects.set(each.uid, each);
          graph.observe(kind, made(each));
        } else {
          drop(each.uid);
          if (each.type === 'forget') graph.forget(each.uid);
          else graph.confirmAbsent({ ...kind, namespace: 'ns', name: each.uid, uid: each.uid });
        }
      }
      const found = Array.from(graph.nodes(), (node) =>
        Array.from(node.dependents, ({ identity }) => `${identity.uid} ${node.identity.uid}`),
      );
      assert.deepEqual(found.flat().toSorted(), [...edges].toSorted());
      const observed = [...graph.nodes()].filter(({ object }) => object !== undefined);
      assert.deepEqual(uids(observed), [...objects.keys()].toSorted());
      for (const { identity, dependents, blockingDependents } of graph.nodes()) {
        const blocking = [...dependents].filter((dependent) =>
          objects.get(dependent.identity.uid)?.blocking?.includes(identity.uid),
        );
        assert.equal(blockingDependents, blocking.length);
      }
    }),
    { numRuns: runs(2000) },
  );
  t.end();
});

t.test('events call for attempts', (t) => {
  const graph = new DependencyGraph();
  t.strictSame(uids(graph.observe(kind, made({ uid: 'pod', owners: ['set'], blocking: ['set'] })).toDelete), ['set']);
  t.equal(graph.node('set')?.object, undefined, 'an owner that is not observed yet is virtual, and is verified');
  t.strictSame(graph.observe(kind, made({ uid: 'set' })).toDelete, [], 'an owner with the right coordinates is fine');
  t.strictSame(graph.observe(kind, made({ uid: 'set' })).toDelete, [], 'and so it is when it is observed again');

  const waiting = made({ uid: 'set', finalizers: ['foregroundDeletion'], isDeleted: true });
  t.strictSame(uids(graph.observe(kind, waiting).toDelete), ['pod', 'set'], 'a foreground deletion begins');
  t.strictSame(graph.observe(kind, waiting).toDelete, []);
  const late = graph.observe(kind, made({ uid: 'late', owners: ['set'], blocking: ['set'] }));
  t.strictSame(uids(late.toDelete), ['late'], 'a dependent that comes later is deleted too');
  t.strictSame(graph.forget('late').toDelete, [], 'the owner is left alone while a dependent blocks it');
  t.strictSame(uids(graph.forget('pod').toDelete), ['set'], 'the last dependent that goes lets the owner go');

  const orphaning = made({ uid: 'job', finalizers: ['orphan'], isDeleted: true });
  t.strictSame(uids(graph.observe(kind, orphaning).toOrphan), ['job']);
  t.strictSame(graph.observe(kind, orphaning).toOrphan, []);
  t.end();
});

t.test('a reference that no longer blocks lets its owner go', (t) => {
  const graph = new DependencyGraph();
  graph.observe(kind, made({ uid: 'owner', finalizers: ['foregroundDeletion'], isDeleted: true }));
  graph.observe(kind, made({ uid: 'one', owners: ['owner'], blocking: ['owner'] }));
  graph.observe(kind, made({ uid: 'two', owners: ['owner'], blocking: ['owner'] }));
  t.strictSame(graph.observe(kind, made({ uid: 'one', owners: ['owner'] })).toDelete, []);
  t.strictSame(uids(graph.observe(kind, made({ uid: 'two', owners: [] })).toDelete), ['owner']);
  t.equal(graph.node('owner')?.blockingDependents, 0);
  t.end();
});

t.test('an owner of another namespace is reported, in whichever order the two are observed', (t) => {
  const dependent = made({ uid: 'dependent', owners: ['owner'], namespace: 'other' });
  const first = new DependencyGraph();
  first.observe(kind, made({ uid: 'owner' }));
  const after = first.observe(kind, dependent);
  t.strictSame(uids(after.toDelete), ['dependent']);
  t.match(after.misplaced, [{ ownerUid: 'owner' }]);
  const second = new DependencyGraph();
  second.observe(kind, dependent);
  const observed = second.observe(kind, made({ uid: 'owner' }));
  t.strictSame(uids(observed.toDelete), ['dependent']);
  t.match(observed.misplaced, [{ ownerUid: 'owner' }]);
  t.end();
});

t.test('references that disagree about an absent owner are verified one after the other', (t) => {
  const graph = new DependencyGraph();
  graph.observe(kind, made({ uid: 'one', owners: ['owner'], namespace: 'a' }));
  graph.observe(kind, made({ uid: 'two', owners: ['owner'], namespace: 'b' }));
  const owner = { ...kind, name: 'owner', uid: 'owner' };
  t.match(graph.node('owner')?.identity, { namespace: 'a' });
  t.strictSame(uids(graph.confirmAbsent({ ...owner, namespace: 'a' }).toDelete), ['one']);
  t.match(graph.node('owner')?.identity, { namespace: 'b' }, 'the uid may exist where the other one looks for it');
  graph.forget('one');
  t.strictSame(uids(graph.confirmAbsent({ ...owner, namespace: 'b' }).toDelete), ['two']);
  t.equal(graph.node('owner'), undefined);
  t.end();
});

t.test('objects of a kind that is no longer served block no owner, and stay owners themselves', (t) => {
  const graph = new DependencyGraph();
  const custom = { apiVersion: 'example.com/v1', kind: 'Widget' };
  graph.observe(kind, made({ uid: 'owner', finalizers: ['foregroundDeletion'], isDeleted: true }));
  graph.observe(custom, made({ uid: 'widget', owners: ['owner'], blocking: ['owner'] }));
  graph.observe(kind, made({ uid: 'leaf', owners: ['widget'] }));
  t.strictSame(uids(graph.unobserve(custom).toDelete), ['owner', 'widget']);
  t.equal(graph.node('widget')?.object, undefined);
  t.strictSame(uids(graph.node('widget')?.dependents ?? []), ['leaf']);
  t.end();
});

t.test('an object is kept while an owner exists, and deleted otherwise', (t) => {
  const owned = made({ uid: 'x' });
  const reference = { ...kind, name: 'o', uid: 'o' };
  const decide = (
    states: readonly OwnerState[],
    { exist = false, someWait = false, object = owned } = {},
  ): ReturnType<typeof decideCollection> =>
    decideCollection(
      object,
      states.map((state) => ({ state, reference: { ...reference, uid: state } })),
      { exist, someWait },
    );
  t.strictSame(decide([]), { do: 'keep' });
  t.strictSame(decide(['solid']), { do: 'keep' });
  t.strictSame(decide(['dangling', 'solid', 'waiting']), { do: 'drop-references', uids: ['dangling', 'waiting'] });
  t.strictSame(decide(['dangling']), { do: 'delete', policy: 'Background', unblocksOwners: false });
  t.strictSame(decide(['waiting']), { do: 'delete', policy: 'Background', unblocksOwners: false });
  t.strictSame(decide(['waiting'], { exist: true }), { do: 'delete', policy: 'Foreground', unblocksOwners: false });
  t.match(decide(['waiting'], { exist: true, someWait: true }), { unblocksOwners: true });
  t.match(decide(['dangling'], { object: made({ uid: 'x', finalizers: ['orphan'] }) }), { policy: 'Orphan' });
  t.match(decide(['dangling'], { object: made({ uid: 'x', finalizers: ['foregroundDeletion'] }) }), {
    policy: 'Foreground',
  });
  t.end();
});

async function newCluster(): Promise<Cluster<VirtualClock>> {
  const cluster = await createCluster({
    clock: virtualClock(),
    random: random(1),
    controllers: ['garbage-collector-controller'],
    scheduler: false,
  });
  await cluster.settled();
  return cluster;
}

const reference = ({ metadata }: Stored, more: Partial<OwnerReference> = {}): OwnerReference => ({
  ...kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
});

/** Creates ConfigMaps of the namespace `default`. */
async function create(cluster: Cluster, name: string, ...owners: OwnerReference[]): Promise<Stored> {
  return cluster.client
    .kind('v1', 'ConfigMap')
    .in('default')
    .create({ metadata: { name, ownerReferences: owners } });
}

const names = async (cluster: Cluster): Promise<string[]> => {
  const { items } = await cluster.client.kind('v1', 'ConfigMap').in('default').list();
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
};

t.test('dependents follow their owner, down chains', async (t) => {
  await using cluster = await newCluster();
  const top = await create(cluster, 'top');
  const middle = await create(cluster, 'middle', reference(top));
  await create(cluster, 'bottom', reference(middle));
  await create(cluster, 'other');
  await cluster.client.kind('v1', 'ConfigMap').in('default').delete('top');
  await cluster.settled();
  t.strictSame(await names(cluster), ['other']);
});

t.test('an object whose owner never existed is deleted; with a living owner it loses the reference', async (t) => {
  await using cluster = await newCluster();
  const living = await create(cluster, 'living');
  const missing = { ...kind, name: 'missing', uid: '0e3c6d13-3a4e-4f9a-9d0c-000000000001' };
  await create(cluster, 'gone', missing);
  await create(cluster, 'wrong-uid', { ...reference(living), uid: missing.uid });
  await create(cluster, 'kept', missing, reference(living));
  await cluster.settled();
  t.strictSame(await names(cluster), ['kept', 'living']);
  const kept = await cluster.client.kind('v1', 'ConfigMap').in('default').get('kept');
  t.strictSame(kept.metadata.ownerReferences, [reference(living)]);
});

t.test('foreground deletion keeps the owner until what blocks it is gone', async (t) => {
  await using cluster = await newCluster();
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const owner = await create(cluster, 'owner');
  await maps.create({
    metadata: {
      name: 'blocking',
      finalizers: ['example.com/held'],
      ownerReferences: [reference(owner, { blockOwnerDeletion: true })],
    },
  });
  await create(cluster, 'free', reference(owner));
  await maps.delete('owner', { propagationPolicy: 'Foreground' });
  await cluster.settled();
  t.strictSame(await names(cluster), ['blocking', 'owner'], 'dependents that do not block are deleted as well');
  await maps.patch('blocking', { merge: { metadata: { finalizers: null } } });
  await cluster.settled();
  t.strictSame(await names(cluster), []);
});

t.test('orphaning removes the references and then the owner', async (t) => {
  await using cluster = await newCluster();
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const owner = await create(cluster, 'owner');
  for (let at = 0; at < 120; at += 1) await create(cluster, `dependent-${at}`, reference(owner));
  await maps.delete('owner', { propagationPolicy: 'Orphan' });
  await cluster.settled();
  const { items } = await maps.list();
  const orphans = items.filter(({ metadata }) => metadata.name.startsWith('dependent-'));
  t.equal(orphans.length, 120);
  t.ok(orphans.every(({ metadata }) => metadata.ownerReferences === undefined));
  t.notOk(await maps.find('owner'));
});

t.test('owners that wait for each other are deleted all the same', async (t) => {
  await using cluster = await newCluster();
  const maps = cluster.client.kind('v1', 'ConfigMap').in('default');
  const blocks = { blockOwnerDeletion: true };
  const one = await create(cluster, 'one');
  const two = await create(cluster, 'two', reference(one, blocks));
  const three = await create(cluster, 'three', reference(two, blocks));
  await maps.patch('one', { merge: { metadata: { ownerReferences: [reference(three, blocks)] } } });
  await maps.delete('one', { propagationPolicy: 'Foreground' });
  await cluster.settled();
  t.strictSame(await names(cluster), []);
});

t.test('an owner of another namespace does not count, which an Event reports', async (t) => {
  await using cluster = await newCluster();
  const { client } = cluster;
  await client.kind('v1', 'Namespace').create({ metadata: { name: 'other' } });
  const owner = await client
    .kind('v1', 'ConfigMap')
    .in('other')
    .create({ metadata: { name: 'owner' } });
  await cluster.settled();
  await create(cluster, 'dependent', reference(owner));
  await cluster.settled();
  t.strictSame(await names(cluster), []);
  const { items } = await client.kind('v1', 'Event').in('default').list();
  t.match(items, [
    {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'dependent' },
      source: { component: 'garbage-collector-controller' },
    },
  ]);
});

t.test('cluster-scoped objects own namespaced ones, but have no namespaced owners', async (t) => {
  await using cluster = await newCluster();
  const { client } = cluster;
  const classes = client.kind('scheduling.k8s.io/v1', 'PriorityClass');
  const owner = await classes.create({ metadata: { name: 'owner' }, value: 1 });
  const byClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', name: 'owner', uid: owner.metadata.uid };
  const map = await create(cluster, 'map', byClass);
  await classes.create({ metadata: { name: 'odd', ownerReferences: [reference(map)] }, value: 1 });
  await classes.delete('owner');
  await cluster.settled();
  t.strictSame(await names(cluster), []);
  t.ok(await classes.find('odd'), 'it is never collected');
});

t.test('kinds that are added and removed at run time are followed', async (t) => {
  await using cluster = await newCluster();
  const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const widgets = cluster.client.resource({ apiVersion: 'example.com/v1', kind: 'Widget' }).in('default');
  const byWidget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'unknown' };
  await create(cluster, 'early', byWidget);
  await cluster.advance('1m');
  t.strictSame(await names(cluster), ['early'], 'an owner of an unknown kind may exist');
  const definition = await defineKind({ ...gvk, plural: 'widgets', schema: { type: 'object' } });
  cluster.server.kinds.add(definition);
  await cluster.settled();
  t.strictSame(await names(cluster), [], 'now it is known not to');
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
  const { metadata } = await widgets.create(widget);
  await create(cluster, 'owned', { ...byWidget, uid: metadata.uid });
  await widgets.delete('w');
  await cluster.settled();
  t.strictSame(await names(cluster), []);
  const { metadata: again } = await widgets.create(widget);
  await create(cluster, 'kept', { ...byWidget, uid: again.uid });
  cluster.server.kinds.remove(gvk);
  await cluster.advance('1h');
  t.strictSame(await names(cluster), ['kept']);
  cluster.server.kinds.add(definition);
  await cluster.advance('1h');
  t.strictSame(await names(cluster), ['kept'], 'the object was in the store all the time');
});
