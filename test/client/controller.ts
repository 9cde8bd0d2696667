// The work queue against a plain model, the controller on virtual time, and its watches in process.
import { Subject } from 'rxjs';
import t from 'tap';
import { awaitChange, controller, informers, inProcessClient, requeueAfter, watching } from '../../lib/client/index.js';
import type { ControllerActivity, ControllerOptions } from '../../lib/client/index.js';
import { WorkQueue } from '../../lib/client/controller/work-queue.js';
import { ownerReference, pause, random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock } from '../../lib/core/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';
import { fc } from '../support/properties.js';

interface Job {
  readonly key: string;
  readonly value: number;
}

t.test('a work queue', async (t) => {
  const queue = (options: object = {}): WorkQueue<Job> => new WorkQueue<Job>({ keyOf: ({ key }) => key, ...options });
  const job = (key: string, value = 0): Job => ({ key, value });

  t.test('keeps the newest item of a key, in the order in which keys were added', async (t) => {
    const q = queue();
    for (const each of [job('a', 1), job('b', 1), job('a', 2)]) q.add(each);
    t.same([q.take(0), q.take(0), q.take(0)], [job('a', 2), job('b', 1), undefined]);
    t.equal(q.size, 2, 'both run');
    q.done(job('a'));
    q.done(job('b'));
    t.equal(q.size, 0, 'nothing is kept of them');
  });

  t.test('runs a key again that was added while it ran, whether it failed or not', async (t) => {
    const q = queue();
    q.add(job('a', 1));
    q.take(0);
    q.add(job('a', 2));
    t.equal(q.take(0), undefined, 'never twice at once');
    t.equal(q.failed(job('a', 1), 0), 0);
    t.same(q.take(0), job('a', 2), 'a newer item does not wait for the back-off of an older one');
    q.add(job('a', 3));
    q.done(job('a', 2));
    t.same(q.take(0), job('a', 3));
  });

  t.test('delays a key that failed, longer each time, until it succeeds or is added', async (t) => {
    const q = queue();
    q.add(job('a'));
    const delays: (number | undefined)[] = [];
    for (let now = 0; delays.length < 20;) {
      t.same(q.take(now), job('a'));
      const delay = q.failed(job('a'), now) ?? 0;
      delays.push(delay);
      t.equal(q.take(now + delay - 1), undefined);
      now += delay;
      t.equal(q.nextDueAtMs, now);
    }
    t.same(delays.slice(0, 5), [5, 10, 20, 40, 80]);
    t.equal(delays.at(-1), 1_000_000, 'as client-go');
    q.add(job('a', 7));
    t.same(q.take(0), job('a', 7), 'at once');
    q.done(job('a', 7));
    q.add(job('a'));
    q.take(0);
    t.equal(q.failed(job('a'), 0), 5, 'a success resets the count');
  });

  t.test('adds a key after a delay, the earliest of those that are given', async (t) => {
    const q = queue();
    q.addAfter(job('a', 1), 50);
    q.addAfter(job('a', 2), 80);
    t.equal(q.nextDueAtMs, 50);
    q.addAfter(job('a', 3), 20);
    t.equal(q.take(19), undefined);
    t.same(q.take(20), job('a', 3), 'the newest item at the earliest time');
    q.addAfter(job('a', 4), 60);
    q.addAfter(job('a', 5), 70);
    q.done(job('a'));
    t.equal(q.nextDueAtMs, 60, 'what was added while it ran is not lost');
    t.same(q.take(60), job('a', 5));
    q.addAfter(job('a', 6), 70);
    q.requeue(job('a'), 5, 60);
    t.equal(q.nextDueAtMs, 65, 'the delay of the run itself is earlier');
    q.add(job('a', 7));
    t.same(q.take(60), job('a', 7), 'an item without a delay ends the delay');
    q.addAfter(job('a', 8), 62);
    t.equal(q.failed(job('a'), 60), 2, 'also if the run failed');
    q.take(62);
    q.done(job('a'));
    t.equal(q.size, 0);
  });

  t.test('limits all retries together: 100 at once, then 10 per second', async (t) => {
    const q = queue();
    const delays: (number | undefined)[] = [];
    for (let at = 0; at < 103; at += 1) {
      q.add(job(`k${at}`));
      q.take(0);
      delays.push(q.failed(job(`k${at}`), 0));
    }
    t.same(delays.slice(98), [5, 5, 100, 200, 300]);
  });

  t.test('requeues, and gives up after the maximum of failures', async (t) => {
    const q = queue({ failuresMax: 2 });
    q.add(job('a'));
    q.take(0);
    q.requeue(job('a'), 1000, 50);
    t.equal(q.nextDueAtMs, 1050);
    t.same(q.take(1050), job('a'));
    t.same([q.failed(job('a'), 0), q.take(5), q.failed(job('a'), 5)], [5, job('a'), 10]);
    q.take(15);
    t.equal(q.failed(job('a'), 15), undefined);
    t.equal(q.size, 0);
    t.throws(() => q.done(job('a')), { message: 'a is not running' });
  });

  t.test('never runs a key twice at once and never loses the newest item, whatever happens', async (t) => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ do: fc.constantFrom('done' as const, 'failed' as const, 'requeue' as const), at: fc.nat(3) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.nat(200) }),
      fc.record({ do: fc.constant('take' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const q = queue();
        const running: Job[] = [];
        /** What was added under a key, and what ran last. */
        const newest = new Map<string, number>();
        const ran = new Map<string, number>();
        let [now, value] = [0, 0];
        const take = (): boolean => {
          const taken = q.take(now);
          if (taken === undefined) return false;
          if (running.some(({ key }) => key === taken.key)) throw new Error('twice at once');
          if (taken.value !== newest.get(taken.key)) throw new Error('an old item');
          running.push(taken);
          ran.set(taken.key, taken.value);
          return true;
        };
        const end = (each: Job, how: 'done' | 'failed' | 'requeue'): void => {
          running.splice(running.indexOf(each), 1);
          if (how === 'done') q.done(each);
          else if (how === 'failed') q.failed(each, now);
          else q.requeue(each, 50, now);
        };
        for (const each of steps) {
          if (each.do === 'add') {
            newest.set(each.key, (value += 1));
            q.add(job(each.key, value));
          } else if (each.do === 'wait') now += each.ms;
          else if (each.do === 'take') take();
          else {
            const ending = running[each.at];
            if (ending !== undefined) end(ending, each.do);
          }
        }
        for (let rounds = 0; q.size > 0; rounds += 1) {
          if (rounds > 1000) throw new Error('it does not come to rest');
          now = Math.max(now, q.nextDueAtMs ?? now);
          while (take());
          for (const each of [...running]) end(each, 'done');
        }
        for (const [key, last] of newest) if (ran.get(key) !== last) throw new Error(`${key} was forgotten`);
      }),
    );
    t.pass();
  });
});

/** A controller of jobs that a test adds, and what it did. */
function jobs(
  clock: VirtualClock,
  options: Pick<ControllerOptions<Job>, 'reconcile'> & Partial<ControllerOptions<Job>>,
): {
  readonly add: (key: string, value?: number) => void;
  readonly did: ControllerActivity<Job>[];
  readonly stop: () => void;
} {
  const triggers$ = new Subject<Job>();
  const did: ControllerActivity<Job>[] = [];
  const part = controller<Job>({ name: 'jobs', clock, keyOf: ({ key }) => key, triggers$, ...options });
  const running = observe(part.run(), (activity) => did.push(activity));
  return {
    add: (key, value = 0) => triggers$.next({ key, value }),
    did,
    stop: () => running.unsubscribe(),
  };
}

t.test('a controller', async (t) => {
  t.test('does not let a healthy key wait behind failing ones', async (t) => {
    const clock = virtualClock({ start: 0 });
    const healthyAt: number[] = [];
    const { add, did, stop } = jobs(clock, {
      reconcile: async ({ key }) => {
        if (key !== 'healthy') throw new Error('always');
        healthyAt.push(clock.now());
        return awaitChange;
      },
    });
    add('bad1');
    add('bad2');
    await clock.advance('1m');
    const failures = did.length;
    t.ok(failures > 20, 'the failing keys were retried');
    add('healthy');
    await clock.settled();
    t.same(healthyAt, [60_000], 'with one worker, while both others back off');
    stop();
    t.equal(clock.pending, 0, 'no timer is left');
  });

  t.test('replaces a failing item at once by a newer one', async (t) => {
    const clock = virtualClock({ start: 0 });
    const done: string[] = [];
    const { add, did, stop } = jobs(clock, {
      reconcile: async ({ key, value }) => {
        if (value === 0) throw new Error('always');
        done.push(`${key}${value} at ${clock.now()}`);
        return awaitChange;
      },
    });
    add('a');
    await clock.advance('1m');
    add('a', 1);
    await clock.advance('10m');
    t.same(done, ['a1 at 60000'], 'and the older one never again');
    t.match(did.at(-1), { type: 'reconciled', item: { key: 'a', value: 1 } });
    stop();
  });

  t.test('runs as many keys at once as its concurrency allows, and each again after requeueAfter', async (t) => {
    const clock = virtualClock({ start: 0 });
    let [running, most] = [0, 0];
    const times: number[] = [];
    const { add, stop } = jobs(clock, {
      concurrency: 2,
      reconcile: async ({ key }, { signal }) => {
        running += 1;
        most = Math.max(most, running);
        if (key === 'a') times.push(clock.now());
        await pause(clock, 10, signal);
        running -= 1;
        return key === 'a' ? requeueAfter(1000) : awaitChange;
      },
    });
    for (const key of ['a', 'b', 'c', 'd']) add(key);
    await clock.advance(2500);
    t.equal(most, 2);
    t.same(times, [0, 1010, 2020]);
    stop();
  });

  t.test('aborts running reconciles when it stops, and emits its activity', async (t) => {
    const clock = virtualClock({ start: 0 });
    const seen: unknown[] = [];
    let aborted = false;
    const triggers$ = new Subject<Job>();
    const part = controller<Job, { readonly type: 'begun'; readonly key: string }>({
      name: 'jobs',
      clock,
      keyOf: ({ key }) => key,
      triggers$,
      reconcile: async ({ key }, { emit, signal }) => {
        emit({ type: 'begun', key });
        await pause(clock, 1000, signal).finally(() => (aborted = signal.aborted));
        return awaitChange;
      },
    });
    const running = observe(part.run(), (activity) => seen.push(activity));
    triggers$.next({ key: 'a', value: 0 });
    await clock.settled();
    t.same(seen, [{ type: 'begun', key: 'a' }]);
    running.unsubscribe();
    await clock.settled();
    t.ok(aborted);
    t.same([seen.length, clock.pending, triggers$.observed], [1, 0, false]);
  });
});

t.test(
  'a controller reconciles objects, their owners and watched objects, once all informers have listed',
  async (t) => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    const server = createServer({ store, clock, random: random(1) });
    const client = inProcessClient(server.handler);
    const shared = informers(client, { clock, random: random(2) });
    const maps = client.kind('v1', 'ConfigMap').in('default');
    const owner = await maps.create({ metadata: { name: 'owner' } });
    const informer = shared.kind('v1', 'ConfigMap');
    const secrets = shared.kind('v1', 'Secret');
    const log: string[] = [];
    const part = controller({
      name: 'maps',
      clock,
      for: informer,
      owns: [secrets],
      watches: [
        watching(shared.kind('v1', 'Service'), ({ object }) => [{ namespace: 'default', name: object.metadata.name }]),
      ],
      reconcile: async ({ namespace, name }) => {
        log.push(`${name} ${informer.get(`${namespace}/${name}`) === undefined ? 'gone' : 'there'}`);
        return awaitChange;
      },
    });
    const running = observe(part.run());
    await clock.settled();
    const since = (): readonly string[] => log.splice(0).filter((line) => !line.startsWith('kube'));
    t.ok(since().includes('owner there'));
    const controllerReference = ownerReference(owner, {
      gvk: { group: '', version: 'v1', kind: 'ConfigMap' },
      controller: true,
    });
    await client
      .kind('v1', 'Secret')
      .in('default')
      .create({ metadata: { name: 's', ownerReferences: [controllerReference] } });
    await client
      .kind('v1', 'Secret')
      .in('default')
      .create({ metadata: { name: 'other' } });
    await clock.settled();
    t.same(since(), ['owner there'], 'a change of what it owns');
    await client
      .kind('v1', 'Service')
      .in('default')
      .create({ metadata: { name: 'svc' }, spec: { ports: [{ port: 80 }] } });
    await clock.settled();
    t.same(since(), ['svc gone'], 'a change of what it watches');
    await maps.delete('owner');
    await clock.settled();
    t.same(since(), ['owner gone']);
    running.unsubscribe();
    t.equal(informer.resourceVersion, undefined, 'the watches ended with it');
    await server.close();
    await store.close();
  },
);

t.test('a controller with steps reconciles one item for each of them', async (t) => {
  const clock = virtualClock();
  const items$ = new Subject<Job>();
  const steps$ = new Subject<void>();
  const reconciled: string[] = [];
  const part = controller<Job>({
    name: 'stepped',
    clock,
    concurrency: 5,
    keyOf: ({ key }) => key,
    triggers$: items$,
    steps$,
    reconcile: async ({ key }) => {
      reconciled.push(key);
      return key === 'a' ? requeueAfter(10) : awaitChange;
    },
  });
  const running = observe(part.run());
  for (const key of ['a', 'b', 'c']) items$.next({ key, value: 0 });
  await clock.settled();
  t.same(reconciled, [], 'nothing without a step');
  steps$.next();
  await clock.settled();
  t.same(reconciled, ['a']);
  await clock.advance(100);
  t.same(reconciled, ['a'], 'an item that is due waits as well');
  steps$.next();
  steps$.next();
  steps$.next();
  await clock.settled();
  t.same(reconciled, ['a', 'b', 'c', 'a']);
  running.unsubscribe();
  t.equal(clock.pending, 0);
});
