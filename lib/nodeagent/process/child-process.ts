// A container's process: a child in a session and process group of its own, with its output under back-pressure. A
// container ends with its main process: whatever it started is killed then. A terminal comes from `script` of
// util-linux, since Node cannot open one.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants as files } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { constants } from 'node:os';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { pause } from '../../core/index.js';
import type { Clock, TerminalSize } from '../../core/index.js';
import type { HostedProcess, OutputSink, ProcessExit } from '../hosted/container-host.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type { ContainerSecurity } from '../runtime/container-config.js';

/** How to start a child. */
export interface ChildRequest {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly security: ContainerSecurity;
  readonly output: OutputSink;
  readonly clock: Clock;
  /** Called after the main process ended: kills what else belongs to it. */
  readonly sweep: (group: number) => Promise<void>;
  /** Called before `exit` resolves. Returns what belongs to the exit besides its code. */
  readonly finish?: () => Promise<Partial<ProcessExit>>;
}

/** A child that runs. */
export interface StartedChild extends HostedProcess {
  /** The process, and its group. */
  readonly pid: number;
}

/** The maximum size of command and environment in bytes. The kernel allows 2 MiB. */
const argumentBytesMax = 1024 * 1024;
const argumentsMax = 10_000;
/** How long output is read after everything was killed, in milliseconds. */
const drainMs = 2_000;

/** Starts a child. Rejects with RuntimeError where that is not possible. */
export async function startChild(request: ChildRequest): Promise<StartedChild> {
  const { cwd, env, stdin, security, output, sweep, finish, clock } = request;
  checkSize(request);
  const { command, hasTerminal } = withTerminal(request);
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...env },
    detached: true,
    stdio: [stdin || hasTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...(security.runAsUser !== undefined && { uid: security.runAsUser }),
    ...(security.runAsGroup !== undefined && { gid: security.runAsGroup }),
  });
  await spawned(child, program);
  const pid = child.pid ?? 0;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<number>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL'])),
  );
  const outputs = [pass(child.stdout, 'stdout', output), pass(child.stderr, 'stderr', output)];
  child.stdin?.on('error', ignore);
  const exit = async (): Promise<ProcessExit> => {
    const exitCode = await ended;
    await sweep(pid);
    await within(closed, drainMs, clock);
    child.stdout?.destroy();
    child.stderr?.destroy();
    await Promise.all(outputs);
    return { exitCode, ...(await finish?.()) };
  };
  return {
    pid,
    exit: exit(),
    signal(name) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      kill(name === 'SIGKILL' ? -pid : pid, name);
    },
    input(bytes) {
      const { stdin: sink } = child;
      if (sink === null || sink.writableEnded || sink.destroyed || sink.write(bytes)) return undefined;
      return new Promise((resolve) => {
        const done = (): void => {
          sink.off('drain', done).off('close', done);
          resolve();
        };
        sink.on('drain', done).on('close', done);
      });
    },
    endInput: () => void child.stdin?.end(),
    ...(hasTerminal && { resize: (size: TerminalSize) => void resize(pid, size) }),
  };
}

/** Sends a signal to a process, or to a group if the number is negative. */
export function kill(pid: number, signal: string): void {
  try {
    process.kill(pid, signal in constants.signals ? signal : 'SIGTERM');
  } catch {
    // It has ended.
  }
}

function checkSize({ command, env }: ChildRequest): void {
  const texts = [...command, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (command.length === 0 || command[0] === '') throw new RuntimeError('StartError', 'no command specified');
  if (texts.some((text) => text.includes('\0'))) throw new RuntimeError('StartError', 'an argument contains NUL');
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  if (texts.length > argumentsMax || size > argumentBytesMax)
    throw new RuntimeError('StartError', `exec ${JSON.stringify(command[0])}: argument list too long`);
}

/** The program that opens a terminal. */
const terminalProgram = '/usr/bin/script';

function withTerminal({ command, tty }: ChildRequest): {
  readonly command: readonly string[];
  readonly hasTerminal: boolean;
} {
  if (!tty || !isExecutable(terminalProgram)) return { command, hasTerminal: false };
  const line = command.map((each) => `'${each.replaceAll("'", "'\\''")}'`).join(' ');
  return { command: [terminalProgram, '-qfec', `exec ${line}`, '/dev/null'], hasTerminal: true };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, files.X_OK);
    return true;
  } catch {
    return false;
  }
}

function spawned(child: ChildProcess, program: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'ENOENT'
          ? 'executable file not found in $PATH'
          : cause.code === 'EACCES'
            ? 'permission denied'
            : cause.message;
      reject(new RuntimeError('StartError', `exec: ${JSON.stringify(program)}: ${reason}`, { cause }));
    });
  });
}

/** Passes output on until it ends; the process waits while the receiver has no room. */
async function pass(stream: Readable | null, name: 'stdout' | 'stderr', output: OutputSink): Promise<void> {
  if (stream === null) return;
  try {
    for await (const bytes of stream) await output(name, bytes as Uint8Array);
  } catch {
    // Destroyed after the exit.
  }
}

/** Resolves with the promise, or after a time. */
async function within(done: Promise<void>, timeMs: number, clock: Clock): Promise<void> {
  const abort = new AbortController();
  const late = pause(clock, timeMs, abort.signal).catch(ignore);
  await Promise.race([done, late]);
  abort.abort();
}

/** Sets the size of the terminal below `script`: that of the first child's stdin. */
async function resize(pid: number, { width, height }: TerminalSize): Promise<void> {
  const children = await childrenOf(pid);
  for (const child of children) {
    const terminal = await readlink(`/proc/${child}/fd/0`).catch(() => '');
    if (!/^\/dev\/pts\/\d+$/.test(terminal)) continue;
    const stty = spawn('stty', ['-F', terminal, 'rows', `${height}`, 'cols', `${width}`], { stdio: 'ignore' });
    stty.on('error', ignore);
    return;
  }
}

async function childrenOf(pid: number): Promise<readonly string[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter((each) => each !== '');
}

function ignore(): void {
  // The process has ended.
}
