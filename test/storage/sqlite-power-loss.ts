// The SQLite store after a loss of power. What a disk holds then is all that was synced, and of what was written since
// any part, in any order. After each commit of a running store the files are copied; between two copies a loss is made
// up by taking each sector that differs from the one or the other at random, and a length between theirs. The store
// opens what comes out of it, has every commit that was answered by the first copy, and the commit after it whole or
// not at all.
//
// Between two copies SQLite may sync several times. What is mixed is only what one sync separates from the next:
// - the log (WAL) grew: its new frames;
// - a checkpoint copied pages into the file, which it does after the log was synced: the pages of the file;
// - the log begins anew, which it does after the file was synced, with a header that is synced before any frame: its
//   frames.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, takeWhile, toArray } from 'rxjs';
import t from 'tap';
import { random, type Random } from '../../lib/core/index.js';
import { sqliteStore } from '../../lib/storage/sqlite/sqlite-store.js';
import { bundledProgram } from '../support/bundled-program.js';
import { startChild, type Child } from '../support/child-process.js';
import { runs, seed } from '../support/properties.js';
import type { ChildOrder, ChildReport } from '../support/sqlite-child.js';
import { WatchedHistory, type Acknowledged } from '../support/watched-history.js';

interface Disk {
  readonly file: Buffer;
  readonly log: Buffer;
}

const sectorBytes = 512;
const logHeaderBytes = 32;
const losses = runs(150);
const worker = await bundledProgram('lib/storage/sqlite/database-worker.ts');
const program = await bundledProgram('test/support/sqlite-child.ts');

t.test(`${losses} losses of power lose no commit that was answered (seed ${seed})`, async (t) => {
  const folder = t.testdir({});
  const [path, lostPath] = [join(folder, 'store.db'), join(folder, 'lost.db')];
  const chance = random(seed);
  const child = startChild(program);
  t.teardown(() => child.kill());
  child.tell({ path, worker: worker.href, task: 'step', seed } satisfies ChildOrder);
  await linesOf(child, 1);
  const answered: Acknowledged[] = [];
  const commit = async (): Promise<Disk> => {
    child.tell({});
    await linesOf(child, answered.length + 2);
    const report = JSON.parse(child.lines.at(-1) ?? '') as ChildReport;
    if ('revision' in report) answered.push(report);
    return diskOf(path);
  };
  let before = await commit();
  const kinds: Record<Kind, number> = { log: 0, checkpoint: 0, restart: 0 };
  const outcomes = { whole: 0, absent: 0 };
  for (let loss = 0; loss < losses && t.passing(); loss += 1) {
    const after = await commit();
    const kind = kindOf(before, after);
    const disk = lossBetween(before, after, chance);
    kinds[kind] += 1;
    writeFileSync(lostPath, disk.file);
    writeFileSync(`${lostPath}-wal`, disk.log);
    const found = await reopened(lostPath, answered);
    if (found.complaint !== undefined) t.fail(`loss ${loss} (${kind}): ${found.complaint}`);
    if (kind === 'checkpoint') t.ok(found.hasLast, 'a checkpoint begins after the log was synced');
    outcomes[found.hasLast ? 'whole' : 'absent'] += 1;
    before = after;
  }
  child.kill();
  await child.ended;
  t.comment(`${JSON.stringify(kinds)} ${JSON.stringify(outcomes)}, ${answered.length} commits`);
  t.ok(outcomes.absent > 0, 'commits that were not synced were lost');
});

t.test('the copies of a disk are mixed by sectors', async (t) => {
  const [a, b] = [Buffer.alloc(4 * sectorBytes, 'a'), Buffer.alloc(8 * sectorBytes, 'b')];
  const chance = random(1);
  const seen = new Set<string>();
  for (let round = 0; round < 50; round += 1) {
    const mix = mixed(a, b, 0, chance);
    t.ok(mix.length >= a.length && mix.length <= b.length);
    for (let at = 0; at + sectorBytes <= mix.length; at += sectorBytes)
      seen.add(`${at < a.length ? 'common' : 'new'} ${new Set(mix.subarray(at, at + sectorBytes)).size} ${mix[at]}`);
  }
  t.strictSame([...seen].sort(), ['common 1 97', 'common 1 98', 'new 1 0', 'new 1 98'], 'old, new, or never written');
});

/** A checkpoint is due every thousand pages, which takes some hundred commits: only longer runs meet one. */
type Kind = 'log' | 'checkpoint' | 'restart';

/** What was written between two states of the disk. */
function kindOf(before: Disk, after: Disk): Kind {
  const hasSameHeader = before.log.subarray(0, logHeaderBytes).equals(after.log.subarray(0, logHeaderBytes));
  if (!hasSameHeader) return 'restart';
  return before.file.equals(after.file) ? 'log' : 'checkpoint';
}

/** What is on the disk after a loss of power between two states of it. */
function lossBetween(before: Disk, after: Disk, chance: Random): Disk {
  switch (kindOf(before, after)) {
    case 'log':
      return { file: after.file, log: mixed(before.log, after.log, 0, chance) };
    case 'checkpoint':
      return { file: mixed(before.file, after.file, 0, chance), log: after.log };
    case 'restart':
      return { file: after.file, log: mixed(before.log, after.log, logHeaderBytes, chance) };
  }
}

/** The bytes up to `kept` as they are after; then each sector as before or after, and a length between the two. */
function mixed(before: Buffer, after: Buffer, kept: number, chance: Random): Buffer {
  const least = Math.max(kept, Math.min(before.length, after.length));
  const most = Math.max(before.length, after.length);
  // Lengths that were never synced need not be those of whole sectors.
  const mix = Buffer.alloc(chance.next() < 0.3 ? most : least + chance.integer(most - least + 1));
  const share = chance.pick([0.1, 0.5, 0.9, 1]);
  for (let at = 0; at < mix.length; at += sectorBytes) {
    const from = chance.next() < share ? after : before;
    // Beyond the end of the shorter one is what was never written.
    if (at < from.length) from.copy(mix, at, at, Math.min(at + sectorBytes, mix.length));
  }
  after.copy(mix, 0, 0, kept);
  return mix;
}

/** Opens the copy and compares it with the commits: all but the last have to be there. */
async function reopened(
  path: string,
  answered: readonly Acknowledged[],
): Promise<{ readonly complaint: string | undefined; readonly hasLast: boolean }> {
  const store = await sqliteStore({ path, worker });
  try {
    const newest = await store.revision();
    const batches = await lastValueFrom(
      store.watch('', { after: 1 }).pipe(
        takeWhile(({ revision }) => revision < newest, true),
        toArray(),
      ),
      { defaultValue: [] },
    );
    const hasLast = newest === answered.at(-1)?.revision;
    const history = new WatchedHistory();
    const complaint =
      history.apply(batches, hasLast ? answered : answered.slice(0, -1)) ?? (await history.compare(store));
    return { complaint, hasLast };
  } finally {
    await store.close();
  }
}

function diskOf(path: string): Disk {
  const log = `${path}-wal`;
  return { file: readFileSync(path), log: existsSync(log) ? readFileSync(log) : Buffer.alloc(0) };
}

async function linesOf(child: Child, count: number): Promise<void> {
  const ended = child.ended.then(() => 'ended' as const);
  while (child.lines.length < count)
    if ((await Promise.race([child.heard(), ended])) === 'ended') throw new Error('the store ended by itself');
}
