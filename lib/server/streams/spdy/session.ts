// One SPDY connection: the streams that a client opens on it. The session answers pings, replies to new streams, and
// dispatches data; what a stream is for is decided by the handler of new streams. Streams of a connection are bounded
// in number, and so is data that arrives before a stream has a receiver.
import {
  SpdyError,
  dataBytesMax,
  dataFrame,
  goAwayFrame,
  pingFrame,
  resetCodes,
  resetFrame,
  spdyReader,
  synReplyFrame,
} from './frames.js';
import type { SpdyFrame } from './frames.js';
import { emptyHeaderEncoder, headerDecoder } from './headers.js';
import type { InflateRaw } from './headers.js';

/** A connection that carries bytes. */
export interface BytePeer {
  /** Sends bytes; false when the peer does not keep up, until `drain` is called on the pump. */
  write(bytes: Uint8Array): boolean;
  /** Closes the connection after what was sent. */
  end(): void;
  /** Stops reading. */
  pause(): void;
  resume(): void;
}

/** Receives what a client sends on a stream. */
export interface StreamReceiver {
  /** Takes bytes; a promise that resolves when there is room for more. */
  data(bytes: Uint8Array): Promise<void> | undefined;
  /** The client sends no more. */
  end(): void;
  /** The client abandoned the stream. */
  reset(): void;
}

/** A stream that a client opened. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Sets the receiver, which gets at once what has arrived so far. */
  receive(receiver: StreamReceiver): void;
  /** Sends bytes. Returns false when the connection is full. */
  send(bytes: Uint8Array): boolean;
  /** Ends the stream in the direction of the client. Idempotent. */
  end(): void;
  /** Ends the stream in both directions. Idempotent. */
  reset(code: number): void;
}

/** Decides about a new stream: returns the code with which it is reset, or what happens after the reply. */
export type AcceptStream = (stream: SpdyStream) => number | (() => void);

/** Streams that a connection may have open: two for each connection of a port-forward. */
const streamsMax = 2_000;
/** Bytes that wait on a stream without receiver. */
const earlyBytesMax = 65_536;
/** Replies, pings and resets that wait for a client that does not read. */
const unreadRepliesMax = 1_000;

/** The server's side of a SPDY connection. */
export class SpdySession {
  readonly #peer: BytePeer;
  readonly #accept: AcceptStream;
  readonly #read = spdyReader();
  readonly #decode: (block: Uint8Array) => ReadonlyMap<string, string>;
  readonly #encodeEmpty = emptyHeaderEncoder();
  readonly #streams = new Map<number, OpenStream>();
  #lastId = 0;
  /** The number of receivers that have no room. */
  #waiting = 0;
  /** Replies that were sent since the connection became full; undefined while it has room. */
  #unreadReplies: number | undefined;

  constructor(peer: BytePeer, inflateRaw: InflateRaw, accept: AcceptStream) {
    this.#peer = peer;
    this.#accept = accept;
    this.#decode = headerDecoder(inflateRaw);
  }

  /** Handles bytes of the client. Throws SpdyError where they violate the protocol. */
  receive(piece: Uint8Array): void {
    for (const frame of this.#read(piece)) this.#take(frame);
  }

  /** Continues after the connection was full. */
  drain(): void {
    this.#unreadReplies = undefined;
  }

  /** Announces that no further streams are accepted. */
  goAway(): void {
    this.#peer.write(goAwayFrame(this.#lastId));
  }

  #write(frame: Uint8Array): boolean {
    const hasRoom = this.#peer.write(frame);
    if (!hasRoom) this.#unreadReplies ??= 0;
    return hasRoom;
  }

  /** Writes a frame that the client causes without reading: their number is bounded. */
  #reply(frame: Uint8Array): void {
    if (this.#unreadReplies !== undefined && ++this.#unreadReplies > unreadRepliesMax)
      throw new SpdyError('the client does not read the replies to its frames');
    this.#write(frame);
  }

  #take(frame: SpdyFrame): void {
    switch (frame.type) {
      case 'synStream':
        this.#open(frame.id, this.#decode(frame.block), frame.isLast);
        return;
      case 'headers':
        return void this.#decode(frame.block);
      case 'data':
        this.#deliver(frame.id, frame.bytes, frame.isLast);
        return;
      case 'reset':
        this.#streams.get(frame.id)?.abandon();
        return void this.#streams.delete(frame.id);
      case 'ping':
        // Even numbers answer pings of the server, which sends none.
        if (frame.id % 2 === 1) this.#reply(pingFrame(frame.id));
        return;
      case 'goAway':
        return;
      default:
        frame satisfies never;
    }
  }

  #open(id: number, headers: ReadonlyMap<string, string>, isLast: boolean): void {
    if (id % 2 === 0 || id <= this.#lastId) throw new SpdyError(`a client cannot open stream ${id}`);
    this.#lastId = id;
    if (this.#streams.size >= streamsMax) {
      this.#reply(resetFrame(id, resetCodes.refused));
      return;
    }
    const stream = new OpenStream(id, headers, {
      write: (frame) => this.#write(frame),
      hold: (room) => this.#hold(room),
      closed: () => void this.#streams.delete(id),
    });
    const accepted = this.#accept(stream);
    if (typeof accepted === 'number') {
      this.#reply(resetFrame(id, accepted));
      return;
    }
    this.#streams.set(id, stream);
    this.#reply(synReplyFrame(id, this.#encodeEmpty()));
    accepted();
    if (isLast) stream.take(nothing, true);
  }

  #deliver(id: number, bytes: Uint8Array, isLast: boolean): void {
    const stream = this.#streams.get(id);
    // Data that was on its way when the stream ended is dropped.
    if (stream !== undefined) stream.take(bytes, isLast);
    else if (id > this.#lastId) throw new SpdyError(`stream ${id} was not opened`);
  }

  #hold(room: Promise<void> | undefined): void {
    if (room === undefined) return;
    this.#waiting += 1;
    if (this.#waiting === 1) this.#peer.pause();
    void room.then(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#peer.resume();
    });
  }
}

const nothing = new Uint8Array();

interface StreamPorts {
  readonly write: (bytes: Uint8Array) => boolean;
  readonly hold: (room: Promise<void> | undefined) => void;
  /** Called when both directions have ended. */
  readonly closed: () => void;
}

class OpenStream implements SpdyStream {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly #ports: StreamPorts;
  #receiver: StreamReceiver | undefined;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #isInputOver = false;
  #isOutputOver = false;

  constructor(id: number, headers: ReadonlyMap<string, string>, ports: StreamPorts) {
    this.id = id;
    this.headers = headers;
    this.#ports = ports;
  }

  /** Takes data of the client. */
  take(bytes: Uint8Array, isLast: boolean): void {
    if (this.#isInputOver) return;
    // Copied: the bytes of the connection may be reused while these wait.
    if (bytes.length > 0) this.#pass(Uint8Array.from(bytes));
    if (isLast) this.#endInput();
  }

  abandon(): void {
    const receiver = this.#receiver;
    this.#isInputOver = true;
    this.#isOutputOver = true;
    receiver?.reset();
  }

  receive(receiver: StreamReceiver): void {
    this.#receiver = receiver;
    for (const bytes of this.#early) this.#ports.hold(receiver.data(bytes));
    this.#early = [];
    if (this.#isInputOver) receiver.end();
  }

  send(bytes: Uint8Array): boolean {
    if (this.#isOutputOver) return true;
    let hasRoom = true;
    for (let at = 0; at < bytes.length; at += dataBytesMax)
      hasRoom = this.#ports.write(dataFrame(this.id, bytes.subarray(at, at + dataBytesMax), false));
    return hasRoom;
  }

  end(): void {
    if (this.#isOutputOver) return;
    this.#isOutputOver = true;
    this.#ports.write(dataFrame(this.id, nothing, true));
    if (this.#isInputOver) this.#ports.closed();
  }

  reset(code: number): void {
    if (this.#isOutputOver && this.#isInputOver) return;
    this.#isOutputOver = true;
    this.#isInputOver = true;
    this.#ports.write(resetFrame(this.id, code));
    this.#ports.closed();
  }

  #pass(bytes: Uint8Array): void {
    if (this.#receiver !== undefined) {
      this.#ports.hold(this.#receiver.data(bytes));
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > earlyBytesMax) this.reset(resetCodes.flowControl);
  }

  #endInput(): void {
    if (this.#isInputOver) return;
    this.#isInputOver = true;
    this.#receiver?.end();
    if (this.#isOutputOver) this.#ports.closed();
  }
}
