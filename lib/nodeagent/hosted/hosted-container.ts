// One container of a HostedRuntime: its state, its main process, its stop, and the clients that are attached to it.
//
//   created ──start──► running ──exit──► exited
//      └────────────── start fails ────────┘ (code 128, StartError)
//
// A stop sends the stop signal once, and SIGKILL at the earliest deadline of all pending stops.
import { firstValueFrom } from 'rxjs';
import { decodeTerminalSize, errorText, exitStatus, pause } from '../../core/index.js';
import type { Clock, NodeProcessChannels, ProcessCommand, ProcessStreams } from '../../core/index.js';
import type { ContainerResources } from '../runtime/container-config.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type { ContainerState, ExecResult, RuntimeContainerStatus } from '../runtime/runtime-state.js';
import type { ContainerHost, ContainerLog, HostedProcess, HostedSpec, ProcessExit } from './container-host.js';

/** Called after a change of state is visible. */
export type StateListener = (type: 'started' | 'stopped') => void;

/** The output of a command that is kept, in bytes. */
const execBytesMax = 16 * 1024 * 1024;

/** Commands that may run in one container at a time. */
const execsMax = 100;

/** A container and what runs in it. */
export class HostedContainer {
  readonly spec: HostedSpec;
  readonly log: ContainerLog;
  readonly #host: ContainerHost;
  readonly #clock: Clock;
  readonly #onState: StateListener;
  readonly #attached = new Set<NodeProcessChannels>();
  /** Commands of exec that run. */
  readonly #commands = new Set<HostedProcess>();
  #resources: ContainerResources;
  #state: ContainerState = 'created';
  #startedAtMs = 0;
  #finishedAtMs = 0;
  #exit: ProcessExit = { exitCode: 0, reason: '' };
  #process: HostedProcess | undefined;
  /** Resolves when the container has exited; undefined before its start. */
  #exited: Promise<void> | undefined;
  #stop: { readonly atMs: number; readonly cancel: AbortController } | undefined;

  constructor(spec: HostedSpec, log: ContainerLog, host: ContainerHost, clock: Clock, onState: StateListener) {
    this.spec = spec;
    this.log = log;
    this.#host = host;
    this.#clock = clock;
    this.#onState = onState;
    this.#resources = spec.config.resources;
  }

  /** Marks a container of an earlier run as exited. */
  restore(startedAtMs: number, finishedAtMs: number, exit: ProcessExit): void {
    this.#state = 'exited';
    this.#startedAtMs = startedAtMs;
    this.#finishedAtMs = finishedAtMs;
    this.#exit = exit;
  }

  get state(): ContainerState {
    return this.#state;
  }

  set resources(resources: ContainerResources) {
    this.#resources = resources;
  }

  status(): RuntimeContainerStatus {
    const { id, pod, config, createdAtMs } = this.spec;
    const { exitCode, reason = exitCode === 0 ? 'Completed' : 'Error', message = '' } = this.#exit;
    return {
      id,
      sandboxId: pod.id,
      podUid: pod.config.uid,
      name: config.name,
      attempt: config.attempt,
      image: config.image,
      imageRef: config.imageRef,
      state: this.#state,
      createdAtMs,
      labels: config.labels,
      annotations: config.annotations,
      startedAtMs: this.#startedAtMs,
      finishedAtMs: this.#finishedAtMs,
      exitCode,
      reason,
      message: truncate(message),
      resources: this.#resources,
    };
  }

  /** Starts the main process. Rejects with StartError, or FailedPrecondition if it was started before. */
  async start(): Promise<void> {
    if (this.#state !== 'created' || this.#exited !== undefined)
      throw new RuntimeError('FailedPrecondition', `container ${this.spec.id} is not in the created state`);
    let running = (): void => undefined;
    this.#exited = new Promise((resolve) => (running = resolve));
    const { stdin, tty } = this.spec.config;
    const output = (stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> | undefined => {
      // A client that does not read is disconnected by the limit of its channels.
      for (const channels of this.#attached) void channels.output(tty ? 'stdout' : stream, bytes);
      return this.log.write(stream, bytes);
    };
    try {
      const program = await this.#host.start({ container: this.spec, stdin, tty, output });
      this.#process = program;
      // Stopped while it was being started.
      if (this.#stop !== undefined) program.signal('SIGKILL');
      this.#startedAtMs = this.#clock.now();
      await this.#host.started?.(this.spec, this.#startedAtMs);
      this.#state = 'running';
      void program.exit.then((exit) => this.#finish(exit)).then(running);
      this.#onState('started');
    } catch (cause) {
      const message = errorText(cause);
      await this.#finish({ exitCode: 128, reason: 'StartError', message });
      running();
      throw new RuntimeError('StartError', message, { cause });
    }
  }

  /** Stops the main process; see `ContainerRuntime.stopContainer`. */
  async stop(timeoutMs: number): Promise<void> {
    if (this.#exited === undefined || this.#state === 'exited') return;
    if (this.#stop === undefined && timeoutMs > 0)
      this.#process?.signal(this.spec.config.stopSignal === '' ? 'SIGTERM' : this.spec.config.stopSignal);
    const atMs = this.#clock.now() + Math.max(0, timeoutMs);
    if (this.#stop === undefined || atMs < this.#stop.atMs) {
      this.#stop?.cancel.abort();
      this.#stop = { atMs, cancel: new AbortController() };
      if (timeoutMs <= 0) this.kill();
      else void this.#killAfter(timeoutMs, this.#stop.cancel.signal);
    }
    await this.#exited;
  }

  /** Kills everything in the container. */
  kill(): void {
    this.#process?.signal('SIGKILL');
    for (const command of this.#commands) command.signal('SIGKILL');
  }

  /** Kills the main process and resolves when it has exited. */
  async remove(): Promise<void> {
    await this.stop(0);
    await this.log.end();
  }

  /** Runs a command to its end. */
  async execSync(command: readonly string[], timeoutMs: number): Promise<ExecResult> {
    const kept = { stdout: new KeptOutput(), stderr: new KeptOutput() };
    const program = await this.#startCommand({ command, stdin: false, tty: false }, (stream, bytes) =>
      kept[stream].add(bytes),
    );
    program.endInput();
    const ended = new AbortController();
    try {
      if (timeoutMs <= 0) return { exitCode: (await program.exit).exitCode, ...outputs(kept) };
      const late = pause(this.#clock, timeoutMs, ended.signal).then(() => undefined);
      const exit = await Promise.race([program.exit, late.catch(() => program.exit)]);
      if (exit !== undefined) return { exitCode: exit.exitCode, ...outputs(kept) };
      program.signal('SIGKILL');
      throw new RuntimeError('DeadlineExceeded', `command ${JSON.stringify(command)} timed out`);
    } finally {
      ended.abort();
    }
  }

  /** Runs a command with the streams of a client. */
  async exec(options: ProcessCommand, channels: NodeProcessChannels): Promise<void> {
    const { command, stdin, tty } = options;
    const program = await this.#startCommand({ command, stdin, tty }, (stream, bytes) =>
      channels.output(tty ? 'stdout' : stream, bytes),
    );
    const gone = (): void => program.signal('SIGKILL');
    channels.signal.addEventListener('abort', gone);
    if (!stdin) program.endInput();
    void passInput(channels, program, () => program.endInput());
    const { exitCode } = await program.exit;
    channels.signal.removeEventListener('abort', gone);
    channels.close(exitStatus(exitCode));
  }

  /** Connects a client to the main process until that exits or the client disconnects. */
  async attach(streams: ProcessStreams, channels: NodeProcessChannels): Promise<void> {
    const program = this.#process;
    if (this.#state !== 'running' || program === undefined || this.#exited === undefined) throw this.#notRunning();
    const { stdin, stdinOnce } = this.spec.config;
    this.#attached.add(channels);
    const leave = (): void => {
      if (this.#attached.delete(channels) && streams.stdin && stdinOnce) program.endInput();
    };
    channels.signal.addEventListener('abort', leave);
    const endInput = (): void => {
      if (stdinOnce) program.endInput();
    };
    const input: Pick<HostedProcess, 'input' | 'resize'> =
      streams.stdin && stdin ? program : { input: () => undefined };
    void passInput(channels, input, endInput);
    await this.#exited;
    this.#attached.delete(channels);
    channels.close();
  }

  async #startCommand(
    { command, stdin, tty }: { readonly command: readonly string[]; readonly stdin: boolean; readonly tty: boolean },
    output: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void> | undefined,
  ): Promise<HostedProcess> {
    if (this.#state !== 'running') throw this.#notRunning();
    if (this.#commands.size >= execsMax)
      throw new RuntimeError('Unavailable', `container ${this.spec.id} already runs ${execsMax} commands`);
    const program = await this.#host.start({ container: this.spec, command, stdin, tty, output });
    this.#commands.add(program);
    void program.exit.then(() => this.#commands.delete(program));
    return program;
  }

  #notRunning(): RuntimeError {
    return new RuntimeError('FailedPrecondition', `container ${this.spec.id} is not running`);
  }

  async #finish(exit: ProcessExit): Promise<void> {
    for (const command of this.#commands) command.signal('SIGKILL');
    this.#stop?.cancel.abort();
    await this.log.end();
    this.#finishedAtMs = this.#clock.now();
    await this.#host.exited?.(this.spec, exit, this.#finishedAtMs);
    this.#exit = exit;
    this.#process = undefined;
    this.#state = 'exited';
    this.#onState('stopped');
  }

  async #killAfter(timeoutMs: number, signal: AbortSignal): Promise<void> {
    try {
      await pause(this.#clock, timeoutMs, signal);
      this.kill();
    } catch {
      // Cancelled: the container has exited, or another stop has an earlier deadline.
    }
  }
}

/** Passes stdin and terminal sizes of a client to a process, with back-pressure, until either ends. */
async function passInput(
  channels: NodeProcessChannels,
  program: Pick<HostedProcess, 'input' | 'resize'>,
  ended: () => void,
): Promise<void> {
  for (;;) {
    const message = await firstValueFrom(channels.input$, { defaultValue: undefined });
    if (message === undefined || message.type === 'close') return;
    if (message.channel === 'resize') {
      const size = message.type === 'data' ? decodeTerminalSize(message.bytes) : undefined;
      if (size !== undefined) program.resize?.(size);
    } else if (message.type === 'end') ended();
    else await program.input(message.bytes);
  }
}

/** Output that is kept up to a limit. */
class KeptOutput {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  add(bytes: Uint8Array): undefined {
    const fit = bytes.subarray(0, execBytesMax - this.#size);
    this.#size += fit.length;
    if (fit.length > 0) this.#pieces.push(Uint8Array.from(fit));
  }

  all(): Uint8Array {
    const joined = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  }
}

function outputs({ stdout, stderr }: Readonly<Record<'stdout' | 'stderr', KeptOutput>>): Omit<ExecResult, 'exitCode'> {
  return { stdout: stdout.all(), stderr: stderr.all() };
}

/** As the kubelet: at most 4,096 bytes. */
function truncate(message: string): string {
  const bytes = new TextEncoder().encode(message);
  return bytes.length <= messageBytesMax ? message : new TextDecoder().decode(bytes.subarray(0, messageBytesMax));
}

const messageBytesMax = 4096;
