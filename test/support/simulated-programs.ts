// The behaviours of the runtime suite as data of the simulated runtime: an image for each.
import { random, virtualClock } from '../../lib/core/index.js';
import { simulatedRuntime } from '../../lib/nodeagent/index.js';
import type { ContainerBehaviour } from '../../lib/nodeagent/index.js';
import type { ProgramBehaviour, RuntimeHarness } from '../../lib/testing/runtime-suite.js';

const command = {
  'exit 0': {},
  'exit 5': { exitCode: 5 },
  'exit 6': { exitCode: 6 },
  'print out err': { stdout: 'out\n', stderr: 'err\n' },
  hang: { delay: 10 ** 10 },
};

function behaviourOf(behaviour: ProgramBehaviour): ContainerBehaviour {
  switch (behaviour.does) {
    case 'exit':
      return { exits: [{ after: 0, code: behaviour.code }] };
    case 'ignoreTerm':
      return { stop: { delay: Infinity } };
    case 'print': {
      const logs = [
        ...behaviour.stdout.map((text) => ({ text })),
        ...behaviour.stderr.map((text) => ({ text, stream: 'stderr' as const })),
      ];
      return behaviour.then === 'exit' ? { logs, exits: [{ after: 10 }] } : { logs };
    }
    case 'message':
      return { exits: [{ after: 0, code: behaviour.code, message: behaviour.text }] };
    default:
      return {};
  }
}

/** A simulated runtime on a virtual clock. */
export function simulatedHarness(): RuntimeHarness {
  const clock = virtualClock();
  const behaviours = new Map<string, ContainerBehaviour>();
  const runtime = simulatedRuntime({
    clock,
    random: random('runtime'),
    rules: [
      ({ image }) =>
        image === 'registry.test/missing:1'
          ? { pull: { error: 'not found' } }
          : { commands: command, ...behaviours.get(image) },
    ],
  });
  return {
    runtime,
    program(behaviour) {
      const image = `behaviour-${behaviours.size}:1`;
      behaviours.set(image, behaviourOf(behaviour));
      return { image };
    },
    command(behaviour) {
      if (behaviour.does === 'exit') return ['exit', `${behaviour.code}`];
      return behaviour.does === 'print' ? ['print', behaviour.stdout, behaviour.stderr] : [behaviour.does];
    },
    image: 'plain:1',
    missingImage: 'registry.test/missing:1',
    elapse: (ms) => clock.advance(ms),
    dispose: async () => {
      await runtime.close?.();
    },
  };
}
