// Requests that request another protocol on their connection. They pass the same pipeline as every other request:
// streams of channels continue over a WebSocket or SPDY, watches and logs over a WebSocket; every other response,
// refusals included, is sent as plain HTTP and the connection is closed.
import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { constants, inflateRawSync } from 'node:zlib';
import type { StreamResponse } from '../../core/index.js';
import type { Pump } from '../http/stream-pump.js';
import type { StartStream, WireOutput } from '../http/wire-output.js';
import type { Wire } from '../http/wire.js';
import type { ChannelPump } from '../streams/channel-pump.js';
import { channelPump } from '../streams/channel-pump.js';
import type { InflateRaw } from '../streams/spdy/headers.js';
import type { BytePeer } from '../streams/spdy/session.js';
import { spdyPump } from '../streams/spdy/spdy-pump.js';
import type { SpdyPump } from '../streams/spdy/spdy-pump.js';
import { tunnelProtocol } from '../streams/stream-protocols.js';
import { NodeInput, writeOutput } from './node-http.js';
import type { OpenSocket, SocketOptions } from './web-socket.js';
import { isWebSocketRequest, openSocket } from './web-socket.js';
import type { Writing } from './node-http.js';

/** A request with an Upgrade header, and its connection. */
export interface Upgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client sent after the request. */
  readonly head: Uint8Array;
}

/** Serves a request with an Upgrade header. Resolves when it was answered, not when its stream ends. */
export async function serveUpgrade(
  { message, socket, head }: Upgrade,
  answer: Wire['answer'],
  writing: Writing,
): Promise<void> {
  const output = await answer(new NodeInput(message));
  // The client may have disconnected during the request; `close` is emitted only once.
  if (socket.destroyed) return;
  if (output.channels !== undefined) {
    const serve = output.channels.upgrade === 'spdy' ? serveSpdy : serveChannels;
    serve(output.channels, { message, socket, head }, writing);
    return;
  }
  if (output.body.type === 'stream' && output.messages !== undefined && isWebSocketRequest(message)) {
    serveSocket(output.body.start, output.messages, { message, socket, head }, writing);
    return;
  }
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // Typed as Duplex, but always a Socket on a server.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => socket.end());
  writeOutput(output, response, writing);
}

/** The maximum message size for clients of watches and logs, which send nothing of use. */
const messageBytesMax = 65_536;

/** The maximum size of a message on a channel. */
const channelMessageBytesMax = 1024 * 1024;

function serveChannels(channels: StreamResponse, { message, socket, head }: Upgrade, writing: Writing): void {
  const stream: { pump?: ChannelPump | SpdyPump } = {};
  const { protocol = '' } = channels;
  const { opened, ended } = writing;
  const client = openSocket(message, socket, {
    choose: () => protocol,
    // Unused: the pipeline has checked the handshake before it returns a stream.
    refusal: 'HTTP/1.1 400 Bad Request\r\n\r\n',
    needsOrigin: false,
    messageBytesMax: channelMessageBytesMax,
    onMessage: (payload) => stream.pump?.receive(payload),
    onDrain: () => stream.pump?.drain(),
    onClose: () => {
      if (stream.pump === undefined) return;
      stream.pump.stop();
      ended(stream.pump);
    },
  });
  if (client === undefined) return;
  const pump =
    protocol === tunnelProtocol
      ? spdyPump(channels, tunnelPeer(client), spdyOptions(writing))
      : channelPump(channels, client);
  stream.pump = pump;
  opened(pump);
  pump.start();
  client.take(head);
}

/** A SPDY connection in the messages of a WebSocket. */
function tunnelPeer(client: OpenSocket): BytePeer {
  return {
    write: (bytes) => client.send(bytes, 'binary'),
    end: () => client.close(),
    pause: () => client.pause(),
    resume: () => client.resume(),
  };
}

/** A SPDY connection in place of HTTP. */
function serveSpdy(channels: StreamResponse, { socket, head }: Upgrade, writing: Writing): void {
  const { opened, ended } = writing;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${channels.protocol ?? ''}\r\n\r\n`,
  );
  const peer: BytePeer = {
    write: (bytes) => socket.writable && socket.write(bytes),
    end: () => void socket.end(() => socket.destroy()),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  };
  const pump = spdyPump(channels, peer, spdyOptions(writing));
  socket.on('data', (bytes: Uint8Array) => pump.receive(bytes));
  socket.on('drain', () => pump.drain());
  socket.on('end', () => socket.destroy());
  socket.once('close', () => {
    pump.stop();
    ended(pump);
  });
  opened(pump);
  pump.start();
  if (head.length > 0) pump.receive(head);
}

function spdyOptions({ clock }: Writing): Parameters<typeof spdyPump>[2] {
  return { clock, inflateRaw };
}

const inflateRaw: InflateRaw = (data, dictionary, maxOutputLength) =>
  inflateRawSync(data, { dictionary, maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });

function serveSocket(
  start: StartStream,
  messages: NonNullable<WireOutput['messages']>,
  { message, socket, head }: Upgrade,
  { opened, ended }: Writing,
): void {
  const stream: { pump?: Pump } = {};
  const common = {
    messageBytesMax,
    onDrain: () => stream.pump?.drain(),
    onClose: () => {
      if (stream.pump === undefined) return;
      stream.pump.stop();
      ended(stream.pump);
    },
  };
  const client = openSocket(message, socket, {
    ...common,
    ...(messages === 'log' ? logProtocols : watchProtocols),
  });
  if (client === undefined) return;
  stream.pump = start(
    { write: sender(client, messages), end: () => client.close(), cut: () => client.cut() },
    'messages',
  );
  opened(stream.pump);
  client.take(head);
}

/** A watch accepts any single protocol that the client offers. */
const watchProtocols: Pick<SocketOptions, 'choose' | 'refusal' | 'needsOrigin'> = {
  choose: (offered) => (offered.length > 1 ? undefined : (offered[0] ?? '')),
  refusal: 'HTTP/1.1 400 Bad Request\r\n\r\n',
  needsOrigin: true,
};

/** As streaming/pkg/httpstream/wsstream/stream.go, NewDefaultReaderProtocols. */
const logProtocols: Pick<SocketOptions, 'choose' | 'refusal' | 'needsOrigin'> = {
  choose: (offered) =>
    offered.length === 0 ? '' : offered.find((each) => each === 'binary.k8s.io' || each === base64Protocol),
  refusal: 'HTTP/1.1 403 Forbidden\r\n\r\n',
  needsOrigin: false,
};

const base64Protocol = 'base64.binary.k8s.io';

function sender(client: OpenSocket, messages: NonNullable<WireOutput['messages']>): (bytes: Uint8Array) => boolean {
  if (messages !== 'log') return (bytes) => client.send(bytes, messages);
  if (client.protocol !== base64Protocol) return (bytes) => client.send(bytes, 'binary');
  return (bytes) => client.send(Buffer.from(Buffer.from(bytes).toString('base64')), 'text');
}
