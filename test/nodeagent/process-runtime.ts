// The process runtime passes the suite of runtimes, with real processes.
import process from 'node:process';
import t from 'tap';
import { runtimeSuite } from '../../lib/testing/runtime-suite.js';
import { processHarness } from '../support/process-programs.js';

const skip = process.platform === 'linux' ? false : 'the process table is read from /proc';

t.test('the process runtime keeps the promises of runtimes', { skip, timeout: 600_000 }, (t) => {
  t.jobs = 4;
  runtimeSuite((name, run) => t.test(name, { timeout: 300_000 }, run), processHarness);
  t.end();
});
