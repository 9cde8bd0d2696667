// What the SQLite store does with its file and its worker: locks, damage, space, backups, leases across restarts.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { lastValueFrom, take, toArray } from 'rxjs';
import t, { type Test } from 'tap';
import { isDeepFrozen, virtualClock } from '../../lib/core/index.js';
import { sqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../lib/storage/sqlite/sqlite-store.js';
import { WriteQueue } from '../../lib/storage/sqlite/write-queue.js';
import type { Batch, Put, Store } from '../../lib/storage/store.js';
import { isStoreError, type StoreErrorCode } from '../../lib/storage/store-error.js';
import type { ValueTransformer } from '../../lib/storage/transformer.js';
import { bundledProgram } from '../support/bundled-program.js';
import { sql } from '../support/sql.js';
import { fc, runs } from '../support/properties.js';

const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
const dyingWorker = await bundledProgram('test/support/dying-worker.ts');
const folder = t.testdir({});
let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);

/** Opens a store that is closed when the test has ended. */
async function open(t: Pick<Test, 'teardown'>, options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await sqliteStore({ path: newPath(), worker, ...options });
  t.teardown(() => store.close());
  return store;
}

async function refusal(call: Promise<unknown>): Promise<StoreErrorCode | 'accepted'> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (isStoreError(error)) return error.code;
    throw error;
  }
}

/** Puts that take about so many kilobytes each. */
const putsOf = (count: number, kilobytes: number, prefix = '/registry/pods/'): Put[] =>
  Array.from({ length: count }, (_, n) => ({
    key: `${prefix}${n}`,
    value: { n, padding: 'x'.repeat(kilobytes * 1000) },
  }));

const batchesOf = (store: Store, after: number, count: number): Promise<Batch[]> =>
  lastValueFrom(store.watch('', { after }).pipe(take(count), toArray()), { defaultValue: [] });

const kilobytesOf = (path: string): number => Math.round(statSync(path).size / 1000);

t.test('writers that arrive together share a transaction, and conflicts among them are decided in order', async (t) => {
  const path = newPath();
  const store = await open(t, { path });
  const before = transactionsIn(`${path}-wal`);
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      store.commit({
        compare: [{ key: `/race/${n % 3}`, modRevision: 0 }],
        put: [{ key: `/race/${n % 3}`, value: { n } }],
      }),
    ),
  );
  t.strictSame(
    outcomes.flatMap(({ committed }, n) => (committed ? [n] : [])),
    [0, 1, 2],
    'the first of each race wins',
  );
  const together = transactionsIn(`${path}-wal`) - before;
  t.ok(together >= 1 && together <= 3, `300 commits, of which 3 wrote, took ${together} transactions of SQLite`);
  const writes = await Promise.all(
    Array.from({ length: 300 }, (_, n) => store.commit({ put: [{ key: `/all/${n}`, value: { n } }] })),
  );
  t.strictSame(
    writes.map(({ revision }) => revision),
    Array.from({ length: 300 }, (_, n) => 5 + n),
    'revisions in the order of the calls',
  );
  const shared = transactionsIn(`${path}-wal`) - before - together;
  t.ok(shared < 100, `300 commits took ${shared} transactions of SQLite`);
});

t.test('a file that another store of this process has open is locked, and free when that is closed', async (t) => {
  const path = newPath();
  const first = await sqliteStore({ path, worker });
  t.equal(await refusal(sqliteStore({ path, worker })), 'locked');
  await first.commit({ put: [{ key: '/a', value: {} }] });
  t.equal(await refusal(sqliteStore({ path, worker })), 'locked', 'refusing one does not free the file for the next');
  await first.close();
  const second = await open(t, { path });
  t.equal(await second.revision(), 2);
});

t.test('what is no path of a file is refused', async (t) => {
  for (const path of [
    ':memory:',
    '',
    'file:store.db',
    'FILE:/tmp/store.db?mode=memory',
    'store\0.db',
    7,
    undefined,
    new URL('file:///tmp/store.db'),
  ]) {
    const options = { path: 'store.db', worker };
    Reflect.set(options, 'path', path);
    t.equal(await refusal(sqliteStore(options)), 'invalid', String(path));
  }
  t.equal(await refusal(sqliteStore({ path: newPath(), worker, bytesMax: Number.NaN })), 'invalid');
  t.equal(
    await refusal(sqliteStore({ path: join(folder, 'no', 'such', 'folder.db'), worker })),
    'unavailable',
    'folders are not made',
  );
  t.equal(await refusal(sqliteStore({ path: folder, worker })), 'unavailable', 'a folder is no file');
});

t.test('only its owner may read the file', async (t) => {
  const path = newPath();
  const store = await open(t, { path });
  await store.commit({ put: [{ key: '/registry/secrets/a', value: {} }] });
  await store.backup(`${path}.copy`);
  for (const file of [path, `${path}-wal`, `${path}.copy`]) t.equal(statSync(file).mode & 0o777, 0o600, file);
});

t.test('a file that is not ours is refused and left alone', async (t) => {
  const text = newPath();
  writeFileSync(text, 'not a database, but long enough to be looked at as one'.repeat(100));
  t.equal(await refusal(sqliteStore({ path: text, worker })), 'corrupt');

  const foreign = newPath();
  sql(foreign, 'CREATE TABLE notes (text)', 'PRAGMA application_id = 1');
  const before = readFileSync(foreign);
  t.equal(await refusal(sqliteStore({ path: foreign, worker })), 'invalid', 'a database of another program');
  t.ok(before.equals(readFileSync(foreign)), 'not a byte of it was changed');

  const later = newPath();
  await (await sqliteStore({ path: later, worker })).close();
  sql(later, 'PRAGMA user_version = 99');
  await t.rejects(sqliteStore({ path: later, worker }), { code: 'invalid', message: /later version/ });

  const empty = newPath();
  writeFileSync(empty, '');
  const store = await open(t, { path: empty });
  t.equal(await store.revision(), 1, 'an empty file is as good as none');
});

t.test('a file with a damaged page is refused by name, whichever page it is', async (t) => {
  const path = newPath();
  const store = await sqliteStore({ path, worker });
  for (let count = 0; count < 3; count++) await store.commit({ put: putsOf(40, 2) });
  await store.close();
  const bytes = readFileSync(path);
  const pages = bytes.length / 8192;
  t.ok(pages > 20, `${pages} pages`);
  // The first page has the header of the file, which other tests damage.
  for (let page = 1; page < pages; page++) {
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, page * 8192, (page + 1) * 8192);
    const copy = newPath();
    writeFileSync(copy, damaged);
    const opening = sqliteStore({ path: copy, worker });
    await t.rejects(opening, { code: 'corrupt', message: new RegExp(`${copy}: the file is damaged`) }, `page ${page}`);
    t.ok(damaged.equals(readFileSync(copy)), 'it is left as it was');
  }
});

t.test('what is left of a damaged file can be read without the check', async (t) => {
  const path = newPath();
  const store = await sqliteStore({ path, worker });
  for (let count = 0; count < 5; count++) await store.commit({ put: putsOf(40, 2) });
  await store.close();
  const bytes = readFileSync(path);
  // Neither the first pages, which say what is where, nor the last, which have the newest revision.
  bytes.fill(0xa5, 8192 * 12, bytes.length - 8192 * 3);
  writeFileSync(path, bytes);
  const damaged = await open(t, { path, check: false });
  t.equal(await refusal(damaged.list('')), 'corrupt');
  t.equal(await refusal(batchesOf(damaged, 1, 5)), 'corrupt');
  t.equal(await damaged.revision(), 6, 'the rest is still of use');
});

t.test('a backup is the store as it was at a moment, made while writers go on', async (t) => {
  const path = newPath();
  const store = await open(t, { path });
  for (let count = 0; count < 10; count++)
    await store.commit({ put: putsOf(100, 1), delete: [`/registry/pods/gone-${count}`] });
  const lease = await store.grantLease(60_000);
  await store.commit({ put: [{ key: '/leased', value: {}, lease }], delete: ['/registry/pods/7'] });
  const target = newPath();
  const before = await store.revision();
  let writing = true;
  const writers = [1, 2, 3].map(async (writer) => {
    for (let count = 0; writing; count++)
      await store.commit({ put: [{ key: `/registry/pods/${(count * 3 + writer) % 150}`, value: { count } }] });
  });
  const backup = store.backup(target);
  const compaction = store.compact(5); // waits for the backup, or the copy would miss rows
  await backup;
  const after = await store.revision();
  writing = false;
  await Promise.all([...writers, compaction]);
  t.ok(after > before, 'writers were not held up');
  t.notOk(existsSync(`${target}.partial`), 'nothing is left beside it');

  const copy = await open(t, { path: target });
  const revision = await copy.revision();
  t.ok(
    revision >= before && revision <= after,
    `the copy is of revision ${revision}, made between ${before} and ${after}`,
  );
  t.strictSame(await copy.list(''), await store.list('', { revision }), 'every entry');
  t.strictSame(await batchesOf(copy, 8, revision - 8), await batchesOf(store, 8, revision - 8), 'and history');
  await copy.renewLease(lease);
  await copy.commit({ put: [{ key: '/restored', value: {} }] });
  t.equal(await copy.revision(), revision + 1, 'the copy goes on from there');

  t.equal(await refusal(store.backup(target)), 'invalid', 'a backup replaces no file');
  t.equal(await refusal(store.backup(path)), 'invalid', 'least of all that of the store');
  t.equal(await refusal(store.backup(':memory:')), 'invalid');
  t.equal(await refusal(store.backup(join(folder, 'no', 'such', 'folder.db'))), 'unavailable');
  await store.backup(newPath());
  const cut = newPath();
  const late = refusal(store.backup(cut));
  await store.close();
  t.equal(await late, 'closed', 'one under way ends with the store');
  t.notOk(existsSync(cut) || existsSync(`${cut}.partial`), 'and leaves nothing');
});

t.test('compaction gives space back, and goes on after a restart', async (t) => {
  const path = newPath();
  const store = await sqliteStore({ path, worker });
  for (let count = 0; count < 40; count++) await store.commit({ put: putsOf(100, 4) });
  const kept = await store.list('');
  await store.compact(await store.revision());
  const full = 40 * 400;
  t.ok(kilobytesOf(path) < full / 4, `16 MB of history became a file of ${kilobytesOf(path)} kB`);
  t.strictSame(await store.list(''), kept, 'the newest state is untouched');
  await store.commit({ delete: putsOf(100, 0).map(({ key }) => key) });
  await store.compact(await store.revision());
  t.ok(kilobytesOf(path) < 3000, `empty, it is a file of ${kilobytesOf(path)} kB`);

  for (let count = 0; count < 300; count++) await store.commit({ put: putsOf(8, 4) });
  const compaction = refusal(store.compact(await store.revision()));
  await store.close();
  t.equal(await compaction, 'closed', 'compaction is cut short');
  const reopened = await open(t, { path });
  await reopened.compact(await reopened.revision()); // waits behind the sweep that goes on
  t.ok(kilobytesOf(path) < 3000, `after the restart it is a file of ${kilobytesOf(path)} kB`);
  t.equal((await reopened.list('')).entries.length, 8);
  t.equal(await refusal(reopened.get('/a', { revision: 2 })), 'compacted');
});

t.test('a full store refuses writes by name, loses nothing, and takes them again when there is space', async (t) => {
  const path = newPath();
  const store = await sqliteStore({ path, worker, bytesMax: 4_000_000 });
  const lost = await fillUp(store);
  t.equal(lost, 'no-space');
  const before = await store.list('');
  const revision = await store.revision();
  t.equal(await refusal(store.commit({ put: putsOf(100, 10, '/more/') })), 'no-space', 'still full');
  t.strictSame(await store.list(''), before, 'refused writes left no trace');
  t.equal(await store.revision(), revision, 'and took no revision');
  await store.compact(revision);
  t.equal((await store.commit({ put: putsOf(1, 10, '/more/') })).revision, revision + 1, 'compaction made room');
  await store.close();
  const roomier = await open(t, { path });
  await roomier.commit({ put: putsOf(100, 10, '/more/') });
  t.equal((await roomier.list('/more/')).entries.length, 100, 'and so does a larger limit');
});

t.test('a full disk does no harm', async (t) => {
  const mount = await mkdtemp(join(tmpdir(), 'vivarium-small-disk-'));
  t.teardown(() => rm(mount, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', mount], { stdio: 'ignore' });
  } catch {
    t.comment('skipped: mounting a small disk takes root');
    return;
  }
  t.teardown(() => execFileSync('umount', [mount]));
  const path = join(mount, 'store.db');
  const ballast = join(mount, 'ballast');
  writeFileSync(ballast, Buffer.alloc(2_000_000));
  const store = await sqliteStore({ path, worker });
  t.teardown(() => store.close());
  t.equal(await fillUp(store), 'no-space');
  const before = await store.list('');
  const revision = await store.revision();
  t.equal(await refusal(store.backup(join(mount, 'copy.db'))), 'no-space');
  t.strictSame(
    readdirSync(mount).sort(),
    ['ballast', 'store.db', 'store.db-wal'],
    'a backup that failed leaves nothing',
  );
  await store.close();
  const restarted = await sqliteStore({ path, worker });
  t.teardown(() => restarted.close());
  t.strictSame(await restarted.list(''), before, 'everything can be read after a restart');
  t.equal(await refusal(restarted.commit({ put: putsOf(100, 10, '/more/') })), 'no-space');
  await rm(ballast);
  t.equal(
    (await restarted.commit({ put: [{ key: '/after', value: {} }] })).revision,
    revision + 1,
    'with space it goes on at once',
  );
  await restarted.close();
  const reopened = await sqliteStore({ path, worker });
  t.strictSame((await reopened.list('/registry/')).entries, before.entries, 'nothing was lost');
  await reopened.close();
});

/** Writes until something is refused. */
async function fillUp(store: Store): Promise<string> {
  for (let count = 0; count < 1000; count++) {
    const code = await refusal(store.commit({ put: putsOf(20, 5) }));
    if (code !== 'accepted') return code;
  }
  return 'never full';
}

t.test('leases have their full length again after a restart, and end late rather than never', async (t) => {
  const clock = virtualClock();
  const path = newPath();
  const store = await sqliteStore({ path, worker, clock });
  const lease = await store.grantLease(10_000);
  await store.commit({ put: [{ key: '/leased', value: {}, lease }] });
  const ended = await store.grantLease(1000);
  await clock.advance(8000);
  await store.close();

  const reopened = await sqliteStore({ path, worker, clock, bytesMax: 200_000 });
  t.not(await reopened.grantLease(50_000), ended, 'no lease has the name of one that ended');
  await clock.advance(9000);
  t.ok((await reopened.get('/leased')).entry, 'it begins anew');
  while ((await refusal(reopened.commit({ put: putsOf(1, 3) }))) === 'accepted');
  while ((await refusal(reopened.commit({ put: [{ key: '/x', value: {} }] }))) === 'accepted');
  await clock.advance(1000);
  await refusal(reopened.commit({}));
  t.ok((await reopened.get('/leased')).entry, 'there is no space to end it');
  await reopened.compact(await reopened.revision());
  await clock.advance(1000);
  await reopened.commit({}); // a read might overtake the end of the lease, a commit does not
  t.equal((await reopened.get('/leased')).entry, undefined, 'with space it ends');
  await reopened.close();
  t.equal(clock.pending, 0);
});

t.test('when the worker dies, commits under way have an unknown outcome and the store is closed', async (t) => {
  const path = newPath();
  const store = await sqliteStore({ path, worker: dyingWorker });
  // A store does not keep the process alive for its watches.
  const keepAlive = setInterval(() => undefined, 1_000_000);
  t.teardown(() => clearInterval(keepAlive));
  await store.commit({ put: [{ key: '/before', value: {} }] });
  const watch = refusal(lastValueFrom(store.watch(''), { defaultValue: undefined }));
  await store.get('/before'); // the watch has begun, and the worker is idle
  const calls = [
    store.commit({ put: [{ key: '/after', value: {} }] }),
    store.get('/die'),
    store.compact(2),
    store.grantLease(1000),
  ];
  t.strictSame(await Promise.all(calls.map(refusal)), ['unknown-outcome', 'closed', 'closed', 'unknown-outcome']);
  t.equal(await watch, 'closed', 'a watch does not end as if all were well');
  t.equal(await refusal(store.get('/before')), 'closed');
  t.equal(await refusal(store.commit({})), 'closed');
  t.equal(await refusal(lastValueFrom(store.watch(''), { defaultValue: undefined })), 'closed');
  await store.close();
  const reopened = await sqliteStore({ path, worker: dyingWorker });
  t.strictSame(
    (await reopened.list('')).entries.map((entry) => entry.key),
    ['/before'],
    'what was answered is there',
  );

  const broken = lastValueFrom(reopened.watch(''), { defaultValue: undefined });
  await reopened.get('/before');
  reopened.get('/throw').catch(() => undefined);
  await t.rejects(broken, { code: 'closed', message: /the worker broke down/ }, 'and the cause is reported');
  await reopened.close();
  await t.rejects(sqliteStore({ path: newPath(), worker: new URL('file:///no/such/worker.mjs') }), { code: 'closed' });
});

t.test('a transformer stands between the values and the file', async (t) => {
  const flip = (bytes: Uint8Array): Uint8Array => Buffer.from(bytes.map((byte) => byte ^ 0xff));
  const transformer: ValueTransformer = {
    toStorage: (bytes) => flip(bytes),
    fromStorage: (bytes) => (bytes[0] === 0x7b ? { bytes, stale: true } : { bytes: flip(bytes), stale: false }),
  };
  const path = newPath();
  const plain = await sqliteStore({ path, worker });
  await plain.commit({ put: [{ key: '/plain', value: { secret: 'in the clear' } }] });
  await plain.close();
  const store = await sqliteStore({ path, worker, transformer });
  const watch = batchesOf(store, 1, 4);
  await store.commit({ put: [{ key: '/hidden', value: { secret: 'swordfish' } }] });
  await store.commit({ put: [{ key: '/hidden', value: { secret: 'swordfish', again: true } }] });
  await store.commit({ delete: ['/plain'] });
  t.match(await store.get('/plain', { revision: 2 }), { entry: { value: { secret: 'in the clear' }, stale: true } });
  t.strictSame(
    (await store.list('')).entries.map(({ value, stale }) => [value, stale]),
    [[{ secret: 'swordfish', again: true }, undefined]],
  );
  const received = await watch;
  t.match(received[2]?.changes, [{ entry: { value: { again: true } }, previous: { value: { secret: 'swordfish' } } }]);
  t.match(received[3]?.changes, [{ type: 'delete', previous: { value: { secret: 'in the clear' } } }]);
  t.ok(received.every(isDeepFrozen));
  await store.close();
  t.notOk(readFileSync(path).includes('swordfish'), 'the file does not have it');
  const without = await open(t, { path });
  t.equal(await refusal(without.list('')), 'corrupt', 'nor is it read without');
});

t.test('without any SQLite the error says what to install', async (t) => {
  if (process.getBuiltinModule('node:sqlite') !== undefined) {
    t.comment('skipped: this Node has SQLite');
    return;
  }
  const elsewhere = await mkdtemp(join(tmpdir(), 'vivarium-no-packages-'));
  t.teardown(() => rm(elsewhere, { recursive: true }));
  mkdirSync(join(elsewhere, 'empty'));
  const lonely = await bundledProgram('lib/storage/sqlite/database-worker.ts', join(elsewhere, 'empty'));
  await t.rejects(sqliteStore({ path: newPath(), worker: lonely }), {
    code: 'unavailable',
    message: /install the package @photostructure\/sqlite, or use Node 22\.13/,
  });
});

t.test('answers leave the event loop its turns, however fast they come', async (t) => {
  const store = await open(t);
  await store.commit({ put: [{ key: '/a', value: {} }] });
  let answers = 0;
  let answersOfTurnMax = 0;
  const turns = { going: true };
  const turn = (): void => {
    answersOfTurnMax = Math.max(answersOfTurnMax, answers);
    answers = 0;
    if (turns.going) setImmediate(turn);
  };
  turn();
  const busy = (): void => {
    for (const until = performance.now() + 0.2; performance.now() < until;);
  };
  // Each asks again in the turn it was answered in, and the worker is faster than they are.
  const reader = async (): Promise<void> => {
    for (let count = 0; count < 100; count++) {
      await store.get('/a');
      answers += 1;
      busy();
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  turns.going = false;
  t.ok(answersOfTurnMax <= 8, `at most ${answersOfTurnMax} answers in one turn of a millisecond, of 0.2 each`);
});

t.test('pages say how many entries remain, whatever was written, compacted and listed meanwhile', async (t) => {
  const keyOf = (n: number): string => `/${n % 2 === 0 ? 'a' : 'b'}/${n}`;
  const number = fc.integer({ min: 0, max: 399 });
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.record({ put: fc.uniqueArray(number, { maxLength: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.uniqueArray(number, { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ compactAgo: fc.nat(20) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        prefix: fc.constantFrom('', '/a/', '/b/'),
        limit: fc.integer({ min: 1, max: 250 }),
        pages: fc.integer({ min: 1, max: 4 }),
        ago: fc.nat(8),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const store = await open(t);
      for (let first = 0; first < 400; first += 100) {
        await store.commit({ put: Array.from({ length: 100 }, (_, n) => ({ key: keyOf(first + n), value: {} })) });
      }
      let oldest = 1;
      for (const each of steps) {
        const newest = await store.revision();
        if ('put' in each) await store.commit({ put: each.put.map((n) => ({ key: keyOf(n), value: {} })) });
        else if ('remove' in each) await store.commit({ delete: each.remove.map(keyOf) });
        else if ('compactAgo' in each) await store.compact((oldest = Math.max(oldest, newest - each.compactAgo)));
        else {
          const { prefix, limit, pages } = each;
          const revision = Math.max(oldest, newest - each.ago);
          let left = (await store.list(prefix, { revision })).entries.length;
          for (let page = 0, after: string | undefined; page < pages; page++) {
            const { entries, remaining } = await store.list(prefix, {
              limit,
              revision,
              ...(after !== undefined && { after }),
            });
            left -= entries.length;
            if (remaining !== left)
              throw new Error(
                `page ${page} of ${JSON.stringify(each)} at ${revision} says ${remaining} remain, not ${left}`,
              );
            after = entries.at(-1)?.key ?? after;
          }
        }
      }
      await store.close();
    }),
    { numRuns: runs(15), endOnFailure: true },
  );
  t.pass();
});

t.test('writes that wait are bounded', async (t) => {
  const sent: number[] = [];
  const answers: (() => void)[] = [];
  const queue = new WriteQueue({
    send: (_call, ask, { answered }) => {
      if (!('writes' in ask)) return;
      sent.push(ask.writes.length);
      answers.push(() => answered([]));
    },
  });
  const codes: string[] = [];
  const add = (bytes: number): void =>
    queue.add({ write: ['grant', 1], bytes, settled: () => undefined, failed: ({ code }) => codes.push(code) });
  for (let count = 0; count < 70_000; count++) add(10);
  t.strictSame(new Set(codes), new Set(['unavailable']));
  t.equal(70_000 - codes.length, 65_536);
  for (const answer of answers.splice(0)) answer();
  codes.length = 0;
  add(200_000_000);
  add(100_000_000);
  t.strictSame(codes, ['unavailable'], 'by bytes too');
  for (const answer of answers.splice(0)) answer();
  add(100_000_000);
  t.equal(codes.length, 1, 'what was answered waits no more');
});

/**
 * How many transactions the write-ahead log holds: a frame that ends one has the size of the database in its header.
 */
function transactionsIn(wal: string): number {
  const bytes = readFileSync(wal);
  const pageBytes = bytes.readUInt32BE(8);
  const salt = bytes.subarray(16, 24);
  let count = 0;
  for (let at = 32; at + 24 + pageBytes <= bytes.length; at += 24 + pageBytes) {
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) break;
    if (bytes.readUInt32BE(at + 4) > 0) count += 1;
  }
  return count;
}
