// Exec, attach and port-forward as values: the options of the request and the stream of the response. Both are the same
// in process and on the wire; a wire adapter maps them to WebSocket channels or SPDY streams.
import type { Observable } from 'rxjs';
import type { DuplexChannels } from '../streams/duplex-channels.js';
import type { ResponseExtras } from './api-request.js';

/** Subresources of pods whose response is a stream. */
export type StreamKind = 'exec' | 'attach' | 'portforward';

/** Selects the streams of a process. */
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

/** Channels from the client to a process. `resize` carries terminal sizes, see `encodeTerminalSize`. */
export type ProcessInput = 'stdin' | 'resize';

/** Channels from a process to the client. Its exit code is in the Status of the close, see `exitCodeOf`. */
export type ProcessOutput = 'stdout' | 'stderr';

/** What the connection of a stream becomes; undefined in process. */
export type StreamUpgrade = 'websocket' | 'spdy';

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
 * The response of exec and attach. Subscribing starts the process or attaches to it; the one value is the client's end.
 * Completes when the stream is closed. Unsubscribing closes it.
 */
export interface ProcessStreamResponse extends ResponseExtras {
  readonly type: 'stream';
  readonly kind: 'exec' | 'attach';
  readonly session$: Observable<ProcessChannels>;
  /** The channels that the client sends on. */
  readonly inputs: readonly ProcessInput[];
  /** The channels that the client receives. */
  readonly outputs: readonly ProcessOutput[];
  /** The negotiated protocol; undefined in process. */
  readonly protocol?: string | undefined;
  readonly upgrade?: StreamUpgrade | undefined;
}

/** The response of port-forward. Completes when it is closed. Unsubscribing closes all its connections. */
export interface PortForwardResponse extends ResponseExtras {
  readonly type: 'stream';
  readonly kind: 'portforward';
  readonly session$: Observable<PortForwarding>;
  /** The ports of the request, for protocols that open one connection to each. */
  readonly ports: readonly number[];
  /** The negotiated protocol; undefined in process. */
  readonly protocol?: string | undefined;
  readonly upgrade?: StreamUpgrade | undefined;
}

/** A stream of duplex channels. */
export type StreamResponse = ProcessStreamResponse | PortForwardResponse;

/** Returns the response with its session passed through an operator. */
export function withSession<R extends StreamResponse>(
  response: R,
  operator: <T>(session$: Observable<T>) => Observable<T>,
): R {
  return { ...response, session$: operator<unknown>(response.session$) };
}

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Encodes a message of the `resize` channel. */
export function encodeTerminalSize({ width, height }: TerminalSize): Uint8Array {
  return utf8.encode(`${JSON.stringify({ Width: width, Height: height })}\n`);
}

/** Decodes a message of the `resize` channel; undefined if it is not a terminal size. */
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

/** Both fields are uint16 in Kubernetes. */
function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 65_536;
}
