// The server on a port: node's HTTP or HTTPS around the wire. Nothing of Kubernetes is decided here, only what belongs
// to connections: how long they may dawdle, how large their headers may be, and how they end. The time limits of
// connections are node's own; the grace of `close` is on the clock that was handed in.
import { constants } from 'node:crypto';
import { createServer as createPlainServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock } from '../../core/index.js';
import type { WireOptions, WireServer } from '../http/wire.js';
import type { WireOutput } from '../http/wire-output.js';
import { wire } from '../http/wire.js';
import { NodeInput } from './node-input.js';
import { OpenWork } from './open-work.js';
import type { Upgrade } from './serve-upgrade.js';
import { serveUpgrade } from './serve-upgrade.js';
import type { Writing } from './write-output.js';
import { writeOutput } from './write-output.js';

/** Where and how to listen. */
export interface ListenOptions extends WireOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** HTTPS with these; plain HTTP without. */
  readonly tls?: ServingTls;
  readonly connections?: Partial<ConnectionLimits>;
  /** How long `close` waits for requests under way. Default 10 s. */
  readonly graceMs?: number;
}

/** Keys and certificates, in PEM. */
export interface ServingTls {
  readonly key: string;
  /** With intermediates behind it, if there are any. */
  readonly certificate: string;
  /**
   * Clients are asked for a certificate of one of these: all authorities that users and front proxies may be of.
   * Whatever they present is taken; what it is worth is the authenticators' to say. Without them nobody is asked.
   */
  readonly clientAuthorities?: string;
}

/** What a connection may cost. */
export interface ConnectionLimits {
  /** Path and headers together. Default 256 KiB. */
  readonly headerBytesMax: number;
  /** Until all headers are there, and until a TLS handshake is done. Default 32 s, as Go's ReadHeaderTimeout there. */
  readonly headersMs: number;
  /** Until all of a request is there, and for a client that stops reading its answer. Default 65 s. */
  readonly requestMs: number;
  /** Between two requests. Default 90 s, as IdleTimeout there. */
  readonly idleMs: number;
  /** How often the first two are looked at. Default 5 s. */
  readonly checkMs: number;
}

/** A server on its port. */
export interface Listening {
  /** For instance `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /**
   * Takes no more connections, ends watches in good order, waits for requests under way, then leaves nothing behind.
   * Idempotent.
   */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves a server on a port. Rejects where the port cannot be had. */
export async function listen(served: WireServer, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, tls, clock = systemClock(), graceMs = 10_000, onDefect = ignore } = options;
  const limits = { ...defaultLimits, ...options.connections };
  const { answer, close: closeWire } = wire(served, { ...options, clock }, { keepsTimer: true });
  const work = new OpenWork(() => {
    if (work.isClosing) server.closeIdleConnections();
  });
  const writing: Writing = { onDefect, opened: work.opened, ended: work.ended, stallMs: limits.requestMs };

  const server =
    tls === undefined
      ? createPlainServer(serverOptions(limits))
      : createTlsServer({ ...serverOptions(limits), ...tlsOptions(tls), handshakeTimeout: limits.headersMs });
  const serve = (message: IncomingMessage, response: ServerResponse): void => {
    work.began(response);
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
    writeOutput(work.isClosing ? { ...output, close: true } : output, response, writing);
  // Headers that no wire can carry, or a socket that broke while they were written.
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseConnection(error, socket, work.isBusy(socket)),
  );
  server.on('connection', (socket: Socket) => work.connected(socket));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve));
  server.on('error', onDefect);

  const end = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    await work.finish(clock, graceMs);
    closeWire();
    await closed;
  };
  let ending: Promise<void> | undefined;
  const close = (): Promise<void> => (ending ??= end());
  return {
    ...placeOf(server.address() as AddressInfo, tls === undefined ? 'http' : 'https'),
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

function ignore(): void {
  // Nobody wants to know.
}

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
    // A session that is resumed remembers the client's certificate but not what led to its authority.
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

/** What cannot be parsed gets Go's words and no second chance; in the middle of another answer it gets none at all. */
function refuseConnection({ code }: NodeJS.ErrnoException, socket: Duplex, isBusy: boolean): void {
  const status =
    code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  if (code === 'ECONNRESET' || isBusy || !socket.writable) socket.destroy();
  else
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`,
      () => socket.destroy(),
    );
}
