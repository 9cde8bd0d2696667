// `vivarium serve` on a real file system: the files that it writes, how it stops, and what its flags do.
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, linkSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { NEVER } from 'rxjs';
import t from 'tap';
import type { Test } from 'tap';
import { createCluster } from '../../lib/index.js';
import { activityEntries } from '../../lib/command/format-activity.js';
import { StoreError, memoryStore } from '../../lib/storage/index.js';
import { parseCommandLine, run, serve } from '../../lib/command/index.js';
import type { CommandEnvironment, CommandLogEntry, ServedCluster } from '../../lib/command/index.js';
import { changePrivateFile, findPrivateFile, writePrivateFile } from '../../lib/command/private-files.js';
import { userKubeconfigPath } from '../../lib/command/merge-kubeconfig.js';
import { parseYaml, virtualClock } from '../../lib/core/index.js';
import { kubectlMissing, kubectls } from '../support/kubectl.js';

interface Running {
  /** The words after the label of a printed line, such as `kubeconfig: `. */
  printed(label: string): string;
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number>;
  readonly lines: readonly string[];
}

/** Runs the command line with TMPDIR and KUBECONFIG in the folder of the test, until it prints what to try. */
async function start(t: Test, ...flags: readonly string[]): Promise<Running> {
  const folder = t.testdirName;
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const signals = new EventEmitter();
  const lines: string[] = [];
  const ended = run({
    args: ['serve', '--port=0', ...flags],
    version: 'test',
    env: { KUBECONFIG: join(folder, 'user', 'config') },
    stdout: {
      write: (text) => {
        lines.push(text.trimEnd());
        signals.emit('printed');
      },
    },
    stderr: { write: (text) => lines.push(text) },
    signals,
  });
  const refused = ended.then(() => Promise.reject(new Error(lines.join('\n'))));
  refused.catch(() => undefined); // also rejects when the command ends as it should
  const isReady = (): boolean => lines.some((line) => line.includes('try: '));
  while (!isReady()) await Promise.race([once(signals, 'printed'), refused]);
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  return {
    lines,
    printed: (label) => lines.find((line) => line.startsWith(label))?.slice(label.length) ?? '',
    stop: () => {
      signals.emit('SIGTERM');
      return ended;
    },
  };
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

t.test('a private file has mode 0600 whatever was there, and is never written through a link', async (t) => {
  const folder = t.testdir({ open: 'old', victim: 'untouched', linked: 'shared', 'deep.lock': '' });
  const at = (name: string): string => join(folder, name);
  await writePrivateFile(at('new/folder/file'), 'text');
  t.equal(modeOf(at('new/folder/file')), 0o600);
  t.equal(modeOf(at('new/folder')), 0o700);
  await promisify(execFile)('chmod', ['666', at('open')]);
  linkSync(at('linked'), at('hard'));
  for (const name of ['open', 'hard']) {
    await writePrivateFile(at(name), 'new');
    t.equal(modeOf(at(name)), 0o600, name);
    t.equal(readFileSync(at(name), 'utf8'), 'new');
  }
  t.equal(readFileSync(at('linked'), 'utf8'), 'shared', 'another name of the same file keeps the old text');
  symlinkSync(at('victim'), at('link'));
  symlinkSync(at('nowhere'), at('dangling'));
  for (const name of ['link', 'dangling']) {
    const message = `${at(name)} is a symbolic link; credentials are not read or written through it`;
    await t.rejects(writePrivateFile(at(name), 'secret'), { message });
    await t.rejects(findPrivateFile(at(name)), { message });
  }
  t.equal(readFileSync(at('victim'), 'utf8'), 'untouched');
  t.notOk(existsSync(at('nowhere')));
  await t.rejects(writePrivateFile(at('new'), 'secret'), { message: /not a regular file/ });
  await promisify(execFile)('chmod', ['644', at('victim')]);
  t.equal(await findPrivateFile(at('victim')), 'untouched');
  t.equal(modeOf(at('victim')), 0o600, 'a key that others could read is theirs no longer');
  t.equal(await findPrivateFile(at('absent')), undefined);
  await t.rejects(
    changePrivateFile(at('deep'), () => Promise.resolve('x')),
    { message: /remove .*deep\.lock/ },
  );
  t.notOk(existsSync(at('deep')));
  t.notOk(
    readdirSync(folder).some((name) => name.endsWith('.tmp')),
    'nothing is left behind',
  );
});

t.test('without --kubeconfig-out the kubeconfig is in a private folder that goes with the server', async (t) => {
  t.testdir({});
  const serving = await start(t, '--cert-dir', join(t.testdirName, 'pki'));
  const path = serving.printed('kubeconfig: ');
  t.equal(modeOf(path), 0o600);
  t.equal(modeOf(dirname(path)), 0o700);
  t.match(dirname(path), /vivarium-[A-Za-z0-9]{6}$/, 'no name that another user could create before');
  t.equal(serving.printed('try: '), `kubectl --kubeconfig ${path} get namespaces`);
  for (const name of ['ca.key', 'ca.crt', 'sa.key']) t.equal(modeOf(join(t.testdirName, 'pki', name)), 0o600, name);
  t.equal(await serving.stop(), 0);
  t.notOk(existsSync(dirname(path)));
});

t.test('--merge-kubeconfig adds a context to the kubeconfig of the user until the server stops', async (t) => {
  t.testdir({
    user: {
      config:
        'apiVersion: v1\nkind: Config\ncurrent-context: work\ncontexts:\n- name: work\n  context: {cluster: w, user: w}\n',
    },
  });
  const path = join(t.testdirName, 'user', 'config');
  const serving = await start(t, '--merge-kubeconfig');
  const name = `vivarium-${new URL(serving.printed('vivarium serves Kubernetes v1.36 on ')).port}`;
  const merged = (await parseYaml(readFileSync(path, 'utf8'))).value;
  t.match(merged, {
    'current-context': name,
    contexts: [{ name: 'work' }, { name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { 'certificate-authority-data': /.+/ } }],
    users: [{ name, user: { 'client-key-data': /.+/ } }],
  });
  t.equal(modeOf(path), 0o600);
  await serving.stop();
  const left = (await parseYaml(readFileSync(path, 'utf8'))).value;
  t.match(left, { 'current-context': 'work', contexts: [{ name: 'work' }], clusters: [], users: [] });
  t.notOk(existsSync(`${path}.lock`));
});

t.test('a file that is not a kubeconfig is left alone, and the server does not start', async (t) => {
  const folder = t.testdir({ config: 'clusters: 7\n' });
  const path = join(folder, 'config');
  const lines: string[] = [];
  const code = await run({
    args: ['serve', '--port=0', '--merge-kubeconfig', '--kubeconfig-out', join(folder, 'out')],
    version: 'test',
    env: { KUBECONFIG: path },
    stdout: { write: () => undefined },
    stderr: { write: (text) => lines.push(text) },
    signals: new EventEmitter(),
  });
  t.equal(code, 1);
  t.strictSame(lines, [`vivarium: ${path} is not a kubeconfig; it was left unchanged\n`]);
  t.equal(readFileSync(path, 'utf8'), 'clusters: 7\n');
});

t.test('the kubeconfig of the user is the one that kubectl changes', (t) => {
  const folder = t.testdir({ second: '' });
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  t.equal(userKubeconfigPath([first, second].join(delimiter)), second, 'the first that exists');
  t.equal(userKubeconfigPath([first, join(folder, 'third')].join(delimiter)), join(folder, 'third'), 'else the last');
  t.match(userKubeconfigPath(''), /\.kube.config$/);
  t.end();
});

t.test('serve --http prints a kubectl command that is authorized', async (t) => {
  t.testdir({});
  const serving = await start(t, '--http');
  const command = serving.printed('try: ');
  const path = serving.printed('kubeconfig: ');
  t.equal(command, `kubectl --kubeconfig ${path} --context vivarium-kubectl get namespaces`);
  const config = (await parseYaml(readFileSync(path, 'utf8'))).value as {
    readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[];
  };
  const { username, password, origin } = new URL(
    config.clusters.find(({ name }) => name === 'vivarium-kubectl')?.cluster.server ?? '',
  );
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const list = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${origin}/api/v1/namespaces`, { headers });
  t.equal((await list({ authorization: `Basic ${credentials}` })).status, 200);
  t.equal((await list({})).status, 403, 'anonymous requests are still refused');
  const [kubectl] = kubectls();
  if (kubectl === undefined) t.comment(kubectlMissing);
  else {
    const args = command.split(' ').slice(1);
    const { stdout } = await promisify(execFile)(kubectl.path, args, { env: { HOME: t.testdirName } });
    t.match(stdout, /kube-system\s+Active/);
  }
  await serving.stop();
});

/** A response and its text. */
async function fetchText(
  url: string,
  agent: Agent,
): Promise<{ readonly message: IncomingMessage; readonly text: string }> {
  const message = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { agent }, resolve).on('error', reject),
  );
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += String(chunk);
  return { message, text };
}

t.test('SIGTERM resets no request of a client that is busy on a kept connection', async (t) => {
  t.testdir({});
  const serving = await start(t, '--http');
  const url = serving.printed('vivarium serves Kubernetes v1.36 on ');
  const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  let answered = 0;
  let stopped: Promise<number> | undefined;
  const busy = agents.map(async (agent) => {
    for (let last = ''; last !== 'close';) {
      const { message, text } = await fetchText(`${url}/version`, agent);
      t.equal(message.statusCode, 200);
      t.match(text, 'gitVersion');
      last = message.headers.connection ?? '';
      answered += 1;
      if (answered === 50) stopped = serving.stop();
    }
    await t.rejects(fetchText(`${url}/version`, agent), { code: 'ECONNREFUSED' }, 'only a new connection is refused');
  });
  await Promise.all(busy);
  t.equal(await stopped, 0);
});

/** Serves with an environment in memory and a clock that the test moves. */
async function serveVirtually(
  t: Test,
  ...flags: readonly string[]
): Promise<ServedCluster & { readonly clock: ReturnType<typeof virtualClock> }> {
  const clock = virtualClock();
  const environment: CommandEnvironment = {
    clock,
    print: () => undefined,
    readFile: () => Promise.resolve(''),
    findFile: () => Promise.resolve(undefined),
    findPrivateFile: () => Promise.resolve(undefined),
    writeFile: () => Promise.resolve(),
    changeFile: () => Promise.resolve(),
    removeFile: () => Promise.resolve(),
    createPrivateFolder: () => Promise.resolve('/private'),
    removeFolder: () => Promise.resolve(),
    userKubeconfigPath: () => '/config',
    fileChanges: () => NEVER,
  };
  const line = parseCommandLine([
    'serve',
    '--http',
    '--port=0',
    '--authorization-mode=AlwaysAllow',
    '--anonymous-auth=true',
    ...flags,
  ]);
  if (line.command !== 'serve') throw new Error('the command line is one of serve');
  const serving = await serve(line.flags, environment);
  t.teardown(() => serving.close());
  return { ...serving, clock };
}

t.test('during --shutdown-delay-duration requests are served, but the server is not ready', async (t) => {
  const serving = await serveVirtually(t, '--shutdown-delay-duration=5m');
  const agent = new Agent({ keepAlive: true });
  const before = await fetchText(`${serving.url}/readyz?verbose`, agent);
  t.equal(before.message.statusCode, 200);
  t.match(before.text, '[+]shutdown ok');
  t.equal(
    (await fetchText(`${serving.url}/livez/shutdown`, agent)).message.statusCode,
    404,
    'it is about readiness only',
  );
  let isClosed = false;
  const closed = serving.close().then(() => (isClosed = true));
  const during = await fetchText(`${serving.url}/readyz`, agent);
  t.equal(during.message.statusCode, 500);
  t.match(during.text, '[-]shutdown failed');
  t.equal(during.message.headers.connection, 'close');
  t.equal((await fetchText(`${serving.url}/livez`, agent)).message.statusCode, 200);
  t.equal((await fetchText(`${serving.url}/api/v1/namespaces`, agent)).message.statusCode, 200);
  t.notOk(isClosed);
  await serving.clock.advance('5m');
  await closed;
  await t.rejects(fetchText(`${serving.url}/livez`, agent), { code: 'ECONNREFUSED' });
});

t.test('ranges of addresses and ports, and the address to listen on, are flags', async (t) => {
  const serving = await serveVirtually(
    t,
    '--bind-address=127.0.0.2',
    '--service-cluster-ip-range=10.7.0.0/24,fd00:7::/112',
    '--service-node-port-range=31000-31001',
  );
  t.match(serving.url, 'http://127.0.0.2:');
  const create = async (
    name: string,
  ): Promise<{
    readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
  }> => {
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
    const answer = await fetch(`${serving.url}/api/v1/namespaces/default/services`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    return (await answer.json()) as Awaited<ReturnType<typeof create>>;
  };
  const services = [await create('a'), await create('b')];
  for (const { spec } of services) t.match(spec.clusterIP, /^10\.7\.0\.\d+$/);
  t.strictSame(services.map(({ spec }) => spec.ports[0]?.nodePort).sort(), [31_000, 31_001]);
  t.match(await create('c'), { code: 500, message: /range is full/ }, 'the range is used up');
  for (const [flag, message] of [
    ['--bind-address=localhost', '--bind-address is an IP address such as 127.0.0.1, not "localhost"'],
    ['--service-node-port-range=9-3', '--service-node-port-range is a range of ports such as 30000-32767, not "9-3"'],
    ['--service-cluster-ip-range=a,b,c', '--service-cluster-ip-range has at most two ranges, one of each family'],
    ['--log-format=xml', '--log-format is one of text, json, not "xml"'],
  ] as const)
    t.throws(() => parseCommandLine(['serve', flag]), { name: 'FlagError', message }, flag);
  await t.rejects(serveVirtually(t, '--service-cluster-ip-range=10.7.0.0'), 'a range that is none');
});

t.test('--log-format json prints one object per line, also of a refused start', async (t) => {
  const folder = t.testdir({});
  const runWith = async (...flags: readonly string[]): Promise<{ readonly code: number; readonly lines: string[] }> => {
    const lines: string[] = [];
    const signals = new EventEmitter();
    const write = (text: string): void => {
      lines.push(...text.trimEnd().split('\n'));
      if (text.includes('try: ')) signals.emit('SIGTERM');
    };
    const code = await run({
      args: ['serve', '--port=0', `--kubeconfig-out=${join(folder, 'kc')}`, '--log-format=json', ...flags],
      version: 'test',
      stdout: { write },
      stderr: { write },
      signals,
    });
    return { code, lines };
  };
  const served = await runWith();
  t.equal(served.code, 0);
  t.ok(served.lines.length >= 4);
  for (const line of served.lines)
    t.match(JSON.parse(line), { time: /^\d{4}-.*Z$/, level: 'info', part: 'vivarium', message: /./ });
  const refused = await runWith(`--token-auth-file=${join(folder, 'absent')}`);
  t.equal(refused.code, 1);
  t.equal(refused.lines.length, 1);
  t.match(JSON.parse(refused.lines[0] ?? ''), { level: 'error', part: 'vivarium', message: /no such file.*absent/ });
});

t.test('what fails inside the server is an entry of the log with the id that the client has', async (t) => {
  const error = new StoreError('corrupt', '/home/ada/store.db: the value of /registry/secrets/default/a is not JSON');
  const store = memoryStore();
  const { list } = store;
  store.list = (prefix, options) =>
    prefix.includes('secrets') ? Promise.reject(error) : list.call(store, prefix, options);
  const cluster = await createCluster({
    store,
    scheduler: false,
    controllers: [],
    server: { authenticators: [() => [{ user: { username: 'ada', groups: ['system:masters'] } }]] },
  });
  const entries: CommandLogEntry[] = [];
  const logging = activityEntries(cluster.activity$, 'problems').subscribe((entry) => entries.push(entry));
  const listening = await cluster.listen({ tls: false });
  const answer = await fetch(`${listening.url}/api/v1/secrets`, { headers: { 'Audit-Id': 'id-7' } });
  t.equal(answer.status, 500);
  const text = await answer.text();
  t.notMatch(text, 'store.db');
  t.match(text, 'id-7');
  t.strictSame(entries, [
    {
      level: 'error',
      part: 'apiserver',
      message: `apiserver: GET /api/v1/secrets (audit ID id-7) failed: ${error.message}`,
      auditId: 'id-7',
    },
  ]);
  logging.unsubscribe();
  await cluster.close();
});
