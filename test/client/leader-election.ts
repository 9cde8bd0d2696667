// Leader election against a server in the same process, on virtual time. Requests are delayed or lost before or after
// they arrive, and leases are invalid; two candidates never lead at a time, and eventually one does.
import { EMPTY, NEVER, Observable, concat, lastValueFrom, of, tap } from 'rxjs';
import type { Subscription } from 'rxjs';
import t, { type Test } from 'tap';
import { inProcessClient, leaderElection, whileLeading } from '../../lib/client/index.js';
import type { Client, LeaderElectionOptions, Leadership } from '../../lib/client/index.js';
import { initialElection, electionStep } from '../../lib/client/election/election-step.js';
import type { Election, ElectionEvent, ElectionRules } from '../../lib/client/election/election-step.js';
import {
  Outlet,
  alreadyExists,
  conflict,
  internalError,
  notFound,
  random,
  virtualClock,
} from '../../lib/core/index.js';
import type { Clock, VirtualClock, ApiRequest, Handler } from '../../lib/core/index.js';
import type { LeaseSpec } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';
import { fc, runs, seenAtLeast } from '../support/properties.js';

const place = { namespace: 'kube-system', name: 'kube-scheduler' };
const start = Date.UTC(2026, 0, 1);

interface Standing {
  /** What was emitted, with the seconds since the start. */
  readonly seen: string[];
  readonly running: Subscription;
}

interface Scene {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly handler: Handler;
  /** Who works at the moment. */
  readonly working: Set<string>;
  stand(
    identity: string,
    options?: Partial<LeaderElectionOptions> & { readonly around?: (handler: Handler) => Handler },
  ): Standing;
  lease(): Promise<LeaseSpec>;
}

async function scene(t: Test): Promise<Scene> {
  const clock = virtualClock({ start });
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const client = inProcessClient(server.handler);
  const working = new Set<string>();
  const all: Subscription[] = [];
  t.teardown(async () => {
    for (const each of all) each.unsubscribe();
    await clock.advance('1m');
    await server.close();
    await store.close();
    if (clock.pending > 0) throw new Error(`${clock.pending} timers are left`);
  });
  return {
    clock,
    client,
    handler: server.handler,
    working,
    stand(identity, { around = (handler: Handler) => handler, ...options } = {}) {
      const seen: string[] = [];
      const work$ = new Observable<never>(() => {
        working.add(identity);
        return () => working.delete(identity);
      });
      const election$ = leaderElection({
        client: inProcessClient(around(server.handler)),
        clock,
        random: random(identity),
        lease: place,
        identity,
        ...options,
      });
      const running = observe(
        whileLeading(election$, () => work$),
        (value) => seen.push(`${Math.round((clock.now() - start) / 100) / 10} ${wordsOf(value)}`),
      );
      all.push(running);
      return { seen, running };
    },
    lease: async () =>
      (await client.kind('coordination.k8s.io/v1', 'Lease').in(place.namespace).get(place.name)).spec ?? {},
  };
}

function wordsOf(value: Leadership): string {
  switch (value.type) {
    case 'leader':
      return `leader ${value.identity}`;
    case 'leading':
      return 'leading';
    case 'lost':
      return `lost ${value.reason}`;
    case 'election-failed':
      return `failed ${value.error instanceof Error ? value.error.message : ''}`;
  }
}

/** Fails on demand, before or after the server has handled the request. */
function flaky(): { readonly around: (handler: Handler) => Handler; fails: false | 'before' | 'after' | 'silent' } {
  const self: ReturnType<typeof flaky> = {
    fails: false,
    around: (handler) => async (request) => {
      if (self.fails === 'silent') return await new Promise(() => undefined);
      if (self.fails === 'before') throw new Error('no way there');
      const answer = await handler(request);
      if (self.fails === 'after') throw new Error('no way back');
      return answer;
    },
  };
  return self;
}

t.test('the first candidate leads, the others emit the leader and wait', async (t) => {
  const { clock, stand, lease, working } = await scene(t);
  const one = stand('one');
  await clock.settled();
  const two = stand('two');
  await clock.settled();
  t.strictSame([one.seen, two.seen], [['0 leader one', '0 leading'], ['0 leader one']]);
  t.strictSame(await lease(), {
    holderIdentity: 'one',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
  await clock.advance('10m');
  t.strictSame([one.seen.length, two.seen.length, [...working]], [2, 1, ['one']], 'and so it stays');
  t.match(await lease(), {
    holderIdentity: 'one',
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:10:00.000000Z',
    leaseTransitions: 0,
  });
});

t.test('a leader that disappears is replaced when its lease has expired', async (t) => {
  const { clock, stand, lease, working } = await scene(t);
  const one = stand('one');
  await clock.advance('1m');
  const two = stand('two');
  await clock.advance(500);
  one.running.unsubscribe();
  t.equal(working.size, 0);
  await clock.advance(14_400);
  t.equal(working.size, 0, 'it is still theirs');
  await clock.advance(4_600);
  t.strictSame([...working], ['two']);
  t.match(two.seen, ['60 leader one', / leader two/, / leading/]);
  t.match(await lease(), { holderIdentity: 'two', leaseTransitions: 1 });
  t.not((await lease()).acquireTime, '2026-01-01T00:00:00.000000Z');
});

t.test('a leader that releases its lease is replaced at the next try, after its work has ended', async (t) => {
  const { clock, stand, working, handler } = await scene(t);
  let workedOnRelease: boolean | undefined;
  const around = (): Handler => (request) => {
    workedOnRelease = working.has('one');
    return handler(request);
  };
  const one = stand('one', { releaseOnCancel: true, around });
  await clock.advance('1m');
  t.equal(workedOnRelease, true);
  const two = stand('two');
  await clock.advance(1);
  one.running.unsubscribe();
  await clock.settled();
  t.equal(workedOnRelease, false);
  await clock.advance(4_400);
  t.strictSame([...working], ['two']);
  t.match(two.seen, ['60 leader one', / leader two/, / leading/]);
  const three = stand('three', { releaseOnCancel: true });
  await clock.settled();
  three.running.unsubscribe();
  await clock.advance('1m');
  t.strictSame([...working], ['two'], 'who does not lead gives nothing back');
});

t.test('a stopped candidate emits lost, releases the lease and completes', async (t) => {
  const { clock, client, lease, stand } = await scene(t);
  const seen: string[] = [];
  const stop = new Outlet<void>();
  const election$ = leaderElection({
    client,
    clock,
    random: random(1),
    lease: place,
    identity: 'one',
    releaseOnCancel: true,
    stop$: stop.values$,
  });
  const work$ = concat(of('work'), NEVER).pipe(tap({ unsubscribe: () => seen.push('work ended') }));
  const ended = lastValueFrom(
    whileLeading(election$, () => work$).pipe(
      tap((each) => seen.push(typeof each === 'string' ? each : wordsOf(each))),
    ),
    { defaultValue: undefined },
  );
  await clock.advance(5_000);
  stop.emit();
  await ended;
  t.strictSame(seen, ['leader one', 'leading', 'work', 'work ended', 'lost stopped']);
  t.strictSame(await lease(), {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: '2026-01-01T00:00:05.000000Z',
    renewTime: '2026-01-01T00:00:05.000000Z',
    leaseTransitions: 0,
  });
  t.equal(clock.pending, 0);

  const two = stand('two', { stop$: of(0) });
  t.ok(two.running.closed, 'a candidate that is stopped at once does not begin');
  const three = stand('three', { stop$: clock.timer(1000) });
  await clock.advance(2_000);
  t.ok(three.running.closed);
  t.match(
    await lease(),
    { holderIdentity: 'three', leaseTransitions: 1 },
    'a lease that is not given back is left to run out',
  );
});

t.test('a leader that cannot renew stops in time, and leads again when it can', async (t) => {
  for (const fails of ['before', 'after', 'silent'] as const) {
    await t.test(`requests fail: ${fails}`, async (t) => {
      const { clock, stand, working } = await scene(t);
      const link = flaky();
      const one = stand('one', { around: link.around });
      await clock.advance('1m');
      link.fails = fails;
      await clock.advance(9_900);
      t.equal(working.size, 1, 'it need not despair yet');
      await clock.advance(100);
      t.equal(working.size, 0);
      t.ok(one.seen.includes('70 lost expired'));
      await clock.advance('1m');
      t.match(
        one.seen.slice(2),
        fails === 'silent'
          ? [/^67 failed no response within 5000 ms/, '70 lost expired']
          : [/^62 failed no way/, /^64 failed no way/, /^66 failed/, /^68 failed/, /^70 (failed|lost)/],
      );
      link.fails = false;
      await clock.advance('10s');
      t.strictSame([...working], ['one']);
      t.match(one.seen.at(-1), / leading$/);
    });
  }
});

t.test('a single failed request, or a label that another client writes, does not cost the lease', async (t) => {
  const { clock, client, stand, working } = await scene(t);
  const link = flaky();
  const one = stand('one', { around: link.around });
  await clock.advance(1_000);
  const leases = client.kind('coordination.k8s.io/v1', 'Lease').in(place.namespace);
  for (const fails of ['before', 'after'] as const) {
    link.fails = fails;
    await clock.advance(2_000);
    link.fails = false;
    await clock.advance(4_000);
  }
  await leases.patch(place.name, { merge: { metadata: { labels: { seen: 'yes' } } } });
  await clock.advance('1m');
  t.strictSame(
    one.seen.map((line) => line.replace(/^[^ ]+ /, '')),
    ['leader one', 'leading', 'failed no way there', 'failed no way back'],
  );
  t.strictSame([...working], ['one']);
  t.match(await leases.get(place.name), {
    metadata: { labels: { seen: 'yes' } },
    spec: { renewTime: '2026-01-01T00:01:12.000000Z' },
  });
});

t.test('a lease that is deleted or taken is lost, and can be acquired again', async (t) => {
  const { clock, client, stand, working, lease } = await scene(t);
  const one = stand('one');
  const leases = client.kind('coordination.k8s.io/v1', 'Lease').in(place.namespace);
  await clock.advance(1_000);
  await leases.delete(place.name);
  await clock.advance(5_000);
  t.match(await lease(), { holderIdentity: 'one' });
  t.strictSame([...working], ['one']);
  one.seen.length = 0;
  await leases.patch(place.name, { merge: { spec: { holderIdentity: 'thief', leaseDurationSeconds: 3 } } });
  await clock.advance(2_000);
  t.match(one.seen, [/ lost taken$/, / leader thief$/]);
  t.equal(working.size, 0);
  await clock.advance(3_000);
  t.match(one.seen.slice(2), [/ leader one$/, / leading$/], 'the moment it is over');
});

t.test('invalid leases do no harm', async (t) => {
  const cases: readonly [what: string, spec: object | undefined, takenWithinMs: number, transitions: number][] = [
    ['no spec', undefined, 0, 1],
    ['nobody', { holderIdentity: '', leaseDurationSeconds: 3600, leaseTransitions: 4 }, 0, 5],
    ['no duration', { holderIdentity: 'other' }, 0, 1],
    ['a duration below zero', { holderIdentity: 'other', leaseDurationSeconds: -5 }, 0, 1],
    ['a duration that is none', { holderIdentity: 'other', leaseDurationSeconds: 'long' }, 0, 1],
    ['a duration beyond all', { holderIdentity: 'other', leaseDurationSeconds: 1e300 }, 0, 1],
    ['a holder that is no text', { holderIdentity: { name: 'x' }, leaseDurationSeconds: 3600 }, 0, 1],
    [
      'times of another world',
      {
        holderIdentity: 'other',
        leaseDurationSeconds: 7,
        renewTime: '1999-01-01T00:00:00.000000Z',
        acquireTime: 'soon',
      },
      7_000,
      1,
    ],
    [
      'times to come',
      { holderIdentity: 'other', leaseDurationSeconds: 7, renewTime: '2999-01-01T00:00:00.000000Z' },
      7_000,
      1,
    ],
    [
      'transitions at their end',
      { holderIdentity: 'other', leaseDurationSeconds: 7, leaseTransitions: 2 ** 31 - 1 },
      7_000,
      0,
    ],
    [
      'transitions that are none',
      { holderIdentity: 'other', leaseDurationSeconds: 7, leaseTransitions: NaN },
      7_000,
      1,
    ],
  ];
  for (const [what, spec, takenWithinMs, transitions] of cases) {
    const { clock, stand, working } = await scene(t);
    // Our server would reject such a lease; this one returns it and accepts writes.
    const metadata = { ...place, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
    let kept: unknown = { metadata, spec };
    const around = (): Handler => async (request) => {
      const body = await request.body();
      if (body !== undefined && 'object' in body) kept = body.object;
      return { type: 'object', code: 200, object: kept } as Awaited<ReturnType<Handler>>;
    };
    stand('one', { around });
    await clock.settled();
    if (takenWithinMs > 0) t.equal(working.size, 0, what);
    await clock.advance(takenWithinMs);
    t.strictSame([...working], ['one'], what);
    t.match(kept, { spec: { holderIdentity: 'one', leaseDurationSeconds: 15, leaseTransitions: transitions } }, what);
  }
});

t.test('a wrong or corrected wall clock gives no candidate the lease too early', async (t) => {
  const { clock, stand, working } = await scene(t);
  let offsetMs = -3_600_000;
  const wrong: Clock = {
    now: () => clock.now() + offsetMs,
    timer: (ms) => clock.timer(ms),
    interval: (ms) => clock.interval(ms),
  };
  stand('one');
  await clock.settled();
  const two = stand('two', { clock: wrong });
  await clock.advance('1m');
  offsetMs = 3_600_000;
  await clock.advance('1m');
  t.strictSame([...working], ['one']);
  t.strictSame(two.seen, ['0 leader one']);
});

t.test('a machine that slept detects by its wall clock that its lease has expired', async (t) => {
  const { clock, stand, working } = await scene(t);
  let sleptMs = 0;
  const sleepy: Clock = {
    now: () => clock.now() + sleptMs,
    timer: (ms) => clock.timer(ms),
    interval: (ms) => clock.interval(ms),
  };
  const one = stand('one', { clock: sleepy });
  await clock.advance(5_000);
  sleptMs = 60_000;
  await clock.advance(1_000);
  t.strictSame(
    one.seen.slice(2).map((line) => line.replace(/^[^ ]+ /, '')),
    ['lost expired', 'leading'],
    'it looks before it goes on',
  );
  t.equal(working.size, 1);
});

t.test('contradictory durations are refused with the messages of Kubernetes', async (t) => {
  const { client, clock } = await scene(t);
  const refusal = (options: Partial<LeaderElectionOptions>): string => {
    try {
      void leaderElection({ client, clock, random: random(1), lease: place, identity: 'one', ...options });
    } catch (error) {
      return error instanceof RangeError ? error.message : 'another error';
    }
    return 'accepted';
  };
  t.equal(refusal({ leaseDurationMs: 10_000 }), 'leaseDuration must be greater than renewDeadline');
  t.equal(refusal({ retryPeriodMs: 9_000 }), 'renewDeadline must be greater than retryPeriod*JitterFactor');
  t.equal(refusal({ retryPeriodMs: 0 }), 'retryPeriod must be greater than zero');
  t.equal(refusal({ leaseDurationMs: NaN }), 'leaseDuration must be greater than renewDeadline');
  t.equal(refusal({ identity: '' }), 'Lock identity is empty');
  t.equal(refusal({ leaseDurationMs: 1_500, renewDeadlineMs: 1_200, retryPeriodMs: 500 }), 'accepted');
});

t.test('a refused request is emitted, with the time until the retry', async (t) => {
  const { clock, handler } = await scene(t);
  const seen: Leadership[] = [];
  // The read returns NotFound, and the create fails because the namespace does not exist.
  const client = inProcessClient((request) =>
    request.info.verb === 'create'
      ? Promise.reject(notFound({ group: '', resource: 'namespaces', name: 'nowhere' }))
      : handler(request),
  );
  const running = observe(
    leaderElection({ client, clock, random: random(1), lease: { namespace: 'nowhere', name: 'x' }, identity: 'one' }),
    (value) => seen.push(value),
  );
  await clock.settled();
  t.match(seen, [{ type: 'election-failed', error: { message: 'namespaces "nowhere" not found' } }]);
  const [first] = seen;
  if (first?.type !== 'election-failed') throw new Error('it failed');
  t.ok(first.retryInMs >= 2_000 && first.retryInMs <= 4_400, `${first.retryInMs}`);
  await clock.advance(first.retryInMs);
  t.equal(seen.length, 2);
  running.unsubscribe();
});

t.test('work begins after "leading" is emitted and ends before "lost" is', async (t) => {
  const turns = new Outlet<Leadership>();
  const seen: string[] = [];
  let begun = 0;
  const work = (): Observable<string> => {
    begun += 1;
    return begun === 3
      ? EMPTY
      : concat(of(`work ${begun}`), NEVER).pipe(tap({ unsubscribe: () => seen.push('let go') }));
  };
  const running = observe(whileLeading(turns.values$, work), (value) =>
    seen.push(typeof value === 'string' ? value : value.type),
  );
  for (const each of [
    'leader',
    'leading',
    'leader',
    'lost',
    'leader',
    'leading',
    'lost',
    'leading',
    'lost',
    'leading',
  ] as const) {
    turns.emit(
      each === 'leader'
        ? { type: 'leader', identity: 'x' }
        : each === 'lost'
          ? { type: 'lost', reason: 'taken' }
          : { type: 'leading' },
    );
  }
  running.unsubscribe();
  t.strictSame(seen, [
    'leader',
    'leading',
    'work 1',
    'leader',
    'let go',
    'lost',
    'leader',
    'leading',
    'work 2',
    'let go',
    'lost',
    'leading',
    'lost',
    'leading',
    'work 4',
    'let go',
  ]);
  t.equal(turns.subscribers, 0);
  await t.rejects(
    lastValueFrom(
      whileLeading(
        of<Leadership>({ type: 'leading' }),
        () => new Observable((subscriber) => subscriber.error(new Error('broken'))),
      ),
      { defaultValue: undefined },
    ),
    { message: 'broken' },
  );
});

const rules: ElectionRules = {
  lease: place,
  identity: 'me',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
  releaseOnCancel: true,
};

/** A lease of a few holders and states, so that the same comes again. */
const someLease = fc
  .record({
    holderIdentity: fc.constantFrom('me', 'you', 'they', ''),
    renewTime: fc.constantFrom('a', 'b'),
    leaseDurationSeconds: fc.constantFrom(0, 1, 15),
  })
  .map((spec) => ({
    metadata: { ...place, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
  }));
const ref = { group: 'coordination.k8s.io', resource: 'leases', name: place.name };
const someEvent: fc.Arbitrary<ElectionEvent> = fc.oneof(
  fc.record({ type: fc.constant('read' as const), lease: fc.option(someLease, { nil: undefined }) }),
  fc.record({
    type: fc.constant('written' as const),
    lease: someLease,
    requestedAtMs: fc.integer({ min: start - 20_000, max: start + 1_000 }),
  }),
  fc.record({
    type: fc.constant('failed' as const),
    error: fc.constantFrom(new Error('x'), conflict(ref), notFound(ref), alreadyExists(ref), internalError('z')),
  }),
  fc.record({ type: fc.constantFrom('waited' as const, 'ran-out' as const, 'stop' as const, 'released' as const) }),
);

t.test(
  'for any events: a leader has a deadline, turns alternate, and the lease of another is not written before it has expired',
  async (t) => {
    const property = fc.property(
      fc.array(fc.tuple(someEvent, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 60 }),
      (events) => {
        let was: Election = initialElection;
        let leads = false;
        for (const [event, chance] of events) {
          const { state, emitted: tell }: ReturnType<typeof electionStep> = electionStep(was, event, rules, {
            nowMs: start,
            chance,
          });
          for (const each of tell) {
            if (each.type === 'leading' || each.type === 'lost') {
              if (leads === (each.type === 'leading')) throw new Error(`${each.type} is emitted twice`);
              leads = !leads;
            }
            if (each.type === 'leader' && each.identity === was.leader) throw new Error('the leader is emitted twice');
          }
          if (leads !== (state.state === 'leading')) throw new Error('the emitted state differs from the state');
          if (
            state.state === 'leading' &&
            !(state.countdown !== undefined && state.countdown.ms > 0 && state.countdown.ms <= rules.renewDeadlineMs)
          )
            throw new Error('who leads has no deadline');
          const waitedMs =
            event.type === 'written' && state.countdown !== was.countdown
              ? Math.max(0, start - event.requestedAtMs)
              : 0;
          if (state.state === 'leading' && waitedMs + (state.countdown?.ms ?? 0) > rules.renewDeadlineMs)
            throw new Error('the deadline counts from when it was answered');
          if ((state.state === 'over') !== (state.action.do === 'nothing'))
            throw new Error('who stands for election does something');
          if (state.action.do === 'update' && state.action !== was.action) {
            const { holderIdentity, leaseDurationSeconds } = state.lease?.spec ?? {};
            const isOthers = holderIdentity === 'you' || holderIdentity === 'they';
            if (isOthers && leaseDurationSeconds !== 0 && !(was.state === 'candidate' && was.isExpired))
              throw new Error('a lease is taken that is not over');
          }
          if (state.action.do === 'wait' && (state.action.ms < 2_000 || state.action.ms > 4_400))
            throw new Error(`waits for ${state.action.ms}`);
          was = state;
        }
      },
    );
    fc.assert(property, { numRuns: runs(5_000) });
    t.pass();
  },
);

interface Fault {
  /** How long it is on its way to the server, and back. */
  readonly thereMs: number;
  readonly backMs: number;
  readonly fate: 'arrives' | 'lost there' | 'lost back';
}

const someFault: fc.Arbitrary<Fault> = fc.record({
  thereMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
  ),
  backMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
  ),
  fate: fc.oneof(
    { weight: 6, arbitrary: fc.constant('arrives' as const) },
    { weight: 1, arbitrary: fc.constantFrom('lost there' as const, 'lost back' as const) },
  ),
});

/** A connection on which aborted requests still arrive. */
function faulty(clock: VirtualClock, faults: readonly Fault[]): (handler: Handler) => Handler {
  let count = 0;
  const passed = (ms: number): Promise<unknown> => lastValueFrom(clock.timer(ms), { defaultValue: 0 });
  return (handler) => async (request) => {
    const { thereMs, backMs, fate } = faults[count++] ?? { thereMs: 1, backMs: 1, fate: 'arrives' };
    await passed(thereMs);
    if (fate === 'lost there') throw new Error('lost');
    const answer = await handler(unsignalled(request));
    await passed(backMs);
    if (fate === 'lost back') throw new Error('lost');
    return answer;
  };
}

function unsignalled(request: ApiRequest): ApiRequest {
  const { info, user } = request;
  return {
    info,
    ...(user && { user }),
    header: (name) => request.header(name),
    options: () => request.options(),
    body: () => request.body(),
    negotiate: (offer) => request.negotiate(offer),
  };
}

t.test(
  'however late requests are and whichever are lost, two candidates never lead, and eventually one does',
  async (t) => {
    const candidates = fc.array(
      fc.record({
        faults: fc.array(someFault, { maxLength: 40 }),
        beginsMs: fc.integer({ min: 0, max: 20_000 }),
        endsMs: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: undefined }),
        releases: fc.boolean(),
      }),
      { minLength: 2, maxLength: 4 },
    );
    let handovers = 0;
    const property = fc.asyncProperty(candidates, fc.constantFrom(10_500, 15_000), async (all, leaseDurationMs) => {
      const clock = virtualClock({ start });
      const store = memoryStore({ clock });
      const server = createServer({ store, clock, random: random(1) });
      const working = new Set<number>();
      let mostAtOnce = 0;
      const standing = all.map(({ faults, releases }, index) => {
        const client = inProcessClient(faulty(clock, faults)(server.handler));
        const election$ = leaderElection({
          client,
          clock,
          random: random(index),
          lease: place,
          identity: `candidate-${index}`,
          leaseDurationMs,
          releaseOnCancel: releases,
        });
        const work$ = new Observable<never>(() => {
          working.add(index);
          mostAtOnce = Math.max(mostAtOnce, working.size);
          handovers += 1;
          return () => working.delete(index);
        });
        return whileLeading(election$, () => work$);
      });
      const running = new Map<number, Subscription>();
      // The first candidate stays, so that one can lead at the end.
      const times = all.flatMap(({ beginsMs, endsMs }, index) => [
        { atMs: beginsMs, act: () => running.set(index, observe(standing[index] ?? EMPTY)) },
        ...(index === 0 || endsMs === undefined
          ? []
          : [{ atMs: beginsMs + endsMs, act: () => running.get(index)?.unsubscribe() }]),
      ]);
      for (const { atMs, act } of times.sort((one, other) => one.atMs - other.atMs)) {
        await clock.advanceTo(start + atMs);
        act();
      }
      // In the worst case every request takes half the deadline; then requests succeed, and the remaining lease
      // expires.
      await clock.advance(40 * 5_000 + 40 * 4_400 + 60_000);
      const leading = working.size;
      for (const each of running.values()) each.unsubscribe();
      await clock.advance('2m');
      const left = clock.pending;
      await server.close();
      await store.close();
      if (mostAtOnce > 1) throw new Error('two lead at a time');
      if (leading !== 1) throw new Error('no candidate leads at the end');
      if (left > 0 || working.size > 0) throw new Error('something is left');
    });
    await fc.assert(property, { numRuns: runs(60) });
    t.ok(handovers >= seenAtLeast(100), `${handovers} terms`);
  },
);
