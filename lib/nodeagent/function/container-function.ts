// Containers as functions: what a host writes to run a pod inside this process. An image name stands for a function
// that gets what a process gets: environment, arguments, volumes, signals, standard streams and ports.
import type { Observable } from 'rxjs';
import type { Clock, Frozen, NodeConnectionChannels, StreamEnd } from '../../core/index.js';
import type { Pod } from '../../core/types/index.js';

/**
 * The result of a function. A number is the exit code, nothing is 0, and an error is 1 with its text on stderr. An
 * Observable runs until it completes; text and bytes that it emits are written to stdout, and it is unsubscribed when
 * the container is killed.
 */
export type FunctionResult = number | undefined | Promise<number | undefined> | Promise<void> | Observable<unknown>;

/** The main process of a container, or a command in it. */
export type ContainerFunction = (context: FunctionContext) => FunctionResult;

/** An image: a function, and what else containers of it can do. */
export interface FunctionImage {
  readonly run: ContainerFunction;
  /** Commands of `kubectl exec` and of exec probes by name. Others fail as a program that does not exist. */
  readonly commands?: Readonly<Record<string, ContainerFunction>>;
  /** The environment of the image, which the container may override. */
  readonly env?: Readonly<Record<string, string>>;
  /** The size that the node reports. Default 0. */
  readonly sizeBytes?: number;
}

/** The arguments of a function. */
export interface FunctionContext {
  /** The pod as it was when its sandbox was created. */
  readonly pod: Frozen<Pod>;
  /** The name of the container. */
  readonly container: string;
  /** The addresses of the pod. */
  readonly podIps: readonly string[];
  /** `command` and `args` of the container; of exec: the command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The volumes by the path at which they are mounted. */
  readonly mounts: ReadonlyMap<string, MountedVolume>;
  readonly clock: Clock;
  /** Emits what is sent to stdin, and completes at its end. One subscriber. Completes at once without stdin. */
  readonly stdin$: Observable<Uint8Array>;
  /** Writes to stdout; text as UTF-8. A promise resolves when there is room for more. */
  readonly stdout: WriteOutput;
  /** Writes to stderr. */
  readonly stderr: WriteOutput;
  /**
   * Emits signals such as `SIGTERM`. A function that subscribes handles them and goes on; without a subscriber a signal
   * ends the container with 128 + its number, as it ends a process. SIGKILL is not emitted.
   */
  readonly signals$: Observable<string>;
  /** Aborted when the container ends for any reason: timers and loops of the function should end. */
  readonly signal: AbortSignal;
  /** Sets the message of the termination. The last one counts. */
  readonly terminationMessage: (text: string) => void;
  /** Reports what the container uses from now on. */
  readonly reportUsage: (usage: FunctionUsage) => void;
  /**
   * Serves connections to a port of the pod until the container ends or the returned function is called. Throws
   * EADDRINUSE where another container of the pod serves it.
   */
  readonly listen: (port: number, service: PortService) => () => void;
}

/** Writes output. */
export type WriteOutput = (output: string | Uint8Array) => Promise<void> | undefined;

/** A volume in a container. Paths are relative to the mount. */
export interface MountedVolume {
  readonly isReadOnly: boolean;
  /** Returns the bytes of a file; undefined if there is none. */
  read(path: string): Uint8Array | undefined;
  /** Returns a file as text. */
  readText(path: string): string | undefined;
  /** Returns the paths of all files, sorted. */
  list(): readonly string[];
  /** Writes a file. Throws EROFS for volumes and mounts that are read-only, ENOSPC past the limit of the volume. */
  write(path: string, content: string | Uint8Array): void;
  /** Removes a file. Throws EROFS as well. */
  remove(path: string): void;
}

/** The service of a port: of HTTP requests, or of bytes. */
export type PortService =
  | {
      /** Responds to an HTTP request. */
      readonly fetch: (request: Request) => Response | Promise<Response>;
    }
  | {
      /** Serves a connection. */
      readonly connect: (channels: NodeConnectionChannels) => StreamEnd;
    };

/** Resources that a container uses. */
export interface FunctionUsage {
  /** Processor time per second, in thousandths of a core. */
  readonly cpuMilli?: number;
  readonly memoryBytes?: number;
}
