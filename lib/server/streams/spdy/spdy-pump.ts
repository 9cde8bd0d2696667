// Streams of exec, attach and port-forward over SPDY. Exec and attach: the client opens one stream for each of error,
// stdin, stdout, stderr and resize, then the process starts. Port-forward: an error and a data stream for each
// connection, paired by their request id. As kubelet/pkg/cri/streaming/remotecommand/httpstream.go and
// portforward/httpstream.go. One of the edges that subscribe: the connection's life is the subscription's.
import { Subscription, takeWhile } from 'rxjs';
import type { Observable } from 'rxjs';
import { failureStatus } from '../../../core/index.js';
import type { Clock, DuplexChannels, PortForwardResponse, ProcessStreamResponse, Status } from '../../../core/index.js';
import type { PortForwarding, StreamResponse } from '../../../core/index.js';
import { after } from '../../http/deadlines.js';
import type { Pump } from '../../http/stream-pump.js';
import { SpdyError, resetCodes } from './frames.js';
import type { InflateRaw } from './headers.js';
import { SpdySession } from './session.js';
import type { AcceptStream, BytePeer, SpdyStream, StreamReceiver } from './session.js';

/** A stream response over a SPDY connection. */
export interface SpdyPump extends Pump {
  /** Begins the session. */
  start(): void;
  /** Handles bytes of the client. Closes the connection where they violate the protocol. */
  receive(bytes: Uint8Array): void;
}

/** Dependencies of a pump. */
export interface SpdyOptions {
  readonly inflateRaw: InflateRaw;
  readonly clock: Clock;
}

/** Creates the pump of a stream over a SPDY connection. Inert until `start`. */
export function spdyPump(response: StreamResponse, peer: BytePeer, options: SpdyOptions): SpdyPump {
  return response.kind === 'portforward'
    ? new ForwardPump(response, peer, options)
    : new ProcessPump(response, peer, options);
}

/** How long a client may take to open the streams that belong together. */
const streamsMs = 30_000;

/** Channels whose messages go to streams of the client. */
interface Link {
  readonly channels: DuplexChannels;
  /** The streams that the client receives, by channel. */
  readonly outputs: ReadonlyMap<string, SpdyStream>;
  readonly error: SpdyStream;
}

abstract class LinkPump implements SpdyPump {
  protected readonly peer: BytePeer;
  protected readonly clock: Clock;
  protected readonly lifetime = new Subscription();
  readonly #session: SpdySession;
  readonly #links = new Set<Link>();
  readonly #reading = new Map<Link, Subscription>();
  #isBlocked = false;
  #isStopped = false;

  constructor(peer: BytePeer, { inflateRaw, clock }: SpdyOptions) {
    this.peer = peer;
    this.clock = clock;
    this.#session = new SpdySession(peer, inflateRaw, (stream) => this.accept(stream));
  }

  abstract start(): void;
  /** Decides about a stream that the client opens. */
  protected abstract accept(stream: SpdyStream): ReturnType<AcceptStream>;
  /** Sends the end of a link. Streams are ended afterwards. */
  protected abstract sendStatus(error: SpdyStream, status: Status): void;
  /** Called when a link was closed. */
  protected abstract closed(): void;

  receive(bytes: Uint8Array): void {
    if (this.#isStopped) return;
    try {
      this.#session.receive(bytes);
    } catch (error) {
      if (!(error instanceof SpdyError)) throw error;
      this.stop();
      this.peer.end();
    }
  }

  drain(): void {
    this.#session.drain();
    if (!this.#isBlocked || this.#isStopped) return;
    this.#isBlocked = false;
    for (const link of [...this.#links]) this.#read(link);
  }

  finish(): void {
    if (this.#isStopped) return;
    const links = [...this.#links];
    this.stop();
    for (const link of links) this.#endStreams(link, shuttingDown);
    this.#session.goAway();
    this.peer.end();
  }

  stop(): void {
    this.#isStopped = true;
    for (const reading of this.#reading.values()) reading.unsubscribe();
    this.#reading.clear();
    this.#links.clear();
    this.lifetime.unsubscribe();
  }

  protected open(link: Link): void {
    this.#links.add(link);
    this.#read(link);
  }

  protected get openLinks(): number {
    return this.#links.size;
  }

  /** Reads a link until it is closed or the peer is full. */
  #read(link: Link): void {
    if (!this.#mayRead() || !this.#links.has(link) || this.#reading.has(link)) return;
    const { channels, outputs } = link;
    const reading = channels.input$
      .pipe(
        takeWhile((message) => {
          if (message.type === 'data') this.#send(outputs.get(message.channel), message.bytes);
          else if (message.type === 'end') outputs.get(message.channel)?.end();
          else this.#close(link, message.status);
          return this.#mayRead();
        }),
      )
      .subscribe();
    if (!reading.closed) this.#reading.set(link, reading);
  }

  #mayRead(): boolean {
    return !this.#isBlocked && !this.#isStopped;
  }

  #send(stream: SpdyStream | undefined, bytes: Uint8Array): void {
    if (stream === undefined || bytes.length === 0 || stream.send(bytes)) return;
    this.#isBlocked = true;
    for (const reading of this.#reading.values()) reading.unsubscribe();
    this.#reading.clear();
  }

  #close(link: Link, status: Status): void {
    this.#links.delete(link);
    this.#reading.delete(link);
    this.#endStreams(link, status);
    this.closed();
  }

  #endStreams({ outputs, error }: Link, status: Status): void {
    this.sendStatus(error, status);
    for (const stream of outputs.values()) stream.end();
    error.end();
  }
}

const utf8 = new TextEncoder();

const shuttingDown = failureStatus({
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'the server is shutting down',
});

class ProcessPump extends LinkPump {
  readonly #response: ProcessStreamResponse;
  readonly #streams = new Map<string, SpdyStream>();
  readonly #expected: ReadonlySet<string>;
  readonly #hasStatus: boolean;

  constructor(response: ProcessStreamResponse, peer: BytePeer, options: SpdyOptions) {
    super(peer, options);
    const { inputs, outputs, protocol = '' } = response;
    this.#response = response;
    this.#hasStatus = protocol === 'v4.channel.k8s.io';
    const hasResize = this.#hasStatus || protocol === 'v3.channel.k8s.io';
    this.#expected = new Set(['error', ...outputs, ...inputs.filter((name) => name !== 'resize' || hasResize)]);
  }

  start(): void {
    // A client that does not open its streams is disconnected.
    this.lifetime.add(after(this.clock, streamsMs, () => this.#streams.size < this.#expected.size && this.peer.end()));
  }

  protected accept(stream: SpdyStream): ReturnType<AcceptStream> {
    const type = stream.headers.get('streamtype') ?? '';
    if (!this.#expected.has(type) || this.#streams.has(type)) return resetCodes.invalidStream;
    return () => {
      this.#streams.set(type, stream);
      if (this.#streams.size === this.#expected.size) this.#begin();
    };
  }

  protected sendStatus(error: SpdyStream, status: Status): void {
    // On the error stream a Status has neither kind nor apiVersion.
    const untyped = { ...status, kind: undefined, apiVersion: undefined };
    if (this.#hasStatus) error.send(utf8.encode(JSON.stringify(untyped)));
    else if (status.status === 'Failure') error.send(utf8.encode(status.message ?? ''));
  }

  protected closed(): void {
    this.peer.end();
  }

  #begin(): void {
    const streams = this.#streams;
    const error = streams.get('error');
    const subscription = this.#response.session$.subscribe({
      next: (channels) => {
        if (error === undefined) return;
        streams.get('stdin')?.receive(receiverOf(channels, 'stdin', () => channels.close()));
        streams.get('resize')?.receive(sizeReceiver(channels));
        const outputs = this.#response.outputs.flatMap((name) => {
          const stream = streams.get(name);
          return stream === undefined ? [] : [[name, stream] as const];
        });
        this.open({ channels, outputs: new Map<string, SpdyStream>(outputs), error });
      },
      error: () => this.peer.end(),
    });
    this.lifetime.add(subscription);
  }
}

/** Passes the bytes of a stream to a channel. */
function receiverOf(channels: DuplexChannels, channel: string, reset: () => void): StreamReceiver {
  return { data: (bytes) => channels.output(channel, bytes), end: () => channels.end(channel), reset };
}

/** Passes terminal sizes to the channel, one message for each line. */
function sizeReceiver(channels: DuplexChannels): StreamReceiver {
  let begun = '';
  const text = new TextDecoder();
  return {
    data(bytes) {
      const lines = (begun + text.decode(bytes, { stream: true })).split('\n');
      begun = (lines.pop() ?? '').slice(0, sizeCharactersMax);
      for (const line of lines) void channels.output('resize', utf8.encode(line));
      return undefined;
    },
    end: () => undefined,
    reset: () => undefined,
  };
}

const sizeCharactersMax = 256;

/** The streams of one connection, until both are there. */
interface StreamPair {
  readonly port: number;
  data?: SpdyStream;
  error?: SpdyStream;
  readonly cancelTimeout: () => void;
}

/** Pairs that wait for their second stream. */
const pairsMax = 1_000;

class ForwardPump extends LinkPump {
  readonly #session$: Observable<PortForwarding>;
  readonly #pairs = new Map<string, StreamPair>();
  #forwarding: PortForwarding | undefined;

  constructor({ session$ }: PortForwardResponse, peer: BytePeer, options: SpdyOptions) {
    super(peer, options);
    this.#session$ = session$;
  }

  start(): void {
    const next = (forwarding: PortForwarding): void => void (this.#forwarding = forwarding);
    const end = (): void => this.peer.end();
    this.lifetime.add(this.#session$.subscribe({ next, error: end, complete: end }));
    this.lifetime.add(() => {
      for (const { cancelTimeout } of this.#pairs.values()) cancelTimeout();
      this.#pairs.clear();
    });
  }

  protected accept(stream: SpdyStream): ReturnType<AcceptStream> {
    const type = stream.headers.get('streamtype') ?? '';
    const port = Number(/^[0-9]{1,5}$/.exec(stream.headers.get('port') ?? '')?.[0] ?? 0);
    if ((type !== 'data' && type !== 'error') || port < 1 || port > 65_535) return resetCodes.invalidStream;
    const key = requestIdOf(stream, type);
    const pair = this.#pairs.get(key) ?? this.#newPair(key, port);
    if (pair === undefined) return resetCodes.refused;
    if (pair[type] !== undefined || pair.port !== port) return resetCodes.invalidStream;
    return () => {
      pair[type] = stream;
      if (pair.data === undefined || pair.error === undefined) return;
      pair.cancelTimeout();
      this.#pairs.delete(key);
      this.#connect(port, pair.data, pair.error);
    };
  }

  protected sendStatus(error: SpdyStream, status: Status): void {
    if (status.status === 'Failure') error.send(utf8.encode(status.message ?? ''));
  }

  protected closed(): void {
    // The client may open further connections.
  }

  #newPair(key: string, port: number): StreamPair | undefined {
    if (this.#pairs.size >= pairsMax) return undefined;
    const cancelTimeout = after(this.clock, streamsMs, () => {
      this.#pairs.delete(key);
      if (pair.error === undefined) pair.data?.reset(resetCodes.cancel);
      pair.error?.send(utf8.encode('timed out waiting for the data stream'));
      pair.error?.end();
    });
    const pair: StreamPair = { port, cancelTimeout };
    this.#pairs.set(key, pair);
    return pair;
  }

  #connect(port: number, data: SpdyStream, error: SpdyStream): void {
    const channels = this.#forwarding?.connect(port);
    if (channels === undefined) {
      data.reset(resetCodes.cancel);
      error.end();
      return;
    }
    data.receive(receiverOf(channels, 'data', () => channels.close()));
    // The client only ends its side.
    error.receive({ data: () => undefined, end: () => undefined, reset: () => undefined });
    this.open({ channels, outputs: new Map([['data', data]]), error });
  }
}

/** Clients that send no id open the error stream first and the data stream right after it. */
function requestIdOf({ id, headers }: SpdyStream, type: 'data' | 'error'): string {
  return headers.get('requestid') ?? `${type === 'error' ? id : id - 2}`;
}
