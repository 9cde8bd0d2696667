/**
 * The conformance suite of container runtimes: one named check for each promise of lib/nodeagent/runtime. Needs no test
 * runner. With tap:
 *
 *     runtimeSuite((name, run) => t.test(name, run), async () => ({ runtime, program, command, image, … }));
 *
 * A runtime that passes may stand below the node agent.
 */
import type { RuntimeFeature, RuntimeHarness } from './runtime-suite/harness.js';
import { containerChecks } from './runtime-suite/containers.js';
import { sandboxChecks } from './runtime-suite/sandboxes.js';
import { attachChecks, execChecks, logChecks } from './runtime-suite/streams.js';
import { imageChecks, lifetimeChecks, networkChecks, volumeChecks } from './runtime-suite/pod-environment.js';
import { describeError } from './store-suite/expect.js';

export type {
  ExecBehaviour,
  ProgramBehaviour,
  ContainerProgram,
  RuntimeFeature,
  RuntimeHarness,
} from './runtime-suite/harness.js';

const checks = [
  ...sandboxChecks,
  ...containerChecks,
  ...logChecks,
  ...execChecks,
  ...attachChecks,
  ...imageChecks,
  ...volumeChecks,
  ...networkChecks,
  ...lifetimeChecks,
];

/** Options of the suite. */
export interface RuntimeSuiteOptions {
  /** What the runtime does not have: checks that need it are left out. Default: nothing. */
  readonly lacks?: readonly RuntimeFeature[];
}

/**
 * Hands every check to a test runner, by name. A check makes a runtime of its own, and rejects with an error that names
 * the promise that was broken.
 */
export function runtimeSuite(
  check: (name: string, run: () => Promise<void>) => unknown,
  makeRuntime: () => Promise<RuntimeHarness>,
  { lacks = [] }: RuntimeSuiteOptions = {},
): void {
  for (const { promise, needs = [], run } of checks) {
    if (needs.some((feature) => lacks.includes(feature))) continue;
    check(promise, async () => {
      const harness = await makeRuntime();
      try {
        await run(harness);
      } catch (error) {
        throw new Error(`broke the promise: ${promise}: ${describeError(error)}`, { cause: error });
      } finally {
        await harness.dispose();
      }
    });
  }
}
