// From an Observable, which pushes, to a client, who may read slowly or not at all. Values that came while the client
// was busy wait here, as values: bytes are made when they can be sent, several values in one piece. What is waited for
// is bounded. The first burst does not count, for it is a snapshot that its source holds anyway; of what comes later at
// most
// `waitingMax` values wait, then the stream ends with the frame of `overflow`, or is cut where the client does not even
// read that.
import type { Observable, Subscription } from 'rxjs';
import type { Clock } from '../../core/index.js';
import { after } from './after.js';
import { joinBytes } from './join-bytes.js';

/** Where bytes go. */
export interface ByteSink {
  /** Takes bytes; false when it wants no more until `drain` is called on the pump. */
  write(bytes: Uint8Array): boolean;
  /** All was said. */
  end(): void;
  /** The client shall know that not all was said. */
  cut(): void;
}

/** What is pumped. */
export interface PumpSource<T> {
  readonly values: Observable<T>;
  readonly encode: (value: T) => Uint8Array;
  /** The last frame of a stream that failed; undefined where there is no way to say so. */
  readonly failure: (error: unknown) => Uint8Array | undefined;
  /** The error of a client that fell behind. */
  readonly overflow: () => unknown;
  /** Whether several frames may go in one piece; a WebSocket keeps them apart. */
  readonly joins: boolean;
}

/** Limits of a pump. */
export interface PumpLimits {
  readonly clock: Clock;
  /** Values that may wait for a client. */
  readonly waitingMax: number;
  /** How long a client that fell behind has for reading why. */
  readonly lingerMs: number;
}

/** A stream on its way. */
export interface Pump {
  /** The sink wants more. */
  drain(): void;
  /** Says that this is the end, after what waits: the server is closing. */
  finish(): void;
  /** Nobody listens any more, or the sink has done all it was told. An adapter calls it in any case. */
  stop(): void;
}

/** Subscribes, and pumps until either side ends. */
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
  /** The first of `waiting` that was not sent yet. */
  #next = 0;
  /** How many values at the front of `waiting` belong to the first burst. */
  #snapshot = 0;
  #flushes = 0;
  #scheduled = false;
  #blocked = false;
  /** Set when no more values come: the error, if it was one. */
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
    // It may have ended while subscribing.
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

  /** What waits is of no use to a client that has to begin anew. */
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

  /** After whatever is being emitted: a burst leaves in few pieces. */
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
   * The frames of as many values as fit. A value that cannot be encoded ends the stream as if its source had failed.
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
