// The function runtime passes the suite of runtimes, and runtimes with a defect do not.
import t from 'tap';
import { runtimeSuite } from '../../lib/testing/runtime-suite.js';
import { damagedRuntime, runtimeDefects } from '../support/broken-runtimes.js';
import { functionHarness } from '../support/function-programs.js';

t.test('the function runtime keeps the promises of runtimes', (t) => {
  const names: string[] = [];
  runtimeSuite(
    (name, run) => {
      names.push(name);
      return t.test(name, run);
    },
    () => Promise.resolve(functionHarness()),
    { lacks: ['recovery'] },
  );
  t.ok(names.length >= 60, `the suite has ${names.length} checks`);
  t.equal(new Set(names).size, names.length, 'the names of checks differ');
  t.end();
});

t.test('the suite catches runtimes that break a promise', async (t) => {
  for (const { name, breaks, damage } of runtimeDefects) {
    const broken: string[] = [];
    const runs: Promise<void>[] = [];
    runtimeSuite(
      (promise, run) => {
        // Only the checks that should fail: others may wait for what never happens.
        if (!breaks.test(promise)) return;
        runs.push(
          run().catch((error: unknown) => {
            t.match(error, { message: /^broke the promise: / });
            broken.push(promise);
          }),
        );
      },
      () =>
        Promise.resolve({
          ...functionHarness((runtime) => damagedRuntime(runtime, damage(runtime))),
          patienceMs: 300,
        }),
      { lacks: ['recovery'] },
    );
    await Promise.all(runs);
    t.ok(broken.length > 0, `caught: ${name}`);
  }
});
