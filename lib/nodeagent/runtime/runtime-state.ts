// What a runtime reports: sandboxes, containers, images, usage, log entries and events.
import type { ContainerResources } from './container-config.js';

/** The state of a sandbox. A sandbox that is not ready is never ready again. */
export type PodSandboxState = 'ready' | 'not-ready';

/** The state of a container. `unknown`: the runtime lost it. */
export type ContainerState = 'created' | 'running' | 'exited' | 'unknown';

/** A sandbox, as in lists. */
export interface RuntimeSandbox {
  readonly id: string;
  readonly podUid: string;
  readonly name: string;
  readonly namespace: string;
  readonly attempt: number;
  readonly state: PodSandboxState;
  readonly createdAtMs: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A sandbox with its network. */
export interface RuntimeSandboxStatus extends RuntimeSandbox {
  /** The addresses of the pod, the main one first; those of the node with the host's network; empty once stopped. */
  readonly ips: readonly string[];
  readonly runtimeHandler: string;
}

/** A container, as in lists. */
export interface RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly podUid: string;
  readonly name: string;
  readonly attempt: number;
  readonly image: string;
  /** The identifier of the image that runs. */
  readonly imageRef: string;
  readonly state: ContainerState;
  readonly createdAtMs: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A container with its life so far. */
export interface RuntimeContainerStatus extends RuntimeContainer {
  /** 0 before the start. */
  readonly startedAtMs: number;
  /** 0 before the exit. */
  readonly finishedAtMs: number;
  /** The exit code of an exited container: 128 + n after signal n. 0 before the exit. */
  readonly exitCode: number;
  /** Why it exited: `Completed`, `Error`, `OOMKilled`, `StartError`, … Empty before the exit. */
  readonly reason: string;
  /** The text of the termination message file; empty without one. At most 4,096 bytes. */
  readonly message: string;
  /** The resources that are in effect. */
  readonly resources: ContainerResources;
}

/** All sandboxes and containers of one pod, also those that ended and were not removed. The newest is first. */
export interface PodRuntimeStatus {
  readonly sandboxes: readonly RuntimeSandboxStatus[];
  readonly containers: readonly RuntimeContainerStatus[];
}

/** Selects containers; all given fields must match. */
export interface ContainerFilter {
  readonly id?: string;
  readonly podUid?: string;
  readonly sandboxId?: string;
  readonly state?: ContainerState;
}

/** Selects sandboxes; all given fields must match. */
export interface SandboxFilter {
  readonly id?: string;
  readonly podUid?: string;
  readonly state?: PodSandboxState;
}

/** An image on the node. */
export interface RuntimeImage {
  /** The identifier, such as `sha256:…`. */
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  /** Whether garbage collection must keep it. */
  readonly isPinned: boolean;
}

/** Credentials for a registry, from an image pull secret. */
export interface RegistryCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

/** Space of the filesystem that holds images. */
export interface ImageFsUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
}

/** The available part of a capacity, in the same unit. */
export interface Headroom {
  readonly capacity: number;
  readonly available: number;
}

/** Figures of the machine that a runtime runs on. What it does not measure is left out. */
export interface MachineUsage {
  /** Bytes. */
  readonly memory?: Headroom;
  /** Bytes of the filesystem of volumes and logs. */
  readonly nodefs?: Headroom;
  readonly nodefsInodes?: Headroom;
  readonly imagefsInodes?: Headroom;
  /** Processes. */
  readonly pids?: Headroom;
}

/** Usage of processor, memory and storage by a container. */
export interface ContainerUsage {
  readonly containerId: string;
  readonly podUid: string;
  readonly name: string;
  readonly atMs: number;
  /** Processor time since the start, in nanoseconds. */
  readonly cpuCoreNanoseconds: number;
  /** Processor time per second over a recent window, in nanoseconds; undefined if unknown. */
  readonly cpuNanoCores?: number;
  readonly memoryWorkingSetBytes: number;
  /** The writable layer and the log. */
  readonly storageUsedBytes: number;
}

/** A line of a container's log, or a part of a long line. */
export interface LogEntry {
  readonly atMs: number;
  readonly stream: 'stdout' | 'stderr';
  /** The text without its line end. */
  readonly bytes: Uint8Array;
  /** Whether the line goes on with the next entry of this stream. */
  readonly isPartial: boolean;
}

/** Selects log entries. */
export interface LogSelection {
  /** Whether to wait for further entries until the container has exited and all were emitted. */
  readonly follow: boolean;
  /** Entries before this time are left out. */
  readonly sinceMs?: number;
  /** Only the last lines of what is there at the time of the subscription. */
  readonly tailLines?: number;
}

/** Something that happened to a sandbox or container without or by a call of the agent. */
export interface ContainerEvent {
  readonly type: 'created' | 'started' | 'stopped' | 'deleted';
  readonly podUid: string;
  readonly sandboxId: string;
  /** Undefined for an event of the sandbox. */
  readonly containerId?: string;
  readonly atMs: number;
}

/** The result of a command that ran to its end. */
export interface ExecResult {
  readonly exitCode: number;
  /** At most 16 MiB; the rest is dropped. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** A condition of the runtime as a whole. */
export interface RuntimeCondition {
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Health of the runtime: it can run containers, and the network for pods is set up. */
export interface RuntimeHealth {
  readonly runtime: RuntimeCondition;
  readonly network: RuntimeCondition;
}

/** A request over the pod's network: a probe or a hook. */
export type NetworkProbe =
  | {
      readonly type: 'http';
      readonly scheme: 'http' | 'https';
      /** Empty: the pod's address. */
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly headers: readonly ProbeHeader[];
    }
  | { readonly type: 'tcp'; readonly host: string; readonly port: number }
  | { readonly type: 'grpc'; readonly port: number; readonly service: string };

/** A header of a probe. */
export interface ProbeHeader {
  readonly name: string;
  readonly value: string;
}

/** The result of a request over the pod's network. A connection that fails is a rejection, not a result. */
export type NetworkProbeResult =
  /** At most 10 KiB of the body. `isRedirectedAway`: to another host, which counts as success. */
  | { readonly type: 'http'; readonly statusCode: number; readonly body: string; readonly isRedirectedAway?: boolean }
  | { readonly type: 'tcp' }
  /** The status of grpc.health.v1, such as `SERVING`. */
  | { readonly type: 'grpc'; readonly status: string };
