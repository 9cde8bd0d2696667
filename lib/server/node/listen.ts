// Serves on a port: node's HTTP or HTTPS around the wire. Only connections are handled here: their time limits, the
// size of their headers, and their shutdown. Time limits of connections are node's own; the grace period of `close`
// uses the clock that was passed in.
import { constants } from 'node:crypto';
import { createServer as createPlainServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock } from '../../core/index.js';
import type { WireOptions, WireServer } from '../http/wire.js';
import { textOutput } from '../http/wire-output.js';
import type { WireOutput } from '../http/wire-output.js';
import { wire } from '../http/wire.js';
import { NodeInput, hasUnknownTransferCoding, writeOutput } from './node-http.js';
import type { Upgrade } from './serve-upgrade.js';
import { serveUpgrade } from './serve-upgrade.js';
import type { Writing } from './node-http.js';
import type { Clock } from '../../core/index.js';
import { after } from '../http/deadlines.js';
import type { Pump } from '../http/stream-pump.js';

/** Options of a server on a port. */
export interface ListenOptions extends WireOptions {
  /** The address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** The port to listen on. Default 0: any free port. */
  readonly port?: number;
  /** Key and certificate for HTTPS. Default: plain HTTP. */
  readonly tls?: ServingTls;
  readonly connections?: Partial<ConnectionLimits>;
  /** How long `close` waits for pending requests, in milliseconds. Default 10 s. */
  readonly graceMs?: number;
  /**
   * How long `close` leaves connections without a pending request open, in milliseconds: a client that is about to send
   * a request gets its response, with `Connection: close`, instead of a reset. Default 0.
   */
  readonly idleGraceMs?: number;
}

/** Key and certificates in PEM. */
export interface ServingTls {
  readonly key: string;
  /** The certificate, followed by intermediates. */
  readonly certificate: string;
  /**
   * Authorities of client certificates, of users and of front proxies: clients are requested to present one of theirs.
   * Any certificate is accepted; authenticators decide about it. Without authorities no certificate is requested.
   */
  readonly clientAuthorities?: string;
}

/** Limits of connections. */
export interface ConnectionLimits {
  /** The maximum size of path and headers in bytes. Default 256 KiB. */
  readonly headerBytesMax: number;
  /** Time limit for receiving all headers, and for the TLS handshake. Default 32 s, as Go's ReadHeaderTimeout there. */
  readonly headersMs: number;
  /** Time limit for receiving a whole request, and for a client that stops reading its response. Default 65 s. */
  readonly requestMs: number;
  /** Time limit between two requests. Default 90 s, as IdleTimeout there. */
  readonly idleMs: number;
  /** How often the first two are checked. Default 5 s. */
  readonly checkMs: number;
}

/** A server on its port. */
export interface Listening {
  /** The URL of the server, such as `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Ends connections after their next response (`Connection: close`). New ones are still accepted. */
  drain(): void;
  /**
   * Stops accepting connections, ends watches, waits for pending requests up to `graceMs`, then closes all connections.
   * Idempotent.
   */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Listens on a port and serves a server there. Rejects where the port is not available. */
export async function listen(served: WireServer, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, tls, clock = systemClock() } = options;
  const onDefect = (error: unknown): void => {
    options.onDefect?.(error);
    served.reportFailure?.({ error });
  };
  const { graceMs = 10_000, idleGraceMs = 0 } = options;
  const limits = { ...defaultLimits, ...options.connections };
  const { answer, close: closeWire } = wire(served, { ...options, clock }, { keepsTimer: true });
  const work = new OpenWork(() => {
    if (work.isClosing && idleGraceMs === 0) server.closeIdleConnections();
  });
  const writing: Writing = { onDefect, opened: work.opened, ended: work.ended, stallMs: limits.requestMs, clock };

  const server =
    tls === undefined
      ? createPlainServer(serverOptions(limits))
      : createTlsServer({ ...serverOptions(limits), ...tlsOptions(tls), handshakeTimeout: limits.headersMs });
  const serve = (message: IncomingMessage, response: ServerResponse): void => {
    work.began(response);
    if (hasUnknownTransferCoding(message)) {
      write(textOutput(501, unknownTransferCoding, { close: true }), response);
      return;
    }
    try {
      const output = answer(new NodeInput(message, response));
      if (output instanceof Promise) void writeLater(output, response);
      else write(output, response);
    } catch (error) {
      fail(error, response);
    }
  };
  const writeLater = async (output: Promise<WireOutput>, response: ServerResponse): Promise<void> => {
    try {
      write(await output, response);
    } catch (error) {
      fail(error, response);
    }
  };
  const write = (output: WireOutput, response: ServerResponse): void =>
    writeOutput(work.isDraining ? { ...output, close: true } : output, response, writing);
  // Invalid headers, or a socket that failed while they were written.
  const fail = (error: unknown, response: ServerResponse): void => {
    response.destroy();
    onDefect(error);
  };
  const upgrade = async (asked: Upgrade): Promise<void> => {
    asked.socket.on('error', () => asked.socket.destroy());
    try {
      await serveUpgrade(asked, answer, writing);
    } catch (error) {
      asked.socket.destroy();
      onDefect(error);
    }
  };
  server.on('request', serve);
  server.on('upgrade', (message, socket, head) => void upgrade({ message, socket, head }));
  server.on('clientError', (error: ParserError, socket) => refuseConnection(error, socket, work.isBusy(socket)));
  server.on('connection', (socket: Socket) => work.connected(socket));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve));
  server.on('error', onDefect);

  const end = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      // The close of node:http destroys idle connections at once; that of node:net only stops accepting.
      if (idleGraceMs > 0) NetServer.prototype.close.call(server, () => resolve());
      else server.close(() => resolve());
    });
    await work.finish(clock, { graceMs, idleGraceMs });
    if (idleGraceMs > 0) server.close(); // also cancels the timer of node:http
    closeWire();
    await closed;
  };
  let ending: Promise<void> | undefined;
  const close = (): Promise<void> => (ending ??= end());
  return {
    ...placeOf(server.address() as AddressInfo, tls === undefined ? 'http' : 'https'),
    drain: () => work.drain(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const defaultLimits: ConnectionLimits = {
  headerBytesMax: 256 * 1024,
  headersMs: 32_000,
  requestMs: 65_000,
  idleMs: 90_000,
  checkMs: 5_000,
};

function serverOptions({
  headerBytesMax,
  headersMs,
  requestMs,
  idleMs,
  checkMs,
}: ConnectionLimits): Readonly<Record<string, number | boolean>> {
  return {
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    noDelay: true,
  };
}

function tlsOptions({ key, certificate, clientAuthorities }: ServingTls): Readonly<Record<string, unknown>> {
  return {
    key,
    cert: certificate,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // A resumed session has the client's certificate but not its chain.
    ...(clientAuthorities !== undefined && {
      ca: clientAuthorities,
      requestCert: true,
      rejectUnauthorized: false,
      secureOptions: constants.SSL_OP_NO_TICKET,
    }),
  };
}

function placeOf({ address, family, port }: AddressInfo, scheme: string): Pick<Listening, 'url' | 'host' | 'port'> {
  return { url: `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`, host: address, port };
}

const unknownTransferCoding = 'Unsupported transfer encoding';

/** An error of node's parser of HTTP, with its explanation. */
interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/**
 * Responds to a request that cannot be parsed in Go's words and closes the connection; without a response where another
 * one is being sent.
 */
function refuseConnection({ code, reason = '' }: ParserError, socket: Duplex, isBusy: boolean): void {
  // The parser uses one code for an unknown coding and for one beside a Content-Length.
  const isUnknownCoding = code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason.includes('Content-Length');
  const status =
    code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : isUnknownCoding
          ? '501 Not Implemented'
          : '400 Bad Request';
  const text = isUnknownCoding ? unknownTransferCoding : status;
  if (code === 'ECONNRESET' || isBusy || !socket.writable) socket.destroy();
  else
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`,
      () => socket.destroy(),
    );
}

/**
 * The open work of one server: connections, pending requests and streams. Tracked so that closing can end streams, wait
 * for requests and then close all connections.
 */
class OpenWork {
  readonly #sockets = new Set<Socket>();
  readonly #pumps = new Set<Pump>();
  /** The number of pending requests per connection; more than one where a client pipelines. */
  readonly #pendingBySocket = new WeakMap<Duplex, PendingRequests>();
  #answering = 0;
  readonly #onAnswered: (this: ServerResponse) => void;
  #isClosing = false;
  #isDraining = false;
  /** Whether connections without a pending request keep `finish` waiting. */
  #awaitsIdle = false;
  #onIdle: (() => void) | undefined;

  /** `answered` is called after every response. */
  constructor(answered: () => void) {
    const tell = ({ req }: ServerResponse): void => {
      this.#answering -= 1;
      this.#talkOf(req.socket).answering -= 1;
      answered();
      this.#tellIdle();
    };
    // One shared function rather than a closure per request, which would be measurable.
    this.#onAnswered = function () {
      tell(this);
    };
  }

  /** Whether the server is closing. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether connections end after their next response. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Ends connections after their next response. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Tracks a new connection. */
  connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#tellIdle();
    });
  }

  /** Tracks a request until its response closes. */
  began(response: ServerResponse): void {
    this.#answering += 1;
    this.#talkOf(response.req.socket).answering += 1;
    response.on('close', this.#onAnswered);
  }

  /** Whether a connection has pending requests. */
  isBusy(socket: Duplex): boolean {
    return this.#talkOf(socket).answering > 0;
  }

  /** Tracks a stream. One that starts while the server is closing ends at once. */
  readonly opened = (pump: Pump): void => {
    this.#pumps.add(pump);
    if (this.#isClosing) pump.finish();
  };

  /** Removes a stream that ended. */
  readonly ended = (pump: Pump): void => {
    this.#pumps.delete(pump);
    this.#tellIdle();
  };

  /**
   * Ends streams, waits for pending requests and idle connections up to their grace periods, then destroys all
   * connections.
   */
  async finish(clock: Clock, { graceMs, idleGraceMs }: Required<GracePeriods>): Promise<void> {
    this.#isClosing = true;
    this.#isDraining = true;
    this.#awaitsIdle = idleGraceMs > 0;
    await new Promise<void>((resolve) => {
      const cancel = after(clock, graceMs, resolve);
      const cancelIdle = after(clock, idleGraceMs, () => {
        this.#awaitsIdle = false;
        this.#tellIdle();
      });
      this.#onIdle = () => {
        cancel();
        cancelIdle();
        resolve();
      };
      for (const pump of this.#pumps) pump.finish();
      this.#tellIdle();
    });
    for (const socket of this.#sockets) socket.destroy();
  }

  #tellIdle(): void {
    if (this.#answering > 0 || this.#pumps.size > 0) return;
    if (!this.#awaitsIdle || this.#sockets.size === 0) this.#onIdle?.();
  }

  #talkOf(socket: Duplex): PendingRequests {
    let talk = this.#pendingBySocket.get(socket);
    if (talk === undefined) this.#pendingBySocket.set(socket, (talk = { answering: 0 }));
    return talk;
  }
}

type GracePeriods = Pick<ListenOptions, 'graceMs' | 'idleGraceMs'>;

interface PendingRequests {
  answering: number;
}
