/**
 * One gRPC call on one HTTP/2 stream, from the request to the trailers. Passes to its observer every message and, once,
 * of the end; what the end means is decided here: the status the server gave, a deadline, or a connection that was
 * lost, and then whether the server can have acted on the request. Made by grpc-session.ts only.
 */
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { GrpcError, grpcStatuses, unreadableAnswer } from './grpc-error.js';
import { FrameAssembler } from './grpc-frames.js';

/** Hears what comes back. */
export interface CallObserver {
  message(bytes: Buffer): void;
  /** Called once. Without an error the server ended the call normally. */
  end(error: GrpcError | undefined): void;
}

/** What a call needs of its session. */
export interface GrpcCallOptions {
  readonly observer: CallObserver;
  /** How many beats until the deadline. */
  readonly beatsMax: number;
  /** Whether the server can have seen the request. */
  readonly isProcessed: () => boolean;
  /** Called once, before the observer hears the end, also where it does not hear of it. */
  readonly onDone: (call: GrpcCall) => void;
}

/** The largest message accepted, to bound memory. A response of etcd has less than 2 GiB. */
const messageBytesMax = 1024 * 1024 * 1024;

/** A call under way. */
export class GrpcCall {
  readonly stream: ClientHttp2Stream;
  /** Whether the server said anything. */
  answered = false;
  readonly #options: GrpcCallOptions;
  #beatsLeft: number;
  #ended = false;
  #httpStatus = 0;
  #grpcStatus: string | undefined;
  #grpcMessage = '';
  #failure: unknown;

  constructor(stream: ClientHttp2Stream, options: GrpcCallOptions) {
    this.stream = stream;
    this.#options = options;
    this.#beatsLeft = options.beatsMax;
    const frames = new FrameAssembler((message) => {
      if (!this.#ended) options.observer.message(message);
    }, messageBytesMax);
    stream.on('response', (headers) => {
      this.answered = true;
      this.#httpStatus = headers[':status'] ?? 0;
      this.#readStatus(headers); // an answer of headers only carries the status there
    });
    stream.on('trailers', (headers: IncomingHttpHeaders) => this.#readStatus(headers));
    stream.on('data', (chunk: Buffer) => {
      try {
        if (!this.#ended) frames.push(chunk);
      } catch (error) {
        this.#end(unreadableAnswer(error));
        stream.close(constants.NGHTTP2_CANCEL);
      }
    });
    stream.on('end', () => {
      // The server is done: a stream still open for writing would otherwise stay half open.
      if (!stream.writableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    });
    stream.on('error', (error: Error) => {
      this.#failure = error;
    });
    stream.on('close', () => this.#end(this.#outcome()));
  }

  /** Counts down to the deadline. */
  onBeat(): void {
    this.#beatsLeft -= 1;
    if (this.#beatsLeft >= 0) return;
    this.#end(
      new GrpcError(grpcStatuses.deadlineExceeded, 'no answer in time', { reached: this.#options.isProcessed() }),
    );
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Ends the call if it would not end by itself. */
  onRetired(): void {
    if (this.#beatsLeft < Infinity) return;
    this.#end(new GrpcError(grpcStatuses.unavailable, 'the connection is given up', { reached: true }));
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Ends it from this side; the observer hears nothing more. */
  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onDone(this);
    this.stream.close(constants.NGHTTP2_CANCEL);
  }

  #readStatus(headers: IncomingHttpHeaders): void {
    const status = headers['grpc-status'];
    if (typeof status !== 'string') return;
    this.#grpcStatus = status;
    const message = headers['grpc-message'];
    if (typeof message === 'string') this.#grpcMessage = percentDecoded(message);
  }

  #outcome(): GrpcError | undefined {
    if (this.#grpcStatus === '0') return undefined;
    if (this.#grpcStatus !== undefined)
      return new GrpcError(Number(this.#grpcStatus), this.#grpcMessage, { reached: true });
    if (this.#httpStatus !== 0 && this.#httpStatus !== 200) {
      return new GrpcError(grpcStatuses.unavailable, `the server answered with HTTP status ${this.#httpStatus}`, {
        reached: true,
      });
    }
    const reached = this.#options.isProcessed() && this.stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM;
    const reason = this.#failure instanceof Error ? `: ${this.#failure.message}` : '';
    return new GrpcError(grpcStatuses.unavailable, `the connection was lost${reason}`, {
      cause: this.#failure,
      reached,
    });
  }

  #end(error: GrpcError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onDone(this);
    this.#options.observer.end(error);
  }
}

// Percent-encoded UTF-8; what is not is taken as it stands (grpc/doc/PROTOCOL-HTTP2.md, Status-Message).
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
