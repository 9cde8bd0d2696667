// The port to a container runtime, in the shape of the CRI (runtime.v1): pod sandboxes, containers, images, logs,
// streams, stats and events. One instance serves one node. The agent decides what runs; a runtime runs it.
//
// Promises of every runtime, which `runtimeSuite` checks:
// - Identifiers are unique for the life of the runtime and never reused.
// - A container goes created → running → exited and never back; a sandbox goes ready → not ready and never back.
// - Stop and remove are idempotent: an unknown or stopped identifier resolves. All other calls with an unknown
//   identifier reject with the RuntimeError `NotFound`.
// - A call that resolved is visible to the next read. An event is emitted after its state is visible to reads.
// - Calls may overlap, also for one container. Unsubscribing from a stream releases everything behind it.
// - Time is that of the clock that the runtime was created with. All times are milliseconds since 1970.
import type { Observable } from 'rxjs';
import type {
  Frozen,
  NodeConnectionChannels,
  NodeProcessChannels,
  ProcessCommand,
  ProcessStreams,
  StreamEnd,
} from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';
import type { ContainerConfig, ContainerResources, PodSandboxConfig, PodVolume } from './container-config.js';
import type {
  ContainerEvent,
  ContainerFilter,
  ContainerUsage,
  ExecResult,
  ImageFsUsage,
  LogEntry,
  LogSelection,
  MachineUsage,
  NetworkProbe,
  NetworkProbeResult,
  PodRuntimeStatus,
  RegistryCredentials,
  RuntimeContainer,
  RuntimeHealth,
  RuntimeImage,
  RuntimeSandbox,
  SandboxFilter,
} from './runtime-state.js';

/** Runs the pods of one node. */
export interface ContainerRuntime {
  /** The prefix of container IDs, such as `containerd`: a lower-case word. */
  readonly name: string;
  /** Such as `2.1.4`. */
  readonly version: string;
  /**
   * True for a runtime that reads neither the files of volumes nor environment variables of Services: tokens and root
   * certificates are not requested for it. Default false.
   */
  readonly ignoresContent?: boolean;
  /** Returns whether the runtime and its network can run pods. */
  health(): Promise<RuntimeHealth>;
  /** Sets the ranges from which pods get addresses. Sandboxes that exist keep theirs. */
  setPodCidrs?(podCidrs: readonly string[]): Promise<void>;

  /**
   * Called once for each pod of the node when the agent starts, before any other call about it. A runtime without state
   * of its own, such as a simulation, takes up the containers that the status of the pod shows as running.
   */
  restore?(pod: Frozen<Pod>): void;

  /** Creates and starts a sandbox with its network and volumes. Resolves with its identifier when the network is up. */
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  /** Kills the containers of a sandbox and tears its network down. Resolves when nothing runs in it. Idempotent. */
  stopPodSandbox(sandboxId: string): Promise<void>;
  /** Removes a sandbox with its containers, running or not. Idempotent. */
  removePodSandbox(sandboxId: string): Promise<void>;
  /** Lists sandboxes, oldest first. */
  listPodSandboxes(filter?: SandboxFilter): Promise<readonly RuntimeSandbox[]>;
  /** Returns all sandboxes and containers of a pod, newest first; none for an unknown pod. */
  podStatus(podUid: string): Promise<PodRuntimeStatus>;
  /** Replaces the files of a volume at once. Resolves also where no container mounts it. */
  updateVolume(podUid: string, volume: PodVolume): Promise<void>;
  /** Removes the volumes and logs of a pod, all of whose sandboxes were removed. Idempotent. */
  removePodData(podUid: string): Promise<void>;

  /**
   * Creates a container in a sandbox and resolves with its identifier. Rejects with `NotFound` for an unknown sandbox
   * or image, with `FailedPrecondition` for a sandbox that is not ready, and with `AlreadyExists` for a name and
   * attempt that the sandbox has.
   */
  createContainer(sandboxId: string, config: ContainerConfig): Promise<string>;
  /**
   * Starts a created container. Resolves when its process runs. A process that cannot be started exits with code 128
   * and reason `StartError`, and the call rejects with `StartError`. Rejects with `FailedPrecondition` if it is not
   * created.
   */
  startContainer(containerId: string): Promise<void>;
  /**
   * Sends the stop signal, and SIGKILL after `timeoutMs`. Resolves when the container has exited. A further call while
   * one waits shortens the time if its own ends earlier. Idempotent.
   */
  stopContainer(containerId: string, timeoutMs: number): Promise<void>;
  /** Removes a container; a running one is killed. Idempotent. */
  removeContainer(containerId: string): Promise<void>;
  /** Lists containers, oldest first. */
  listContainers(filter?: ContainerFilter): Promise<readonly RuntimeContainer[]>;
  /** Changes the resources of a container that has not exited. */
  updateContainerResources(containerId: string, resources: ContainerResources): Promise<void>;

  /** Lists the images of the node. */
  listImages(): Promise<readonly RuntimeImage[]>;
  /** Returns an image by name, digest or identifier; undefined if the node does not have it. */
  imageStatus(image: string): Promise<RuntimeImage | undefined>;
  /**
   * Pulls an image and resolves with its identifier. Rejects with a RuntimeError whose code is `ErrImagePull`,
   * `RegistryUnavailable`, `SignatureValidationFailed` or `InvalidImageName`.
   */
  pullImage(image: string, options?: PullOptions): Promise<string>;
  /** Removes an image by its identifier. Idempotent. */
  removeImage(imageId: string): Promise<void>;
  /** Returns the space that images use. */
  imageFsUsage(): Promise<ImageFsUsage>;

  /**
   * Emits the log of a container, also of one that exited, in order. Completes at the end of the log, with `follow`
   * after the exit. Errors with `NotFound`. A runtime keeps a bounded amount per container and drops the oldest lines.
   */
  containerLog(containerId: string, selection: LogSelection): Observable<LogEntry>;

  /**
   * Runs a command in a running container to its end. Rejects with `DeadlineExceeded` after `timeoutMs` (0: no limit),
   * and kills the command then; with `FailedPrecondition` if the container does not run.
   */
  execSync(containerId: string, command: readonly string[], timeoutMs: number): Promise<ExecResult>;
  /** Runs a command in a running container. Closes the channels with `exitStatus(code)`. */
  exec(containerId: string, command: ProcessCommand, channels: NodeProcessChannels): StreamEnd;
  /** Attaches to the main process of a container. Ends when it exits. */
  attach(containerId: string, streams: ProcessStreams, channels: NodeProcessChannels): StreamEnd;
  /** Connects to a port of a pod. */
  portForward(sandboxId: string, port: number, channels: NodeConnectionChannels): StreamEnd;
  /** Sends a request over the network of a pod. Rejects if the connection fails or `timeoutMs` passes. */
  probe(sandboxId: string, probe: NetworkProbe, timeoutMs: number): Promise<NetworkProbeResult>;

  /** Returns what the running containers use. */
  listContainerUsage(filter?: ContainerFilter): Promise<readonly ContainerUsage[]>;
  /**
   * Returns figures of the machine, for eviction. Left out: the capacity of the node without what its containers use.
   */
  machineUsage?(): Promise<MachineUsage>;
  /** Returns the bytes in the emptyDir volumes of a pod by name, for eviction. Left out: they are not measured. */
  volumeUsage?(podUid: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Emits events from the subscription on. Never errors; a runtime that loses its connection completes it. Without it,
   * or after its completion, the agent lists all containers once a second.
   */
  readonly events$?: Observable<ContainerEvent>;
  /** Ends everything that runs and releases all resources. Idempotent. Left out where containers survive the agent. */
  close?(): Promise<void>;
}

/** Options of a pull. */
export interface PullOptions {
  readonly credentials?: readonly RegistryCredentials[];
  /** The pod on whose behalf the image is pulled. */
  readonly podUid?: string;
}

/** Codes of a RuntimeError: those of gRPC that callers distinguish, and the reasons of failed pulls and starts. */
export type RuntimeErrorCode =
  | 'NotFound'
  | 'AlreadyExists'
  | 'FailedPrecondition'
  | 'InvalidArgument'
  | 'DeadlineExceeded'
  | 'Unavailable'
  | 'Unimplemented'
  | 'Unknown'
  | 'StartError'
  | 'ErrImagePull'
  | 'InvalidImageName'
  | 'RegistryUnavailable'
  | 'SignatureValidationFailed';

/** A call of a runtime failed. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns whether a value is a RuntimeError, of that code if one is given. By its shape: packages may be doubled. */
export function isRuntimeError(error: unknown, code?: RuntimeErrorCode): error is RuntimeError {
  if (!(error instanceof Error) || error.name !== 'RuntimeError' || !('code' in error)) return false;
  return code === undefined || error.code === code;
}
