// kubectl against pods that are processes of this machine: logs, exec, cp, attach, port-forward, debug, top, proxies, a
// liveness restart, a graceful end, and a container that is killed. Every installed version of kubectl.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Test } from 'tap';
import { createCluster } from '../../lib/cluster/index.js';
import { processRuntime } from '../../lib/nodeagent/process/index.js';
import { kubectlMissing, kubectls, openSession } from '../support/kubectl.js';
import { markedProcesses } from '../support/process-programs.js';

const programs = kubectls();
const skip =
  process.platform !== 'linux' ? 'pods have addresses of the loopback range' : programs.length === 0 && kubectlMissing;

/** A small HTTP service: it responds with its name and logs the paths. SIGUSR1 makes it unhealthy. */
const service = `
  const { createServer } = require('node:http');
  let code = 200;
  require('node:fs').writeFileSync('pid', String(process.pid));
  process.on('SIGUSR1', () => (code = 500));
  process.on('SIGTERM', () => { console.log('goodbye'); process.exit(0); });
  process.stdin.on('data', (data) => console.log('typed ' + String(data).trim()));
  createServer((request, response) => {
    console.log(request.url);
    response.writeHead(request.url === '/healthz' ? code : 200).end('hello from ' + process.env.NAME + '\\n');
  }).listen(8080, process.env.VIVARIUM_POD_IP, () => console.log('ready'));
`;

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'config', configMap: { name: 'greeting' } },
        ],
        containers: [
          {
            name: 'web',
            image: 'node-service',
            stdin: true,
            ports: [{ name: 'http', containerPort: 8080 }],
            env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            volumeMounts: [
              { name: 'data', mountPath: '/data' },
              { name: 'config', mountPath: '/etc/greeting' },
            ],
            readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 1 },
            livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1, failureThreshold: 2 },
          },
        ],
      },
    },
  },
};

interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Scene {
  readonly run: (args: readonly string[], input?: string) => Promise<Result>;
  readonly ok: (args: readonly string[], input?: string) => Promise<string>;
  readonly start: (args: readonly string[]) => ReturnType<typeof spawn>;
  /** Runs kubectl in a terminal and returns what it printed. */
  readonly inTerminal: (command: string) => Promise<string>;
  readonly cwd: string;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

for (const program of programs)
  t.test(`kubectl ${program.version} and pods that are processes`, { skip, timeout: 600_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'vivarium-node-'));
    const runtime = await processRuntime({
      folder,
      images: { 'node-service': { command: [process.execPath, '-e', service] } },
      allowsAnyImage: true,
    });
    const cluster = await createCluster({ nodes: { count: 1, runtime: () => runtime } });
    t.teardown(async () => {
      await cluster.close();
      await runtime.close?.();
      rmSync(folder, { recursive: true, force: true });
    });
    const { url } = await cluster.listen();
    const session = openSession(program, url, await cluster.kubeconfig());
    t.teardown(session.dispose);
    const { cwd, env } = session;
    const start: Scene['start'] = (args) => spawn(program.path, [...args], { cwd, env });
    const run: Scene['run'] = async (args, input) => {
      // A kubectl that hangs fails the test, in minutes.
      const child = spawn(program.path, [...args], { cwd, env, timeout: 120_000 });
      child.stdin.on('error', () => undefined).end(input);
      const closed = once(child, 'close');
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      await closed;
      return { code: child.exitCode, out, err };
    };
    const ok: Scene['ok'] = async (args, input) => {
      const { code, out, err } = await run(args, input);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed with ${code}: ${err}${out}`);
      return out;
    };
    await ok(['create', 'configmap', 'greeting', '--from-literal=word=hello']);
    await ok(['apply', '-f', '-'], JSON.stringify(deployment));
    await ok(['expose', 'deployment', 'web', '--port=80', '--target-port=http']);
    await ok(['rollout', 'status', 'deployment/web', '--timeout=5m']);
    const inTerminal: Scene['inTerminal'] = async (command) => {
      const child = spawn('script', ['-qec', `"${program.path}" ${command}`, '/dev/null'], {
        cwd,
        env,
        timeout: 120_000,
      });
      child.stdin.end();
      return text(child.stdout);
    };
    await use(t, { run, ok, start, inTerminal, cwd });
    await cluster.close();
    await runtime.close?.();
    t.strictSame(await markedProcesses(folder), [], 'no process is left');
  });

async function use(t: Test, { run, ok, start, inTerminal, cwd }: Scene): Promise<void> {
  const names = (await ok(['get', 'pods', '-l', 'app=web', '-o', 'name'])).trim().split('\n');
  t.equal(names.length, 3, 'three pods run');
  const pod = (names[0] ?? '').replace('pod/', '');
  const restarts = async (): Promise<number> =>
    Number(await ok(['get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}']));

  t.match(await ok(['logs', pod]), /^ready\n/, 'logs');
  t.equal(await ok(['logs', pod, '--limit-bytes=4']), 'read', 'logs --limit-bytes');
  t.match(
    await ok(['logs', pod, '--tail=1', '--timestamps']),
    /^\d{4}-\d\d-\d\dT\S+Z \/\w+\n$/,
    'logs --tail --timestamps',
  );
  t.match(await ok(['logs', '-l', 'app=web', '--prefix', '--tail=-1']), /\[pod\/web-\S+\/web\] ready/, 'logs -l');
  t.match(await run(['logs', pod, '--previous']), { code: 1, err: /previous terminated container/ }, 'logs --previous');

  t.equal(await ok(['exec', pod, '--', 'sh', '-c', 'echo $NAME']), `${pod}\n`, 'exec');
  t.match(await run(['exec', pod, '--', 'sh', '-c', 'exit 7']), { code: 7 }, 'exec reports the exit code');
  t.equal(await ok(['exec', '-i', pod, '--', 'cat'], 'typed'), 'typed', 'exec -i');
  t.equal(await ok(['exec', pod, '--', 'cat', 'etc/greeting/word']), 'hello', 'a ConfigMap is a file');

  t.match(await inTerminal(`exec -it ${pod} -- tty`), /\/dev\/pts\/\d+/, 'exec -it has a terminal');

  writeFileSync(join(cwd, 'sent'), 'some bytes\n'.repeat(10_000));
  await ok(['cp', 'sent', `${pod}:data/received`]);
  await ok(['cp', `${pod}:data/received`, 'back']);
  t.equal(readFileSync(join(cwd, 'back'), 'utf8'), 'some bytes\n'.repeat(10_000), 'cp in both directions');

  const attached = start(['attach', '-i', pod]);
  attached.stdin?.write('over attach\n');
  await until(async () => (await ok(['logs', pod])).includes('typed over attach'));
  t.pass('attach reaches stdin');
  attached.kill();
  await once(attached, 'close');

  const forward = start(['port-forward', `pod/${pod}`, ':8080']);
  const lines = createInterface(forward.stdout ?? process.stdin)[Symbol.asyncIterator]();
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(((await lines.next()) as { value?: string }).value ?? '')?.[1]);
  t.match(await get(port), new RegExp(`hello from ${pod}`), 'port-forward');
  forward.kill();
  await once(forward, 'close');

  t.match(await ok(['get', '--raw', `/api/v1/namespaces/default/pods/${pod}:8080/proxy/x?y=1`]), `hello from ${pod}`);
  t.match(await ok(['get', '--raw', '/api/v1/namespaces/default/services/web:80/proxy/']), /hello from web-/);
  t.match(JSON.parse(await ok(['get', '--raw', '/api/v1/nodes/node-1/proxy/stats/summary'])), {
    node: { nodeName: 'node-1' },
  });
  t.match(
    await ok(['get', '--raw', '/api/v1/nodes/node-1/proxy/metrics/resource']),
    /container_cpu_usage_seconds_total\{/,
  );
  t.match(await ok(['top', 'nodes', '--no-headers']), /^node-1\s+\d+m/, 'top nodes');
  t.match(
    await ok(['top', 'pod', pod, '--containers', '--no-headers']),
    new RegExp(`^${pod}\\s+web\\s+\\d+m\\s+\\d+Mi`),
  );

  const debugged = await ok(
    ['debug', pod, '--image=busybox', '-i', '--quiet', '--', 'sh', '-c', 'read line; echo "debug got $line"'],
    'a line\n',
  );
  t.match(debugged, /debug got a line/, 'debug runs an ephemeral container');

  const before = await restarts();
  await ok(['exec', pod, '--', 'sh', '-c', 'kill -USR1 $(cat pid)']);
  await until(async () => (await restarts()) > before);
  t.pass('a failing liveness probe restarts the container');
  t.match(await ok(['logs', pod, '--previous']), /goodbye/, 'the previous instance ended with SIGTERM');
  const again = await restarts();
  // The command is killed with its container.
  await run(['exec', pod, '--', 'sh', '-c', 'kill -KILL $(cat pid)']);
  await until(async () => (await restarts()) > again);
  t.equal(
    await ok(['get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}']),
    '137',
    'a killed container is started again',
  );
  await ok(['delete', 'deployment', 'web', '--wait=true']);
  await ok(['wait', '--for=delete', 'pod', '-l', 'app=web', '--timeout=5m']);
}

async function get(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /forwarded HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n');
  return text(socket);
}
