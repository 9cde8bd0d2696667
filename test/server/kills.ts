// A server on SQLite under kill -9 while clients write to it over HTTP: nothing that was answered is lost. The store
// alone is tested by test/storage/sqlite-crash.ts.
import { join } from 'node:path';
import t from 'tap';
import { AcknowledgedWrites } from '../support/acknowledged-writes.js';
import { bundledProgram } from '../support/bundled-program.js';
import { killLoop } from '../support/kill-loop.js';
import { isLongRun, seed } from '../support/properties.js';
import { sql } from '../support/sql.js';

const kills = isLongRun ? 120 : 12;

t.test(`a server on SQLite loses nothing that it answered in ${kills} kills (seed ${seed})`, async (t) => {
  const path = join(t.testdir({}), 'store.db');
  const { writes, whileOpening, complaint } = await killLoop({
    program: await bundledProgram('test/support/server-child.ts'),
    worker: await bundledProgram('lib/storage/sqlite/database-worker.ts'),
    path,
    kills,
    seed,
  });
  t.equal(complaint, undefined);
  t.comment(
    `${writes.answered} writes answered, ${whileOpening} kills while opening, unanswered ${JSON.stringify(writes.unanswered)}`,
  );
  t.ok(writes.answered > kills, 'there was something to lose');
  t.strictSame(sql(path, 'PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
});

t.test('the checks behind it can fail', async (t) => {
  const object = (value: string): { readonly value: string } => ({ value });
  const acknowledged = (): AcknowledgedWrites => {
    const writes = new AcknowledgedWrites();
    writes.acknowledged('a', object('1'));
    return writes;
  };
  t.equal(acknowledged().compare(new Map([['a', object('1')]])), undefined);
  t.match(acknowledged().compare(new Map()), /a is undefined/, 'a lost create');
  t.match(acknowledged().compare(new Map([['a', object('0')]])), /a is/, 'a lost update');
  const pending = acknowledged();
  pending.sent('a', { what: 'an update', matches: (found) => found?.value === '2' });
  t.equal(pending.compare(new Map([['a', object('2')]])), undefined, 'an unanswered write may be there');
  t.match(pending.compare(new Map([['a', object('1')]])), /nothing was sent/, 'but then it stays');
});
