// The behaviours of the runtime suite as shell scripts, for the process runtime.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { ContainerRuntime } from '../../lib/nodeagent/index.js';
import { processRuntime } from '../../lib/nodeagent/process/index.js';
import type {
  ExecBehaviour,
  ProgramBehaviour,
  ContainerProgram,
  RuntimeHarness,
} from '../../lib/testing/runtime-suite.js';

const untilTerm = `trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function script(text: string): ContainerProgram {
  return { command: ['sh', '-c', text, 'sh'] };
}

/** Returns the program of a behaviour. */
export function shellProgram(behaviour: ProgramBehaviour): ContainerProgram {
  switch (behaviour.does) {
    case 'exit':
      return script(`exit ${behaviour.code}`);
    case 'run':
      return script(untilTerm);
    case 'ignoreTerm':
      return script(`trap '' TERM; while :; do sleep 1; done`);
    case 'print': {
      const { stdout, stderr } = behaviour;
      const lines = [
        ...stdout.map((line) => `printf '%s\\n' ${quoted(line)}`),
        ...stderr.map((line) => `printf '%s\\n' ${quoted(line)} >&2`),
      ];
      // The trap first: a line on the output means that it is set.
      const [trap, loop] = [`trap 'exit 0' TERM`, `while :; do sleep 1 & wait $!; done`];
      return script([trap, ...lines, ...(behaviour.then === 'run' ? [loop] : [])].join('; '));
    }
    case 'printLong':
      return script(`head -c ${behaviour.bytes} /dev/zero | tr '\\0' x`);
    case 'echo':
      return { command: ['cat'] };
    case 'printEnv':
      return script(`printf '%s\\n' "$${behaviour.name}"`);
    case 'printArgs':
      return script(`for each in "$@"; do printf '%s\\n' "$each"; done`);
    case 'printFile':
      return script(`cat "$VIVARIUM_ROOT"${quoted(`${behaviour.mount}/${behaviour.path}`)} 2>/dev/null || exit 1`);
    case 'writeFile':
      return script(
        `printf '%s' ${quoted(behaviour.text)} > "$VIVARIUM_ROOT"${quoted(`${behaviour.mount}/${behaviour.path}`)}`,
      );
    case 'serve':
      return {
        command: [
          process.execPath,
          '-e',
          `require('http').createServer((_, response) => response.end(${JSON.stringify(behaviour.text)}))
             .listen(${behaviour.port}, process.env.VIVARIUM_POD_IP)`,
        ],
      };
    case 'message':
      return script(`printf '%s' ${behaviour.text} > "$VIVARIUM_ROOT/dev/termination-log"; exit ${behaviour.code}`);
  }
}

/** Returns the command of a behaviour. */
export function shellCommand(behaviour: ExecBehaviour): readonly string[] {
  switch (behaviour.does) {
    case 'exit':
      return ['sh', '-c', `exit ${behaviour.code}`];
    case 'print':
      return ['sh', '-c', `echo ${quoted(behaviour.stdout)}; echo ${quoted(behaviour.stderr)} >&2`];
    case 'echo':
      return ['cat'];
    case 'hang':
      return ['sleep', '1000'];
  }
}

/** Processes that carry the mark of a container whose root folder is below a folder. */
export async function markedProcesses(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (environment.includes(`VIVARIUM_ROOT=${folder}/`)) found.push(pid);
  }
  return found;
}

/** Counts runtimes: those of checks that run at the same time must not share addresses. */
let runtimes = 0;

/** A process runtime in a folder of its own, with addresses of its own. */
export async function processHarness(): Promise<RuntimeHarness> {
  const podCidr = `10.${100 + (runtimes++ % 100)}.0.0/16`;
  const folder = await mkdtemp(join(tmpdir(), 'vivarium-process-'));
  const opened: ContainerRuntime[] = [];
  const open = async (): Promise<ContainerRuntime> => {
    const runtime = await processRuntime({ folder, podCidr, logFileBytesMax: 64 * 1024 });
    opened.push(runtime);
    return runtime;
  };
  return {
    runtime: await open(),
    program: shellProgram,
    command: shellCommand,
    image: 'host',
    missingImage: 'registry.test/missing:1',
    reopen: open,
    leftBehind: () => markedProcesses(folder),
    dispose: async () => {
      for (const runtime of opened) await runtime.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
