// A server on a port with a node, a pod and a connector that is a function of the test; and a WebSocket by hand, to
// send it what no library would.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Test } from 'tap';
import type { NodeConnector } from '../../lib/core/index.js';
import { inProcessClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { createServer } from '../../lib/server/index.js';
import type { ApiServer, ServerOptions } from '../../lib/server/index.js';
import { listen } from '../../lib/server/node/index.js';
import type { Listening } from '../../lib/server/node/index.js';
import { memoryStore } from '../../lib/storage/index.js';

/** The group of administrators. */
export const administrator = { username: 'admin', groups: ['system:masters'] };

/** A server whose pod `p` in `default` runs on node `n`. */
export interface StreamServer {
  readonly server: ApiServer;
  readonly client: Client;
  readonly listening: Listening;
}

/** Starts one; the test closes it. */
export async function streamServer(
  t: Test,
  connector: NodeConnector | undefined,
  options: Partial<ServerOptions> = {},
): Promise<StreamServer> {
  const server = createServer({ store: memoryStore(), ...options });
  if (connector !== undefined) server.nodes.register(connector);
  const client = inProcessClient(server.handler, { user: administrator });
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
  await client.kind('v1', 'Node').create({ metadata: { name: 'n' }, status: { addresses } });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create({ metadata: { name: 'p' }, spec });
  await pods.status.patch('p', { merge: { status: { phase: 'Running' } } });
  const listening = await listen(server);
  t.teardown(async () => {
    await listening.close();
    await server.close();
  });
  return { server, client, listening };
}

/** A WebSocket of a client, by hand. */
export interface RawSocket {
  readonly socket: Socket;
  /** The head of the response. */
  readonly head: string;
  /** What followed the head, where that is no stream. */
  body(): string;
  /** Messages and closing frames so far, without control frames: opcode and payload. */
  frames(): readonly { readonly opcode: number; readonly payload: Buffer }[];
  /** Waits for a number of frames, or the end of the connection. */
  until(count: number): Promise<void>;
}

/** Headers of a WebSocket request. */
export function upgradeHeaders(protocol: string | undefined, others: Readonly<Record<string, string>> = {}): string {
  const all = {
    Host: 'x',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...(protocol !== undefined && { 'Sec-WebSocket-Protocol': protocol }),
    ...others,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** Sends a request and reads until the head of the response is there. */
export async function openRaw({ port }: Listening, target: string, headers: string): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let all = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => (all = Buffer.concat([all, part])));
  socket.write(`GET ${target} HTTP/1.1\r\n${headers}\r\n`);
  while (!all.includes('\r\n\r\n')) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  const end = all.indexOf('\r\n\r\n') + 4;
  const frames = (): { readonly opcode: number; readonly payload: Buffer }[] => readFrames(all.subarray(end));
  return {
    socket,
    head: all.subarray(0, end).toString(),
    body: () => all.subarray(end).toString(),
    frames,
    until: async (count) => {
      while (frames().length < count && !socket.destroyed)
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    },
  };
}

function readFrames(bytes: Buffer): { readonly opcode: number; readonly payload: Buffer }[] {
  const found: { readonly opcode: number; readonly payload: Buffer }[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 127;
    const header = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (at + header > bytes.length) break;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    if (at + header + length > bytes.length) break;
    found.push({ opcode: (bytes[at] ?? 0) & 15, payload: bytes.subarray(at + header, at + header + length) });
    at += header + length;
  }
  return found;
}

/** A masked frame. */
export function maskedFrame(payload: Uint8Array, opcode = 2, isFinal = true): Buffer {
  const { length } = payload;
  const header =
    length < 126
      ? Buffer.from([0x80 | length])
      : length < 65_536
        ? Buffer.from([0xfe, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([0xff]), lengthBytes(length)]);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0)));
  return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | opcode]), header, mask, masked]);
}

function lengthBytes(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}
