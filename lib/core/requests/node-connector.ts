// The port through which an API server reaches containers. A node agent implements it, or a function in a test. Without
// a connector, or without one of its methods, the server responds as if the node were unreachable.
import type { Observable, ObservableInput } from 'rxjs';
import type { DuplexChannels } from '../streams/duplex-channels.js';
import type { Frozen } from '../objects/meta.js';
import type { Node, Pod } from '../types/index.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import type { ExecOptions, ProcessInput, ProcessOutput } from './stream-response.js';

/** A pod on a node. */
export interface PodTarget {
  readonly node: Frozen<Node>;
  readonly pod: Frozen<Pod>;
}

/** A container on a node. */
export interface ContainerTarget extends PodTarget {
  readonly container: string;
}

/** Selects a part of a log. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  /** The output of the container. Default `All`. */
  readonly stream?: 'All' | 'Stdout' | 'Stderr';
}

/** The streams of a process that the client requested. */
export type ProcessStreams = Required<Omit<ExecOptions, 'command' | 'container'>>;

/** A command and its streams. */
export type ProcessCommand = ProcessStreams & Pick<ExecOptions, 'command'>;

/**
 * The node's end of an exec or attach. `close` takes the exit of the process: `channels.close(exitStatus(4))`. Output
 * that the client did not request is dropped.
 */
export type NodeProcessChannels = DuplexChannels<ProcessInput, ProcessOutput>;

/** The node's end of one forwarded connection. */
export type NodeConnectionChannels = DuplexChannels<'data', 'data'>;

/**
 * The lifetime of a served stream: it is closed when this completes, or with the Status of its error, and unsubscribed
 * when the client disconnects. Undefined if the connector closes the channels itself.
 */
export type StreamEnd = ObservableInput<unknown> | undefined;

/** Processor time and memory at a moment. */
export interface UsageStats {
  readonly atMs: number;
  /** The time over which `cpuNanoCores` was measured, in milliseconds. */
  readonly windowMs: number;
  /** Processor time per second, in nanoseconds. */
  readonly cpuNanoCores: number;
  /** Processor time since the start, in nanoseconds. */
  readonly cpuCoreNanoseconds: number;
  readonly memoryWorkingSetBytes: number;
}

/** What a container uses. */
export interface ContainerStats extends UsageStats {
  readonly name: string;
  readonly startedAtMs: number;
  /** The writable layer and the log. */
  readonly storageUsedBytes: number;
}

/** What the containers of a pod use. */
export interface PodStats extends UsageStats {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly startedAtMs: number;
  readonly containers: readonly ContainerStats[];
}

/** What a node and its pods use. */
export interface NodeStats extends UsageStats {
  readonly name: string;
  /** When the agent started. */
  readonly startedAtMs: number;
  readonly pods: readonly PodStats[];
}

/** Connects an API server to the containers of nodes. */
export interface NodeConnector {
  /**
   * Emits the log of a container as it is written. A rejection with ApiError is the response of the server; an error of
   * the Observable breaks the response off.
   */
  log?(target: ContainerTarget, options: LogOptions): Observable<Uint8Array> | Promise<Observable<Uint8Array>>;
  /** Runs a command in a container. */
  exec?(target: ContainerTarget, command: ProcessCommand, channels: NodeProcessChannels): StreamEnd;
  /** Attaches to the main process of a container. */
  attach?(target: ContainerTarget, streams: ProcessStreams, channels: NodeProcessChannels): StreamEnd;
  /** Connects to a port of a pod; called for each connection. */
  portForward?(target: PodTarget, port: number, channels: NodeConnectionChannels): StreamEnd;
  /** Returns what a node and its running pods use; undefined where the node is not known. */
  stats?(node: string): Promise<NodeStats | undefined>;
  /**
   * Passes a request on to a pod, a service or a node. Undefined where the connector does not serve it; requests for
   * pods and services then go over `portForward`.
   */
  proxy?(request: ApiRequest): Promise<ApiResponse> | undefined;
}
