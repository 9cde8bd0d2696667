// The host process of a node dies by SIGKILL: its containers die with it, and the next run recovers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import t from 'tap';
import { bundledProgram } from '../support/bundled-program.js';
import { startChild } from '../support/child-process.js';
import type { Child } from '../support/child-process.js';
import type { ProcessNodeOrder } from '../support/process-node.js';
import { markedProcesses } from '../support/process-programs.js';

const skip = process.platform === 'linux' ? false : 'the process table is read from /proc';

async function line(child: Child, at: number): Promise<{ status: unknown; log: readonly string[] }> {
  while (child.lines.length <= at) await child.heard();
  return JSON.parse(child.lines[at] ?? '') as { status: unknown; log: readonly string[] };
}

t.test(
  'after SIGKILL no container is left, and the next run restarts the pod once',
  { skip, timeout: 600_000 },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'vivarium-crash-'));
    const program = await bundledProgram('test/support/process-node.ts');
    const worker = (await bundledProgram('lib/storage/sqlite/database-worker.ts')).href;
    const order = (restarts: number): ProcessNodeOrder => ({ folder, worker, restarts });
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));

    const first = startChild(program);
    first.tell(order(0));
    const before = await line(first, 0);
    t.match(before.status, { phase: 'Running', containerStatuses: [{ restartCount: 0 }] });
    t.not((await markedProcesses(`${folder}/node`)).length, 0);
    first.kill();
    t.equal(await first.ended, null, 'it was killed');
    // The watchdog kills the groups of a dead host; the condition, not the time, ends the wait.
    while ((await markedProcesses(`${folder}/node`)).length > 0) await new Promise((resolve) => setImmediate(resolve));

    const second = startChild(program);
    second.tell(order(1));
    const after = await line(second, 0);
    t.match(after.status, {
      phase: 'Running',
      containerStatuses: [{ restartCount: 1, lastState: { terminated: { exitCode: 137 } } }],
    });
    t.strictSame(after.log, ['started'], 'the log of the instance before is still there');
    second.tell('close');
    t.equal(await second.ended, 0);
    t.strictSame(await markedProcesses(`${folder}/node`), [], 'nothing is left after a clean end');
  },
);
