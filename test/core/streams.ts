// The outlet, signals that are shared, the watcher on virtual time, and the reflector. No test leaves a timer, a
// listener or a call behind.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { concat, config, defer, EMPTY, finalize, from, map, mergeMap, NEVER, Subject, Subscription } from 'rxjs';
import { throwError, type Observable } from 'rxjs';
import { TestScheduler, type RunHelpers } from 'rxjs/testing';
import t, { type Test } from 'tap';
import { continueExpired, gone, watchExpired } from '../../lib/core/errors/object-errors.js';
import { forbidden } from '../../lib/core/errors/request-errors.js';
import { internalError, tooManyRequests } from '../../lib/core/errors/server-errors.js';
import type { ListOptions, ListWatch, Page, RawEvent, WatchOptions } from '../../lib/core/streams/list-watch.js';
import { Outlet } from '../../lib/core/streams/outlet.js';
import { reflect } from '../../lib/core/streams/snapshot.js';
import { snapshotWriter } from '../../lib/core/streams/snapshot.js';
import { onAbort, pause, untilAborted } from '../../lib/core/streams/until-aborted.js';
import type { WatcherEvent } from '../../lib/core/streams/watch-event.js';
import { watcher, type WatcherOptions } from '../../lib/core/streams/watcher.js';
import { backoffLadders } from '../../lib/core/time/backoff.js';
import { random } from '../../lib/core/time/random.js';
import { virtualClock, type VirtualClock } from '../../lib/core/time/virtual-clock.js';
import { FlakyCollection, type Thing } from '../support/flaky-collection.js';
import { observe } from '../support/observe.js';
import { fc, runs } from '../support/properties.js';

const thing = (name: string, revision: number, colour = 'red'): Thing => ({
  metadata: { name, namespace: 'default', resourceVersion: `${revision}` },
  colour,
});

t.test('the outlet', async (t) => {
  t.test('emits in the same order to all subscribers, also when one of them causes an emission', async (t) => {
    const outlet = new Outlet<number>();
    const heard: number[][] = [[], [], []];
    observe(outlet.values$, (value) => {
      heard[0]?.push(value);
      if (value < 4) {
        outlet.emit(value * 2);
        outlet.emit(value * 2 + 1);
      }
    });
    observe(outlet.values$, (value) => heard[1]?.push(value));
    observe(outlet.values$, (value) => heard[2]?.push(value));
    outlet.emit(1);
    for (const values of heard) t.same(values, [1, 2, 3, 4, 5, 6, 7]);
  });

  t.test('lets a newcomer hear exactly what is emitted after it came', async (t) => {
    const outlet = new Outlet<string>();
    const late: string[] = [];
    observe(outlet.values$, (value) => {
      if (value !== 'a') return;
      outlet.emit('b');
      observe(outlet.values$, (value) => late.push(value));
      outlet.emit('c');
    });
    outlet.emit('a');
    t.same(late, ['c'], 'neither the value being emitted nor the one already queued');
  });

  t.test('goes on when a listener throws, leaves in the middle, or is of a kind that throws back', async (t) => {
    const uncaught: unknown[] = [];
    config.onUnhandledError = (error: unknown) => uncaught.push(error);
    t.teardown(() => (config.onUnhandledError = null));
    const outlet = new Outlet<number>();
    const heard: number[] = [];
    let leaving: Subscription | undefined = undefined;
    observe(outlet.values$, (value) => {
      if (value === 1) outlet.emit(2);
      if (value === 2) leaving?.unsubscribe();
      throw new Error(`first, at ${value}`);
    });
    leaving = observe(outlet.values$, (value) => heard.push(-value));
    let reported: unknown = undefined;
    const foreign = {
      next: (): void => {
        throw new Error('foreign');
      },
      error: (error: unknown): void => {
        reported = error;
      },
      complete: (): void => undefined,
    };
    outlet.values$.subscribe(Object.assign(new Subscription(), foreign));
    observe(outlet.values$, (value) => heard.push(value));
    outlet.emit(1);
    t.same(heard, [-1, 1, 2]);
    t.match(reported, { message: 'foreign' });
    await new Promise((resolve) => setTimeout(resolve)); // RxJS reports in a timeout of its own
    t.same(uncaught.map(String), ['Error: first, at 1', 'Error: first, at 2']);
  });

  t.test('ends after what was emitted, and at once for those who come later', async (t) => {
    for (const end of ['complete', 'error'] as const) {
      const outlet = new Outlet<number>();
      const log: unknown[] = [];
      const listen = (name: string): void => {
        outlet.values$.subscribe({
          next: (value) => log.push(`${name} ${value}`),
          error: (error: unknown) => log.push(`${name} error ${String(error)}`),
          complete: () => log.push(`${name} complete`),
        });
      };
      observe(outlet.values$.pipe(() => NEVER));
      const first = outlet.values$.subscribe({
        next: (value) => {
          if (value !== 1) return;
          outlet.emit(2);
          outlet[end]('over');
          outlet.emit(3);
          outlet.complete();
        },
        error: () => undefined,
      });
      listen('a');
      outlet.emit(1);
      listen('b');
      const ending = end === 'complete' ? 'complete' : 'error over';
      t.same(log, ['a 1', 'a 2', `a ${ending}`, `b ${ending}`]);
      t.ok(first.closed);
      t.equal(outlet.subscribers, 0);
    }
  });

  t.test('refuses to gather without bound', async (t) => {
    const outlet = new Outlet<number>({ waitingMax: 10 });
    let refused: unknown = undefined;
    const heard: number[] = [];
    observe(outlet.values$, (value) => {
      heard.push(value);
      if (heard.length > 1) return;
      try {
        for (let count = 1; count < 100; count++) outlet.emit(count);
      } catch (error) {
        refused = error;
      }
    });
    outlet.emit(0);
    t.match(refused, { name: 'RangeError', message: /10 values wait/ });
    outlet.emit(0);
    t.same(heard, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0], 'and works on');
  });

  t.test('emits what a queue would to any mix of subscribers that come, go and emit', async () => {
    // Each listener answers a value by what its script says: emit, leave, or bring another listener in.
    const action = fc.constantFrom('emit', 'leave', 'bring', 'nothing');
    const scripts = fc.array(fc.array(action, { maxLength: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(scripts, fc.integer({ min: 1, max: 4 }), async (scripts, count) => {
        const outlet = new Outlet<number>();
        let accepted = 0;
        const emit = (): void => {
          accepted += 1;
          outlet.emit(accepted);
        };
        const listeners: { readonly from: number; left: number; readonly heard: number[] }[] = [];
        const listen = (script: readonly string[]): void => {
          const listener = { from: accepted, left: Infinity, heard: [] as number[] };
          listeners.push(listener);
          const actions = [...script];
          const subscription = observe(outlet.values$, (value) => {
            listener.heard.push(value);
            const next = actions.shift();
            if (next === 'emit') emit();
            if (next === 'bring') listen([]);
            if (next === 'leave') {
              listener.left = value;
              subscription.unsubscribe();
            }
          });
        };
        scripts.forEach((script) => listen(script));
        for (let emitted = 0; emitted < count; emitted++) emit();
        for (const { from, left, heard } of listeners) {
          const end = Math.min(accepted, left);
          assert.deepEqual(
            heard,
            Array.from({ length: Math.max(0, end - from) }, (_, index) => from + index + 1),
          );
        }
        assert.equal(outlet.subscribers, listeners.filter(({ left }) => left === Infinity).length);
      }),
    );
  });
});

/** A source whose answers a test writes down, one for each call in order; it logs the calls with their virtual time. */
class ScriptedSource implements ListWatch<Thing> {
  readonly calls: string[] = [];
  readonly watchOptions: WatchOptions[] = [];
  readonly listOptions: ListOptions[] = [];
  readonly #clock: VirtualClock;
  readonly #start: number;
  readonly #lists: (Page<Thing> | Error)[];
  readonly #watches: Observable<RawEvent<Thing>>[];

  constructor(clock: VirtualClock, lists: (Page<Thing> | Error)[], watches: Observable<RawEvent<Thing>>[]) {
    this.#clock = clock;
    this.#start = clock.now();
    this.#lists = lists;
    this.#watches = watches;
  }

  async list(options: ListOptions): Promise<Page<Thing>> {
    this.listOptions.push(options);
    this.#log(`list ${options.limit ?? 'all'} ${options.continue ?? 'from the start'}`);
    const answer = this.#lists.shift() ?? page([], 100);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  watch(options: WatchOptions): Observable<RawEvent<Thing>> {
    this.watchOptions.push(options);
    return defer(() => {
      this.#log(`watch ${options.resourceVersion ?? 'anything'}`);
      return (this.#watches.shift() ?? NEVER).pipe(finalize(() => this.#log('let go')));
    });
  }

  #log(what: string): void {
    this.calls.push(`${this.#clock.now() - this.#start} ${what}`);
  }
}

const page = (items: Thing[], revision: number | string, token?: string): Page<Thing> => ({
  items,
  resourceVersion: `${revision}`,
  ...(token !== undefined && { continue: token }),
});
const added = (name: string, revision: number): RawEvent<Thing> => ({ type: 'ADDED', object: thing(name, revision) });
const raw = (...events: RawEvent<Thing>[]): Observable<RawEvent<Thing>> => from(events);
const withoutJitter = { ...backoffLadders.reflector, jitter: 0 };

/** Prints events short enough to compare by eye. */
function short(event: WatcherEvent<Thing>): string {
  switch (event.type) {
    case 'listed':
    case 'applied':
      return `${event.type} ${event.object.metadata.name}`;
    case 'deleted':
      return `${event.finalStateUnknown ? 'found deleted' : 'deleted'} ${event.object.metadata.name}`;
    case 'synced':
    case 'bookmark':
      return `${event.type} ${event.resourceVersion}`;
    case 'failed':
      return `failed, again in ${event.retryInMs}`;
    case 'init':
      return event.type;
  }
}

t.test('signals', async (t) => {
  t.test('that many calls share have one listener, and end all of them', async (t) => {
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 100 }, () => untilAborted(new Promise<never>(() => undefined), signal));
    const done = await Promise.all(
      Array.from({ length: 100 }, (_, index) => untilAborted(Promise.resolve(index), signal)),
    );
    t.equal(done.at(-1), 99);
    t.equal(getEventListeners(signal, 'abort').length, 1);
    await t.rejects(untilAborted(Promise.reject(new Error('of its own')), signal), { message: 'of its own' });
    const reason = new Error('enough');
    controller.abort(reason);
    for (const outcome of await Promise.allSettled(calls)) t.strictSame(outcome, { status: 'rejected', reason });
    await t.rejects(untilAborted(Promise.resolve(1), signal), reason, 'and those that come late');
  });

  t.test('call no subscriber that has unsubscribed', async (t) => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push('stays'));
    const leave = onAbort(controller.signal, () => called.push('left'));
    leave();
    controller.abort();
    t.strictSame(called, ['stays']);
  });

  t.test('cut a pause short, and leave no timer', async (t) => {
    const clock = virtualClock();
    const controller = new AbortController();
    const slept = pause(clock, 1000, controller.signal);
    const whole = pause(clock, 500, controller.signal);
    await clock.advance(500);
    await whole;
    t.equal(clock.pending, 1);
    controller.abort(new Error('enough'));
    await t.rejects(slept, { message: 'enough' });
    t.equal(clock.pending, 0);
    await t.rejects(pause(clock, 1000, controller.signal), { message: 'enough' });
    t.equal(clock.pending, 0);
  });
});

t.test('the watcher', async (t) => {
  /** Follows a scripted source and hands out everything a test looks at. */
  function follow(
    lists: (Page<Thing> | Error)[],
    watches: Observable<RawEvent<Thing>>[],
    options: Partial<WatcherOptions> = {},
  ): { clock: VirtualClock; source: ScriptedSource; seen: string[]; errors: unknown[]; stop: () => void } {
    const clock = virtualClock({ start: 0 });
    const source = new ScriptedSource(clock, lists, watches);
    const seen: string[] = [];
    const errors: unknown[] = [];
    const chance = random('watcher');
    const events$ = watcher(source, { clock, random: chance, backoff: withoutJitter, ...options });
    const subscription = observe(events$, (event) => {
      seen.push(short(event));
      if (event.type === 'failed') errors.push(event.error);
    });
    const stop = (): void => {
      subscription.unsubscribe();
      t.equal(clock.pending, 0, 'no timer is left');
    };
    return { clock, source, seen, errors, stop };
  }

  t.test('does nothing before it is subscribed to, and each subscription has a life of its own', async (t) => {
    const clock = virtualClock({ start: 0 });
    const source = new ScriptedSource(clock, [page([thing('a', 1)], 1), page([thing('b', 2)], 2)], []);
    const events$ = watcher(source, { clock, random: random(0) });
    await clock.settled();
    t.same(source.calls, []);
    const seen: string[][] = [[], []];
    const first = observe(events$, (event) => seen[0]?.push(short(event)));
    await clock.settled();
    const second = observe(events$, (event) => seen[1]?.push(short(event)));
    await clock.settled();
    t.same(seen, [
      ['init', 'listed a', 'synced 1'],
      ['init', 'listed b', 'synced 2'],
    ]);
    first.unsubscribe();
    second.unsubscribe();
    t.equal(clock.pending, 0);
  });

  t.test('lists page by page, then watches from the revision of the list', async (t) => {
    const { clock, source, seen, stop } = follow(
      [page([thing('a', 1), thing('b', 3)], 7, 'next'), page([thing('c', 5)], 7, '')],
      [raw(added('d', 8), { type: 'DELETED', object: thing('a', 9) }, { type: 'BOOKMARK', resourceVersion: '12' })],
      { pageSize: 2, labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1' },
    );
    await clock.settled();
    t.same(seen, ['init', 'listed a', 'listed b', 'listed c', 'synced 7', 'applied d', 'deleted a', 'bookmark 12']);
    t.same(source.calls, ['0 list 2 from the start', '0 list 2 next', '0 watch 7', '0 let go', '0 watch 12']);
    t.match(source.listOptions[1], { labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1', continue: 'next' });
    t.match(source.watchOptions[1], { labelSelector: 'app=web', allowWatchBookmarks: true, resourceVersion: '12' });
    for (const { timeoutSeconds = 0 } of source.watchOptions) t.ok(timeoutSeconds >= 300 && timeoutSeconds <= 600);
    stop();
  });

  t.test('asks for 500 objects a page and for no selection by default', async (t) => {
    const { clock, source, stop } = follow([], []);
    await clock.settled();
    t.equal(source.listOptions[0]?.limit, 500);
    t.notOk(source.listOptions.some((options) => 'labelSelector' in options || 'fieldSelector' in options));
    stop();
  });

  t.test('lists again in one page when the token expires, and waits if that fails too', async (t) => {
    const { clock, source, seen, stop } = follow(
      [page([thing('a', 1)], 7, 'next'), continueExpired('x'), watchExpired(), page([thing('b', 8)], 8)],
      [],
      { pageSize: 1 },
    );
    await clock.settled();
    t.same(seen, ['init', 'listed a', 'failed, again in 0', 'init', 'failed, again in 800']);
    await clock.advance(800);
    t.same(seen.slice(5), ['init', 'listed b', 'synced 8']);
    t.same(source.calls, [
      '0 list 1 from the start',
      '0 list 1 next',
      '0 list all from the start',
      '800 list 1 from the start',
      '800 watch 8',
    ]);
    stop();
  });

  t.test('does not go in circles when a server pages what it was asked for in one piece', async (t) => {
    const pages = [page([], 7, 'next'), continueExpired('x'), page([], 8, 'more'), continueExpired('x')];
    const { clock, source, seen, stop } = follow(pages, []);
    await clock.settled();
    t.same(seen, ['init', 'failed, again in 0', 'init', 'failed, again in 800']);
    t.same(source.calls.slice(2), ['0 list all from the start', '0 list all more']);
    stop();
  });

  t.test('waits longer and longer while lists fail, and starts anew after two quiet minutes', async (t) => {
    const down = new Error('connection refused');
    const later$ = defer(() => run.clock.timer(120_001)).pipe(mergeMap(() => throwError(() => down)));
    const run = follow(
      [down, down, page([], 1), page([], '')],
      [throwError(() => watchExpired()), throwError(() => down), later$],
    );
    const { clock, source, errors, seen, stop } = run;
    await clock.advance('10s');
    t.same(seen, [
      'init',
      'failed, again in 800',
      'init',
      'failed, again in 1600',
      'init',
      'synced 1',
      'failed, again in 3200',
      'init',
      'failed, again in 6400',
    ]);
    t.match(errors[3], { message: 'the list has no resourceVersion to watch from' });
    await clock.advance('10s');
    t.same(seen.slice(9), ['init', 'synced 100', 'failed, again in 12800']);
    await clock.advance('1h');
    t.same(seen.slice(12), ['failed, again in 800'], 'more than two minutes after the last failure');
    t.match(source.calls.at(-1), /watch 100$/);
    stop();
  });

  t.test('resumes after failures where it was, and lists again only when the server refused', async (t) => {
    const cases: [Error, 'watch 101' | 'list 500 from the start'][] = [
      [new Error('connection reset'), 'watch 101'],
      [internalError('etcd is away'), 'watch 101'],
      [tooManyRequests('slow down'), 'watch 101'],
      [watchExpired(), 'list 500 from the start'],
      [gone('too old'), 'list 500 from the start'],
      [forbidden({ group: '', resource: 'pods' }, 'not yours'), 'list 500 from the start'],
    ];
    for (const [error, then] of cases) {
      const { clock, source, seen, stop } = follow(
        [],
        [
          concat(
            raw(added('x', 101)),
            throwError(() => error),
          ),
        ],
      );
      await clock.advance(800);
      t.same(seen.slice(0, 4), ['init', 'synced 100', 'applied x', 'failed, again in 800']);
      t.same(source.calls.slice(2, 4), ['0 let go', `800 ${then}`]);
      stop();
    }
  });

  t.test('treats a watch that ends at once without an event as a failure', async (t) => {
    const nothingNew = raw({ type: 'BOOKMARK', resourceVersion: '100' });
    const { clock, source, seen, stop } = follow([], [EMPTY, nothingNew, EMPTY]);
    await clock.advance('20s');
    t.same(seen.slice(2), ['failed, again in 800', 'bookmark 100', 'failed, again in 1600', 'failed, again in 3200']);
    t.same(source.calls.at(-1), '5600 watch 100');
    stop();
  });

  t.test('resumes at once when a watch ended in good order, and lets go of one that the server forgot', async (t) => {
    const quiet = virtualClock(); // never moved: a watch that stays silent
    const { clock, source, seen, stop } = follow([], [quiet.timer(1).pipe(map(() => added('never', 0)))]);
    await clock.advance('1m');
    t.equal(source.calls.length, 2);
    const { timeoutSeconds = NaN } = source.watchOptions[0] ?? {};
    const endMs = (timeoutSeconds + 5) * 1000;
    await clock.advanceTo(endMs - 1);
    t.equal(source.calls.length, 2);
    await clock.advance(1);
    t.same(source.calls.slice(2), [`${endMs} let go`, `${endMs} watch 100`]);
    t.same(seen, ['init', 'synced 100'], 'the failure of one subscriber does not reach others');
    stop();
    t.equal(quiet.pending, 0);
  });

  t.test('survives a source that throws instead of answering, and objects without a revision', async (t) => {
    const clock = virtualClock({ start: 0 });
    const x = thing('x', 4);
    const source: ListWatch<Thing> = {
      list: () => (clock.now() === 0 ? raise() : Promise.resolve(page([], 3))),
      watch: () => {
        if (clock.now() === 800) raise();
        return raw({ type: 'ADDED', object: { ...x, metadata: { ...x.metadata, resourceVersion: '' } } });
      },
    };
    function raise(): never {
      throw new TypeError('defect');
    }
    const seen: string[] = [];
    const events$ = watcher(source, { clock, random: random(0), backoff: withoutJitter });
    const subscription = observe(events$, (event) => seen.push(short(event)));
    await clock.advance('3s');
    t.same(seen.slice(0, 5), ['init', 'failed, again in 800', 'init', 'synced 3', 'failed, again in 1600']);
    t.same(seen.slice(5), ['applied x', 'failed, again in 3200'], 'no revision, no progress');
    subscription.unsubscribe();
    t.equal(clock.pending, 0);
  });

  t.test('lets go at any moment: of a list, of a watch, of a wait', async (t) => {
    const never = new Promise<Page<Thing>>(() => undefined);
    const clock = virtualClock({ start: 0 });
    let signal: AbortSignal | undefined = undefined;
    const source: ListWatch<Thing> = {
      list: (options) => {
        signal = options.signal;
        return never;
      },
      watch: () => NEVER,
    };
    const listing = observe(watcher(source, { clock, random: random(0) }));
    await clock.settled();
    t.match(signal, { aborted: false });
    listing.unsubscribe();
    t.match(signal, { aborted: true });

    const watching = follow([], []);
    await watching.clock.settled();
    t.equal(watching.clock.pending, 1);
    watching.stop();
    t.same(watching.source.calls, ['0 list 500 from the start', '0 watch 100', '0 let go']);

    const waiting = follow([new Error('down')], []);
    await waiting.clock.settled();
    t.equal(waiting.clock.pending, 1);
    waiting.stop();
    await waiting.clock.advance('1h');
    t.same(waiting.source.calls, ['0 list 500 from the start']);
  });
});

t.test('the reflector', async (t) => {
  const marbles = (t: Test, run: (helpers: RunHelpers) => void): void =>
    new TestScheduler((actual, expected) => t.same(actual, expected)).run(run);
  const a1 = thing('a', 1);
  const a5 = thing('a', 5, 'blue');
  const b2 = thing('b', 2);
  const c4 = thing('c', 4, 'blue');
  const events: Record<string, WatcherEvent<Thing>> = {
    i: { type: 'init' },
    a: { type: 'listed', object: a1 },
    b: { type: 'listed', object: b2 },
    s: { type: 'synced', resourceVersion: '3' },
    c: { type: 'applied', object: c4 },
    A: { type: 'applied', object: a5 },
    C: { type: 'applied', object: a5, old: a1 },
    d: { type: 'listed', object: a1, old: a1 },
    B: { type: 'deleted', object: thing('b', 6), finalStateUnknown: false },
    x: { type: 'deleted', object: b2, finalStateUnknown: true },
    y: { type: 'deleted', object: c4, finalStateUnknown: true },
    k: { type: 'bookmark', resourceVersion: '9' },
    f: { type: 'failed', error: 'down', retryInMs: 800 },
  };

  t.test('passes events on when the snapshot shows them: what is listed, once the list is complete', async (t) => {
    marbles(t, ({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' i-a-b-s----c-A-B-k-f|', events);
      const subs = '         ^-------------------!';
      const expected = '     i-----(abs)c-C-B-k-f|';
      expectObservable(source$.pipe(reflect(snapshotWriter<Thing>({})))).toBe(expected, events);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
    marbles(t, ({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' i-a-#', events, 'defect');
      const subs = '         ^---!';
      const expected = '     i---#';
      expectObservable(source$.pipe(reflect(snapshotWriter<Thing>({})))).toBe(expected, events, 'defect');
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  t.test('emits deletions that a new list revealed first, and discards an incomplete list', async (t) => {
    marbles(t, ({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold(' iabs-----c-i-b-f-ia-s------', events);
      const unsub = '        --------------------------!';
      const subs = '         ^-------------------------!';
      const expected = '     i--(abs)-c-i---f-i--(xyds)-';
      expectObservable(source$.pipe(reflect(snapshotWriter<Thing>({}))), unsub).toBe(expected, events);
      expectSubscriptions(source$.subscriptions).toBe(subs);
    });
  });

  t.test('has one writer at a time', async (t) => {
    marbles(t, ({ cold, hot, expectObservable, expectSubscriptions }) => {
      const writer = snapshotWriter<Thing>({});
      const first$ = cold('  i----|', events);
      const second$ = hot('  -i----i|', events);
      expectObservable(first$.pipe(reflect(writer))).toBe('i----|', events);
      const refused = new Error('this snapshot already has a writer');
      expectObservable(second$.pipe(reflect(writer)), '--^').toBe('--#', events, refused);
      expectObservable(second$.pipe(reflect(writer)), '------^').toBe('------i|', events);
      expectSubscriptions(second$.subscriptions).toBe(['------^!']);
    });
  });

  t.test('keeps readers on the old list until the new one is whole', async (t) => {
    const events$ = new Subject<WatcherEvent<Thing>>();
    const writer = snapshotWriter<Thing, 'colour' | 'name'>({
      colour: ({ colour }) => (colour === 'none' ? [] : [colour]),
      name: ({ metadata }) => [metadata.name, `${metadata.namespace}/${metadata.name}`],
    });
    const { snapshot } = writer;
    const subscription = observe(events$.pipe(reflect(writer)));
    let isReady = false;
    void snapshot.ready.then(() => (isReady = true));
    const tell = (...names: (keyof typeof events)[]): void => {
      for (const name of names) events$.next(events[name] ?? { type: 'init' });
    };
    tell('i', 'a', 'b');
    await Promise.resolve();
    t.same([snapshot.list(), snapshot.resourceVersion, isReady], [[], undefined, false]);
    tell('s');
    await snapshot.ready;
    t.same([snapshot.list(), snapshot.resourceVersion, isReady], [[a1, b2], '3', true]);
    t.equal(snapshot.get('default/a'), a1, 'the very same object');
    t.equal(snapshot.get('a'), undefined);
    t.same(snapshot.by('colour', 'red'), [a1, b2]);
    tell('c', 'A');
    t.same(snapshot.by('colour', 'red'), [b2]);
    t.same(snapshot.by('colour', 'blue'), [c4, a5]);
    t.same(snapshot.by('name', 'default/c'), [c4]);
    t.same(snapshot.by('colour', '__proto__'), []);
    t.equal(snapshot.resourceVersion, '5');
    tell('B', 'B', 'k');
    t.same(snapshot.list(), [a5, c4]);
    t.same(snapshot.by('name', 'b'), []);
    t.equal(snapshot.resourceVersion, '9');
    events$.next({ type: 'applied', object: thing('a', 10, 'none') });
    t.same(snapshot.by('colour', 'blue'), [c4]);
    tell('i', 'b');
    t.same(snapshot.list().length, 2);
    tell('s');
    t.same([snapshot.list(), snapshot.by('colour', 'red'), snapshot.by('colour', 'blue')], [[b2], [b2], []]);
    t.throws(() => snapshot.by('constructor' as 'colour', 'x'), { message: 'no index "constructor"' });
    subscription.unsubscribe();
    t.equal(events$.observed, false);
  });
});

t.test('whatever goes wrong, the snapshot ends up equal to the truth, and nothing is left behind', async (t) => {
  const logs: string[] = [];
  const seeds = fc.record({ seed: fc.integer(), pageSize: fc.integer({ min: 1, max: 5 }) });
  async function live(seed: number, pageSize: number): Promise<string[]> {
    const clock = virtualClock({ start: 0 });
    const chance = random(seed);
    const source = new FlakyCollection(clock, chance.stream('faults'));
    const script = chance.stream('script');
    const writer = snapshotWriter<Thing, 'colour'>({ colour: ({ colour }) => [colour] });
    const observed = new Map<string, Thing>(); // the state as events alone describe it
    const log: string[] = [];
    const events$ = watcher(source, { clock, random: chance.stream('watcher'), pageSize }).pipe(reflect(writer));
    const subscription = observe(events$, (event) => {
      log.push(`${clock.now()} ${short(event)}`);
      if (event.type === 'listed' || event.type === 'applied') {
        assert.deepEqual(writer.snapshot.get(`default/${event.object.metadata.name}`), event.object);
        observed.set(event.object.metadata.name, event.object);
      }
      if (event.type === 'deleted') observed.delete(event.object.metadata.name);
    });
    for (let step = 0; step < 60; step++) {
      const name = `thing-${script.integer(8)}`;
      if (script.integer(3) === 0) source.remove(name);
      else source.put(name, script.pick(['red', 'green', 'blue']));
      if (script.integer(6) === 0) source.compact();
      await clock.advance(script.integer(20_000));
    }
    source.faulty = false;
    await clock.advance('12m'); // the longest a dead watch may go unnoticed, and the longest wait

    const truth = source.state();
    const byName = (things: Iterable<Thing>): Thing[] =>
      [...things].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
    assert.deepEqual(byName(writer.snapshot.list()), byName(truth.values()));
    assert.deepEqual(byName(observed.values()), byName(truth.values()));
    const red = [...truth.values()].filter(({ colour }) => colour === 'red');
    assert.deepEqual(byName(writer.snapshot.by('colour', 'red')), byName(red));
    assert.equal(writer.snapshot.resourceVersion, `${source.revision}`);
    assert.equal(source.openMax, 1, 'one call at a time');
    subscription.unsubscribe();
    await clock.settled();
    assert.deepEqual([clock.pending, source.open, source.listeners], [0, 0, 0]);
    return log;
  }
  await fc.assert(
    fc.asyncProperty(seeds, async ({ seed, pageSize }) => {
      const log = await live(seed, pageSize);
      assert.deepEqual(await live(seed, pageSize), log, 'one seed, one history');
      logs.push(...log);
    }),
    { numRuns: runs(40) },
  );
  for (const kind of ['init', 'listed', 'synced', 'applied', 'deleted', 'found deleted', 'bookmark', 'failed']) {
    t.ok(
      logs.some((line) => line.includes(` ${kind}`)),
      `some run saw: ${kind}`,
    );
  }
});
