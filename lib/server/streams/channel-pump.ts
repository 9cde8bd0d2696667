// Moves messages between the channels of a stream response and a connection that carries numbered channels, in both
// directions and with back-pressure: while the connection is full the channels are not read, and while the channels are
// full the connection is not read. One of the edges that subscribe: the connection's life is the subscription's.
import { Subscription, map, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { SocketError, closeCodes, failureStatus, decodeBase64, encodeBase64 } from '../../core/index.js';
import type {
  ChannelMessage,
  DuplexChannels,
  Status,
  PortForwardResponse,
  PortForwarding,
  ProcessChannels,
  ProcessStreamResponse,
  StreamResponse,
} from '../../core/index.js';
import type { Pump } from '../http/stream-pump.js';
import type { ChannelProtocol } from './stream-protocols.js';
import { portForwardProtocols, processProtocols } from './stream-protocols.js';

/** A connection that carries messages, such as a WebSocket. */
export interface MessagePeer {
  /** Sends a message; false when the peer does not keep up, until `drain` is called on the pump. */
  send(message: Uint8Array, type: 'text' | 'binary'): boolean;
  /** Closes the connection after what was sent. */
  close(code: number): void;
  /** Stops reading messages of the peer. */
  pause(): void;
  resume(): void;
}

/** A stream over a connection. */
export interface ChannelPump extends Pump {
  /** Begins the session. */
  start(): void;
  /** Handles a message of the peer. Throws SocketError where it violates the protocol. */
  receive(message: Uint8Array): void;
}

/** Creates the pump of a stream over a connection. Inert until `start`. */
export function channelPump(response: StreamResponse, peer: MessagePeer): ChannelPump {
  const { protocol = '' } = response;
  return response.kind === 'portforward'
    ? new SocketChannels(protocolOf(portForwardProtocols, protocol), peer, portLinks(response))
    : new SocketChannels(protocolOf(processProtocols, protocol), peer, processLinks(response));
}

function protocolOf(protocols: ReadonlyMap<string, ChannelProtocol>, name: string): ChannelProtocol {
  const protocol = protocols.get(name);
  if (protocol === undefined) throw new Error(`no protocol of channels: ${name}`);
  return protocol;
}

/** Channels with their numbers on the connection. */
interface Link {
  readonly channels: DuplexChannels;
  /** Channels that the client sends on, by number. */
  readonly inputs: ReadonlyMap<number, string>;
  /** Channels that the client receives, by name. */
  readonly outputs: ReadonlyMap<string, number>;
  /** The channel on which the close is sent. */
  readonly error: number;
}

/** Links of a session, and the messages that announce them to the client. */
interface Opened {
  readonly links: readonly Link[];
  readonly first: readonly { readonly channel: number; readonly bytes: Uint8Array }[];
}

const processInputs: ReadonlyMap<number, string> = new Map([
  [0, 'stdin'],
  [4, 'resize'],
]);
const processOutputs: ReadonlyMap<string, number> = new Map([
  ['stdout', 1],
  ['stderr', 2],
]);
const processError = 3;
const nothing = new Uint8Array();

/** As pkg/kubelet's createWebSocketStreams: the lowest channel of the client gets an empty message first. */
function processLinks({ session$, outputs }: ProcessStreamResponse): Observable<Opened> {
  const lowest = outputs.includes('stdout') ? 1 : outputs.includes('stderr') ? 2 : processError;
  const open = (channels: ProcessChannels): Opened => ({
    links: [{ channels, inputs: processInputs, outputs: processOutputs, error: processError }],
    first: [{ channel: lowest, bytes: nothing }],
  });
  return session$.pipe(map(open));
}

/** Two channels for each port; the first message on each is the port. */
function portLinks({ session$, ports }: PortForwardResponse): Observable<Opened> {
  const open = (forwarding: PortForwarding): Opened => ({
    links: ports.map((port, index) => ({
      channels: forwarding.connect(port),
      inputs: new Map([[2 * index, 'data']]),
      outputs: new Map([['data', 2 * index]]),
      error: 2 * index + 1,
    })),
    first: ports.flatMap((port, index) => {
      const bytes = Uint8Array.of(port & 255, port >> 8);
      return [
        { channel: 2 * index, bytes },
        { channel: 2 * index + 1, bytes },
      ];
    }),
  });
  return session$.pipe(map(open));
}

class SocketChannels implements ChannelPump {
  readonly #protocol: ChannelProtocol;
  readonly #peer: MessagePeer;
  readonly #opened$: Observable<Opened>;
  readonly #session = new Subscription();
  /** Open links. */
  readonly #links = new Set<Link>();
  /** Subscriptions of links that are read: all while the peer has room. */
  readonly #reading = new Map<Link, Subscription>();
  #isBlocked = false;
  #isStopped = false;
  /** The number of outputs that wait for room. */
  #waiting = 0;

  constructor(protocol: ChannelProtocol, peer: MessagePeer, opened$: Observable<Opened>) {
    this.#protocol = protocol;
    this.#peer = peer;
    this.#opened$ = opened$;
  }

  start(): void {
    const subscription = this.#opened$.subscribe({
      next: (opened) => this.#begin(opened),
      error: () => this.#peer.close(closeCodes.internalError),
    });
    this.#session.add(subscription);
  }

  receive(message: Uint8Array): void {
    const decoded = this.#isStopped ? undefined : decodeChannel(this.#protocol, message);
    if (decoded === undefined) return;
    for (const { channels, inputs } of this.#links) {
      const name = inputs.get(decoded.channel);
      if (name === undefined) continue;
      if (decoded.type === 'end') channels.end(name);
      else this.#holdUntil(channels.output(name, decoded.bytes));
      return;
    }
    // A channel that does not exist, or that the client only receives, has no effect. As wsstream's Conn.handle.
  }

  drain(): void {
    if (!this.#isBlocked || this.#isStopped) return;
    this.#isBlocked = false;
    for (const link of [...this.#links]) this.#read(link);
  }

  finish(): void {
    if (this.#isStopped) return;
    const links = [...this.#links];
    this.stop();
    for (const { error } of links) this.#sendStatus(error, shuttingDown);
    this.#peer.close(closeCodes.goingAway);
  }

  stop(): void {
    this.#isStopped = true;
    this.#links.clear();
    this.#pause();
    this.#session.unsubscribe();
  }

  #begin({ links, first }: Opened): void {
    for (const link of links) this.#links.add(link);
    for (const { channel, bytes } of first) this.#send(channel, bytes);
    for (const link of links) this.#read(link);
  }

  /** Reads a link until it is closed or the peer is full. */
  #read(link: Link): void {
    if (!this.#mayRead() || !this.#links.has(link) || this.#reading.has(link)) return;
    // Waiting messages are emitted while subscribing: only the operator can stop them.
    const reading = link.channels.input$.pipe(takeWhile((message) => this.#take(link, message))).subscribe();
    if (!reading.closed) this.#reading.set(link, reading);
  }

  #mayRead(): boolean {
    return !this.#isBlocked && !this.#isStopped;
  }

  /** Sends a message to the peer. Returns whether there is room for another. */
  #take(link: Link, message: ChannelMessage): boolean {
    if (message.type === 'data') {
      const channel = link.outputs.get(message.channel);
      if (channel !== undefined && message.bytes.length > 0) this.#send(channel, message.bytes);
    } else if (message.type === 'close') {
      this.#links.delete(link);
      this.#reading.delete(link);
      this.#sendStatus(link.error, message.status);
      if (this.#links.size === 0) this.#peer.close(closeCodes.normal);
    }
    return this.#mayRead();
  }

  #pause(): void {
    for (const reading of this.#reading.values()) reading.unsubscribe();
    this.#reading.clear();
  }

  #sendStatus(channel: number, status: Status): void {
    if (this.#protocol.hasStatus) this.#send(channel, utf8.encode(JSON.stringify({ ...status, ...untyped })));
    else if (status.status === 'Failure') this.#send(channel, utf8.encode(status.message ?? ''));
  }

  #send(channel: number, bytes: Uint8Array): void {
    const { isBase64 } = this.#protocol;
    if (this.#peer.send(encodeChannel(this.#protocol, channel, bytes), isBase64 ? 'text' : 'binary')) return;
    this.#isBlocked = true;
    this.#pause();
  }

  #holdUntil(room: Promise<void> | undefined): void {
    if (room === undefined) return;
    this.#waiting += 1;
    if (this.#waiting === 1) this.#peer.pause();
    void room.then(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#peer.resume();
    });
  }
}

const utf8 = new TextEncoder();

/** On the error channel a Status has neither kind nor apiVersion. */
const untyped = { kind: undefined, apiVersion: undefined };

const shuttingDown = failureStatus({
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'the server is shutting down',
});

/** A decoded message of a client. */
type NumberedMessage =
  | { readonly type: 'data'; readonly channel: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly channel: number };

/** Encodes bytes of a channel as a message. */
function encodeChannel({ isBase64 }: ChannelProtocol, channel: number, bytes: Uint8Array): Uint8Array {
  if (isBase64) return utf8.encode(`${channel}${encodeBase64(bytes)}`);
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

/** Decodes a message; undefined where it is empty, which has no effect. Throws SocketError where it is no base64. */
function decodeChannel({ isBase64, endsChannels }: ChannelProtocol, message: Uint8Array): NumberedMessage | undefined {
  const [first] = message;
  if (first === undefined) return undefined;
  if (!isBase64) {
    const ended = message[1];
    if (endsChannels && first === endChannel) return ended === undefined ? undefined : { type: 'end', channel: ended };
    return { type: 'data', channel: first, bytes: message.subarray(1) };
  }
  try {
    return { type: 'data', channel: first - zero, bytes: decodeBase64(text.decode(message.subarray(1))) };
  } catch {
    throw new SocketError(closeCodes.invalidPayload, 'a message is no base64');
  }
}

const text = new TextDecoder();
const zero = 48;
const endChannel = 255;
