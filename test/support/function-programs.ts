// The behaviours of the runtime suite as functions: the command of a container is its behaviour in JSON.
import { lastValueFrom, tap } from 'rxjs';
import { random, virtualClock } from '../../lib/core/index.js';
import { functionRuntime } from '../../lib/nodeagent/public.js';
import type { FunctionContext, ContainerRuntime } from '../../lib/nodeagent/index.js';
import type { ExecBehaviour, ProgramBehaviour, RuntimeHarness } from '../../lib/testing/runtime-suite.js';

/** Resolves when the container gets SIGTERM; without it the container runs until it is killed. */
function untilTerm({ signals$, signal }: FunctionContext): Promise<number> {
  return new Promise((resolve) => {
    const subscription = signals$.subscribe((name) => {
      if (name === 'SIGTERM') resolve(0);
    });
    signal.addEventListener('abort', () => subscription.unsubscribe());
  });
}

const never = (): Promise<number> => new Promise(() => undefined);

async function echo({ stdin$, stdout }: FunctionContext): Promise<number> {
  await lastValueFrom(stdin$.pipe(tap((bytes) => void stdout(bytes))), { defaultValue: undefined });
  return 0;
}

async function behave(context: FunctionContext): Promise<number> {
  const { args, env, mounts, stdout, stderr } = context;
  const behaviour = JSON.parse(args[0] ?? '') as ProgramBehaviour;
  switch (behaviour.does) {
    case 'exit':
      return behaviour.code;
    case 'run':
      return untilTerm(context);
    case 'ignoreTerm':
      context.signals$.subscribe();
      return never();
    case 'print': {
      const ended = behaviour.then === 'run' ? untilTerm(context) : 0;
      for (const line of behaviour.stdout) await stdout(`${line}\n`);
      for (const line of behaviour.stderr) await stderr(`${line}\n`);
      return ended;
    }
    case 'printLong':
      await stdout('x'.repeat(behaviour.bytes));
      return 0;
    case 'echo':
      return echo(context);
    case 'printEnv':
      await stdout(`${env[behaviour.name] ?? ''}\n`);
      return 0;
    case 'printArgs':
      for (const arg of args.slice(1)) await stdout(`${arg}\n`);
      return 0;
    case 'printFile': {
      const found = mounts.get(behaviour.mount)?.readText(behaviour.path);
      if (found === undefined) return 1;
      await stdout(found);
      return 0;
    }
    case 'writeFile':
      mounts.get(behaviour.mount)?.write(behaviour.path, behaviour.text);
      return 0;
    case 'serve':
      context.listen(behaviour.port, { fetch: () => new Response(behaviour.text) });
      return untilTerm(context);
    case 'message':
      context.terminationMessage(behaviour.text);
      return behaviour.code;
  }
}

async function command(context: FunctionContext): Promise<number> {
  const behaviour = JSON.parse(context.args[1] ?? '') as ExecBehaviour;
  switch (behaviour.does) {
    case 'exit':
      return behaviour.code;
    case 'print':
      await context.stdout(`${behaviour.stdout}\n`);
      await context.stderr(`${behaviour.stderr}\n`);
      return 0;
    case 'echo':
      return echo(context);
    case 'hang':
      return never();
  }
}

/** A function runtime on a virtual clock, and what a defect makes of it. */
export function functionHarness(
  damage: (runtime: ContainerRuntime) => ContainerRuntime = (whole) => whole,
): RuntimeHarness {
  const clock = virtualClock();
  const runtime = functionRuntime({
    images: { program: { run: behave, commands: { do: command } } },
    clock,
    random: random('runtime'),
  });
  return {
    runtime: damage(runtime),
    program: (behaviour) => ({ command: [JSON.stringify(behaviour)] }),
    command: (behaviour) => ['do', JSON.stringify(behaviour)],
    image: 'program',
    missingImage: 'registry.test/missing:1',
    elapse: (ms) => clock.advance(ms),
    leftBehind: () => Promise.resolve(Array.from({ length: clock.pending }, () => 'a timer')),
    dispose: async () => {
      await runtime.close?.();
    },
  };
}
