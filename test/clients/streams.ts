// Real clients of exec, attach and port-forward against a connector that is a function of the test: kubectl, over SPDY
// up to 1.30 and over WebSockets from then on, and the Kubernetes client of Node.
import { Exec, KubeConfig, PortForward } from '@kubernetes/client-node';
import type { V1Status } from '@kubernetes/client-node';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { firstValueFrom } from 'rxjs';
import t from 'tap';
import { exitStatus } from '../../lib/core/index.js';
import type { DuplexChannels, NodeConnector } from '../../lib/core/index.js';
import { kubeconfig } from '../../lib/server/node/index.js';
import { allKubectls, kubectlMissing, openSession } from '../support/kubectl.js';
import { streamServer } from '../support/stream-server.js';

const bytes = (data: string): Uint8Array => new TextEncoder().encode(data);

/** Sends back what it receives, until that ends. */
async function sendBack<In extends string, Out extends string>(
  channels: DuplexChannels<In, Out>,
  to: Out,
): Promise<void> {
  const over = { type: 'close', status: exitStatus(0) } as const;
  for (;;) {
    const message = await firstValueFrom(channels.input$, { defaultValue: over });
    if (message.type !== 'data') return;
    await channels.output(to, message.bytes);
  }
}

/** `cat` sends back its input; anything else prints itself to both outputs and exits with 3. */
const connector: NodeConnector = {
  async exec(_target, { command }, channels) {
    if (command[0] === 'cat') return sendBack(channels, 'stdout');
    await channels.output('stdout', bytes(`${command.join(' ')}\n`));
    await channels.output('stderr', bytes('a complaint\n'));
    channels.close(exitStatus(3));
  },
  attach: (_target, _streams, channels) => sendBack(channels, 'stdout'),
  portForward(_target, port, channels) {
    if (port === refusedPort) throw new Error('connection refused');
    return sendBack(channels, 'data');
  },
};

const refusedPort = 81;

const programs = allKubectls();

t.test('kubectl exec', { skip: programs.length === 0 ? kubectlMissing : false }, async (t) => {
  const { listening } = await streamServer(t, connector);
  for (const program of programs) {
    const session = openSession(program, listening.url, kubeconfig({ server: listening.url }));
    t.teardown(session.dispose);
    const run = async (
      args: readonly string[],
      input?: string,
    ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> => {
      const child = spawn(program.path, args, { cwd: session.cwd, env: session.env });
      child.stdin.end(input);
      const closed = once(child, 'close');
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      await closed;
      return { code: child.exitCode, out, err };
    };
    t.strictSame(await run(['exec', 'p', '--', 'echo', 'hello']), {
      code: 3,
      out: 'echo hello\n',
      err: 'a complaint\ncommand terminated with exit code 3\n',
    });
    const large = 'x'.repeat(1_000_000);
    const echoed = await run(['exec', '-i', 'p', '--', 'cat'], large);
    t.equal(echoed.code, 0, echoed.err);
    t.ok(echoed.out === large, 'a megabyte comes back as it went');
    t.match(await run(['exec', 'p', '-c', 'other', '--', 'x']), { code: 1, err: /container other is not valid/ });
  }
});

t.test('kubectl attach and port-forward', { skip: programs.length === 0 ? kubectlMissing : false }, async (t) => {
  const { listening, client } = await streamServer(t, connector);
  const pods = client.kind('v1', 'Pod').in('default');
  await pods.create({
    metadata: { name: 'q' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i', stdin: true }] },
  });
  await pods.status.patch('q', { merge: { status: { phase: 'Running' } } });
  for (const program of programs) {
    const session = openSession(program, listening.url, kubeconfig({ server: listening.url }));
    t.teardown(session.dispose);
    const { cwd, env } = session;
    const attached = spawn(program.path, ['attach', '-i', 'q'], { cwd, env });
    attached.stdin.end('typed');
    t.equal(await text(attached.stdout), 'typed', `kubectl ${program.version} attaches`);

    const child = spawn(program.path, ['port-forward', 'pod/p', ':80', `:${refusedPort}`], { cwd, env });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const port = async (remote: number): Promise<number> => {
      for (;;) {
        const { value = '' } = (await lines.next()) as { readonly value?: string };
        const found = /^Forwarding from 127.0.0.1:(\d+) -> (\d+)$/.exec(value);
        if (Number(found?.[2]) === remote) return Number(found?.[1]);
        if (value === '') throw new Error('kubectl forwards no port');
      }
    };
    const [open, refused] = [await port(80), await port(refusedPort)];
    // Streams of one connection must not disturb those of another.
    const all = await Promise.all(['a', 'b', 'c'].map((letter) => echoed(open, letter.repeat(300_000))));
    t.strictSame(
      all.map((each) => `${each.slice(0, 1)}${each.length}`),
      ['a300000', 'b300000', 'c300000'],
      `kubectl ${program.version} forwards connections`,
    );
    const complaint = once(createInterface(child.stderr), 'line');
    t.equal(await echoed(refused, 'x'), '', 'a connection that the node refuses is closed');
    t.match((await complaint)[0], /connection refused/);
    const gone = once(child, 'close');
    child.kill();
    await gone;
  }
});

/** Sends text to a port and returns what comes back until the text is complete or the connection ends. */
async function echoed(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  let received = '';
  try {
    for await (const part of socket) {
      received += String(part);
      if (received.length >= sent.length) break;
    }
  } catch {
    // Reset by the other side.
  }
  socket.destroy();
  return received;
}

t.test('the Kubernetes client of Node execs and forwards ports', async (t) => {
  const { listening } = await streamServer(t, connector);
  const config = new KubeConfig();
  // Without TLS this client works only where verification is off.
  config.loadFromClusterAndUser(
    { name: 'vivarium', server: listening.url, skipTLSVerify: true },
    { name: 'anonymous' },
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config)
      .exec('default', 'p', 'c', ['echo', 'hello'], stdout, stderr, null, false, resolve)
      .catch((error: unknown) => reject(new Error('exec failed', { cause: error })));
  });
  t.match(status, { status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ message: '3' }] } });
  t.equal(await text(stdout), 'echo hello\n');
  t.equal(await text(stderr), 'a complaint\n');

  const [input, output] = [new PassThrough(), new PassThrough()];
  await new PortForward(config).portForward('default', 'p', [80], output, null, input);
  input.write('ping');
  let received = '';
  while (received !== 'ping') received += String(((await once(output, 'data')) as [Buffer])[0]);
  t.equal(received, 'ping');
  // Under v4 the end of the input closes the connection.
  input.end();
});
