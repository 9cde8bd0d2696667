// The DaemonSet controller: which nodes get a pod, what binds it there, updates with and without surge, failing
// pods, history, Events, and that the rights of its service account suffice.
import t from 'tap';
import { daemonPlacement, targetNode } from '../../lib/controllers/daemon-sets/daemon-pods.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import type { DaemonSetSpec, Pod, PodSpec, Taint } from '../../lib/core/types/index.js';
import type { Stored } from '../../lib/client/index.js';
import { createCluster } from '../../lib/index.js';
import type { Cluster } from '../../lib/index.js';
import { observe } from '../support/observe.js';

const template = (spec: Partial<PodSpec> = {}) => ({
  metadata: { labels: { app: 'd' } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }], ...spec },
});

/** A cluster with nodes `a`, `b`, `c` and one set `d`. */
class DaemonCluster {
  readonly failures: string[] = [];
  readonly cluster: Cluster<VirtualClock>;

  private constructor(cluster: Cluster<VirtualClock>) {
    this.cluster = cluster;
    observe(cluster.activity$, ({ activity }) => {
      if (activity.type === 'failed' && 'error' in activity) this.failures.push(String(activity.error));
    });
  }

  static async create(spec: Partial<DaemonSetSpec> = {}, nodes = ['a', 'b', 'c']): Promise<DaemonCluster> {
    const controllers = ['daemonset-controller', 'serviceaccount-controller'];
    const cluster = await createCluster({ clock: virtualClock(), random: random(1), scheduler: false, controllers });
    await cluster.settled();
    const made = new DaemonCluster(cluster);
    for (const name of nodes) await made.addNode(name);
    const rest = { selector: { matchLabels: { app: 'd' } }, template: template(), ...spec };
    await made.sets.create({ metadata: { name: 'd' }, spec: rest });
    await cluster.settled();
    return made;
  }

  get sets() {
    return this.cluster.client.kind('apps/v1', 'DaemonSet').in('default');
  }

  get pods() {
    return this.cluster.client.kind('v1', 'Pod').in('default');
  }

  get nodes() {
    return this.cluster.client.kind('v1', 'Node');
  }

  async addNode(name: string, taints: Taint[] = []): Promise<void> {
    await this.nodes.create({ metadata: { name, labels: { name } }, spec: { taints } });
    await this.taint(name, taints); // without the one of new nodes
  }

  async taint(name: string, taints: Taint[]): Promise<void> {
    await this.nodes.patch(name, { merge: { spec: { taints } } });
    await this.cluster.settled();
  }

  /** The nodes that pods run on or wait for, `*` for the newest revision, `!` for pods that are being deleted. */
  async where(): Promise<string> {
    await this.cluster.settled();
    const { items: revisions } = await this.cluster.client.kind('apps/v1', 'ControllerRevision').in('default').list();
    const newest = revisions.toSorted((one, other) => other.revision - one.revision)[0];
    const hash = newest?.metadata.labels?.['controller-revision-hash'];
    const { items } = await this.pods.list();
    return items
      .map((pod) => {
        const isNew = pod.metadata.labels?.['controller-revision-hash'] === hash;
        const isGoing = pod.metadata.deletionTimestamp !== undefined;
        return `${targetNode(pod) ?? '?'}${isNew ? '*' : ''}${isGoing ? '!' : ''}`;
      })
      .sort()
      .join(' ');
  }

  async on(node: string): Promise<Stored<Pod>> {
    const found = (await this.pods.list()).items.find((pod) => targetNode(pod) === node);
    if (found === undefined) throw new Error(`no pod on ${node}`);
    return found;
  }

  async setPhase(pod: Stored<Pod>, phase: NonNullable<NonNullable<Pod['status']>['phase']>): Promise<void> {
    const lastTransitionTime = new Date(this.cluster.clock.now()).toISOString();
    const status = phase === 'Running' ? ('True' as const) : ('False' as const);
    const conditions = [{ type: 'Ready', status, lastTransitionTime }];
    await this.pods.status.patch(pod.metadata.name, { merge: { status: { phase, conditions } } });
    await this.cluster.settled();
  }

  async runAll(): Promise<void> {
    const { items } = await this.pods.list();
    for (const pod of items) if (pod.status?.phase === 'Pending') await this.setPhase(pod, 'Running');
  }

  async change(spec: unknown): Promise<void> {
    await this.sets.patch('d', { merge: { spec } as never });
    await this.cluster.settled();
  }

  async events(): Promise<readonly string[]> {
    const { items } = await this.cluster.client.kind('v1', 'Event').in('default').list();
    return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close();
  }
}

const updated = { template: { metadata: { labels: { v: '2' } } } };

t.test('every node gets a pod that only this node can run, and that tolerates problems of the node', async (t) => {
  await using c = await DaemonCluster.create();
  t.equal(await c.where(), 'a* b* c*');
  const { metadata, spec } = await c.on('b');
  t.same(spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
  });
  t.same(
    spec?.tolerations?.map(({ key, effect }) => `${key}:${effect}`),
    [
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ],
  );
  t.equal(metadata.labels?.['pod-template-generation'], '1');
  t.match((await c.sets.get('d')).status, {
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    numberUnavailable: 3,
    updatedNumberScheduled: 3,
    observedGeneration: 1,
  });
  t.ok((await c.events()).some((event) => event.startsWith('Normal SuccessfulCreate: Created pod: d-')));
  t.same(c.failures, [], 'the rights of its service account suffice');
});

t.test('selectors, affinity, taints and the node name decide where pods belong', async (t) => {
  const node = (name: string, labels: Record<string, string>, taints: Taint[] = []) =>
    ({ metadata: { name, labels, uid: name, resourceVersion: '1' }, spec: { taints } }) as never;
  const placed = (spec: Partial<PodSpec>) => daemonPlacement({ spec: { selector: {}, template: template(spec) } });
  const taint = (effect: Taint['effect']): Taint => ({ key: 'k', effect });
  t.equal(placed({ nodeSelector: { role: 'x' } }).shouldRun(node('n', { role: 'x' })), true);
  t.equal(placed({ nodeSelector: { role: 'x' } }).shouldRun(node('n', { role: 'y' })), false);
  t.equal(placed({ nodeName: 'm' }).shouldRun(node('n', {})), false);
  t.equal(placed({}).shouldRun(node('n', {}, [taint('NoSchedule')])), false);
  t.equal(placed({}).mayContinue(node('n', {}, [taint('NoSchedule')])), true);
  t.equal(placed({}).mayContinue(node('n', {}, [taint('NoExecute')])), false);
  t.equal(placed({}).shouldRun(node('n', {}, [taint('PreferNoSchedule')])), true);
  const network: Taint = { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' };
  t.equal(placed({}).shouldRun(node('n', {}, [network])), false);
  t.equal(placed({ hostNetwork: true }).shouldRun(node('n', {}, [network])), true);
});

t.test('a toleration of the template with a time limit loses it', async (t) => {
  const limited = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' } as const;
  await using c = await DaemonCluster.create(
    { template: template({ tolerations: [{ ...limited, tolerationSeconds: 5 }] }) },
    ['a'],
  );
  const { spec } = await c.on('a');
  t.same(spec?.tolerations?.[0], limited);
  t.equal(spec?.tolerations?.length, 6);
});

t.test('nodes that join, leave, and change their taints are followed', async (t) => {
  await using c = await DaemonCluster.create({}, ['a']);
  await c.addNode('b', [{ key: 'k', effect: 'NoSchedule' }]);
  t.equal(await c.where(), 'a*');
  await c.taint('b', []);
  t.equal(await c.where(), 'a* b*');
  await c.pods.subresource('binding').create((await c.on('a')).metadata.name, {
    metadata: { name: (await c.on('a')).metadata.name },
    target: { kind: 'Node', name: 'a' },
  });
  await c.taint('a', [{ key: 'k', effect: 'NoSchedule' }]);
  t.equal(await c.where(), 'a* b*', 'a pod that runs may stay');
  t.match((await c.sets.get('d')).status, { numberMisscheduled: 0, desiredNumberScheduled: 2 });
  await c.taint('a', [{ key: 'k', effect: 'NoExecute' }]);
  t.equal(await c.where(), 'b*');
  await c.nodes.delete('b');
  t.equal(await c.where(), '', 'a pod that waits for a node that is gone is deleted');
  t.match((await c.sets.get('d')).status, { desiredNumberScheduled: 0 });
});

t.test('an update without surge keeps within maxUnavailable', async (t) => {
  await using c = await DaemonCluster.create({
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
  });
  await c.runAll();
  await c.change(updated);
  t.equal(await c.where(), 'a* b c');
  await c.runAll();
  t.equal(await c.where(), 'a* b* c');
  await c.runAll();
  await c.runAll();
  t.match((await c.sets.get('d')).status, { updatedNumberScheduled: 3, numberAvailable: 3, observedGeneration: 2 });
});

t.test('old pods that are not available are replaced at once, whatever maxUnavailable is', async (t) => {
  await using c = await DaemonCluster.create();
  await c.change(updated);
  t.equal(await c.where(), 'a* b* c*');
});

t.test('an update with surge has a new pod before it deletes the old one', async (t) => {
  await using c = await DaemonCluster.create({
    minReadySeconds: 10,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  });
  await c.runAll();
  await c.cluster.advance('10s');
  await c.change(updated);
  t.equal(await c.where(), 'a a* b c');
  await c.runAll();
  t.equal(await c.where(), 'a a* b c', 'the new one is not available yet');
  await c.cluster.advance('10s');
  t.equal(await c.where(), 'a* b b* c');
});

t.test('with OnDelete pods are updated when they are deleted', async (t) => {
  await using c = await DaemonCluster.create({ updateStrategy: { type: 'OnDelete' } });
  await c.runAll();
  await c.change(updated);
  t.equal(await c.where(), 'a b c');
  await c.pods.delete((await c.on('b')).metadata.name);
  t.equal(await c.where(), 'a b* c');
});

t.test('a pod that keeps failing is replaced later each time', async (t) => {
  await using c = await DaemonCluster.create({}, ['a']);
  const failed = async (): Promise<string> => {
    const pod = await c.on('a');
    await c.setPhase(pod, 'Failed');
    return pod.metadata.uid;
  };
  const first = await failed();
  t.not((await c.on('a')).metadata.uid, first, 'the first at once');
  const second = await failed();
  t.equal((await c.on('a')).metadata.uid, second);
  await c.cluster.advance('1s');
  t.not((await c.on('a')).metadata.uid, second, 'the second after a second');
  const third = await failed();
  await c.cluster.advance('1s');
  t.equal((await c.on('a')).metadata.uid, third);
  await c.cluster.advance('1s');
  t.not((await c.on('a')).metadata.uid, third, 'the third after two');
  t.ok(
    (await c.events()).some((event) => /^Warning FailedDaemonPod: Found failed daemon pod .* on node a/.test(event)),
  );
  await c.setPhase(await c.on('a'), 'Succeeded');
  t.ok((await c.events()).some((event) => event.startsWith('Normal SucceededDaemonPod: Found succeeded daemon pod')));
});

t.test('a rollback gives the old revision a new number, and the history is bounded', async (t) => {
  await using c = await DaemonCluster.create({ revisionHistoryLimit: 1 }, []);
  const revisions = async (): Promise<readonly string[]> => {
    const { items } = await c.cluster.client.kind('apps/v1', 'ControllerRevision').in('default').list();
    return items.map(({ revision, metadata }) => `${revision} ${metadata.uid}`).sort();
  };
  await c.change(updated);
  const second = (await revisions())[1]?.slice(2);
  await c.change({ template: { metadata: { labels: { v: '3' } } } });
  t.equal((await revisions()).length, 2);
  await c.change(updated);
  t.ok((await revisions()).includes(`4 ${second ?? ''}`));
});

t.test('of two revisions with one template the newer is kept, and its pods are labelled', async (t) => {
  await using c = await DaemonCluster.create({}, ['a']);
  await c.runAll();
  const revisions = c.cluster.client.kind('apps/v1', 'ControllerRevision').in('default');
  const [first] = (await revisions.list()).items;
  const { ownerReferences } = first?.metadata ?? {};
  const labels = { app: 'd', 'controller-revision-hash': 'other' };
  const metadata = { name: 'd-other', labels, ...(ownerReferences && { ownerReferences }) };
  await revisions.create({ metadata, data: first?.data ?? {}, revision: 7 });
  await c.cluster.settled();
  t.same(
    (await revisions.list()).items.map((each) => each.metadata.name),
    ['d-other'],
  );
  t.equal((await c.on('a')).metadata.labels?.['controller-revision-hash'], 'other');
  t.same(c.failures, []);
});

t.test('two templates with the same hash have different names', async (t) => {
  await using c = await DaemonCluster.create({}, ['a']);
  const revisions = c.cluster.client.kind('apps/v1', 'ControllerRevision').in('default');
  const [first] = (await revisions.list()).items;
  await c.sets.delete('d', { propagationPolicy: 'Orphan' });
  await c.sets.patch('d', { merge: { metadata: { finalizers: null } } }).catch(() => undefined);
  await revisions.delete(first?.metadata.name ?? '');
  await revisions.create({ metadata: { name: first?.metadata.name ?? '' }, data: { another: 1 }, revision: 1 });
  const spec = { selector: { matchLabels: { app: 'd' } }, template: template() };
  await c.sets.create({ metadata: { name: 'd' }, spec });
  await c.cluster.advance('1s');
  t.equal((await c.sets.get('d')).status?.collisionCount, 1);
  t.equal((await revisions.list()).items.length, 2);
});

t.test('an idle cluster with a set costs nothing', async (t) => {
  await using c = await DaemonCluster.create();
  await c.runAll();
  const before = await c.sets.get('d');
  await c.cluster.advance('30d');
  t.equal((await c.sets.get('d')).metadata.resourceVersion, before.metadata.resourceVersion);
});
