/**
 * Connects to a gRPC server: socket, TLS, HTTP/2, and the first word of the server. Only that counts as connected: a
 * server that is stopped, wants a certificate or does not speak HTTP/2 accepts connections too, and whatever was sent
 * there would have an unknown outcome.
 *
 * The socket is ours rather than made by node:http2, which drops a socket without closing it when the server refuses
 * the client's certificate: neither `error` nor `close` come then (Node 20).
 */
import { connect } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../core/index.js';
import { notSent } from './grpc-error.js';
import { GrpcSession } from './grpc-session.js';
import { pauseUntilAborted } from './pause.js';

/** Certificates, in PEM. */
export interface TlsOptions {
  /** Who may have signed the server's certificate, instead of those the system trusts. */
  readonly ca?: string | Buffer;
  /** The client's certificate and its key. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The name that the server's certificate must carry, if not that of the endpoint. */
  readonly serverName?: string;
}

/** Where to connect to. */
export interface GrpcConnectOptions {
  readonly endpoint: URL;
  readonly tls: TlsOptions;
  readonly clock: Clock;
  /** How long it may take. */
  readonly connectMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Called once, when no further call can be made on the connection. */
  readonly onUnusable: (session: GrpcSession) => void;
}

/** Generous windows: a list of a hundred megabytes should not wait for acknowledgements. */
const streamWindowBytes = 4 * 1024 * 1024;
const connectionWindowBytes = 16 * 1024 * 1024;

/** Connects. Rejects with a GrpcError that has not reached anybody. */
export function connectGrpc({
  endpoint,
  tls,
  clock,
  connectMs,
  signal,
  onUnusable,
}: GrpcConnectOptions): Promise<GrpcSession> {
  return new Promise((resolve, reject) => {
    const socket = socketTo(endpoint, tls);
    const http2 = connect(endpoint, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
      // Node's own limit of 10 MB would refuse calls as soon as some large transactions are under way.
      maxSessionMemory: 4096,
    });
    let failure: Error | undefined;
    const settled = new AbortController();
    const giveUp = (): void => {
      if (settled.signal.aborted) return;
      failure ??= new Error(signal.aborted ? 'the store was closed' : `no answer within ${connectMs} ms`);
      http2.destroy();
      socket.destroy();
    };
    void pauseUntilAborted(clock, connectMs, settled.signal).then(giveUp);
    signal.addEventListener('abort', giveUp, { signal: settled.signal });
    socket.on('error', (error) => {
      failure ??= error;
      socket.destroy();
    });
    http2.on('error', (error: Error) => {
      failure ??= error;
    });
    http2.once('close', () => {
      settled.abort();
      reject(
        notSent(
          `cannot connect to ${endpoint.host}: ${failure?.message ?? 'the server closed the connection'}`,
          failure,
        ),
      );
    });
    http2.once('remoteSettings', () => {
      settled.abort();
      http2.setLocalWindowSize(connectionWindowBytes);
      resolve(new GrpcSession({ http2, socket, clock, onUnusable }));
    });
  });
}

function socketTo(endpoint: URL, { serverName, ...certificates }: TlsOptions): Socket {
  const host = endpoint.hostname.replace(/^\[|\]$/g, '');
  const secure = endpoint.protocol === 'https:';
  const port = endpoint.port === '' ? (secure ? 443 : 80) : Number(endpoint.port);
  if (!secure) return connectTcp({ host, port, noDelay: true });
  const name = serverName ?? host;
  return connectTls({
    ...certificates,
    host,
    port,
    ALPNProtocols: ['h2'],
    ...(isIP(name) === 0 && { servername: name }),
  }).setNoDelay(true);
}
