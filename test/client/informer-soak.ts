// An hour of an informer on virtual time with a bad connection: watches end or break every few seconds, requests fail,
// revisions expire (the store is compacted), events are read slowly. At every quiet point the cache equals the store;
// no event is lost, none is repeated, and nothing accumulates.
import { concatMap, filter, merge, mergeMap, of, take, takeUntil, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import t from 'tap';
import { inProcessClient, informers } from '../../lib/client/index.js';
import type { Stored } from '../../lib/client/index.js';
import { internalError, objectKey, random, serviceUnavailable, virtualClock } from '../../lib/core/index.js';
import type { ApiResponse, Handler, WatcherEvent } from '../../lib/core/index.js';
import type { ConfigMap } from '../../lib/core/types/index.js';
import { createServer } from '../../lib/server/index.js';
import { memoryStore } from '../../lib/storage/index.js';
import { observe } from '../support/observe.js';
import { isLongRun, seed as firstSeed } from '../support/properties.js';

/** What one run came to. */
interface Soak {
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly history: string;
}

async function soak(seed: number, minutes: number): Promise<Soak> {
  const clock = virtualClock();
  const store = memoryStore({ clock });
  const server = createServer({ store, clock, random: random(seed) });
  const chance = random(seed).stream('soak');
  const counts = { cut: 0, failed: 0, expired: 0, relisted: 0, applied: 0, deleted: 0, writes: 0 };
  const problems: string[] = [];
  const history: string[] = [];
  let isBad = true;

  /** Reads slowly, and ends or breaks after a few seconds. */
  const bad = <T>(events$: Observable<T>): Observable<T> => {
    const slow$ = events$.pipe(
      concatMap((event) => (isBad && chance.integer(4) === 0 ? delayed(event, chance.integer(3_000)) : of(event))),
    );
    const end$ = clock.interval(500 + chance.integer(7_000)).pipe(
      filter(() => isBad),
      take(1),
      tap(() => (counts.cut += 1)),
    );
    if (chance.integer(2) === 0) return slow$.pipe(takeUntil(end$));
    return merge(slow$, end$.pipe(mergeMap(() => throwError(() => new Error('connection reset')))));
  };
  const delayed = <T>(event: T, ms: number): Observable<T> => clock.timer(ms).pipe(mergeMap(() => of(event)));
  const handler: Handler = async (request): Promise<ApiResponse> => {
    if (isBad && chance.integer(6) === 0) {
      counts.failed += 1;
      throw chance.integer(2) === 0 ? serviceUnavailable('try again') : internalError(new Error('broken'));
    }
    const response = await server.handler(request);
    return response.type === 'watch' ? { ...response, events: bad(response.events) } : response;
  };

  const reliable = inProcessClient(server.handler).kind('v1', 'ConfigMap').in('default');
  const informer = informers(inProcessClient(handler), { clock, random: random(seed).stream('informers') }).kind(
    'v1',
    'ConfigMap',
    { namespace: 'default' },
  );
  /** What a subscriber knows by events alone. */
  const known = new Map<string, Stored<ConfigMap>>();
  let listing: Set<string> | undefined;
  const absorb = (event: WatcherEvent<Stored<ConfigMap>>): void => {
    if (event.type === 'init') {
      counts.relisted += 1;
      listing = new Set();
    } else if (event.type === 'synced') listing = undefined;
    else if (event.type === 'failed') counts.expired += Number(String(event.error).includes('too old'));
    else if ('object' in event) {
      const { object, type } = event;
      const key = objectKey(object);
      const before = known.get(key);
      history.push(`${type} ${key} ${object.metadata.resourceVersion}`);
      if (type === 'deleted') {
        counts.deleted += 1;
        if (before === undefined) problems.push(`${key} is deleted twice`);
        known.delete(key);
        return;
      }
      if (listing?.has(key) === true) problems.push(`${key} is listed twice`);
      listing?.add(key);
      if (type === 'applied') {
        counts.applied += 1;
        const isNewer = Number(object.metadata.resourceVersion) > Number(before?.metadata.resourceVersion ?? 0);
        if (!isNewer) problems.push(`${key} ${object.metadata.resourceVersion} is applied again`);
      }
      known.set(key, object);
    }
  };
  const running = observe(informer.events$, absorb);

  /** One random write. */
  const write = async (): Promise<void> => {
    counts.writes += 1;
    const name = `m${chance.integer(40)}`;
    const found = await reliable.find(name);
    if (found === undefined) await reliable.create({ metadata: { name }, data: { n: String(counts.writes) } });
    else if (chance.integer(3) === 0) await reliable.delete(name);
    else await reliable.patch(name, { merge: { data: { n: String(counts.writes) } } });
  };
  const versions = (objects: Iterable<Stored<ConfigMap>>): string =>
    Array.from(objects, (object) => `${objectKey(object)} ${object.metadata.resourceVersion}`)
      .sort()
      .join();

  for (let minute = 0; minute < minutes; minute += 1) {
    isBad = true;
    for (let second = 0; second < 60; second += 1) {
      for (let count = chance.integer(4); count > 0; count -= 1) await write();
      await clock.advance(1_000);
    }
    if (chance.integer(4) === 0) {
      const revision = await store.revision();
      await store.compact(revision);
      server.compacted(revision);
    }
    // A quiet point: no writes, and time for the longest back-off and for a watch that is read slowly.
    isBad = false;
    await clock.advance(130_000);
    const { items } = await reliable.list();
    if (versions(informer.list()) !== versions(items)) problems.push(`minute ${minute}: the cache is not the store`);
    if (versions(known.values()) !== versions(items)) problems.push(`minute ${minute}: events do not add up to it`);
    if (clock.pending > 20) problems.push(`minute ${minute}: ${clock.pending} timers`);
  }
  running.unsubscribe();
  await clock.advance('1m');
  if (informer.list().length > 0) problems.push('an informer without subscribers holds objects');
  await server.close();
  await store.close();
  if (clock.pending > 0) problems.push(`${clock.pending} timers are left`);
  return { problems, counts, history: history.join('\n') };
}

t.test('an informer with a bad connection loses and repeats nothing', async (t) => {
  const rounds = isLongRun ? 2 : 1;
  const minutes = isLongRun ? 60 : 15;
  for (let round = 0; round < rounds; round += 1) {
    const { problems, counts, history } = await soak(firstSeed + round, minutes);
    t.strictSame(problems.slice(0, 5), [], `seed ${firstSeed + round}: ${JSON.stringify(counts)}`);
    for (const [what, count] of Object.entries(counts)) t.ok(count > 0, `${what}: ${count}`);
    if (round === 0) t.equal((await soak(firstSeed, minutes)).history, history, 'the same events again');
  }
});
