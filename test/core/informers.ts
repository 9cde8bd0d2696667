// Informers: one watch for any number of subscribers, a consistent list for those that come late, nothing left behind
// when the last one leaves. And background work that begins on demand.
import { EMPTY, NEVER, Observable, Subject, concat, of, take, throwError } from 'rxjs';
import type { Subscription } from 'rxjs';
import t from 'tap';
import { informer, InformerPool } from '../../lib/core/streams/informer.js';
import { onDemand } from '../../lib/core/streams/on-demand.js';
import { applied, deleted, type WatcherEvent } from '../../lib/core/streams/watch-event.js';
import { watcher } from '../../lib/core/streams/watcher.js';
import { random } from '../../lib/core/time/random.js';
import { virtualClock } from '../../lib/core/time/virtual-clock.js';
import { FlakyCollection, type Thing } from '../support/flaky-collection.js';
import { observe } from '../support/observe.js';

const thing = (name: string, revision: number, colour = 'red'): Thing => ({
  metadata: { name, namespace: 'default', resourceVersion: `${revision}` },
  colour,
});
const init = { type: 'init' } as const;
const synced = (revision: number): WatcherEvent<Thing> => ({ type: 'synced', resourceVersion: `${revision}` });
const listed = (object: Thing): WatcherEvent<Thing> => ({ type: 'listed', object });
const put = (object: Thing): WatcherEvent<Thing> => ({ type: 'applied', object });
const gone = (object: Thing): WatcherEvent<Thing> => ({ type: 'deleted', object, finalStateUnknown: false });

/** A source that a test feeds, and how many subscribe to it. */
function source(): {
  readonly source: Subject<WatcherEvent<Thing>>;
  readonly source$: Observable<WatcherEvent<Thing>>;
  open: number;
  opened: number;
} {
  const source = new Subject<WatcherEvent<Thing>>();
  const counted = {
    source,
    open: 0,
    opened: 0,
    source$: new Observable<WatcherEvent<Thing>>((subscriber) => {
      counted.open += 1;
      counted.opened += 1;
      const subscription = source.subscribe(subscriber);
      return () => {
        counted.open -= 1;
        subscription.unsubscribe();
      };
    }),
  };
  return counted;
}

/** What a subscriber received, in few words: `listed a@1`. */
const words = (event: WatcherEvent<Thing>): string =>
  'object' in event
    ? `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`
    : event.type;
function heard(events$: Observable<WatcherEvent<Thing>>): {
  readonly events: string[];
  readonly subscription: Subscription;
} {
  const events: string[] = [];
  return { events, subscription: observe(events$, (event) => events.push(words(event))) };
}

t.test('an informer', async (t) => {
  t.test('shares one watch, and stops it when the last subscriber leaves', async (t) => {
    const counted = source();
    const things = informer(counted.source$);
    t.equal(counted.opened, 0, 'creating it has no effect');
    const [one, other] = [heard(things.events$), heard(things.events$)];
    t.same([counted.opened, counted.open], [1, 1]);
    for (const event of [init, listed(thing('a', 1)), synced(1), put(thing('b', 2))]) counted.source.next(event);
    t.same(one.events, ['init', 'listed a@1', 'synced', 'applied b@2']);
    t.same(other.events, one.events);
    await things.ready;
    t.equal(things.resourceVersion, '2');
    one.subscription.unsubscribe();
    t.equal(counted.open, 1);
    other.subscription.unsubscribe();
    t.equal(counted.open, 0);
    t.same([things.list(), things.resourceVersion], [[], undefined], 'nothing is kept that nothing updates');
    const again = heard(things.events$);
    t.same([counted.opened, again.events], [2, []], 'the next subscriber lists anew');
    let isReady = false;
    void things.ready.then(() => (isReady = true));
    await Promise.resolve();
    t.notOk(isReady);
    for (const event of [init, synced(7)]) counted.source.next(event);
    await things.ready;
    again.subscription.unsubscribe();
  });

  t.test('gives a late subscriber the list from its snapshot, in any state of the watch', async (t) => {
    const counted = source();
    const things = informer(counted.source$);
    const first = heard(things.events$);
    const join = (): readonly string[] => {
      const late = heard(things.events$);
      late.subscription.unsubscribe();
      return late.events;
    };
    t.same(join(), [], 'before anything happened');
    counted.source.next(init);
    counted.source.next(listed(thing('a', 1)));
    t.same(join(), ['init'], 'while the first list is under way');
    counted.source.next({ type: 'failed', error: 'down', retryInMs: 800 });
    t.same(join(), ['init', 'failed'], 'while it fails');
    for (const event of [init, listed(thing('a', 1)), listed(thing('b', 2)), synced(2)]) counted.source.next(event);
    for (const event of [put(thing('a', 3)), gone(thing('b', 4))]) counted.source.next(event);
    t.same(join(), ['init', 'listed a@3', 'synced']);
    counted.source.next(init);
    t.same(join(), ['init', 'listed a@3', 'synced', 'init'], 'while a new list is under way');
    const late = heard(things.events$);
    for (const event of [listed(thing('c', 5)), synced(5)]) counted.source.next(event);
    t.same(late.events.slice(4), ['deleted a@3', 'listed c@5', 'synced'], 'and then as everyone else');
    t.equal(counted.opened, 1, 'without a further watch');
    first.subscription.unsubscribe();
    late.subscription.unsubscribe();
  });

  t.test('delivers one event after the other, also to those who join or cause events during a delivery', async (t) => {
    const counted = source();
    const things = informer(counted.source$);
    let late: ReturnType<typeof heard> | undefined;
    const seen: string[] = [];
    const one = observe(things.events$, (event) => {
      seen.push(`${words(event)} of ${things.list().length}`);
      if (event.type !== 'applied' || late !== undefined) return;
      counted.source.next(put(thing('b', 3)));
      late = heard(things.events$);
      counted.source.next(put(thing('c', 4)));
      t.equal(things.list().length, 1, 'the snapshot shows what was delivered, and no more');
    });
    const other = heard(things.events$);
    for (const event of [init, synced(1), put(thing('a', 2))]) counted.source.next(event);
    t.same(seen.slice(2), ['applied a@2 of 1', 'applied b@3 of 2', 'applied c@4 of 3']);
    t.same(other.events, ['init', 'synced', 'applied a@2', 'applied b@3', 'applied c@4']);
    t.same(late?.events, ['init', 'listed a@2', 'listed b@3', 'synced', 'applied c@4'], 'each change once');
    for (const subscription of [one, other.subscription, late?.subscription]) subscription?.unsubscribe();
    t.equal(counted.open, 0);
  });

  t.test('adds the object that was replaced', async (t) => {
    const counted = source();
    const old: unknown[] = [];
    const subscription = observe(informer(counted.source$).events$, (event) => {
      if (event.type === 'applied' || event.type === 'listed') old.push(event.old?.metadata.resourceVersion);
    });
    for (const event of [init, listed(thing('a', 1)), synced(1), put(thing('a', 2)), put(thing('b', 3))])
      counted.source.next(event);
    for (const event of [init, listed(thing('a', 2)), synced(4)]) counted.source.next(event);
    t.same(old, [undefined, '1', undefined, '2']);
    subscription.unsubscribe();
  });

  t.test('shares indexes by function, and fills one that comes late', async (t) => {
    const counted = source();
    let calls = 0;
    const colourOf = ({ colour }: Thing): readonly string[] => {
      calls += 1;
      return [colour];
    };
    const things = informer(counted.source$);
    const byColour = things.indexedBy({ colour: colourOf });
    const subscription = observe(byColour.events$);
    for (const event of [init, listed(thing('a', 1)), listed(thing('b', 2, 'blue')), synced(2)])
      counted.source.next(event);
    const named = things.indexedBy({ shade: colourOf, colour: ({ metadata }) => [metadata.name] });
    t.equal(calls, 2, 'one index, whatever readers call it');
    t.same(byColour.by('colour', 'red'), [thing('a', 1)]);
    t.same(named.by('shade', 'blue'), [thing('b', 2, 'blue')]);
    t.same(named.by('colour', 'a'), [thing('a', 1)]);
    counted.source.next(put(thing('a', 3, 'blue')));
    t.same(named.by('shade', 'blue').length, 2);
    t.equal(things.list(), byColour.list(), 'one list, until something changes');
    subscription.unsubscribe();
  });

  t.test('passes on the end of its source, and an index function that throws', async (t) => {
    let ends = 0;
    informer(concat(of(init, synced(1)), EMPTY)).events$.subscribe({ complete: () => (ends += 1) });
    t.equal(ends, 1);
    const counted = source();
    const broken = informer(counted.source$).indexedBy({
      colour: () => {
        throw new Error('no colour');
      },
    });
    const errors: unknown[] = [];
    broken.events$.subscribe({ error: (error: unknown) => errors.push(error) });
    broken.events$.subscribe({ error: (error: unknown) => errors.push(error) });
    for (const event of [init, listed(thing('a', 1))]) counted.source.next(event);
    t.same(errors, [new Error('no colour'), new Error('no colour')]);
    t.equal(counted.open, 0);
    informer(throwError(() => new Error('down'))).events$.subscribe({ error: (error: unknown) => errors.push(error) });
    t.match(errors.at(-1), { message: 'down' });
  });

  t.test('lets a subscriber leave with its first event', async (t) => {
    const things = informer(concat(of(init, listed(thing('a', 1)), synced(1)), NEVER));
    const first = heard(things.events$.pipe(take(1)));
    t.same(first.events, ['init']);
    t.equal(things.resourceVersion, undefined, 'and the watch has stopped');
  });
});

t.test('a pool has one informer per key, whose source is opened with the watch', async (t) => {
  const pool = new InformerPool();
  let opened = 0;
  const open = (): Observable<WatcherEvent<Thing>> => {
    opened += 1;
    return NEVER;
  };
  t.equal(pool.get('a', open), pool.get('a', open));
  t.not(pool.get('b', open), pool.get('a', open));
  t.equal(opened, 0);
  for (const subscription of [observe(pool.get('a', open).events$), observe(pool.get('a', open).events$)])
    subscription.unsubscribe();
  t.equal(opened, 1);
});

t.test('subscribers of a flaky collection all end with the truth, whenever they joined', async (t) => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const clock = virtualClock({ start: 0 });
    const chance = random(seed);
    const collection = new FlakyCollection(clock, chance.stream('faults'));
    const script = chance.stream('script');
    const things = informer(watcher(collection, { clock, random: chance.stream('watcher'), pageSize: 3 }));
    const models: { readonly known: Map<string, Thing>; readonly subscription: Subscription }[] = [];
    const join = (): void => {
      const known = new Map<string, Thing>();
      let fresh = new Set<string>();
      const subscription = observe(things.events$, (event) => {
        if (event.type === 'init') fresh = new Set();
        if (event.type === 'listed') fresh.add(event.object.metadata.name);
        if (event.type === 'listed' || event.type === 'applied') known.set(event.object.metadata.name, event.object);
        if (event.type === 'deleted') known.delete(event.object.metadata.name);
        if (event.type === 'synced') t.same([...known.keys()].sort(), [...fresh].sort(), 'a list is complete');
      });
      models.push({ known, subscription });
    };
    join();
    for (let round = 0; round < 60; round += 1) {
      const name = `n${script.integer(6)}`;
      if (script.integer(3) === 0) collection.remove(name);
      else collection.put(name, script.pick(['red', 'blue']));
      if (script.integer(8) === 0) collection.compact();
      if (script.integer(6) === 0) join();
      if (script.integer(8) === 0 && models.length > 1) models.pop()?.subscription.unsubscribe();
      await clock.advance(script.integer(20_000));
    }
    collection.faulty = false;
    await clock.advance('1h');
    const truth = [...collection.state().values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const { known } of models)
      t.same(
        [...known.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
        truth,
      );
    t.equal(collection.openMax, 1, 'one call at a time');
    for (const { subscription } of models) subscription.unsubscribe();
    t.equal(collection.listeners, 0);
  }
});

t.test('events can be reduced to the objects that are there, or are gone', async (t) => {
  const events$ = of<WatcherEvent<Thing>[]>(
    init,
    listed(thing('a', 1)),
    synced(1),
    put(thing('b', 2)),
    gone(thing('a', 3)),
  );
  const names: string[] = [];
  observe(events$.pipe(applied()), ({ metadata }) => names.push(metadata.name));
  observe(events$.pipe(deleted()), ({ metadata }) => names.push(`-${metadata.name}`));
  t.same(names, ['a', 'b', '-a']);
});

t.test('work on demand', async (t) => {
  t.test('starts with the first demand, answers at once when ready, and ends with its owner', async (t) => {
    const [work, closed] = [new Subject<void>(), new Subject<void>()];
    const demand = onDemand(work, closed);
    t.notOk(work.observed);
    const [one, other] = [demand.whenReady(() => 1), demand.whenReady(() => Promise.resolve(2))];
    t.ok(work.observed);
    work.next();
    t.same([await one, await other], [1, 2]);
    t.ok(demand.isReady);
    t.equal(
      demand.whenReady(() => 3),
      3,
    );
    closed.next();
    t.notOk(work.observed);
    t.equal(
      demand.whenReady(() => 4),
      4,
    );
  });

  t.test('answers with what is known when it ends early, and starts anew after an error', async (t) => {
    t.equal(await onDemand(EMPTY, NEVER).whenReady(() => 1), 1);
    t.equal(await onDemand(NEVER, of(true)).whenReady(() => 1), 1);
    let work$: Observable<unknown> = throwError(() => new Error('broken'));
    const demand = onDemand(new Observable((subscriber) => work$.subscribe(subscriber)), NEVER);
    await t.rejects(Promise.resolve(demand.whenReady(() => 1)), { message: 'broken' });
    const later = new Subject<void>();
    work$ = later;
    const answer = demand.whenReady(() => 2);
    later.next();
    t.equal(await answer, 2);
    later.error(new Error('odd'));
    work$ = of(true);
    t.notOk(demand.isReady);
    t.equal(await demand.whenReady(() => 3), 3);
  });
});
