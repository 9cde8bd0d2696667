// What a user of `runtimeSuite` provides: a runtime, and how its containers do the few things that checks need. Checks
// use the functions below to build pods and to wait, so that they run on a virtual clock and on the system's.
import { from, lastValueFrom, toArray } from 'rxjs';
import { duplexChannels, pause, toStatus, systemClock } from '../../core/index.js';
import type { ChannelMessage, DuplexChannels, StreamEnd } from '../../core/index.js';
import { isRuntimeError } from '../../nodeagent/index.js';
import type {
  ContainerConfig,
  ContainerRuntime,
  LogEntry,
  LogSelection,
  PodSandboxConfig,
  RuntimeContainerStatus,
  RuntimeErrorCode,
  RuntimeSandboxStatus,
} from '../../nodeagent/index.js';
import { describeError } from '../store-suite/expect.js';

/** Actions of the main process of a container. */
export type ProgramBehaviour =
  /** Exits at once. */
  | { readonly does: 'exit'; readonly code: number }
  /** Runs until SIGTERM, then exits with 0. */
  | { readonly does: 'run' }
  /** Runs and ignores SIGTERM. */
  | { readonly does: 'ignoreTerm' }
  /** Prints lines, then exits with 0 or runs until SIGTERM. */
  | {
      readonly does: 'print';
      readonly stdout: readonly string[];
      readonly stderr: readonly string[];
      readonly then: 'exit' | 'run';
    }
  /** Prints so many bytes `x` without a line end, then exits with 0. */
  | { readonly does: 'printLong'; readonly bytes: number }
  /** Sends stdin back to stdout until its end, then exits with 0. */
  | { readonly does: 'echo' }
  /** Prints an environment variable as a line, then exits with 0. */
  | { readonly does: 'printEnv'; readonly name: string }
  /** Prints its arguments (`args` of the container) as lines, then exits with 0. */
  | { readonly does: 'printArgs' }
  /** Prints a file below a mount, then exits with 0; with 1 if there is none. */
  | { readonly does: 'printFile'; readonly mount: string; readonly path: string }
  /** Writes a file below a mount, then exits with 0; with 1 if it cannot. */
  | { readonly does: 'writeFile'; readonly mount: string; readonly path: string; readonly text: string }
  /** Responds to HTTP requests on a port with a text, until SIGTERM. */
  | { readonly does: 'serve'; readonly port: number; readonly text: string }
  /** Writes the termination message, then exits. */
  | { readonly does: 'message'; readonly text: string; readonly code: number };

/** Actions of a command in a running container. */
export type ExecBehaviour =
  | { readonly does: 'exit'; readonly code: number }
  /** Prints a line to each output. */
  | { readonly does: 'print'; readonly stdout: string; readonly stderr: string }
  /** Sends stdin back to stdout until its end. */
  | { readonly does: 'echo' }
  /** Runs until it is killed. */
  | { readonly does: 'hang' };

/** The parts of a container that behaves so. */
export type ContainerProgram = Partial<Pick<ContainerConfig, 'image' | 'command' | 'args'>>;

/** Things that not every runtime has; their checks are left out on request. */
export type RuntimeFeature =
  | 'args'
  | 'attach'
  /** Commands that run are killed with their container. */
  | 'commandKill'
  | 'env'
  | 'events'
  | 'exec'
  | 'files'
  | 'http'
  /** Output of any size; otherwise only lines. */
  | 'output'
  | 'pull'
  | 'recovery'
  | 'stdin'
  | 'terminationMessage'
  | 'usage';

/** A runtime for one check. */
export interface RuntimeHarness {
  readonly runtime: ContainerRuntime;
  /** Returns what a container needs to behave so. */
  readonly program: (behaviour: ProgramBehaviour) => ContainerProgram;
  /** Returns a command for exec. */
  readonly command: (behaviour: ExecBehaviour) => readonly string[];
  /** An image that the runtime can run. */
  readonly image: string;
  /** An image that cannot be pulled. */
  readonly missingImage: string;
  /** Moves the runtime's clock. Undefined where it is the system's. */
  elapse?(ms: number): Promise<void> | void;
  /** Kills the runtime as a crash does and opens another over the same state. */
  readonly reopen?: () => Promise<ContainerRuntime>;
  /** Names what still runs although no container does; for tests of teardown. */
  leftBehind?(): Promise<readonly string[]>;
  /** How long a check waits for what should happen, in real milliseconds. Default one minute. */
  readonly patienceMs?: number;
  /** Releases the runtime. */
  dispose(): Promise<void>;
}

/** One promise of a runtime. */
export interface RuntimeCheck {
  readonly promise: string;
  /** What the runtime must have for the check to make sense. */
  readonly needs?: readonly RuntimeFeature[];
  readonly run: (harness: RuntimeHarness) => Promise<void>;
}

/** Returns the configuration of a pod. */
export function podConfig(changes: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
  const { uid = 'uid-1', name = 'pod', namespace = 'default' } = changes;
  return {
    uid,
    name,
    namespace,
    attempt: 0,
    hostname: name,
    labels: {},
    annotations: {},
    isHostNetwork: false,
    sharesProcesses: false,
    dns: { servers: [], searches: [], options: [] },
    portMappings: [],
    runtimeHandler: '',
    volumes: [],
    pod: { metadata: { uid, name, namespace }, spec: { containers: [{ name: 'main', image: 'image' }] } },
    ...changes,
  };
}

/** Returns the configuration of a container. */
export function containerConfig(
  { image: imageRef, program }: RuntimeHarness,
  behaviour: ProgramBehaviour,
  changes: Partial<ContainerConfig> = {},
): ContainerConfig {
  const { image = imageRef, command = [], args = [] } = program(behaviour);
  return {
    name: 'main',
    attempt: 0,
    image,
    imageRef: '',
    command,
    args,
    workingDir: '',
    env: [],
    mounts: [],
    ports: [],
    labels: {},
    annotations: {},
    resources: noResources,
    security: { supplementalGroups: [], isPrivileged: false, hasReadOnlyRoot: false },
    stdin: false,
    stdinOnce: false,
    tty: false,
    stopSignal: '',
    terminationMessagePath: '/dev/termination-log',
    ...changes,
  };
}

const noResources = {
  cpuRequestMilli: 0,
  cpuLimitMilli: 0,
  memoryRequestBytes: 0,
  memoryLimitBytes: 0,
  ephemeralStorageLimitBytes: 0,
};

/** Identifiers of a pod with one container. */
export interface MadePod {
  readonly sandboxId: string;
  readonly containerId: string;
}

/** Pulls the image if the node does not have it, and creates a container. */
export async function createIn(harness: RuntimeHarness, sandboxId: string, config: ContainerConfig): Promise<string> {
  const { runtime } = harness;
  const present = await complete(harness, runtime.imageStatus(config.image));
  const imageRef = present?.id ?? (await complete(harness, runtime.pullImage(config.image)));
  return complete(harness, runtime.createContainer(sandboxId, { ...config, imageRef }));
}

/** Runs a pod with one container. */
export async function startPod(
  harness: RuntimeHarness,
  behaviour: ProgramBehaviour,
  changes: { readonly pod?: Partial<PodSandboxConfig>; readonly container?: Partial<ContainerConfig> } = {},
): Promise<MadePod> {
  const { runtime } = harness;
  const sandboxId = await complete(harness, runtime.runPodSandbox(podConfig(changes.pod)));
  const containerId = await createIn(harness, sandboxId, containerConfig(harness, behaviour, changes.container));
  await complete(harness, runtime.startContainer(containerId));
  return { sandboxId, containerId };
}

/** Returns a container; fails where there is none. */
export async function statusOf(
  { runtime }: RuntimeHarness,
  containerId: string,
  podUid = 'uid-1',
): Promise<RuntimeContainerStatus> {
  const { containers } = await runtime.podStatus(podUid);
  const found = containers.find(({ id }) => id === containerId);
  if (found === undefined) throw new Error(`pod ${podUid} has no container ${containerId}`);
  return found;
}

/** Returns a sandbox; fails where there is none. */
export async function sandboxOf(
  { runtime }: RuntimeHarness,
  sandboxId: string,
  podUid = 'uid-1',
): Promise<RuntimeSandboxStatus> {
  const found = (await runtime.podStatus(podUid)).sandboxes.find(({ id }) => id === sandboxId);
  if (found === undefined) throw new Error(`pod ${podUid} has no sandbox ${sandboxId}`);
  return found;
}

/** Waits until a container has exited. */
export async function exitOf(harness: RuntimeHarness, containerId: string): Promise<RuntimeContainerStatus> {
  await until(harness, async () => (await statusOf(harness, containerId)).state === 'exited', 'the container exits');
  return statusOf(harness, containerId);
}

/** Waits until a condition holds, moving the runtime's clock. */
export async function until(
  harness: RuntimeHarness,
  condition: () => boolean | Promise<boolean>,
  claim: string,
): Promise<void> {
  const clock = systemClock();
  const startMs = clock.now();
  const patienceMs = harness.patienceMs ?? 60_000;
  while (!(await condition())) {
    if (clock.now() - startMs > patienceMs) throw new Error(`${claim} (waited ${patienceMs} ms)`);
    await harness.elapse?.(50);
    await pause(clock, harness.elapse === undefined ? 5 : 0);
  }
}

/** Waits for a promise, moving the runtime's clock. */
export async function complete<T>(harness: RuntimeHarness, call: Promise<T>): Promise<T> {
  let isSettled = false;
  const mark = (): void => void (isSettled = true);
  call.then(mark, mark);
  await until(harness, () => isSettled, 'a call of the runtime ends');
  return call;
}

/** Fails unless the call rejects with a RuntimeError of that code. */
export async function expectCode(
  harness: RuntimeHarness,
  call: () => Promise<unknown>,
  code: RuntimeErrorCode,
  claim: string,
): Promise<void> {
  try {
    await complete(harness, call());
  } catch (error) {
    if (isRuntimeError(error, code)) return;
    throw new Error(`${claim}: expected ${code}, but it failed with ${describeError(error)}`, { cause: error });
  }
  throw new Error(`${claim}: expected ${code}, but it succeeded`);
}

/** Reads a log to its end. */
export async function logOf(
  harness: RuntimeHarness,
  containerId: string,
  selection: LogSelection = { follow: false },
): Promise<readonly LogEntry[]> {
  return complete(
    harness,
    lastValueFrom(harness.runtime.containerLog(containerId, selection).pipe(toArray()), { defaultValue: [] }),
  );
}

/** Reads the lines of a log: stream and text. */
export async function printedLines(
  harness: RuntimeHarness,
  containerId: string,
  selection?: LogSelection,
): Promise<readonly string[]> {
  return (await logOf(harness, containerId, selection)).map(({ stream, bytes }) => `${stream} ${text(bytes)}`);
}

/** A stream that a check opened: the client's end, its messages, and whether it is over. */
export interface OpenStream<In extends string, Out extends string> {
  readonly client: DuplexChannels<In, Out>;
  /** Resolves with all messages when the stream is closed. */
  readonly messages: Promise<readonly ChannelMessage<In>[]>;
}

/** Opens a stream of a runtime, as an API server does: it is closed when what serves it ends. */
export function openStream<In extends string, Out extends string>(
  serve: (channels: DuplexChannels<Out, In>) => StreamEnd,
): OpenStream<In, Out> {
  const [near, client] = duplexChannels<Out, In>();
  const messages = lastValueFrom(client.input$.pipe(toArray()), { defaultValue: [] });
  const run = async (): Promise<void> => {
    try {
      const served = serve(near);
      if (served === undefined) return;
      await lastValueFrom(from(served), { defaultValue: undefined });
      near.close();
    } catch (error) {
      near.close(toStatus(error));
    }
  };
  void run();
  return { client, messages };
}

/** Returns all bytes of a channel as text. */
export function channelText(messages: readonly ChannelMessage[], channel: string): string {
  return messages.map((each) => (each.type === 'data' && each.channel === channel ? text(each.bytes) : '')).join('');
}

/** Decodes UTF-8. */
export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Encodes UTF-8. */
export function utf8(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}
