// The port between `HostedRuntime` and what runs its containers: functions of this process, or child processes. The
// runtime keeps identifiers, states, stops, attached clients and events; a host starts processes and keeps volumes,
// logs and images. A new host needs only this file.
import type { Observable } from 'rxjs';
import type { NodeConnectionChannels, StreamEnd, TerminalSize } from '../../core/index.js';
import type { ContainerConfig, PodSandboxConfig, PodVolume } from '../runtime/container-config.js';
import type { PullOptions } from '../runtime/container-runtime.js';
import type {
  ImageFsUsage,
  LogEntry,
  LogSelection,
  NetworkProbe,
  NetworkProbeResult,
  RuntimeImage,
} from '../runtime/runtime-state.js';

/** A sandbox of a host. */
export interface HostedPod {
  /** The identifier of the sandbox. */
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly createdAtMs: number;
  readonly ips: readonly string[];
}

/** A container of a host. */
export interface HostedSpec {
  readonly id: string;
  readonly pod: HostedPod;
  readonly config: ContainerConfig;
  readonly createdAtMs: number;
}

/** The end of a process. */
export interface ProcessExit {
  /** 128 + n after signal n. */
  readonly exitCode: number;
  /** Default: `Completed` for code 0, otherwise `Error`. */
  readonly reason?: string;
  /** The termination message. */
  readonly message?: string;
}

/** Receives the output of a process. A promise resolves when there is room for more. */
export type OutputSink = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void> | undefined;

/** A running process. */
export interface HostedProcess {
  /** Resolves after the last output was passed on. Never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** Sends a signal such as `SIGTERM`. No effect after the exit. SIGKILL always ends the process. */
  signal(name: string): void;
  /** Sends bytes to stdin; a promise resolves when there is room for more. */
  input(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends stdin. Idempotent. */
  endInput(): void;
  /** Changes the size of the terminal, if there is one. */
  resize?(size: TerminalSize): void;
}

/** How to start a process. */
export interface ProcessRequest {
  readonly container: HostedSpec;
  /** Undefined: the main process of the container. */
  readonly command?: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly output: OutputSink;
}

/** The log of a container. */
export interface ContainerLog {
  /** Appends output. A promise resolves when there is room for more. */
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> | undefined;
  /** Ends the log after what was written. */
  end(): Promise<void>;
  /** Emits entries; see `ContainerRuntime.containerLog`. */
  read(selection: LogSelection): Observable<LogEntry>;
  /** The number of bytes that the log takes. */
  size(): number;
}

/** What a container uses. */
export interface HostedUsage {
  readonly cpuCoreNanoseconds: number;
  readonly memoryWorkingSetBytes: number;
  /** Without the log. */
  readonly storageUsedBytes: number;
}

/** The images of a host. */
export interface HostedImages {
  list(): Promise<readonly RuntimeImage[]>;
  /** Returns an image by name, digest or identifier. */
  find(image: string): Promise<RuntimeImage | undefined>;
  /** Resolves with the identifier. Rejects with RuntimeError. */
  pull(image: string, options?: PullOptions): Promise<string>;
  remove(id: string): Promise<void>;
  usage(): Promise<ImageFsUsage>;
}

/** A container that existed before the runtime was created, and how it ended. */
export interface RestoredContainer extends HostedSpec {
  readonly log: ContainerLog;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exit: ProcessExit;
}

/** What a host found from an earlier run. Nothing of it runs. */
export interface RestoredPods {
  readonly pods: readonly HostedPod[];
  readonly containers: readonly RestoredContainer[];
}

/** Runs containers. Errors are RuntimeErrors. */
export interface ContainerHost {
  readonly name: string;
  readonly version: string;
  readonly images: HostedImages;
  /** Sets the ranges of pod addresses. */
  setPodCidrs?(podCidrs: readonly string[]): Promise<void>;
  /** Sets up the network and the volumes of a pod. Resolves with its addresses. */
  openPod(id: string, config: PodSandboxConfig, createdAtMs: number): Promise<readonly string[]>;
  /** Tears the network down. Nothing runs in the pod any more. */
  closePod(pod: HostedPod): Promise<void>;
  /** Forgets a sandbox. Volumes and logs stay until `removePodData`. */
  removePod(pod: HostedPod): Promise<void>;
  updateVolume(podUid: string, volume: PodVolume): Promise<void>;
  removePodData(podUid: string): Promise<void>;
  /** Prepares a container and its log. */
  createContainer(container: HostedSpec): Promise<ContainerLog>;
  /** Starts a process. Rejects where it cannot be started. */
  start(request: ProcessRequest): Promise<HostedProcess>;
  /** Called when the main process of a container started. */
  started?(container: HostedSpec, atMs: number): Promise<void>;
  /** Called when the main process of a container ended, before the state is visible. */
  exited?(container: HostedSpec, exit: ProcessExit, atMs: number): Promise<void>;
  removeContainer(container: HostedSpec): Promise<void>;
  usage(container: HostedSpec): Promise<HostedUsage>;
  /** Connects to a port of a pod. */
  connect(pod: HostedPod, port: number, channels: NodeConnectionChannels): StreamEnd;
  probe(pod: HostedPod, probe: NetworkProbe, timeoutMs: number): Promise<NetworkProbeResult>;
  close(): Promise<void>;
}

/** Returns a name with registry and tag. As distribution/reference, ParseNormalizedNamed. */
export function fullImageName(image: string): string {
  const [name = ''] = image.split('@');
  const first = name.split('/')[0] ?? '';
  const hasRegistry = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const path = hasRegistry ? name : name.includes('/') ? `docker.io/${name}` : `docker.io/library/${name}`;
  return /:[^/]*$/.test(path) ? path : `${path}:latest`;
}
