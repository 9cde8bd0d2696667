// The SQLite store under kill -9: again and again a process that writes to one file is killed at a random moment, be it
// while it opens, commits, checkpoints or compacts. After each kill every commit that was answered is there, nothing is
// torn, no revision is missing, and a watch that goes on where the last one ended hears exactly what was missed.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, takeWhile, toArray } from 'rxjs';
import t from 'tap';
import { random, systemClock, type JsonObject, type Random } from '../../lib/core/index.js';
import { sqliteStore, type SqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import type { Batch, Change } from '../../lib/storage/store.js';
import { bundledProgram } from '../support/bundled-program.js';
import { startChild, type Child } from '../support/child-process.js';
import { isLongRun, seed } from '../support/properties.js';
import { WatchedHistory, type Acknowledged } from '../support/watched-history.js';
import { sql } from '../support/sql.js';
import type { ChildOrder, ChildReport } from '../support/sqlite-child.js';

const kills = isLongRun ? 200 : 25;
const clock = systemClock();
const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
const program = await bundledProgram('test/support/sqlite-child.ts');

t.test(`a store survives ${kills} kills at random moments (seed ${seed})`, async (t) => {
  const chance = random(seed);
  const path = join(t.testdir({}), 'store.db');
  const seen = new WatchedHistory();
  const moments = { opening: 0, writing: 0 };
  let answered = 0;
  // Started ahead, so that the next one is ready while the last one's work is looked at.
  let next = startChild(program);
  for (let kill = 0; kill < kills; kill++) {
    const child = next;
    const order: ChildOrder = {
      path,
      worker: worker.href,
      task: 'write',
      seed: seed + kill,
      compactable: Math.max(0, seen.revision - 50),
      // Closing copies the write-ahead log into the file, which is a good moment too.
      closeAfterMs: chance.next() < 0.3 ? chance.integer(60) : undefined,
    };
    const reports = await runAndKill(child, order, momentOf(chance));
    next = startChild(program);
    moments[reports.length === 0 ? 'opening' : 'writing'] += 1;
    const store = await sqliteStore({ path, worker });
    const missed = await missedBatches(store, seen.revision);
    const complaint = seen.apply(missed, reports) ?? (await seen.compare(store));
    await store.close();
    if (complaint !== undefined) t.fail(`after kill ${kill}: ${complaint}`);
    answered += reports.length;
    if (!t.passing()) break;
  }
  next.kill();
  await next.ended;
  t.comment(
    `${answered} commits answered, ${seen.revision} revisions, killed while opening ${moments.opening} times, file of ${Math.round(statSync(path).size / 1024)} KiB`,
  );
  t.ok(moments.writing > kills / 4, 'while writing');
  if (isLongRun) t.ok(moments.opening > 0, 'and while opening');
  t.ok(answered > kills, 'there was something to lose');
  t.strictSame(
    sql(path, 'PRAGMA integrity_check'),
    [{ integrity_check: 'ok' }],
    'SQLite finds nothing wrong with the file',
  );
});

t.test('the checks behind it can fail', async (t) => {
  const value = (id: string, ...puts: string[]): JsonObject => ({ id, puts });
  const put = (revision: number, key: string, content: JsonObject): Change => ({
    type: 'put',
    key,
    entry: { key, value: content, createRevision: revision, modRevision: revision },
    previous: undefined,
  });
  const whole: Batch = {
    revision: 2,
    changes: [put(2, '/a', value('1', '/a', '/b')), put(2, '/b', value('1', '/a', '/b'))],
  };
  t.equal(new WatchedHistory().apply([whole], [{ revision: 2, id: '1' }]), undefined, 'a whole history passes');
  t.match(new WatchedHistory().apply([{ ...whole, revision: 3 }], []), /delivered after 1/);
  t.match(new WatchedHistory().apply([whole, whole], []), /delivered after 2/);
  t.match(new WatchedHistory().apply([{ revision: 2, changes: whole.changes.slice(1) }], []), /torn/);
  t.match(
    new WatchedHistory().apply(
      [{ revision: 2, changes: [put(2, '/a', value('1', '/a', '/b')), put(2, '/b', value('2', '/a', '/b'))] }],
      [],
    ),
    /torn/,
  );
  t.match(new WatchedHistory().apply([whole], [{ revision: 2, id: '2' }]), /where there is 1/);
  t.match(new WatchedHistory().apply([], [{ revision: 2, id: '1' }]), /where there is nothing/);
  t.match(
    new WatchedHistory().apply([whole, { revision: 3, changes: [put(3, '/a', value('2', '/a'))] }], []),
    /replaced something else/,
  );
});

t.test('a lock dies with its process, and no sooner', async (t) => {
  const path = join(t.testdir({}), 'store.db');
  const holder = startChild(program);
  holder.tell({ path, worker: worker.href, task: 'hold' } satisfies ChildOrder);
  while (holder.lines.length === 0) await holder.heard();
  await t.rejects(sqliteStore({ path, worker }), { code: 'locked', message: /store\.db: the file is open elsewhere/ });
  holder.kill();
  await holder.ended;
  const store = await sqliteStore({ path, worker });
  await store.commit({ put: [{ key: '/a', value: {} }] });
  const other = startChild(program);
  other.tell({ path, worker: worker.href, task: 'hold' } satisfies ChildOrder);
  t.equal(await other.ended, 1, 'another process is refused while the store is open');
  t.strictSame(other.lines, ['{"refused":"locked"}']);
  t.equal((await store.get('/a')).revision, 2, 'and does it no harm');
  await store.close();
});

t.test('a process that closed its store ends by itself', async (t) => {
  const path = join(t.testdir({}), 'store.db');
  const child = startChild(program);
  child.tell({ path, worker: worker.href, task: 'close' } satisfies ChildOrder);
  t.equal(await child.ended, 0);
  t.throws(() => statSync(`${path}-wal`), { code: 'ENOENT' }, 'everything is in the one file');
  const store = await sqliteStore({ path, worker });
  t.match((await store.get('/child')).entry, { value: { closed: true } });
  await store.close();
});

/** Mostly while it writes, often soon after it began, sometimes before it is even open. */
function momentOf(chance: Random): Moment {
  if (chance.next() < 0.15) return { lines: 0, ms: chance.integer(80) };
  return { lines: chance.next() < 0.6 ? 2 : 1, ms: Math.floor(chance.next() ** 2 * 150) };
}

interface Moment {
  /** The lines that the child has to print first: one when the store is open, one more for each commit. */
  readonly lines: number;
  readonly ms: number;
}

async function runAndKill(child: Child, order: ChildOrder, when: Moment): Promise<Acknowledged[]> {
  child.tell(order);
  const over = child.ended.then(() => 'over' as const);
  while (child.lines.length < when.lines) if ((await Promise.race([child.heard(), over])) === 'over') break;
  await firstValueFrom(clock.timer(when.ms), { defaultValue: 0 });
  child.kill();
  await child.ended;
  // The last line may be cut off.
  return child.lines.flatMap((line) => {
    const report = line.endsWith('}') ? (JSON.parse(line) as ChildReport) : { opened: true };
    return 'revision' in report ? [report] : [];
  });
}

async function missedBatches(store: SqliteStore, after: number): Promise<Batch[]> {
  const newest = await store.revision();
  if (newest <= after) return [];
  return await lastValueFrom(
    store.watch('', { after }).pipe(
      takeWhile(({ revision }) => revision < newest, true),
      toArray(),
    ),
    { defaultValue: [] },
  );
}
