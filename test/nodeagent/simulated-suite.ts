// The simulated runtime passes the suite of runtimes, without what it does not simulate.
import t from 'tap';
import { runtimeSuite } from '../../lib/testing/runtime-suite.js';
import { simulatedHarness } from '../support/simulated-programs.js';

t.test('the simulated runtime keeps the promises of runtimes', (t) => {
  runtimeSuite(
    (name, run) => t.test(name, run),
    () => Promise.resolve(simulatedHarness()),
    { lacks: ['args', 'commandKill', 'env', 'files', 'http', 'output', 'pull', 'recovery', 'stdin'] },
  );
  t.end();
});
