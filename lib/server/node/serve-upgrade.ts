// Requests that ask for another protocol on their connection. They pass the same pipeline as every other request, and
// what it answers decides: streams of channels, watches and logs continue over a WebSocket; everything else, refusals
// included, is answered in plain HTTP, and the connection is closed.
import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { StreamResponse } from '../../client/index.js';
import type { Pump } from '../http/stream-pump.js';
import type { StartStream, WireOutput } from '../http/wire-output.js';
import type { Wire } from '../http/wire.js';
import type { ChannelPump } from '../streams/channel-pump.js';
import { channelPump } from '../streams/channel-pump.js';
import { NodeInput } from './node-input.js';
import type { OpenSocket, SocketOptions } from './web-socket.js';
import { isWebSocketRequest, openSocket } from './web-socket.js';
import type { Writing } from './write-output.js';
import { writeOutput } from './write-output.js';

/** A request that wants to be upgraded, with the connection it came on. */
export interface Upgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent after the request already. */
  readonly head: Uint8Array;
}

/** Answers a request that wants to be upgraded. Resolves when it was answered, not when its stream ends. */
export async function serveUpgrade(
  { message, socket, head }: Upgrade,
  answer: Wire['answer'],
  writing: Writing,
): Promise<void> {
  const output = await answer(new NodeInput(message));
  // The client may have gone while the request was answered; its socket says so only once.
  if (socket.destroyed) return;
  if (output.channels !== undefined) {
    serveChannels(output.channels, { message, socket, head }, writing);
    return;
  }
  if (output.body.type === 'stream' && output.messages !== undefined && isWebSocketRequest(message)) {
    serveSocket(output.body.start, output.messages, { message, socket, head }, writing);
    return;
  }
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // On its way to being a Socket; it is one whenever a server upgrades.
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  response.once('finish', () => socket.end());
  writeOutput(output, response, writing);
}

/** A client of a watch or a log has nothing to say. */
const messageBytesMax = 65_536;

/** The longest message that a client may send on a channel. */
const channelMessageBytesMax = 1024 * 1024;

function serveChannels(channels: StreamResponse, { message, socket, head }: Upgrade, { opened, ended }: Writing): void {
  const stream: { pump?: ChannelPump } = {};
  const { protocol = '' } = channels;
  const client = openSocket(message, socket, {
    choose: () => protocol,
    // The pipeline has checked the handshake: only then there is a stream.
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
  const pump = channelPump(channels, client);
  stream.pump = pump;
  opened(pump);
  pump.start();
  client.take(head);
}

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

/** A watch takes whatever protocol the client names, but only one. */
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
