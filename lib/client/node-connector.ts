// The port through which an API server reaches containers. A node agent implements it, or a function in a test. Stands
// with the client, so that parts that do not know the server can implement it. Without a connector, or without one of
// its methods, the server answers as if the node were unreachable.
import type { Observable, ObservableInput } from 'rxjs';
import type { DuplexChannels, Frozen } from '../core/index.js';
import type { Node, Pod } from '../core/types/index.js';
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

/** What of a log is wanted. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
}

/** The streams of a process that the client asked for. */
export type ProcessStreams = Required<Omit<ExecOptions, 'command' | 'container'>>;

/** A command and its streams. */
export type ProcessCommand = ProcessStreams & Pick<ExecOptions, 'command'>;

/**
 * The node's end of an exec or attach. `close` takes the exit of the process: `channels.close(exitStatus(4))`. Output
 * that the client did not ask for is dropped.
 */
export type NodeProcessChannels = DuplexChannels<ProcessInput, ProcessOutput>;

/** The node's end of one forwarded connection. */
export type NodeConnectionChannels = DuplexChannels<'data', 'data'>;

/**
 * The end of a served stream: it is closed when this completes, or with the Status of its error. It is unsubscribed
 * when the client goes away. Undefined where the connector closes the channels itself.
 */
export type StreamAnswer = ObservableInput<unknown> | undefined;

/** Reaches containers. */
export interface NodeConnector {
  /** The log of a container, as it is written. Errors with ApiError. */
  log?(target: ContainerTarget, options: LogOptions): Observable<Uint8Array>;
  /** Runs a command in a container. */
  exec?(target: ContainerTarget, command: ProcessCommand, channels: NodeProcessChannels): StreamAnswer;
  /** Attaches to the main process of a container. */
  attach?(target: ContainerTarget, streams: ProcessStreams, channels: NodeProcessChannels): StreamAnswer;
  /** Connects to a port of a pod; called for each connection. */
  portForward?(target: PodTarget, port: number, channels: NodeConnectionChannels): StreamAnswer;
  /** Passes a request on to a pod, a service or a node. */
  proxy?(request: ApiRequest): Promise<ApiResponse>;
}
