// The recorder of Events: what is written, counted, combined and dropped, and what happens when the server does not
// respond.
import t from 'tap';
import type { Test } from 'tap';
import { ConnectionError, eventName, eventRecorder, inProcessClient } from '../../lib/client/index.js';
import { EventCorrelation } from '../../lib/client/events/event-correlation.js';
import type { Client, EventFailed, EventDetails, EventRecorder } from '../../lib/client/index.js';
import { random, virtualClock } from '../../lib/core/index.js';
import type { VirtualClock, Handler } from '../../lib/core/index.js';
import type { Event } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';

interface Recording {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly failures: readonly EventFailed[];
  /** Requests that came to the server. */
  readonly requests: string[];
  /** True while the server is unreachable. */
  away: boolean;
  events(): Promise<readonly Event[]>;
  stop(): void;
}

async function recording(t: Test): Promise<Recording> {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(1) });
  const requests: string[] = [];
  const handler: Handler = (request) => {
    requests.push(request.info.verb);
    return made.away ? Promise.reject(new ConnectionError('unreachable')) : server.handler(request);
  };
  const recorder = eventRecorder({ client: inProcessClient(handler), clock, random: random(2), component: 'tester' });
  const failures: EventFailed[] = [];
  const running = observe(recorder.run(), (failed) => failures.push(failed));
  const client = inProcessClient(server.handler);
  const made: Recording = {
    clock,
    client,
    recorder,
    failures,
    requests,
    away: false,
    events: async () => (await client.kind('v1', 'Event').list()).items as readonly Event[],
    stop: () => running.unsubscribe(),
  };
  t.teardown(async () => {
    running.unsubscribe();
    await server.close();
    await store.close();
    await clock.settled();
    if (clock.pending > 0) throw new Error('timers are left behind');
  });
  await clock.settled();
  return made;
}

const about = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  namespace: 'default',
  name: 'c',
  uid: 'u',
  resourceVersion: '7',
};
const note = (message: string, more: Partial<EventDetails> = {}): EventDetails => ({
  regarding: about,
  type: 'Normal',
  reason: 'Waiting',
  message,
  ...more,
});

t.test('a repeated Event increases its count', async (t) => {
  const { recorder, clock, events, requests } = await recording(t);
  recorder.record(note('for a volume'));
  await clock.advance(60_000);
  recorder.record(note('for a volume', { regarding: { ...about, resourceVersion: '8' } }));
  recorder.record(note('for a pod'));
  recorder.record(note('for a volume', { reason: 'Other' }));
  recorder.record(note('for a volume', { regarding: { ...about, fieldPath: 'spec' } }));
  await clock.settled();
  const [first, ...others] = await events();
  t.match(first, {
    metadata: { namespace: 'default', name: /^c\.[0-9a-f]+$/ },
    involvedObject: about,
    type: 'Normal',
    reason: 'Waiting',
    message: 'for a volume',
    count: 2,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:01:00Z',
    source: { component: 'tester' },
    reportingComponent: 'tester',
  });
  t.strictSame(
    others.map(({ reason, message, count }) => [reason, message, count]),
    [
      ['Waiting', 'for a pod', 1],
      ['Other', 'for a volume', 1],
      ['Waiting', 'for a volume', 1],
    ],
  );
  t.strictSame(requests, ['create', 'patch', 'create', 'create', 'create']);
});

t.test('a repeated Event whose object was deleted is created again', async (t) => {
  const { recorder, clock, events } = await recording(t);
  recorder.record(note('still here'));
  await clock.advance(2 * 3_600_000);
  t.strictSame(await events(), []);
  recorder.record(note('still here'));
  await clock.settled();
  t.match(await events(), [{ count: 2, firstTimestamp: '2026-01-01T00:00:00Z' }]);
});

t.test('many Events that differ only in their message are combined', async (t) => {
  const { recorder, clock, events } = await recording(t);
  for (let each = 1; each <= 12; each += 1) recorder.record(note(`pod ${each}`));
  await clock.settled();
  t.strictSame(
    (await events()).map(({ message, count }) => [message, count]),
    [...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((each) => [`pod ${each}`, 1]), ['(combined from similar events): pod 12', 3]],
  );
  await clock.advance(11 * 60_000);
  recorder.record(note('pod 13'));
  await clock.settled();
  t.equal((await events()).at(-1)?.message, 'pod 13', 'until it has been quiet for a while');
});

t.test('which Events are combined', async (t) => {
  const minute = 60_000;
  /** What becomes of messages, each so long after the one before. */
  const messagesOf = (
    notes: readonly (readonly [afterMs: number, message: string, more?: Partial<EventDetails>])[],
  ): readonly (string | undefined)[] => {
    const correlation = new EventCorrelation();
    let nowMs = 0;
    return notes.map(
      ([afterMs, message, more]) => correlation.add(note(message, more), (nowMs += afterMs), () => 'name')?.message,
    );
  };
  const nine = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((message) => [0, message] as const);
  t.equal(messagesOf([...nine, [0, '10', { type: 'Warning' }]]).at(-1), '10', 'not those of another type');
  t.equal(messagesOf([...nine, [0, '10', { reason: 'Other' }]]).at(-1), '10', 'nor those with another reason');
  t.equal(
    messagesOf([...nine, [0, '10', { regarding: { ...about, fieldPath: 'spec' } }]]).at(-1),
    '(combined from similar events): 10',
    'but those of all parts of an object',
  );
  t.equal(messagesOf([...nine, [10 * minute, '10']]).at(-1), '(combined from similar events): 10');
  t.equal(messagesOf([...nine, [10 * minute + 1, '10']]).at(-1), '10', 'not those that come too late');
  t.equal(
    messagesOf(nine.map(([, message]) => [6 * minute, message] as const).concat([[6 * minute, '10']])).at(-1),
    '(combined from similar events): 10',
    'but those that never cease',
  );
  t.strictSame(
    messagesOf([...nine, [0, '10'], [0, '5'], [0, '1']]).slice(-3),
    ['(combined from similar events): 10', '5', '(combined from similar events): 1'],
    'what was said lately is said as it is',
  );
});

t.test('the rate limit of Events about one object', async (t) => {
  const correlation = new EventCorrelation();
  const said = (nowMs: number, more: Partial<EventDetails> = {}): boolean =>
    correlation.add(note('again', more), nowMs, () => 'name') !== undefined;
  t.equal(Array.from({ length: 30 }, () => said(0)).filter(Boolean).length, 25);
  t.ok(said(0, { type: 'Warning' }), 'of each type as much');
  t.notOk(said(0, { regarding: { ...about, fieldPath: 'spec' } }), 'of all its parts together');
  t.notOk(said(299_999));
  t.ok(said(300_000));
  t.notOk(said(300_000));
});

t.test('most Events about one object are dropped beyond the rate limit', async (t) => {
  const { recorder, clock, events, requests } = await recording(t);
  for (let each = 1; each <= 40; each += 1) recorder.record(note('again'));
  recorder.record(note('again', { regarding: { ...about, uid: 'another' } }));
  await clock.settled();
  t.strictSame(
    (await events()).map(({ count }) => count),
    [25, 1],
  );
  await clock.advance(5 * 60_000);
  recorder.record(note('again'));
  await clock.settled();
  t.equal((await events())[0]?.count, 41, 'one more every five minutes, and it knows how many there were');
  t.equal(requests.length, 27);
});

t.test('an Event about a cluster-scoped object is in the namespace default', async (t) => {
  const { recorder, clock, events } = await recording(t);
  recorder.record(note('here', { regarding: { apiVersion: 'v1', kind: 'PersistentVolume', name: 'v', uid: 'u' } }));
  await clock.settled();
  t.match(await events(), [{ metadata: { namespace: 'default' }, involvedObject: { kind: 'PersistentVolume' } }]);
});

t.test('refused Events are emitted as failures, and undelivered ones are retried', async (t) => {
  const r = await recording(t);
  r.recorder.record(note('nowhere', { regarding: { ...about, namespace: 'No_Name' } }));
  await r.clock.settled();
  t.match(r.failures, [{ details: { message: 'nowhere' }, error: { message: /is invalid/ } }]);
  t.equal(r.requests.length, 1, 'once');
  r.away = true;
  r.recorder.record(note('later'));
  r.recorder.record(note('after it'));
  await r.clock.advance(25_000);
  r.away = false;
  await r.clock.advance(10_000);
  t.strictSame(
    (await r.events()).map(({ message }) => message),
    ['later', 'after it'],
    'in their order',
  );
  r.away = true;
  r.recorder.record(note('never'));
  await r.clock.advance(130_000);
  t.match(r.failures.at(-1), { details: { message: 'never' } });
  r.recorder.record(note('when it stops'));
  await r.clock.advance(1);
  r.stop();
});

t.test('Events beyond the queue limit are dropped', async (t) => {
  const { recorder, clock, requests } = await recording(t);
  for (let each = 1; each <= 1500; each += 1)
    recorder.record(note('again', { regarding: { ...about, uid: `${each}` } }));
  await clock.settled();
  t.equal(requests.length, 1000);
});

t.test('the names of Events are unique', async (t) => {
  const at = { nowMs: 1_700_000_000_000, sequence: 5, otherName: () => 'drawn' };
  t.equal(eventName('web', at), 'web.17979cfe362a0005');
  t.equal(eventName('x'.repeat(250), at), 'drawn', 'also where the name of the object is too long');
});
