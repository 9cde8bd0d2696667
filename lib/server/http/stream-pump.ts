// Sends the values of an Observable to a client that may read slowly or not at all. Values that arrive while the client
// is busy wait unencoded; they are encoded when they can be sent, several in one chunk. The queue is bounded. The
// initial burst does not count, because it is a snapshot that its source holds anyway; later at most `waitingMax`
// values wait, then the stream ends with the frame of `overflow`, or is cut off where the client does not read that
// either.
import type { Observable, Subscription } from 'rxjs';
import { joinBytes } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import { after } from './deadlines.js';

/** The destination of bytes. */
export interface ByteSink {
  /** Writes bytes; false when it is full until `drain` is called on the pump. */
  write(bytes: Uint8Array): boolean;
  /** Ends the stream normally. */
  end(): void;
  /** Ends the stream abnormally, so that the client sees that it is incomplete. */
  cut(): void;
}

/** The source of a pump. */
export interface PumpSource<T> {
  readonly values: Observable<T>;
  readonly encode: (value: T) => Uint8Array;
  /** The final frame of a stream that failed; undefined where the form has none. */
  readonly failure: (error: unknown) => Uint8Array | undefined;
  /** The error for a client that fell behind. */
  readonly overflow: () => unknown;
  /** Whether several frames may be joined in one chunk; not in a WebSocket. */
  readonly joins: boolean;
}

/** Limits of a pump. */
export interface PumpLimits {
  readonly clock: Clock;
  /** The maximum number of values that wait for a client. */
  readonly waitingMax: number;
  /** How long a client that fell behind may take to read the final frame, in milliseconds. */
  readonly lingerMs: number;
}

/** A running stream. */
export interface Pump {
  /** Continues after the sink was full. */
  drain(): void;
  /** Ends the stream after the waiting values: the server is closing. */
  finish(): void;
  /** Unsubscribes. Adapters call it in any case when the connection ends. */
  stop(): void;
}

/** Subscribes to the source and writes to the sink until either ends. */
export function pump<T>(source: PumpSource<T>, sink: ByteSink, limits: PumpLimits): Pump {
  const stream = new StreamPump(source, sink, limits);
  stream.start();
  return stream;
}

const pieceBytes = 65_536;

class StreamPump<T> implements Pump {
  readonly #source: PumpSource<T>;
  readonly #sink: ByteSink;
  readonly #limits: PumpLimits;
  #subscription: Subscription | undefined;
  #waiting: T[] = [];
  /** The index of the first unsent value in `waiting`. */
  #next = 0;
  /** The number of values at the front of `waiting` that belong to the initial burst. */
  #snapshot = 0;
  #flushes = 0;
  #scheduled = false;
  #blocked = false;
  /** Set when the source ended, with its error. */
  #end: { readonly error?: unknown } | undefined;
  #stopped = false;
  #cancelLinger: (() => void) | undefined;

  constructor(source: PumpSource<T>, sink: ByteSink, limits: PumpLimits) {
    this.#source = source;
    this.#sink = sink;
    this.#limits = limits;
  }

  start(): void {
    const subscription = this.#source.values.subscribe({
      next: (value) => this.#take(value),
      error: (error: unknown) => this.#finish({ error }),
      complete: () => this.#finish({}),
    });
    // The source may have ended synchronously.
    if (this.#end === undefined && !this.#stopped) this.#subscription = subscription;
    else subscription.unsubscribe();
  }

  drain(): void {
    this.#blocked = false;
    this.#flush();
  }

  finish(): void {
    this.#finish({});
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
    this.#cancelLinger?.();
    this.#subscription?.unsubscribe();
  }

  #take(value: T): void {
    if (this.#stopped || this.#end !== undefined) return;
    this.#waiting.push(value);
    if (this.#flushes === 0) this.#snapshot = this.#waiting.length;
    else if (this.#waiting.length - Math.max(this.#next, this.#snapshot) > this.#limits.waitingMax) this.#overflow();
    this.#schedule();
  }

  /** Drops the waiting values: the client has to restart anyway. */
  #overflow(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#finish({ error: this.#source.overflow() });
    this.#cancelLinger = after(this.#limits.clock, this.#limits.lingerMs, () => {
      this.stop();
      this.#sink.cut();
    });
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#stopped || this.#end !== undefined) return;
    this.#end = end;
    this.#subscription?.unsubscribe();
    this.#schedule();
  }

  /** Sends in a microtask, so that a burst is sent in few chunks. */
  #schedule(): void {
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.#flushes++;
    while (!this.#blocked && !this.#stopped && this.#next < this.#waiting.length) {
      const piece = this.#piece();
      if (piece !== undefined) this.#blocked = !this.#sink.write(piece);
    }
    if (this.#next === this.#waiting.length) this.#forgetSent();
    else if (this.#next > 4096) this.#dropSent();
    if (this.#end !== undefined && !this.#blocked && !this.#stopped && this.#waiting.length === 0)
      this.#close(this.#end);
  }

  #forgetSent(): void {
    if (this.#next > 0) this.#waiting = [];
    this.#next = 0;
    this.#snapshot = 0;
  }

  #dropSent(): void {
    this.#waiting.splice(0, this.#next);
    this.#snapshot = Math.max(0, this.#snapshot - this.#next);
    this.#next = 0;
  }

  /**
   * Encodes as many values as fit in a chunk. A value that cannot be encoded ends the stream as if its source had
   * failed.
   */
  #piece(): Uint8Array | undefined {
    const { encode, joins } = this.#source;
    const frames: Uint8Array[] = [];
    let size = 0;
    try {
      do {
        const frame = encode(this.#waiting[this.#next] as T);
        this.#next++;
        frames.push(frame);
        size += frame.length;
      } while (joins && size < pieceBytes && this.#next < this.#waiting.length);
    } catch (error) {
      this.#waiting = [];
      this.#next = 0;
      this.#subscription?.unsubscribe();
      this.#end = { error };
    }
    return frames.length === 0 ? undefined : joinBytes(frames);
  }

  #close(end: { readonly error?: unknown }): void {
    this.#stopped = true;
    const frame = 'error' in end ? this.#source.failure(end.error) : undefined;
    if (frame !== undefined) this.#sink.write(frame);
    if ('error' in end && frame === undefined) this.#sink.cut();
    else this.#sink.end();
  }
}
