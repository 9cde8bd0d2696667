// What the controllers of workloads share: expectations, adoption and release, creating and deleting pods, slow start.
import t from 'tap';
import type { EventDetails, Stored } from '../../lib/client/index.js';
import { claimObjects, claimStep } from '../../lib/controllers/workloads/claim-objects.js';
import { Expectations } from '../../lib/controllers/workloads/expectations.js';
import { dependentsAndOrphans, podsByController } from '../../lib/controllers/workloads/owned-pods.js';
import { podControl, slowStartBatch } from '../../lib/controllers/workloads/pod-control.js';
import {
  availableAtMs,
  everything,
  isPodActive,
  isPodAvailable,
  isPodTerminating,
  random,
  selectorFromLabels,
  virtualClock,
} from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { Pod, ReplicaSet } from '../../lib/core/types/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { observe } from '../support/observe.js';
import { fc, runs } from '../support/properties.js';

const kind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
const podKind = { apiVersion: 'v1', kind: 'Pod' };
const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const context = { signal: new AbortController().signal, cause: { reason: 'test' } };

async function newCluster(): Promise<Cluster<VirtualClock>> {
  return await createCluster({
    clock: virtualClock(),
    random: random(1),
    scheduler: false,
    controllers: ['serviceaccount-controller'],
  });
}

async function newSet({ client }: Cluster<VirtualClock>, name = 'web'): Promise<Stored<ReplicaSet>> {
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  return await client.kind('apps/v1', 'ReplicaSet').in('default').create({ metadata: { name }, spec });
}

t.test('expectations', async (t) => {
  await t.test('creations are expected until each was observed', async (t) => {
    const expectations = new Expectations(virtualClock());
    t.ok(expectations.isSatisfied('a'));
    expectations.expectCreations('a', 2);
    expectations.creationObserved('a');
    t.notOk(expectations.isSatisfied('a'));
    expectations.creationObserved('a');
    t.ok(expectations.isSatisfied('a'));
  });
  await t.test('a deletion counts once, and only those of the expected objects', async (t) => {
    const expectations = new Expectations(virtualClock());
    expectations.expectDeletions('a', ['1', '2']);
    for (const uid of ['1', '1', '3']) expectations.deletionObserved('a', uid);
    t.notOk(expectations.isSatisfied('a'));
    expectations.deletionObserved('a', '2');
    t.ok(expectations.isSatisfied('a'));
  });
  await t.test('they are given up after more than five minutes, and with their owner', async (t) => {
    const clock = virtualClock();
    const expectations = new Expectations(clock);
    expectations.expect('a', 1, ['1']);
    await clock.advance('5m');
    t.notOk(expectations.isSatisfied('a'));
    await clock.advance(1);
    t.ok(expectations.isSatisfied('a'));
    expectations.expectCreations('a', 1);
    expectations.forget('a');
    t.ok(expectations.isSatisfied('a'));
  });
});

t.test('slow start runs batches of 1, 2, 4, … and stops after the first with a failure', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.nat(60), async (count, failsAt) => {
      const calls: number[] = [];
      const { successes, failure } = await slowStartBatch(count, (index) => {
        calls.push(index);
        return index === failsAt ? Promise.reject(new Error('no')) : Promise.resolve();
      });
      // Batches end at 1, 3, 7, 15, …
      const ends = [1, 3, 7, 15, 31, 63].find((end) => end > failsAt) ?? 0;
      const expected = failsAt < count ? Math.min(ends, count) : count;
      t.same(
        calls,
        Array.from({ length: expected }, (_, index) => index),
      );
      t.equal(successes, failsAt < count ? expected - 1 : expected);
      t.equal(failure !== undefined, failsAt < count);
    }),
    { numRuns: runs(300) },
  );
});

t.test('pods are created from the template and deleted, with an Event about each', async (t) => {
  await using cluster = await newCluster();
  await cluster.settled();
  const events: EventDetails[] = [];
  const control = podControl({ client: cluster.client, recorder: { record: (event) => events.push(event) }, kind });
  const owner = await newSet(cluster);
  const withFinalizer = { ...template, metadata: { ...template.metadata, finalizers: ['example.com/f'], name: 'n' } };
  const pod = await control.create(owner, withFinalizer, context);
  t.match(pod.metadata, {
    name: /^web-[a-z0-9]{5}$/,
    generateName: 'web-',
    labels,
    finalizers: ['example.com/f'],
    ownerReferences: [{ ...kind, name: 'web', uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true }],
  });
  const named = await control.create(owner, template, context, { name: 'web-0' });
  t.equal(named.metadata.name, 'web-0');
  t.ok(await control.delete(owner, named, context));
  t.notOk(await control.delete(owner, named, context), 'it is gone');
  await t.rejects(control.create(owner, { ...template, spec: { containers: [] } }, context), { message: /invalid/ });
  await t.rejects(control.create(owner, { spec: template.spec }, context), {
    message: 'unable to create pods, no labels',
  });
  t.same(
    events.map(({ type, reason, message }) => `${type} ${reason} ${message.slice(0, 22)}`),
    [
      `Normal SuccessfulCreate Created pod: ${pod.metadata.name.slice(0, 9)}`,
      'Normal SuccessfulCreate Created pod: web-0',
      'Normal SuccessfulDelete Deleted pod: web-0',
      'Warning FailedCreate Error creating: Pod "w',
    ],
  );
  t.match(events[0]?.regarding, { ...kind, name: 'web', uid: owner.metadata.uid });
});

t.test('a refusal because the namespace terminates is not recorded', async (t) => {
  await using cluster = await newCluster();
  const namespaces = cluster.client.kind('v1', 'Namespace');
  await namespaces.create({ metadata: { name: 'x', finalizers: ['example.com/f'] } });
  await cluster.settled();
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  const sets = cluster.client.kind('apps/v1', 'ReplicaSet').in('x');
  const owner = await sets.create({ metadata: { name: 'web' }, spec });
  await namespaces.delete('x');
  const recorder = { record: () => t.fail('an Event') };
  await t.rejects(podControl({ client: cluster.client, recorder, kind }).create(owner, template, context), {
    message: /being terminated/,
  });
});

t.test('claiming', async (t) => {
  await t.test('adopts orphans that match, releases own objects that do not, and leaves others alone', async (t) => {
    await using cluster = await newCluster();
    await cluster.settled();
    const owner = await newSet(cluster);
    const other = await newSet(cluster, 'other');
    const pods = cluster.client.kind('v1', 'Pod').in('default');
    const control = podControl({ client: cluster.client, recorder: { record: () => undefined }, kind });
    const own = await control.create(owner, template, context, { name: 'own' });
    const mismatched = await control.create(owner, template, context, { name: 'mismatched' });
    const relabeled = await pods.patch(mismatched.metadata.name, { merge: { metadata: { labels: { app: 'x' } } } });
    const foreign = await control.create(other, template, context, { name: 'foreign' });
    const orphan = await pods.create({ ...template, metadata: { labels, name: 'orphan' } });
    const unmatched = await pods.create({ ...template, metadata: { labels: { app: 'y' }, name: 'unmatched' } });
    const gone = await pods.create({ ...template, metadata: { labels, name: 'gone' } });
    await pods.delete('gone');
    const claimed = await claimObjects<Pod>([own, relabeled, foreign, orphan, unmatched, gone], {
      ...context,
      client: cluster.client,
      owner,
      ownerKind: kind,
      kind: podKind,
      selector: selectorFromLabels(labels),
      finalizers: ['example.com/f'],
    });
    t.same(
      claimed.map(({ metadata }) => metadata.name),
      ['own', 'orphan'],
    );
    const adopted = await pods.get('orphan');
    t.match(adopted.metadata.ownerReferences, [{ uid: owner.metadata.uid, controller: true }]);
    t.same(adopted.metadata.finalizers, ['example.com/f']);
    t.equal((await pods.get('mismatched')).metadata.ownerReferences, undefined);
    t.equal((await pods.get('foreign')).metadata.ownerReferences?.[0]?.uid, other.metadata.uid);
  });
  await t.test('does not adopt for an owner that is gone, replaced or being deleted', async (t) => {
    await using cluster = await newCluster();
    await cluster.settled();
    const sets = cluster.client.kind('apps/v1', 'ReplicaSet').in('default');
    const orphan = await cluster.client
      .kind('v1', 'Pod')
      .in('default')
      .create({ ...template, metadata: { labels, name: 'orphan' } });
    const owner = await newSet(cluster);
    const options = { ...context, client: cluster.client, owner, ownerKind: kind, kind: podKind, selector: everything };
    await sets.delete('web', { propagationPolicy: 'Foreground' });
    await t.rejects(claimObjects([orphan], options), { message: /can't adopt Pod default\/orphan .* has just been/ });
    await sets.patch('web', { merge: { metadata: { finalizers: null } } });
    await t.rejects(claimObjects([orphan], options), { message: /not found/ });
    await newSet(cluster);
    await t.rejects(claimObjects([orphan], options), { message: /original ReplicaSet default\/web is gone: got uid/ });
  });
  await t.test('an owner that is being deleted keeps what it has and takes nothing else', async (t) => {
    const meta = { namespace: 'a', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
    const owner = { metadata: { ...meta, name: 'o', uid: '1', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'o', uid: '1', controller: true }];
    const step = (metadata: object, selector = everything) =>
      claimStep({ metadata: { ...meta, name: 'd', uid: '2', ...metadata } }, { owner, selector });
    t.equal(step({ ownerReferences }), 'keep');
    t.equal(step({ ownerReferences }, selectorFromLabels(labels)), 'ignore');
    t.equal(step({}), 'ignore');
  });
});

t.test('the pods of an owner and the orphans of its namespace are found by index', async (t) => {
  await using cluster = await newCluster();
  await cluster.settled();
  const owner = await newSet(cluster);
  const control = podControl({ client: cluster.client, recorder: { record: () => undefined }, kind });
  await control.create(owner, template, context, { name: 'own' });
  await control.create(await newSet(cluster, 'other'), template, context, { name: 'foreign' });
  await cluster.client
    .kind('v1', 'Pod')
    .in('default')
    .create({ ...template, metadata: { labels, name: 'orphan' } });
  const pods = podsByController(cluster.informers);
  const running = observe(pods.events$);
  await cluster.settled();
  t.same(
    dependentsAndOrphans(pods, owner).map(({ metadata }) => metadata.name),
    ['own', 'orphan'],
  );
  running.unsubscribe();
});

t.test('the state of pods', async (t) => {
  const readySince = (lastTransitionTime: string): Pod => ({
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
  });
  const pod = readySince('2026-01-01T00:00:00Z');
  const since = Date.parse('2026-01-01T00:00:00Z');
  t.equal(availableAtMs(pod, 10), since + 10_000);
  t.notOk(isPodAvailable(pod, 10, since + 9_999));
  t.ok(isPodAvailable(pod, 10, since + 10_000));
  t.ok(isPodAvailable(pod, 0, 0));
  t.notOk(isPodAvailable({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 0, since));
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  t.ok(isPodActive({ status: { phase: 'Pending' } }));
  t.notOk(isPodActive({ status: { phase: 'Failed' } }));
  t.notOk(isPodActive({ metadata: { deletionTimestamp } }));
  t.ok(isPodTerminating({ metadata: { deletionTimestamp } }));
  t.notOk(isPodTerminating({ metadata: { deletionTimestamp }, status: { phase: 'Succeeded' } }));
});
