// Duplex channels: two connected ends of a byte stream with several named channels, as exec, attach and port-forward
// need. Each end sends with `output`, receives from `input$`, and may close the whole stream with a Status.
//
// Invariants: messages of one end arrive in the order in which they were sent, each once; the last is `close`. What one
// end sent before it closed is still delivered; what it had not received is dropped. Every message that waits counts
// its bytes plus a fixed cost: past `highWaterBytes` senders wait, at `bufferedBytesMax` the stream is closed, so a
// sender that ignores back-pressure cannot make the process grow.
import { Observable, Subscription, from } from 'rxjs';
import type { ObservableInput, Subscriber } from 'rxjs';
import { toStatus } from '../errors/api-error.js';
import { internalError } from '../errors/server-errors.js';
import { successStatus } from '../errors/status.js';
import type { Status } from '../errors/status.js';

/** What an end receives. */
export type ChannelMessage<C extends string = string> =
  | { readonly type: 'data'; readonly channel: C; readonly bytes: Uint8Array }
  /** The other end sends no more on this channel. */
  | { readonly type: 'end'; readonly channel: C }
  /** The stream is over. Always the last message. */
  | { readonly type: 'close'; readonly status: Status };

/** One end of a stream: receives on the channels `In`, sends on the channels `Out`. */
export interface DuplexChannels<In extends string = string, Out extends string = string> {
  /**
   * The messages of the other end. One subscriber at a time, another gets an error. Messages wait while there is no
   * subscriber: unsubscribing pauses the other end, and `firstValueFrom(input$)` takes exactly one message. Completes
   * after `close`. Otherwise never errors.
   */
  readonly input$: Observable<ChannelMessage<In>>;
  /**
   * Sends bytes, which must not be changed afterwards. Undefined while the other end has room, otherwise a promise that
   * resolves when it has, or when the stream is closed. Does nothing on a channel that ended, that the stream does not
   * carry, or after the close.
   */
  output(channel: Out, bytes: Uint8Array): Promise<void> | undefined;
  /** Ends one channel in the direction of the other end. Idempotent. */
  end(channel: Out): void;
  /** Closes the stream. The first status counts; default success. Idempotent. */
  close(status?: Status): void;
  /** Aborted when either end has closed the stream. */
  readonly signal: AbortSignal;
}

/** Limits and channels of a stream. */
export interface ChannelOptions {
  /** Bytes that wait in one direction from which on senders have to wait. Default 64 KiB. */
  readonly highWaterBytes?: number;
  /** Bytes that wait in one direction at which the stream is closed with an InternalError. Default 4 MiB. */
  readonly bufferedBytesMax?: number;
  /** Whether a channel is in use; messages on others are dropped. Default: all. */
  readonly carries?: (channel: string) => boolean;
}

/** A stream that is served by a function: the client's end, and the run that serves it. */
export interface ServedChannels<In extends string, Out extends string> {
  /** The end of the client. */
  readonly client: DuplexChannels<Out, In>;
  /**
   * Serves the stream while subscribed, which may happen once. Completes when the client's end received or sent the
   * close. Unsubscribing closes the client's end.
   */
  readonly run$: Observable<never>;
}

/** Makes a connected pair. */
export function duplexChannels<In extends string, Out extends string>(
  options: ChannelOptions = {},
): readonly [DuplexChannels<In, Out>, DuplexChannels<Out, In>] {
  const { near, far } = connected<In, Out>(options);
  return [near, far];
}

/**
 * Makes a stream that a function serves. It is closed when the function's result ends: with success when it completes,
 * with the Status of its error when it fails. A function that returns nothing closes the stream itself.
 */
export function servedChannels<In extends string, Out extends string>(
  serve: (channels: DuplexChannels<In, Out>) => ObservableInput<unknown> | undefined,
  options: ChannelOptions = {},
): ServedChannels<In, Out> {
  const { near, far, toFar } = connected<In, Out>(options);
  const run$ = new Observable<never>((subscriber) => {
    toFar.onOver = () => subscriber.complete();
    if (toFar.isOver) subscriber.complete();
    const fail = (error: unknown): void => near.close(streamFailure(error));
    // Before the function is stopped, so that it receives the close.
    subscriber.add(() => far.close(clientGone));
    if (subscriber.closed) return;
    try {
      const answer = serve(near);
      if (answer !== undefined) subscriber.add(from(answer).subscribe({ error: fail, complete: () => near.close() }));
    } catch (error) {
      fail(error);
    }
  });
  return { client: far, run$ };
}

/** The Status of a failed stream: that of an ApiError, otherwise an InternalError with the text of the failure. */
export function streamFailure(error: unknown): Status {
  const { reason, code } = toStatus(error);
  return reason === undefined && code === 500 ? internalError(error).status : toStatus(error);
}

/**
 * Subscribes and resolves with the first value; the subscription lasts until the source ends. For sources that emit a
 * session and complete when that is closed. Rejects where the source fails or completes before its first value.
 */
export function openSession<T>(session$: Observable<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const open = new Subscription();
    const complete = (): void => reject(new Error('the session ended before it began'));
    open.add(session$.subscribe({ next: resolve, error: reject, complete }));
  });
}

const clientGone: Status = internalError(new Error('the client closed the stream')).status;

/** Cost of a message besides its bytes, so that empty ones are bounded too. */
const messageCostBytes = 64;

interface Connected<In extends string, Out extends string> {
  readonly near: DuplexChannels<In, Out>;
  readonly far: DuplexChannels<Out, In>;
  readonly toFar: Lane<Out>;
}

function connected<In extends string, Out extends string>({
  highWaterBytes = 64 * 1024,
  bufferedBytesMax = 4 * 1024 * 1024,
  carries = all,
}: ChannelOptions): Connected<In, Out> {
  const abort = new AbortController();
  const overflow = (): void => {
    const { status } = internalError(new Error(`more than ${bufferedBytesMax} bytes of a stream wait to be read`));
    toFar.drop();
    toNear.drop();
    finish(status, toFar, toNear);
  };
  const limits: LaneLimits = { highWaterBytes, bufferedBytesMax, overflow };
  const toFar = new Lane<Out>(limits);
  const toNear = new Lane<In>(limits);
  const finish = (status: Status, ...lanes: readonly { finish(status: Status): void }[]): void => {
    for (const lane of lanes) lane.finish(status);
    abort.abort();
  };
  const endOf = <I extends string, O extends string>(incoming: Lane<I>, outgoing: Lane<O>): DuplexChannels<I, O> => ({
    input$: incoming.messages$,
    output: (channel, bytes) =>
      carries(channel) ? outgoing.put({ type: 'data', channel, bytes }, bytes.length) : undefined,
    end: (channel) => outgoing.end(channel),
    close(status = successStatus()) {
      finish(status, outgoing);
      incoming.drop();
      incoming.finish(status);
      incoming.drop();
    },
    signal: abort.signal,
  });
  return { near: endOf(toNear, toFar), far: endOf(toFar, toNear), toFar };
}

function all(): boolean {
  return true;
}

interface LaneLimits {
  readonly highWaterBytes: number;
  readonly bufferedBytesMax: number;
  readonly overflow: () => void;
}

/** One direction of a stream. */
class Lane<C extends string> {
  readonly messages$: Observable<ChannelMessage<C>>;
  /** Called once, when the receiver got the close or gave up. */
  onOver: (() => void) | undefined;
  readonly #limits: LaneLimits;
  #waiting: ChannelMessage<C>[] = [];
  #bytes = 0;
  #reader: Subscriber<ChannelMessage<C>> | undefined;
  #isDelivering = false;
  /** No more messages come: `close` waits, or is over. */
  #isFinished = false;
  #isOver = false;
  readonly #ended = new Set<C>();
  #room: (() => void)[] = [];

  constructor(limits: LaneLimits) {
    this.#limits = limits;
    this.messages$ = new Observable((subscriber) => this.#read(subscriber));
  }

  /** Returns whether the receiver got the close or gave up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  put(message: ChannelMessage<C> & { readonly channel: C }, size: number): Promise<void> | undefined {
    if (this.#isFinished || this.#ended.has(message.channel)) return undefined;
    if (this.#bytes >= this.#limits.bufferedBytesMax) {
      this.#limits.overflow();
      return undefined;
    }
    this.#bytes += size + messageCostBytes;
    this.#waiting.push(message);
    this.#deliver();
    return this.#hasRoom() ? undefined : new Promise((resolve) => this.#room.push(resolve));
  }

  end(channel: C): void {
    if (this.#isFinished || this.#ended.has(channel)) return;
    this.#waiting.push({ type: 'end', channel });
    this.#ended.add(channel);
    this.#deliver();
  }

  finish(status: Status): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#waiting.push({ type: 'close', status });
    this.#giveRoom();
    this.#deliver();
  }

  /** The receiver wants no more; what waits is forgotten. After the close this ends the lane. */
  drop(): void {
    this.#waiting = [];
    this.#bytes = 0;
    this.#giveRoom();
    if (!this.#isFinished || this.#isOver) return;
    this.#over();
  }

  #read(subscriber: Subscriber<ChannelMessage<C>>): (() => void) | undefined {
    if (this.#isOver) {
      subscriber.complete();
      return undefined;
    }
    if (this.#reader !== undefined) {
      subscriber.error(new Error('the input of a stream has one subscriber at a time'));
      return undefined;
    }
    this.#reader = subscriber;
    this.#deliver();
    return () => {
      if (this.#reader === subscriber) this.#reader = undefined;
    };
  }

  #deliver(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    // Taken from the front by index: the array is renewed when it is empty.
    let at = 0;
    for (; at < this.#waiting.length; at++) {
      const reader = this.#reader;
      const message = this.#waiting[at];
      if (reader === undefined || reader.closed || message === undefined) break;
      const queue = this.#waiting;
      if (message.type === 'data') this.#bytes -= message.bytes.length + messageCostBytes;
      reader.next(message);
      if (message.type === 'close') this.#over();
      // Dropped meanwhile: the rest is another array.
      if (this.#waiting !== queue) at = -1;
    }
    this.#waiting.splice(0, at);
    this.#isDelivering = false;
    if (this.#bytes < this.#limits.highWaterBytes) this.#giveRoom();
  }

  #over(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#reader?.complete();
    this.#reader = undefined;
    this.onOver?.();
  }

  /** A finished lane takes nothing more, so nothing has to wait for it. */
  #hasRoom(): boolean {
    return this.#isFinished || this.#bytes < this.#limits.highWaterBytes;
  }

  #giveRoom(): void {
    const room = this.#room;
    if (room.length === 0) return;
    this.#room = [];
    for (const resolve of room) resolve();
  }
}
