// Clocks, chance and back-off. Every test of the virtual clock ends with no timer pending.
import assert from 'node:assert/strict';
import { concatMap, defer, lastValueFrom, repeat, Subscription, take, takeUntil, toArray } from 'rxjs';
import t, { type Test } from 'tap';
import { backoffLadders, backoffStep, delayAfter, isExhausted } from '../../lib/core/time/backoff.js';
import type { BackoffState, BackoffStep } from '../../lib/core/time/backoff.js';
import { stopwatch } from '../../lib/core/time/clock.js';
import { durationMs } from '../../lib/core/time/duration-ms.js';
import { nameSuffix } from '../../lib/core/time/random.js';
import { random, systemRandom } from '../../lib/core/time/random.js';
import { systemClock } from '../../lib/core/time/system-clock.js';
import { virtualClock, type Stall } from '../../lib/core/time/virtual-clock.js';
import { observe } from '../support/observe.js';
import { fc, runs } from '../support/properties.js';

t.test('the virtual clock', async (t) => {
  t.test('stands still until it is moved, and starts at the same moment in every run', async (t) => {
    t.equal(virtualClock().now(), Date.parse('2026-01-01T00:00:00Z'));
    const clock = virtualClock({ start: 1000 });
    const seen: number[] = [];
    observe(clock.timer(0), (value) => seen.push(value));
    observe(clock.timer(5), () => seen.push(clock.now()));
    t.same(seen, [], 'nothing is emitted while subscribing');
    await clock.settled();
    t.same(seen, [0]);
    t.equal(clock.now(), 1000);
    await clock.advance(4);
    t.same(seen, [0]);
    await clock.advance(1);
    t.same(seen, [0, 1005]);
    await clock.advanceTo(2000);
    t.equal(clock.now(), 2000);
    t.equal(clock.pending, 0);
  });

  t.test('fires timers of one instant in the order of their creation, also when delays differ', async (t) => {
    const clock = virtualClock({ start: 0 });
    const seen: string[] = [];
    observe(clock.timer(20), () => seen.push('a'));
    await clock.advance(10);
    observe(clock.timer(10), () => seen.push('b'));
    observe(clock.timer(5), () => seen.push('c'));
    observe(clock.timer(10), () => seen.push('d'));
    await clock.advance(10);
    t.same(seen, ['c', 'a', 'b', 'd']);
  });

  t.test('lets a promise chain of any length settle before the next instant', async (t) => {
    const clock = virtualClock({ start: 0 });
    const seen: string[] = [];
    observe(clock.timer(1), () => {
      void (async () => {
        for (let hop = 0; hop < 1000; hop++) await Promise.resolve();
        seen.push(`chain at ${clock.now()}`);
        observe(clock.timer(0), () => seen.push(`its timer at ${clock.now()}`));
      })();
    });
    observe(clock.timer(2), () => seen.push('next'));
    await clock.advance(10);
    t.same(seen, ['chain at 1', 'its timer at 1', 'next']);
  });

  t.test('waits for registered work, wherever it runs', async (t) => {
    const clock = virtualClock({ start: 0 });
    const seen: string[] = [];
    observe(clock.timer(1), () => {
      const digest = clock.holdWhile(crypto.subtle.digest('SHA-256', new Uint8Array(1_000_000)));
      void digest.then(() => seen.push(`digest at ${clock.now()}`));
    });
    observe(clock.timer(2), () => seen.push('next'));
    await clock.advance('1m');
    t.same(seen, ['digest at 1', 'next']);
    await t.rejects(clock.holdWhile(Promise.reject(new Error('lost'))), { message: 'lost' });
    await clock.advance(1);
    t.equal(clock.now(), 60_001, 'failed work holds nothing');
  });

  t.test('fires in one advance what becomes due on the way, and an interval for every period', async (t) => {
    const clock = virtualClock({ start: 0 });
    const chained: number[] = [];
    observe(defer(() => clock.timer(7)).pipe(repeat(3)), () => chained.push(clock.now()));
    const ticks: number[] = [];
    const heartbeat = observe(clock.interval(10), (count) => ticks.push(count * 1000 + clock.now()));
    await clock.advance(35);
    t.same(chained, [7, 14, 21]);
    t.same(ticks, [10, 1020, 2030]);
    heartbeat.unsubscribe();
    t.equal(clock.pending, 0);
  });

  t.test('crosses thirty days of heartbeats and several moves asked for at once', async (t) => {
    const clock = virtualClock();
    const start = clock.now();
    let beats = 0;
    const heartbeat = observe(clock.interval(10_000), () => (beats += 1));
    await Promise.all([clock.advance('10d'), clock.advance('19d23h59m'), clock.advance(60_000)]);
    t.equal(beats, (30 * 86_400) / 10);
    t.equal(clock.now(), start + 30 * 86_400_000);
    heartbeat.unsubscribe();
    t.equal(clock.pending, 0);
  });

  t.test('cancels at once: before it is due, within its own tick, and by another timer of that instant', async (t) => {
    const clock = virtualClock({ start: 0 });
    const seen: string[] = [];
    observe(clock.timer(5), () => seen.push('early')).unsubscribe();
    observe(clock.interval(3).pipe(take(2)), (count) => seen.push(`tick ${count}`));
    let victim: Subscription | undefined = undefined;
    observe(clock.timer(4), () => victim?.unsubscribe());
    victim = observe(clock.timer(4), () => seen.push('victim'));
    observe(clock.interval(1).pipe(takeUntil(clock.timer(2))), (count) => seen.push(`until ${count}`));
    t.equal(clock.pending, 5);
    await clock.advance(100);
    t.same(seen, ['until 0', 'tick 0', 'tick 1']);
    t.equal(clock.pending, 0);
  });

  t.test('runs until nothing waits, but no further than the limit', async (t) => {
    const clock = virtualClock({ start: 0 });
    observe(clock.timer(90_000));
    t.equal(await clock.runUntilIdle('1h'), true);
    t.equal(clock.now(), 90_000, 'time stays at the last timer');
    const heartbeat = observe(clock.interval(1000));
    t.equal(await clock.runUntilIdle('1m'), false);
    t.equal(clock.now(), 150_000);
    heartbeat.unsubscribe();
    t.equal(await clock.runUntilIdle('1m'), true);
    t.equal(clock.now(), 150_000);
  });

  t.test('moves until a condition holds, but no further than the limit', async (t) => {
    const clock = virtualClock({ start: 0 });
    let ticks = 0;
    const ticking = observe(clock.interval(1000), () => (ticks += 1));
    t.equal(await clock.advanceUntil(() => ticks === 3, '1h'), true);
    t.equal(clock.now(), 3000, 'time stands at the timer that made it hold');
    t.equal(await clock.advanceUntil(async () => ticks >= 3, '1h'), true);
    t.equal(clock.now(), 3000, 'time does not move where it holds already');
    t.equal(await clock.advanceUntil(() => ticks === 100, 2500), false);
    t.equal(clock.now(), 5500);
    ticking.unsubscribe();
    t.equal(await clock.advanceUntil(() => false, '1m'), false, 'without timers too');
    t.equal(clock.now(), 65_500);
    await t.rejects(
      clock.advanceUntil(() => Promise.reject(new Error('no')), '1m'),
      { message: 'no' },
    );
  });

  t.test('refuses what makes no sense, and goes on working', async (t) => {
    const clock = virtualClock({ start: 100 });
    t.throws(() => virtualClock({ start: NaN }), RangeError);
    t.throws(() => clock.timer(NaN), RangeError);
    t.throws(() => clock.interval(0), RangeError);
    t.throws(() => clock.interval(-1), RangeError);
    for (const bad of ['', '5', 'd', '1w', '-1s', '1 s', '1s ', '1e3s', '.5s', '1.s', NaN, -1, Infinity]) {
      await t.rejects(clock.advance(bad), RangeError, `advance ${bad}`);
      await t.rejects(clock.runUntilIdle(bad), RangeError);
    }
    await t.rejects(clock.advanceTo(99), RangeError);
    await t.rejects(clock.advanceTo(NaN), RangeError);
    observe(clock.timer(Infinity));
    observe(clock.interval(Infinity));
    t.equal(clock.pending, 0, 'what never comes does not wait');
    observe(clock.timer(-5));
    observe(clock.timer(0.2));
    await clock.settled();
    t.equal(clock.pending, 1, 'a negative delay is none, a fraction rounds up');
    await clock.advance(1);
    t.equal(clock.pending, 0);
  });

  t.test('notices a loop that never lets time pass', async (t) => {
    const clock = virtualClock({ start: 0 });
    const loop = observe(defer(() => clock.timer(0)).pipe(repeat()));
    await t.rejects(clock.advance(1), { message: /stuck at 0/ });
    loop.unsubscribe();
    await clock.advance(1);
    t.equal(clock.now(), 1);
  });

  t.test('rejects the advance when a subscriber throws', async (t) => {
    const clock = virtualClock({ start: 0 });
    const thrower = {
      next: (): void => {
        throw new Error('mine');
      },
      error: (): void => undefined,
      complete: (): void => undefined,
    };
    clock.timer(1).subscribe(Object.assign(new Subscription(), thrower));
    await t.rejects(clock.advance(1), { message: 'virtual clock: a timer failed at 1', cause: { message: 'mine' } });
    await clock.advance(1);
    t.equal(clock.now(), 2);
  });

  t.test('warns once, and only while a timer waits and the clock is not advanced', async (t) => {
    const stalls: Stall[] = [];
    let stalled: () => void = () => undefined;
    const clock = virtualClock({
      stallAfterMs: 0,
      onStall: (stall) => {
        stalls.push(stall);
        stalled();
      },
    });
    const nextStall = (): Promise<void> => new Promise((resolve) => (stalled = resolve));
    const first = nextStall();
    const waiting = observe(clock.timer(2000));
    observe(clock.timer(7000));
    await first;
    t.same(stalls, [{ pending: 2, firstInMs: 2000 }]);
    const second = nextStall();
    await clock.advance(1);
    await second;
    t.same(stalls[1], { pending: 2, firstInMs: 1999 });
    waiting.unsubscribe();
    const idle = nextStall();
    await clock.runUntilIdle('1h');
    const quiet = new Promise((resolve) => setTimeout(resolve, 1, 'quiet'));
    t.equal(await Promise.race([idle, quiet]), 'quiet');
    t.equal(stalls.length, 2);
  });

  t.test('works without setImmediate, as in a browser', async (t) => {
    t.intercept(globalThis, 'setImmediate', { value: undefined });
    const clock = virtualClock({ start: 0 });
    const seen: number[] = [];
    const heartbeat = observe(clock.interval(1).pipe(concatMap(async (count) => count)), (count) => seen.push(count));
    await clock.advance(100);
    t.equal(seen.length, 100);
    heartbeat.unsubscribe();
  });
});

// The model keeps a plain list and takes the least of (due, created) each time.
t.test('a stopwatch is as fine as its clock', async (t) => {
  const clock = virtualClock({ start: 1000 });
  const watch = stopwatch(clock);
  const since = watch();
  await clock.advance(7);
  t.equal(watch() - since, 7);
  const fine = stopwatch(systemClock());
  const readings = Array.from({ length: 1000 }, fine);
  t.ok(
    readings.every((reading, index) => index === 0 || reading >= (readings[index - 1] ?? 0)),
    'only forward',
  );
  t.ok(
    readings.some((reading) => !Number.isInteger(reading)),
    'with fractions',
  );
});

t.test('any schedule with cancellations and timers set by timers fires as a sorted list would', async () => {
  interface Plan {
    readonly delay: number;
    readonly period: boolean;
    readonly then: readonly number[];
    readonly cancels: number | undefined;
  }
  const plan = fc.record<Plan>({
    delay: fc.integer({ min: 0, max: 20 }),
    period: fc.boolean(),
    then: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 2 }),
    cancels: fc.option(fc.nat(30), { nil: undefined }),
  });
  const horizon = 40;

  async function real(plans: readonly Plan[], moves: readonly number[]): Promise<string[]> {
    const clock = virtualClock({ start: 0 });
    const log: string[] = [];
    const live: Subscription[] = [];
    const fire = (name: string, plan: Plan | undefined): void => {
      log.push(`${clock.now()} ${name}`);
      if (plan?.cancels !== undefined) live[plan.cancels]?.unsubscribe();
      plan?.then.forEach((delay, index) => {
        live.push(observe(clock.timer(delay), () => fire(`${name}.${index}`, undefined)));
      });
    };
    plans.forEach((plan, index) => {
      const source = plan.period && plan.delay > 0 ? clock.interval(plan.delay) : clock.timer(plan.delay);
      live.push(observe(source, () => fire(`${index}`, plan)));
    });
    for (const ms of moves) await clock.advance(ms);
    await clock.advanceTo(horizon);
    for (const subscription of live) subscription.unsubscribe();
    assert.equal(clock.pending, 0);
    return log;
  }

  function model(plans: readonly Plan[]): string[] {
    interface Entry {
      due: number;
      sequence: number;
      readonly period: number;
      readonly name: string;
      readonly plan: Plan | undefined;
      live: boolean;
    }
    const entries: Entry[] = [];
    let sequence = 0;
    let now = 0;
    const log: string[] = [];
    const add = (name: string, delay: number, rest: { period: number; plan: Plan | undefined }): void => {
      entries.push({ due: now + delay, sequence: sequence++, name, live: true, ...rest });
    };
    plans.forEach((plan, index) => add(`${index}`, plan.delay, { period: plan.period ? plan.delay : 0, plan }));
    for (;;) {
      const [next] = entries
        .filter((entry) => entry.live && entry.due <= horizon)
        .sort((a, b) => a.due - b.due || a.sequence - b.sequence);
      if (next === undefined) return log;
      now = next.due;
      log.push(`${now} ${next.name}`);
      if (next.period > 0) {
        next.due += next.period;
        next.sequence = sequence++;
      } else next.live = false;
      if (next.plan?.cancels !== undefined) {
        const victim = entries[next.plan.cancels];
        if (victim) victim.live = false;
      }
      next.plan?.then.forEach((delay, index) => add(`${next.name}.${index}`, delay, { period: 0, plan: undefined }));
    }
  }

  const moves = fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 12 }), moves, async (plans, moves) => {
      assert.deepEqual(await real(plans, moves), model(plans));
    }),
    { numRuns: runs(150) },
  );
});

t.test('a hundred thousand timers, half of them cancelled, fire in order and leave nothing behind', async (t) => {
  const clock = virtualClock({ start: 0 });
  const chance = random('many timers');
  const fired: number[] = [];
  const timers = Array.from({ length: 100_000 }, () => {
    const delay = chance.integer(3_600_000);
    return { delay, timer: observe(clock.timer(delay), () => fired.push(clock.now())) };
  });
  const shuffled = chance.shuffle(timers);
  for (const { timer } of shuffled.slice(0, 50_000)) timer.unsubscribe();
  const due = shuffled.slice(50_000).map(({ delay }) => delay);
  t.equal(clock.pending, 50_000);
  await clock.advance('1h');
  t.ok(fired.length === due.length && due.sort((a, b) => a - b).every((time, index) => time === fired[index]));
  t.equal(clock.pending, 0);
});

t.test(
  'timers near and far, before 1970 and beyond reckoning, come in order, and an early one after a short move',
  async (t) => {
    const start = -(2 ** 33) - 5;
    const clock = virtualClock({ start });
    const far = [1, 2, 4, 5, 6, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 33 + 4, 2 ** 33 + 5, 2 ** 33 + 6, 2 ** 40, 2 ** 52];
    const fired: number[] = [];
    for (const delay of random('far timers').shuffle(far))
      observe(clock.timer(delay), () => fired.push(clock.now() - start));
    const never = [2 ** 60, 1e300].map((delay) => observe(clock.timer(delay)));
    await clock.advance(3);
    // What a move looked at and found too late must not keep an earlier one from coming first.
    observe(clock.timer(0), () => fired.push(clock.now() - start));
    const gone = observe(clock.timer(100));
    await clock.advance(7);
    gone.unsubscribe();
    await clock.advance(95);
    observe(clock.timer(1), () => fired.push(clock.now() - start));
    t.equal(await clock.runUntilIdle(2 ** 53 - 1), false);
    t.same(
      fired,
      [...far, 3, 106].sort((a, b) => a - b),
    );
    t.equal(clock.pending, 2);
    for (const timer of never) timer.unsubscribe();
    t.equal(clock.pending, 0);
  },
);

t.test('a timer that fails leaves the rest of its instant waiting, in order', async (t) => {
  const clock = virtualClock({ start: 0 });
  const seen: string[] = [];
  const thrower = {
    next: (): void => {
      observe(clock.timer(0), () => seen.push('set meanwhile'));
      throw new Error('mine');
    },
    error: (): void => undefined,
    complete: (): void => undefined,
  };
  observe(clock.timer(1), () => seen.push('before'));
  clock.timer(1).subscribe(Object.assign(new Subscription(), thrower));
  const cancelled = observe(clock.timer(1), () => seen.push('cancelled'));
  observe(clock.timer(1), () => seen.push('after'));
  await t.rejects(clock.advance(5), { cause: { message: 'mine' } });
  t.same(seen, ['before']);
  cancelled.unsubscribe();
  t.equal(clock.pending, 2);
  await clock.advance(1);
  t.same(seen, ['before', 'after', 'set meanwhile']);
});

t.test('the system clock', async (t) => {
  // Node's own timers replaced by a hand-cranked host: no test waits for real time.
  interface Host {
    mono: number;
    readonly timers: Map<number, { readonly at: number; readonly run: () => void }>;
    readonly delays: number[];
  }
  function fakeHost(t: Test): Host & { crank(ms: number): void } {
    const host: Host = { mono: 0, timers: new Map(), delays: [] };
    let handle = 0;
    t.intercept(performance, 'now', { value: () => host.mono });
    t.intercept(globalThis, 'setTimeout', {
      value: (run: () => void, ms: number) => {
        host.delays.push(ms);
        host.timers.set(++handle, { at: host.mono + ms, run });
        return handle;
      },
    });
    t.intercept(globalThis, 'clearTimeout', { value: (timer: number) => host.timers.delete(timer) });
    const crank = (ms: number): void => {
      const end = host.mono + ms;
      for (;;) {
        const [next] = [...host.timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at);
        if (next === undefined) break;
        host.timers.delete(next[0]);
        host.mono = Math.max(host.mono, next[1].at);
        next[1].run();
      }
      host.mono = end;
    };
    return Object.assign(host, { crank });
  }

  t.test('returns wall time', async (t) => {
    const before = Date.now();
    const now = systemClock().now();
    t.ok(now >= before && now <= Date.now());
  });

  t.test('really waits', async (t) => {
    t.same(await lastValueFrom(systemClock().interval(1).pipe(take(3), toArray()), { defaultValue: [] }), [0, 1, 2]);
  });

  t.test('waits longer than setTimeout can, in pieces', async (t) => {
    const host = fakeHost(t);
    let fired = 0;
    observe(systemClock().timer(60 * 86_400_000), () => (fired += 1));
    host.crank(60 * 86_400_000 - 1);
    t.equal(fired, 0);
    host.crank(1);
    t.equal(fired, 1);
    t.equal(host.delays.length, 3);
    t.ok(host.delays.every((ms) => ms < 2 ** 31));
    t.equal(host.timers.size, 0);
  });

  t.test('keeps an interval on its grid and drops the ticks of a long stop', async (t) => {
    const host = fakeHost(t);
    const seen: number[] = [];
    const ticks = observe(systemClock().interval(100), (count) => seen.push(count, host.mono));
    host.crank(250);
    t.same(seen, [0, 100, 1, 200]);
    host.mono = 10_050; // the machine slept
    host.crank(100);
    t.same(seen.slice(4), [2, 10_050, 3, 10_100]);
    ticks.unsubscribe();
    t.equal(host.timers.size, 0);
  });

  t.test('cancels, and refuses what the virtual clock refuses', async (t) => {
    const host = fakeHost(t);
    const clock = systemClock();
    observe(clock.timer(10), () => t.fail('cancelled')).unsubscribe();
    observe(clock.timer(Infinity));
    observe(clock.interval(Infinity));
    t.equal(host.timers.size, 0);
    t.throws(() => clock.timer(NaN), RangeError);
    t.throws(() => clock.interval(0), RangeError);
  });
});

t.test('durations are read as written', async (t) => {
  const cases: [string | number, number][] = [
    ['30d', 2_592_000_000],
    ['1h30m', 5_400_000],
    ['2.5s', 2500],
    ['1m500ms', 60_500],
    ['0.2ms', 1],
    ['0s', 0],
    [12.1, 13],
  ];
  for (const [text, ms] of cases) t.equal(durationMs(text), ms, `${text}`);
  t.throws(() => durationMs('9'.repeat(100_000) + 's'), RangeError);
  t.throws(() => durationMs('999999999999999d'), RangeError);
});

t.test('chance', async (t) => {
  t.test('repeats itself for a seed, and streams do not disturb each other', async (t) => {
    const draws = (seed: number | string): number[] => {
      const chance = random(seed);
      return Array.from({ length: 5 }, () => chance.next());
    };
    t.same(draws(7), draws('7'));
    t.notSame(draws(7), draws(8));
    const one = random(1);
    const before = one.stream('names').next();
    one.next();
    one.stream('other').next();
    t.equal(one.stream('names').next(), before);
    const a = one.stream('a');
    const firsts = [one, a, a.stream('b'), one.stream('b'), one.stream('ab'), one.stream('')];
    t.equal(new Set(firsts.map((stream) => stream.next())).size, firsts.length);
    const golden = [0.693802074694697, 0.4641456835213781, 0.2176506123919828, 0.0970298280179056, 0.764838625241601];
    t.same(draws('golden'), golden, 'the same on every machine and in every version');
  });

  t.test('keeps to its ranges and is even enough', async (t) => {
    for (const chance of [random('even'), systemRandom()]) {
      const counts = new Array<number>(10).fill(0);
      for (let count = 0; count < 100_000; count++) {
        const drawn = chance.integer(10);
        counts[drawn] = (counts[drawn] ?? NaN) + 1;
      }
      const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
      t.ok(chiSquare < 40, `chi square ${chiSquare} of nine degrees`);
      const next = chance.next();
      t.ok(next >= 0 && next < 1);
      const uuids = Array.from({ length: 1000 }, () => chance.uuid());
      t.ok(uuids.every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)));
      t.equal(new Set(uuids).size, 1000);
      t.match(nameSuffix(chance), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      t.match(nameSuffix(chance, 10), /^.{10}$/);
      t.equal(chance.string('ab', 0), '');
      for (const bad of [0, -1, 1.5, NaN, Infinity]) t.throws(() => chance.integer(bad), RangeError);
      t.throws(() => chance.pick([]), RangeError);
    }
    t.not(systemRandom().stream('x').uuid(), systemRandom().stream('x').uuid());
  });

  t.test('shuffles and picks without loss', async (t) => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer(), { minLength: 1 }), (seed, items) => {
        const chance = random(seed);
        const shuffled = chance.shuffle(items);
        assert.deepEqual([...shuffled].sort(), [...items].sort());
        assert(items.includes(chance.pick(items)));
      }),
    );
    const orders = new Set(Array.from({ length: 200 }, (_, seed) => random(seed).shuffle(['a', 'b', 'c']).join('')));
    t.equal(orders.size, 6, 'every order comes up');
  });
});

t.test('back-off', async (t) => {
  const seconds = (name: keyof typeof backoffLadders, count: number): number[] =>
    Array.from({ length: count }, (_, index) => delayAfter(backoffLadders[name], index + 1) / 1000);

  t.test('climbs the ladders of Kubernetes', async (t) => {
    t.same(seconds('crashLoop', 7), [10, 20, 40, 80, 160, 300, 300]);
    t.same(seconds('imagePull', 7), [10, 20, 40, 80, 160, 300, 300]);
    t.same(seconds('podScheduling', 6), [1, 2, 4, 8, 10, 10]);
    t.same(seconds('reflector', 8), [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]);
    t.same(seconds('workQueueItem', 3), [0.005, 0.01, 0.02]);
    t.same(seconds('workQueueItem', 30).slice(-1), [1000]);
    t.same(seconds('jobPodFailure', 8), [10, 20, 40, 80, 160, 320, 600, 600]);
    t.same(seconds('leaseCreation', 7), [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 7]);
    t.equal(delayAfter(backoffLadders.workQueueItem, 5000), 1_000_000, 'no overflow');
    t.equal(delayAfter(backoffLadders.crashLoop, 0), 0);
  });

  t.test('starts again after a quiet time, adds jitter within bounds and does not climb by it', async (t) => {
    const chance = random('jitter');
    let state: BackoffState | undefined = undefined;
    let nowMs = 0;
    for (const base of [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
      const step: BackoffStep = backoffStep(backoffLadders.reflector, state, { nowMs, random: chance });
      t.ok(step.delayMs >= base && step.delayMs < 2 * base, `${step.delayMs} of ${base}`);
      state = step.state;
      nowMs += step.delayMs;
    }
    const eighth = { failures: 8, failedAtMs: 0 };
    const quiet = (ms: number): number =>
      backoffStep(backoffLadders.reflector, eighth, { nowMs: ms, random: chance }).state.failures;
    t.equal(quiet(120_000), 9);
    t.equal(quiet(120_001), 1);
  });

  t.test('says when the tries are used up', async (t) => {
    let state: BackoffState | undefined = undefined;
    let tries = 1;
    while (state === undefined || !isExhausted(backoffLadders.conflict, state)) {
      state = backoffStep(backoffLadders.conflict, state, { nowMs: tries, random: random(0) }).state;
      tries += 1;
    }
    t.equal(tries - 1, 5);
    t.notOk(isExhausted(backoffLadders.reflector, { failures: 1e9, failedAtMs: 0 }));
  });
});
