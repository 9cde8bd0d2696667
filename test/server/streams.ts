// exec, attach and port-forward: through the pipeline, in process and over WebSockets.
import { once } from 'node:events';
import { EMPTY, Observable, filter, firstValueFrom, lastValueFrom, map, takeWhile, toArray } from 'rxjs';
import t from 'tap';
import { bearerTokens, rbacAuthorizer, tokenFile } from '../../lib/auth/index.js';
import {
  duplexChannels,
  exitCodeOf,
  exitStatus,
  forbidden,
  decodeTerminalSize,
  encodeTerminalSize,
} from '../../lib/core/index.js';
import type {
  ChannelMessage,
  DuplexChannels,
  NodeConnector,
  NodeProcessChannels,
  ProcessCommand,
  TerminalSize,
} from '../../lib/core/index.js';
import type { AuditEvent } from '../../lib/server/index.js';
import { maskedFrame, openRaw, streamServer, upgradeHeaders } from '../support/stream-server.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) await turn();
};
const execPath = '/api/v1/namespaces/default/pods/p/exec?command=cat&stdin=1&stdout=1&stderr=1';

/** Messages of an end as short texts, until the close. */
async function messagesOf(channels: DuplexChannels): Promise<readonly string[]> {
  return lastValueFrom(channels.input$.pipe(map(shown), toArray()), { defaultValue: [] });
}

function shown(message: ChannelMessage): string {
  if (message.type === 'data') return `${message.channel} ${text(message.bytes)}`;
  if (message.type === 'end') return `end of ${message.channel}`;
  return `${message.status.status} ${message.status.message ?? ''}`.trim();
}

/** Takes one message of an end. */
function next<C extends string>(channels: DuplexChannels<C> | undefined): Promise<ChannelMessage<C>> {
  return firstValueFrom(channels?.input$ ?? EMPTY, { defaultValue: { type: 'close', status: exitStatus(0) } });
}

/** Sends back what it receives, until that ends. */
async function sendBack<C extends string, D extends string>(channels: DuplexChannels<C, D>, to: D): Promise<void> {
  for (;;) {
    const message = await next(channels);
    if (message.type !== 'data') return;
    await channels.output(to, message.bytes);
  }
}

/** Exits with the code that its command names. */
const echo: NodeConnector = {
  async exec(_target, { command }, channels) {
    await sendBack(channels, 'stdout');
    channels.close(exitStatus(Number(command[1] ?? 0)));
  },
};

t.test('a client in process runs a command', async (t) => {
  const commands: (ProcessCommand & { readonly container: string })[] = [];
  const { client } = await streamServer(t, {
    exec(target, command, channels) {
      commands.push({ ...command, container: target.container });
      return echo.exec?.(target, command, channels);
    },
  });
  const pods = client.kind('v1', 'Pod').in('default');
  const channels = await pods.exec('p', { command: ['cat', '3'], stdin: true });
  await channels.output('stdin', bytes('hello'));
  channels.end('stdin');
  t.strictSame(await messagesOf(channels), [
    'stdout hello',
    'Failure command terminated with non-zero exit code: exit status 3',
  ]);
  t.ok(channels.signal.aborted);
  t.strictSame(commands, [
    { command: ['cat', '3'], container: 'c', stdin: true, stdout: true, stderr: true, tty: false },
  ]);
  t.equal(exitCodeOf(exitStatus(3)), 3);
  t.equal(exitCodeOf(exitStatus(0)), 0);
});

t.test('a terminal has sizes and one output', async (t) => {
  const sizes: (TerminalSize | undefined)[] = [];
  const { client } = await streamServer(t, {
    attach: (_target, streams, channels) => {
      t.strictSame(streams, { stdin: true, stdout: true, stderr: false, tty: true });
      void channels.output('stderr', bytes('not carried'));
      return channels.input$.pipe(
        filter((message) => message.type === 'data'),
        map(({ bytes: data }) => sizes.push(decodeTerminalSize(data))),
        takeWhile((count) => count < 2),
      );
    },
  });
  const channels = await client.kind('v1', 'Pod').in('default').attach('p', { stdin: true, tty: true });
  await channels.output('resize', encodeTerminalSize({ width: 80, height: 24 }));
  await channels.output('resize', Uint8Array.of(0xff, 0xfe));
  t.strictSame(await messagesOf(channels), ['Success']);
  t.strictSame(sizes, [{ width: 80, height: 24 }, undefined]);
  for (const wrong of ['{"Width":1}', '{"Width":-1,"Height":1}', '{"Width":1.5,"Height":1}', '[]', 'null', ''])
    t.equal(decodeTerminalSize(bytes(wrong)), undefined, wrong);
});

t.test('a port-forward opens any number of connections', async (t) => {
  const { client } = await streamServer(t, {
    portForward: ({ pod }, port, channels) => {
      if (port === 81) throw new Error('connection refused');
      void channels.output('data', bytes(`${pod.metadata?.name}:${port} `));
      return sendBack(channels, 'data');
    },
  });
  const forwarding = await client.kind('v1', 'Pod').in('default').portForward('p');
  const [first, second, refused] = [80, 80, 81].map((port) => forwarding.connect(port));
  await first?.output('data', bytes('a'));
  await second?.output('data', bytes('b'));
  first?.end('data');
  second?.end('data');
  t.strictSame(await messagesOf(first as DuplexChannels), ['data p:80 ', 'data a', 'Success']);
  t.strictSame(await messagesOf(second as DuplexChannels), ['data p:80 ', 'data b', 'Success']);
  t.strictSame(await messagesOf(refused as DuplexChannels), ['Failure Internal error occurred: connection refused']);
  const open = forwarding.connect(80);
  forwarding.close();
  t.ok(open.signal.aborted, 'closing the forwarding closes its connections');
  t.ok(forwarding.connect(80).signal.aborted);
});

t.test('connectors are registered, replaced and taken back while the server runs', async (t) => {
  const { server, client } = await streamServer(t, undefined);
  const pods = client.kind('v1', 'Pod').in('default');
  const run = async (): Promise<readonly string[]> => messagesOf(await pods.exec('p', { command: ['x'] }));
  const saying = (word: string): NodeConnector => ({
    exec: (_target, _command, channels) => (void channels.output('stdout', bytes(word)), []),
  });
  const unreachable = /error dialing backend: dial tcp 10.0.0.1:0: connect: connection refused/;
  await t.rejects(run(), { message: unreachable });
  const forgetAll = server.nodes.register(saying('any'));
  t.strictSame(await run(), ['stdout any', 'Success']);
  const forgetOne = server.nodes.register(saying('n'), { node: 'n' });
  server.nodes.register(saying('m'), { node: 'm' });
  t.strictSame(await run(), ['stdout n', 'Success'], 'the connector of the node comes first');
  const forgetNext = server.nodes.register(saying('next'), { node: 'n' });
  forgetOne();
  t.strictSame(await run(), ['stdout next', 'Success'], 'a connector that was replaced takes back nothing');
  forgetNext();
  t.strictSame(await run(), ['stdout any', 'Success']);
  forgetAll();
  await t.rejects(run(), { message: unreachable });
  await t.rejects(pods.attach('p'), { message: unreachable });
  await t.rejects(pods.portForward('p'), { message: unreachable });
});

t.test('an exec over a WebSocket speaks each protocol', async (t) => {
  const { listening } = await streamServer(t, echo);
  for (const [offered, chosen] of [
    ['v5.channel.k8s.io, v4.channel.k8s.io', 'v5.channel.k8s.io'],
    ['v3.channel.k8s.io, v4.channel.k8s.io', 'v4.channel.k8s.io'],
  ] as const) {
    const raw = await openRaw(listening, execPath, upgradeHeaders(offered));
    t.match(raw.head, `Sec-WebSocket-Protocol: ${chosen}\r\n`);
    raw.socket.write(maskedFrame(Buffer.from('\0hello')));
    if (chosen.startsWith('v5')) raw.socket.write(maskedFrame(Uint8Array.of(255, 0)));
    await raw.until(2);
    if (chosen.startsWith('v4')) raw.socket.destroy();
    else await raw.until(4);
    const frames = raw.frames().map(({ opcode, payload }) => `${opcode} ${payload.toString('latin1')}`);
    t.strictSame(frames, [
      '2 \x01',
      '2 \x01hello',
      ...(chosen.startsWith('v5') ? ['2 \x03{"metadata":{},"status":"Success"}', '8 \x03\xe8'] : []),
    ]);
  }
  const base64 = await openRaw(listening, `${execPath}&command=4`, upgradeHeaders('v4.base64.channel.k8s.io'));
  base64.socket.write(maskedFrame(Buffer.from(`0${Buffer.from('hello').toString('base64')}`), 1));
  await base64.until(2);
  t.strictSame(
    base64.frames().map(({ opcode, payload }) => `${opcode} ${payload.toString()}`),
    ['1 1', '1 1aGVsbG8='],
  );
  base64.socket.write(maskedFrame(Buffer.from('0!!!'), 1));
  await base64.until(3);
  t.strictSame([...(base64.frames()[2]?.payload ?? [])], [1007 >> 8, 1007 & 255], 'what is no base64 ends it');
});

t.test('a failure after the upgrade is a Status on the error channel, or bare text where there is none', async (t) => {
  const { listening } = await streamServer(t, {
    exec: () => {
      throw new Error('no such process');
    },
  });
  const ending = async (protocol: string | undefined): Promise<string> => {
    const raw = await openRaw(listening, execPath, upgradeHeaders(protocol));
    await raw.until(3);
    return raw.frames()[1]?.payload.toString() ?? '';
  };
  t.match(JSON.parse((await ending('v5.channel.k8s.io')).slice(1)), {
    metadata: {},
    status: 'Failure',
    message: 'Internal error occurred: no such process',
    reason: 'InternalError',
    code: 500,
  });
  t.equal(await ending('channel.k8s.io'), '\x03Internal error occurred: no such process');
  t.equal(await ending(undefined), '\x03Internal error occurred: no such process');
});

t.test('a port-forward over a WebSocket has two channels for each port', async (t) => {
  const { listening } = await streamServer(t, {
    portForward: (_target, port, channels) => {
      if (port === 8443) throw new Error('connection refused');
      return sendBack(channels, 'data');
    },
  });
  const target = '/api/v1/namespaces/default/pods/p/portforward';
  const raw = await openRaw(
    listening,
    `${target}?ports=80&ports=8443`,
    upgradeHeaders('v5.channel.k8s.io, v4.channel.k8s.io'),
  );
  raw.socket.write(maskedFrame(Buffer.from('\0ping')));
  await raw.until(6);
  t.strictSame(
    raw.frames().map(({ payload }) => payload.toString('latin1')),
    [
      '\0\x50\0',
      '\x01\x50\0',
      '\x02\xfb\x20',
      '\x03\xfb\x20',
      '\x03Internal error occurred: connection refused',
      '\0ping',
    ],
  );
  raw.socket.destroy();
  for (const [query, message] of [
    ['', 'query parameter "port" is required'],
    ['?ports=', 'query parameter "port" cannot be empty'],
    ['?ports=0', 'port "0" must be > 0'],
    ['?ports=x', 'unable to parse "x" as a port: strconv.ParseUint: parsing "x": invalid syntax'],
    ['?ports=65536', 'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range'],
  ] as const) {
    const refused = await openRaw(listening, target + query, upgradeHeaders('v4.channel.k8s.io'));
    await once(refused.socket, 'close');
    t.match(refused.head, /^HTTP\/1.1 400 /, query);
    t.match(JSON.parse(refused.body()), { kind: 'Status', message });
  }
});

const tokens = 'admin-token,admin,1,"system:masters"\nann-token,ann,2\n';

t.test('an upgrade passes authentication and authorization before it is a stream', async (t) => {
  const executed: string[] = [];
  const connector: NodeConnector = {
    exec: () => (executed.push('exec'), []),
    attach: () => (executed.push('attach'), []),
    portForward: () => (executed.push('portforward'), []),
  };
  const { listening, client } = await streamServer(t, connector, {
    authenticators: [bearerTokens([tokenFile(tokens)])],
    authorizers: (tools) => [rbacAuthorizer(tools.rbac())],
    bootstrapPolicy: false,
  });
  const roles = client.kind('rbac.authorization.k8s.io/v1', 'ClusterRole');
  const rules = (verbs: string[]): { apiGroups: string[]; resources: string[]; verbs: string[] }[] => [
    { apiGroups: [''], resources: ['pods/exec', 'pods/attach', 'pods/portforward'], verbs },
  ];
  await roles.create({ metadata: { name: 'ann' }, rules: rules(['get']) });
  await client.kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding').create({
    metadata: { name: 'ann' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ann' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
  });
  const codeOf = async (kind: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const target = `/api/v1/namespaces/default/pods/p/${kind}?command=x&stdout=1&ports=80`;
    const raw = await openRaw(listening, target, upgradeHeaders('v4.channel.k8s.io', headers));
    raw.socket.destroy();
    return raw.head.split('\r\n')[0] ?? '';
  };
  const ann = { Authorization: 'Bearer ann-token' };
  const kinds = ['exec', 'attach', 'portforward'];
  for (const kind of kinds) {
    t.equal(await codeOf(kind, {}), 'HTTP/1.1 401 Unauthorized', `${kind} without credentials`);
    t.equal(await codeOf(kind, { Upgrade: 'SPDY/3.1' }), 'HTTP/1.1 401 Unauthorized', `SPDY ${kind}, too`);
    t.equal(await codeOf(kind, { Authorization: 'Bearer x' }), 'HTTP/1.1 401 Unauthorized');
    t.equal(await codeOf(kind, ann), 'HTTP/1.1 403 Forbidden', `${kind} with the right to get only`);
  }
  t.strictSame(executed, [], 'nothing reached the node');
  await roles.patch('ann', { merge: { rules: rules(['create']) } });
  for (const kind of kinds) t.equal(await codeOf(kind, ann), 'HTTP/1.1 403 Forbidden', 'a GET is also a get');
  await roles.patch('ann', { merge: { rules: rules(['get', 'create']) } });
  for (const kind of kinds) t.equal(await codeOf(kind, ann), 'HTTP/1.1 101 Switching Protocols');
  t.strictSame(executed, kinds);
  // In process the verb is create, and no header is needed.
  const asAnn = client.as({ username: 'ann' }).kind('v1', 'Pod').in('default');
  await roles.patch('ann', { merge: { rules: rules(['get']) } });
  await t.rejects(asAnn.exec('p', { command: ['x'] }), { message: /cannot create resource "pods\/exec"/ });
  await roles.patch('ann', { merge: { rules: rules(['create']) } });
  t.strictSame(await messagesOf(await asAnn.exec('p', { command: ['x'] })), ['Success']);
});

t.test('what is no proper upgrade is refused in plain HTTP', async (t) => {
  const { listening } = await streamServer(t, echo);
  const refusal = async (headers: string, target = execPath): Promise<string> => {
    const raw = await openRaw(listening, target, headers);
    if (!raw.socket.destroyed) await once(raw.socket, 'close');
    return `${raw.head.slice(9, 12)} ${raw.body()}`;
  };
  for (const [what, headers, expected] of [
    ['no upgrade', 'Host: x\r\nConnection: close\r\n', /^400 .*"message":"Upgrade request required"/],
    ['another protocol', upgradeHeaders(undefined, { Upgrade: 'h2c' }), /^400 .*unable to upgrade/],
    ['no key', upgradeHeaders(undefined, { 'Sec-WebSocket-Key': '' }), /^400 .*mismatch challenge\/response/],
    ['a draft', upgradeHeaders(undefined, { 'Sec-WebSocket-Version': '8' }), /^400 .*missing or bad WebSocket Version/],
    ['unknown protocols', upgradeHeaders('foo, v3.channel.k8s.io'), /^403 .*not supported: \[foo v3.channel.k8s.io\]/],
  ] as const)
    t.match(await refusal(headers), expected, what);
  const v4 = upgradeHeaders('v4.channel.k8s.io');
  const base = '/api/v1/namespaces/default/pods';
  t.match(await refusal(v4, `${base}/p/exec?command=x`), /^400 .*at least 1 of stdin, stdout, stderr/);
  t.match(await refusal(v4, `${base}/q/exec?command=x&stdout=1`), /^404 .*pods \\"q\\" not found/);
  t.match(await refusal(v4, `${base}/p/exec?command=x&stdout=1&container=z`), /^400 .*container z is not valid/);
  t.match(await refusal(v4, `${base}/p/attach?stdout=1`), /^500 .*error dialing backend/, 'the node has no attach');
});

t.test('a stream has the three audit events of a long request', async (t) => {
  const { server, listening } = await streamServer(t, echo, { audit: { rules: [{ level: 'Metadata' }] } });
  const events: AuditEvent[] = [];
  const subscription = server.audit$.subscribe((event) => events.push(event));
  t.teardown(() => subscription.unsubscribe());
  const seen = (): readonly string[] =>
    events.map(({ stage, verb, responseStatus, objectRef }) =>
      [stage, verb, objectRef?.subresource, responseStatus?.code].join(' '),
    );
  const raw = await openRaw(listening, execPath, upgradeHeaders('v5.channel.k8s.io'));
  await raw.until(1);
  t.strictSame(seen(), ['RequestReceived get exec ', 'ResponseStarted get exec 101'], 'it is not complete yet');
  raw.socket.write(maskedFrame(Uint8Array.of(255, 0)));
  await once(raw.socket, 'close');
  t.equal(seen()[2], 'ResponseComplete get exec 101');
  const gone = await openRaw(listening, execPath, upgradeHeaders('v5.channel.k8s.io'));
  gone.socket.destroy();
  while (events.length < 6) await turn();
  t.equal(seen()[5], 'ResponseComplete get exec 101', 'also when the client goes away');
  await openRaw(listening, execPath, upgradeHeaders('foo'));
  t.strictSame(seen().slice(6), [
    'RequestReceived get exec ',
    'ResponseStarted get exec 403',
    'ResponseComplete get exec 403',
  ]);
});

t.test('admission sees a connection with its options, and may refuse it', async (t) => {
  const seen: unknown[] = [];
  const { client } = await streamServer(
    t,
    { ...echo, proxy: () => Promise.resolve({ type: 'raw', code: 200, contentType: 'text/plain', content: '' }) },
    {
      admission: [
        {
          name: 'NoShells',
          handles: { operations: ['CONNECT'], resources: '*', subresources: '*' },
          validate({ kind, resource, subresource, name, object, user }) {
            seen.push({ kind, resource, subresource, name, object, user: user.username });
            const { command = [] } = object as { readonly command?: readonly string[] };
            if (command.includes('sh')) throw forbidden({ group: '', resource: 'pods', name }, 'no shells');
          },
        },
      ],
    },
  );
  const pods = client.kind('v1', 'Pod').in('default');
  await t.rejects(pods.exec('p', { command: ['sh'] }), { message: 'pods "p" is forbidden: no shells' });
  t.match(seen, [
    {
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subresource: 'exec',
      name: 'p',
      object: { apiVersion: 'v1', kind: 'PodExecOptions', command: ['sh'], stdout: true, stdin: false },
      user: 'admin',
    },
  ]);
  (await pods.exec('p', { command: ['ls'] })).close();
});

/** A connector whose one process never ends by itself, and that counts those who run. */
function endless(): NodeConnector & { readonly channels: NodeProcessChannels[]; running(): number } {
  const channels: NodeProcessChannels[] = [];
  let running = 0;
  return {
    channels,
    running: () => running,
    exec: (_target, _command, each) =>
      new Observable<never>(() => {
        running += 1;
        channels.push(each);
        return () => {
          running -= 1;
        };
      }),
  };
}

t.test('a stream ends on both sides when either side, or the server, ends it', async (t) => {
  const connector = endless();
  const { server, client, listening } = await streamServer(t, connector);
  const raw = await openRaw(listening, execPath, upgradeHeaders('v5.channel.k8s.io'));
  await raw.until(1);
  t.equal(connector.running(), 1);
  raw.socket.destroy();
  while (connector.running() > 0) await turn();
  t.ok(connector.channels[0]?.signal.aborted, 'the client went away');

  const pods = client.kind('v1', 'Pod').in('default');
  const abort = new AbortController();
  const aborted = await pods.exec('p', { command: ['x'], signal: abort.signal });
  abort.abort();
  t.ok(aborted.signal.aborted);
  t.equal(connector.running(), 0);

  const closing = await openRaw(listening, execPath, upgradeHeaders('v4.channel.k8s.io'));
  await closing.until(1);
  const inProcess = await pods.exec('p', { command: ['x'] });
  t.equal(connector.running(), 2);
  await Promise.all([listening.close(), once(closing.socket, 'close')]);
  const [, status, close] = closing.frames();
  t.match(status?.payload.toString(), /^\x03.*"message":"the server is shutting down"/);
  t.strictSame([...(close?.payload ?? [])], [1001 >> 8, 1001 & 255]);
  t.equal(connector.running(), 1);
  const ends = messagesOf(inProcess);
  await server.close();
  t.strictSame(await ends, ['Failure the server is shutting down']);
  t.equal(connector.running(), 0);
});

t.test('a client that does not read holds the process back, and what waits is bounded', async (t) => {
  const connector = endless();
  const { listening } = await streamServer(t, connector);
  const raw = await openRaw(listening, execPath, upgradeHeaders('v4.channel.k8s.io'));
  await raw.until(1);
  raw.socket.pause();
  const [channels] = connector.channels;
  const block = new Uint8Array(65_536);
  let sent = 0;
  for (;;) {
    const room = channels?.output('stdout', block);
    sent += 1;
    if (room === undefined) continue;
    const isFull = await Promise.race([room.then(() => false), turns(50).then(() => true)]);
    if (isFull) break;
  }
  t.ok(sent < 1000, `the process had to wait after ${sent} blocks`);
  raw.socket.resume();
  await channels?.output('stdout', bytes('end'));
  channels?.close();
  await once(raw.socket, 'close');
  const received = raw.frames().filter(({ payload }) => payload[0] === 1 && payload.length > 1);
  t.equal(received.length, sent + 1, 'and nothing is lost');
});

t.test('a process that ignores back-pressure loses its stream, not the memory of the server', async (t) => {
  const connector = endless();
  const { client } = await streamServer(t, connector);
  const reader = await client
    .kind('v1', 'Pod')
    .in('default')
    .exec('p', { command: ['x'] });
  const [channels] = connector.channels;
  const block = new Uint8Array(65_536);
  let sent = 0;
  for (; channels?.signal.aborted === false && sent < 1000; sent++) void channels.output('stdout', block);
  t.equal(sent, 65, '4 MiB, and the one that is too many');
  t.strictSame(await messagesOf(reader), [
    'Failure Internal error occurred: more than 4194304 bytes of a stream wait to be read',
  ]);
  t.equal(connector.running(), 0);
});

t.test('a process that does not read holds the client back', async (t) => {
  const connector = endless();
  const { listening } = await streamServer(t, connector);
  const raw = await openRaw(listening, execPath, upgradeHeaders('v4.channel.k8s.io'));
  await raw.until(1);
  const block = maskedFrame(new Uint8Array(65_536));
  let sent = 0;
  for (; sent < 1000; sent++) {
    if (raw.socket.write(block)) continue;
    const isFull = await Promise.race([once(raw.socket, 'drain').then(() => false), turns(50).then(() => true)]);
    if (isFull) break;
  }
  t.ok(sent < 1000, `the client had to wait after ${sent} blocks`);
  const [channels] = connector.channels;
  let received = 0;
  while (received < sent * 65_535) {
    const message = await next(channels);
    if (message.type === 'data') received += message.bytes.length;
  }
  t.ok(received >= sent * 65_535, 'and everything comes once it reads');
  raw.socket.destroy();
  while (connector.running() > 0) await turn();
});

t.test('hostile frames end their stream or have no effect', async (t) => {
  const connector = endless();
  const { listening } = await streamServer(t, connector);
  const closedWith = async (frame: Uint8Array): Promise<number> => {
    const raw = await openRaw(listening, execPath, upgradeHeaders('v5.channel.k8s.io'));
    raw.socket.write(frame);
    await once(raw.socket, 'close');
    return raw.frames().at(-1)?.payload.readUInt16BE(0) ?? 0;
  };
  t.equal(await closedWith(Uint8Array.of(0x82, 2, 0, 65)), 1002, 'an unmasked frame');
  t.equal(await closedWith(maskedFrame(new Uint8Array(1024 * 1024 + 1)).subarray(0, 14)), 1009, 'a frame too long');
  t.equal(await closedWith(maskedFrame(bytes('x'), 0)), 1002, 'a fragment of nothing');
  t.equal(await closedWith(maskedFrame(bytes('x'), 3)), 1002, 'an unknown opcode');
  t.equal(await closedWith(maskedFrame(Uint8Array.of(0xff), 1)), 1007, 'a text that is no UTF-8');
  const fragments = Array.from({ length: 17 }, (_, at) => maskedFrame(new Uint8Array(65_536), at === 0 ? 2 : 0, false));
  t.equal(await closedWith(Buffer.concat(fragments)), 1009, 'fragments that are too long together');
  while (connector.running() > 0) await turn();

  connector.channels.length = 0;
  const raw = await openRaw(listening, `${execPath}&tty=1`, upgradeHeaders('v5.channel.k8s.io'));
  await raw.until(1);
  const empty = Array.from({ length: 10_000 }, () => maskedFrame(new Uint8Array(), 0, false));
  raw.socket.write(
    Buffer.concat([
      maskedFrame(new Uint8Array()),
      maskedFrame(bytes('\x01to stdout')),
      maskedFrame(bytes('\x03to error')),
      maskedFrame(bytes('\x09to nothing')),
      maskedFrame(Uint8Array.of(255)),
      maskedFrame(Uint8Array.of(255, 9)),
      maskedFrame(Uint8Array.of(4, 0xff, 0xff)),
      maskedFrame(bytes('\0who'), 2, false),
      ...empty,
      maskedFrame(bytes(' le'), 0, true),
    ]),
  );
  const [channels] = connector.channels;
  t.strictSame(shown(await next(channels)), 'resize \ufffd\ufffd');
  t.strictSame(shown(await next(channels)), 'stdin who le', 'fragments are one message');
  raw.socket.destroy();
  while (connector.running() > 0) await turn();
});

t.test('the input of a stream has one subscriber at a time, and waits while there is none', async (t) => {
  const [near, far] = duplexChannels<'a', 'b'>({ highWaterBytes: 200 });
  t.equal(far.output('a', bytes('1')), undefined);
  t.equal(far.output('a', bytes('2')), undefined);
  const room = far.output('a', new Uint8Array(100));
  t.ok(room instanceof Promise, 'past the mark the sender has to wait');
  t.equal(shown(await next(near)), 'a 1');
  const subscription = near.input$.subscribe();
  await room;
  await t.rejects(next(near), { message: /one subscriber at a time/ });
  subscription.unsubscribe();
  far.end('a');
  t.equal(far.output('a', bytes('late')), undefined);
  far.close(exitStatus(1));
  far.close();
  t.strictSame(await messagesOf(near), [
    'end of a',
    'Failure command terminated with non-zero exit code: exit status 1',
  ]);
  t.strictSame(await messagesOf(near), [], 'after the close there is nothing');
  t.strictSame(await messagesOf(far), [], 'nor for the end that closed');
});
