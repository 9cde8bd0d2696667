// The scheduling queue: order, back-off, requeueing of rejected pods, and that no pod is lost. The second half compares
// it with a model that keeps one list.
import t, { type Test } from 'tap';
import { lastValueFrom, map, repeat, take, toArray } from 'rxjs';
import { virtualClock } from '../../lib/core/index.js';
import type { Frozen, VirtualClock } from '../../lib/core/index.js';
import type { Pod } from '../../lib/core/types/index.js';
import { actions } from '../../lib/scheduling/public.js';
import { clusterEvents, covers, labelOf } from '../../lib/scheduling/queue/cluster-event.js';
import { createSchedulingQueue } from '../../lib/scheduling/queue/create-queue.js';
import { comparePriority } from '../../lib/scheduling/queue/queued-pod.js';
import type { ClusterEvent } from '../../lib/scheduling/queue/cluster-event.js';
import type { ObservedEvent } from '../../lib/scheduling/queue/in-flight.js';
import type { QueuedPod } from '../../lib/scheduling/public.js';
import type {
  QueuePlugins,
  SchedulingQueue,
  SchedulingQueueOptions,
} from '../../lib/scheduling/queue/scheduling-queue.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

const start = Date.UTC(2026, 0, 1);
const nodeAdd: ClusterEvent = { resource: 'Node', action: actions.add };
const nodeLabel: ClusterEvent = { resource: 'Node', action: actions.updateNodeLabel };
const gatesEliminated: ClusterEvent = {
  resource: 'UnschedulablePod',
  action: actions.updatePodSchedulingGatesEliminated,
};
const { assignedPodDelete, unscheduledPodUpdate } = clusterEvents;

/**
 * Fit registers for added nodes and deleted pods, Affinity for added and relabelled nodes, Deaf for nothing, Gates for
 * its pod.
 */
const registrations = new Map([
  [
    'default-scheduler',
    new Map<string, readonly ClusterEvent[]>([
      ['Fit', [nodeAdd, { resource: 'Pod', action: actions.delete }]],
      ['Affinity', [{ resource: 'Node', action: actions.add | actions.updateNodeLabel }]],
      ['Gates', [{ resource: 'Pod', action: actions.updatePodSchedulingGatesEliminated }]],
      ['Deaf', []],
    ]),
  ],
]);

interface PodOptions {
  readonly uid?: string;
  readonly priority?: number;
  readonly gated?: boolean;
  readonly nominated?: string;
  readonly profile?: string;
}

function podOf(
  name: string,
  { uid = `${name}-1`, priority = 0, gated = false, nominated, profile = 'default-scheduler' }: PodOptions = {},
): Frozen<Pod> {
  const status = nominated === undefined ? {} : { status: { nominatedNodeName: nominated } };
  return {
    metadata: { name, namespace: 'ns', uid },
    spec: { containers: [], priority, schedulerName: profile, ...(gated ? { schedulingGates: [{ name: 'g' }] } : {}) },
    ...status,
  };
}

/** The plugins that an event helps, according to their hints; absent means all. */
interface Help {
  readonly helps: readonly string[];
}

const asked: string[] = [];
const plugins: QueuePlugins = {
  registrations,
  compare: comparePriority,
  preEnqueue: (pod) => ((pod.spec?.schedulingGates?.length ?? 0) > 0 ? 'Gates' : undefined),
  hint: (plugin, happening: ObservedEvent, pod) => {
    asked.push(`${plugin} ${pod.metadata?.name}`);
    const notified = happening.new as Partial<Help> | undefined;
    return notified?.helps === undefined || notified.helps.includes(plugin) ? 'queue' : 'skip';
  },
};

interface Tried {
  readonly clock: VirtualClock;
  readonly queue: SchedulingQueue;
  /** Pops a pod and returns its name. */
  next(): string | undefined;
  /** Pops a pod that must exist. */
  take(): QueuedPod;
  part(name: string): string;
}

function tried(t: Pick<Test, 'teardown'>, options: Partial<SchedulingQueueOptions> = {}): Tried {
  asked.length = 0;
  const clock = virtualClock({ start });
  const queue = createSchedulingQueue({ clock, plugins, ...options });
  const running = queue.run().subscribe();
  t.teardown(() => {
    running.unsubscribe();
    if (clock.pending > 0) throw new Error('a timer is left');
  });
  const take = (): QueuedPod => {
    const queued = queue.pop();
    if (queued === undefined) throw new Error('nothing to pop');
    return queued;
  };
  return {
    clock,
    queue,
    take,
    next: () => queue.pop()?.pod.metadata?.name,
    part: (name) => queue.find(podOf(name))?.part ?? 'gone',
  };
}

t.test('pods are popped by priority, then in order of addition', async (t) => {
  const { queue, clock, next } = tried(t);
  queue.add(podOf('a'));
  queue.add(podOf('b'));
  await clock.advance(5);
  queue.add(podOf('urgent', { priority: 10 }));
  queue.add(podOf('c'));
  queue.add(podOf('minor', { priority: -1 }));
  t.strictSame([next(), next(), next(), next(), next(), next()], ['urgent', 'a', 'b', 'c', 'minor', undefined]);
  t.equal(queue.figures().cycle, 5);
});

t.test('a queued pod is updated with its object', async (t) => {
  const { queue, take } = tried(t);
  for (const name of ['a', 'b', 'c']) queue.add(podOf(name));
  queue.update(podOf('c'), podOf('c', { priority: 5 }), [unscheduledPodUpdate]);
  queue.delete(podOf('a'));
  t.strictSame([take().pod, take().pod, queue.pop()], [podOf('c', { priority: 5 }), podOf('b'), undefined]);
});

t.test('the back-off of errors grows to ten seconds and ends at a whole second', async (t) => {
  const { queue, clock, take } = tried(t);
  await clock.advance(250);
  queue.add(podOf('a'));
  for (const seconds of [1, 2, 4, 8, 10, 10]) {
    t.equal(queue.requeueFailed(take(), {}), 'error-backoff');
    // From x.250 the back-off ends within second x + n, and that second must be over.
    await clock.advance(`${seconds}s`);
    await clock.advance(749);
    t.equal(queue.pop(), undefined, `held for ${seconds} s`);
    await clock.advance(1);
    t.equal(queue.figures().active, 1);
    await clock.advance(250);
  }
});

t.test('errors always back off, but a rejected pod in back-off is popped when no other is active', async (t) => {
  const { queue, take, next, part } = tried(t);
  queue.add(podOf('rejected'));
  const rejected = take();
  queue.moveOnEvent(nodeAdd, undefined, {});
  t.equal(queue.requeueFailed(rejected, { rejectors: ['Fit'] }), 'backoff');
  queue.add(podOf('broken'));
  queue.add(podOf('fresh'));
  t.equal(queue.requeueFailed(take(), {}), 'error-backoff');
  t.strictSame([next(), next(), next(), part('broken')], ['fresh', 'rejected', undefined, 'error-backoff']);
});

t.test('a rejection resets the count of errors, and errors do not touch that of rejections', async (t) => {
  const { queue, clock, take } = tried(t);
  queue.add(podOf('a'));
  for (const failure of [{}, {}, { rejectors: ['Fit'] }, {}]) {
    const queued = take();
    queue.moveOnEvent(nodeAdd, undefined, {});
    queue.requeueFailed(queued, failure);
    await clock.advance('20s');
  }
  const { attempts, rejections, consecutiveErrors } = take();
  t.strictSame({ attempts, rejections, consecutiveErrors }, { attempts: 5, rejections: 1, consecutiveErrors: 1 });
});

t.test('a pod is requeued only by events of its rejectors, and only if their hint returns queue', async (t) => {
  const { queue, clock, take, part } = tried(t);
  for (const name of ['fit', 'affinity', 'deaf']) queue.add(podOf(name));
  queue.requeueFailed(take(), { rejectors: ['Fit'] });
  queue.requeueFailed(take(), { rejectors: ['Affinity'] });
  queue.requeueFailed(take(), { rejectors: ['Deaf'] });
  await clock.advance('3s');
  queue.moveOnEvent(nodeLabel, {}, { helps: [] });
  t.strictSame(asked, ['Affinity affinity'], 'no other hint is called');
  t.equal(part('affinity'), 'unschedulable');
  queue.moveOnEvent(nodeLabel, {}, { helps: ['Affinity'] });
  t.strictSame([part('fit'), part('affinity'), part('deaf')], ['unschedulable', 'active', 'unschedulable']);
  queue.moveOnEvent(assignedPodDelete, {}, undefined);
  t.strictSame([part('fit'), part('deaf')], ['active', 'unschedulable']);
  queue.moveOnEvent({ resource: 'Node', action: actions.update }, {}, {});
  t.equal(part('deaf'), 'unschedulable');
});

t.test('a pod with two rejectors gets one hint call each, and one event moves it once', async (t) => {
  const { queue, take, part } = tried(t);
  queue.add(podOf('a'));
  queue.requeueFailed(take(), { rejectors: ['Fit', 'Affinity'] });
  queue.moveOnEvent(nodeAdd, undefined, { helps: [] });
  t.strictSame(asked, ['Fit a', 'Affinity a']);
  queue.moveOnEvent(nodeAdd, undefined, { helps: ['Affinity'] });
  t.equal(part('a'), 'backoff');
  t.strictSame(
    queue.figures().incoming.filter(({ event }) => event === 'NodeAdd'),
    [{ queue: 'backoff', event: 'NodeAdd', pods: 1 }],
  );
});

t.test(
  'an event that helps while a pod is in flight is not lost; one before it was popped does not count',
  async (t) => {
    const { queue, take } = tried(t);
    queue.add(podOf('first'));
    queue.add(podOf('second'));
    const first = take();
    queue.moveOnEvent(nodeAdd, undefined, {});
    const second = take();
    t.equal(queue.requeueFailed(second, { rejectors: ['Fit'] }), 'unschedulable');
    t.equal(queue.requeueFailed(first, { rejectors: ['Fit'] }), 'backoff');
    t.equal(queue.figures().recordedEvents, 0);
  },
);

t.test('a hint of a Pending plugin skips the back-off', async (t) => {
  const { queue, take, part } = tried(t);
  queue.add(podOf('waits'));
  queue.requeueFailed(take(), { rejectors: ['Fit'], pending: ['Affinity'] });
  queue.moveOnEvent(nodeAdd, undefined, {});
  t.equal(part('waits'), 'active');
  const again = take();
  queue.moveOnEvent(nodeAdd, undefined, { helps: ['Fit'] });
  queue.moveOnEvent(nodeLabel, {}, {});
  t.equal(
    queue.requeueFailed(again, { rejectors: ['Fit'], pending: ['Affinity'] }),
    'active',
    'a later event may be worth more',
  );
  const other = take();
  queue.moveOnEvent(nodeAdd, undefined, { helps: ['Fit'] });
  t.equal(queue.requeueFailed(other, { rejectors: ['Fit'], pending: ['Affinity'] }), 'backoff');
});

t.test('a hint that throws counts as queue', async (t) => {
  const { queue, take, part } = tried(t, {
    plugins: {
      ...plugins,
      hint: () => {
        throw new Error('broken');
      },
    },
  });
  queue.add(podOf('a'));
  queue.requeueFailed(take(), { rejectors: ['Fit'] });
  queue.moveOnEvent(nodeAdd, undefined, {});
  t.equal(part('a'), 'backoff');
});

t.test('an error of PreEnqueue loses no pod', async (t) => {
  let broken = false;
  const { queue, take, part } = tried(t, {
    plugins: {
      ...plugins,
      preEnqueue: () => {
        if (broken) throw new Error('broken');
        return undefined;
      },
    },
  });
  queue.add(podOf('a'));
  queue.requeueFailed(take(), { rejectors: ['Fit'] });
  broken = true;
  t.throws(() => queue.moveOnEvent(nodeAdd, undefined, {}), { message: 'broken' });
  t.equal(part('a'), 'unschedulable');
  broken = false;
  queue.moveOnEvent(nodeAdd, undefined, {});
  t.equal(part('a'), 'backoff');
});

t.test('a gated pod waits for its gate, regardless of other events', async (t) => {
  const { queue, part, take } = tried(t);
  queue.add(podOf('a', { gated: true }));
  t.equal(queue.figures().gated, 1);
  t.equal(queue.find(podOf('a'))?.initialAttemptAt, undefined);
  queue.moveOnEvent(nodeAdd, undefined, {});
  queue.activate([podOf('a')]);
  t.strictSame([asked, part('a')], [[], 'unschedulable']);
  queue.update(podOf('a', { gated: true }), podOf('a'), [gatesEliminated]);
  t.strictSame([part('a'), queue.figures().gated], ['active', 0]);
  t.equal(take().initialAttemptAt, start);
});

t.test('a pod that waited five minutes for an event is requeued at the next half minute', async (t) => {
  const { queue, clock, take, part } = tried(t);
  await clock.advance('10s');
  queue.add(podOf('a'));
  queue.add(podOf('gated', { gated: true }));
  queue.requeueFailed(take(), { rejectors: ['Deaf'] });
  await clock.advanceTo(start + 330_000 - 1);
  t.equal(part('a'), 'unschedulable');
  t.equal(clock.pending, 1);
  await clock.advance(1);
  t.strictSame([part('a'), part('gated')], ['active', 'unschedulable']);
  t.equal(take().flushed, true);
  queue.delete(podOf('gated'));
  t.equal(clock.pending, 0);
});

t.test('activated pods skip back-off; one in flight is requeued after it failed', async (t) => {
  const { queue, take, part } = tried(t);
  for (const name of ['a', 'b', 'c', 'd']) queue.add(podOf(name));
  queue.requeueFailed(take(), { rejectors: ['Deaf'] });
  queue.requeueFailed(take(), {});
  const [c, d] = [take(), take()];
  queue.activate(['a', 'b', 'c', 'unknown'].map((name) => podOf(name)));
  t.strictSame([part('a'), part('b')], ['active', 'active']);
  t.strictSame(
    [queue.requeueFailed(c, { rejectors: ['Deaf'] }), queue.requeueFailed(d, { rejectors: ['Deaf'] })],
    ['backoff', 'unschedulable'],
  );
});

t.test('an update in flight concerns that pod alone, and its latest object is requeued', async (t) => {
  const { queue, take } = tried(t);
  for (const name of ['a', 'b']) queue.add(podOf(name));
  const [a, b] = [take(), take()];
  queue.update(podOf('a'), podOf('a', { priority: 3 }), [gatesEliminated]);
  t.strictSame(a.pod, podOf('a'), 'the attempt under way sees what it began with');
  t.equal(queue.requeueFailed(b, { rejectors: ['Gates'] }), 'unschedulable');
  t.equal(queue.requeueFailed(a, { rejectors: ['Gates'] }), 'backoff');
  t.strictSame(take().pod, podOf('a', { priority: 3 }));
});

t.test('a pod deleted or replaced in flight is not requeued', async (t) => {
  const { queue, take, next } = tried(t);
  for (const name of ['a', 'b']) queue.add(podOf(name));
  const [a, b] = [take(), take()];
  queue.delete(podOf('a'));
  queue.update(podOf('b'), podOf('b', { uid: 'b-2' }), [unscheduledPodUpdate]);
  t.strictSame([queue.requeueFailed(a, {}), queue.requeueFailed(b, { rejectors: ['Fit'] })], ['gone', 'gone']);
  t.equal(queue.figures().inFlight, 0);
  t.strictSame(queue.find(podOf('b', { uid: 'b-2' }))?.part, 'active');
  t.strictSame([next(), next()], ['b', undefined]);
});

t.test('past Permit no events are recorded, and a failure backs off as an error', async (t) => {
  const { queue, take, part } = tried(t);
  queue.add(podOf('a'));
  queue.add(podOf('b'));
  const [a, b] = [take(), take()];
  for (const queued of [a, b]) queue.release(queued);
  queue.moveOnEvent(nodeAdd, undefined, {});
  t.strictSame([queue.figures().recordedEvents, part('a')], [0, 'binding']);
  t.equal(queue.requeueFailed(a, {}), 'error-backoff');
  queue.done(b);
  t.equal(part('b'), 'gone');
  t.equal(queue.requeueFailed(b, {}), 'gone');
  t.throws(() => queue.done({ ...a }), TypeError);
});

t.test('events for pods in flight are bounded: a pod that misses some counts as helped', async (t) => {
  const { queue, take } = tried(t, { recordedEventsMax: 8 });
  queue.add(podOf('slow'));
  queue.add(podOf('quick'));
  const slow = take();
  for (let n = 0; n < 20; n++) queue.moveOnEvent(nodeAdd, undefined, { helps: [] });
  const quick = take();
  queue.moveOnEvent(nodeAdd, undefined, { helps: [] });
  t.ok(queue.figures().recordedEvents <= 8);
  t.equal(queue.requeueFailed(quick, { rejectors: ['Fit'] }), 'unschedulable');
  t.equal(queue.requeueFailed(slow, { rejectors: ['Fit'] }), 'backoff');
});

t.test('pods of an unknown profile are moved by every event', async (t) => {
  const { queue, take } = tried(t);
  const pod = podOf('a', { profile: 'other' });
  queue.add(pod);
  queue.requeueFailed(take(), { rejectors: ['Fit'] });
  t.strictSame(queue.figures().rejected, [{ profile: 'other', plugin: 'Fit', pods: 1 }]);
  queue.moveOnEvent(nodeLabel, {}, { helps: [] });
  t.equal(queue.find(pod)?.part, 'backoff');
});

t.test('ready emits once a pod can be popped, and not before', async (t) => {
  const { queue, clock } = tried(t);
  const names = lastValueFrom(
    queue.ready().pipe(
      map(() => queue.pop()?.pod.metadata?.name),
      repeat(),
      take(4),
      toArray(),
    ),
    { defaultValue: [] },
  );
  queue.add(podOf('gated', { gated: true }));
  queue.add(podOf('a'));
  queue.add(podOf('b'));
  queue.update(podOf('gated', { gated: true }), podOf('gated'), [gatesEliminated]);
  await clock.settled();
  queue.add(podOf('c'));
  t.strictSame(await names, ['a', 'b', 'gated', 'c']);
});

t.test(
  'nominations follow failure, status and deletion, and a removed one requeues no pod of higher priority',
  async (t) => {
    const { queue, take, part } = tried(t);
    queue.add(podOf('a', { priority: 5 }));
    const a = take();
    queue.nominate(podOf('stranger'), 'n1');
    t.strictSame(queue.nominatedTo('n1'), []);
    queue.requeueFailed(a, { rejectors: ['Deaf'], nominatedNodeName: 'n1' });
    t.strictSame(queue.nominatedTo('n1'), [podOf('a', { priority: 5 })]);
    queue.update(podOf('a', { priority: 5 }), podOf('a', { priority: 5 }), [unscheduledPodUpdate]);
    t.equal(queue.nominatedTo('n1').length, 1, 'the status is not written yet: memory counts');
    const written = podOf('a', { priority: 5, nominated: 'n2' });
    queue.update(podOf('a', { priority: 5 }), written, [unscheduledPodUpdate]);
    t.strictSame([queue.nominatedTo('n1'), queue.nominatedTo('n2')], [[], [written]]);
    queue.activate([written]);
    const again = take();
    t.strictSame(
      queue.nominatedTo('n2'),
      [{ metadata: { name: 'a', namespace: 'ns', uid: 'a-1' } }],
      'in flight only the name is seen',
    );
    const { position } = queue.nominationChanges;
    queue.requeueFailed(again, { rejectors: ['Deaf'] });
    t.strictSame(queue.nominatedTo('n2'), [written], 'once it waits again, all of it');
    t.strictSame(queue.nominationChanges.since(position), ['n2']);
    for (const [name, priority] of [
      ['higher', 6],
      ['equal', 5],
      ['lower', 1],
    ] as const) {
      queue.add(podOf(name, { priority }));
      queue.requeueFailed(take(), { rejectors: ['Fit'] });
    }
    queue.delete(written);
    t.strictSame(['higher', 'equal', 'lower'].map(part), ['unschedulable', 'backoff', 'backoff']);
    t.equal(queue.figures().nominated, 0);
  },
);

t.test('the log of nominations contains real changes only', async (t) => {
  const { queue, take } = tried(t);
  const [first, second] = [podOf('first'), podOf('second')];
  for (const pod of [first, second]) queue.add(pod);
  let read = 0;
  const news = (): readonly string[] | undefined => {
    const notified = queue.nominationChanges.since(read);
    read = queue.nominationChanges.position;
    return notified;
  };
  queue.requeueFailed(take(), { rejectors: ['Deaf'], nominatedNodeName: 'n1' });
  t.strictSame([news(), queue.nominatedTo('n1')], [['n1'], [first]]);
  queue.requeueFailed(take(), { rejectors: ['Deaf'], nominatedNodeName: 'n1' });
  t.strictSame([news(), queue.nominatedTo('n1')], [['n1'], [first, second]]);
  const written = { ...first, status: { nominatedNodeName: 'n1' } };
  queue.update(first, written, [unscheduledPodUpdate]);
  t.strictSame(
    [news(), queue.nominatedTo('n1')],
    [[], [written, second]],
    'that the API says so too is none, but its newest words are seen',
  );
  const labelled = { ...written, metadata: { ...written.metadata, labels: { app: 'a' } } };
  const leaving = { ...labelled, metadata: { ...labelled.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const grown = { ...leaving, spec: { containers: [], priority: 7 } };
  for (const [old, pod] of [
    [written, labelled],
    [labelled, leaving],
    [leaving, grown],
  ] as const) {
    queue.update(old, pod, [unscheduledPodUpdate]);
    t.strictSame([news(), queue.nominatedTo('n1')], [['n1'], [pod, second]], 'what others look at is');
  }
  queue.update(grown, first, [unscheduledPodUpdate]);
  t.strictSame([news(), queue.nominatedTo('n1')], [['n1'], [second]], 'and that the API takes it back');
  queue.nominate(second, 'n2');
  t.strictSame(
    [news(), queue.nominatedTo('n1'), queue.nominatedTo('n2'), [...queue.nominatedNodes()]],
    [['n1', 'n2'], [], [second], ['n2']],
  );
});

t.test('a bound pod releases no room, and a nomination can be removed', async (t) => {
  const { queue, take, part } = tried(t);
  queue.add(podOf('lower'));
  queue.requeueFailed(take(), { rejectors: ['Fit'] });
  const bound = podOf('a', { priority: 5, nominated: 'n1' });
  queue.add(bound);
  t.equal(queue.nominatedTo('n1').length, 1);
  queue.nominate(bound, '');
  t.equal(queue.nominatedTo('n1').length, 0);
  queue.delete(bound, { bound: true });
  t.equal(part('lower'), 'unschedulable');
  const moved = podOf('b', { nominated: 'n1' });
  queue.add(moved);
  queue.update(moved, podOf('b'), [unscheduledPodUpdate]);
  t.equal(part('lower'), 'backoff');
});

t.test('events match registrations that cover them, and have the names of the metrics', async (t) => {
  t.equal(covers({ resource: 'Node', action: actions.update }, nodeLabel), true);
  t.equal(covers(nodeLabel, { resource: 'Node', action: actions.update }), false);
  t.equal(covers({ resource: 'Pod', action: actions.all }, assignedPodDelete), true);
  t.equal(covers({ resource: '*', action: actions.add }, nodeAdd), true);
  t.equal(covers(nodeAdd, { resource: 'Pod', action: actions.add }), false);
  t.strictSame([nodeAdd, gatesEliminated, clusterEvents.forceActivate].map(labelOf), [
    'NodeAdd',
    'UnschedulablePodUpdatePodSchedulingGatesEliminated',
    'ForceActivate',
  ]);
});

/** A pod of the model. */
interface ModelPod {
  pod: Frozen<Pod>;
  latest: Frozen<Pod>;
  part: string;
  queuedAt: number;
  flushedAt: number;
  sequence: number;
  attempts: number;
  rejections: number;
  errors: number;
  rejectors: readonly string[];
  pending: readonly string[];
  isGated: boolean;
  /** The events since it was popped. */
  seen: { readonly event: ClusterEvent; readonly helps: readonly string[] }[];
}

/** The same queue as one list that is searched for everything, with a ticker every second and every half minute. */
class Model {
  pods: ModelPod[] = [];
  now = start;
  #sequence = 0;

  find(name: string): ModelPod | undefined {
    return this.pods.find(({ pod }) => pod.metadata?.name === name);
  }

  add(pod: Frozen<Pod>): void {
    const added: ModelPod = {
      pod,
      latest: pod,
      part: 'gone',
      queuedAt: this.now,
      flushedAt: 0,
      sequence: this.#sequence++,
      attempts: 0,
      rejections: 0,
      errors: 0,
      rejectors: [],
      pending: [],
      isGated: false,
      seen: [],
    };
    this.pods.push(added);
    this.#requeue(added, 'now');
  }

  delete(name: string): void {
    this.pods = this.pods.filter((each) => each !== this.find(name));
  }

  ungate(found: ModelPod, pod: Frozen<Pod>): void {
    found.latest = pod;
    if (found.part === 'in-flight') found.seen.push({ event: gatesEliminated, helps: ['Gates'] });
    if (found.part === 'in-flight' || found.part === 'binding') return;
    found.pod = pod;
    if (found.part === 'unschedulable') this.#help(found, gatesEliminated, ['Gates']);
  }

  pop(): ModelPod | undefined {
    const inOrder = (part: string, by: (pod: ModelPod) => number): ModelPod | undefined =>
      this.pods
        .filter((each) => each.part === part)
        .sort(
          (a, b) => by(a) - by(b) || priority(b) - priority(a) || a.queuedAt - b.queuedAt || a.sequence - b.sequence,
        )[0];
    const popped = inOrder('active', () => 0) ?? inOrder('backoff', (each) => this.#heldUntil(each));
    if (popped === undefined) return undefined;
    Object.assign(popped, { part: 'in-flight', attempts: popped.attempts + 1, seen: [] });
    return popped;
  }

  fail(failed: ModelPod, rejectors: readonly string[], pending: readonly string[]): void {
    const isError = rejectors.length + pending.length === 0;
    const recorded = failed.part === 'in-flight';
    failed.pod = failed.latest;
    Object.assign(failed, {
      rejectors: [...rejectors, ...pending],
      pending,
      queuedAt: this.now,
      flushedAt: 0,
      sequence: this.#sequence++,
    });
    failed.rejections += isError ? 0 : 1;
    failed.errors = isError ? failed.errors + 1 : 0;
    const worths = failed.seen.map(({ event, helps }) => this.#worth(failed, event, helps));
    if (isError || !recorded) this.#requeue(failed, 'backoff');
    else if (worths.includes('now')) this.#requeue(failed, 'now');
    else if (worths.includes('backoff')) this.#requeue(failed, 'backoff');
    else failed.part = 'unschedulable';
  }

  tell(event: ClusterEvent, helps: readonly string[]): void {
    for (const each of this.pods) {
      if (each.part === 'in-flight') each.seen.push({ event, helps });
      // The gating plugin registered for gate events only, and those are never sent to all pods.
      if (each.part === 'unschedulable' && !each.isGated) this.#help(each, event, helps);
    }
  }

  activate(found: ModelPod): void {
    if (found.part === 'unschedulable') this.#requeue(found, 'now');
    else if (found.part === 'backoff' || found.part === 'error-backoff') found.part = 'active';
    else if (found.part === 'in-flight') found.seen.push({ event: clusterEvents.forceActivate, helps: [] });
  }

  advance(ms: number): void {
    const end = this.now + ms;
    while (this.now < end) {
      this.now = Math.min(end, Math.floor(this.now / 1000) * 1000 + 1000);
      if (this.now % 1000 !== 0) continue;
      for (const each of this.pods) if (each.part.endsWith('backoff') && !this.#isHeld(each)) each.part = 'active';
      if ((this.now - start) % 30_000 === 0) this.#flush();
    }
  }

  #flush(): void {
    const overdue = this.pods.filter(
      (each) => each.part === 'unschedulable' && this.now - Math.max(each.queuedAt, each.flushedAt) > 300_000,
    );
    for (const each of overdue) {
      each.flushedAt = this.now;
      this.#requeue(each, 'backoff');
    }
    if (overdue.length === 0) return;
    for (const each of this.pods)
      if (each.part === 'in-flight') each.seen.push({ event: clusterEvents.unschedulableTimeout, helps: [] });
  }

  #help(pod: ModelPod, event: ClusterEvent, helps: readonly string[]): void {
    const worth = this.#worth(pod, event, helps);
    if (worth !== 'skip') this.#requeue(pod, worth);
  }

  #worth(pod: ModelPod, event: ClusterEvent, helps: readonly string[]): 'skip' | 'backoff' | 'now' {
    if (event.resource === '*') return 'backoff';
    const notified = pod.rejectors.filter(
      (plugin) =>
        helps.includes(plugin) &&
        registrations
          .get('default-scheduler')
          ?.get(plugin)
          ?.some((registered) => covers(registered, event)),
    );
    if (notified.some((plugin) => pod.pending.includes(plugin))) return 'now';
    return notified.length > 0 ? 'backoff' : 'skip';
  }

  #requeue(pod: ModelPod, worth: 'backoff' | 'now'): void {
    pod.isGated = plugins.preEnqueue(pod.pod, undefined) !== undefined;
    if (pod.isGated) {
      pod.rejectors = [...new Set([...pod.rejectors, 'Gates'])];
      pod.part = 'unschedulable';
    } else if (worth === 'backoff' && this.#isHeld(pod))
      pod.part = pod.rejectors.length === 0 ? 'error-backoff' : 'backoff';
    else pod.part = 'active';
  }

  #heldUntil({ errors, rejections, queuedAt }: ModelPod): number {
    const count = errors > 0 ? errors : rejections;
    return count === 0 ? -1 : Math.floor((queuedAt + Math.min(10_000, 1000 * 2 ** (count - 1))) / 1000) * 1000;
  }

  #isHeld(pod: ModelPod): boolean {
    return this.#heldUntil(pod) >= Math.floor(this.now / 1000) * 1000;
  }
}

function priority({ pod }: ModelPod): number {
  return pod.spec?.priority ?? 0;
}

/** The steps of a run, as data. Numbers choose among the existing pods. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      priority: fc.nat(2),
      gated: fc.nat(4).map((n) => n === 0),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      which: fc.nat(),
      rejectors: fc.subarray(['Fit', 'Affinity', 'Deaf']),
      pending: fc.nat(3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('event' as const),
      event: fc.constantFrom(nodeAdd, nodeLabel, assignedPodDelete),
      helps: fc.subarray(['Fit', 'Affinity', 'Deaf']),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(1000, 9999, 30_000, 301_000)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'delete' as const,
        'done' as const,
        'release' as const,
        'activate' as const,
        'ungate' as const,
      ),
      which: fc.nat(),
    }),
  },
);

t.test('for any steps the queue equals the naive model, and no pod is lost', async (t) => {
  let popped = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80, size: 'max' }), async (steps) => {
    const clock = virtualClock({ start });
    const queue = createSchedulingQueue({ clock, plugins });
    const running = queue.run().subscribe();
    const model = new Model();
    const inFlight: QueuedPod[] = [];
    let names = 0;
    const agree = (): void => {
      const figures = queue.figures();
      for (const { pod, part, attempts } of model.pods) {
        const queued = queue.find(pod);
        if (queued?.part !== part || queued.attempts !== attempts)
          throw new Error(`${pod.metadata?.name}: ${queued?.part}, the model says ${part}`);
      }
      const waiting = model.pods.filter(({ part }) => part !== 'in-flight' && part !== 'binding').length;
      if (figures.active + figures.backoff + figures.unschedulable + figures.gated !== waiting)
        throw new Error('a pod is in two parts');
      if (clock.pending > (figures.backoff + figures.unschedulable + figures.gated > 0 ? 1 : 0))
        throw new Error('a timer too many');
    };
    const pop = (): boolean => {
      const [queued, expected] = [queue.pop(), model.pop()];
      if (queued?.pod !== expected?.pod)
        throw new Error(`popped ${queued?.pod.metadata?.name}, the model ${expected?.pod.metadata?.name}`);
      if (queued !== undefined) inFlight.push(queued);
      return queued !== undefined;
    };
    /** Takes a pod out of flight; undefined for the model if it was deleted meanwhile. */
    const land = (which: number): [QueuedPod, ModelPod | undefined] | undefined => {
      const [queued] = inFlight.splice(which % Math.max(1, inFlight.length), 1);
      return queued && [queued, model.find(queued.pod.metadata?.name ?? '')];
    };
    const fail = (which: number, rejectors: readonly string[], pending: readonly string[]): void => {
      const landed = land(which);
      if (landed === undefined) return;
      queue.requeueFailed(landed[0], { rejectors, pending });
      if (landed[1]) model.fail(landed[1], rejectors, pending);
    };
    for (const step of steps) {
      const one = 'which' in step ? model.pods[step.which % Math.max(1, model.pods.length)] : undefined;
      const name = one?.pod.metadata?.name ?? '';
      if (step.do === 'add') {
        const pod = podOf(`p${names++}`, step);
        queue.add(pod);
        model.add(pod);
      } else if (step.do === 'pop') pop();
      else if (step.do === 'fail')
        fail(step.which, step.rejectors.slice(step.pending % 2), step.rejectors.slice(0, step.pending % 2));
      else if (step.do === 'event') {
        queue.moveOnEvent(step.event, undefined, { helps: step.helps });
        model.tell(step.event, step.helps);
      } else if (step.do === 'advance') {
        await clock.advance(step.ms);
        model.advance(step.ms);
      } else if (step.do === 'done') {
        const landed = land(step.which);
        if (landed === undefined) continue;
        queue.done(landed[0]);
        model.delete(landed[0].pod.metadata?.name ?? '');
      } else if (step.do === 'release') {
        const queued = inFlight[step.which % Math.max(1, inFlight.length)];
        if (queued === undefined) continue;
        queue.release(queued);
        const released = model.find(queued.pod.metadata?.name ?? '');
        if (released) released.part = 'binding';
      } else if (one === undefined) continue;
      else if (step.do === 'delete') {
        queue.delete(one.pod);
        model.delete(name);
      } else if (step.do === 'activate') {
        queue.activate([one.pod]);
        model.activate(one);
      } else {
        const pod = podOf(name, { priority: priority(one) });
        queue.update(one.latest, pod, [gatesEliminated]);
        model.ungate(one, pod);
      }
      agree();
    }
    // In the end every ungated pod is popped, if only because time passes.
    while (inFlight.length > 0) fail(0, [], []);
    await clock.advance('6m');
    model.advance(360_000);
    agree();
    while (pop());
    popped += queue.figures().cycle;
    const left = model.pods.filter(({ part, isGated }) => part !== 'in-flight' && !isGated);
    running.unsubscribe();
    if (left.length > 0) throw new Error('a pod is never tried');
    if (clock.pending > 0) throw new Error('a timer is left');
  });
  await fc.assert(property, { numRuns: runs(300) });
  t.ok(popped >= seenAtLeast(1000), `${popped} pods came through`);
});

t.test('an event does not visit fifty thousand pods that wait for another one', async (t) => {
  const { queue, take, part } = tried(t);
  for (let n = 0; n < 50_000; n++) {
    queue.add(podOf(`p${n}`));
    queue.requeueFailed(take(), { rejectors: ['Deaf'] });
  }
  queue.add(podOf('one'));
  queue.requeueFailed(take(), { rejectors: ['Fit'] });
  queue.moveOnEvent(nodeAdd, undefined, {});
  t.strictSame([asked, part('one')], [['Fit one'], 'backoff'], 'only one pod is visited');
  t.equal(queue.figures().unschedulable, 50_000);
});
