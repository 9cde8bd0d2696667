// exec, attach, port-forward and followed logs of a client over HTTP, against the server on a port.
import { firstValueFrom, lastValueFrom, map, of, toArray } from 'rxjs';
import t from 'tap';
import type { Test } from 'tap';
import { connect } from '../../lib/client/node/index.js';
import { httpClient } from '../../lib/client/index.js';
import type { Client } from '../../lib/client/index.js';
import { exitCodeOf, exitStatus } from '../../lib/core/index.js';
import type { ChannelMessage, DuplexChannels, NodeConnector } from '../../lib/core/index.js';
import { streamServer } from '../support/stream-server.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

async function overHttp(t: Test, connector: NodeConnector | undefined): Promise<Client> {
  const { listening } = await streamServer(t, connector);
  const connection = connect({ server: listening.url, namespace: 'default', tls: {} });
  t.teardown(() => connection.close());
  return httpClient(connection);
}

async function messagesOf(channels: DuplexChannels): Promise<readonly ChannelMessage[]> {
  return lastValueFrom(channels.input$.pipe(toArray()), { defaultValue: [] });
}

function shown(message: ChannelMessage): string {
  if (message.type === 'data') return `${message.channel} ${text(message.bytes)}`;
  return message.type === 'end' ? `end of ${message.channel}` : message.status.status;
}

/** A stream that ended without a message. */
const over = { defaultValue: { type: 'close', status: exitStatus(0) } } as const;

/** Sends stdin back in capitals until it ends, then exits with the code of the command. */
const capitals: NodeConnector = {
  async exec(_target, { command }, channels) {
    for (;;) {
      const message = await firstValueFrom(channels.input$, over);
      if (message.type !== 'data') break;
      await channels.output('stdout', bytes(text(message.bytes).toUpperCase()));
    }
    await channels.output('stderr', bytes('bye'));
    channels.close(exitStatus(Number(command[1])));
  },
};

t.test('exec sends stdin, receives both outputs and the exit code', async (t) => {
  const client = await overHttp(t, capitals);
  const channels = await client
    .kind('v1', 'Pod')
    .in('default')
    .exec('p', { command: ['up', '7'], stdin: true });
  await channels.output('stdin', bytes('hello'));
  channels.end('stdin');
  const messages = await messagesOf(channels);
  t.strictSame(messages.map(shown), ['stdout HELLO', 'stderr bye', 'Failure']);
  const last = messages.at(-1);
  t.equal(last?.type === 'close' ? exitCodeOf(last.status) : undefined, 7);
  t.ok(channels.signal.aborted);
});

t.test('a megabyte passes in both directions while the reader is slow', async (t) => {
  const client = await overHttp(t, capitals);
  const channels = await client
    .kind('v1', 'Pod')
    .in('default')
    .exec('p', { command: ['up', '0'], stdin: true });
  const piece = bytes('a'.repeat(8192));
  for (let sent = 0; sent < 128; sent += 1) await channels.output('stdin', piece);
  channels.end('stdin');
  const messages = await messagesOf(channels);
  const size = messages.reduce(
    (sum, message) => sum + (message.type === 'data' && message.channel === 'stdout' ? message.bytes.length : 0),
    0,
  );
  t.equal(size, 128 * 8192);
});

t.test('a refused stream rejects with the Status of the server', async (t) => {
  const client = await overHttp(t, undefined);
  const pods = client.kind('v1', 'Pod').in('default');
  await t.rejects(pods.exec('gone', { command: ['x'] }), { message: 'pods "gone" not found', status: { code: 404 } });
  await t.rejects(pods.exec('p', { command: ['x'] }), { message: /error dialing backend/ });
  await t.rejects(pods.portForward('gone'), { message: 'pods "gone" not found' });
  const plain = httpClient({ server: 'http://127.0.0.1:1' });
  await t.rejects(
    plain
      .kind('v1', 'Pod')
      .in('default')
      .exec('p', { command: ['x'] }),
    { message: /socketTransport/ },
  );
});

t.test('closing the channels of the caller ends the process', async (t) => {
  let ended: (() => void) | undefined;
  const end = new Promise<void>((resolve) => (ended = resolve));
  const client = await overHttp(t, {
    attach: (_target, _streams, channels) => {
      channels.signal.addEventListener('abort', () => ended?.());
      return undefined;
    },
  });
  const channels = await client.kind('v1', 'Pod').in('default').attach('p');
  channels.close();
  await end;
  t.ok(channels.signal.aborted);
});

t.test('a port-forward opens a connection of its own for each connect', async (t) => {
  const client = await overHttp(t, {
    portForward: async (_target, port, channels) => {
      if (port === 81) throw new Error('connection refused');
      const message = await firstValueFrom(channels.input$, over);
      if (message.type === 'data') await channels.output('data', bytes(`${port}:${text(message.bytes)}`));
    },
  });
  const forwarding = await client.kind('v1', 'Pod').in('default').portForward('p');
  const [one, other, refused] = [80, 8080, 81].map((port) => forwarding.connect(port));
  await one?.output('data', bytes('a'));
  await other?.output('data', bytes('b'));
  t.strictSame((await messagesOf(one as DuplexChannels)).map(shown), ['data 80:a', 'Success']);
  t.strictSame((await messagesOf(other as DuplexChannels)).map(shown), ['data 8080:b', 'Success']);
  const [failure] = await messagesOf(refused as DuplexChannels);
  t.match(failure, { type: 'close', status: { status: 'Failure', message: /connection refused/ } });
  forwarding.close();
  t.ok(forwarding.connect(80).signal.aborted, 'a closed port-forward opens nothing');
});

t.test('a log is read line by line', async (t) => {
  const client = await overHttp(t, { log: () => of('one\ntw', 'o\n').pipe(map(bytes)) });
  const lines$ = client.kind('v1', 'Pod').in('default').log('p', { follow: true });
  t.strictSame(await lastValueFrom(lines$.pipe(toArray()), { defaultValue: [] }), ['one', 'two']);
});
