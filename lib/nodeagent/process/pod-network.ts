// The network of pods that are processes of this machine: connections to their ports, and probes. The processes of a
// pod listen on an address of the loopback range of their own; one that listens on all addresses is reached as well.
import { request as plainRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { pause } from '../../core/index.js';
import type { Clock, NodeConnectionChannels } from '../../core/index.js';
import { RuntimeError } from '../runtime/container-runtime.js';
import type { NetworkProbe, NetworkProbeResult } from '../runtime/runtime-state.js';

/** Connects a stream to a port until both directions have ended. Rejects where the connection is refused. */
export async function forwardConnection(host: string, port: number, channels: NodeConnectionChannels): Promise<void> {
  const socket = await openSocket(host, port);
  const gone = (): void => void socket.destroy();
  channels.signal.addEventListener('abort', gone);
  try {
    const sending = passInput(channels, socket);
    for await (const bytes of socket) await channels.output('data', Uint8Array.from(bytes as Uint8Array));
    channels.end('data');
    channels.close();
    await sending;
  } finally {
    channels.signal.removeEventListener('abort', gone);
    socket.destroy();
  }
}

async function passInput(channels: NodeConnectionChannels, socket: Socket): Promise<void> {
  for (;;) {
    const message = await firstValueFrom(channels.input$, { defaultValue: undefined });
    if (message === undefined || message.type === 'close') return;
    if (message.type === 'end') socket.end();
    else if (!socket.destroyed && !socket.write(message.bytes))
      await new Promise<void>((resolve) => {
        const done = (): void => {
          socket.off('drain', done).off('close', done);
          resolve();
        };
        socket.on('drain', done).on('close', done);
      });
  }
}

function openSocket(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'ECONNREFUSED' ? 'connect: connection refused' : cause.message;
      reject(new RuntimeError('Unavailable', `dial tcp4 ${host}:${port}: ${reason}`, { cause }));
    });
  });
}

/** Sends a probe to an address. Rejects with RuntimeError where the connection fails or the time passes. */
export async function probeAddress(
  podIp: string,
  probe: NetworkProbe,
  timeoutMs: number,
  clock: Clock,
): Promise<NetworkProbeResult> {
  const abort = new AbortController();
  const ended = new AbortController();
  const late = pause(clock, timeoutMs, ended.signal).then(() => {
    abort.abort();
    throw new RuntimeError('DeadlineExceeded', 'context deadline exceeded');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([send(podIp, probe, abort.signal), late]);
  } finally {
    ended.abort();
    abort.abort();
  }
}

async function send(podIp: string, probe: NetworkProbe, signal: AbortSignal): Promise<NetworkProbeResult> {
  switch (probe.type) {
    case 'tcp': {
      const socket = await openSocket(probe.host === '' ? podIp : probe.host, probe.port);
      socket.destroy();
      return { type: 'tcp' };
    }
    case 'http':
      return sendHttp(podIp, probe, signal);
    case 'grpc':
      return { type: 'grpc', status: await checkHealth(podIp, probe.port, probe.service, signal) };
  }
}

const redirectsMax = 10;
const bodyBytesMax = 10 * 1024;

type HttpProbe = Extract<NetworkProbe, { type: 'http' }>;

async function sendHttp(podIp: string, probe: HttpProbe, signal: AbortSignal): Promise<NetworkProbeResult> {
  const { scheme, host, port, path, headers } = probe;
  let url = new URL(`${scheme}://${host === '' ? podIp : host}:${port}${path.startsWith('/') ? path : `/${path}`}`);
  const fields = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, fields, signal);
    const { statusCode = 0, headers: answered } = response;
    const { location } = answered;
    const isRedirect = statusCode >= 300 && statusCode < 400 && statusCode !== 304 && location !== undefined;
    if (!isRedirect) return { type: 'http', statusCode, body: await bodyOf(response) };
    response.destroy();
    const next = new URL(location, url);
    if (next.hostname !== url.hostname) return { type: 'http', statusCode, body: '', isRedirectedAway: true };
    if (redirects === redirectsMax) throw new RuntimeError('Unavailable', `stopped after ${redirectsMax} redirects`);
    url = next;
  }
}

function get(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { headers: { ...headers }, signal, agent: false };
    const request =
      url.protocol === 'https:'
        ? tlsRequest(url, { ...options, rejectUnauthorized: false }, resolve)
        : plainRequest(url, options, resolve);
    request.on('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'ECONNREFUSED' ? `dial tcp ${url.host}: connect: connection refused` : cause.message;
      reject(new RuntimeError('Unavailable', `Get "${url.href}": ${reason}`, { cause }));
    });
    request.end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response) {
    const fit = (piece as Uint8Array).subarray(0, bodyBytesMax - size);
    pieces.push(fit);
    size += fit.length;
    if (size === bodyBytesMax) break;
  }
  return Buffer.concat(pieces).toString();
}

const healthStatuses: Readonly<Record<number, string>> = { 1: 'SERVING', 2: 'NOT_SERVING', 3: 'SERVICE_UNKNOWN' };

/** Calls grpc.health.v1.Health/Check: a message with one string, answered by a message with one number. */
function checkHealth(host: string, port: number, service: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(new RuntimeError('Unavailable', `timeout: failed to connect service "${host}:${port}"`, { cause: error }));
    const session = connectHttp2(`http://${host}:${port}`);
    session.on('error', fail);
    signal.addEventListener('abort', () => session.destroy(), { once: true });
    const call = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const name = Buffer.from(service).subarray(0, 127);
    const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const pieces: Buffer[] = [];
    call.on('data', (piece: Buffer) => {
      if (pieces.length < 100) pieces.push(piece);
    });
    call.on('error', fail);
    call.on('end', () => {
      session.close();
      // Five bytes of framing, then field 1 as a number; no field is UNKNOWN.
      const [key, status] = Buffer.concat(pieces).subarray(5);
      resolve(key === 0x08 ? (healthStatuses[status ?? 0] ?? 'UNKNOWN') : 'UNKNOWN');
    });
    call.end(Buffer.concat([head, message]));
  });
}
