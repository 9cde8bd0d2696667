// Exec, attach and port-forward as values: the options that a client sends, and the stream that answers. The response
// is the same in process and on the wire; a wire adapter maps it to WebSocket channels.
import type { Observable } from 'rxjs';
import type { DuplexChannels } from '../core/index.js';
import type { ResponseExtras } from './api-request.js';

/** Subresources of pods that answer with a stream. */
export type StreamKind = 'exec' | 'attach' | 'portforward';

/** Which streams of a process are wanted. */
export interface AttachOptions {
  /** Default: the only container of the pod. */
  readonly container?: string;
  /** Default false. */
  readonly stdin?: boolean;
  /** Default true. */
  readonly stdout?: boolean;
  /** Default true; always false with `tty`, where both are one. */
  readonly stderr?: boolean;
  /** Default false. */
  readonly tty?: boolean;
}

/** A command to run in a container. */
export interface ExecOptions extends AttachOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
}

/** What a client sends to a process. `resize` carries terminal sizes, see `encodeTerminalSize`. */
export type ProcessInput = 'stdin' | 'resize';

/** What a process sends. Its exit is the Status of the close, see `exitCodeOf`. */
export type ProcessOutput = 'stdout' | 'stderr';

/** The client's end of an exec or attach. */
export type ProcessChannels = DuplexChannels<ProcessOutput, ProcessInput>;

/** The client's end of one forwarded connection. A failure is the Status of the close. */
export type ConnectionChannels = DuplexChannels<'data', 'data'>;

/** A port-forward: opens connections to ports of a pod until it is closed. */
export interface PortForwarding {
  /** Opens a connection. Past the limit of connections it is closed at once with TooManyRequests. */
  connect(port: number): ConnectionChannels;
  /** Closes all connections. Idempotent. */
  close(): void;
}

/**
 * The answer of exec and attach. Subscribing starts the process, or attaches to it; the one value is the client's end.
 * Completes when the stream is closed. Unsubscribing closes it.
 */
export interface ProcessStreamResponse extends ResponseExtras {
  readonly type: 'stream';
  readonly kind: 'exec' | 'attach';
  readonly session$: Observable<ProcessChannels>;
  /** The channels that the client receives. */
  readonly outputs: readonly ProcessOutput[];
  /** The protocol that was chosen on the wire; undefined in process. */
  readonly protocol?: string | undefined;
}

/** The answer of port-forward. Completes when it is closed. Unsubscribing closes all its connections. */
export interface PortForwardResponse extends ResponseExtras {
  readonly type: 'stream';
  readonly kind: 'portforward';
  readonly session$: Observable<PortForwarding>;
  /** The ports of the request, for protocols that open one connection to each. */
  readonly ports: readonly number[];
  /** The protocol that was chosen on the wire; undefined in process. */
  readonly protocol?: string | undefined;
}

/** A stream of duplex channels. */
export type StreamResponse = ProcessStreamResponse | PortForwardResponse;

/** The same stream, with its session passed through an operator. */
export function withSession<R extends StreamResponse>(
  response: R,
  operator: <T>(session$: Observable<T>) => Observable<T>,
): R {
  return { ...response, session$: operator<unknown>(response.session$) };
}

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** A message of the `resize` channel. */
export function encodeTerminalSize({ width, height }: TerminalSize): Uint8Array {
  return utf8.encode(`${JSON.stringify({ Width: width, Height: height })}\n`);
}

/** Reads a message of the `resize` channel; undefined where it is no terminal size. */
export function decodeTerminalSize(bytes: Uint8Array): TerminalSize | undefined {
  let value: unknown;
  try {
    value = JSON.parse(strictUtf8.decode(bytes));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('Width' in value) || !('Height' in value)) return undefined;
  const { Width: width, Height: height } = value;
  return isSize(width) && isSize(height) ? { width, height } : undefined;
}

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** As uint16, the type of both fields in Kubernetes. */
function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 65_536;
}
